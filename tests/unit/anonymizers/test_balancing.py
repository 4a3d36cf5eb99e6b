"""Balancing and assignment over numbers of rows, beside enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizers.balancing import batches, eligible, fill, keep

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


@given(counts_of, st.integers(2, 4))
def test_eligible_keeps_all(counts, m):
    counts = np.array(counts)
    assert eligible(counts, m) == (Fraction(int(counts.max()), max(int(counts.sum()), 1)) <= Fraction(1, m))
    assert eligible(counts, m) == (keep(counts, m).sum() == counts.sum())


@given(counts_of, st.data(), st.integers(2, 4))
def test_as_many_fill_as_eligibility_allows(counts, data, m):
    counts = keep(np.array(counts), m)
    short = np.array([data.draw(st.integers(0, 4)) for _ in counts])
    moved = fill(counts, short, m)
    assert (moved >= 0).all()
    assert (moved <= np.minimum(counts, short)).all()
    assert eligible(counts - moved, m)
    ways = product(*(range(int(most) + 1) for most in np.minimum(counts, short)))
    assert moved.sum() == max(sum(way) for way in ways if eligible(counts - np.array(way), m))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12), st.integers(2, 5))
def test_batches_take_every_row_once(counts, m):
    counts = keep(np.array(counts), m)
    left = counts.copy()
    for signature, rows in batches(counts, m):
        assert len(set(signature)) == len(signature) >= m
        assert list(signature) == sorted(signature)
        assert (signature, rows) == first_batch(left.tolist(), m)
        left[list(signature)] -= rows
    assert not left.any()


@given(st.lists(st.integers(0, 9), min_size=2, max_size=7), st.integers(2, 3), st.data())
def test_known_signatures_get_as_much_as_leaves_the_rest_eligible_one_after_the_other(counts, m, data):
    counts = keep(np.array(counts), m)
    some = st.sets(st.integers(0, len(counts) - 1), min_size=m)
    known = [tuple(sorted(data.draw(some))) for _ in range(data.draw(st.integers(0, 3)) if len(counts) >= m else 0)]
    left, expected = counts.copy(), []
    for signature in known:
        one = np.bincount(signature, minlength=len(counts))
        alpha = max(a for a in range(10) if (left >= a * one).all() and eligible(left - a * one, m))
        left -= alpha * one
        expected += [(signature, alpha)] if alpha else []
    assert list(batches(counts, m, known)) == expected + list(batches(left, m))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7), st.integers(2, 4), st.integers(1, 30))
@example([5, 8, 4, 5, 8, 6], 2, 19)
@example([3, 2, 4, 2, 2], 3, 21)
def test_large_batches_leave_the_rest_eligible(counts, m, enough):
    """Inequality 6: the values that a batch takes must not be too many in the rest, whatever rows it should have."""
    left = keep(np.array(counts), m)
    for signature, rows in batches(left, m, enough=enough):
        assert rows >= 1
        assert len(signature) >= m
        left = left - rows * np.bincount(signature, minlength=len(left))
        assert (left >= 0).all()
        assert eligible(left, m)
    assert not left.any()


def test_a_known_signature_gets_nothing_where_its_most_frequent_value_would_be_too_many():
    counts = np.array([3, 1, 1, 1])
    assert list(batches(counts, 2, [(0, 1, 2)])) == [((0, 1), 1), ((0, 2), 1), ((0, 3), 1)]


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


def test_batches_are_few():
    frequency = np.arange(1, 51) ** -0.5
    for m in (2, 10):
        counts = keep(np.random.default_rng(0).multinomial(200_000, frequency / frequency.sum()), m)
        assert len(list(batches(counts, m))) <= 60


def test_batches_of_rows_that_are_not_eligible_are_a_bug():
    with pytest.raises(AssertionError, match="Lemma 5"):
        list(batches(np.array([3, 1]), 2))
