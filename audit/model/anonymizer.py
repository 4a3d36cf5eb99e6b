"""Anonymizers: their input, the history that they may use, and their output.

An anonymizer only sees integer columns. It knows neither files nor how cells are written: it decides which rows form a
group, which counterfeits are added, and what each group's cells cover. `audit.publishing` writes the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from audit.model.arrays import Codes, Floats, Integers, Numbers
from audit.model.errors import AuditError
from audit.model.evidence import UpdateSets
from audit.model.history import PublicationHistory

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
