"""Comparison of several series, as data that formats render."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.json_types import UNWRITTEN, Items, Within, WrittenAs
from audit.model.report import COUNTS, AttackReport, PolicyReport, Report, Tool


@dataclass(frozen=True)
class ReleaseMeasures:
    """The cost and the utility of one release.

    Attributes:
        tag: the release's name.
        rows: the number of people that its rows stand for, including counterfeits.
        groups: the number of QI-groups.
        counterfeits: the number of counterfeits by the key or, without a key, as published.
        discernibility: the sum of the squared sizes of the groups.
        average_group: the mean number of rows of a group.
        perimeter: the sum of the extents of the rows' cells; None without microdata.
        ncp: the normalized certainty penalty, in [0, 1]; None without microdata or quasi-identifiers.
        query_error: the median relative error of the queries; None without microdata, or if no query has an error.
        skipped: the number of queries without a relative error, because their divisor is 0; None without microdata.
        comparable: the share of its rows whose cells are cells of the release before; None for the first release, for
            Anatomy pairs and without quasi-identifiers.
    """

    tag: str
    rows: int
    groups: int
    counterfeits: int
    discernibility: int
    average_group: float
    perimeter: float | None = None
    ncp: float | None = None
    query_error: float | None = None
    skipped: int | None = None
    comparable: float | None = None


@dataclass(frozen=True)
class CounterfeitCounts:
    """The numbers of counterfeits.

    Attributes:
        max: the largest number in one release.
        sum: the sum over all releases.
    """

    max: int
    sum: int


@dataclass(frozen=True)
class MeanMeasures:
    """The means of measures over the releases that have them; null if no release has the measure.

    Attributes:
        discernibility: the sum of the squared sizes of the groups.
        average_group: the mean number of rows of a group.
        perimeter: the sum of the extents of the rows' cells.
        ncp: the normalized certainty penalty.
        query_error: the median relative error of the queries.
        skipped: the number of queries without a relative error.
        comparable: the share of rows whose cells are also in the release before.
    """

    discernibility: Annotated[float, Within(0)] | None
    average_group: Annotated[float, Within(0)] | None
    perimeter: Annotated[float, Within(0)] | None
    ncp: Annotated[float, Within(0)] | None
    query_error: Annotated[float, Within(0)] | None
    skipped: Annotated[float, Within(0)] | None
    comparable: float | None


@dataclass(frozen=True)
class ComparedSeries:
    """A series, of people's data or of count tables.

    Attributes:
        path: its path as given by the user.
        name: its own name.
        report: its audit; None if no attack could be run.
        not_audited: why no attack could be run; null if attacks were run.
        measured: the measures of each release; empty for count tables.
        method: the method and its parameters, if this program published the series; otherwise null.
        exact: whether its releases are Anatomy pairs, whose cells are exact.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        *("individuals", "adversary", "attacks", "policy", "releases", "rows", "counterfeits", "form", "means"),
    )
    path: str
    name: str
    report: Annotated[Report | None, UNWRITTEN]
    not_audited: str | None
    measured: Annotated[tuple[ReleaseMeasures, ...], WrittenAs("by_release")] = ()
    method: str | None = None
    exact: Annotated[bool, UNWRITTEN] = False

    @property
    def individuals(self) -> int | None:
        """The number of people; null if unknown."""
        knows = self.report is not None and ADVERSARIES[self.report.adversary.kind].knows_people
        return self.report.individuals if self.report is not None and knows else None

    @property
    def adversary(self) -> AdversaryKind | None:
        """The assumed adversary; null without an audit."""
        return None if self.report is None else self.report.adversary.kind

    @property
    def attacks(self) -> Annotated[tuple[AttackReport, ...], COUNTS]:
        """The results of the attacks, without findings."""
        return () if self.report is None else self.report.attacks

    @property
    def policy(self) -> PolicyReport | None:
        """The decision about its policy; null without an audit."""
        return None if self.report is None else self.report.policy

    @property
    def of_tables(self) -> bool:
        """Whether it is a series of count tables."""
        return self.report is not None and self.report.tables is not None

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of its releases."""
        return tuple(each.tag for each in self.measured) if self.report is None else self.report.series.releases

    @property
    def releases(self) -> int:
        """The number of releases."""
        return len(self.tags)

    @property
    def rows(self) -> int:
        """The number of rows of all releases."""
        if self.report is not None and self.of_tables:
            return self.report.series.rows
        return sum(release.rows for release in self.measured)

    @property
    def counterfeits(self) -> CounterfeitCounts:
        """The number of counterfeits."""
        counts = [release.counterfeits for release in self.measured]
        return CounterfeitCounts(max(counts, default=0), sum(counts))

    @property
    def form(self) -> Literal["generalization", "anatomy", "tables"]:
        """The form of its releases."""
        return "tables" if self.of_tables else "anatomy" if self.exact else "generalization"

    @property
    def means(self) -> MeanMeasures:
        """Means over the releases."""
        return MeanMeasures(**{each.name: self.mean(each.name) for each in fields(MeanMeasures)})

    def mean(self, measure: str) -> float | None:
        """Return the mean of a measure over the releases that have it, or None if none has."""
        found = [getattr(release, measure) for release in self.measured]
        known = [value for value in found if value is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class QueryDesign:
    """The microdata and the queries by which utility was measured.

    Attributes:
        microdata: the microdata's name.
        queries: the number of queries for each release.
        theta: the expected selectivity, or the share of the domain in the style of the m-Distinct paper.
        style: the paper that defines ranges and error, `m-invariance` or `m-distinct`.
        seed: the seed of the queries.
    """

    microdata: str
    queries: int
    theta: float
    style: str
    seed: int


@dataclass(frozen=True)
class Comparison:
    """The contents of `audit compare --format json`, which says nothing about single people.

    Attributes:
        schema_version: the version of this form.
        tool_version: the version of the program.
        sides: one entry for each series, in the given order.
        asked: the microdata and the queries by which utility was measured; null without microdata.
        time_limit: seconds for each attack; null means no limit.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("tool",)
    schema_version: ClassVar[Literal[2]] = 2
    tool_version: Annotated[str, UNWRITTEN]
    sides: Annotated[tuple[ComparedSeries, ...], WrittenAs("series"), Items(1)]
    asked: QueryDesign | None
    time_limit: Annotated[float, Within(0)] | None

    @property
    def of_tables(self) -> bool:
        """Whether the series are count tables."""
        return any(side.of_tables for side in self.sides)

    @property
    def tool(self) -> Tool:
        """The program."""
        return Tool(self.tool_version)
