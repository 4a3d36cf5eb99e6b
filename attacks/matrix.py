"""The person matrix and the value matrix: all groups of a series at once, for attacks on all people together.

Source: equivalence paper, Definition 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import TypeAlias

import numpy as np

from audit.model.arrays import (
    Codes,
    Counts,
    Flags,
    Integers,
    Words,
    batches,
    counted,
    flagged,
    grouped,
    numbered,
    segments,
    starts,
)
from audit.model.evidence import Evidence, Members, ValueCounts

NAMELESS = -1
# Sorts after all codes of people.
_NO_CODE = 2**31 - 1
_AT_ONCE = 1 << 17
Groups: TypeAlias = tuple[Counts, Codes, Counts, Integers, Integers]
"""Where the members of each group begin, the members, where its values begin, the values, and their rows."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The groups of some releases: the members of each (a row of S) and the values that it holds (a row of U).

    A column of S is a person, a counterfeit that keeps its identity, or a counterfeit without one, which is in a single
    group. People whose values are known beforehand are in neither matrix. Groups are ordered by release.

    Attributes:
        start: where each group's members begin in `member`, and their number at the end; shape (groups + 1,), int64.
        member: the columns of each group's members, distinct and ascending; shape (memberships,), int32.
        value_start: where each group's values begin in `value`; shape (groups + 1,), int64.
        value: the distinct values of each group, ascending; shape (entries,), of the smallest type that holds them.
        rows: number of rows of each of them; shape (entries,), of the smallest type that holds them.
        release: the release of each group, counted from 0, ascending; shape (groups,), int32.
        code: the group's code within its release; shape (groups,), int32.
        individual: which columns are people who count; shape (columns,), bool. Columns that are in no group may exist,
            and do not count.
        nameless: the number of columns at the end that are counterfeits without identity.
        values: the number of sensitive values.
        releases: the number of releases.
    """

    start: Counts
    member: Codes
    value_start: Counts
    value: Integers
    rows: Integers
    release: Codes
    code: Codes
    individual: Flags
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

    def members(self, group: int) -> Codes:
        """Return the columns of a group's members, ascending."""
        return self.member[self.start[group] : self.start[group + 1]]

    def values_of(self, group: int) -> dict[int, int]:
        """Return the number of rows of each value of a group."""
        held = slice(self.value_start[group], self.value_start[group + 1])
        return dict(zip(self.value[held].tolist(), self.rows[held].tolist(), strict=True))

    def by_column(self) -> tuple[Counts, Codes]:
        """Return where each column's groups begin, shape (columns + 1,), and the groups, ascending in each."""
        begin, places = grouped(self.member, self.columns)
        return begin, self.group_of()[places]

    def sums_of(self, numbers: Words) -> Words:
        """Return the sum of some numbers by column over each group's members, modulo 2⁶⁴; shape (groups,)."""
        sums = np.empty(self.groups, dtype=np.uint64)
        for first, last in blocks(self.start):
            start = self.start[first : last + 1]
            sums[first:last] = np.add.reduceat(numbers[self.member[start[0] : start[-1]]], start[:-1] - start[0])
        return sums

    def first_release(self) -> Codes:
        """Return the first release that each column is in, 0 where it is in none; shape (columns,), int32."""
        first = np.zeros(self.columns, dtype=np.int32)
        ends = self.start[np.searchsorted(self.release, np.arange(self.releases + 1))]
        for release in reversed(range(self.releases)):
            first[self.member[ends[release] : ends[release + 1]]] = release
        return first

    def present(self) -> Flags:
        """Return which columns are in some group; shape (columns,)."""
        return flagged(self.member, self.columns)

    def prefix(self, releases: int) -> Matrix:
        """Return the matrices of only the first releases, without copies; columns keep their numbers."""
        if releases == self.releases:
            return self
        groups = int(np.searchsorted(self.release, releases))
        start, value_start = self.start[: groups + 1], self.value_start[: groups + 1]
        member, entries = self.member[: start[-1]], slice(value_start[-1])
        parts = (start, member, value_start, self.value[entries], self.rows[entries])
        return self.of_groups(parts, self.release[:groups], self.code[:groups], releases)

    def members_of(self, groups: Integers) -> tuple[Counts, Codes]:
        """Return where the members of some groups, given in ascending order, begin, and the members."""
        return starts(np.diff(self.start)[groups]), self.member[segments(self.start, groups)]

    def of_groups(self, parts: Groups, release: Codes, code: Codes, releases: int) -> Matrix:
        """Return the matrices of some groups of the same columns."""
        present = flagged(parts[1], self.columns)
        return Matrix(*parts, release, code, self.individual & present, self.nameless, self.values, releases)

    @staticmethod
    def of(evidence: Evidence) -> Matrix:
        """Return the matrices of a series whose groups are known (adversary `linked`)."""
        return Matrix.joined(evidence.source.members(release) for release in range(len(evidence.tags)))

    @staticmethod
    def joined(releases: Iterable[Members]) -> Matrix:
        """Return the matrices of releases in order; each is read once, and not kept."""
        columns, sizes, value_sizes, values, rows, codes, people = ([] for _ in range(7))
        n_people = n_values = nameless = 0
        for members in releases:
            key = members.group.astype(np.int64) << 32
            key |= np.where(members.column == NAMELESS, _NO_CODE, members.column)
            key.sort()
            columns.append((key & 0xFFFFFFFF).astype(np.int32))
            size = np.bincount(members.group, minlength=members.n_groups)
            used = np.flatnonzero(size)  # groups without members are left out
            pairs, held = _counted(members.contents)
            sizes.append(size[used])
            value_sizes.append(np.bincount(pairs >> 32, minlength=members.n_groups)[used])
            values.append((pairs & 0xFFFFFFFF).astype(np.min_scalar_type(max(members.values - 1, 0))))
            rows.append(held.astype(np.min_scalar_type(int(held.max(initial=0)))))
            codes.append(used.astype(np.int32))
            people.append(members.individual)
            n_people = max(n_people, int(members.column.max(initial=-1)) + 1, len(members.individual))
            n_values, nameless = max(n_values, members.values), nameless + int((members.column == NAMELESS).sum())
        nothing, small = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8)
        member = np.concatenate([nothing, *columns])
        individual = np.zeros(n_people + nameless, dtype=np.bool_)
        for column, counts in zip(columns, people, strict=True):
            real = column[column != _NO_CODE]
            individual[real] = counts[real]
        member[member == _NO_CODE] = n_people + np.arange(nameless, dtype=np.int32)
        return Matrix(
            starts(np.concatenate([nothing, *sizes])),
            member,
            starts(np.concatenate([nothing, *value_sizes])),
            np.concatenate([small, *values]),
            np.concatenate([small, *rows]),
            np.repeat(np.arange(len(codes), dtype=np.int32), list(map(len, codes))),
            np.concatenate([nothing, *codes]),
            individual,
            nameless,
            n_values,
            len(codes),
        )


