"""Tables with topics, whose labels each divide the same people, and releases that are folders of several tables."""

import csv
import re
import tomllib

import pytest

from tests.helpers.public_tables import confirm
from tests.helpers.running import drafted, run_main
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
    manifest = tomllib.loads(drafted(tmp_path))
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


@kills("audit.count_tables.label_doubts._topic_totals", " or is_total_word(total)", "")
@pytest.mark.parametrize(("total", "asked"), [("non", True), ("Support", False), ("Gesamt", False)])
def test_the_total_of_a_topic_is_a_label_or_a_word_for_all_people(total, asked, tmp_path):
    """An answer such as no became the total; rows of all people name no topic, so that any name did."""
    tables(tmp_path, RECTANGLE, education=False)
    assert run_main("init", str(tmp_path), "--yes")[0] == 0
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    (tmp_path / "series.toml").write_text(text.replace('Meals = "All"', f'Meals = "{total}"'), encoding="utf-8")
    confirm(tmp_path)
    code, out, err = run_main(str(tmp_path))
    said = f'"{total}", the total of Meals in the manifest, is in no table'
    assert (said in " ".join(out.split())) == asked, err
    assert not asked or code == 3


@kills("audit.init.count_forms._are_alternatives", "any(sum(parts) > total for", "any(True for")
@pytest.mark.parametrize("more", [0, 10])
def test_chapters_that_together_make_up_the_total_are_no_topics(more, tmp_path):
    """Nor are those beside which there are a few more people."""
    sizes = {("A", "a1"): 21, ("A", "a2"): 39, ("B", "b1"): 24, ("B", "b2"): 36}
    rows = [
        (area, *labels, times * n) for area, times in (("N", 1), ("S", 2), ("All", 3)) for labels, n in sizes.items()
    ]
    rows += [(area, "All", "All", times * (120 + more)) for area, times in (("N", 1), ("S", 2), ("All", 3))]
    with (tmp_path / "2024.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["area", "chapter", "diagnosis", "n"], *rows])
    assert "breakdown" not in tomllib.loads(drafted(tmp_path))["table"]


HOSPITALS = {
    "a": "North",
    "b": "North",
    "c": "North",
    "d": "South",
    "e": "South",
    "f": "South",
    "g": "West",
    "h": "West",
}
DAYS = {"a": 4, "b": 300, "c": 120, "d": 210, "e": 90, "f": 340, "g": 160, "h": 70}


def hospitals(folder, whole, every, own, hidden=()):
    """A table of hospitals by region, whose totals have these names: in the regions, in the hospitals, of a region.

    One hospital, the total of its region, and further `hidden` regions are hidden.
    """
    rows = [(region, name, range(at, at + 1)) for at, (name, region) in enumerate(HOSPITALS.items())]
    rows += [(r, own, [at for at, of in enumerate(HOSPITALS.values()) if of == r]) for r in ("North", "South", "West")]
    rows += [(whole, every, range(len(HOSPITALS)))]
    lines = ["region,hospital,sex,n"]
    for region, name, some in rows:
        for at, sex in enumerate(("m", "f", "all")):
            n = sum((DAYS[each] * (1, 2, 3)[at]) for each in (list(DAYS)[place] for place in some))
            is_hidden = (region == "North" and name in ("a", own)) or region in hidden
            lines.append(f"{region},{name},{sex},{'c' if is_hidden else n}")
    (folder / "2024.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@kills("audit.init.count_forms._are_alternatives", " and not divide_a_total(known)", "")
@kills("audit.init.count_tables.widen_refuted", "dimension.labels if nested", "[] if nested")
@kills(
    "audit.count_tables.label_doubts.inside_another",
    "whole is not None and _is_sum_of_others",
    "False and _is_sum_of_others",
)
@kills("audit.count_tables.label_doubts._inside", "label != total and column not in nested", "False")
@pytest.mark.parametrize(
    ("whole", "every", "own"),
    [
        ("Total", "Total", "Total"),
        ("All regions", "Total", "Region total"),
        ("All regions", "All regions", "Region total"),
        ("All regions", "Total", "Total"),
        ("Total", "Total", "Whole region"),
        ("Grand total", "", "Region total"),
    ],
)
def test_the_total_of_each_region_may_have_another_name_than_that_of_all(whole, every, own, tmp_path):
    """What a region hides follows from the total of all regions and those of the others, however these are named."""
    hospitals(tmp_path, whole, every, own)
    text = drafted(tmp_path)
    assert "breakdown" not in text
    text = re.sub(r"markers\.c = \[.*\]", "markers.c = [1, inf]", text)
    (tmp_path / "series.toml").write_text(text, encoding="utf-8")
    confirm(tmp_path)
    text = (tmp_path / "series.toml").read_text(encoding="utf-8")
    assert [*tomllib.loads(text)["table"]["nested"].values()] == [["region", "hospital"]]
    found, out, _ = run_main(str(tmp_path))
    assert (found, "sex m, release 2024: exactly 4" in " ".join(out.split())) == (1, True), out


@kills("audit.count_tables.published_counts.divide_a_total", "max if hold", "sum if hold")
def test_topics_whose_totals_are_those_of_regions_leave_the_policy_undecided(tmp_path):
    """Their counts are parts of the total, and not each a count of all people."""
    hospitals(tmp_path, "All regions", "Total", "Region total")
    regions = ("North", "South", "West")
    totals = ", ".join(f'{name} = "Total"' for name in regions)
    table = (
        f"dimensions = {[*regions, 'sex']}\nbreakdown = 'region'\nlevels = ['hospital']\nvalue = 'n'\n"
        f"open = {[*regions]}\ntotals = {{ sex = 'all', {totals} }}\nmarkers = {{ c = [1, inf] }}\n"
        + "".join(f"categories.{name} = '{name}.csv'\n" for name in regions)
    )
    for region in regions:
        own = [name for name, of in HOSPITALS.items() if of == region]
        lines = ["label,atom", *(f"{name},{name}\nRegion total,{name}" for name in own)]
        (tmp_path / f"{region}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    manifest = f"[series]\nkind = 'tables'\nreleases = ['2024.csv']\n[table]\n{table}[policy]\nmin_count = 6\n"
    (tmp_path / "series.toml").write_text(manifest, encoding="utf-8")
    found, out, _ = run_main(str(tmp_path))
    assert (found, "the counts of the topics of region may add up to the total" in " ".join(out.split())) == (
        3,
        True,
    ), out


@kills("audit.count_tables.label_doubts._nested_totals", " or label in sums", "")
def test_a_nested_label_that_counts_the_sum_of_those_beside_it_is_asked_about(tmp_path):
    """Nothing contradicts that it is one more label where the total of all is hidden."""
    hospitals(tmp_path, "Total", "Total", "Region", hidden=["Total"])
    for own, code in (("", 3), (", hospital = 'Region'", 0)):
        table = (
            "dimensions = ['area', 'sex']\nnested = { area = ['region', 'hospital'] }\nvalue = 'n'\n"
            f"totals = {{ area = 'Total', sex = 'all'{own} }}\nmarkers = {{ c = [1, inf] }}\n"
        )
        manifest = f"[series]\nkind = 'tables'\nreleases = ['2024.csv']\n[table]\n{table}[policy]\nmin_count = 6\n"
        (tmp_path / "series.toml").write_text(manifest, encoding="utf-8")
        found, out, _ = run_main(str(tmp_path))
        assert (found, "Region" in out) == (code, not own), out


@pytest.mark.parametrize("own", ["{} total", "{}"])
def test_cells_are_left_empty_where_each_region_has_its_own_name_for_its_total(own, tmp_path):
    """No name under totals fits all of them, though that was the advice; with the cells left empty it is done."""
    hospitals(tmp_path, "Total", "Total", "Region", hidden=["Total"])
    path = tmp_path / "2024.csv"
    text = path.read_text(encoding="utf-8")
    table = (
        "dimensions = ['area', 'sex']\nnested = { area = ['region', 'hospital'] }\nvalue = 'n'\n"
        "totals = { area = 'Total', sex = 'all' }\nmarkers = { c = [1, inf] }\n"
    )
    manifest = f"[series]\nkind = 'tables'\nreleases = ['2024.csv']\n[table]\n{table}[policy]\nmin_count = 6\n"
    (tmp_path / "series.toml").write_text(manifest, encoding="utf-8")
    for cell in (own, ""):
        for region in ("North", "South", "West"):
            text = re.sub(f"{region},({region}.*|Region),", f"{region},{cell.format(region)},", text)
        path.write_text(text, encoding="utf-8")
        out = " ".join(run_main(str(tmp_path))[1].split())
        assert (", leave its cells in hospital empty" in out) == bool(cell), out


def test_a_total_that_no_line_shows_is_said_in_words(tmp_path):
    rows = [f"{area},{sex},{n}" for sex in "mf" for area, n in (("a", "c"), ("b", 20), ("Total", 30))]
    (tmp_path / "2024.csv").write_text("\n".join(["area,sex,n", *rows]) + "\n", encoding="utf-8")
    out = " ".join(run_main("init", str(tmp_path), "--yes")[1].split())
    assert "no line has numbers for the labels of all releases, so none shows" in out
    assert "only 0" not in out
