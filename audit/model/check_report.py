"""Check report: whether a series keeps the principle that it claims, as data."""

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
        groups: the names of the groups that show it; empty if none does.
        place: the release and the groups, in words.
        line: the line of the release's file that shows it, counted from 1 with the header, or in Parquet the row; None
            if no row shows it, or if the line would identify a person.
        in_rows: whether `line` is the number of a row.
        what: what is broken.
        individuals: the people who show it; empty unless people are revealed.
        hidden: whether a person shows it who is not named.
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
        rows: the number of rows of all releases together.
        principle: the principle's name.
        parameters: its parameters.
        promise: the principle and its parameters, in words.
        undecided: why it cannot be decided whether the principle is kept; None if it is decided.
        broken: the number of offences by clause; empty if the principle is kept or undecided.
        offences: the first offences.
        offences_total: the number of offences.
        revealed: whether people are named.
        schema_version: the version of this form.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("holds",)
    schema_version: ClassVar[Literal[2]] = 2
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
        """Whether the principle is kept; null if that is undecided."""
        return None if self.undecided is not None else not self.broken

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if the principle is kept, 1 if it is broken, 3 if that is undecided."""
        return 3 if self.holds is None else 0 if self.holds else 1
