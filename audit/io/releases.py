"""Releases: the contents of one table, or of an Anatomy pair, as integer columns, with its key if there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.tables import Coded, NamesOnDemand
from audit.model.arrays import (
    NOBODY,
    Codes,
    Counts,
    Flags,
    Integers,
    Numbers,
    Places,
    combine,
    counted,
    flagged,
    numbered,
    ranks,
    row_ranks,
    tally,
)
from audit.model.report import ColumnShare

_MARK = "#"
CodedColumn: TypeAlias = tuple[Integers, int]
"""The cells of a column as codes by row, and a bound on them."""


@dataclass(frozen=True)
class RowClasses:
    """The row classes of a release: the rows of a group with equal published cells.

    The cells of a person's row cover the person, so the person is in a class with such cells. In a plain table, a row
    has its value beside its cells, so a row class publishes values of its own, as a group does. In an Anatomy pair the
    values are in a separate file, and those of a group belong to all of its row classes. Classes are ordered by group
    and, within a group, by their first rows.

    Attributes:
        row: the class of each row; its name is that of its group, followed by `#1`, `#2` if the group has several.
        group: the published group of each class, ascending; shape (classes,), int32.
        looks: a number for each class, equal for classes with equal published quasi-identifiers, and different for all
            classes if there are none; shape (classes,), int32.
    """

    row: Coded
    group: Codes
    looks: Codes

    @classmethod
    def of(
        cls, group: Coded, at: Places, columns: Sequence[CodedColumn], varying: Sequence[CodedColumn] = ()
    ) -> RowClasses:
        """Return the row classes of a release.

        Args:
            group: the group of each row.
            at: a row of each group, as `a_row_of_each` returns them.
            columns: the quasi-identifiers.
            varying: those in which rows of one group differ.
        """
        row, of_class = group, np.arange(group.size, dtype=np.int32)
        if varying:
            key, _ = combine([(group.codes, group.size), *varying], len(group.codes))
            _, first, place = np.unique(key, return_index=True, return_inverse=True)
            order = np.lexsort((first, group.codes[first]))
            number = numbered(order, len(order))
            of_class = group.codes[first[order]]
            row = Coded(
                number[place.reshape(-1)], len(order), NamesOnDemand(of_class.__len__, _ClassName(group, of_class))
            )
            at = a_row_of_each(row)
        looks = row_ranks([(codes[at], bound) for codes, bound in columns], row.size)
        return cls(row, of_class, looks if columns else np.arange(row.size, dtype=np.int32))

    @property
    def first(self) -> Places:
        """A row of each class, 0 for a class without rows; shape (classes,)."""
        return a_row_of_each(self.row)


def a_row_of_each(group: Coded) -> Places:
    """Return a row of each group, 0 for a group without rows; shape (groups,)."""
    rows = np.zeros(group.size, dtype=np.intp)
    rows[group.codes] = np.arange(len(group.codes))
    return rows


def varies(group: Coded, rows: Places, codes: Integers) -> bool:
    """Return whether rows of one group differ in a column of codes, given a row of each group."""
    return not np.array_equal(codes.take(rows).take(group.codes), codes)


@dataclass(frozen=True)
class _ClassName:
    """Names of row classes: the name of the group, then marks and a number if the group has several classes.

    There are more marks than any published name has in a row, so that all names are different.
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


SMALL = 5
"""A group of fewer equal rows is small, by a rule of thumb of statistical offices."""
MOST_ROWS = 2_000_000
"""In larger releases columns are not searched for singling out."""

_TOGETHER = 3
"""The most columns that are combined."""


