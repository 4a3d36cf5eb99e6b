"""Published rows: look up one person and one group at a time, for checkers that share nothing with the attacks.

There are no pools and no matrices: the rows of a group are counted, and a person's groups are found by the key, or by
comparing each cell with the line of the register. If record ids are followed, a group is a class of records that are in
the same row classes in all releases; the classes that may hold a person follow from the person's row classes in each
release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from audit.adversary.followed_people import FollowedPeople
from audit.adversary.held_series import CombinedVocabulary
from audit.adversary.view import View
from audit.io.background_knowledge import Register
from audit.io.cell_reading import parse
from audit.io.cells import Kind, ValueSet, intersect
from audit.io.releases import KeyedRelease
from audit.judgement.field_types import BrokenCertificateError
from audit.model.arrays import NOBODY, Codes, Flags, Places, numbered, tally
from audit.model.evidence import claimed_code, claimed_part


@dataclass
class ReleaseRows:
    """One release: the groups of its people, and the groups that publish values together.

    These *groups* are the row classes of a plain table (rows of a published group with equal cells), otherwise the
    published groups. They are computed on first use.
    """

    release: KeyedRelease
    sensitive: str
    combined: CombinedVocabulary | None

    @cached_property
    def group_of_row(self) -> Codes:
        """The group of each row, as a number of its own; shape (rows,)."""
        release = self.release
        if not self.split:
            return release.group.codes
        columns = (release.group.codes, *release.cells.values(), *(codes for codes, _ in release.renamed.values()))
        order = np.lexsort(columns[::-1])
        new = np.zeros(len(order), dtype=np.bool_)
        for codes in columns:
            new[1:] |= np.diff(codes[order]) != 0
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.cumsum(new)
        return number

    @property
    def split(self) -> bool:
        """Whether rows of one published group may be in different groups."""
        return self.release.values_by_row and bool(self.release.cells)

    @cached_property
    def codes(self) -> dict[str, int]:
        """The codes of groups by name: the published name, with `#1`, `#2` (more marks if needed) in file order."""
        group = self.release.group
        if not self.split:
            return group.by_name()
        _, first = np.unique(self.group_of_row, return_index=True)
        inside: dict[str, list[int]] = {}
        for row in np.sort(first).tolist():
            inside.setdefault(group.name(int(group.codes[row])), []).append(int(self.group_of_row[row]))
        mark = "#"
        while any(mark in name for name in group.names):
            mark += "#"
        found: dict[str, int] = {}
        for name, codes in inside.items():
            found |= {name if len(codes) == 1 else f"{name}{mark}{at}": code for at, code in enumerate(codes, 1)}
        return found

    @cached_property
    def _names(self) -> dict[int, str]:
        return {code: name for name, code in self.codes.items()}

    def name(self, group: int) -> str:
        """Return the name of a group."""
        return self._names[group] if self.split else self.release.group.name(group)

    @cached_property
    def _order(self) -> tuple[Places, Codes]:
        """The entries sorted by group, and their groups."""
        return _in_order(self.group_of_row if self.release.values_by_row else self.release.entry_group)

    def rows(self, group: int) -> dict[int, int]:
        """Return the number of rows of a group by value."""
        places = _places(self._order, group)
        values = self._values(places)
        counts = [1] * len(places) if self.release.entry_count is None else self.release.entry_count[places].tolist()
        found: dict[int, int] = {}
        for value, count in zip(values, counts, strict=True):
            found[value] = found.get(value, 0) + count
        return found

    def _values(self, places: Places) -> list[int]:
        """Return the values of some entries, or codes for the values of all combined attributes."""
        if self.combined is None:
            return self.release.entry_value[self.sensitive][places].tolist()
        columns = (self.release.entry_value[name][places].tolist() for name in self.combined.attributes)
        return [self.combined.code(parts) for parts in zip(*columns, strict=True)]

    @cached_property
    def _rows(self) -> tuple[Places, Codes]:
        return self._order if self.release.values_by_row else _in_order(self.group_of_row)

    def people(self, group: int) -> list[int] | None:
        """Return the people of a group's rows, in the order of the file; None without a key."""
        person = self.release.person
        return None if person is None else person[_places(self._rows, group)].tolist()

    @cached_property
    def _row_of(self) -> Codes:
        """The row of each person up to the last one of the release, -1 for others."""
        person = np.zeros(0, dtype=np.int32) if self.release.person is None else self.release.person
        return numbered(person, int(person.max(initial=NOBODY)) + 2)  # the last one is for rows without a person

    def row_of(self, person: int) -> int | None:
        """Return the row of a person of the key; None if there is none."""
        row = int(self._row_of[person]) if 0 <= person < len(self._row_of) - 1 else NOBODY
        return None if row == NOBODY else row

    @cached_property
    def full(self) -> set[int]:
        """The published groups whose rows are all published as counterfeits, so that no person can be in them."""
        release, fakes = self.release, self.release.group_counterfeits
        rows = tally(release.group.codes, release.group.size, release.counts)
        return {*np.flatnonzero((fakes > 0) & (fakes >= rows)).tolist()}


