"""m-Distinct and m-Distinct*: whole releases in memory beside the definitions, and what is refused."""

import numpy as np
import pytest

from anonymizers.m_distinct.method import MDistinctAnonymizer, MDistinctStarAnonymizer
from audit.model.anonymizer import COUNTERFEIT, RefusalError
from audit.model.history import PublicationHistory
from audit.model.update_sets import UpdateSets
from tests.helpers.updates import check_distinct, check_told, groups_of, past, random_history, snapshot, so_far

BOTH = pytest.mark.parametrize("method", [MDistinctAnonymizer, MDistinctStarAnonymizer])


def rng(seed=0):
    return np.random.default_rng(seed)


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
