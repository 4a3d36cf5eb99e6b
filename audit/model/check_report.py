"""The report of a check: whether a series keeps the principle that it claims, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from audit.model.json_types import UNWRITTEN, Counted


@dataclass(frozen=True)
class Offence:
    """One place where the principle is broken.

    Attributes:
        release: the tag of the release that breaks it.
        groups: the names of the groups that show the offence; empty if none does.
        place: the release and the groups in words.
        line: the line of the release's file that shows it, counted from 1 with the header, in Parquet the row; None
            where no row shows it, or it would show who a person is.
        in_rows: whether `line` counts rows.
        what: what is broken.
        individuals: who shows it; empty unless revealed.
        hidden: whether a person who is not named shows it.
    """

    release: str
    groups: tuple[str, ...]
    place: Annotated[str, UNWRITTEN]
    line: Counted | None
    in_rows: Annotated[bool, UNWRITTEN]
    what: str
    individuals: tuple[str, ...]
    hidden: Annotated[bool, UNWRITTEN]


@dataclass(frozen=True)
class CheckReport:
    """Whether a series keeps a principle.

    Attributes:
        series: its name.
        releases: the tags of its releases.
        rows: rows of all releases together.
        principle: the principle's name.
        parameters: its parameters.
        promise: both in words.
        undecided: why it cannot be decided whether it is kept; None where it is known.
        broken: number of offences by clause; empty where the principle is kept, or it is undecided.
        offences: the first of them.
        offences_total: how many there are.
        revealed: whether people are named.
        schema_version: of this form.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("holds",)
    schema_version: ClassVar[Literal[1]] = 1
    series: str
    releases: tuple[str, ...]
    rows: Annotated[int, UNWRITTEN]
    principle: str
    parameters: Mapping[str, int]
    promise: Annotated[str, UNWRITTEN]
    undecided: str | None
    broken: Mapping[str, int]
    offences: tuple[Offence, ...]
    offences_total: int
    revealed: bool

    @property
    def holds(self) -> bool | None:
        """Whether the principle is kept; null where it is undecided."""
        return None if self.undecided is not None else not self.broken

    @property
    def exit_code(self) -> int:
        """0 where it is kept, 1 where it is broken, 3 where it is undecided."""
        return 3 if self.holds is None else 0 if self.holds else 1
