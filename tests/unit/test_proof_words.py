"""Proofs in words: one or several people, groups and values; long ones in short."""

import pytest

from audit.core.report import CaseStep, ExclusionStep, Possible, ProofSteps
from reports.proofs import in_full, in_short


def exclusion(rows, holders, count=None, release="2", leaves=()):
    return ExclusionStep(release, tuple(rows), len(holders) if count is None else count, tuple(holders), tuple(leaves))


def short(*exclusions, cases=()):
    return in_short(ProofSteps((), exclusions, tuple(cases)))


@pytest.mark.parametrize(
    ("rows", "holders", "count", "said"),
    [
        ([("4", "flu")], ["A"], 1, "release 2, group 4: A has its row with flu, nobody else has."),
        ([("4", "flu")], ["A", "B"], 2, "release 2, group 4: A and B have its rows with flu, nobody else has."),
        (
            [("4", "flu"), ("4", "cold")],
            ["A", "B", "C"],
            3,
            "release 2, group 4: A, B and C have its rows with flu and cold, nobody else has.",
        ),
        (
            [("4", "flu"), ("4", "cold"), ("5", "cold"), ("5", "flu")],
            ["A", "B", "C", "D"],
            4,
            "release 2, groups 4 and 5: A, B, C and D have their rows with flu and cold, nobody else has.",
        ),
        (
            [("4", "flu"), ("5", "cold"), ("5", "gout")],
            ["A", "B", "C"],
            3,
            "release 2, groups 4 and 5: A, B and C have the rows with flu of group 4; with cold and gout of group 5, "
            "nobody else has.",
        ),
        (
            [("4", "flu")],
            ["A", "B"],
            1,
            "release 2, group 4: A and B can have nothing but its row with flu, 1 row for 2 people, "
            "which is impossible.",
        ),
        (
            [("4", "flu"), ("5", "flu")],
            ["A", "B", "C"],
            2,
            "release 2, groups 4 and 5: A, B and C can have nothing but their rows with flu, 2 rows for 3 people, "
            "which is impossible.",
        ),
    ],
)
def test_an_exclusion(rows, holders, count, said):
    assert short(exclusion(rows, holders, count)) == [said]


def test_a_dozen_names_are_enough_unless_in_full():
    crowd = [f"p{number:02}" for number in range(30)]
    proof = ProofSteps((), (exclusion([("4", "flu")], crowd),), ())
    [line] = in_short(proof)
    assert "p10, p11 and 18 more have its rows" in line
    assert "p12" not in line
    assert "p28 and p29 have its rows" in in_full(proof)[-1]


def test_a_dozen_lines_are_enough_unless_in_full():
    steps = tuple(exclusion([("4", "flu")], ["A"], release=str(number)) for number in range(13))
    lines = in_short(ProofSteps((), steps, ()))
    assert len(lines) == 12
    assert lines[-1] == "and so on, 2 more lines: `audit explain` tells them all"
    assert len(in_short(ProofSteps((), steps[:12], ()))) == 12
    assert "and so on" not in in_short(ProofSteps((), steps[:12], ()))[-1]
    assert len(in_full(ProofSteps((), steps, ()))) == 14


def test_cases():
    inner = ProofSteps((), (), (), nobody="C")
    last = ProofSteps((), (exclusion([("1", "flu")], ["C", "D"], 1),), ())
    nested = (CaseStep("B", "1", "flu", inner), CaseStep("B", "1", "cold", last))
    outer = CaseStep("A", "3", "gout", ProofSteps((), (), nested))
    assert short(cases=[outer]) == [
        "If A had gout in release 3:",
        "  If B had flu in release 1, nothing would be left to C, which is impossible.",
        "  If B had cold in release 1:",
        "    release 2, group 1: C and D can have nothing but its row with flu, 1 row for 2 people, "
        "which is impossible.",
        "  No value is left to B in release 1, which is impossible.",
    ]


def test_in_full_it_is_told_what_changes_for_whom():
    start = (Possible("A", None, ("cold", "flu", "gout")), Possible("B", None, ("flu",)))
    leaves = (Possible("A", "1", ("cold",)), Possible("A", "2", ("cold", "gout")), Possible("C", "1", ()))
    assumed = (Possible("A", "3", ("gout",)), Possible("A", "4", ("flu",)), Possible("C", "1", ()))
    case = CaseStep("A", "3", "gout", ProofSteps(assumed, (), (), nobody="C"))
    assert in_full(ProofSteps(start, (exclusion([("1", "flu")], ["B"], leaves=leaves),), (case,))) == [
        "By their own groups alone:",
        "  A may have cold, flu or gout",
        "  B may have flu",
        "release 2, group 1: B has its row with flu, nobody else has.",
        "  so that A has cold in release 1, cold or gout in release 2",
        "If A had gout in release 3:",
        "  then A would have flu in release 4",
        "  Nothing is left to C, which is impossible.",
    ]


def test_other_peoples_words_do_no_harm():
    proof = ProofSteps(
        (Possible("A\n", "1\x1b", ("flu\n",)),),
        (exclusion([("4\n", "flu\x1b")], ["A\n"], release="2\n", leaves=[Possible("B\n", None, ("x\n",))]),),
        (CaseStep("A\n", "3\n", "\x07", ProofSteps((), (), (), nobody="C\n")),),
    )
    assert all(line.isprintable() for line in in_short(proof) + in_full(proof))
