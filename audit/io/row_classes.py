"""Row classes: the rows of a group with equal published cells.

A person can only be a row whose cells cover the person. In a plain table the rows' own values stand beside their cells,
so that a row class publishes values of its own and takes the place of the group; an Anatomy pair has a file of values,
and the values of a group serve all its row classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from audit.io.tables import Coded, NamesOnDemand
from audit.model.arrays import Codes, Places
from audit.model.composite_keys import combine, row_ranks

_MARK = "#"
CodedColumn: TypeAlias = tuple[npt.NDArray[np.integer], int]
"""The cells of a column as codes by row, and a bound on them."""


@dataclass(frozen=True)
class RowClasses:
    """The row classes of a release, in the order of their groups and, within a group, of their first rows.

    Attributes:
        row: the class of each row; it has the name of its group, with `#1`, `#2` behind where the group has several.
        group: the published group of each class, ascending; shape (classes,), int32.
        looks: a number for each class, equal where published quasi-identifiers are, different where there are none;
            shape (classes,), int32.
    """

    row: Coded
    group: Codes
    looks: Codes

    @classmethod
    def of(cls, group: Coded, columns: Sequence[CodedColumn], varying: Sequence[CodedColumn] = ()) -> RowClasses:
        """Return the classes of rows with these cells; rows of one group differ in the columns that are `varying`."""
        row, of_class = group, np.arange(group.size, dtype=np.int32)
        if varying:
            key, _ = combine([(group.codes, group.size), *varying], len(group.codes))
            _, first, place = np.unique(key, return_index=True, return_inverse=True)
            order = np.lexsort((first, group.codes[first]))
            number = np.empty(len(order), dtype=np.int32)
            number[order] = np.arange(len(order), dtype=np.int32)
            of_class = group.codes[first[order]]
            row = Coded(
                number[place.reshape(-1)], len(order), NamesOnDemand(of_class.__len__, _ClassName(group, of_class))
            )
        at = _first_rows(row)
        looks = row_ranks([(codes[at], bound) for codes, bound in columns], row.size)
        return cls(row, of_class, looks if columns else np.arange(row.size, dtype=np.int32))

    @property
    def first(self) -> Places:
        """A row of each class, 0 for a class without rows; shape (classes,)."""
        return _first_rows(self.row)


def _first_rows(row: Coded) -> Places:
    rows = np.zeros(row.size, dtype=np.intp)
    rows[row.codes] = np.arange(len(row.codes))
    return rows


def varies(group: Coded, codes: npt.NDArray[np.integer]) -> bool:
    """Return whether rows of one group differ in a column, given as codes by row."""
    of_group = np.zeros(group.size, dtype=codes.dtype)
    of_group[group.codes] = codes
    return not np.array_equal(of_group.take(group.codes), codes)


@dataclass(frozen=True)
class _ClassName:
    """Names row classes, given their groups.

    No published name has as many marks one after the other, so that all names are different.
    """

    group: Coded
    of_class: Codes

    def __call__(self, place: int) -> str:
        code = self.of_class[place]
        first, end = np.searchsorted(self.of_class, np.array([code, code + 1], dtype=code.dtype))
        name = self.group.name(int(code))
        return name if end - first == 1 else f"{name}{self._mark}{place - first + 1}"

    @cached_property
    def _mark(self) -> str:
        runs = (len(run) for name in self.group.names for run in re.findall(f"{_MARK}+", name))
        return _MARK * (1 + max(runs, default=0))
