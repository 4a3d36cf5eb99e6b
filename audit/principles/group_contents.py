"""What groups publish: their rows, and how often each sensitive value stands in each of them.

In a plain table values stand beside cells, so that the rows of a group with equal cells publish their values by
themselves: who fits one such row class fits no other. A group is then a row class (`by_row_class`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audit.adversary.row_classes import by_class, row_classes
from audit.io.releases import Release, varies
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, Places
from audit.model.errors import printable
from audit.runtime.phrases import say


class GroupContents(NamedTuple):
    """Each value of each group, sorted by group and value.

    Attributes:
        group, value: shape (m,), int32; each pair stands once.
        rows: how many of the group's rows have the value; shape (m,), int64.
    """

    group: Codes
    value: Codes
    rows: Counts


def by_row_class(release: Release) -> Release:
    """Return a release whose groups are what publishes values together: the row classes of a plain table."""
    several = release.values_by_row and any(varies(release.group, codes) for codes in release.cells.values())
    return by_class(release, row_classes(release)) if several else release


def contents(series: Series, release: Release, sensitive: str) -> GroupContents:
    """Return what the groups of a release publish of one sensitive attribute."""
    values = len(series.vocabularies[sensitive])
    key = release.entry_group.astype(np.int64) * values + release.entry_value[sensitive]
    if release.entry_count is None:
        pair, count = np.unique(key, return_counts=True)
    else:
        pair, place = np.unique(key, return_inverse=True)
        count = totals(place, len(pair), release.entry_count)
    return GroupContents((pair // values).astype(np.int32), (pair % values).astype(np.int32), count.astype(np.int64))


def group_sizes(release: Release) -> Counts:
    """Return how many rows each group publishes, counterfeits among them; by code, 0 for codes of no group."""
    return totals(release.entry_group, release.group.size, release.entry_count)


def first_rows(codes: npt.NDArray[np.integer], size: int) -> Places:
    """Return the first row of each code, -1 for a code that stands in none; shape (size,)."""
    first = np.full(size, -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.intp)[::-1]  # of equal codes, what is written last stays
    return first


def totals(place: npt.NDArray[np.integer], size: int, count: Counts | None) -> Counts:
    """Return how many rows stand at each place or, when given, what their counts add up to; shape (size,)."""
    if count is None:
        return np.bincount(place, minlength=size).astype(np.int64)
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, place, count)
    return total


def is_person(series: Series, release: Release) -> npt.NDArray[np.bool_] | None:
    """Return by row whether it is somebody's and no counterfeit's; None without a key."""
    fake = release.counterfeit_rows(series.people)
    return None if fake is None else ~fake


def of_attribute(clause: str, series: Series, sensitive: str) -> str:
    """Return a clause with the attribute that it is about, in a series that has several sensitive ones."""
    if len(series.manifest.columns.sensitive) <= 1:
        return clause
    return say("{clause} of {attribute}", clause=clause, attribute=printable(sensitive))
