"""Lattices: all integer vectors x = W S with W U = 0 and rational W, by exact elimination.

Identical columns of the person matrix have equal entries in every such vector, so one variable, a *type*, stands for
all of them. Eliminating the value matrix and then the person matrix leaves a reduced basis of the vectors; it falls
into blocks that have nothing to do with each other, and its orthogonal complement says which integer vectors belong
(Definitions 9 and 10 of the equivalence paper; its Lemma 2, integer weights, is not needed).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.evidence import Codes

Row: TypeAlias = dict[int, int]
_WORK = 20_000_000
"""How many entries an elimination may go through, which takes some ten seconds."""


class TooLargeError(Exception):
    """An elimination takes too long."""


@dataclass(frozen=True, slots=True)
class Types:
    """Columns of the person matrix merged where they are identical.

    Attributes:
        of: the type of each column, -1 where it is in no group; shape (columns,), int32.
        groups: the groups of each type, ascending.
        size: number of columns of each type.
    """

    of: Codes
    groups: list[list[int]]
    size: list[int]

    @classmethod
    def among(cls, matrix: Matrix) -> Types:
        """Return the types of a matrix, numbered by their first columns."""
        start, group = matrix.by_column()
        numbers: dict[bytes, int] = {}
        of = np.full(matrix.columns, -1, dtype=np.int32)
        for column in np.flatnonzero(np.diff(start)):
            key = group[start[column] : start[column + 1]].tobytes()
            of[column] = numbers.setdefault(key, len(numbers))
        groups = [np.frombuffer(key, dtype=group.dtype).tolist() for key in numbers]
        return cls(of, groups, np.bincount(of[of >= 0], minlength=len(groups)).tolist())


@dataclass(frozen=True, slots=True)
class Lattice:
    """A block of integer vectors that are equivalences, over some of the types.

    Attributes:
        types: the types that are not zero in all of them, ascending.
        basis: linearly independent vectors whose rational combinations are the others, as far as these are integer;
            each has a type, its pivot, where all others are zero, and no common divisor.
        relations: an integer vector over the types belongs exactly when its product with each of these rows is 0.
    """

    types: list[int]
    basis: list[Row]
    relations: list[Row]

    def holds(self, vector: Mapping[int, int]) -> bool:
        """Tell whether an integer vector over the types belongs to the lattice."""
        return not any(sum(times * vector.get(at, 0) for at, times in row.items()) for row in self.relations)


def joint_rows(matrix: Matrix, types: Types) -> list[Row]:
    """Return each group's values and types as one row; types are numbered after the values."""
    rows: list[Row] = []
    for group in range(matrix.groups):
        entries = slice(matrix.value_start[group], matrix.value_start[group + 1])
        rows.append(dict(zip(matrix.value[entries].tolist(), matrix.rows[entries].tolist(), strict=True)))
    for at, groups in enumerate(types.groups, matrix.values):
        for group in groups:
            rows[group][at] = 1
    return rows


def lattices(rows: Iterable[Row], values: int, budget: Budget) -> list[Lattice]:
    """Return the blocks whose sums are all equivalences of some groups, given as joint rows; [] where there are none.

    Time grows with the non-zero entries of the reduced basis, which stays sparse while most groups have somebody who
    is in few groups, and with their lengths.

    Raises:
        TooLargeError: it takes too long.
    """
    without_values = Elimination((dict(row) for row in rows), budget)
    without_values.forward(range(values))
    left = ({at - values: times for at, times in row.items()} for row in without_values.left())
    elimination = Elimination(left, budget)
    elimination.reduce()
    heads, reduced = list(elimination.pivots), list(elimination.pivots.values())
    return [_lattice({heads[at]: reduced[at] for at in block}) for block in connected(reduced)]


