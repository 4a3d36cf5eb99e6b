"""e-equivalence: histories beside the least equivalence by trying all sides, and the paper's clinic."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizers.e_equivalence.method import EEquivalenceAnonymizer
from audit.model.anonymizer import COUNTERFEIT, PublicationHistory, PublishedRelease, RefusalError, Scale, Snapshot
from tests.helpers.amount import some
from tests.helpers.least_e import least_e
from tests.mutants.mutant import kills

EXAMPLES = Path(__file__).parents[2] / "examples"


def snapshot(people, tag="1", names=None):
    """Return a snapshot of (person, value) pairs; the point of a person is the code."""
    person = np.array([person for person, _ in people], dtype=np.int32)
    value = np.array([value for _, value in people], dtype=np.int32)
    names = names or [f"value {code}" for code in range(int(value.max(initial=0)) + 1)]
    return Snapshot(tag, person, value, person[:, np.newaxis] % 8, (Scale("q", np.linspace(0, 1, 8)),), names)


def rng(seed=0):
    return np.random.default_rng(seed)


class History:
    """A series as it grows: each release is held against what every release has to be, and looked back on."""

    def __init__(self, m, e, *, withhold=True, anatomy=False, names=None):
        self.method = EEquivalenceAnonymizer(m, e, withhold)
        self.anatomy, self.names = anatomy, names
        self.so_far, self.groups, self.signatures, self.born = PublicationHistory(), [], {}, 1000

    def publish(self, people, seed=0):
        """Return the draft's rows as (person or counterfeit, signature, value); counterfeits are numbered from 1000."""
        seen = snapshot(people, names=self.names)
        draft = self.method.publish(seen, self.so_far, rng(seed))
        rows = self.take(seen, draft)
        self.check(seen, draft, rows)
        return rows

    def take(self, seen, draft):
        fake = draft.row == COUNTERFEIT
        person = np.where(fake, draft.identity, seen.person[draft.row]).astype(np.int32)
        last = set() if self.so_far.last is None else set(self.so_far.last.person.tolist())
        assert {code for code in person[fake].tolist() if code >= 0} <= {code for code in last if code >= 1000}
        new = np.flatnonzero(person == COUNTERFEIT)
        person[new] = self.born + np.arange(len(new))
        self.born += len(new)
        own = np.where(fake, -1, draft.value).astype(np.int32)
        entries = (draft.group, draft.value, None)
        if self.anatomy:
            pairs, count = np.unique(np.stack([draft.group, draft.value]), axis=1, return_counts=True)
            entries = (pairs[0], pairs[1], count)
        self.so_far.add(PublishedRelease(seen.tag, person, draft.group, *entries, own))
        signatures = [frozenset(draft.value[draft.group == group].tolist()) for group in range(draft.group.max() + 1)]
        self.groups += [
            (person[draft.group == group].tolist(), draft.value[draft.group == group].tolist())
            for group in range(len(signatures))
        ]
        assert len(set(signatures)) == len(signatures)
        return [(p, signatures[g], v) for p, g, v in zip(person.tolist(), draft.group, draft.value, strict=True)]

    def check(self, seen, draft, rows):
        true = dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
        assert len({who for who, _, _ in rows}) == len(rows)
        held: dict[frozenset[int], list[tuple[int, int]]] = {}
        for who, signature, value in rows:
            assert who >= 1000 or true[who] == value
            assert self.signatures.setdefault(who, signature) == signature
            held.setdefault(signature, []).append((who, value))
        for signature, members in held.items():
            assert len(signature) >= self.method.m
            assert len(set(Counter(value for _, value in members).values())) == 1
            assert any(who < 1000 for who, _ in members)
        for group in range(int(draft.group.max()) + 1):
            people = draft.row[(draft.group == group) & (draft.row != COUNTERFEIT)]
            assert draft.cells.low[group] == seen.point[people].min()
            assert draft.cells.high[group] == seen.point[people].max()

    def assert_kept(self):
        assert least_e(self.groups, self.method.e - 1) is None


def counterfeits(rows):
    return [who for who, _, _ in rows if who >= 1000]


# -- the paper's clinic -------------------------------------------------------------------------------------------


def clinic():
    """Return the snapshots as (person, value) pairs, and the names of people and diseases."""
    tables = []
    for tag in "123":
        with (EXAMPLES / f"clinic-microdata/{tag}.csv").open(newline="") as file:
            tables.append(list(csv.DictReader(file)))
    names = list(dict.fromkeys(row["Owner"] for table in tables for row in table))
    diseases = ["cancer", "flu", "measles"]
    return [[(names.index(r["Owner"]), diseases.index(r["Disease"])) for r in t] for t in tables], names, diseases


@pytest.mark.parametrize("anatomy", [False, True])
def test_the_clinic_is_published_as_in_example_10(anatomy):
    """Table VII has 2, 1 and 3 counterfeits; where Harry joins those who had flu his leaving takes 2 more."""
    releases, names, diseases = clinic()
    seen = Counter()
    for seed in range(30):
        history = History(2, 2, withhold=False, anatomy=anatomy, names=diseases)
        rows = [history.publish(people, seed) for people in releases]
        history.assert_kept()
        first = {frozenset(diseases[value] for value in signature) for _, signature, _ in rows[0]}
        assert first == {frozenset({"cancer", "flu"}), frozenset({"cancer", "measles"})}
        number = tuple(len(counterfeits(each)) for each in rows)
        harry = next(signature for who, signature, _ in rows[1] if who < 1000 and names[who] == "Harry")
        assert number == ((2, 1, 5) if 1 in harry else (2, 1, 3))
        seen[number] += 1
    assert seen[2, 1, 3]