def _in_order(codes: Codes) -> tuple[Places, Codes]:
    order = np.argsort(codes, kind="stable")
    return order, codes[order]


def _places(ordered: tuple[Places, Codes], code: int) -> Places:
    """Return the range of a code in a sorted array."""
    order, codes = ordered
    # Use the type of the codes: otherwise each query would convert all of them.
    first, last = np.searchsorted(codes, np.array([code, code + 1], dtype=codes.dtype))
    return order[first:last]


class PublishedReleases:
    """The releases of some evidence, and what else is known about people."""

    def __init__(self, view: View) -> None:
        self.view, self.held = view, view.held
        self._index: dict[int, ReleaseRows] = {}
        self._fits: dict[tuple[int, str], Flags] = {}

    @property
    def releases(self) -> int:
        """Number of releases."""
        return len(self.held)

    @cached_property
    def after(self) -> Follows | None:
        """The values that may follow each value; None if values never change."""
        if self.view.transitions is None:
            return None
        weight = self.view.transitions.weight
        return cache(lambda value: {*np.flatnonzero(weight[value]).tolist()})

    def homes(self, person: int, release: int) -> set[int]:
        """Return the codes of the groups that may hold a person in a release; empty if the person is not in it."""
        if not (0 <= release < self.releases and 0 <= person < self.held.series.people.size):
            return set()
        if self.view.register is not None:
            return self._covering(self.view.register, person, release)
        index = self.rows_of(release)
        row = index.row_of(person)
        return set() if row is None else {int(index.group_of_row[row])}

    def said(self, values: Collection[int], claimed: int) -> set[int]:
        """Return the part of values that a claim is about: of one attribute, if they are combinations of several."""
        combined = self.view.combined
        if combined is None or claimed >= 0:
            return set(values)
        number = len(combined.attributes)
        attribute, _ = claimed_part(claimed, number)
        parts = combined.parts()
        return {int(claimed_code(attribute, parts[value, attribute], number)) for value in values}

    def claimed(self, claimed: int) -> frozenset[int]:
        """Return the values that a claim stands for: all combinations with a value of one attribute, or the value."""
        combined = self.view.combined
        if combined is None or claimed >= 0:
            return frozenset({claimed})
        attribute, value = claimed_part(claimed, len(combined.attributes))
        parts: list[int] = combined.parts()[:, attribute].tolist()
        return frozenset(code for code, part in enumerate(parts) if part == value)

    def known(self, person: int, release: int) -> int | None:
        """Return the value that is known beforehand for a person in a release."""
        found = self.known_lines.get(person, {})
        if self.view.transitions is None:
            return next(iter(found.values()), None)
        return found.get(release, found.get(-1))

    @cached_property
    def known_lines(self) -> dict[int, dict[int, int]]:
        """The values known beforehand, by person and release, -1 for all releases."""
        found, known = dict[int, dict[int, int]](), self.view.beforehand
        columns = () if known is None else (known.person, known.release, known.value)
        for person, release, value in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(person, {})[release] = value
        return found

    def groups_of(self, release: int) -> ReleaseRows | RecordRows:
        """Return the groups of a release, with their people and values."""
        return self.rows_of(release)

    def rows_of(self, release: int) -> ReleaseRows:
        """Return the groups of a release, even if records are followed."""
        if release not in self._index:
            self._index[release] = ReleaseRows(self.held.keyed[release], self.view.sensitive, self.view.combined)
        return self._index[release]

    def _covering(self, register: Register, person: int, release: int) -> set[int]:
        index = self.rows_of(release)
        lines = np.flatnonzero(register.person == person)
        lines = lines[(register.first[lines] <= release) & (release <= register.last[lines])]
        if len(lines) != 1:
            return set()
        published, group, cells = self._distinct(release)
        covered = ~np.isin(published, list(index.full))
        for place, name in enumerate(self.held.series.columns.quasi_identifiers):
            exact = register.values[place][register.points[register.point[lines[0]], place]]
            covered &= self._fitting(place, name, exact)[cells[:, place]]
        return {int(code) for code in group[covered]}

    def _distinct(self, release: int) -> tuple[Codes, Codes, Codes]:
        """Return the published group, the group and the cells of each distinct row of a release."""
        index, seen = self.rows_of(release), self.held.seen[release]
        if index.split:
            group, first = np.unique(index.group_of_row, return_index=True)
            names = self.held.series.columns.quasi_identifiers
            cells = np.stack([index.release.cells[name][first] for name in names], axis=1)
            return index.release.group.codes[first], group.astype(np.int32), cells
        if seen.cells is None:
            raise AssertionError("releases judged with a register have cells")
        there = seen.rows(seen.classes.row) > 0
        return seen.classes.group[there], seen.classes.group[there], seen.cells[there]

    def _fitting(self, place: int, name: str, exact: str) -> Flags:
        """Return which cells of a quasi-identifier cover an exact value."""
        attribute = self.held.series.attributes[name]
        fits = self._fits.get((place, exact))
        if fits is None or len(fits) < len(attribute.cells):
            if exact in attribute.missing or not exact.strip("*"):
                fits = np.ones(len(attribute.cells), dtype=np.bool_)
            else:
                is_text = attribute.kind is Kind.CATEGORICAL
                point = ValueSet(frozenset({exact})) if is_text else parse(exact, attribute.kind)
                fits = np.array([intersect(cell, point) is not None for cell in attribute.cells], dtype=np.bool_)
            self._fits[place, exact] = fits
        return fits


