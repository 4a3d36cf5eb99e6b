"""The person matrix and the value matrix: all groups of a series at once, for attacks that look at all people together.

Source: equivalence paper, Definition 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from attacks.graphs import grouped
from audit.model.arrays import Codes, Counts
from audit.model.evidence import Evidence, Members, ValueCounts

NAMELESS = -1
# Sorts behind everybody who has a code.
_NO_CODE = 2**31 - 1
_AT_ONCE = 1 << 17
T = TypeVar("T", bound=np.integer)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The groups of some releases in order: who is in each (a row of S) and which values it holds (a row of U).

    A column of S is a person, a counterfeit that keeps its identity, or a counterfeit without one, which is
    in a single group. People whose values are known beforehand are in neither matrix. Groups are ordered by release.

    Attributes:
        start: where each group's members begin in `member`, and their number at the end; shape (groups + 1,), int64.
        member: the columns of each group's members, distinct and ascending; shape (memberships,), int32.
        value_start: where each group's values begin in `value`; shape (groups + 1,), int64.
        value: the distinct values of each group, ascending; shape (entries,), of the smallest type that holds them.
        rows: number of rows of each of them; shape (entries,), of the smallest type that holds them.
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
    value: npt.NDArray[np.integer]
    rows: npt.NDArray[np.integer]
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
        begin, places = grouped(self.member, self.columns)
        return begin, self.group_of()[places]

    def sums_of(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
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

    def present(self) -> npt.NDArray[np.bool_]:
        """Return which columns are in some group; shape (columns,)."""
        here = np.zeros(self.columns, dtype=np.bool_)
        here[self.member] = True
        return here

    def prefix(self, releases: int) -> Matrix:
        """Return the same of the first releases alone, without copies; columns keep their numbers."""
        if releases == self.releases:
            return self
        groups = int(np.searchsorted(self.release, releases))
        start, value_start = self.start[: groups + 1], self.value_start[: groups + 1]
        member, entries = self.member[: start[-1]], slice(value_start[-1])
        parts = (start, member, value_start, self.value[entries], self.rows[entries])
        return self._of(parts, self.release[:groups], self.code[:groups], releases)

    def members_of(self, groups: npt.NDArray[np.integer]) -> tuple[Counts, Codes]:
        """Return where the members of some groups begin, given in ascending order, and the members."""
        return _ragged(self.start, self.member, groups)

    def restricted(self, groups: npt.NDArray[np.integer]) -> Matrix:
        """Return the same of some groups alone, given in ascending order; columns keep their numbers."""
        start, member = _ragged(self.start, self.member, groups)
        value_start, value = _ragged(self.value_start, self.value, groups)
        _, rows = _ragged(self.value_start, self.rows, groups)
        parts = (start, member, value_start, value, rows)
        return self._of(parts, self.release[groups], self.code[groups], self.releases)

    def _of(
        self,
        parts: tuple[Counts, Codes, Counts, npt.NDArray[np.integer], npt.NDArray[np.integer]],
        release: Codes,
        code: Codes,
        releases: int,
    ) -> Matrix:
        """Return the matrices of some of the groups."""
        here = np.zeros(self.columns, dtype=np.bool_)
        here[parts[1]] = True
        return Matrix(*parts, release, code, self.individual & here, self.nameless, self.values, releases)

    @staticmethod
    def of(evidence: Evidence) -> Matrix:
        """Return the matrices of a series whose groups are known (adversary `linked`)."""
        return Matrix.joined(evidence.source.members(release) for release in range(len(evidence.tags)))

    @staticmethod
    def joined(releases: Iterable[Members]) -> Matrix:
        """Return the matrices of releases in order; each is looked at once, and not kept."""
        gathered = [_Gathered.of(members) for members in releases]
        people = max((one.people for one in gathered), default=0)
        sizes = np.concatenate([np.zeros(0, dtype=np.int64), *(one.sizes for one in gathered)])
        member, nameless = np.empty(int(sizes.sum()), dtype=np.int32), 0
        individual = np.zeros(people + sum(one.nameless for one in gathered), dtype=np.bool_)
        end = 0
        for one in gathered:
            mine = member[end : end + len(one.column)]
            mine[:] = one.column
            without_code = np.flatnonzero(mine == _NO_CODE)
            mine[without_code] = people + nameless + np.arange(len(without_code), dtype=np.int32)
            real = mine[mine < people]
            individual[real] = one.individual[real]
            nameless, end = nameless + len(without_code), end + len(mine)
            one.column = mine[:0]
        return Matrix(
            _starts(sizes),
            member,
            _starts(_joined([one.value_sizes for one in gathered], np.int64)),
            np.concatenate([np.zeros(0, dtype=np.uint8), *(one.value for one in gathered)]),
            np.concatenate([np.zeros(0, dtype=np.uint8), *(one.rows for one in gathered)]),
            np.repeat(np.arange(len(gathered), dtype=np.int32), [len(one.code) for one in gathered]),
            _joined([one.code for one in gathered], np.int32),
            individual,
            nameless,
            max((one.values for one in gathered), default=0),
            len(gathered),
        )


@dataclass
class _Gathered:
    """What the matrices take of one release: groups without members are left out.

    Attributes:
        column: the members of each group, ascending, `_NO_CODE` at the end for counterfeits without identity; int32.
        sizes, value_sizes: how many members and values each group has.
        value, rows: the values of each group, ascending, and the rows of each.
        code: the groups.
        individual: which people are no counterfeits.
        people, nameless, values: one more than the largest code of a person, counterfeits without identity, values.
    """

    column: Codes
    sizes: Counts
    value_sizes: Counts
    value: npt.NDArray[np.integer]
    rows: npt.NDArray[np.integer]
    code: Codes
    individual: npt.NDArray[np.bool_]
    people: int
    nameless: int
    values: int

    @classmethod
    def of(cls, members: Members) -> _Gathered:
        key = members.group.astype(np.int64) << 32
        key |= np.where(members.column == NAMELESS, _NO_CODE, members.column)
        key.sort()
        sizes = np.bincount(members.group, minlength=members.n_groups)
        used = np.flatnonzero(sizes)
        pairs, rows = _counted(members.contents)
        return cls(
            (key & 0xFFFFFFFF).astype(np.int32),
            sizes[used],
            np.bincount(pairs >> 32, minlength=members.n_groups)[used],
            (pairs & 0xFFFFFFFF).astype(np.min_scalar_type(max(members.values - 1, 0))),
            rows.astype(np.min_scalar_type(int(rows.max(initial=0)))),
            used.astype(np.int32),
            members.individual,
            max(int(members.column.max(initial=-1)) + 1, len(members.individual)),
            int((members.column == NAMELESS).sum()),
            members.values,
        )


@dataclass(frozen=True)
class Types:
    """Columns that are in the same groups, which every sum of groups counts equally often.

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

    def columns(self, types: npt.NDArray[np.integer]) -> Counts:
        """Return the columns of some types, all of one and then all of the next."""
        begin, column = self._by_type
        size = self.size[types]
        place = np.repeat(begin[types + 1] - np.cumsum(size) + size, size) + np.arange(size.sum())
        return column[place]

    @classmethod
    def among(cls, matrix: Matrix) -> Types:
        """Return the types of a matrix: columns over whose groups two random numbers each have equal sums."""
        here, agree = np.flatnonzero(matrix.present()), False
        while not agree:
            token = np.random.default_rng(randbits(128)).integers(0, 2**64, (2, matrix.groups), dtype=np.uint64)
            sums = np.zeros((2, matrix.columns), dtype=np.uint64)
            for first, last in blocks(matrix.start):
                start = matrix.start[first : last + 1]
                for total, number in zip(sums, token, strict=True):
                    each = np.repeat(number[first:last], np.diff(start))
                    np.add.at(total, matrix.member[start[0] : start[-1]], each)
            one, other = sums[:, here]
            _, example, place, size = np.unique(one, return_index=True, return_inverse=True, return_counts=True)
            agree = np.array_equal(other, other[example[place]])
        order = np.argsort(example)
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        of = np.full(matrix.columns, -1, dtype=np.int32)
        of[here] = number[place]
        return cls(of, here[example[order]], size[order])


def blocks(start: Counts) -> Iterator[tuple[int, int]]:
    """Yield spans of a ragged array's lines, each with not many entries: so that what is made of them is small."""
    first = 0
    while first < len(start) - 1:
        last = max(first + 1, int(np.searchsorted(start, start[first] + _AT_ONCE, side="right")) - 1)
        yield first, last
        first = last


def _counted(entries: ValueCounts) -> tuple[Counts, Counts]:
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
    """Return the rows of a ragged array at some places, given in ascending order."""
    sizes, flags = np.diff(start), np.zeros(len(start) - 1, dtype=np.bool_)
    flags[chosen] = True
    return _starts(sizes[flags]), content[np.repeat(flags, sizes)]
