"""The policy and the ladder: clauses, waivers to their last day, and how many people fall at each rung."""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.intersection import IntersectionAttack
from attacks.update_graph import UpdateGraphAttack
from audit.clauses.clause import JudgedAudit, RiskClause, Stated, decide
from audit.clauses.registry import CLAUSES, ON_VALUES
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences, Pinned
from audit.findings.rows import NarrowedRecords
from audit.io.manifest import Waiver
from audit.io.series import open_series
from audit.judgement.selection import ladder
from audit.judgement.waivers import NamedFindings, WaiverBook
from audit.model.adversary import ADVERSARIES
from audit.model.audit_options import AuditOptions
from audit.model.errors import Doubt
from audit.model.measures import BoundedMeasures, LeastBounds, Measures
from audit.model.outcome import Outcome, Result, Risks
from audit.model.report import CountSize
from audit.pipeline.audit_run import run_audit
from audit.runtime.phrases import Reason
from tests.helpers.running import audit_folder, run_main, written
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills

CLINIC = Path(__file__).parents[2] / "examples" / "clinic-merged"
OPEN = "the time limit was reached; 3 values of versions are open"
NOBODY, NONE = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.intp)
SEEN = SimpleNamespace(numbers={}, categories={}, combined=None, count_people=np.count_nonzero)


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


def decided(found, limit=1.0, *, risks=None, waived=(), adversary="linked"):
    """What is said of the clause: `violated`, `undecided`, or `held`."""
    entry = Result(Stub(), None, SEEN, replace(found, risks=risks), np.array(waived, dtype=np.intp))
    decision = decide(CLAUSES["max_risk"], Stated(limit), JudgedAudit([entry], adversary=ADVERSARIES[adversary]))
    assert len(decision.violations) + len(decision.undecided) <= 1
    assert all(each.reason == f"joint: {OPEN}" for each in decision.undecided if found.reason)
    return decision.state


class Odd(RiskClause):
    """A clause of another package, which nothing violates."""

    name = "odd"
    default = None
    fails = remedy = ""

    def judges(self, findings):
        return True

    def violations(self, findings, limit):
        yield from ()

    doubts = violations


@kills("audit.clauses.clause._decided", "not is_own or ", "")
@pytest.mark.parametrize("clauses", [None, ON_VALUES, frozenset({"k"})])
def test_what_was_not_read_leaves_a_clause_of_another_package_undecided(clauses):
    unread = Doubt(Reason("a cell was not read"), clauses)
    assert decide(Odd(), Stated(0.5), JudgedAudit([])).state == "holds"
    assert decide(Odd(), Stated(0.5), JudgedAudit([], doubts=[unread])).state == "undecided"


NARROWED = NarrowedRecords(2, NOBODY, NOBODY, NOBODY, NOBODY, lambda _: [])


@kills("audit.clauses.clause.ended", '"undecided" if doubts else "holds"', '"holds"')
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
    adversary = "pseudonym" if found is NARROWED else "linked"
    assert decided(outcome(found, status), waived=waived, adversary=adversary) == state


@kills("audit.clauses.max_risk._no_higher_risk", 'return outcome.status == "complete" and known', "return known")
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
    claims = Equivalences(NOBODY, NOBODY, NOBODY, Measures(), lambda _: [], lambda _: [], spanned, doubt)
    bounds = LeastBounds(lower, None if none else 9)
    reason = None if status == "complete" else OPEN
    return Outcome("equivalence", status, reason, BoundedMeasures(min_e=bounds), claims)


@kills("audit.clauses.max_risk._doubtful", "claims is None or", "claims is not None and")
def test_values_that_linear_reasoning_may_have_missed_leave_the_risk_undecided():
    joint = ({"max_risk"}, outcome(claimed(), "complete"))
    for other, state in (
        (equivalences(1), "holds"),
        (equivalences(1, doubt=True), "undecided"),
        (Outcome("equivalence", "incomplete", OPEN, Measures(), None), "undecided"),
    ):
        assert of_two("max_risk", 1.0, joint, ({"min_e"}, other)) == state


@kills("audit.model.measures.BoundedMeasures.shows", "spanned + 1", "spanned + 2")
def test_equivalences_of_more_people_than_were_looked_for_are_not_excluded():
    for limit, state in ((1, "holds"), (2, "holds"), (3, "undecided")):
        assert of_two("min_e", limit, ({"min_e"}, equivalences(1))) == state
        assert of_two("min_e", limit, ({"min_e"}, equivalences(0, lower=2))) == state
    assert of_two("min_e", 9, ({"min_e"}, equivalences(1, status="complete", none=True))) == "holds"


@kills("audit.clauses.smallest_class.SmallestClass.doubts", 'entry.outcome.status == "complete"', "True")
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


def nothing(places):
    return []


def disclosures(people):
    person = np.array(people, dtype=np.int32)
    return Disclosures(person, person * 0, person * 0, nothing)