def singling_columns(
    names: Sequence[str],
    columns: Sequence[tuple[Integers, int]],
    people: Counts | None,
    classes: RowClasses,
    total: int,
) -> tuple[ColumnShare, ...]:
    """Return the effect of each quasi-identifier, then of combinations; nothing if all groups are large.

    A combination starts with the column that makes the most rows unique. While a further column makes more rows unique,
    the one that makes the most is added; a combination has at most three columns, and never all.

    Args:
        names: the names of the columns.
        columns: the cells of each, as codes by row, shape (rows,), and a bound on the codes.
        people: how many people each row stands for; None for one each.
        classes: the classes of rows with equal cells.
        total: the number of people of all rows, suppressed ones included.
    """
    size = _sizes(classes.looks, tally(classes.row.codes, classes.row.size, people))
    if (size >= SMALL).all():
        return ()
    size = size[classes.row.codes]
    people = np.ones(len(size), dtype=np.int64) if people is None else people

    def alike_in(places: Sequence[int]) -> Numbers:
        return _sizes(row_ranks([columns[at] for at in places], len(people)), people)

    def share(of_rows: Flags) -> float:
        return int(people[of_rows].sum()) / total

    def unique(places: Sequence[int]) -> float:
        return share(alike_in(places) == 1)

    def shares(*places: int) -> ColumnShare:
        without = alike_in([at for at in every if at not in places])
        alone, small = share((size == 1) & (without > 1)), share((size < SMALL) & (without >= SMALL))
        return ColumnShare(" + ".join(names[at] for at in places), alone, small, unique(places))

    every = range(len(names))
    found = [shares(at) for at in every]
    together = [max(every, key=lambda at: found[at].by_itself)]
    before = found[together[0]].by_itself
    while len(together) < min(_TOGETHER, len(names) - 1):
        more = {at: unique([*together, at]) for at in every if at not in together}
        added = max(more, key=lambda at: more[at])
        if more[added] <= before:
            break
        together, before = [*together, added], more[added]
        found.append(shares(*together))
    return tuple(found)


def _sizes(alike: Codes, people: Numbers) -> Numbers:
    """Return, for each row, the number of people with equal cells; shape (rows,)."""
    return np.bincount(alike, weights=people).astype(np.int64)[alike]


class GroupContents(NamedTuple):
    """Each value of each group, sorted by group and value.

    Attributes:
        group, value: distinct pairs; shape (m,), int32.
        rows: the number of the group's rows with the value; shape (m,), int64.
    """

    group: Codes
    value: Codes
    rows: Counts


