"""Records followed through the releases, looked up one person and one class at a time, for checkers.

A class is the records that are in the same row classes throughout. Which classes a person may be of is found out from
the person's row classes in each release, as checkers of single releases find these.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from audit.adversary.followed_people import FollowedPeople
from audit.adversary.view import View
from audit.io.encoding import NOBODY
from audit.verification.disclosure import BrokenCertificateError
from audit.verification.published_rows import GroupsOfRows, PublishedReleases

RowClasses = tuple[int | None, ...]
"""The row class in each release; None for no row."""


def published_by(view: View) -> PublishedReleases:
    """Return what the files behind some evidence say: by release, or by record where people are followed."""
    people = view.followed_people
    return PublishedReleases(view) if people is None else FollowedRows(view, people)


class RecordRows:
    """All records, and where they stand; each class has the number of its first record."""

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
        groups = self._published.group_of_rows(release).tolist()
        for record, group, value, who in zip(read.record.tolist(), groups, values, person, strict=True):
            self.row_classes.setdefault(record, [None] * self._source.count)[release] = group
            if self._value.setdefault(record, value) != value:
                raise BrokenCertificateError("the value of a record changes")
            if who != NOBODY and self._owner.setdefault(record, who) != who:
                raise BrokenCertificateError("a record is several people's")

    @cached_property
    def codes(self) -> dict[str, int]:
        """The classes by name."""
        return {self._source.named_by(self._names(row_classes)): code for row_classes, code in self.classes.items()}

    @cached_property
    def _by_code(self) -> dict[int, str]:
        return {code: name for name, code in self.codes.items()}

    def _names(self, row_classes: RowClasses) -> list[str | None]:
        return [
            None if group is None else self._published.group_name(release, group)
            for release, group in enumerate(row_classes)
        ]

    def name(self, group: int) -> str:
        """Return the name of a class."""
        return self._by_code[group]

    def rows(self, group: int) -> dict[int, int]:
        """Return how many records of a class have each value."""
        return dict(Counter(self._value[record] for record in self._records[group]))

    def people(self, group: int) -> list[int]:
        """Return whose the records of a class are."""
        return [self._owner.get(record, NOBODY) for record in self._records[group]]


class FollowedRows(PublishedReleases):
    """All records as one release, and what is known of people beside them."""

    def __init__(self, view: View, source: FollowedPeople) -> None:
        super().__init__(view)
        self.source, self._plain = source, PublishedReleases(view)

    @property
    def releases(self) -> int:
        """Number of releases: one, of all records."""
        return 1

    def homes(self, person: int, release: int) -> set[int]:
        """Return the classes of records that a person may be of."""
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
        """Return whether rows are left out of the key of a release, so that others may be in it."""
        strangers = self.held.keyed[release].strangers
        return self.held.register is None and strangers is not None and bool(strangers.any())

    @cached_property
    def _all(self) -> RecordRows:
        return RecordRows(self.source, self._plain)

    def _read(self, release: int) -> GroupsOfRows:
        if release != 0:
            raise BrokenCertificateError("there is no such release")
        return self._all
