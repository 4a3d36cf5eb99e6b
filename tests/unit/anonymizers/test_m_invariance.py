"""Methods of groups of distinct values: whole histories in memory beside the definitions and enumeration."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonymizers.balancing import assignments, eligible, keep
from anonymizers.m_distinct.method import MDistinctAnonymizer, MDistinctStarAnonymizer
from anonymizers.m_invariance import MInvarianceAnonymizer
from audit.model.anonymizer import COUNTERFEIT, PublicationHistory, RefusalError
from audit.model.evidence import UpdateSets
from tests.helpers.amount import some
from tests.helpers.updates import PLACES, check_distinct, check_told, groups_of, past, random_history, snapshot, so_far
from tests.mutants.mutant import kills


def rng(seed=0):
    return np.random.default_rng(seed)


def check(seen, groups, draft, m, signatures):
    """Hold a draft against Definition 17, and return the people's signatures, theirs of before among them."""
    signatures = dict(signatures)
    true = dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
    told = [person for group in groups for person, _ in group if person is not None]
    assert len(told) == len(set(told))
    for number, group in enumerate(groups):
        values = frozenset(value for _, value in group)
        assert len(values) == len(group) >= m
        assert any(person is not None for person, _ in group)
        for person, value in group:
            if person is not None:
                assert true[person] == value
                assert signatures.setdefault(person, values) == values
        point = seen.point[draft.row[(draft.group == number) & (draft.row != COUNTERFEIT)]]
        assert draft.cells.low[number].tolist() == point.min(axis=0).tolist()
        assert draft.cells.high[number].tolist() == point.max(axis=0).tolist()
    return signatures


@st.composite
def histories(draw):
    """Draw snapshots of people who come, go and return; values are skewed."""
    values, attributes = draw(st.integers(2, 7)), draw(st.integers(0, 3))
    pick = st.integers(0, values - 1) if draw(st.booleans()) else st.sampled_from([0] * values + list(range(values)))
    people = draw(st.integers(2, 24))
    value = draw(st.lists(pick, min_size=people, max_size=people))
    place = st.lists(st.integers(0, PLACES - 1), min_size=attributes, max_size=attributes)
    point = draw(st.lists(place, min_size=people, max_size=people))
    releases = []
    for _ in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.integers(0, people - 1), unique=True, min_size=people // 2, max_size=people))
        releases.append(snapshot([(p, value[p], tuple(point[p])) for p in present], None, values, attributes))
    return releases


@settings(max_examples=some(2000))
@given(histories(), st.integers(2, 4), st.integers(0, 9))
def test_histories_are_m_invariant_with_the_fewest_withheld_and_the_fewest_counterfeits(releases, m, seed):
    history, signatures = PublicationHistory(), {}
    for seen in releases:
        new = Counter(v for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p not in signatures)
        back = [(p, v) for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p in signatures]
        kept = keep(np.array([new[value] for value in range(len(seen.values))]), m)
        if not back and not kept.sum():
            with pytest.raises(RefusalError, match="nobody would be published"):
                MInvarianceAnonymizer(m, withhold=True).publish(seen, history, rng(seed))
            continue
        draft = MInvarianceAnonymizer(m, withhold=True).publish(seen, history, rng(seed))
        told = seen.person[draft.row[draft.row != COUNTERFEIT]].tolist()
        assert {person for person, _ in back} <= set(told)
        assert Counter(seen.value[draft.row[draft.row != COUNTERFEIT]].tolist()) == Counter(
            dict(enumerate(kept.tolist()))
        ) + Counter(value for _, value in back)
        assert (draft.row == COUNTERFEIT).sum() == fewest_counterfeits(back, signatures, kept, m)
        groups = groups_of(seen, draft)
        signatures = check(seen, groups, draft, m, signatures)
        history.add(past(groups))


def shortage(back, signatures):
    """Return the buckets of those who are back: rows of each value, by signature."""
    held = {}
    for person, value in back:
        held.setdefault(signatures[person], Counter())[value] += 1
    return held


