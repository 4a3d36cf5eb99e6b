"""Tables of counts as offices publish them, and boxes that are asked about."""

import json
import random
from dataclasses import replace

import pytest

from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.oracle.count_tables import Oracle
from tests.oracle.drawn_tables import drawn_tables
from tests.oracle.test_count_tables import box_of

STAR = {"*": (1, 4)}


def told(series, folder, rules="", text=""):
    """The findings of a series: release, since, labels, least and greatest count; with another text of its release."""
    path = series.write(folder) / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[policy]", f"{rules}\n[policy]"), encoding="utf-8")
    if text:
        (folder / "releases/1.csv").write_text(text, encoding="utf-8")
    code, out, err = run_main(str(folder), "--format", "json", "--findings", "all")
    assert code in (0, 1), err
    [attack] = json.loads(out)["attacks"]
    assert attack["certificates_checked"] == attack["findings_total"]
    return {
        (each["release"], each.get("since"), tuple(each["cell"].values()), each["lower"], each["upper"])
        for each in attack["findings"]
    }


def rows(labels, lines):
    """The cells of a table that is written as lines of text, the first label of each line before it."""
    found = []
    for line in lines:
        name, *texts = line.split()
        found += [((name, label), text) for label, text in zip(labels, texts, strict=True)]
    return found


