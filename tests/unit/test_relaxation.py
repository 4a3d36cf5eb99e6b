"""Linear programmes of classes of people: what they prove is checked in whole numbers, whatever the solver says."""

import numpy as np
import pytest

from attacks.joint import whole
from attacks.joint.relaxation import Programme
from attacks.joint.whole import in_whole_numbers
from audit.core.budget import Budget

ALL = 1 << 30


def programme(sizes, columns, rows):
    """Classes of some sizes; columns are pairs of a class and the cells whose rows it takes."""
    cells = [cell for _, taken in columns for cell in taken]
    start = np.concatenate([[0], np.cumsum([len(taken) for _, taken in columns])])
    kind = np.array([kind for kind, _ in columns])
    return Programme(kind, np.array(sizes), start, np.array(cells, dtype=np.int64), np.array(rows))


# Two people share a group with one row of each of two values (cells 0 and 1); a third person shares cell 2 with the
# second, whose other group has no row of the first value to spare.
CHAIN = programme([1, 1, 1], [(0, [0]), (0, [1]), (1, [0, 2]), (1, [1, 3]), (2, [2]), (2, [3])], [1, 1, 1, 1])
HALL = programme([2, 1], [(0, [0]), (0, [1]), (1, [0]), (1, [1]), (1, [2])], [1, 1, 1])


def asked(some, *, shown=(), enough=ALL):
    flags = np.zeros(len(some.kind), dtype=np.bool_)
    flags[list(shown)] = True
    return some.supported(np.ones_like(flags), flags, enough, Budget(None))


def test_what_two_people_need_is_impossible_for_a_third():
    found = asked(HALL)
    assert found.impossible.tolist() == [False, False, True, True, False]
    assert found.shown.tolist() == [True, True, False, False, True]
    assert not found.maybe.any()


def whole_asked(some, *, shown=(), enough=ALL):
    flags = np.zeros(len(some.kind), dtype=np.bool_)
    flags[list(shown)] = True
    return in_whole_numbers(some, np.ones_like(flags), flags, enough, Budget(None))


def proved(some):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole, "_show", lambda *_: True)
        return whole_asked(some)


@pytest.mark.parametrize("solve", [asked, whole_asked, proved])
def test_what_a_world_has_is_shown(solve):
    found = solve(CHAIN)
    assert found.shown.all()
    assert CHAIN.fits(found.world)


def test_weights_that_prove_nothing_are_not_believed():
    columns = np.array([False, False, True, True, False])
    assert HALL.impossible(columns, np.array([1.0, 1.0, 0.0]))
    for wrong in ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 0.0]):
        assert not HALL.impossible(columns, np.array(wrong))


def test_no_weights_prove_that_what_is_possible_is_not():
    rng = np.random.default_rng(0)
    for _ in range(500):
        columns = rng.permutation(np.arange(6) < rng.integers(1, 7))
        assert not CHAIN.impossible(columns, rng.normal(size=4) * 3)


def test_a_proof_that_does_not_hold_leaves_values_open(monkeypatch):
    monkeypatch.setattr("attacks.joint.linear.Linear.weights", lambda _: np.zeros(3))
    found = asked(HALL)
    assert not found.impossible.any()
    assert found.maybe.tolist() == [False, False, True, True, False]


def test_no_more_is_asked_than_is_enough():
    found = asked(HALL, shown=[0, 1, 4], enough=1)
    assert not found.impossible.any()
    assert not found.maybe.any()


def test_parts_of_people_are_no_people():
    """Three people, of whom each pair shares a row: half of everybody fits, but nobody in whole."""
    pairs = programme([1, 1, 1], [(0, [0, 1]), (0, [3]), (1, [1, 2]), (1, [3]), (2, [0, 2]), (2, [3])], [1, 1, 1, 1])
    linear = asked(pairs)
    assert not linear.shown.any()
    found = whole_asked(pairs)
    assert not found.feasible
    assert not found.shown.any()


@pytest.mark.parametrize("solve", [whole_asked, proved])
def test_in_whole_numbers_it_is_proved_what_two_people_leave_a_third(solve):
    found = solve(HALL)
    assert found.impossible.tolist() == [False, False, True, True, False]
    assert found.shown.tolist() == [True, True, False, False, True]


def test_in_whole_numbers_no_more_is_asked_than_is_enough():
    found = whole_asked(HALL, shown=[0, 1, 4], enough=1)
    assert not found.impossible.any()