Follows = Callable[[int], set[int]]
"""The values that may follow each value in a person's next version."""
RowClasses = tuple[int | None, ...]
"""The row class in each release; None for a release without a row."""


def published_by(view: View) -> PublishedReleases:
    """Return the published rows of some evidence: by release, or by record if records are followed."""
    people = view.followed_people
    return PublishedReleases(view) if people is None else FollowedRows(view, people)


class RecordRows:
    """All records and their classes; a class is named by the number of its first record."""

    def __init__(self, source: FollowedPeople, published: PublishedReleases) -> None:
        self._source, self._published = source, published
        self.row_classes: dict[int, list[int | None]] = {}
        self._value: dict[int, int] = {}
        self._owner: dict[int, int] = {}
        for release in range(source.count):
            self._read(release)
        classes: dict[RowClasses, list[int]] = {}
        for record in sorted(self.row_classes):
            classes.setdefault(tuple(self.row_classes[record]), []).append(record)
        self.classes = {row_classes: records[0] for row_classes, records in classes.items()}
        self._records = {records[0]: records for records in classes.values()}

    def _read(self, release: int) -> None:
        read, combined = self._published.held.seen[release], self._source.combined
        if read.record is None or not read.release.values_by_row:
            raise BrokenCertificateError("no records are followed")
        columns = [read.release.entry_value[name].tolist() for name in combined.attributes]
        values = [combined.code(parts) for parts in zip(*columns, strict=True)]
        owners = self._published.held.keyed[release].person
        person = [NOBODY] * len(values) if owners is None else owners.tolist()
        groups = self._published.rows_of(release).group_of_row.tolist()
        for record, group, value, who in zip(read.record.tolist(), groups, values, person, strict=True):
            self.row_classes.setdefault(record, [None] * self._source.count)[release] = group
            if self._value.setdefault(record, value) != value:
                raise BrokenCertificateError("the value of a record changes")
            if who != NOBODY and self._owner.setdefault(record, who) != who:
                raise BrokenCertificateError("a record belongs to several people")

    @cached_property
    def codes(self) -> dict[str, int]:
        """The classes by name."""
        return {self._source.named_by(self._names(row_classes)): code for row_classes, code in self.classes.items()}

    @cached_property
    def _by_code(self) -> dict[int, str]:
        return {code: name for name, code in self.codes.items()}

    def _names(self, row_classes: RowClasses) -> list[str | None]:
        return [
            None if group is None else self._published.rows_of(release).name(group)
            for release, group in enumerate(row_classes)
        ]

    def name(self, group: int) -> str:
        """Return the name of a class."""
        return self._by_code[group]

    def rows(self, group: int) -> dict[int, int]:
        """Return the number of records of a class by value."""
        return dict(Counter(self._value[record] for record in self._records[group]))

    def people(self, group: int) -> list[int]:
        """Return the people of the records of a class."""
        return [self._owner.get(record, NOBODY) for record in self._records[group]]


class FollowedRows(PublishedReleases):
    """All records as one release, and what else is known about people."""

    def __init__(self, view: View, source: FollowedPeople) -> None:
        super().__init__(view)
        self.source, self._plain = source, PublishedReleases(view)

    @property
    def releases(self) -> int:
        """Number of releases: one, which holds all records."""
        return 1

    def homes(self, person: int, release: int) -> set[int]:
        """Return the classes of records that may be a person's."""
        if release != 0:
            return set()
        at = range(self.source.count)
        rooms = [self._plain.homes(person, each) for each in at]
        if not any(rooms):
            return set()
        free = [self._may_be_a_stranger(each) for each in at]

        def fits(row_classes: RowClasses) -> bool:
            return all(
                group in room if room else group is None or anywhere
                for group, room, anywhere in zip(row_classes, rooms, free, strict=True)
            )

        return {code for row_classes, code in self._all.classes.items() if fits(row_classes)}

    def _may_be_a_stranger(self, release: int) -> bool:
        """Return whether the key of a release leaves out rows, which may belong to other people."""
        strangers = self.held.keyed[release].strangers
        return self.held.register is None and strangers is not None and bool(strangers.any())

    @cached_property
    def _all(self) -> RecordRows:
        return RecordRows(self.source, self._plain)

    def groups_of(self, release: int) -> RecordRows:
        """Return the classes of records.

        Raises:
            BrokenCertificateError: it is not release 0, the only one.
        """
        if release != 0:
            raise BrokenCertificateError("there is no such release")
        return self._all
