"""The clause max_risk at certainty: decided once everything that is certain is claimed, though not all is found out."""

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from attacks.intersection import IntersectionAttack
from audit.clauses.clause import JudgedAudit, Stated, decide
from audit.clauses.registry import CLAUSES
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences
from audit.findings.narrowed import NarrowedRecords
from audit.io.series import open_series
from audit.model.adversary import ADVERSARIES
from audit.model.audit_options import AuditOptions
from audit.model.doubt import Doubt
from audit.model.measures import BoundedMeasures, LeastBounds, Measures
from audit.model.outcome import Outcome, Risks
from audit.model.scored import Result
from audit.pipeline.audit_run import run_audit
from audit.runtime.reasons import Reason

CLINIC = Path(__file__).parents[2] / "examples" / "clinic-merged"
OPEN = "the time limit was reached; 3 values of versions are open"
NOBODY, NONE = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.intp)
SEEN = SimpleNamespace(numbers={}, categories={})


@dataclass(frozen=True)
class Stub:
    """An attack that decides risks, and comes to an end or not."""

    outcome: Outcome | None = None
    name: str = "joint"
    decides: frozenset[str] = frozenset({"max_risk"})
    per_attribute: bool = True

    def with_policy(self, limits, /):
        return self

    def run(self, evidence, budget, /):
        return self.outcome


def claimed(people=(), *, exhaustive=False):
    person = np.array(people, dtype=np.int32)
    return Disclosures(person, person * 0, person * 0, lambda places: [None] * len(places), None, exhaustive)


def outcome(claims, status="incomplete"):
    return Outcome("joint", status, None if status == "complete" else OPEN, Measures(), claims)


def decided(found, limit=1.0, *, risks=None, waived=()):
    """What is said of the clause: `violated`, `undecided`, or `held`."""
    entry = Result(Stub(), None, SEEN, replace(found, risks=risks), np.array(waived, dtype=np.intp))
    decision = decide(CLAUSES["max_risk"], Stated(limit), JudgedAudit([entry], adversary=ADVERSARIES["linked"]))
    assert len(decision.violations) + len(decision.undecided) <= 1
    assert all(each.reason == f"joint: {OPEN}" for each in decision.undecided if found.reason)
    return decision.state


NARROWED = NarrowedRecords(2, NOBODY, NOBODY, NOBODY, NOBODY, lambda _: [])


@pytest.mark.parametrize(
    ("found", "status", "waived", "state"),
    [
        (claimed(exhaustive=True), "incomplete", [], "holds"),  # two values shown of everybody are enough
        (claimed(), "incomplete", [], "undecided"),
        (None, "incomplete", [], "undecided"),
        (NARROWED, "incomplete", [], "undecided"),
        (claimed(), "complete", [], "holds"),
        (claimed([1]), "incomplete", [], "violated"),
        (claimed([1], exhaustive=True), "incomplete", [], "violated"),
        (claimed([1]), "incomplete", [0], "undecided"),  # the rest has to be decided
        (claimed([1], exhaustive=True), "incomplete", [0], "holds"),
        (claimed([1, 2], exhaustive=True), "incomplete", [0], "violated"),
    ],
)
def test_at_certainty_all_that_is_certain_has_to_be_claimed(found, status, waived, state):
    assert decided(outcome(found, status), waived=waived) == state


def test_below_certainty_it_takes_risks():
    assert decided(outcome(claimed(exhaustive=True)), 0.99) == "undecided"
    assert decided(outcome(claimed(exhaustive=True), "complete"), 0.99) == "undecided"
    risks = Risks(np.array([1], np.int32), np.array([0], np.int32), np.array([1], np.int32), np.array([0.5]))
    counted = SimpleNamespace(counts_worlds=True)
    assert decided(replace(outcome(claimed(), "complete"), model=counted), 0.99, risks=risks) == "holds"
    assert decided(replace(outcome(claimed()), model=counted), 0.99, risks=risks) == "undecided"
    # What does not count worlds estimates.
    assert decided(outcome(claimed(), "complete"), 0.99, risks=risks) == "undecided"


