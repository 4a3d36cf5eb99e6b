"""Tables with topics, whose labels each divide the same people, and releases that are folders of several tables."""

import csv
import tomllib

import pytest

from tests.helpers.public_tables import confirm
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

SIZES = {  # pupils by area, each time with and without support, and with and without free meals
    "North": {"All": 60, "Support": 21, "No support": 39, "Free meals": 24, "No free meals": 36},
    "South": {"All": 50, "Support": 18, "No support": 32, "Free meals": 11, "No free meals": 39},
    "West": {"All": 40, "Support": 9, "No support": 31, "Free meals": 8, "No free meals": 32},
}
SIZES["England"] = {label: sum(sizes[label] for sizes in SIZES.values()) for label in SIZES["North"]}
TOPIC = {"All": "All", "Support": "Needs", "No support": "Needs", "Free meals": "Meals", "No free meals": "Meals"}
RECTANGLE = {(area, label) for area in ("North", "South") for label in ("Support", "No support")}


def tables(folder, hidden, *, education, times=1):
    """A table of counts, and one of percentages of all pupils of the area, by topic."""
    places = ["time_period", "geographic_level", "country_name", "region_name"] if education else ["area"]
    for name, value in (("counts", "pupils"), ("percent", "pupil_percent")):
        rows = [[*places, "characteristic_group", "characteristic", value]]
        for area, sizes in SIZES.items():
            place = ["202324", "Regional" if area in SIZES else "National", "England", area] if education else [area]
            for label, n in sizes.items():
                text = times * n if name == "counts" else f"{100 * n / sizes['All']:.1f}"
                rows.append([*place, TOPIC[label], label, "c" if (area, label) in hidden else text])
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)


@kills("audit.init.count_columns._common_tags", "if all(", "if not all(")
@pytest.mark.many
@pytest.mark.parametrize("education", [True, False])
@pytest.mark.parametrize("inside", ["", "releases"])
@pytest.mark.parametrize(("hidden", "code"), [(RECTANGLE, 0), ({("North", "Support")}, 1)])
def test_topics_divide_the_same_people(tmp_path, hidden, code, inside, education):
    """No topic's labels are parts of another's: what a topic hides follows from the total and its own labels alone."""
    for times, quarter in enumerate(("2024-q1", "2024-q2"), 1):
        tables(tmp_path / inside / quarter, hidden, education=education, times=times)
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    manifest = tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))
    assert [each["tag"] for each in manifest["series"]["releases"]] == ["2024-q1", "2024-q2"]
    assert [len(each["tables"]) for each in manifest["series"]["releases"]] == [2, 2]
    assert {"Needs", "Meals"} < {*manifest["table"]["dimensions"]}
    assert (manifest["table"]["breakdown"], manifest["table"]["levels"]) == ("characteristic_group", ["characteristic"])
    assert manifest["table"]["rates"]["denominator"] == {"Needs": "All", "Meals": "All"}
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    (tmp_path / "series.toml").write_text(text.replace("markers.c = [1, 8]", "markers.c = [1, inf]"), encoding="utf-8")
    confirm(tmp_path)
    found, out, _ = run_main(str(tmp_path))
    assert found == code, out


@kills("audit.init.count_topics._are_alternatives", "any(sum(parts) > total for", "any(True for")
def test_chapters_that_together_make_up_the_total_are_no_topics(tmp_path):
    sizes = {("A", "a1"): 21, ("A", "a2"): 39, ("B", "b1"): 24, ("B", "b2"): 36}
    rows = [
        (area, *labels, times * n) for area, times in (("N", 1), ("S", 2), ("All", 3)) for labels, n in sizes.items()
    ]
    rows += [("N", "All", "All", 120), ("S", "All", "All", 240), ("All", "All", "All", 360)]
    with (tmp_path / "2024.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["area", "chapter", "diagnosis", "n"], *rows])
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    assert "breakdown" not in tomllib.loads((tmp_path / "series.toml").read_text(encoding="utf-8"))["table"]
