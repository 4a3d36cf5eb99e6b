"""The history of a series: what its reports said, one after the other."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PastReport:
    """What an earlier report said.

    Attributes:
        file: its name in the folder of reports.
        page: the name of the same report as HTML or Markdown, if it stands beside it.
        made: its date; None where it does not say it.
        version: of the program that made it.
        series: the name of the series.
        releases: the releases that it was about.
        verdict: `holds`, `violated`, `undecided` or `interrupted`.
        risks: by attack, the highest risk of a person; None where it is not known.
        certain: how many people have a value that is certain by some attack; None where people are not counted.
        findings: how many findings it has, those included that a baseline left out.
        ids: the ids of these findings, where they are shown and stay from report to report; None elsewhere.
    """

    file: str
    page: str | None
    made: datetime.date | None
    version: str
    series: str
    releases: tuple[str, ...]
    verdict: str
    risks: Mapping[str, float | None]
    certain: int | None
    findings: int
    ids: frozenset[str] | None

    @property
    def highest_risk(self) -> float | None:
        """The highest risk by any attack; None where none is known."""
        return max((risk for risk in self.risks.values() if risk is not None), default=None)


@dataclass(frozen=True)
class AuditHistory:
    """The reports of a series, the earliest first."""

    reports: tuple[PastReport, ...]

    def new_findings(self, place: int) -> int | None:
        """Return how many findings the report before does not have; None for the first, and where ids say nothing."""
        earlier, ids = self.reports[place - 1].ids if place else None, self.reports[place].ids
        return None if earlier is None or ids is None else len(ids - earlier)
