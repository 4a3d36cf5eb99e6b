"""Answers about a release of count tables before it is published, and about one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from audit.model.count_certificates import CertifiedBound
from audit.model.count_report import CountMeasures, TablesFacts
from audit.model.json_types import UNWRITTEN, Items, Omittable, Status, WrittenAs
from audit.model.report import Report


@dataclass(frozen=True)
class ExplainedCount:
    """What is known about one cell in one release, or about its increase since the release before.

    Attributes:
        release: the release.
        since: the release before, if it is about the increase.
        measure: the statistic, if there are several.
        shown: the published texts of the cell.
        lower: the count is at least this.
        upper: the count is at most this; null if there is no such limit.
        exact: whether both bounds are known to be attained.
        certificate: what shows the bounds.
    """

    release: str
    since: Omittable[str]
    measure: Omittable[str]
    shown: Annotated[tuple[str, ...], WrittenAs("published")]
    lower: int
    upper: int | None
    exact: bool
    certificate: tuple[CertifiedBound, ...]


@dataclass(frozen=True)
class CellExplanation:
    """The contents of `audit explain` for count tables: what is known about one cell.

    Attributes:
        cell: its label by dimension.
        counts: what is known, release by release.
        tables: the tables of the series.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("series",)
    cell: dict[str, str]
    counts: tuple[ExplainedCount, ...]
    tables: Annotated[TablesFacts, UNWRITTEN]

    @property
    def series(self) -> str:
        """The name of the series."""
        return self.tables.name


@dataclass(frozen=True)
class ComparedCounts:
    """One of several series of count tables.

    Attributes:
        path: its path as given by the user.
        report: its audit.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("name", "passed", "status", "measures", "limits")
    path: str
    report: Annotated[Report, UNWRITTEN]

    @property
    def name(self) -> str:
        """Its own name."""
        return self.report.series.name

    @property
    def passed(self) -> bool:
        """Whether the policy holds."""
        return self.report.policy.passed

    @property
    def status(self) -> Status:
        """The status of the attack."""
        return self.report.attacks[0].status

    @property
    def measures(self) -> CountMeasures:
        """The measures."""
        return self.report.count_measures

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits of the policy."""
        return self.report.policy.limits


@dataclass(frozen=True)
class ComparedTables:
    """The contents of `audit compare --format json` for count tables.

    Attributes:
        series: one entry for each series, in the given order.
    """

    series: Annotated[tuple[ComparedCounts, ...], Items(1)]