@dataclass(frozen=True)
class Release:
    """The contents of one release.

    Attributes:
        tag: the release's name.
        group: the QI-group of each row; shape (rows,).
        classes: the row classes.
        entry_group, entry_value, entry_count: the published values: group, code and number of rows of each
            entry, shape (entries,); `entry_count` is None if each stands for one row. In a plain table an entry is a
            row.
        counts: the number of people of each row; None for one each.
        values_by_row: whether entry i is the value of row i (false for an Anatomy pair).
        cells: the generalized cells of each requested quasi-identifier, by row, as numbers of the series' attributes;
            in a plain table at least of those in which rows of one group differ.
        texts: the cells of each quasi-identifier as written: codes by row, and the text of each code.
        records: the published record id of each row, all distinct, if requested.
        suppressed: the group of the rows whose quasi-identifiers are all `*`, if there are other rows and neither
            groups nor record ids are published; otherwise None.
        singling: the quasi-identifiers that make rows unique or groups small.
        counterfeits: number of counterfeits by group code, as published; empty when nothing is published.
    """

    tag: str
    group: Coded
    classes: RowClasses
    entry_group: Codes
    entry_value: Mapping[str, Codes]
    entry_count: Counts | None
    counts: Counts | None
    values_by_row: bool
    cells: dict[str, Codes]
    records: Coded | None
    suppressed: int | None = None
    singling: tuple[ColumnShare, ...] = ()
    counterfeits: dict[int, int] = field(default_factory=dict)
    texts: Mapping[str, tuple[Integers, Sequence[str]]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows in the file."""
        return len(self.group.codes)

    @property
    def people(self) -> int:
        """Number of people of all rows, including counterfeits."""
        return self.rows if self.counts is None else int(self.counts.sum())

    def group_people(self) -> Counts:
        """Return the number of people of each group, including counterfeits; 0 for unused codes."""
        return tally(self.entry_group, self.group.size, self.entry_count)

    @property
    def group_counterfeits(self) -> Counts:
        """The number of published counterfeits of each group; shape (groups,)."""
        found = np.zeros(self.group.size, dtype=np.int64)
        found[list(self.counterfeits)] = list(self.counterfeits.values())
        return found

    def fewest_people(self, of_row: Codes, size: int) -> Counts:
        """Return the fewest people that each class of rows may have, without a key; shape (classes,).

        All published counterfeits of a group may be in one of its classes, but one person remains.
        """
        group, counterfeits = np.zeros(size, dtype=np.int64), self.group_counterfeits
        group[of_row] = self.group.codes
        has_people = self.group_people() > counterfeits
        return np.maximum(tally(of_row, size, self.counts) - counterfeits[group], has_people[group])

    def contents(self, sensitive: str) -> GroupContents:
        """Return the values of a sensitive attribute in the groups."""
        value = self.entry_value[sensitive]
        bound = int(value.max(initial=0)) + 1
        pair, rows = counted(
            self.entry_group.astype(np.int64) * bound + value, self.group.size * bound, self.entry_count
        )
        return GroupContents((pair // bound).astype(np.int32), (pair % bound).astype(np.int32), rows)

    def by_class(self) -> Self:
        """Return the release with its row classes as groups, if it is a plain table; otherwise unchanged."""
        row = self.classes.row
        return replace(self, group=row, entry_group=row.codes) if self.values_by_row else self


@dataclass(frozen=True)
class KeyedRelease(Release):
    """A release with the publisher's key, which no attack can read.

    Attributes:
        person: the person of each row, -1 for a counterfeit without identity; None without a key.
        strangers: which rows belong to unknown people: rows that a key file does not list, and additional rows of a
            person with one followed row; None if there are none. `person` is -1 there; shape (rows,).
        owner: the person of each row, -1 for a counterfeit without identity, if people may have several rows; None if
            `person` holds the same, or if nothing is known.
        own: the value of each row of an Anatomy pair in its key file, by attribute: codes, and their texts.
    """

    person: Codes | None = None
    strangers: Flags | None = None
    owner: Codes | None = None
    own: Mapping[str, tuple[Codes, Sequence[str]]] = field(default_factory=dict)

    def published(self) -> Release:
        """Return the published part, without the key."""
        return Release(**{each.name: getattr(self, each.name) for each in fields(Release)})

    @property
    def nameless(self) -> int:
        """The number of rows with a blank identifier that are not those of unknown people; 0 without a key."""
        if self.person is None:
            return 0
        return int(np.count_nonzero(self.person == NOBODY)) - (
            0 if self.strangers is None else int(self.strangers.sum())
        )

    @property
    def unknown(self) -> Flags:
        """Which rows belong to unknown people, without a known person's further rows; shape (rows,), bool."""
        owner = self.person if self.owner is None else self.owner
        if owner is None or self.strangers is None:
            return np.zeros(self.rows, dtype=np.bool_)
        return self.strangers & (owner == NOBODY)

    def counterfeit_rows(self, people: IdentifierEncoder) -> Flags | None:
        """Return which rows are counterfeits by the key, shape (rows,), bool; None without a key."""
        if self.person is None:
            return None
        fake = (self.person == NOBODY) | people.counterfeits(self.person)
        return fake if self.strangers is None else fake & ~self.strangers

    def owners(self, people: IdentifierEncoder) -> Codes | None:
        """Return the person of each row, shape (rows,), int32; None without a key.

        A counterfeit is -1, and a row of an unknown person has a number of its own, above all codes.
        """
        owner = self.person if self.owner is None else self.owner
        if owner is None:
            return None
        if (fake := people.counterfeits(owner)).any():
            owner = np.where(fake, NOBODY, owner)
        if self.strangers is None:
            return owner
        return np.where(self.unknown, people.size + np.arange(self.rows), owner).astype(np.int32)


def own_values(release: KeyedRelease, name: str, vocabularies: Mapping[str, Vocabulary]) -> Codes | None:
    """Return the value of each row, -1 if unknown, shape (rows,), int32; None if no value is known.

    A plain table publishes them. For an Anatomy pair they may be in its key file, which is ignored for groups in which
    it has a value more often than the pair publishes it.
    """
    if release.values_by_row:
        return release.entry_value[name]
    if name not in release.own:
        return None
    codes, texts = release.own[name]
    found = vocabularies[name].codes(texts)[codes]
    found[_too_often(release, name, found)[release.group.codes]] = NOBODY
    return found


def _too_often(release: KeyedRelease, name: str, of_key: Codes) -> Flags:
    """Return for which groups the key of an Anatomy pair has a value more often than the pair publishes it.

    A value that the pair does not publish for the group at all does not count: it is reported as a contradiction.
    """
    values = int(max(of_key.max(initial=0), release.entry_value[name].max(initial=0))) + 1
    known = np.flatnonzero(of_key != NOBODY)
    of_rows = release.group.codes[known] * np.int64(values) + of_key[known]
    of_entries = release.entry_group * np.int64(values) + release.entry_value[name]
    place, entries = ranks(np.concatenate([of_entries, of_rows]), release.group.size * values), len(of_entries)
    pairs = int(place.max(initial=-1)) + 1
    published = np.bincount(place[:entries], weights=release.entry_count, minlength=pairs)
    more = np.bincount(place[entries:], minlength=pairs) > published
    return flagged(release.entry_group[more[place[:entries]]], release.group.size)
