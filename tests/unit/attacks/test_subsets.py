"""Matched subsets of groups where there are too many; what they find, tests/oracle/test_equivalence_strategy holds."""

import numpy as np
import pytest

from attacks.equivalence import equal_sums, subsets
from attacks.equivalence.fingerprint import fingerprint
from audit.runtime.budget import Budget
from tests.helpers.equivalences import Plan, matrix_of

PEOPLE = list(range(16))
HALVES = [[([p for p in PEOPLE if p >> k & 1 == bit], []) for bit in (0, 1)] for k in range(4)]


def matched(most):
    """Match sets of so many of sixteen people with values of their own, halved anew in each of four releases."""
    matrix, _ = matrix_of(Plan(PEOPLE, [[(PEOPLE, [])], *HALVES]))
    drawn = fingerprint(matrix, np.random.default_rng(1), Budget())
    return subsets.matched(matrix, (drawn, drawn), most, Budget())


def test_groups_with_too_many_sets_are_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(subsets, "_SETS_OF_ALL", -1)
    assert matched(12).complete
    monkeypatch.setattr(subsets, "_SETS_AT_MOST", 5_000)
    result = matched(12)
    assert result.reason == "too many subsets of up to 12 people in 1 of 9 groups, the largest of 16"
    assert not result.complete
    assert not result.least.any()


def test_witnesses_do_not_depend_on_the_turn_in_which_a_random_sum_comes(monkeypatch):
    """Any two of a + b = c + d, a + e = c + f and b + f = d + e show all six people: the first two are taken."""
    pairs = [[0, 1], [2, 3]], [[0, 4], [2, 5]]
    matrix, _ = matrix_of(Plan([0, 1, 0, 1, 2, 2], [[(group, []) for group in groups] for groups in pairs]))
    monkeypatch.setattr(equal_sums, "_HELD", 3)
    for seed in range(8):
        one, other = (fingerprint(matrix, np.random.default_rng([seed, each]), Budget()) for each in range(2))
        found = subsets.matched(matrix, (one, other), 2, Budget())
        assert found.witnesses.columns.tolist() == [0, 1, 2, 3, 0, 2, 4, 5]


def test_sums_that_may_overflow_are_refused():
    with pytest.raises(OverflowError):
        matched(128)
