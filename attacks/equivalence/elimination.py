"""Elimination: sparse systems of equations with whole coefficients, solved exactly or modulo a prime.

The prime is so large that a rational solution with numerators and denominators of up to 18 digits is determined by its
residues. The caller checks the solution in exact arithmetic: a solution with more digits comes out wrong.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, MutableMapping
from fractions import Fraction
from typing import TypeAlias

Row: TypeAlias = dict[int, int]
"""The coefficients of a row by column, none of them 0."""

RIGHT = -(2**62)
"""The column for the right-hand side of a row. Unknowns are columns from 0 on."""
_PRIME = 2**127 - 1
# The limit of visited entries before the elimination is given up, about half a second of work.
_SOLUTION_ENTRIES = 2_000_000


class TooMuchWorkError(Exception):
    """A question takes more work than permitted, so it remains undecided."""


class Elimination:
    """Gaussian elimination on sparse rows: of integers, divided by their common divisors, or modulo a prime.

    Attributes:
        holders: for each column, the rows in which it is not zero.
        used: the pivots with their rows, in the order in which `forward` used them.
        pivots: the reduced rows by their pivots, after `reduce`.
        most: how many more entries may be visited; the default takes some seconds.

    Raises:
        TooMuchWorkError: a method exceeds the limit of entries.
    """

    most: float = 5_000_000

    def __init__(self, rows: Iterable[Row], prime: int = 0, most: float | None = None) -> None:
        self._prime = prime
        if most is not None:
            self.most = most
        self._rows = {number: dict(row) for number, row in enumerate(rows)}
        self._live = set(self._rows)
        self.holders: dict[int, set[int]] = {}
        self.used: list[tuple[int, Row]] = []
        self.pivots: dict[int, Row] = {}
        for number, row in self._rows.items():
            for at in row:
                self.holders.setdefault(at, set()).add(number)

    def forward(self, columns: Iterable[int], *, in_order: bool = False) -> None:
        """Eliminate columns, in the given order or those with the fewest entries first, and remove the rows used."""
        for at, number in self._pivots(columns, in_order=in_order):
            self._clear(at, number)
            row = self._rows.pop(number)
            for column in row:
                self.holders[column].discard(number)
            self.used.append((at, row))

    def left(self) -> list[Row]:
        """Return the rows that are neither used nor zero."""
        return [row for row in self._rows.values() if row]

    def substitute(self, numbers: MutableMapping[int, int]) -> None:
        """Set the numbers of the pivots so that the used rows hold modulo the prime, given those of other columns."""
        for at, row in reversed(self.used):
            rest = sum(times * numbers[column] for column, times in row.items() if column >= 0 and column != at)
            numbers[at] = (row.get(RIGHT, 0) - rest) * pow(row[at], -1, self._prime) % self._prime

    def reduce(self) -> None:
        """Reduce the rows: each pivot's column has only the pivot, which is positive."""
        for at, number in self._pivots(list(self.holders)):
            row = self._rows[number]
            if row[at] < 0:
                row.update({column: -times for column, times in row.items()})
            self._clear(at, number)
            self.pivots[at] = row

    def _pivots(self, columns: Iterable[int], *, in_order: bool = False) -> Iterator[tuple[int, int]]:
        """Yield columns with the rows to use for them: short rows with small numbers first."""
        queue = [(0 if in_order else len(self.holders[at]), at) for at in columns if at in self.holders]
        heapq.heapify(queue)
        while queue:
            count, at = heapq.heappop(queue)
            if not in_order and count != len(self.holders[at]):
                heapq.heappush(queue, (len(self.holders[at]), at))
                continue
            usable = self.holders[at] & self._live
            if usable:
                number = min(usable, key=lambda row: (self._size(row, at), len(self._rows[row]), row))
                self._live.discard(number)
                yield at, number

    def _size(self, number: int, at: int) -> int:
        return 0 if self._prime else abs(self._rows[number][at])

    def _clear(self, at: int, number: int) -> None:
        """Make a column zero in all rows but one."""
        pivot, prime = self._rows[number], self._prime
        inverse = pow(pivot[at], -1, prime) if prime else 0
        for changed in sorted(self.holders[at] - {number}):
            row = self._rows[changed]
            self.most -= len(row) + len(pivot)
            if self.most < 0:
                raise TooMuchWorkError
            if prime:
                self._subtract(changed, pivot, row[at] * inverse % prime)
                continue
            shared = math.gcd(row[at], pivot[at])
            by, times = pivot[at] // shared, row[at] // shared
            if by != 1:
                row.update({column: by * entry for column, entry in row.items()})
            self._subtract(changed, pivot, times)
            divisor = math.gcd(*row.values())
            if divisor > 1:
                row.update({column: entry // divisor for column, entry in row.items()})

    def _subtract(self, number: int, pivot: Row, times: int) -> None:
        """Subtract a multiple of one row from another one."""
        row, prime = self._rows[number], self._prime
        for column, entry in pivot.items():
            left = row.get(column, 0) - times * entry
            if prime:
                left %= prime
            if left:
                row[column] = left
                self.holders[column].add(number)
            else:
                del row[column]
                self.holders[column].discard(number)


def solution_of(equations: list[Row]) -> dict[int, Fraction] | None:
    """Return a solution of some equations by unknown; None if there is none or it takes too much work.

    If there are several, as many of the last unknowns as possible are 0. Unknowns that are 0 are left out. A solution
    with numerators or denominators of more than 18 digits comes out wrong: the caller checks it.

    >>> solution_of([{0: 1, 1: 2, RIGHT: 1}, {1: 2, 2: 1}])
    {0: Fraction(1, 1)}
    """
    elimination = Elimination(equations, _PRIME, _SOLUTION_ENTRIES)
    unknowns = sorted(at for at in elimination.holders if at >= 0)
    try:
        elimination.forward(unknowns, in_order=True)
    except TooMuchWorkError:
        return None
    if elimination.left():
        return None
    residues = dict.fromkeys(unknowns, 0)
    elimination.substitute(residues)
    return {unknown: _rational(residue) for unknown, residue in residues.items() if residue}


def _rational(residue: int) -> Fraction:
    """Return the fraction with the smallest terms that has a residue, by Euclid's algorithm stopped half way."""
    before, now, lower, upper = _PRIME, residue, 0, 1
    while 2 * now * now > _PRIME:
        times = before // now
        before, now = now, before - times * now
        lower, upper = upper, lower - times * upper
    return Fraction(now, upper)
