"""Sentences of a report, for results that no small series has."""

from dataclasses import replace
from pathlib import Path

import pytest

import audit
from audit.model.measures import Measures, RiskMeasures
from audit.model.report import AttackReport, Waived
from reports.sentences import measures, result_text
from reports.verdict import headline
from tests.mutants.mutant import kills


@pytest.mark.parametrize(("status", "said"), [("complete", "nobody"), ("incomplete", "no one so far")])
def test_that_nobody_is_found_is_final_only_if_the_attack_is(status, said):
    """Of people who may be in the data, an attack that was cut off has not judged all."""
    attack = AttackReport(
        "intersection", None, status, None, 0.0, Measures(), RiskMeasures(), (), 0, people=0, people_at_once=0
    )
    assert result_text(attack) == said


@kills("reports.verdict._likely", "reached[id(one[0])]", "0")
def test_the_verdict_counts_the_attribute_of_which_most_values_are_certain():
    """Of harmless values, or beside open questions; of several sensitive columns, the first was counted."""
    report = audit.load(Path(__file__).parents[2] / "examples/hospital-l-diverse").audit().report
    (attack,) = (each for each in report.attacks if each.attack == "intersection")
    attacks = [
        replace(attack, sensitive=name, people=0, risks=replace(attack.risks, at_limit=some, above_0_9=300))
        for name, some in (("SEN", 56), ("FSM", 21), ("Exclusions", 191))
    ]
    doubtful = replace(report, attacks=tuple(attacks), policy=replace(report.policy, violations=()))
    assert "the values of 191 people are certain, 109 others with 90% or more" in headline(doubtful)[0]


def test_the_verdict_counts_who_is_certain_by_any_attack():
    """A count of worlds that was not exact has no probabilities, but what it finds certain is counted."""
    report = audit.load(Path(__file__).parents[2] / "examples/hospital-l-diverse").audit().report
    (attack,) = (each for each in report.attacks if each.attack == "intersection")
    shares = {"update-graph": (1, 8), "joint": (2, None)}
    attacks = [
        replace(attack, attack=name, people=0, risks=replace(attack.risks, at_limit=sure, above_0_9=nearly))
        for name, (sure, nearly) in shares.items()
    ]
    (rung, *_) = report.ladder
    held = replace(report.policy, violations=(), undecided=())
    seen = replace(
        report, attacks=tuple(attacks), ladder=(replace(rung, so_far=1), replace(rung, so_far=2)), policy=held
    )
    assert headline(seen)[0].endswith("the values of 2 people are certain.")
    one = replace(seen, ladder=seen.ladder[:1])
    assert headline(one)[0].endswith("the sensitive value of one person is certain, 7 others with 90% or more.")


@kills("reports.verdict._waived", "+ classes", "")
def test_the_waived_classes_of_a_release_are_counted_beside_waived_findings():
    report = audit.load(Path(__file__).parents[2] / "examples/hospital-2-invariant").audit().report
    classes = Waived(None, "known to all", "2999-01-01", "applied", group="*", release="1")
    others = replace(classes, finding="intersection-1", group=None, release=None)
    for left_out, waived, count in ((2, (others, classes), 3), (0, (classes,), 1), (2, (others,), 2)):
        seen = replace(
            report, left_out=left_out, policy=replace(report.policy, waived=waived, violations=(), undecided=())
        )
        assert f"except for what is waived: {count} finding" in headline(seen)[0]


@pytest.mark.parametrize("any_change", [False, True])
def test_where_any_value_may_follow_groups_with_the_same_values_as_before_protect_nobody(any_change):
    """A class with one value would keep it; with several values, nobody's is certain."""
    report = audit.load(Path(__file__).parents[2] / "examples/hospital-l-diverse").audit().report
    said = " ".join(measures(replace(report, adversary=replace(report.adversary, any_change=any_change))))
    assert ("put them into groups with the same values as before" in said) != any_change
    assert ("put them into groups with several values" in said) == any_change
