"""m-Distinct and m-Distinct*: whole releases in memory beside the definitions, and what is refused."""

from collections import Counter

import numpy as np
import pytest

from anonymizers.m_distinct.method import MDistinctAnonymizer, MDistinctStarAnonymizer
from audit.model.anonymizer import COUNTERFEIT, RefusalError
from audit.model.errors import UsageError
from audit.model.history import PublicationHistory
from audit.model.update_sets import UpdateSets
from tests.helpers.updates import (
    History,
    check_distinct,
    check_told,
    groups_of,
    past,
    random_history,
    sets_of,
    snapshot,
    so_far,
)

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


def test_values_that_may_become_the_same_stand_apart_under_star_alone():
    seen = snapshot(rows((0, 0), (1, 0), (2, 5), (3, 5)), blocks(4, 2))
    draft = MDistinctAnonymizer(2).publish(seen, PublicationHistory(), rng())
    assert not counterfeits(draft)
    draft = MDistinctStarAnonymizer(2).publish(seen, PublicationHistory(), rng())
    assert {frozenset(value // 2 for _, value in group) for group in groups_of(seen, draft)} == {frozenset({0, 1})}


def test_a_value_on_many_ways_stands_beside_where_it_does_not_lead():
    """Value 0 may become 1 or 2, so only 3 can be beside it; the person of 3 is new as well, and is taken for it."""
    seen = snapshot(rows((0, 0), (1, 0), (2, 5), (3, 5)), sets_of("01 02", 4))
    draft = MDistinctStarAnonymizer(2).publish(seen, PublicationHistory(), rng())
    assert contents(seen, draft) == [[(0, 0), (3, 3)], [(1, 1), (2, 2)]]


# -- those who were published before ------------------------------------------------------------------------------


@BOTH
def test_changed_people_stay_beside_what_the_others_can_have_become(method):
    updates = blocks(4, 2)
    history = so_far([[(0, 0), (1, 2)], [(2, 0), (3, 2)]])
    seen = snapshot(rows((1, 0), (3, 0), (0, 5), (2, 5)), updates)
    draft = method(2).publish(seen, history, rng())
    assert contents(seen, draft) == [[(0, 1), (1, 3)], [(2, 0), (3, 2)]]


@BOTH
def test_whoever_stands_alone_is_beside_a_counterfeit_that_is_possible(method):
    seen = snapshot(rows((0, 0)), blocks(6, 2))
    values = set()
    for seed in range(20):
        draft = method(2).publish(seen, so_far([[(0, 1), (1, 3)]]), rng(seed))
        check_distinct([[[(0, 1), (1, 3)]], groups_of(seen, draft)], seen.updates, 2, apart=False)
        values |= set(draft.value[draft.row == COUNTERFEIT].tolist())
    assert values == {2, 3}


def test_a_group_keeps_its_number_of_values():
    """Three values before, so three now, though two would be enough for m."""
    seen = snapshot(rows((0, 0), (1, 0)), UpdateSets.unchanging(4))
    draft = MDistinctAnonymizer(2).publish(seen, so_far([[(0, 0), (1, 1), (2, 2)]]), rng())
    assert [sorted(value for _, value in group) for group in groups_of(seen, draft)] == [[0, 1, 2]]


def test_whoever_was_away_goes_back_to_the_last_group():
    """Also when the value changed twice meanwhile, and others have been published since."""
    updates = sets_of("01 12", 5).closed()
    releases = [[[(0, 0), (1, 3)]], [[(2, 2), (3, 4)]]]
    seen = snapshot([(0, 2, (0,)), (2, 2, (0,))], updates)
    draft = MDistinctAnonymizer(2).publish(seen, so_far(*releases), rng())
    check_distinct([*releases, groups_of(seen, draft)], updates, 2, apart=False)
    assert contents(seen, draft) == [[(0, 2), (None, 3)], [(2, 2), (None, 4)]]


def test_without_update_sets_values_never_change():
    seen = snapshot(rows((0, 0), (1, 0)), None, values=3)
    draft = MDistinctAnonymizer(2).publish(seen, so_far([[(0, 0), (4, 2)], [(1, 1), (5, 2)]]), rng())
    assert contents(seen, draft) == [[(0, 0), (None, 2)], [(1, 1), (None, 2)]]


def test_lonely_people_meet_where_that_saves_counterfeits():
    """One was beside 2, the other beside 0; both can be in a group of 1 and 3, and so they meet."""
    updates = blocks(4, 4)
    updates = UpdateSets(updates.may & ~np.array([[a == 0 and b != 0 for b in range(4)] for a in range(4)]))
    history = so_far([[(0, 1), (4, 2)], [(1, 3), (5, 0)]])
    seen = snapshot(rows((1, 0), (0, 0)), updates)
    draft = MDistinctAnonymizer(2).publish(seen, history, rng())
    check_distinct([[[(0, 1), (4, 2)], [(1, 3), (5, 0)]], groups_of(seen, draft)], updates, 2, apart=False)
    assert contents(seen, draft) == [[(0, 1), (1, 0)]]


# -- new people ---------------------------------------------------------------------------------------------------


@BOTH
def test_new_people_fill_up_what_lacks(method):
    history = so_far([[(0, 0), (1, 2)], [(2, 0), (3, 4)]])
    seen = snapshot([(0, 1, (0,)), (3, 4, (0,)), (7, 3, (0,)), (8, 0, (0,))], blocks(6, 2))
    draft = method(2).publish(seen, history, rng())
    assert contents(seen, draft) == [[(0, 1), (7, 3)], [(3, 4), (8, 0)]]


@pytest.mark.parametrize("near", range(5))
def test_the_nearest_of_the_new_people_is_taken(near):
    """The others stand beside those of value 2."""
    history = so_far([[(0, 0), (50, 1)]])
    new = [(number + 1, 1, (3 if number == near else 5 - number % 2 * 5,)) for number in range(5)]
    seen = snapshot([(0, 0, (3,)), *new, *rows(*[(2, 3)] * 4, start=6)], UpdateSets.unchanging(3))
    for seed in range(3):
        draft = MDistinctAnonymizer(2).publish(seen, history, rng(seed))
        assert [(0, 0), (near + 1, 1)] in contents(seen, draft)


@pytest.mark.parametrize(
    ("old", "near", "far"),
    [
        (((0, 2), (3, 2)), (5, 2), (3, 3)),  # longer by two thirds, rather than by a step where it has no length
        (((1, 2), (5, 2)), (4, 2), (0, 2)),  # inside
        (((1, 2), (1, 5)), (1, 3), (1, 1)),
        (((3, 0), (3, 0)), (2, 0), (5, 0)),
    ],
)
def test_who_makes_a_box_grow_by_the_least_factor_is_taken(old, near, far):
    history = so_far([[(0, 0), (8, 1)], [(1, 0), (9, 1)]])
    back = [(person, 0, place) for person, place in enumerate(old)]
    for names in ((2, 3), (3, 2)):
        new = [(names[0], 1, near), (names[1], 1, far), (4, 1, old[0]), (5, 2, (0, 0))]
        seen = snapshot([*back, *new], UpdateSets.unchanging(3), attributes=2)
        draft = MDistinctAnonymizer(2).publish(seen, history, rng())
        assert [(names[1], 1), (5, 2)] in contents(seen, draft)


def test_buckets_that_take_few_values_are_filled_first():
    """Who was beside 3 can be beside 1 or 2, the other beside 1 alone."""
    history = so_far([[(0, 0), (8, 3)], [(1, 0), (9, 1)]])
    seen = snapshot([(0, 0, (0,)), (1, 0, (5,)), (2, 1, (0,)), (3, 2, (5,))], sets_of("31 32", 4))
    draft = MDistinctAnonymizer(2).publish(seen, history, rng())
    assert contents(seen, draft) == [[(0, 0), (3, 2)], [(1, 0), (2, 1)]]


def test_new_people_join_the_highest_bucket_first():
    history = so_far([[(0, 0), (1, 1)], [(2, 0), (3, 1)], [(4, 0), (5, 2)]])
    back = [(person, value, (0,)) for person, value in enumerate([0, 1, 0, 1, 0, 2])]
    seen = snapshot([*back, *rows((0, 0), (1, 0), (2, 0), (3, 0), start=6)], UpdateSets.unchanging(4))
    draft = MDistinctAnonymizer(2).publish(seen, history, rng())
    found = Counter(frozenset(value for _, value in group) for group in groups_of(seen, draft))
    assert found == {frozenset({0, 1}): 3, frozenset({0, 2}): 1, frozenset({2, 3}): 1}


def test_new_people_join_buckets_that_there_are():
    """Left alone, the commonest would be put beside the next."""
    history = so_far([[(0, 0), (1, 3)], [(2, 1), (3, 2)]])
    back = [(0, 0, (0,)), (1, 3, (0,)), (2, 1, (0,)), (3, 2, (0,))]
    new = [(4 + number, value, (0,)) for number, value in enumerate([0, 0, 0, 3, 3, 1, 1, 2])]
    seen = snapshot([*back, *new], UpdateSets.unchanging(4))
    draft = MDistinctAnonymizer(2).publish(seen, history, rng())
    found = Counter(frozenset(value for _, value in group) for group in groups_of(seen, draft))
    assert found[frozenset({0, 3})] >= 3
    assert not counterfeits(draft)


# -- what is refused ----------------------------------------------------------------------------------------------


@BOTH
def test_an_impossible_change_is_refused(method):
    history = so_far([[(0, 0), (1, 2)], [(2, 1), (3, 3)]])
    seen = snapshot([(3, 3, (0,)), (1, 1, (0,)), (0, 1, (0,)), (2, 0, (0,))], sets_of("01", 4))
    with pytest.raises(
        RefusalError, match=r"impossible change: 2 people .*; add the change to the transitions"
    ) as told:
        method(2).publish(seen, history, rng())
    assert told.value.rows.tolist() == [1, 3]
    assert told.value.column == "sensitive"


@BOTH
def test_a_key_that_contradicts_the_release_is_refused(method):
    history = so_far([[(0, 0), (1, 1)], [(2, 0), (3, 2)]])
    history.value[3] = 3
    seen = snapshot([(0, 0, (0,)), (1, 1, (0,)), (3, 3, (0,))], UpdateSets.unchanging(4))
    with pytest.raises(RefusalError, match="1 people were last published in groups without their") as told:
        method(2).publish(seen, history, rng())
    assert told.value.rows.tolist() == [2]
    assert told.value.column == "sensitive"


def test_fewer_values_than_m_are_refused():
    seen = snapshot(rows((0, 0), (1, 0)), blocks(2, 1))
    with pytest.raises(
        RefusalError, match="there are 2 sensitive values, fewer than m = 3; choose a smaller m"
    ) as told:
        MDistinctAnonymizer(3).publish(seen, PublicationHistory(), rng())
    assert told.value.column == "sensitive"


def test_star_names_the_values_that_cannot_be_apart_and_the_rows_of_new_people():
    """Value 0 may become 1, 2 and 3. Who was published before is not asked, whatever the value."""
    updates = sets_of("01 02 03", 4)
    told = r"of 2 people fit into no group of 2 values .*: v0 \(at most 1\); choose a smaller m, publish by m-distinct"
    people = [(9, 0, (0,)), *rows((1, 0), (2, 0), (0, 0), (3, 0), (0, 0))]
    history = so_far([[(9, 0), (8, 1)]])
    for seed in range(5):
        with pytest.raises(RefusalError, match=told) as caught:
            MDistinctStarAnonymizer(2).publish(snapshot(people, updates), history, rng(seed))
        assert sorted(caught.value.rows.tolist()) == [3, 5]
        assert caught.value.column == "sensitive"
    draft = MDistinctAnonymizer(2).publish(snapshot(people, updates), history, rng())
    check_distinct([groups_of(snapshot(people, updates), draft)], updates, 2, apart=False)


@BOTH
def test_groups_of_one_are_no_promise(method):
    with pytest.raises(UsageError, match=f"{method.name} with m = 1 .* from 2 on"):
        method(1)
    assert str(method(3).promise) == f"{method.name} (m = 3)"
    assert method(3).follows_updates


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


@BOTH
@pytest.mark.parametrize("seed", range(8))
def test_the_same_seed_gives_the_same_release(method, seed):
    history = random_history(seed)
    updates = history.updates if method is MDistinctAnonymizer else UpdateSets.unchanging(len(history.updates))
    seen = History(updates, history.attributes, history.rows).snapshots()[0]
    first, second = (method(2).publish(seen, PublicationHistory(), rng(seed)) for _ in range(2))
    for one, other in ((first.row, second.row), (first.group, second.group), (first.value, second.value)):
        assert np.array_equal(one, other)
        assert one.dtype == np.int32
    assert np.array_equal(first.cells.low, second.cells.low)
    assert np.array_equal(first.cells.high, second.cells.high)


def test_who_stands_beside_whom_is_drawn():
    """Of two people alike but for their names, one is in each group."""
    seen = snapshot(rows((0, 0), (0, 0), (1, 0), (2, 0)), UpdateSets.unchanging(3))
    found = set()
    for seed in range(20):
        groups = contents(seen, MDistinctAnonymizer(2).publish(seen, PublicationHistory(), rng(seed)))
        assert [sorted(value for _, value in group) for group in groups] in ([[0, 1], [0, 2]], [[0, 2], [0, 1]])
        found |= {person for group in groups if (2, 1) in group for person, _ in group}
    assert found == {0, 1, 2}