# -- histories ----------------------------------------------------------------------------------------------------


@st.composite
def histories(draw):
    """Draw who is there when, of some people with skewed values who come, go and return."""
    values = draw(st.integers(2, 5))
    pick = st.integers(0, values - 1) if draw(st.booleans()) else st.sampled_from([0] * values + list(range(values)))
    size = draw(st.integers(2, 14))
    value = draw(st.lists(pick, min_size=size, max_size=size))
    releases = []
    for _ in range(draw(st.integers(1, 5))):
        present = draw(st.lists(st.integers(0, size - 1), unique=True, min_size=1))
        releases.append([(person, value[person]) for person in present])
    return releases


RETURN = [[(0, 0), (1, 0), (2, 0), (3, 0), (4, 1), (5, 1)], [(0, 0), (1, 0), (2, 0), (3, 0)]]


@kills("anonymizers.e_equivalence.method.EEquivalenceAnonymizer._least", "2 * self.e - 1", "2 * self.e - 2")
@kills("anonymizers.e_equivalence.bucket_plans.graphs_of", "once = known & ~again", "once = known")
@kills(
    "anonymizers.e_equivalence.bucket_plans.Planning._layers",
    "-(-lacking // self.slots.width())",
    "lacking // self.slots.width()",
)
@settings(max_examples=some(60))
@example([*RETURN, [*RETURN[1], (4, 1)]], 2, 2, False, 0)
@given(histories(), st.sampled_from([2, 2, 3]), st.sampled_from([1, 2, 2, 3]), st.booleans(), st.integers(0, 9))
def test_no_equivalence_of_fewer_people_is_ever_possible(releases, m, e, anatomy, seed):
    history, last = History(m, e, anatomy=anatomy, names=[f"v{code}" for code in range(5)]), set()
    for people in releases:
        try:
            rows = history.publish(people, seed)
        except RefusalError as refusal:
            assert refusal.what == "nobody would be published"  # noqa: PT017
            continue
        there = {who for who, _, _ in rows}
        assert not ({who for who, _ in people} - there) & last, "who is there stays"
        last = there
        history.assert_kept()


# -- counterfeits -------------------------------------------------------------------------------------------------


def test_counterfeits_that_would_outnumber_the_people_are_refused():
    with pytest.raises(RefusalError, match=r"4 people would need 1,196 counterfeits among them"):
        EEquivalenceAnonymizer(2, 600).publish(snapshot([(0, 0), (1, 1), (2, 0), (3, 1)]), PublicationHistory(), rng())


# -- people who return --------------------------------------------------------------------------------------------


def left_and_back(*, withhold):
    """A bucket of 3 pairs, of whom 2 pairs leave and come back: without their first stays a cut of 2 would be left.

    It takes 3 or more; one of the two pairs' stays has to remain.
    """
    history = History(2, 2, withhold=withhold, names=["cancer", "flu"])
    people = [(who, who % 2) for who in range(6)]
    history.publish(people)
    history.publish([*people[:2], *[(who, who % 2) for who in range(6, 12)]])
    return history, [*people, *[(who, who % 2) for who in range(6, 12)]]


def test_those_whose_absence_a_promise_rests_on_are_refused_by_name_and_bucket():
    history, people = left_and_back(withhold=False)
    with pytest.raises(RefusalError, match=r"1 people return .* e = 2 in 1 buckets \(cancer, flu\)") as refused:
        history.publish(people)
    assert refused.value.column == "individual"
    assert len(refused.value.rows) == 1
    assert set(refused.value.rows.tolist()) < {2, 3, 4, 5}
    assert "--withhold" in refused.value.remedy


def test_with_withhold_as_many_return_as_can():
    history, people = left_and_back(withhold=True)
    there = {who for who, _, _ in history.publish(people)}
    assert len(there & {2, 3, 4, 5}) == 3
    history.assert_kept()
    waiting = set()
    for seed in range(20):
        history, people = left_and_back(withhold=True)
        waiting |= {2, 3, 4, 5} - {who for who, _, _ in history.publish(people, seed)}
    assert waiting == {2, 3, 4, 5}


# -- refusals -----------------------------------------------------------------------------------------------------


def test_a_past_that_fails_is_refused_naming_the_bucket():
    so_far = PublicationHistory()
    codes = [np.array(column, dtype=np.int32) for column in ([0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 0, 1])]
    so_far.add(PublishedRelease("1", codes[0], codes[1], codes[1], codes[2], None, codes[2]))
    codes[0] = codes[0] + np.array([0, 0, 2, 2], dtype=np.int32)
    so_far.add(PublishedRelease("2", codes[0], codes[1], codes[1], codes[2], None, codes[2]))
    seen = snapshot([(0, 0), (1, 1), (4, 0), (5, 1)], names=["cancer", "flu"])
    assert len(EEquivalenceAnonymizer(2, 2).publish(seen, so_far, rng()).row) == 4
    with pytest.raises(RefusalError, match=r"smaller equivalences than e = 3 in 1 buckets \(cancer, flu\)"):
        EEquivalenceAnonymizer(2, 3).publish(seen, so_far, rng())
