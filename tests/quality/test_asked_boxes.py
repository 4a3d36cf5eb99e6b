"""What is asked of count tables: boxes that only differences of labels make, and increases since any release."""

import json
import random
from dataclasses import replace
from itertools import product

import pytest

from tests.helpers.amount import some
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.oracle.count_tables import Oracle
from tests.oracle.drawn_tables import drawn_tables
from tests.oracle.test_count_tables import box_of


def found(series, folder):
    code, out, err = run_main(str(series.write(folder)), "--format", "json", "--findings", "all")
    assert err == ""
    [attack] = json.loads(out)["attacks"]
    assert attack["measures"]["open"] == 0
    assert attack["certificates_checked"] == attack["findings_total"]
    return code, {
        (each["kind"], each["release"], each.get("since"), tuple(each["cell"].values()), each["lower"], each["upper"])
        for each in attack["findings"]
    }


def ages(*last):
    return {f"0-{top}": tuple(str(age) for age in range(top + 1)) for top in last}


@pytest.mark.parametrize(("younger", "findings"), [("40", {1}), ("36", set())])
def test_a_difference_of_two_bands(younger, findings, tmp_path):
    """41 of 0 to 19 less 40 of 0 to 17 is one person of 18 or 19; with 36 it is five, and five may be known."""
    bands = {**ages(17, 19), "All": tuple(str(age) for age in range(91))}
    rows = [(("All",), "100"), (("0-17",), younger), (("0-19",), "41")]
    series = TinyTables(("age",), [rows], totals={"age": "All"}, categories={"age": bands})
    code, told = found(series, tmp_path)
    assert code == bool(findings)
    assert told == {("recovered", "1", None, ("0-19 less 0-17",), n, n) for n in findings}


@pytest.mark.parametrize(("whole", "findings"), [("52", {2}), ("56", set())])
def test_what_several_bands_of_a_table_leave_of_another(whole, findings, tmp_path):
    bands = ages(19) | {"0-9": tuple(map(str, range(10))), "10-17": tuple(map(str, range(10, 18)))}
    rows = [(("0-9",), "20"), (("10-17",), "30"), (("0-19",), whole)]
    code, told = found(TinyTables(("age",), [rows], categories={"age": bands}), tmp_path)
    assert code == bool(findings)
    assert {(cell, low, high) for _, _, _, cell, low, high in told} == {
        (("0-19 less 0-9 less 10-17",), n, n) for n in findings
    }


def test_labels_that_overlap_meet_in_a_box(tmp_path):
    """Two areas that overlap, their union and both alone: 60 + 50 less 107 lie in both."""
    areas = {"ward": ("a", "b"), "parish": ("b", "c"), "both": ("a", "b", "c"), "w": ("a",), "p": ("c",)}
    rows = [(("ward",), "60"), (("parish",), "50"), (("both",), "107")]
    series = TinyTables(("area",), [rows], categories={"area": areas})
    assert found(series, tmp_path)[1] == {("recovered", "1", None, ("b",), 3, 3)}
    looser = [*rows[:2], (("both",), "105")]
    assert found(replace(series, releases=[looser]), tmp_path)[1] == set()


@pytest.mark.parametrize(("shown", "findings"), [("15", {8}), ("12", set())])
def test_the_sum_of_the_hidden_cells_of_a_line(shown, findings, tmp_path):
    rows = [(("TOTAL",), "23"), (("A",), shown), (("B",), "*"), (("C",), "*")]
    series = TinyTables(("v",), [rows], totals={"v": "TOTAL"}, markers={"*": (1, 10)}, threshold=11, min_count=11)
    code, told = found(series, tmp_path)
    assert code == bool(findings)
    assert {(kind, low, high) for kind, _, _, _, low, high in told} == {("recovered", n, n) for n in findings}


def test_the_hidden_cells_of_one_line_only(tmp_path):
    """In the north other ages are hidden than in the south: what is hidden is asked line by line."""
    rows = [(("N", "old"), "*"), (("N", "young"), "*"), (("N", "child"), "20"), (("N", "All"), "24")]
    rows += [(("S", "old"), "30"), (("S", "young"), "*"), (("S", "child"), "*"), (("S", "All"), "60")]
    series = TinyTables(("area", "age"), [rows], totals={"age": "All"}, markers={"*": (1, 30)}, min_count=10)
    told = found(series, tmp_path)[1]
    assert told == {("recovered", "1", None, ("N", "All less child"), 4, 4)}


@pytest.mark.parametrize(("later", "findings"), [("41", {1}), ("45", set())])
def test_a_release_that_does_not_publish_the_box(later, findings, tmp_path):
    tables = [
        [(("All",), "100"), (("N",), "40"), (("S",), "60")],
        [(("All",), "150")],
        [(("All",), "200"), (("N",), later), (("S",), str(200 - int(later)))],
    ]
    series = TinyTables(("area",), tables, totals={"area": "All"}, over_time="cumulative")
    code, told = found(series, tmp_path)
    assert code == bool(findings)
    assert told == {("recovered", "3", "1", ("N",), n, n) for n in findings}


def test_an_exact_number_ends_the_search_for_earlier_releases(tmp_path):
    """40, 60, 61: the last increase is one; since the first release it is 21, and is not asked."""
    tables = [[(("N",), text)] for text in ("40", "60", "61")]
    series = TinyTables(("area",), tables, over_time="cumulative")
    _, out, _ = run_main(str(series.write(tmp_path)), "--format", "json")
    measures = json.loads(out)["attacks"][0]["measures"]
    assert (measures["questions"], measures["recovered"]) == (5, 1)


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


def test_product_of_derived_sets(tmp_path):
    """Neither of the two bands of age nor of the two areas stands alone: only their difference in both is small."""
    bands, areas = {"a": ("1",), "ab": ("1", "2")}, {"n": ("1",), "nm": ("1", "2")}
    numbers = zip(product(("n", "nm"), ("a", "ab")), ("20", "40", "50", "73"), strict=True)
    series = TinyTables(
        ("area", "age"), [[(cell, text) for cell, text in numbers]], categories={"area": areas, "age": bands}
    )
    assert found(series, tmp_path)[1] == {("recovered", "1", None, ("2", "2"), 3, 3)}
