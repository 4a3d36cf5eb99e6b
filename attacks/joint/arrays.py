"""Ragged arrays and lookups in numpy."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int64]
Integers: TypeAlias = npt.NDArray[np.integer[Any]]

# Larger key spaces are searched instead of tabulated.
_MOST_TABULATED = 1 << 26


def starts(sizes: Integers) -> Numbers:
    """Return where segments of some sizes begin, and where the last one ends.

    >>> starts(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    found = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, dtype=np.int64, out=found[1:])
    return found


def ragged(first: Integers, size: Integers) -> Numbers:
    """Return the places of some segments, one segment after the other.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(size) - size
    return np.arange(int(size.sum()), dtype=np.int64) + np.repeat(first - before, size)


def segments(start: Integers, some: Integers) -> Numbers:
    """Return the places of the segments of some items of a ragged array, one segment after the other."""
    return ragged(start[some], start[some + 1] - start[some])


def mixed(numbers: Integers, seed: int) -> npt.NDArray[np.uint64]:
    """Return well mixed 64-bit numbers (splitmix64), for fingerprints that are verified afterwards."""
    z = numbers.astype(np.uint64) + np.uint64((0x9E3779B97F4A7C15 * (2 * seed + 1)) & (2**64 - 1))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def renumbered(used: Integers, size: int) -> tuple[Numbers, Numbers]:
    """Return the distinct numbers below `size` among some, ascending, and the rank of each number, -1 for the others.

    >>> [found.tolist() for found in renumbered(np.array([4, 1, 4]), 5)]
    [[1, 4], [-1, 0, -1, -1, 1]]
    """
    flags = np.zeros(size, dtype=np.bool_)
    flags[used] = True
    distinct = np.flatnonzero(flags)
    rank = np.full(size, -1, dtype=np.int64)
    rank[distinct] = np.arange(len(distinct))
    return distinct, rank


class Lookup:
    """Where keys stand among distinct ascending keys below `size`; -1 for those that do not."""

    def __init__(self, keys: Numbers, size: int) -> None:
        self._keys, self._table = keys, np.zeros(0, dtype=np.int32)
        if size <= _MOST_TABULATED:
            self._table = np.full(size, -1, dtype=np.int32)
            self._table[keys] = np.arange(len(keys), dtype=np.int32)

    def __call__(self, wanted: Numbers) -> Numbers:
        """Return the place of each key."""
        if len(self._table):
            return self._table[wanted].astype(np.int64)
        if not len(self._keys):
            return np.full(len(wanted), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[place] == wanted, place, -1).astype(np.int64)
