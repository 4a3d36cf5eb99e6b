"""Row classes: the rows of a group with equal published cells.

A person can only be a row whose cells cover the person. In a plain table the rows' own values stand beside their cells,
so that a row class publishes values of its own and takes the place of the group; an Anatomy pair has a file of values,
and the values of a group serve all its row classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, overload

import numpy as np

from audit.io.releases import Release, varies
from audit.io.tables import Coded
from audit.model.arrays import Codes, Places
from audit.model.composite_keys import combine

_MARK = "#"
R = TypeVar("R", bound=Release)


@dataclass(frozen=True)
class RowClasses:
    """The row classes of a release, in the order of their groups and, within a group, of their first rows.

    Attributes:
        row: the class of each row; it has the name of its group, with `#1`, `#2` behind where the group has several.
        group: the published group of each class, ascending; shape (classes,), int32.
    """

    row: Coded
    group: Codes

    @property
    def first(self) -> Places:
        """A row of each class, 0 for a class without rows; shape (classes,)."""
        rows = np.zeros(len(self.group), dtype=np.intp)
        rows[self.row.codes] = np.arange(len(self.row.codes))
        return rows


def whole_groups(release: Release) -> RowClasses:
    """Return the groups of a release as its classes."""
    return RowClasses(release.group, np.arange(release.group.size, dtype=np.int32))


def row_classes(release: Release) -> RowClasses:
    """Return the row classes of a release."""
    group, alike = release.group, release.alike
    if alike is None or not varies(group, alike):
        return whole_groups(release)
    key, _ = combine([(group.codes, group.size), (alike, int(alike.max()) + 1)], release.rows)
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, group.codes[first]))
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    of_class = group.codes[first[order]]
    return RowClasses(Coded(number[place.reshape(-1)], len(order), _RowClassNames(group, of_class)), of_class)


def by_class(release: R) -> R:
    """Return a release whose groups are what publishes values together: row classes in a plain table."""
    if not release.values_by_row:
        return release
    row = row_classes(release).row
    return replace(release, group=row, entry_group=row.codes)


class _RowClassNames(Sequence[str]):
    """The names of row classes.

    No published name has as many marks one after the other, so that all names are different.
    """

    def __init__(self, group: Coded, of_class: Codes) -> None:
        self._group, self._of_class = group, of_class

    def __len__(self) -> int:
        return len(self._of_class)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        group = self._of_class[place]
        first, end = np.searchsorted(self._of_class, np.array([group, group + 1], dtype=group.dtype))
        name = self._group.name(int(group))
        return name if end - first == 1 else f"{name}{self._mark}{place - first + 1}"

    @cached_property
    def _mark(self) -> str:
        runs = (len(run) for name in self._group.names for run in re.findall(f"{_MARK}+", name))
        return _MARK * (1 + max(runs, default=0))
