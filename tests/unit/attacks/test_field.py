"""Arithmetic modulo random primes beside Python's whole numbers, plain and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from attacks.equivalence import field
from attacks.equivalence.field import Field

LEAST, LARGEST = 2**55 + 3, 2**57 - 13
PRIMES = [
    LEAST,
    LARGEST,
    144115188075855857,
    *(int(Field.drawn(np.random.default_rng(seed)).prime) for seed in range(9)),
]
primes = st.sampled_from(PRIMES)
_multiplied, _reduced = njit(field.multiplied), njit(field.reduced)


def numbers_of(prime):
    edges = [0, 1, 12, 13, 2**29 - 1, 2**29, 2**55, prime // 2, prime // 2 + 1, prime - 2, prime - 1]
    return st.integers(0, prime - 1) | st.sampled_from(edges)


@njit
def multiplied_one_by_one(left, right, out, numbers):
    for i in range(len(out)):
        out[i] = _multiplied(left[i], right[i], numbers)


@njit
def reduced_one_by_one(total, out, numbers):
    for i in range(len(out)):
        out[i] = _reduced(total[i], numbers)


def test_primes_are_recognised():
    """All odd numbers from 41 on, beside trial division; then the largest and the least of those that are drawn."""
    for number in range(41, 5_000, 2):
        assert field.is_prime(number) == all(number % factor for factor in range(3, int(number**0.5) + 1, 2))
    assert next(number for number in range(2**55 + 1, 2**55 + 99, 2) if field.is_prime(number)) == LEAST
    assert next(number for number in range(2**57 - 1, 2**57 - 99, -2) if field.is_prime(number)) == LARGEST
    # Pseudoprimes: Carmichael's, to the first bases, and a product of two primes of 28 bits.
    assert not any(map(field.is_prime, (561, 3215031751, 3825123056546413051, 268435399 * 268435367)))


def test_primes_are_drawn_at_random():
    """A law of the draw: 200 draws are 200 primes of 56 and 57 bits, a third of them of 56."""
    drawn = [int(Field.drawn(np.random.default_rng(seed)).prime) for seed in range(200)]
    assert len(set(drawn)) == 200
    assert all(field.is_prime(prime) for prime in drawn)
    assert min(drawn) > 2**55
    assert max(drawn) < 2**57
    assert 40 < sum(prime < 2**56 for prime in drawn) < 95


@given(primes.flatmap(lambda p: st.tuples(st.just(p), st.lists(st.tuples(*[numbers_of(p)] * 2), min_size=1))))
def test_products(case):
    prime, pairs = case
    left, right = np.array(pairs, dtype=np.uint64).T.copy()
    expected = [one * other % prime for one, other in pairs]
    assert field.multiplied(left, right, Field.of(prime)).tolist() == expected
    out = np.zeros_like(left)
    multiplied_one_by_one(left, right, out, Field.of(prime))
    assert out.tolist() == expected


@pytest.mark.parametrize("prime", PRIMES)
def test_many_products_and_remainders(prime):
    """Quotients are estimated: a hundred thousand products near the prime, and totals near its multiples."""
    rng, numbers = np.random.default_rng(prime), Field.of(prime)
    left, right = (np.uint64(prime - 1) - rng.integers(0, 2**20, 100_000, dtype=np.uint64) for _ in range(2))
    expected = [one * other % prime for one, other in zip(left.tolist(), right.tolist(), strict=True)]
    assert field.multiplied(left, right, numbers).tolist() == expected
    times = rng.integers(1, 2**64 // prime, 100_000).tolist()
    near = rng.integers(-3, 4, 100_000).tolist()
    total = [many * prime + more for many, more in zip(times, near, strict=True)]
    assert field.reduced(np.array(total, dtype=np.uint64), numbers).tolist() == [each % prime for each in total]


@given(primes, st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([2**57 - 1, LARGEST, 127 * LARGEST, 2**64 - 1])))
def test_remainders(prime, totals):
    total = np.array(totals, dtype=np.uint64)
    expected = [number % prime for number in totals]
    assert field.reduced(total, Field.of(prime)).tolist() == expected
    out = np.zeros_like(total)
    reduced_one_by_one(total, out, Field.of(prime))
    assert out.tolist() == expected


@given(primes.flatmap(lambda p: st.tuples(st.just(p), st.lists(st.lists(numbers_of(p), max_size=5)))))
def test_sums_of_runs(case):
    prime, runs = case
    start = np.cumsum([0, *map(len, runs)])
    terms = np.array([number for run in runs for number in run], dtype=np.uint64)
    assert field.sums(start, terms, Field.of(prime)).tolist() == [sum(run) % prime for run in runs]


@pytest.mark.parametrize("prime", PRIMES)
def test_long_sums(prime):
    terms = np.full(100_000, prime - 1, dtype=np.uint64)
    found = field.sums(np.array([0, 0, 100_000, 100_000]), terms, Field.of(prime))
    assert found.tolist() == [0, -100_000 % prime, 0]


@pytest.mark.parametrize("least", [0, 1])
def test_uniform_numbers(least):
    drawn = field.uniform(np.random.default_rng(1), 10_000, Field.of(LEAST), least)
    assert drawn.dtype == np.uint64
    assert drawn.max() < LEAST
    assert abs(drawn.astype(np.float64).mean() / LEAST - 0.5) < 0.02
    assert len(field.uniform(np.random.default_rng(1), 0, Field.of(LEAST), least)) == 0
