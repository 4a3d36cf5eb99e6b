"""History of publications, as anonymizers use it: releases, cells, and the buckets of people over time.

A *bucket* holds all people of one signature. If a series publishes one group for each signature, presences without a
gap are the delta encoding of the equivalence paper, Section VI: a person who never came back is an edge between the
release of insertion and that of deletion. People who came back have several presences, which are kept separately.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from audit.model.arrays import Codes, Flags, Integers, Numbers, Places
from audit.model.evidence import ValueCounts

_UNKNOWN = -1


def _no_codes() -> Codes:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class CellRanges:
    """The cells of the last release's groups, as the ranges that they cover in a snapshot's scales.

    Attributes:
        low, high: the first and the last place that a group's cell covers, low > high if it covers none; shape (groups,
            attributes), int32. For a cell that is not an interval, the smallest range that contains it.
        exact: false for groups with such a cell, for which `PreviousCells.covers` decides; shape (groups,), bool.
    """

    low: Codes
    high: Codes
    exact: Flags


@dataclass(frozen=True)
class PublishedRelease:
    """A published release with its key.

    Attributes:
        tag: the release's name.
        person: the person of each row, -1 for a counterfeit without identity; counterfeits that keep their identity
            have codes that no snapshot has; shape (rows,), int32.
        group: the group of each row, in [0, groups); shape (rows,), int32.
        entry_group, entry_value, entry_count: the published values: group, sensitive value, number of rows; for a plain
            table one entry for each row, without counts.
        own: the true sensitive value of each row's person, -1 for counterfeits; shape (rows,), int32.
    """

    tag: str
    person: Codes
    group: Codes
    entry_group: Codes
    entry_value: Codes
    entry_count: Numbers | None
    own: Codes


class PreviousCells(Protocol):
    """The cells of the last release, as an anonymizer sees them from a snapshot."""

    def ranges(self) -> CellRanges:
        """Return the cells of the last release's groups in the snapshot's scales."""

    def covers(self, group: Codes, row: Codes) -> Flags:
        """Return whether the cells of each group cover the row beside it; `group`, `row` and result: shape (pairs,)."""

    def moved(self) -> Codes:
        """Return the rows of people whose exact quasi-identifiers differ from those in the snapshot before."""


class PresenceIntervals(NamedTuple):
    """Presences that have ended: in `bucket` from release `begun` to the one before `ended`; each of shape (n,)."""

    bucket: Integers
    begun: Integers
    ended: Integers

    @classmethod
    def none(cls) -> PresenceIntervals:
        """Return an empty list of presences."""
        return cls(_no_codes(), _no_codes(), _no_codes())


@dataclass
class PresenceHistory:
    """The presences of people, and of counterfeits that keep their identity; releases are counted from 0.

    All arrays are indexed by the code of a person or counterfeit; shape (codes,).

    Attributes:
        releases: the number of releases.
        bucket: the signature of the last group with the person; -1 for unknown codes; int32.
        begun: the first release of the last presence; -1 for unknown codes; int32.
        last: the last release with the person; -1 for unknown codes; int32.
        returned: whether there were earlier presences; bool.
        counterfeit: whether the code is that of a counterfeit; bool.
        value: the sensitive value of a counterfeit; -1 if it cannot be known, and for people; int32.
    """

    releases: int = 0
    bucket: Codes = field(default_factory=_no_codes)
    begun: Codes = field(default_factory=_no_codes)
    last: Codes = field(default_factory=_no_codes)
    returned: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    counterfeit: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    value: Codes = field(default_factory=_no_codes)
    _earlier: list[PresenceIntervals] = field(default_factory=lambda: [PresenceIntervals.none()])
    _nameless: list[PresenceIntervals] = field(default_factory=lambda: [PresenceIntervals.none()])

    def add(self, release: PublishedRelease, bucket: Codes) -> None:
        """Add one release, with the bucket of each row; shape (rows,)."""
        now = self.releases
        named = np.flatnonzero(release.person >= 0)
        person = release.person[named]
        self._grow(int(person.max(initial=-1)) + 1)
        gone_before = self.last[person] < now - 1
        back = person[gone_before & (self.begun[person] >= 0)]
        self._earlier.append(PresenceIntervals(self.bucket[back], self.begun[back], self.last[back] + 1))
        self.returned[back] = True
        self.begun[person[gone_before | (self.begun[person] < 0)]] = now
        self.last[person], self.bucket[person] = now, bucket[named]
        nameless = bucket[release.person < 0]
        self._nameless.append(PresenceIntervals(nameless, np.full_like(nameless, now), np.full_like(nameless, now + 1)))
        counterfeits = named[release.own[named] < 0]
        if len(counterfeits):
            self.counterfeit[release.person[counterfeits]] = True
            self._find_values(release, counterfeits)
        self.releases += 1

    def here(self) -> Flags:
        """Return which people are in the last release, by code; shape (codes,), bool."""
        return (self.last == self.releases - 1) & (self.begun >= 0)

    def earlier(self) -> PresenceIntervals:
        """Return the earlier presences of people who came back."""
        return _joined(self._earlier)

    def nameless(self) -> PresenceIntervals:
        """Return the presences of counterfeits without identity, each in one release only."""
        return _joined(self._nameless)

    def _grow(self, size: int) -> None:
        """Make room for new people."""
        more = max(0, size - len(self.last))
        unknown, no = np.full(more, -1, dtype=np.int32), np.zeros(more, dtype=np.bool_)
        self.bucket, self.begun, self.last, self.value = (
            np.concatenate([codes, unknown]) for codes in (self.bucket, self.begun, self.last, self.value)
        )
        self.returned, self.counterfeit = np.concatenate([self.returned, no]), np.concatenate([self.counterfeit, no])

    def _find_values(self, release: PublishedRelease, counterfeits: Places) -> None:
        """Find the values of the counterfeits in these rows.

        An Anatomy pair does not show which of a group's values a counterfeit has. Counterfeits that join a group take,
        in the order of its rows, the values that no one else in it has. So the counterfeits of a series have values
        that fit all of its releases; if another method chose them otherwise, their values are unknown.
        """
        if release.entry_count is None:
            self.value[release.person[counterfeits]] = release.entry_value[counterfeits]
            return
        groups, values = int(release.group.max()) + 1, int(max(release.entry_value.max(), release.own.max())) + 1
        published = ValueCounts(release.entry_group, release.entry_value, release.entry_count).tabled(groups, values)
        real = release.own >= 0
        free = published.astype(np.int64) - ValueCounts(release.group[real], release.own[real], None).tabled(
            groups, values
        )
        for group in np.unique(release.group[counterfeits]).tolist():
            person = release.person[counterfeits[release.group[counterfeits] == group]]
            taken, fresh = self.value[person[self.value[person] >= 0]], person[self.value[person] < 0]
            left = free[group] - np.bincount(taken[taken < values], minlength=values)
            fits = left.min() >= 0 and taken.max(initial=-1) < values
            if fits and (self.begun[fresh] == self.releases).all():
                self.value[fresh] = np.repeat(np.arange(values), left)[: len(fresh)]
            else:
                self.value[person] = _UNKNOWN


def _joined(spans: list[PresenceIntervals]) -> PresenceIntervals:
    return PresenceIntervals(*(np.concatenate(column) for column in zip(*spans, strict=True)))


@dataclass
class PublicationHistory:
    """The published releases as anonymizers use them; it grows by one release at a time.

    Attributes:
        releases: the number of releases.
        last: the last release; None before the first.
        value: the sensitive value with which each person was last published, -1 for unknown codes; shape (people,),
            int32.
        signature: the signature of the last group with each person, as an index into `signatures`, -1 for unknown
            codes; shape (people,), int32.
        signatures: the distinct sensitive values of groups, as ascending codes (m-invariance paper, Definition 16).
        presence: the presences of people, and of counterfeits with identity, in groups of each signature.
        look: the last release's cells in the scales of the next snapshot; None before the first release.
    """

    releases: int = 0
    last: PublishedRelease | None = None
    value: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    signature: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    signatures: list[tuple[int, ...]] = field(default_factory=list)
    presence: PresenceHistory = field(default_factory=PresenceHistory)
    look: PreviousCells | None = None
    _numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, release: PublishedRelease) -> None:
        """Add one release."""
        real = np.flatnonzero(release.own >= 0)
        people = release.person[real]
        of_group = self._sign(release)
        size = int(people.max(initial=-1)) + 1
        self.value = _grown(self.value, size)
        self.signature = _grown(self.signature, size)
        self.value[people] = release.own[real]
        self.signature[people] = of_group[release.group[real]]
        self.presence.add(release, of_group[release.group])
        self.last = release
        self.releases += 1

    def values_of(self, person: Codes) -> Codes:
        """Return the last published value of each person, -1 if there is none; shape (people,), int32."""
        return _grown(self.value, int(person.max(initial=-1)) + 1)[person]

    def signatures_of(self, person: Codes) -> Codes:
        """Return the last signature of each person, -1 if there is none; shape (people,), int32."""
        return _grown(self.signature, int(person.max(initial=-1)) + 1)[person]

    def _sign(self, release: PublishedRelease) -> Codes:
        """Return the signature of each group of a release, shape (groups,), int32; new ones are added."""
        groups = int(release.group.max(initial=-1)) + 1
        holds = np.zeros((groups, int(release.entry_value.max(initial=-1)) + 1), dtype=np.bool_)
        holds[release.entry_group, release.entry_value] = True
        packed = np.packbits(holds, axis=1)
        _, first, place = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        row, value = np.nonzero(holds[first])
        values, ends = value.tolist(), np.cumsum(np.bincount(row, minlength=len(first))).tolist()
        numbers = [self._number(tuple(values[start:end])) for start, end in pairwise([0, *ends])]
        return np.array(numbers, dtype=np.int32)[place.reshape(-1)]

    def _number(self, signature: tuple[int, ...]) -> int:
        number = self._numbers.setdefault(signature, len(self.signatures))
        if number == len(self.signatures):
            self.signatures.append(signature)
        return number


def _grown(codes: Codes, size: int) -> Codes:
    """Return codes by person, with room for more people."""
    if len(codes) >= size:
        return codes
    return np.concatenate([codes, np.full(size - len(codes), -1, dtype=np.int32)])
