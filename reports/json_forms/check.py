"""What a check of a principle looks like in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from audit.model.check_report import CheckReport
from audit.model.json_types import Counted


@dataclass(frozen=True)
class OffenceEntry:
    """One place where the principle is broken.

    Attributes:
        release: the tag of the release that breaks it.
        groups: the names of its groups in question; empty where no group of it shows the offence.
        line: where it is seen in the release's file, counted from 1 with the header, in Parquet the row; null where no
            row shows it, or it would tell who somebody is.
        what: what is broken.
        individuals: who shows it; empty unless revealed.
    """

    release: str
    groups: tuple[str, ...]
    line: Counted | None
    what: str
    individuals: tuple[str, ...]


@dataclass(frozen=True)
class CheckDocument:
    """What `audit check SERIES --principle NAME --format json` writes.

    Attributes:
        schema_version: of this form.
        series: its name.
        releases: the tags of its releases.
        principle: the principle's name.
        parameters: its parameters.
        holds: whether the principle is kept; null where it is undecided.
        undecided: why it cannot be decided whether it is kept; null where it is known.
        broken: number of offences by clause; empty where the principle is kept, or it is undecided.
        revealed: whether people are named.
        offences: the first of them.
        offences_total: how many there are.
    """

    schema_version: Literal[1]
    series: str
    releases: tuple[str, ...]
    principle: str
    parameters: Mapping[str, int]
    holds: bool | None
    undecided: str | None
    broken: Mapping[str, int]
    revealed: bool
    offences: tuple[OffenceEntry, ...]
    offences_total: int


def check_document(report: CheckReport) -> CheckDocument:
    """Return what is written of a check."""
    return CheckDocument(
        schema_version=1,
        series=report.series,
        releases=report.releases,
        principle=report.principle,
        parameters=report.parameters,
        holds=report.holds,
        undecided=report.undecided,
        broken=report.broken,
        revealed=report.revealed,
        offences=tuple(
            OffenceEntry(each.release, each.groups, each.line, each.what, each.individuals) for each in report.offences
        ),
        offences_total=report.offences_total,
    )
