"""Every mutant has its place in the program, and its tests are there; a mutant without is a hole in the net."""

from functools import cache

import pytest

from tests.mutants.mutant import ROOT, Mutant, PlaceGoneError
from tests.mutants.mutants import MUTANTS

AREAS = {
    "audit.io.cells",
    "audit.judgement",
    "audit.judgement.check_count_bounds",
    "attacks.equivalence.peeling",
    "attacks.equivalence.lanczos",
    "audit.runtime.engine",
    "audit.clauses",
    "attacks.joint",
}


def test_each_mutant_has_its_place():
    for mutant in MUTANTS:
        assert mutant.source() != read(mutant.path().relative_to(ROOT)), mutant
        assert "::test_" in mutant.test, mutant


@cache
def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def test_there_are_enough_of_every_area():
    assert len(MUTANTS) >= 25
    assert len({(each.name, each.text) for each in MUTANTS}) == len(MUTANTS)
    for area in AREAS:
        assert any(mutant.name.startswith(f"{area}.") for mutant in MUTANTS), area


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("audit.io.cells.no_such_function", "x"),
        ("audit.io.cells.contains", "no such text"),
        ("audit.io.cells.contains", "inner"),
        ("audit.io.no_such_module.contains", "x"),
        ("audit.io.cells", "x"),
    ],
    ids=["no function", "no text", "several texts", "no module", "a module"],
)
def test_a_place_that_is_gone_is_told(name, text):
    with pytest.raises(PlaceGoneError):
        Mutant(name, text, "y", "tests").source()