@dataclass(frozen=True)
class Types:
    """Types of columns: columns in the same groups have one type, and equal entries in every weighted sum of groups.

    Attributes:
        of: the type of each column, -1 for columns in no group; shape (columns,), int32.
        example: the first column of each type, ascending; shape (types,), int64.
        size: number of columns of each type; shape (types,), int64.
    """

    of: Codes
    example: Counts
    size: Counts

    @cached_property
    def _by_type(self) -> tuple[Counts, Counts]:
        return grouped(self.of + 1, len(self.size) + 1)

    def columns(self, types: Integers) -> Counts:
        """Return the columns of some types, all of one and then all of the next."""
        begin, column = self._by_type
        return column[segments(begin, types + 1)]

    @classmethod
    def among(cls, matrix: Matrix) -> Types:
        """Return the types of a matrix: columns whose groups' random numbers have equal sums, twice."""
        present, agree = np.flatnonzero(matrix.present()), False
        while not agree:
            token = np.random.default_rng(randbits(128)).integers(0, 2**64, (2, matrix.groups), dtype=np.uint64)
            sums = np.zeros((2, matrix.columns), dtype=np.uint64)
            for first, last in blocks(matrix.start):
                start = matrix.start[first : last + 1]
                for total, number in zip(sums, token, strict=True):
                    each = np.repeat(number[first:last], np.diff(start))
                    np.add.at(total, matrix.member[start[0] : start[-1]], each)
            first_sums, second_sums = sums[:, present]
            _, example, place, size = np.unique(first_sums, return_index=True, return_inverse=True, return_counts=True)
            agree = np.array_equal(second_sums, second_sums[example[place]])
        order = np.argsort(example)
        number = numbered(order, len(order))
        of = np.full(matrix.columns, -1, dtype=np.int32)
        of[present] = number[place]
        return cls(of, present[example[order]], size[order])


def blocks(start: Counts) -> Iterator[tuple[int, int]]:
    """Yield spans of the lines of a ragged array that have few enough entries for small intermediate arrays."""
    yield from ((each.start, each.stop) for each in batches(np.diff(start), _AT_ONCE))


def _counted(entries: ValueCounts) -> tuple[Counts, Counts]:
    """Return the distinct pairs of group and value, as group · 2³² + value in order, and the rows of each."""
    pairs, count = counted(entries.bag.astype(np.int64) << 32 | entries.value, 2**62, entries.rows)
    return pairs[count > 0], count[count > 0]
