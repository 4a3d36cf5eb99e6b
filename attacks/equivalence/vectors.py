"""Vectors: equivalences as integer vectors over the columns of the person matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.model.arrays import Codes, Counts, Flags


@dataclass(frozen=True, slots=True)
class Vector:
    """An equivalence x = W S with W U = 0: people with positive entries share their values with the others.

    Attributes:
        columns: the columns with entries other than 0, ascending; shape (n,), int32.
        times: the entries, the first of them positive; shape (n,), int32.
    """

    columns: Codes
    times: Codes

    @property
    def e(self) -> int:
        """Half the sum of all absolute entries (Definition 10)."""
        return int(np.abs(self.times).sum()) // 2

    @classmethod
    def of(cls, entries: dict[int, int]) -> Vector:
        """Return the vector with some entries by column, or its negative.

        >>> Vector.of({4: 0, 3: -1, 7: 1})
        Vector(columns=array([3, 7], dtype=int32), times=array([ 1, -1], dtype=int32))
        """
        columns = sorted(column for column, times in entries.items() if times)
        sign = 1 if not columns or entries[columns[0]] > 0 else -1
        return cls(
            np.array(columns, dtype=np.int32), np.array([sign * entries[column] for column in columns], dtype=np.int32)
        )


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Many equivalences, as columns.

    Attributes:
        start: where each equivalence's columns begin, and their number at the end; shape (n + 1,), int64.
        columns, times: as of `Vector`, one after the other; int32.
        e: of each; shape (n,), int32.
    """

    start: Counts
    columns: Codes
    times: Codes
    e: Codes

    def __len__(self) -> int:
        """Return the number of equivalences."""
        return len(self.e)

    def vector(self, place: int) -> Vector:
        """Return the equivalence at a place."""
        span = slice(self.start[place], self.start[place + 1])
        return Vector(self.columns[span], self.times[span])

    def with_some(self, columns: Flags) -> Flags:
        """Return which equivalences have entries in some of these columns; shape (n,), bool."""
        found: Flags = np.add.reduceat(np.append(columns[self.columns], False), self.start[:-1]) > 0
        return found

    def and_those(self, more: Witnesses) -> Witnesses:
        """Return these equivalences, followed by others."""
        return Witnesses(
            np.concatenate([self.start, self.start[-1] + more.start[1:]]),
            np.concatenate([self.columns, more.columns]),
            np.concatenate([self.times, more.times]),
            np.concatenate([self.e, more.e]),
        )

    @classmethod
    def of(cls, vectors: Sequence[Vector]) -> Witnesses:
        """Return some equivalences as columns."""
        sizes = np.array([0, *(len(vector.columns) for vector in vectors)], dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int32)
        return cls(
            np.cumsum(sizes),
            np.concatenate([nothing, *(vector.columns for vector in vectors)]),
            np.concatenate([nothing, *(vector.times for vector in vectors)]),
            np.array([vector.e for vector in vectors], dtype=np.int32),
        )

    @classmethod
    def between(cls, left: Codes, right: Codes) -> Witnesses:
        """Return the equivalences between sides of e columns each, with possible repetitions; shapes (n, e)."""
        pairs, e = left.shape
        both = np.concatenate([left, right], axis=1).astype(np.int64)
        key, place = np.unique((np.arange(pairs)[:, None] << 32 | both).ravel(), return_inverse=True)
        times = np.zeros(len(key), dtype=np.int32)
        np.add.at(times, place, np.tile(np.repeat(np.array([1, -1], dtype=np.int32), e), pairs))
        key, times = key[times != 0], times[times != 0]
        start = np.searchsorted(key, np.arange(pairs + 1) << 32)
        sign = np.sign(times[start[:-1]]) if pairs else times
        times = times * np.repeat(sign, np.diff(start))
        return cls(start, (key & 0xFFFFFFFF).astype(np.int32), times, np.full(pairs, e, dtype=np.int32))