def pinning(pinned):
    """Claims with an equivalence of two people each, and pinned values."""
    person = np.array([-1, *pinned, -1], dtype=np.int32)
    e = np.where(person < 0, 1, 0).astype(np.int32)

    def sides(places):
        return [Pinned(int(person[place]), 0, 0, 1.0) for place in places]

    return Equivalences(e, e, e, {}, sides, nothing, 1, False, person)


@given(st.lists(st.tuples(st.sampled_from(["Disease", "Income"]), st.booleans(), st.lists(st.integers(0, 8)))))
def test_counts_are_those_of_sets(rungs):
    """Whoever falls again is not counted again; each attribute has a ladder of its own."""
    entries, wanted, fallen = [], [], {"Disease": set(), "Income": set()}
    seen = SimpleNamespace(count_people=np.count_nonzero)
    for place, (sensitive, pins, people) in enumerate(rungs):
        claims = pinning(people) if pins else disclosures(people)
        outcome = Outcome(str(place), "complete", claims=claims)
        entries.append(Result(SimpleNamespace(name=str(place)), sensitive, seen, outcome, seconds=0.25))
        beyond = set(people) - fallen[sensitive]
        fallen[sensitive] |= beyond
        wanted.append((str(place), sensitive, len(set(people)), len(beyond), len(fallen[sensitive]), 0.25))
    assert wanted == [
        (rung.attack, rung.sensitive, rung.people, rung.beyond, rung.so_far, rung.seconds) for rung in ladder(entries)
    ]


DAY = datetime.date(2030, 2, 28)
BEFORE, AFTER = DAY - datetime.timedelta(days=1), DAY + datetime.timedelta(days=1)
DAYS = pytest.mark.parametrize(
    ("today", "state"), [(BEFORE, "applied"), (DAY, "applied"), (AFTER, "expired")], ids=["before", "on it", "after"]
)


@DAYS
def test_a_waiver_holds_until_its_last_day_is_over(today, state):
    """Ann has a: both her values are certain, the finding is waived until a day, and Bob's is not asked for."""
    series = TinySeries([[Row("Ann", "1", "a"), Row("Bob", "2", "a"), Row("Cyd", "2", "b")]])
    with written(series) as folder:
        (folder / "private").mkdir(exist_ok=True)
        assert run_main("waive", str(folder), "Ann", "--reason", "asked", "--until", "2999-01-01")[0] == 0
        manifest = folder / "series.toml"
        manifest.write_text(manifest.read_text().replace("2999-01-01", DAY.isoformat()))
        report = run_audit(open_series(folder), [IntersectionAttack()], AuditOptions(explicit=True, today=today))
    assert [each.state for each in report.policy.waived] == [state]
    [clause] = [each for each in report.policy.clauses if each.clause == "max_risk"]
    assert clause.state == ("holds" if state == "applied" else "violated")


@DAYS
def test_so_does_a_waiver_of_what_counts_tell(today, state):
    size = CountSize("narrowed", 1, 4)
    book = WaiverBook([Waiver("count-1", "asked", DAY, sizes={"count-1": size})], today)
    covered, unsized = book.judge(NamedFindings(["count-1"], [size], [frozenset({"min_width"})]), np.array([False]))
    assert (covered.tolist(), unsized.tolist()) == ([state == "applied"], [False])
    assert [each.state for each in book.outcomes(reveal=True)] == [state]


def pair(*groups):
    """An Anatomy pair of a release: who is in a group of which values."""
    return [Row(who, str(number), value) for number, group in enumerate(groups, 1) for who, value in group]


def test_somebody_with_no_history_is_not_somebody_found_out():
    """Ann is in a group of a, then in one of b, though no value changes: nothing is known of her, least of all b."""
    both = TinySeries(
        [pair([("Ann", "a"), ("Bob", "a")], [("Cyd", "c")]), pair([("Ann", "b"), ("Bob", "b")], [("Cyd", "c")])],
        anatomy=True,
    )
    with written(both) as folder:
        audited = audit_folder(folder, ["intersection", "update-graph"])
    measures = audited.measures("update-graph")
    assert (measures["infeasible"], measures["disclosed"], measures["versions"]) == (4, 2, 6)
    assert {each["individual"] for each in audited.findings("update-graph")} == {"Cyd"}
    assert audited.measures("intersection")["candidate_sizes"] == {"0": 2, "1": 1}
    assert audited.code == 1
    assert audited.result["contradictions"] == {"changed": 0, "infeasible": 2}
    # Without Cyd nobody is found out; what contradicts itself does not hold all the same.
    alone = TinySeries([pair([("Ann", "a"), ("Bob", "a")]), pair([("Ann", "b"), ("Bob", "b")])], anatomy=True)
    with written(alone) as folder:
        audited = audit_folder(folder, ["intersection", "update-graph"])
        assert not audited.findings("intersection") + audited.findings("update-graph")
        assert audited.code == 3
        assert not audited.result["policy"]["passed"]
        report = run_audit(open_series(folder), [UpdateGraphAttack()], AuditOptions(explicit=True))
    assert report.contradictions.infeasible == 2
