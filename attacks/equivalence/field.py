"""Arithmetic modulo a prime of 57 bits, on uint64.

The prime leaves seven bits of room, so that a sum of 127 numbers is reduced once. 2**57 is 13 modulo the prime: what
stands above bit 57 is folded back by a small product. Numbers are less than `PRIME`; nothing below ever overflows. The
functions without loops are written for arrays and, compiled by numba, for single numbers alike.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Field: TypeAlias = npt.NDArray[np.uint64]

PRIME = 2**57 - 13
TERMS = 127

_BITS = np.uint64(57)
_LOW = np.uint64(2**57 - 1)
_FOLD = np.uint64(13)
_PRIME = np.uint64(PRIME)
_HALF_BITS = np.uint64(29)
_HALF_LOW = np.uint64(2**29 - 1)
_REST_BITS = np.uint64(28)
_REST_LOW = np.uint64(2**28 - 1)
_TWICE_FOLD = np.uint64(26)
_WORD_BITS = np.uint64(32)
_WORD_LOW = np.uint64(2**32 - 1)
_WORD = np.uint64(2**32)


def reduced(total: Any) -> Any:  # noqa: ANN401 - arrays, or single numbers when compiled
    """Return any uint64, such as a sum of at most 127 numbers, modulo the prime."""
    folded = (total & _LOW) + (total >> _BITS) * _FOLD
    return np.minimum(folded, folded - _PRIME)


def multiplied(left: Any, right: Any) -> Any:  # noqa: ANN401
    """Return products modulo the prime.

    Both factors are split at bit 29, so that 2**58 = 26 is the weight of the high halves' product, and what the mixed
    products hold above bit 28 has the weight 2**57 = 13. The sum before the last reduction is less than 2**62.
    """
    left_high, left_low = left >> _HALF_BITS, left & _HALF_LOW
    right_high, right_low = right >> _HALF_BITS, right & _HALF_LOW
    mixed = left_high * right_low + left_low * right_high
    total = left_high * right_high * _TWICE_FOLD + (mixed >> _REST_BITS) * _FOLD
    total += ((mixed & _REST_LOW) << _HALF_BITS) + left_low * right_low
    folded = (total & _LOW) + (total >> _BITS) * _FOLD
    return np.minimum(folded, folded - _PRIME)


def uniform(rng: np.random.Generator, count: int, least: int = 0) -> Field:
    """Return independent numbers from `least` on, all equally likely; shape (count,)."""
    return rng.integers(least, PRIME, count, dtype=np.uint64)


def sums(start: npt.NDArray[np.integer], terms: Field) -> Field:
    """Return the sum of each run of terms, which begin at `start`, modulo the prime; shape (len(start) - 1,).

    Runs may be empty, and have up to 2**32 terms: their halves are summed apart and do not overflow.
    """
    some = np.flatnonzero(np.diff(start))
    total = np.zeros(len(start) - 1, dtype=np.uint64)
    low = np.add.reduceat(terms & _WORD_LOW, start[some])
    high = np.add.reduceat(terms >> _WORD_BITS, start[some])
    total[some] = reduced(reduced(low) + multiplied(reduced(high), _WORD))
    return total