def fewest_counterfeits(back, signatures, kept, m):
    """Return the fewest counterfeits that balance the buckets and leave the new people eligible."""
    lacking = Counter()
    for signature, rows in shortage(back, signatures).items():
        for value in signature:
            lacking[value] += max(rows.values()) - rows[value]
    most = np.minimum(kept, [lacking[value] for value in range(len(kept))])
    ways = (np.array(way) for way in product(*(range(int(number) + 1) for number in most)))
    return lacking.total() - max(int(way.sum()) for way in ways if eligible(kept - way, m))


@kills("anonymizers.m_distinct.method._Release._check_covered", "< 0]", "< -1]")
@kills("anonymizers.balancing.divide", "(slot < 0).any()", "False")
@pytest.mark.parametrize("method", [MInvarianceAnonymizer, MDistinctAnonymizer, MDistinctStarAnonymizer])
def test_a_past_without_the_persons_value_is_refused(method):
    history = so_far([[(0, 0), (1, 1)], [(2, 0), (3, 1), (4, 2)]])
    history.value[0] = 2
    with pytest.raises(RefusalError, match="without their sensitive value") as refused:
        method(2).publish(snapshot([(2, 0, (0,)), (0, 2, (0,))], None, 3), history, rng())
    assert refused.value.rows.tolist() == [1]


BOTH = pytest.mark.parametrize("method", [MDistinctAnonymizer, MDistinctStarAnonymizer])


def rows(*pairs, start=0):
    """Return rows of people with a value and a place."""
    return [(start + number, value, (place,)) for number, (value, place) in enumerate(pairs)]


def counterfeits(draft):
    return int((draft.row == COUNTERFEIT).sum())


def contents(seen, draft):
    return sorted(sorted(group, key=str) for group in groups_of(seen, draft))


def blocks(values, size):
    """Return update sets: neighbouring values may become each other."""
    block = np.arange(values) // size
    return UpdateSets(block[:, np.newaxis] == block)


# -- the first release --------------------------------------------------------------------------------------------


def test_the_first_release_has_as_few_counterfeits_as_can_be():
    """Some value is in every group at worst, m - 1 others beside it."""
    skewed = 0
    for seed in range(150):
        history = random_history(seed)
        seen, m = history.snapshots()[0], 2 + seed % 2
        draft = MDistinctAnonymizer(m).publish(seen, PublicationHistory(), rng(seed))
        check_told(seen, draft)
        check_distinct([groups_of(seen, draft)], history.updates, m, apart=False)
        assert counterfeits(draft) == max(0, m * np.bincount(seen.value).max() - len(seen))
        skewed += counterfeits(draft) > 0
    assert 20 < skewed < 130