def of_two(clause, limit, *attacks):
    """How a clause ends, given attacks that decide some clauses, and their outcomes."""
    entries = [Result(Stub(None, each.attack, frozenset(decides)), None, SEEN, each, NONE) for decides, each in attacks]
    return decide(CLAUSES[clause], Stated(limit), JudgedAudit(entries)).state


def equivalences(spanned, *, status="incomplete", doubt=False, lower=None, none=False):
    """No equivalence is claimed, and all of at most so many people would be."""
    claims = Equivalences(NOBODY, NOBODY, NOBODY, spanned, doubt, Measures(), lambda _: [], lambda _: [])
    bounds = LeastBounds(lower, None if none else 9)
    reason = None if status == "complete" else OPEN
    return Outcome("equivalence", status, reason, BoundedMeasures(min_e=bounds), claims)


def test_values_that_linear_reasoning_may_have_missed_leave_the_risk_undecided():
    joint = ({"max_risk"}, outcome(claimed(), "complete"))
    for other, state in (
        (equivalences(1), "holds"),
        (equivalences(1, doubt=True), "undecided"),
        (Outcome("equivalence", "incomplete", OPEN, Measures(), None), "undecided"),
    ):
        assert of_two("max_risk", 1.0, joint, ({"min_e"}, other)) == state


def test_equivalences_of_more_people_than_were_looked_for_are_not_excluded():
    for limit, state in ((1, "holds"), (2, "holds"), (3, "undecided")):
        assert of_two("min_e", limit, ({"min_e"}, equivalences(1))) == state
        assert of_two("min_e", limit, ({"min_e"}, equivalences(0, lower=2))) == state
    assert of_two("min_e", 9, ({"min_e"}, equivalences(1, status="complete", none=True))) == "holds"


def test_records_that_were_not_all_followed_leave_k_undecided():
    for status, state in (("incomplete", "undecided"), ("complete", "holds")):
        found = replace(outcome(NARROWED, status), attack="inference-table")
        assert of_two("k", 2, ({"k"}, found)) == state


def test_some_claims_are_not_known_to_be_all():
    some = claimed([1, 2], exhaustive=True).some(np.array([0]))
    assert not some.exhaustive


@pytest.mark.parametrize(("exhaustive", "passed"), [(True, True), (False, False)])
def test_the_audit_holds_the_policy_to_it(exhaustive, passed):
    report = run_audit(
        open_series(CLINIC),
        [IntersectionAttack(), Stub(outcome(claimed(exhaustive=exhaustive)))],
        AuditOptions(explicit=True),
    )
    assert [attack.status for attack in report.attacks] == ["complete", "incomplete"]
    assert report.policy.passed is passed
    assert [clause.measure for clause in report.policy.undecided] == ([] if passed else ["max_risk"])


@pytest.mark.parametrize("guessed", [False, True])
def test_a_doubt_keeps_a_clause_from_holding_and_a_guess_from_being_violated(guessed):
    doubt = Doubt(Reason("a column has no role"), frozenset({"max_risk"}), guessed)
    for found, without, beside in [
        (claimed(), "holds", "undecided"),
        (claimed([1]), "violated", "undecided" if guessed else "violated"),
    ]:
        entry = Result(Stub(), None, SEEN, outcome(found, "complete"), np.zeros(0, np.intp))
        for doubts, state in [([], without), ([doubt], beside), ([Doubt(doubt.reason, frozenset({"k"}))], without)]:
            decision = decide(CLAUSES["max_risk"], Stated(1.0), JudgedAudit([entry], doubts=doubts))
            assert decision.state == state
            assert [each.reason for each in decision.undecided] == [
                each.reason for each in doubts if "max_risk" in each.clauses
            ]


def test_a_doubt_does_not_ask_for_a_clause_that_nobody_judged():
    decision = decide(CLAUSES["min_e"], Stated(2), JudgedAudit([], doubts=[Doubt(Reason("a guess"))]))
    assert decision.state == "not judged"


def test_attacks_that_are_cut_short_do_not_claim_to_know_all():
    report = run_audit(open_series(CLINIC), [IntersectionAttack()], AuditOptions(explicit=True, time_limit=0.0))
    assert report.attacks[0].status == "incomplete"
    assert [clause.measure for clause in report.policy.undecided] == ["max_risk"]