class Elimination:
    """Gaussian elimination on sparse rows of integers, divided by their common divisors; exact.

    Attributes:
        holders: the rows in which each column is not zero.
        pivots: the reduced rows by their pivots, once `reduce` is done.
    """

    def __init__(self, rows: Iterable[Row], budget: Budget) -> None:
        self._budget, self._work = budget, 0
        self._rows = dict(enumerate(rows))
        self._live = set(self._rows)
        self.holders: dict[int, set[int]] = {}
        self.pivots: dict[int, Row] = {}
        for number, row in self._rows.items():
            for at in row:
                self.holders.setdefault(at, set()).add(number)

    def forward(self, columns: Iterable[int]) -> None:
        """Clear columns: each pivot's row is used once and dropped."""
        for at, number in self._pivots(columns):
            self._clear(at, number)
            for other in self._rows.pop(number):
                self.holders[other].discard(number)

    def left(self) -> list[Row]:
        """Return the rows that were not used, but for those that are zero."""
        return [row for row in self._rows.values() if row]

    def reduce(self) -> None:
        """Bring everything to reduced form: in each pivot's column nothing but the pivot, which is positive."""
        for at, number in self._pivots(list(self.holders)):
            row = self._rows[number]
            if row[at] < 0:
                row.update({other: -times for other, times in row.items()})
            self._clear(at, number)
            self.pivots[at] = row

    def _pivots(self, columns: Iterable[int]) -> Iterable[tuple[int, int]]:
        """Yield columns with the rows to use for them, few entries and short rows with small numbers first."""
        queue = [(len(self.holders[at]), at) for at in columns if at in self.holders]
        heapq.heapify(queue)
        while queue:
            count, at = heapq.heappop(queue)
            if count != len(self.holders[at]):
                heapq.heappush(queue, (len(self.holders[at]), at))
                continue
            if self._work > _WORK or self._budget.spent():
                raise TooLargeError
            usable = self.holders[at] & self._live
            if usable:
                number = min(usable, key=lambda row: (abs(self._rows[row][at]), len(self._rows[row]), row))
                self._live.discard(number)
                yield at, number

    def _clear(self, at: int, number: int) -> None:
        """Make a column zero in all rows but one."""
        pivot = self._rows[number]
        for other in sorted(self.holders[at] - {number}):
            row = self._rows[other]
            self._work += len(row) + len(pivot)
            shared = math.gcd(row[at], pivot[at])
            by, less = pivot[at] // shared, row[at] // shared
            if by != 1:
                row.update({column: by * times for column, times in row.items()})
            for column, times in pivot.items():
                left = row.get(column, 0) - less * times
                if left:
                    row[column] = left
                    self.holders[column].add(other)
                else:
                    del row[column]
                    self.holders[column].discard(other)
            divisor = math.gcd(*row.values())
            if divisor > 1:
                row.update({column: times // divisor for column, times in row.items()})


def connected(rows: Sequence[Iterable[int]]) -> list[list[int]]:
    """Return the numbers of rows, those together that share columns directly or through others.

    >>> connected([[0, 1], [2], [1, 3]])
    [[0, 2], [1]]
    """
    above: dict[int, int] = {}

    def top(at: int) -> int:
        while above.setdefault(at, at) != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    firsts = []
    for row in rows:
        first, *others = row
        firsts.append(first)
        for other in others:
            above[top(other)] = top(first)
    together: dict[int, list[int]] = {}
    for number, first in enumerate(firsts):
        together.setdefault(top(first), []).append(number)
    return list(together.values())


def _lattice(pivots: Mapping[int, Row]) -> Lattice:
    """Return the lattice of a block of reduced rows: an entry that is no pivot's follows from those of the pivots."""
    common: dict[int, int] = {}
    for head, row in pivots.items():
        for at in row:
            common[at] = math.lcm(common.get(at, 1), row[head])
    parts: dict[int, Row] = {at: {} for at in sorted(common) if at not in pivots}
    for head, row in pivots.items():
        for at, times in row.items():
            if at != head:
                parts[at][head] = common[at] // row[head] * times
    relations = []
    for at, part in parts.items():
        divisor = math.gcd(common[at], *part.values())
        relations.append({at: -common[at] // divisor} | {head: times // divisor for head, times in part.items()})
    return Lattice(sorted(common), list(pivots.values()), relations)
