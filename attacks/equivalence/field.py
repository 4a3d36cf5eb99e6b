"""Arithmetic modulo a prime of 56 or 57 bits, drawn at random, on uint64.

A relation that holds modulo a prime need not hold for fractions, and weights whose denominators are multiples of the
prime are missed: a publisher could craft a series against any prime that is known beforehand. So a new prime is drawn
each time, from about 2.8 * 10**15.

Numbers are less than the prime, which leaves seven bits of a word: a sum of up to 127 numbers does not overflow and is
reduced once. Quotients are estimated by doubles. For products (less than 2**114) they err by less than 60, so that the
remainder is between -60 and 60 primes, which fits into a signed word. The functions without loops work on arrays and,
compiled by numba, on single numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Residues: TypeAlias = npt.NDArray[np.uint64]

BITS = 57
LEAST_PRIME = 2**55
PRIMES = 2.8e15
"""The approximate number of primes of 56 and of 57 bits."""
TERMS = 127

_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_ONE = np.uint64(1)
_ROOM = np.int64(64)
_WORD_BITS = np.uint64(32)
_WORD_LOW = np.uint64(2**32 - 1)
_WORD = np.uint64(2**32)


class Field(NamedTuple):
    """The whole numbers modulo a prime.

    Attributes:
        prime: the prime, of 56 or 57 bits.
        inverse: its reciprocal.
    """

    prime: np.uint64
    inverse: np.float64

    @classmethod
    def of(cls, prime: int) -> Field:
        """Return the field of a prime."""
        return cls(np.uint64(prime), np.float64(1 / prime))

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Field:
        """Return the field of a prime of 56 or 57 bits, all equally likely."""
        while True:
            number = int(rng.integers(LEAST_PRIME, 2**BITS)) | 1
            if is_prime(number):
                return cls.of(number)


def is_prime(number: int) -> bool:
    """Return whether an odd number from 41 on, less than 3 * 10**23, is a prime: Miller and Rabin's test proves it."""
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    return all(
        (power := pow(base, (number - 1) >> twos, number)) == 1
        or any(pow(power, 1 << i, number) == number - 1 for i in range(twos))
        for base in _WITNESSES
    )


def reduced(total: Any, field: Field) -> Any:  # noqa: ANN401 - arrays, or single numbers when compiled
    """Return any uint64, such as a sum of at most 127 numbers, modulo the prime."""
    quotient = np.int64(np.float64(np.int64(total >> _ONE)) * field.inverse * 2.0)
    left = total - np.uint64(quotient) * field.prime
    # A quotient that is one too high leaves a negative number, which is larger than any other as unsigned.
    left = np.minimum(left, left + field.prime)
    return np.minimum(left, left - field.prime)


def multiplied(left: Any, right: Any, field: Field) -> Any:  # noqa: ANN401
    """Return products modulo the prime."""
    quotient = np.int64(np.float64(np.int64(left)) * np.float64(np.int64(right)) * field.inverse)
    rest = left * right - np.uint64(quotient - _ROOM) * field.prime
    # As in `reduced`, which numba could not call here.
    quotient = np.int64(np.float64(np.int64(rest >> _ONE)) * field.inverse * 2.0)
    rest = rest - np.uint64(quotient) * field.prime
    rest = np.minimum(rest, rest + field.prime)
    return np.minimum(rest, rest - field.prime)


def uniform(rng: np.random.Generator, count: int, field: Field, least: int = 0) -> Residues:
    """Return independent numbers from `least` on, all equally likely; shape (count,)."""
    return rng.integers(least, int(field.prime), count, dtype=np.uint64)


def sums(start: npt.NDArray[np.integer], terms: Residues, field: Field) -> Residues:
    """Return the sum of each run of terms, which begin at `start`, modulo the prime; shape (len(start) - 1,).

    Runs may be empty, and have up to 2**32 terms: their halves are summed separately and do not overflow.
    """
    filled = np.flatnonzero(np.diff(start))
    total = np.zeros(len(start) - 1, dtype=np.uint64)
    low = np.add.reduceat(terms & _WORD_LOW, start[filled])
    high = np.add.reduceat(terms >> _WORD_BITS, start[filled])
    total[filled] = reduced(reduced(low, field) + multiplied(reduced(high, field), _WORD, field), field)
    return total