BY_AGE, BY_AREA = ("age",), ("area",)
MONTHS = {"month": {"04": ("04",), "05": ("05",), "to 05": ("04", "05")}}
CODES = {"code": {"E10": ("E10.1", "E10.2"), "E10.1": ("E10.1",), "E10.2": ("E10.2",)}}
TWICE = rows(("f", "m", "All"), ["N * c 20", "S 9 14 23"]), rows(("f", "m", "All"), ["N c 17 20", "S 9 14 23"])
CHILDREN = rows(
    ("low", "medium", "high", "very-high", "All"),
    ["Alpha 15 D D D 20", "Beta 20 D D 15 55", "Gamma D 10 10 D 25", "Delta D 14 7 D 35", "All 50 35 30 20 135"],
)
CASES = {
    "two tables of the same people, one with a filter (SACRO guide to output checking: differencing)": (
        TinyTables(BY_AGE, [[(("All",), "58")], [(("under 65",), "55")]], totals={"age": "All"}, open=BY_AGE,
                   over_time="same"),
        {("2", None, ("(rest)",), 3, 3)}),
    "a hidden month is the year so far less the year so far before (tables of monthly admissions)": (
        TinyTables(("area", "month"), [[(("N", "04"), "12")], [(("N", "05"), "*"), (("N", "to 05"), "15")]],
                   categories=MONTHS, markers=STAR, over_time="same"),
        {("2", None, ("N", "05"), 3, 3)}),
    "a group of codes beside its codes: what is hidden of one is the group less the other": (
        TinyTables(("code",), [[(("E10",), "9"), (("E10.1",), "6"), (("E10.2",), "*")]], categories=CODES,
                   markers=STAR),
        {("1", None, ("E10.2",), 3, 3)}),
    "another second cell is hidden when a table is published again (Hundepool et al., 2012, linked tables)": (
        TinyTables(("area", "sex"), TWICE, totals={"sex": "All"}, markers={**STAR, "c": (0, None)},
                   over_time="independent"),
        {("2", None, ("N", "f"), 3, 3)}),
    "eleven after ten: the new person is the eleventh (a count of a cohort published every month)": (
        TinyTables(BY_AREA, [[(("A",), "10")], [(("A",), "11")]], over_time="cumulative"),
        {("2", "1", ("A",), 1, 1)}),
    # Two rows less two columns tell one of nine hidden cells, though every line hides two or more.
    "delinquent children (Federal Committee on Statistical Methodology, Working Paper 22, 2005, IV, tables 1-3)": (
        TinyTables(("county", "education"), [CHILDREN], totals={"county": "All", "education": "All"},
                   markers={"D": (0, None)}, min_count=5),
        {("1", None, ("Alpha", "very-high"), 1, 1)}),
    "two geographies of the same people, almost equal (Duke-Williams and Rees, IJGIS 12(6), 1998)": (
        TinyTables(BY_AREA, [[(("ward",), "212"), (("parish",), "211")]],
                   categories={"area": {"ward": ("a", "b"), "parish": ("a",)}}),
        {("1", None, ("b",), 1, 1)}),
    "3 and 6, rounded at random to base 3, are both right only for 4 and 5 (Fellegi, JASA 67, 1972)": (
        TinyTables(BY_AREA, [[(("A",), "3")], [(("A",), "6")]], rounding=(3, "random"), over_time="same", min_count=6),
        {("1", None, ("A",), 4, 5)}),
    "parts that are all rounded up beside a total that is rounded down (Hundepool et al., 2012)": (
        TinyTables(BY_AREA, [[(("A",), "5"), (("B",), "5"), (("C",), "5"), (("All",), "10")]],
                   totals={"area": "All"}, rounding=(5, "nearest"), min_count=8),
        {("1", None, (label,), 3, 6) for label in "ABC"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_tables_give_away(name, tmp_path):
    series, findings = CASES[name]
    assert told(series, tmp_path) == findings


def test_a_pattern_of_suppression_that_changes_among_the_same_people(tmp_path):
    series = TinyTables(
        ("area", "sex"), TWICE, totals={"sex": "All"}, markers={**STAR, "c": (0, None)}, over_time="same"
    )
    assert ("1", None, ("N", "f"), 3, 3) in told(series, tmp_path)


def test_a_rate_of_a_rounded_count(tmp_path):
    """10 may be 8 to 12, of 2,000 at 4.5 per thousand it is 9; a hidden count at 1.5 is 3."""
    rules = 'rates = { column = "rate", per = 1000, decimals = 1, denominator = "pop" }'
    series = TinyTables(BY_AREA, [[(("A",), "10")]], markers={"*": (1, 7)}, rounding=(5, "nearest"), min_count=10)
    text = "area,n,rate,pop\nA,10,4.5,2000\nB,*,1.5,2000\nC,*,,2000\n"
    assert told(series, tmp_path, rules, text) == {("1", None, ("A",), 9, 9), ("1", None, ("B",), 3, 3)}


def split(series, rng):
    """The same series, its categories written more finely: some atoms are two or three, which no label tells apart."""
    finer = {}
    for name, labels in series.categories.items():
        parts = {
            atom: tuple(f"{atom}{letter}" for letter in "xyz"[: rng.randint(1, 3)])
            for atom in dict.fromkeys(atom for atoms in labels.values() for atom in atoms)
        }
        finer[name] = {label: tuple(p for atom in atoms for p in parts[atom]) for label, atoms in labels.items()}
    return replace(series, categories=finer)


def boxes(series, folder):
    """What is found, each box as the places of its atoms among those of the coarser categories."""
    code, out, _ = run_main(str(series.write(folder)), "--format", "json", "--findings", "all")
    if code == 2:
        return code, None, None
    [attack] = json.loads(out)["attacks"]
    oracle = Oracle(series)
    coarse = [{atom: atom.rstrip("xyz") for atom in atoms} for atoms in oracle.atoms]
    told = {
        (
            each["kind"],
            each["release"],
            each.get("since"),
            frozenset(
                tuple(names.get(atom, atom) for names, atom in zip(coarse, one, strict=True))
                for one in box_of(oracle, each["cell"])
            ),
            each["lower"],
            each["upper"],
        )
        for each in attack["findings"]
    }
    return code, attack["measures"] | {"seconds": None}, told


@pytest.mark.parametrize("seed", range(some(12)))
def test_splitting_atoms_that_no_label_tells_apart_changes_nothing(seed, tmp_path):
    rng = random.Random(seed)  # noqa: S311 - nothing secret
    series = next(one for one in iter(lambda: drawn_tables(rng), None) if one.categories)
    assert boxes(split(series, rng), tmp_path / "finer") == boxes(series, tmp_path / "coarse")
