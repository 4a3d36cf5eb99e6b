"""What the rows of a release look like: which have equal cells, and whether those of one group have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from audit.io.tables import Coded
from audit.model.arrays import Codes
from audit.model.composite_keys import row_ranks

_FEW_RUNS = 2
"""Runs are looked at instead of rows where there are so many times fewer."""


@dataclass(frozen=True)
class Alike:
    """Which rows of a release look alike.

    Attributes:
        by_group: whether rows of one group always do.
        numbered: what returns the numbers.
    """

    by_group: bool
    numbered: Callable[[], Codes]

    @cached_property
    def number(self) -> Codes:
        """Numbers that are equal for rows with equal published quasi-identifiers; int32, by group code or by row."""
        return self.numbered()

    def of_rows(self, group: Codes) -> Codes:
        """Return the numbers by row, of which the groups are given; shape (rows,)."""
        return self.number.take(group) if self.by_group else self.number

    def of_some(self, rows: npt.NDArray[np.intp]) -> Alike:
        """Return the same of some of the rows."""
        return self if self.by_group else Alike(False, partial(np.take, self.number, rows))


class RowLooks:
    """The cells of a release, looked at once for each run of rows that have one group and equal cells.

    Releases mostly come sorted by group, so that there are far fewer runs than rows.

    Args:
        group: the group of each row.
        columns: the cells of each quasi-identifier, as codes of any type of integers by row, and a bound on them.
    """

    def __init__(self, group: Coded, columns: Sequence[tuple[npt.NDArray[np.integer], int]]) -> None:
        self.rows = len(group.codes)
        self._size = group.size
        self._first = _runs([group.codes, *(codes for codes, _ in columns)])
        self._length = None if self._first is None else np.diff(self._first, append=self.rows)
        self._group = self._of_runs(group.codes)
        self.columns = [(self._of_runs(codes), bound) for codes, bound in columns]
        self.varying = self._varying()

    def replace(self, place: int, codes: npt.NDArray[np.integer], bound: int) -> None:
        """Have other codes by row in a column; rows that had equal cells have equal ones still."""
        self.columns[place] = self._of_runs(codes), bound

    def alike(self) -> Alike:
        """Return which rows look alike; no cells are replaced from then on."""
        if not self.varying:
            return Alike(True, self._of_groups)
        number = of_groups(self._group, self._size, self.number)
        if number is not None:
            return Alike(True, partial(np.asarray, number))
        return Alike(False, partial(np.repeat, self.number, 1 if self._length is None else self._length))

    @cached_property
    def number(self) -> Codes:
        """A number for each run, equal for those with equal cells, in the order of their codes; int32."""
        return row_ranks(self.columns, len(self._group)) if self.varying else self._of_groups().take(self._group)

    def _of_groups(self) -> Codes:
        """Return a number for each group, which looks like any of its rows; 0 for unused codes."""
        row = np.full(self._size, -1, dtype=np.intp)
        row[self._group] = np.arange(len(self._group))
        groups = np.flatnonzero(row >= 0)
        rows = row[groups]
        number = np.zeros(self._size, dtype=np.int32)
        number[groups] = row_ranks([(codes[rows], bound) for codes, bound in self.columns], len(rows))
        return number

    def people(self, counts: npt.NDArray[np.int64] | None, less: int | None = None) -> npt.NDArray[np.int64]:
        """Return how many people each run stands for, none those of the group `less`.

        `counts` says it of rows, which stand for one each without.
        """
        if self._first is None or self._length is None:
            people = np.ones(self.rows, dtype=np.int64) if counts is None else counts
        else:
            people = self._length if counts is None else np.add.reduceat(counts, self._first)
        return people if less is None else np.where(self._group == less, 0, people)

    def fewest(self, people: npt.NDArray[np.int64]) -> int:
        """Return how many people are at least in each class of rows that look alike; `people` says it of runs.

        Rows of a group that all look alike are in one class, which is no smaller than the group: no rows are compared.
        """
        if self.varying:
            return 1
        sizes = np.bincount(self._group, weights=people)
        return int(sizes[sizes > 0].min())

    def _of_runs(self, codes: npt.NDArray[np.integer]) -> npt.NDArray[np.integer]:
        return codes if self._first is None else codes.take(self._first)

    def _varying(self) -> frozenset[int]:
        """Return the places of the columns in which rows of one group differ."""
        row = np.zeros(self._size, dtype=np.intp)
        row[self._group] = np.arange(len(self._group))
        other = row.take(self._group)
        columns = enumerate(self.columns)
        return frozenset(place for place, (codes, _) in columns if not np.array_equal(codes.take(other), codes))


def of_groups(group: npt.NDArray[np.integer], size: int, codes: npt.NDArray[np.integer]) -> Codes | None:
    """Return by group what is given by row, 0 for groups without rows; None where rows of one group differ."""
    first = np.zeros(size, dtype=np.int32)
    first[group] = codes
    return first if np.array_equal(first.take(group), codes) else None


def _runs(columns: Sequence[npt.NDArray[np.integer]]) -> npt.NDArray[np.intp] | None:
    """Return the first row of each run of rows that are equal in some columns; None where runs are short."""
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = columns[0][1:] != columns[0][:-1]
    for codes in columns[1:]:
        new[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(new) if np.count_nonzero(new) * _FEW_RUNS <= len(new) else None
