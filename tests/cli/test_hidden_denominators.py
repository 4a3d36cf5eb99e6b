"""Rates whose denominators are hidden: they speak of the count and of the denominator together."""

import json

import pytest

from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

RULES = 'rates = { column = "percent", per = 100, decimals = 1, denominator = "people" }\n[policy]'


def judged(folder, *lines, markers=None, columns="percent,people"):
    series = TinyTables(("area",), [[(("A",), "9")]], markers=markers or {"*": (1, 7), "?": (0, None)}, min_count=8)
    path = series.write(folder) / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[policy]", RULES), encoding="utf-8")
    rows = "".join(f"{line}\n" for line in (f"area,n,{columns}", *lines))
    (folder / "releases/1.csv").write_text(rows, encoding="utf-8")
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert err == ""
    report = json.loads(out)
    [attack] = report["attacks"]
    found = {(each["cell"]["area"], each["kind"], each["lower"], each["upper"]) for each in attack["findings"]}
    return code, found, {each["measure"]: each["reason"] for each in report["policy"]["undecided"]}


def test_all_denominators_of_a_marker_are_tried(tmp_path):
    """60.0 % of 1 to 7 people are 3 of 5, and nothing else."""
    assert judged(tmp_path, "A,*,60.0,*") == (1, {("A", "recovered", 3, 3)}, {})


def test_a_denominator_that_a_rate_leaves_alone_is_not_passed(tmp_path):
    """0.0 % says nothing small of the count, which is none; 14.3 % of up to 7 can only be 1 of 7."""
    code, found, undecided = judged(tmp_path, "A,1,14.3,*", markers={"*": (1, 7)})
    assert (code, found) == (1, {("A", "recovered", 1, 1)})
    assert "min_width" in undecided
    assert "hidden denominators" in undecided["min_width"]


def test_a_rate_that_leaves_several_counts_is_safe(tmp_path):
    """50.0 % are 1 of 2, 2 of 4 or 3 of 6."""
    assert judged(tmp_path, "A,*,50.0,*") == (0, set(), {})


@pytest.mark.parametrize(
    ("line", "columns"), [("A,*,12.5,", "percent,people"), ("A,*,12.5,?", "percent,people"), ("A,*,12.5", "percent")]
)
def test_a_denominator_that_may_be_anything_is_undecided(line, columns, tmp_path):
    code, found, undecided = judged(tmp_path, line, columns=columns)
    assert (code, found, set(undecided)) == (3, set(), {"min_count", "min_width"})
    assert "the denominators of some rates are unknown" in undecided["min_width"]


@pytest.mark.parametrize("line", ["A,*,,", "A,*,*,*", "A,400,12.5,", "A,*,,2000"])
def test_where_no_rate_of_a_hidden_count_is_published_nothing_is_open(line, tmp_path):
    assert judged(tmp_path, line) == (0, set(), {})
