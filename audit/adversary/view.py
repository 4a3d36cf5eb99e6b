"""A view: evidence of a series, beside what only those may look at who name, check and score what attacks find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

import numpy as np

from audit.adversary.followed_people import FollowedPeopleSource
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.record_linkage import FollowedRecords
from audit.io.encoding import NOBODY
from audit.io.releases import own_values
from audit.model.arrays import UNKNOWN, Codes, Flags
from audit.model.evidence import Evidence, PoolSource, PublishedSource, RecordSource, RowSource


class Key(Protocol):
    """True values of the people of evidence."""

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""

    def of_people(self) -> Codes | None:
        """Return everybody's true value by person code, -1 where unknown, for values that never change."""

    def changed(self) -> Flags:
        """Return by person code whose value is another one later on, though values never change."""


def first_values(releases: Iterable[tuple[Codes, Codes | None]], people: int) -> tuple[Codes | None, Flags]:
    """Return everybody's first true value by person code, -1 where unknown, and whether it is another one later on.

    Args:
        releases: distinct people of each release, and the true value of each, -1 where unknown; None without a key.
        people: one more than the largest code of people.
    """
    first, changed, recorded = np.full(people, UNKNOWN, np.int32), np.zeros(people, np.bool_), False
    for person, values in releases:
        if values is not None:
            recorded, before = True, first[person]
            changed[person] |= (before != UNKNOWN) & (values != before) & (values != UNKNOWN)
            first[person] = np.where(before == UNKNOWN, values, before)
    return first if recorded else None, changed


class SeriesKey:
    """The key of a series whose groups an adversary knows, or looks up in a register."""

    def __init__(self, source: KnownGroupsSource) -> None:
        self._source = source

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""
        source = self._source
        if not source.by_key:
            return self._of(release, source.pools(release).person)
        values, person = self._of_rows(release), source.release(release).person
        rows = None if person is None else source.real(person)
        return values if rows is None or values is None else values[rows]

    def of_people(self) -> Codes | None:
        """Return everybody's first true value by person code, -1 where unknown."""
        return self._constant[0]

    def changed(self) -> Flags:
        """Return by person code whose value is another one later on."""
        return self._constant[1]

    def world(self, release: int) -> Codes | None:
        """Return the values of the people of `hosts(release)`, -1 where unknown; None without a key."""
        if self._of_rows(release) is None:
            return None
        return self._of(release, self._source.hosts(release).person)

    @cached_property
    def _constant(self) -> tuple[Codes | None, Flags]:
        source, nobody = self._source, np.zeros(0, dtype=np.int32)
        values = [self.of_versions(release) for release in range(len(source.releases))]
        people = (nobody if own is None else source.pools(release).person for release, own in enumerate(values))
        return first_values(zip(people, values, strict=True), source.series.people.size)

    def _of_rows(self, release: int) -> Codes | None:
        source, read = self._source, self._source.release(release)
        return None if read.person is None else own_values(read, source.sensitive, source.series.vocabularies)

    def _of(self, release: int, people: Codes) -> Codes | None:
        """Return the values that some people have in a release."""
        values, person = self._of_rows(release), self._source.release(release).person
        if values is None or person is None:
            return None
        own = np.full(self._source.series.people.size + 1, UNKNOWN, dtype=np.int32)
        own[person] = values
        own[NOBODY] = UNKNOWN
        return own[people]


class FollowedKey:
    """The key of people who are followed by record ids; nobody's value changes."""

    def __init__(self, source: FollowedPeopleSource) -> None:
        self._source = source

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of the pools, -1 where unknown; None without a key."""
        return self._source.values_of(self._source.present(release))

    def of_people(self) -> Codes | None:
        """Return everybody's true value by person code, -1 where unknown."""
        return self._source.values_of(np.arange(self._source.series.people.size, dtype=np.int32))

    def changed(self) -> Flags:
        """Return by person code whose value is another one later on: nobody's."""
        return np.zeros(self._source.series.people.size, dtype=np.bool_)

    def world(self, release: int) -> Codes | None:
        """Return the values of everybody, -1 where unknown; None without a key."""
        del release
        return self._source.values_of(self._source.choices.person)


T = TypeVar("T")


@dataclass(frozen=True)
class View(Evidence):
    """A series as one adversary sees it, with its sources as they are, and the publisher's key.

    Attributes:
        source: where the pools come from; it has the series.
        records: where the rows of records come from.
        key: who has which value.
    """

    source: KnownGroupsSource
    records: FollowedRecords | None = None
    key: Key = field(kw_only=True)

    def name(self, person: int) -> str:
        """Return the identifier of a person."""
        return self.source.series.people.name(person)


def handed(seen: Evidence) -> Evidence:
    """Return what an attack is handed: evidence without a key, whose sources have what evidence asks of them alone."""
    return replace(
        Evidence(**{each.name: getattr(seen, each.name) for each in fields(Evidence)}),
        source=_only(seen.source, PoolSource),
        records=None if seen.records is None else _only(seen.records, RecordSource),
        published=None if seen.published is None else _only(seen.published, PublishedSource),
        rows_of=None if seen.rows_of is None else _only(seen.rows_of, RowSource),
    )


def _only(source: T, protocol: type) -> T:
    """Return what a protocol names of a source."""
    names = (name for name in vars(protocol) if not name.startswith("_"))
    found: Any = SimpleNamespace(**{name: getattr(source, name) for name in names})
    narrow: T = found
    return narrow
