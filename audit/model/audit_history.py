"""Audit history of a series: the results of its reports in the order of their dates."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PastReport:
    """The results of an earlier report.

    Attributes:
        file: its name in the folder of reports.
        page: the name of the same report as HTML or Markdown, if there is one in the folder.
        made: its date; None if it has none.
        version: the version of the program that wrote it.
        series: the name of the series.
        releases: the audited releases.
        verdict: `holds`, `violated`, `undecided` or `interrupted`.
        risks: the highest risk of a person by each attack; None if unknown.
        certain: the number of people with a value that some attack finds certain; None if people are not counted.
        findings: the number of findings, including those that a baseline left out.
        ids: the ids of these findings, if they are shown and stable; otherwise None.
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
        """The highest risk by any attack; None if no risk is known."""
        return max((risk for risk in self.risks.values() if risk is not None), default=None)


@dataclass(frozen=True)
class AuditHistory:
    """The reports of a series, from the earliest to the latest."""

    reports: tuple[PastReport, ...]

    def new_findings(self, place: int) -> int | None:
        """Return how many findings of a report are not in the one before; None for the first and without stable ids."""
        earlier, ids = self.reports[place - 1].ids if place else None, self.reports[place].ids
        return None if earlier is None or ids is None else len(ids - earlier)
