"""The known ways in which tables give small counts away, each as a series with the source that describes it."""

import json

from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main


def findings(series, folder):
    code, out, err = run_main(str(series.write(folder)), "--format", "json", "--findings", "all")
    assert code == 1, err
    return {
        (each["kind"], each["release"], tuple(each["cell"].values()), each["lower"], each["upper"])
        for each in json.loads(out)["attacks"][0]["findings"]
    }


def test_a_total_beside_a_part(tmp_path):
    """Office for National Statistics, Policy on protecting confidentiality in tables of birth and death statistics."""
    rows = [(("ward A",), "12"), (("ward B",), "*"), (("All",), "15")]
    series = TinyTables(("ward",), [rows], totals={"ward": "All"}, markers={"*": (1, 4)}, threshold=5)
    assert findings(series, tmp_path) == {("recovered", "1", ("ward B",), 3, 3)}


def test_a_geography_that_is_another_less_a_little(tmp_path):
    """Duke-Williams and Rees, Can Census Offices publish statistics for more than one small area geography?, 1998."""
    areas = {"district": ("a", "b", "sliver"), "parish union": ("a", "b")}
    rows = [(("district",), "214"), (("parish union",), "212")]
    series = TinyTables(("area",), [rows], categories={"area": areas}, min_count=3)
    assert findings(series, tmp_path) == {("recovered", "1", ("sliver",), 2, 2)}


def test_the_year_so_far_beside_its_months(tmp_path):
    """Monthly publications that show the year so far as well, as those of NHS England on admissions do."""
    months = {"04": ("04",), "05": ("05",), "to 05": ("04", "05")}
    rows = [[(("04",), "9")], [(("05",), "*"), (("to 05",), "11")]]
    series = TinyTables(
        ("month",), rows, categories={"month": months}, markers={"*": (1, 7)}, threshold=8, over_time="same"
    )
    assert findings(series, tmp_path) == {("recovered", "2", ("05",), 2, 2)}


def test_a_code_above_its_only_shown_child(tmp_path):
    """OpenSAFELY documentation, output checking: nine above six, and below it a count that is hidden."""
    codes = {"I20": ("I20.0", "I20.9"), "I20.0": ("I20.0",), "I20.9": ("I20.9",)}
    rows = [(("I20",), "9"), (("I20.0",), "6"), (("I20.9",), "<5")]
    series = TinyTables(("code",), [rows], categories={"code": codes}, markers={"<5": (1, 4)}, threshold=5)
    assert findings(series, tmp_path) == {("recovered", "1", ("I20.9",), 3, 3)}


def test_patterns_of_suppression_that_change_from_period_to_period(tmp_path):
    """Hundepool et al., Statistical Disclosure Control, 2012, chapter 4: linked tables have to hide the same cells."""
    first = [(("A", "f"), "*"), (("A", "m"), "c"), (("A", "All"), "31"), (("B", "f"), "9"), (("B", "m"), "8")]
    second = [(("A", "m"), "28"), (("A", "All"), "31"), (("B", "f"), "9")]
    series = TinyTables(
        ("area", "sex"),
        [first, second],
        totals={"sex": "All"},
        markers={"*": (1, 7), "c": (8, None)},
        threshold=8,
        over_time="same",
    )
    assert ("recovered", "1", ("A", "f"), 3, 3) in findings(series, tmp_path)


def test_the_same_analysis_with_fewer_people(tmp_path):
    """Griffiths et al., Handbook on Statistical Disclosure Control for Outputs, 2019: a part of a sample."""
    rows = [[(("yes", "all"), "11")], [(("yes", "in time"), "10")]]
    series = TinyTables(
        ("asthma", "answer"), rows, totals={"answer": "all"}, open=("answer",), over_time="same", min_count=10
    )
    assert findings(series, tmp_path) == {("recovered", "2", ("yes", "(rest)"), 1, 1)}


def test_conventional_rounding_that_does_not_add_up(tmp_path):
    """Hundepool et al., Statistical Disclosure Control, 2012, chapter 4: totals that are rounded by themselves."""
    rows = [(("a",), "0"), (("b",), "0"), (("c",), "0"), (("All",), "5")]
    series = TinyTables(("part",), [rows], totals={"part": "All"}, rounding=(5, "nearest"), min_count=8)
    # Each part is at most 2, so that any two are 1 to 4.
    pairs = {("small", "1", (f"All less {part}",), 1, 4) for part in "abc"}
    assert findings(series, tmp_path) == {("small", "1", ("All",), 3, 6)} | pairs


def test_a_rate_of_a_rounded_count(tmp_path):
    """A rate of the count as it was, beside the rounded count: 1.9 in 100,000 of 912,300 can only be 17."""
    series = TinyTables(("area",), [[(("D",), "20")], [(("D",), "20")]], rounding=(10, "nearest"), min_count=6)
    folder = TinyTables.write(series, tmp_path)
    for release, rate in ((1, "1.9"), (2, "2.1")):
        text = f"area,n,population,rate\nD,20,912300,{rate}\n"
        (folder / f"releases/{release}.csv").write_text(text, encoding="utf-8")
    manifest = (folder / "series.toml").read_text(encoding="utf-8").replace("independent", "cumulative")
    rates = 'rates = { column = "rate", per = 100000, decimals = 1, denominator = "population" }\n[policy]'
    (folder / "series.toml").write_text(manifest.replace("[policy]", rates), encoding="utf-8")
    code, out, _ = run_main(str(folder), "--format", "json")
    [finding] = json.loads(out)["attacks"][0]["findings"]
    assert (code, finding["since"], finding["lower"], finding["upper"]) == (1, "1", 2, 2)
