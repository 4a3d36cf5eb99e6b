"""Balancing and assignment over numbers of rows, beside enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from anonymizers.balancing import batches, eligible, keep

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
    for signature, rows in batches(counts, m):
        assert len(set(signature)) == len(signature) >= m
        assert list(signature) == sorted(signature)
        assert (signature, rows) == first_batch(left.tolist(), m)
        left[list(signature)] -= rows
    assert not left.any()


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
