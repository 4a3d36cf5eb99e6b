"""Anonymizers: their input, the history that they may use, and their output.

An anonymizer only sees integer columns. It knows neither files nor how cells are written: it decides which rows form a
group, which counterfeits are added, and how far each group's cells reach. `audit.publishing` writes the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes
from audit.model.errors import AuditError
from audit.model.history import PublicationHistory
from audit.model.update_sets import UpdateSets

COUNTERFEIT = -1
OLD_END = -1


@dataclass(frozen=True)
class Scale:
    """The exact values of one quasi-identifier in a snapshot, in the order of its domain.

    Attributes:
        name: the attribute's name.
        place: where each value lies in the domain, whose ends are at 0 and 1; ascending, shape (values,), float64.
            Values of a categorical attribute have equal distances.
        block: the last value of the block that each value is in, where cells end with the blocks of a grid; None
            where they may end at any value; ascending, shape (values,), int32.
    """

    name: str
    place: npt.NDArray[np.float64]
    block: Codes | None = None


@dataclass(frozen=True)
class Snapshot:
    """The microdata at one time.

    Attributes:
        tag: the snapshot's name.
        person: the person of each row; distinct codes from 0, common to all snapshots and releases; shape (rows,),
            int32.
        value: the sensitive value of each row, by codes common to all; shape (rows,), int32.
        point: the quasi-identifiers of each row, as places in their scales; shape (rows, attributes), int32.
        scales: one per quasi-identifier.
        values: the sensitive values by code.
        updates: the possible updates of each value; None if values never change.
        harmless: the codes of the values that may be known of any person.
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

    def places(self) -> npt.NDArray[np.float64]:
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
    """A release as an anonymizer forms it; rows of the snapshot that are not in it are withheld.

    Attributes:
        row: the rows of the snapshot that are published, `COUNTERFEIT` for counterfeits; shape (n,), int32.
        group: the group of each, in [0, groups), every group having a person; shape (n,), int32.
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


class RefusalError(AuditError):
    """A promise cannot be kept for a snapshot.

    Attributes:
        what: the reason, without people's values.
        remedy: what the publisher can do.
        rows: the rows of the snapshot that are the reason; may be empty.
        column: the column that is the reason, if there is one: the name of a quasi-identifier, or `sensitive` or
            `individual` for the columns of that role.
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
        """Return the text without the rows' file, which only the caller knows."""
        return f"{self.what}; {self.remedy}"


@dataclass(frozen=True)
class Promise:
    """The claim of a series: a principle and its parameters, such as m-invariance with m = 10."""

    principle: str
    parameters: Mapping[str, int]

    def __str__(self) -> str:
        """Return a text such as `m-invariance (m = 10)`."""
        given = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        return f"{self.principle} ({given})" if given else self.principle


Form = Literal["generalization", "anatomy"]


class Anonymizer(Protocol):
    """A way to publish; its fields are its options."""

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
