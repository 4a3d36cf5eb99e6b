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


def told(series, folder, rules=""):
    """The findings of a series: release, since, labels, least and greatest count."""
    path = series.write(folder) / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[policy]", f"{rules}\n[policy]"), encoding="utf-8")
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


def test_a_total_beside_a_part(tmp_path):
    """Two tables of the same people, one with a filter (SACRO guide to output checking: differencing)."""
    tables = [[(("All",), "58")], [(("under 65",), "55")]]
    series = TinyTables(("age",), tables, totals={"age": "All"}, open=("age",), over_time="same")
    assert told(series, tmp_path) == {("2", None, ("(rest)",), 3, 3)}


def test_the_year_so_far_beside_months(tmp_path):
    """A hidden month is the year so far less the year so far before (TABLES of monthly admissions)."""
    months = {"04": ("04",), "05": ("05",), "to 05": ("04", "05")}
    tables = [[(("N", "04"), "12")], [(("N", "05"), "*"), (("N", "to 05"), "15")]]
    series = TinyTables(("area", "month"), tables, categories={"month": months}, markers=STAR, over_time="same")
    assert told(series, tmp_path) == {("2", None, ("N", "05"), 3, 3)}


def test_nine_above_six(tmp_path):
    """A group of codes beside its codes: what is hidden of one is the group less the other."""
    codes = {"E10": ("E10.1", "E10.2"), "E10.1": ("E10.1",), "E10.2": ("E10.2",)}
    table = [(("E10",), "9"), (("E10.1",), "6"), (("E10.2",), "*")]
    series = TinyTables(("code",), [table], categories={"code": codes}, markers=STAR)
    assert told(series, tmp_path) == {("1", None, ("E10.2",), 3, 3)}


def test_a_rate_of_a_rounded_count(tmp_path):
    """10 may be 8 to 12, of 2,000 at 4.5 per thousand it is 9; a hidden count at 1.5 is 3."""
    rules = 'rates = { column = "rate", per = 1000, decimals = 1, denominator = "pop" }'
    series = TinyTables(("area",), [[(("A",), "10")]], markers={"*": (1, 7)}, rounding=(5, "nearest"), min_count=10)
    path = series.write(tmp_path) / "series.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[policy]", f"{rules}\n[policy]"), encoding="utf-8")
    (tmp_path / "releases/1.csv").write_text("area,n,rate,pop\nA,10,4.5,2000\nB,*,1.5,2000\nC,*,,2000\n")
    code, out, _ = run_main(str(tmp_path), "--format", "json")
    [attack] = json.loads(out)["attacks"]
    assert code == 1
    assert {(each["cell"]["area"], each["lower"], each["upper"]) for each in attack["findings"]} == {
        ("A", 9, 9),
        ("B", 3, 3),
    }


@pytest.mark.parametrize("over_time", ["same", "independent"])
def test_a_pattern_of_suppression_that_changes(over_time, tmp_path):
    """Another second cell is hidden when the same table is published again (Hundepool et al., 2012, linked tables)."""
    first = rows(("f", "m", "All"), ["N * c 20", "S 9 14 23"])
    again = rows(("f", "m", "All"), ["N c 17 20", "S 9 14 23"])
    markers = {**STAR, "c": (0, None)}
    series = TinyTables(("area", "sex"), [first, again], totals={"sex": "All"}, markers=markers, over_time=over_time)
    tied = {("1", None, ("N", "f"), 3, 3)}
    found = told(series, tmp_path)
    assert tied <= found if over_time == "same" else found == {("2", None, ("N", "f"), 3, 3)}


def test_a_register_that_grew_by_one(tmp_path):
    """Eleven after ten: the new person is the eleventh (a count of a cohort published every month)."""
    series = TinyTables(("area",), [[(("A",), "10")], [(("A",), "11")]], over_time="cumulative")
    assert told(series, tmp_path) == {("2", "1", ("A",), 1, 1)}


def test_secondary_suppression_that_no_line_gives_away(tmp_path):
    """Delinquent children by county and education of the head of household.

    Two rows less two columns tell one of nine hidden cells, though every line hides two or more (Federal Committee on
    Statistical Methodology, Statistical Policy Working Paper 22, 2005, chapter IV, tables 1 to 3).
    """
    labels = ("low", "medium", "high", "very-high", "All")
    lines = ["Alpha 15 D D D 20", "Beta 20 D D 15 55", "Gamma D 10 10 D 25", "Delta D 14 7 D 35", "All 50 35 30 20 135"]
    totals = {"county": "All", "education": "All"}
    series = TinyTables(
        ("county", "education"), [rows(labels, lines)], totals=totals, markers={"D": (0, None)}, min_count=5
    )
    assert told(series, tmp_path) == {("1", None, ("Alpha", "very-high"), 1, 1)}


def test_areas_that_overlap(tmp_path):
    """Two geographies of the same people, almost equal (Duke-Williams and Rees, IJGIS 12(6), 1998)."""
    areas = {"ward": ("a", "b"), "parish": ("a",)}
    table = [(("ward",), "212"), (("parish",), "211")]
    series = TinyTables(("area",), [table], categories={"area": areas})
    assert told(series, tmp_path) == {("1", None, ("b",), 1, 1)}


def test_a_count_that_is_rounded_at_random_twice(tmp_path):
    """3 and 6 to base 3 are both right only for 4 and 5 (Fellegi, JASA 67, 1972)."""
    series = TinyTables(
        ("area",), [[(("A",), "3")], [(("A",), "6")]], rounding=(3, "random"), over_time="same", min_count=6
    )
    assert told(series, tmp_path) == {("1", None, ("A",), 4, 5)}


def test_rounding_every_number_alone(tmp_path):
    """Parts that are all rounded up beside a total that is rounded down reveal the parts (Hundepool et al., 2012)."""
    table = [(("A",), "5"), (("B",), "5"), (("C",), "5"), (("All",), "10")]
    series = TinyTables(("area",), [table], totals={"area": "All"}, rounding=(5, "nearest"), min_count=8)
    assert {(label, low, high) for _, _, (label,), low, high in told(series, tmp_path)} == {
        ("A", 3, 6),
        ("B", 3, 6),
        ("C", 3, 6),
    }


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
