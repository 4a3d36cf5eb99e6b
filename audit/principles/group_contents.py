"""Group contents: the rows of each group, and how often each sensitive value occurs in them.

A plain table publishes values beside cells. The rows of a group with equal cells, a row class, then publish their own
values, because a person's cells fit one row class only: `Release.by_class` makes each a group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, Places
from audit.model.composite_keys import counted, tally
from audit.model.errors import printable
from audit.runtime.phrases import say


class GroupContents(NamedTuple):
    """Each value of each group, sorted by group and value.

    Attributes:
        group, value: distinct pairs; shape (m,), int32.
        rows: how many of the group's rows have the value; shape (m,), int64.
    """

    group: Codes
    value: Codes
    rows: Counts


def contents(series: Series, release: KeyedRelease, sensitive: str) -> GroupContents:
    """Return the values of one sensitive attribute in the groups of a release."""
    values = len(series.vocabularies[sensitive])
    key = release.entry_group.astype(np.int64) * values + release.entry_value[sensitive]
    pair, count = counted(key, release.group.size * values, release.entry_count)
    return GroupContents((pair // values).astype(np.int32), (pair % values).astype(np.int32), count)


def group_sizes(release: KeyedRelease) -> Counts:
    """Return the number of rows of each group, counterfeits included; by code, 0 for codes without a group."""
    return tally(release.entry_group, release.group.size, release.entry_count)


def first_rows(codes: npt.NDArray[np.integer], size: int) -> Places:
    """Return the first row of each code, -1 for a code without rows; shape (size,)."""
    first = np.full(size, -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.intp)[::-1]  # reversed: the first row is written last
    return first


def is_person(series: Series, release: KeyedRelease) -> npt.NDArray[np.bool_] | None:
    """Return whether each row is a person's and not a counterfeit's; None without a key."""
    fake = release.counterfeit_rows(series.people)
    return None if fake is None else ~fake


def of_attribute(clause: str, series: Series, sensitive: str) -> str:
    """Return a clause, with its attribute if the series has several sensitive ones."""
    if len(series.manifest.columns.sensitive) <= 1:
        return clause
    return say("{clause} of {attribute}", clause=clause, attribute=printable(sensitive))
