"""Anonymizers: their input, the history that they may use, and their output.

An anonymizer only sees integer columns. It knows neither files nor how cells are written: it decides which rows form a
group, which counterfeits are added, and what each group's cells cover. `audit.publishing` writes the result.

The history has releases, cells, and the buckets of people over time. A *bucket* holds all people of one signature. If a
series publishes one group for each signature, presences without a gap are the delta encoding of the equivalence paper,
Section VI: a person who never came back is an edge between the release of insertion and that of deletion. People who
came back have several presences, which are kept separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

import numpy as np

from audit.model.arrays import Codes, Flags, Floats, Integers, Numbers, Places
from audit.model.errors import AuditError
from audit.model.evidence import UpdateSets, ValueCounts

COUNTERFEIT = -1
OLD_END = -1


@dataclass(frozen=True)
class Scale:
    """The exact values of one quasi-identifier in a snapshot, in the order of its domain.

    Attributes:
        name: the attribute's name.
        place: the place of each value in the domain, whose ends are at 0 and 1; ascending, shape (values,), float64.
            Values of a categorical attribute have equal distances.
        block: the index of the last value in the block of each value, if cells must end with the blocks of a grid;
            ascending, shape (values,), int32; None if they may end at any value.
    """

    name: str
    place: Floats
    block: Codes | None = None


@dataclass(frozen=True)
class Snapshot:
    """The microdata at one time.

    Attributes:
        tag: the snapshot's name.
        person: the person of each row; distinct codes from 0, the same in all snapshots and releases; shape (rows,),
            int32.
        value: the sensitive value of each row, as a code that is the same in all snapshots; shape (rows,), int32.
        point: the quasi-identifiers of each row, as places in their scales; shape (rows, attributes), int32.
        scales: one per quasi-identifier.
        values: the sensitive values by code.
        updates: the possible updates of each value; None if values never change.
        harmless: the codes of the values that may become known of any person.
    """

    tag: str
    person: Codes
    value: Codes
    point: Codes
    scales: tuple[Scale, ...]
    values: Sequence[str]
    updates: UpdateSets | None = None
    harmless: frozenset[int] = frozenset()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.person)

    def places(self) -> Floats:
        """Return the place of each row in the domains; shape (rows, attributes), float64 in [0, 1]."""
        columns = [scale.place[self.point[:, column]] for column, scale in enumerate(self.scales)]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self), 0))


@dataclass(frozen=True)
class Bounds:
    """Cells that reach from the least to the greatest value of a group's members, both included.

    Attributes:
        low, high: places in the snapshot's scales; shape (groups, attributes), int32.
    """

    low: Codes
    high: Codes

    @classmethod
    def of(cls, point: Codes, group: Numbers, groups: int) -> Bounds:
        """Return the cells of some groups.

        Args:
            point: the quasi-identifiers of rows, as places in their scales; shape (rows, attributes), int32.
            group: the group of each row; shape (rows,).
            groups: the number of groups; the cells of an empty one end before they begin.
        """
        low = np.full((groups, point.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full_like(low, -1)
        for column in range(point.shape[1]):
            np.minimum.at(low[:, column], group, point[:, column])
            np.maximum.at(high[:, column], group, point[:, column])
        return cls(low, high)


@dataclass(frozen=True)
class DomainParts:
    """Cells that are parts of older cells: of a group of the last release, or of the whole domain.

    Attributes:
        of: the group of the last release whose cells are cut, -1 for the whole domain; shape (groups,), int32.
        after: the place in the snapshot's scale after which the cell begins; `OLD_END` if it begins as the older cell
            does; shape (groups, attributes), int32.
        upto: the place with which the cell ends; `OLD_END` if it ends as the older cell does; shape (groups,
            attributes), int32.
    """

    of: Codes
    after: Codes
    upto: Codes


@dataclass(frozen=True)
class Draft:
    """A release as an anonymizer forms it; rows of the snapshot that are not in it are withheld.

    Attributes:
        row: the row of the snapshot that each published row shows, `COUNTERFEIT` for counterfeits; shape (n,), int32.
        group: its group, in [0, groups); every group has a person; shape (n,), int32.
        value: its sensitive value; shape (n,), int32.
        cells: what each group's cells cover.
        identity: the code of each counterfeit that was in the last release and keeps its exact quasi-identifiers;
            `COUNTERFEIT` for new ones and for people; shape (n,), int32; None if no counterfeit has an identity.
    """

    row: Codes
    group: Codes
    value: Codes
    cells: Bounds | DomainParts
    identity: Codes | None = None


class RefusalError(AuditError):
    """A promise cannot be kept for a snapshot.

    Attributes:
        what: the reason, without people's values.
        remedy: what the publisher can do.
        rows: the rows of the snapshot that cause it; may be empty; shape (n,), int64.
        column: the column that causes it: the name of a quasi-identifier, or `sensitive` or `individual` for the column
            with that role; None if no column does.
    """

    def __init__(
        self, what: str, remedy: str, *, rows: Integers | Sequence[int] = (), column: str | None = None
    ) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy
        self.rows = np.asarray(rows, dtype=np.int64)
        self.column = column

    def __str__(self) -> str:
        """Return the reason and the remedy, without the file of the rows, which only the caller knows."""
        return f"{self.what}; {self.remedy}"


@dataclass(frozen=True)
class Promise:
    """A principle, and its parameters, that a series claims to keep, such as m-invariance with m = 10."""

    principle: str
    parameters: Mapping[str, int]

    def __str__(self) -> str:
        """Return a text such as `m-invariance (m = 10)`."""
        given = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.principle} ({given})" if given else self.principle


Form = Literal["generalization", "anatomy"]


class Anonymizer(Protocol):
    """A method of publishing; its fields are its options.

    A method with `constant_values = True` is for values that never change: others are refused before it publishes. One
    with `constant_quasi_identifiers = True` refuses people whose quasi-identifiers change.
    """

    @property
    def name(self) -> str:
        """The method's name on the command line."""

    @property
    def promise(self) -> Promise:
        """The promise that every series by this method keeps."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms of its releases, the usual one first."""

    @property
    def links_records(self) -> bool:
        """Whether a record keeps a published id over the releases (monotonic paper, Section 2)."""

    @property
    def follows_updates(self) -> bool:
        """Whether it uses the possible updates of values, which must then be reflexive and closed."""

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release.

        Raises:
            RefusalError: the promise cannot be kept.
        """


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
