"""Group contents: the rows of each group, and how often each sensitive value occurs in them.

A plain table publishes values beside cells. The rows of a group with equal cells, a row class, then publish their own
values, because a person's cells fit one row class only: `Release.by_class` makes each a group.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from audit.io.releases import GroupContents, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Flags, Integers, Places
from audit.runtime.phrases import printable, say


def first_rows(codes: Integers, size: int) -> Places:
    """Return the first row of each code, -1 for a code without rows; shape (size,)."""
    first = np.full(size, -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.intp)[::-1]  # reversed: the first row is written last
    return first


def is_person(series: Series, release: KeyedRelease) -> Flags | None:
    """Return whether each row is a person's and not a counterfeit's; None without a key."""
    fake = release.counterfeit_rows(series.people)
    return None if fake is None else ~fake


def of_attribute(clause: str, series: Series, sensitive: str) -> str:
    """Return a clause, with its attribute if the series has several sensitive ones."""
    if len(series.manifest.columns.sensitive) <= 1:
        return clause
    return say("{clause} of {attribute}", clause=clause, attribute=printable(sensitive))


def for_people(codes: Codes, series: Series) -> Codes:
    """Return a code for each person, with -1 added for people who are new; shape (people,), int32."""
    return np.append(codes, np.full(max(0, series.people.size - len(codes)), -1, dtype=np.int32))


@dataclass
class Signatures:
    """The sets of values that groups have, numbered in the order in which they are first met.

    Attributes:
        values: the values of each set, ascending codes.
    """

    values: list[tuple[int, ...]] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def by_group(self, held: GroupContents, size: int) -> Codes:
        """Return the number of each group's set of values, by the group's code, -1 for codes without a group."""
        first = np.flatnonzero(np.diff(held.group, prepend=-1))
        end = np.append(first[1:], len(held.group))
        content, numbers = held.value.astype(np.int32), list[int]()
        for start, stop in zip(first.tolist(), end.tolist(), strict=True):
            values = content[start:stop]
            numbers.append(self._numbers.setdefault(values.tobytes(), len(self.values)))
            if numbers[-1] == len(self.values):
                self.values.append(tuple(values.tolist()))
        of_group = np.full(size, -1, dtype=np.int32)
        of_group[held.group[first]] = numbers
        return of_group
