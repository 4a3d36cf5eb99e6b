"""Arithmetic modulo the prime beside Python's whole numbers, plain and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from attacks.equivalence import field
from attacks.equivalence.field import PRIME

numbers = st.integers(0, PRIME - 1) | st.sampled_from([0, 1, 12, 13, 2**29 - 1, 2**29, 2**56, PRIME - 2, PRIME - 1])
_multiplied, _reduced = njit(field.multiplied), njit(field.reduced)


@njit
def multiplied_one_by_one(left, right, out):
    for i in range(len(out)):
        out[i] = _multiplied(left[i], right[i])


@njit
def reduced_one_by_one(total, out):
    for i in range(len(out)):
        out[i] = _reduced(total[i])


def test_the_prime_is_prime():
    """Miller and Rabin's test is a proof below 3 * 10**24 with the first thirteen primes for bases."""
    odd, twos = PRIME - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        powers = [pow(base, odd << i, PRIME) for i in range(twos)]
        assert powers[0] == 1 or PRIME - 1 in powers


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20))
def test_products(pairs):
    left, right = np.array(pairs, dtype=np.uint64).T.copy()
    expected = [one * other % PRIME for one, other in pairs]
    assert field.multiplied(left, right).tolist() == expected
    out = np.zeros_like(left)
    multiplied_one_by_one(left, right, out)
    assert out.tolist() == expected


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([2**57 - 1, PRIME, 127 * PRIME, 2**64 - 1])))
def test_remainders(totals):
    total = np.array(totals, dtype=np.uint64)
    expected = [number % PRIME for number in totals]
    assert field.reduced(total).tolist() == expected
    out = np.zeros_like(total)
    reduced_one_by_one(total, out)
    assert out.tolist() == expected


@given(st.lists(st.lists(numbers, max_size=5)))
def test_sums_of_runs(runs):
    start = np.cumsum([0, *map(len, runs)])
    terms = np.array([number for run in runs for number in run], dtype=np.uint64)
    assert field.sums(start, terms).tolist() == [sum(run) % PRIME for run in runs]


def test_long_sums():
    terms = np.full(100_000, PRIME - 1, dtype=np.uint64)
    assert field.sums(np.array([0, 0, 100_000, 100_000]), terms).tolist() == [0, -100_000 % PRIME, 0]


@pytest.mark.parametrize("least", [0, 1])
def test_uniform_numbers(least):
    drawn = field.uniform(np.random.default_rng(1), 10_000, least)
    assert drawn.dtype == np.uint64
    assert drawn.max() < PRIME
    assert abs(drawn.astype(np.float64).mean() / PRIME - 0.5) < 0.02
    assert len(field.uniform(np.random.default_rng(1), 0, least)) == 0
