"""Matched subsets of groups where there are too many; what they find, tests/oracle/test_equivalence_strategy holds."""

import numpy as np
import pytest

from attacks.equivalence import subsets
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


@pytest.mark.parametrize("plain", [True, False])
def test_a_group_whose_places_do_not_fit_into_a_word_is_too_large(plain, monkeypatch):
    monkeypatch.setattr(subsets, "_SETS_OF_ALL", -1)
    monkeypatch.setattr(subsets, "_PLAIN_SETS", 10**9 if plain else -1)
    assert matched(11).complete
    result = matched(12)
    assert result.reason == "too many subsets of up to 12 people in 1 of 9 groups, the largest of 16"
    assert not result.complete
    assert not result.least.any()


def test_sums_that_may_overflow_are_refused():
    with pytest.raises(OverflowError):
        matched(128)
