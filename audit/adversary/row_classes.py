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
from typing import NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from audit.io.releases import Release
from audit.io.tables import Coded
from audit.model.arrays import Codes, Counts
from audit.model.composite_keys import combine

_MARK = "#"
R = TypeVar("R", bound=Release)


@dataclass(frozen=True)
class RowClasses:
    """The row classes of a release, in the order of their groups and, within a group, of their first rows.

    Attributes:
        of_row: the class of each row; shape (rows,), int32.
        group: the published group of each class, ascending; shape (classes,), int32.
        first: the first row of each class; shape (classes,).
    """

    of_row: Codes
    group: Codes
    first: npt.NDArray[np.intp]

    def named(self, group: Coded) -> Coded:
        """Return the class of each row, given the group of each row."""
        return Coded(self.of_row, len(self.group), _RowClassNames(group, self.group))


def row_classes(release: Release) -> RowClasses:
    """Return the row classes of a release, in which the cells of all columns in which rows of a group differ are."""
    group = release.group.codes
    columns = [(codes, int(codes.max(initial=-1)) + 1) for codes in release.cells.values()]
    key, _ = combine([(group, release.group.size), *columns], len(group))
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((first, group[first]))
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return RowClasses(number[place.reshape(-1)], group[first[order]], first[order])


def by_class(release: R, classes: RowClasses | None) -> R:
    """Return a release whose groups are what publishes values together: row classes in a plain table."""
    if classes is None or not release.values_by_row:
        return release
    return replace(release, group=classes.named(release.group), entry_group=classes.of_row)


class RowClassGroups(NamedTuple):
    """What row classes belong to, and how many rows they have.

    Attributes:
        group: what publishes the values of each class; ascending, shape (classes,), int32.
        published: the published group of each; ascending, shape (classes,), int32.
        rows: how many people, counterfeits among them, the rows of each stand for; shape (classes,), int64.
    """

    group: Codes
    published: Codes
    rows: Counts


def places(release: Release, classes: RowClasses | None) -> RowClassGroups:
    """Return what the row classes of a published release belong to; the groups are the classes where it has none."""
    of_row = release.group.codes if classes is None else classes.of_row
    number = release.group.size if classes is None else len(classes.group)
    rows = np.bincount(of_row, weights=release.counts, minlength=number).astype(np.int64)
    itself = np.arange(number, dtype=np.int32)
    if classes is None:
        return RowClassGroups(itself, itself, rows)
    return RowClassGroups(itself if release.values_by_row else classes.group, classes.group, rows)


def capacity(release: Release) -> Counts:
    """Return how many people each published group can hold: its rows less its published counterfeits."""
    rows = np.bincount(release.group.codes, weights=release.counts, minlength=release.group.size).astype(np.int64)
    for group, count in release.counterfeits.items():
        rows[group] -= count
    return rows


class _RowClassNames(Sequence[str]):
    """The names of row classes: the group's own, with `#1`, `#2` behind it where the group has several.

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
