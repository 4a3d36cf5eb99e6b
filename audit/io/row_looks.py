"""What the rows of a release look like: which have equal cells, and whether those of one group have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.io.tables import Coded
from audit.model.arrays import Codes
from audit.model.composite_keys import row_ranks


@dataclass(frozen=True)
class Alike:
    """Which rows of a release look alike.

    Attributes:
        by_group: whether rows of one group always do.
        number: equal for rows with equal published quasi-identifiers; int32, by group code or by row.
    """

    by_group: bool
    number: Codes

    def of_rows(self, group: Codes) -> Codes:
        """Return the numbers by row, of which the groups are given; shape (rows,)."""
        return self.number.take(group) if self.by_group else self.number

    def of_some(self, rows: npt.NDArray[np.intp]) -> Alike:
        """Return the same of some of the rows."""
        return self if self.by_group else Alike(False, self.number[rows])


class RowLooks:
    """The cells of a release.

    Args:
        group: the group of each row.
        columns: the cells of each quasi-identifier, as codes of any type of integers by row, and a bound on them.

    Attributes:
        varying: the places of the columns in which rows of one group differ.
    """

    def __init__(self, group: Coded, columns: Sequence[tuple[npt.NDArray[np.integer], int]]) -> None:
        self._group, self._size = group.codes, group.size
        self.columns = [*columns]
        self.varying = frozenset(
            place for place, (codes, _) in enumerate(columns) if of_groups(group.codes, group.size, codes) is None
        )

    def replace(self, place: int, codes: npt.NDArray[np.integer], bound: int) -> None:
        """Have other codes by row in a column; rows that had equal cells have equal ones still."""
        self.columns[place] = codes, bound

    def alike(self) -> Alike:
        """Return which rows look alike; no cells are replaced from then on."""
        if not self.varying:
            return Alike(True, self._of_groups())
        number = of_groups(self._group, self._size, self.number)
        return Alike(number is not None, self.number if number is None else number)

    @cached_property
    def number(self) -> Codes:
        """A number for each row, equal for those with equal cells, in the order of their codes; int32."""
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

    def fewest(self, people: npt.NDArray[np.int64]) -> int:
        """Return how many people are at least in each class of rows that look alike, given how many each row is of.

        Rows of a group that all look alike are in one class, which is no smaller than the group: no rows are compared.
        """
        if self.varying:
            return 1
        sizes = np.bincount(self._group, weights=people)
        return int(sizes[sizes > 0].min())


def of_groups(group: npt.NDArray[np.integer], size: int, codes: npt.NDArray[np.integer]) -> Codes | None:
    """Return by group what is given by row, 0 for groups without rows; None where rows of one group differ."""
    first = np.zeros(size, dtype=np.int32)
    first[group] = codes
    return first if np.array_equal(first.take(group), codes) else None