def test_with_blocks_the_first_star_release_has_as_few_as_can_be():
    skewed = 0
    for seed in range(60):
        random = rng(seed)
        value = random.integers(0, 8, random.integers(2, 20))
        seen = snapshot(rows(*((int(each), 0) for each in value)), blocks(8, 2))
        draft = MDistinctStarAnonymizer(3).publish(seen, PublicationHistory(), rng(seed))
        check_told(seen, draft)
        check_distinct([groups_of(seen, draft)], seen.updates, 3, apart=True)
        assert counterfeits(draft) == max(0, 3 * np.bincount(value // 2).max() - len(seen))
        skewed += counterfeits(draft) > 0
    assert 10 < skewed < 50


# -- those who were published before ------------------------------------------------------------------------------


def test_lonely_people_meet_where_that_saves_counterfeits():
    """One was beside 2, the other beside 0; both can be in a group of 1 and 3, and so they meet."""
    updates = blocks(4, 4)
    updates = UpdateSets(updates.may & ~np.array([[a == 0 and b != 0 for b in range(4)] for a in range(4)]))
    history = so_far([[(0, 1), (4, 2)], [(1, 3), (5, 0)]])
    seen = snapshot(rows((1, 0), (0, 0)), updates)
    draft = MDistinctAnonymizer(2).publish(seen, history, rng())
    check_distinct([[[(0, 1), (4, 2)], [(1, 3), (5, 0)]], groups_of(seen, draft)], updates, 2, apart=False)
    assert contents(seen, draft) == [[(0, 1), (1, 0)]]


# -- what is refused ----------------------------------------------------------------------------------------------


def test_fewer_values_than_m_are_refused():
    seen = snapshot(rows((0, 0), (1, 0)), blocks(2, 1))
    with pytest.raises(
        RefusalError, match="there are 2 sensitive values, fewer than m = 3; choose a smaller m"
    ) as told:
        MDistinctAnonymizer(3).publish(seen, PublicationHistory(), rng())
    assert told.value.column == "sensitive"


# -- long histories -----------------------------------------------------------------------------------------------


@BOTH
def test_long_histories_keep_their_promise(method):
    """Large enough for the compiled kernel; people leave, return, change and move all the time."""
    random, m, updates = rng(3), 4, blocks(12, 2)
    frequency = np.arange(1, 13) ** -0.2
    value = random.choice(12, 1600, p=frequency / frequency.sum())
    present, gone, releases, told = np.arange(500), np.zeros(0, dtype=np.int64), [], PublicationHistory()
    for number in range(8):
        point = random.integers(0, 6, (1600, 2)).tolist()
        seen = snapshot([(p, int(value[p]), tuple(point[p])) for p in present.tolist()], updates, attributes=2)
        draft = method(m).publish(seen, told, random)
        check_told(seen, draft)
        releases.append(groups_of(seen, draft))
        told.add(past(releases[-1]))
        assert counterfeits(draft) < 0.1 * len(seen)
        stay = random.permutation(present)[100:]
        gone, back = np.union1d(gone, np.setdiff1d(present, stay)), random.permutation(gone)[:20]
        gone = np.setdiff1d(gone, back)
        present = random.permutation([*stay, *back, *range(500 + 100 * number, 600 + 100 * number)])
        some = random.permutation(1600)[:400]
        value[some] = value[some] // 2 * 2 + random.integers(0, 2, 400)
    check_distinct(releases, updates, m, apart=method is MDistinctStarAnonymizer)


counts_of = st.lists(st.integers(0, 6), min_size=1, max_size=6)


def can_be_grouped(counts, m):
    """Return whether no value is in more than 1/m of the rows, so that groups of m with distinct values exist."""
    return max(counts, default=0) * m <= sum(counts)


@given(counts_of, st.integers(2, 4))
def test_the_kept_are_the_most_that_are_eligible(counts, m):
    kept = keep(np.array(counts), m).tolist()
    assert all(0 <= one <= other for one, other in zip(kept, counts, strict=True))
    assert can_be_grouped(kept, m)
    most = max(sum(some) for some in product(*(range(number + 1) for number in counts)) if can_be_grouped(some, m))
    assert sum(kept) == most


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(2, 5))
def test_batches_take_every_row_once(counts, m):
    counts = keep(np.array(counts), m)
    left = counts.copy()
    for signature, rows in assignments(counts, m):
        assert len(set(signature)) == len(signature) >= m
        assert list(signature) == sorted(signature)
        assert (signature, rows) == first_batch(left.tolist(), m)
        left[list(signature)] -= rows
    assert not left.any()


@kills("anonymizers.balancing._batch", "if best is not None:", "if False:")
@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.integers(2, 4), st.integers(1, 30))
@example([5, 8, 4, 5, 8, 6], 2, 19)
@example([3, 2, 4, 2, 2], 3, 21)
def test_large_batches_leave_the_rest_eligible(counts, m, enough):
    """Inequality 6: the values that a batch takes must not be too many in the rest, whatever rows it should have."""
    left = keep(np.array(counts), m)
    for signature, rows in assignments(left, m, enough=enough):
        assert rows >= 1
        assert len(signature) >= m
        left = left - rows * np.bincount(signature, minlength=len(left))
        assert (left >= 0).all()
        assert eligible(left, m)
    assert not left.any()


def first_batch(counts, m):
    """Return the next batch as Figure 3 finds it, trying every alpha."""
    order = sorted((-number, value) for value, number in enumerate(counts) if number)
    number = [-negative for negative, _ in order] + [0]
    gamma = sum(number)
    for beta in range(m, len(order) + 1):
        for alpha in range(number[beta - 1], 0, -1):
            cap = Fraction(gamma - alpha * beta, m)
            if number[0] - alpha <= cap and number[beta] <= cap:
                return tuple(sorted(value for _, value in order[:beta])), alpha
    return None
