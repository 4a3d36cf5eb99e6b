"""The person matrix and the value matrix: all groups of a series at once, for attacks that look at everybody together.

Source: equivalence paper, Definition 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Codes, Counts, Entries, Evidence, Members

NAMELESS = -1
T = TypeVar("T", bound=np.integer)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The groups of some releases in order: who is in each (a row of S) and which values it holds (a row of U).

    A column of S is somebody: a person, a counterfeit that keeps its identity, or a counterfeit without one, which is
    in a single group. People whose values are known beforehand are in neither matrix. Groups are ordered by release.

    Attributes:
        start: where each group's members begin in `member`, and their number at the end; shape (groups + 1,), int64.
        member: the columns of each group's members, distinct and ascending; shape (memberships,), int32.
        value_start: where each group's values begin in `value`; shape (groups + 1,), int64.
        value: the distinct values of each group, ascending; shape (entries,), int32.
        rows: number of rows of each of them; shape (entries,), int64.
        release: the release of each group, counted from 0, ascending; shape (groups,), int32.
        code: the group's code within its release; shape (groups,), int32.
        individual: which columns are people who count, by column; shape (columns,). Columns that are in no group may
            exist; they are not individuals.
        nameless: number of columns at the end that are counterfeits without identity.
        values: number of sensitive values.
        releases: number of releases.
    """

    start: Counts
    member: Codes
    value_start: Counts
    value: Codes
    rows: Counts
    release: Codes
    code: Codes
    individual: npt.NDArray[np.bool_]
    nameless: int
    values: int
    releases: int

    @property
    def groups(self) -> int:
        """Number of groups, the rows of both matrices."""
        return len(self.release)

    @property
    def columns(self) -> int:
        """Number of columns of the person matrix."""
        return len(self.individual)

    def group_of(self) -> Codes:
        """Return the group of each membership; shape (memberships,), int32."""
        return np.repeat(np.arange(self.groups, dtype=np.int32), np.diff(self.start))

    def by_column(self) -> tuple[Counts, Codes]:
        """Return where each column's groups begin, shape (columns + 1,), and the groups, ascending in each."""
        start = np.zeros(self.columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.member, minlength=self.columns), out=start[1:])
        # Two stable passes over 16 bits each are sorts by counting, three times as fast as one over 32.
        order = np.argsort((self.member & 0xFFFF).astype(np.uint16), kind="stable")
        order = order[np.argsort((self.member >> 16).astype(np.uint16)[order], kind="stable")]
        return start, self.group_of()[order]

    def prefix(self, releases: int) -> Matrix:
        """Return the same of the first releases alone; columns keep their numbers."""
        groups = int(np.searchsorted(self.release, releases))
        return self.restricted(np.arange(groups), releases)

    def restricted(self, groups: npt.NDArray[np.integer], releases: int | None = None) -> Matrix:
        """Return the same of some groups alone, given in ascending order; columns keep their numbers."""
        start, member = _ragged(self.start, self.member, groups)
        value_start, value = _ragged(self.value_start, self.value, groups)
        _, rows = _ragged(self.value_start, self.rows, groups)
        here = np.zeros(self.columns, dtype=np.bool_)
        here[member] = True
        return Matrix(
            start,
            member,
            value_start,
            value,
            rows,
            self.release[groups],
            self.code[groups],
            self.individual & here,
            self.nameless,
            self.values,
            self.releases if releases is None else releases,
        )

    @staticmethod
    def of(evidence: Evidence) -> Matrix:
        """Return the matrices of a series whose groups are known (adversary `linked`)."""
        return Matrix.joined([evidence.source.members(release) for release in range(len(evidence.tags))])

    @staticmethod
    def joined(releases: list[Members]) -> Matrix:
        """Return the matrices of releases in order."""
        people = max((int(members.column.max(initial=-1)) + 1 for members in releases), default=0)
        people = max(people, max((len(members.individual) for members in releases), default=0))
        nameless = 0
        sizes, columns, value_sizes, values, counts, when, codes = [], [], [], [], [], [], []
        for position, members in enumerate(releases):
            column, nobody = members.column.astype(np.int64), np.flatnonzero(members.column == NAMELESS)
            column[nobody] = people + nameless + np.arange(len(nobody))
            nameless += len(nobody)
            ordered = np.sort(members.group.astype(np.int64) << 32 | column) & 0xFFFFFFFF
            size = np.bincount(members.group, minlength=members.n_groups)
            entries = members.contents
            pairs, count = _counted(entries)
            used = np.flatnonzero(size)
            sizes.append(size[used])
            columns.append(ordered.astype(np.int32))
            value_sizes.append(np.bincount(pairs >> 32, minlength=members.n_groups)[used])
            values.append((pairs & 0xFFFFFFFF).astype(np.int32))
            counts.append(count)
            when.append(np.full(len(used), position, dtype=np.int32))
            codes.append(used.astype(np.int32))
        individual = np.zeros(people + nameless, dtype=np.bool_)
        for members, everybody in zip(releases, columns, strict=True):
            real = everybody[everybody < people]
            individual[real] = members.individual[real]
        return Matrix(
            _starts(_joined(sizes, np.int64)),
            _joined(columns, np.int32),
            _starts(_joined(value_sizes, np.int64)),
            _joined(values, np.int32),
            _joined(counts, np.int64),
            _joined(when, np.int32),
            _joined(codes, np.int32),
            individual,
            nameless,
            max((members.values for members in releases), default=0),
            len(releases),
        )


def _counted(entries: Entries) -> tuple[Counts, Counts]:
    """Return the distinct pairs of group and value, as group · 2³² + value in order, and the rows of each."""
    key = entries.bag.astype(np.int64) << 32 | entries.value
    if entries.rows is None:
        return np.unique(key, return_counts=True)
    pairs, place = np.unique(key, return_inverse=True)
    count = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(count, place, entries.rows)
    return pairs[count > 0], count[count > 0]


def _joined(parts: Sequence[npt.NDArray[np.integer]], kind: type[T]) -> npt.NDArray[T]:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, dtype=kind)


def _starts(sizes: npt.NDArray[np.integer]) -> Counts:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def _ragged(start: Counts, content: npt.NDArray[T], chosen: npt.NDArray[np.integer]) -> tuple[Counts, npt.NDArray[T]]:
    """Return the rows of a ragged array at some places."""
    sizes = np.diff(start)[chosen]
    starts = _starts(sizes)
    place = np.repeat(start[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
    return starts, content[place]
