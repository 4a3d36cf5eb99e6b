"""Publishing: what an anonymizer is given, what it may look back on, and what it gives back.

An anonymizer sees integer columns alone. It knows neither files nor how cells are written: it says which rows share
a group, which counterfeits join them, and how far each group's cells reach; `audit.publishing` writes that down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from audit.model.errors import AuditError
from audit.model.evidence import Codes
from audit.model.history import PresenceHistory
from audit.model.update_sets import UpdateSets

COUNTERFEIT = -1
OLD_END = -1


@dataclass(frozen=True)
class Scale:
    """The exact values of one quasi-identifier in a snapshot, in the order of its domain.

    Attributes:
        name: the attribute's name.
        place: where each value lies in the domain, whose ends are at 0 and 1; ascending, shape (values,), float64.
            Values of a categorical attribute stand at equal distances.
    """

    name: str
    place: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Snapshot:
    """The microdata at one time.

    Attributes:
        tag: the snapshot's name.
        person: who each row is; distinct codes from 0, common to all snapshots and releases; shape (rows,), int32.
        value: the sensitive value of each row, by codes common to all; shape (rows,), int32.
        point: the quasi-identifiers of each row, as places in their scales; shape (rows, attributes), int32.
        scales: one per quasi-identifier.
        values: the sensitive values by code.
        updates: what may become of each value; None where values never change.
    """

    tag: str
    person: Codes
    value: Codes
    point: Codes
    scales: tuple[Scale, ...]
    values: Sequence[str]
    updates: UpdateSets | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.person)

    def places(self) -> npt.NDArray[np.float64]:
        """Return where each row lies in the domains; shape (rows, attributes), float64 in [0, 1]."""
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


@dataclass(frozen=True)
class DomainParts:
    """Cells that are parts of older cells: of a group of the last release, or of the whole domain.

    Attributes:
        of: the group of the last release whose cells are cut, -1 for the whole domain; shape (groups,), int32.
        after: the cell has only values beyond this place in the snapshot's scale; `OLD_END` where it begins as the
            older cell does; shape (groups, attributes), int32.
        upto: the cell has only values up to this place, it included; `OLD_END` where it ends as the older cell does.
    """

    of: Codes
    after: Codes
    upto: Codes


@dataclass(frozen=True)
class Draft:
    """A release as an anonymizer forms it. Rows of the snapshot that are not in it are withheld.

    Attributes:
        row: the rows of the snapshot that are published, `COUNTERFEIT` for counterfeits; shape (n,), int32.
        group: the group of each, in [0, groups), every group having somebody; shape (n,), int32.
        value: the sensitive value of each; shape (n,), int32.
        cells: how far each group's cells reach.
        identity: the code of each counterfeit that goes on from the last release with its exact quasi-identifiers;
            `COUNTERFEIT` for new ones, and for people; None where they have no identity; shape (n,), int32.
    """

    row: Codes
    group: Codes
    value: Codes
    cells: Bounds | DomainParts
    identity: Codes | None = None


@dataclass(frozen=True)
class CellRanges:
    """The cells of the last release's groups, as the ranges that they cover in a snapshot's scales.

    Attributes:
        low, high: first and last place that a group's cell covers, low > high where it covers none; shape
            (groups, attributes), int32. A cell that is no interval is told by the range around it.
        exact: false for groups with such a cell; shape (groups,). `PreviousCells.covers` decides there.
    """

    low: Codes
    high: Codes
    exact: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PublishedRelease:
    """A published release with its key.

    Attributes:
        tag: the release's name.
        person: who each row is, -1 for a counterfeit without identity; counterfeits that keep their identity have a
            code that no snapshot has; shape (rows,), int32.
        group: the group of each row, in [0, groups); shape (rows,), int32.
        entry_group, entry_value, entry_count: what is published: group, sensitive value, number of rows; of a plain
            table one entry a row, and no counts.
        own: the sensitive value of each row's person as the publisher knows it, -1 for counterfeits; shape (rows,).
    """

    tag: str
    person: Codes
    group: Codes
    entry_group: Codes
    entry_value: Codes
    entry_count: npt.NDArray[np.int64] | None
    own: Codes


class PreviousCells(Protocol):
    """How an anonymizer looks at the cells of the last release, from a snapshot."""

    def ranges(self) -> CellRanges:
        """Return the cells of the last release's groups in the snapshot's scales."""

    def covers(self, group: Codes, row: Codes) -> npt.NDArray[np.bool_]:
        """Return whether the cells of some groups cover some rows of the snapshot, pair by pair; shape (pairs,)."""

    def moved(self) -> Codes:
        """Return the rows of people whose exact quasi-identifiers were others in the snapshot before."""


@dataclass
class PublicationHistory:
    """What has been published, as anonymizers look back on it; it grows by one release at a time.

    Attributes:
        releases: number of releases.
        last: the last release; None before the first.
        value: by person code, the person's sensitive value when last published, -1 for nobody known; int32.
        signature: by person code, the signature (as a place in `signatures`) of the group that last held the
            person, -1 for nobody known; int32.
        signatures: distinct sensitive values of a group, ascending codes (m-invariance paper, Definition 16).
        stays: who was in groups of which signature from when to when, counterfeits with identity among them.
        look: the last release's cells seen from the snapshot that is to be published.
    """

    releases: int = 0
    last: PublishedRelease | None = None
    value: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    signature: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    signatures: list[tuple[int, ...]] = field(default_factory=list)
    stays: PresenceHistory = field(default_factory=PresenceHistory)
    look: PreviousCells | None = None
    _numbers: dict[tuple[int, ...], int] = field(default_factory=dict)

    def add(self, release: PublishedRelease) -> None:
        """Look back on one release more."""
        real = np.flatnonzero(release.own >= 0)
        people = release.person[real]
        of_group = self._sign(release)
        size = int(people.max(initial=-1)) + 1
        self.value = _grown(self.value, size)
        self.signature = _grown(self.signature, size)
        self.value[people] = release.own[real]
        self.signature[people] = of_group[release.group[real]]
        self.stays.add(release, of_group[release.group])
        self.last = release
        self.releases += 1

    def values_of(self, person: Codes) -> Codes:
        """Return the last published value of some people, -1 for those who were never published."""
        return _grown(self.value, int(person.max(initial=-1)) + 1)[person]

    def signatures_of(self, person: Codes) -> Codes:
        """Return the signature that some people had last, -1 for those who were never published."""
        return _grown(self.signature, int(person.max(initial=-1)) + 1)[person]

    def _sign(self, release: PublishedRelease) -> Codes:
        """Return the signature of each group of a release, numbering new ones."""
        groups = int(release.group.max(initial=-1)) + 1
        holds = np.zeros((groups, int(release.entry_value.max(initial=-1)) + 1), dtype=np.bool_)
        holds[release.entry_group, release.entry_value] = True
        packed = np.packbits(holds, axis=1)
        _, first, place = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        numbers = [self._number(tuple(np.flatnonzero(holds[group]).tolist())) for group in first]
        return np.array(numbers, dtype=np.int32)[place.reshape(-1)]

    def _number(self, signature: tuple[int, ...]) -> int:
        number = self._numbers.setdefault(signature, len(self.signatures))
        if number == len(self.signatures):
            self.signatures.append(signature)
        return number


def _grown(codes: Codes, size: int) -> Codes:
    """Return codes by person with room for more people."""
    if len(codes) >= size:
        return codes
    return np.concatenate([codes, np.full(size - len(codes), -1, dtype=np.int32)])


class RefusalError(AuditError):
    """A promise cannot be kept for a snapshot.

    Attributes:
        what: the reason, without quoting anybody's values.
        remedy: what the publisher can do.
        rows: the rows of the snapshot that are the reason; may be empty.
        column: the column that is the reason, if one is: the name of a quasi-identifier, or `sensitive` or
            `individual` for the columns of that meaning.
    """

    def __init__(
        self, what: str, remedy: str, *, rows: npt.NDArray[np.integer] | Sequence[int] = (), column: str | None = None
    ) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy
        self.rows = np.asarray(rows, dtype=np.int64)
        self.column = column

    def __str__(self) -> str:
        """Render without the rows' file, which only the caller knows."""
        return f"{self.what}; {self.remedy}"


@dataclass(frozen=True)
class Promise:
    """What a series claims: a principle and its parameters, such as m-invariance with m = 10."""

    principle: str
    parameters: Mapping[str, int]

    def __str__(self) -> str:
        """Render as `m-invariance (m = 10)`."""
        told = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.principle} ({told})" if told else self.principle


Form = Literal["generalization", "anatomy"]


class Anonymizer(Protocol):
    """A way to publish; its fields are its options."""

    @property
    def name(self) -> str:
        """The method's name on the command line."""

    @property
    def promise(self) -> Promise:
        """What every series that it publishes keeps."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """How its releases can be written, the usual way first."""

    @property
    def links_records(self) -> bool:
        """Whether a record keeps a published id over the releases (monotonic paper, Section 2)."""

    @property
    def follows_updates(self) -> bool:
        """Whether it relies on what may become of values, which then has to be reflexive and closed."""

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release.

        Raises:
            RefusalError: the promise cannot be kept.
        """
