"""The comparison: several series side by side, as data. Formats render it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

from audit.model.adversary import AdversaryKind
from audit.model.json_types import UNWRITTEN, Items, Less, Within, WrittenAs
from audit.model.report import AttackReport, Tool


@dataclass(frozen=True)
class ReleaseMeasures:
    """What one release costs and is good for; the last four are None without microdata.

    Attributes:
        tag: the release's name.
        rows: people that its rows stand for, counterfeits among them.
        groups: QI-groups.
        counterfeits: counterfeits, by the key or, without one, as published.
        discernibility: sum over the groups of their squared sizes.
        average_group: rows for each group.
        perimeter: how far the rows' cells reach, added up.
        ncp: normalized certainty penalty, in [0, 1]; None without quasi-identifiers as well.
        query_error: median relative error of the queries; None when none has one.
        skipped: queries that have no relative error, their divisor being 0.
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
    """Counterfeits.

    Attributes:
        max: of a release, at most.
        sum: of all releases.
    """

    max: int
    sum: int


@dataclass(frozen=True)
class MeanMeasures:
    """Means over the releases that have the measure; null where none has it.

    Attributes:
        discernibility: sum over the groups of their squared sizes.
        average_group: rows for each group.
        perimeter: how far the rows' cells reach, added up.
        ncp: normalized certainty penalty.
        query_error: median relative error of the queries.
        skipped: queries that have no relative error.
        comparable: share of rows whose cells the release before has too.
    """

    discernibility: Annotated[float, Within(0)] | None
    average_group: Annotated[float, Within(0)] | None
    perimeter: Annotated[float, Within(0)] | None
    ncp: Annotated[float, Within(0)] | None
    query_error: Annotated[float, Within(0)] | None
    skipped: Annotated[float, Within(0)] | None
    comparable: float | None


COMPARED = Less("compared_attack_counts", ("findings",), ("sensitive",))
"""An attack on one of several series."""


@dataclass(frozen=True)
class ComparedSeries:
    """A series.

    Attributes:
        path: as it was named.
        name: its own name.
        individuals: people; null when they are not known.
        adversary: who was assumed by the audit; null when there was none.
        attacks: what each attack found, without findings.
        not_audited: why no attack could be run, or null.
        releases: the measures of each release.
        method: method and parameters, where the series was published here.
        exact: whether its releases are Anatomy pairs, whose cells are exact.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("release_count", "rows", "counterfeits", "form", "means")
    path: str
    name: str
    individuals: int | None
    adversary: AdversaryKind | None
    attacks: Annotated[tuple[AttackReport, ...], COMPARED]
    not_audited: str | None
    releases: Annotated[tuple[ReleaseMeasures, ...], WrittenAs("by_release")]
    method: str | None = None
    exact: Annotated[bool, UNWRITTEN] = False

    @property
    def release_count(self) -> Annotated[int, WrittenAs("releases")]:
        """Releases."""
        return len(self.releases)

    @property
    def rows(self) -> int:
        """Rows of all releases."""
        return sum(release.rows for release in self.releases)

    @property
    def counterfeits(self) -> CounterfeitCounts:
        """Counterfeits."""
        counts = [release.counterfeits for release in self.releases]
        return CounterfeitCounts(max(counts, default=0), sum(counts))

    @property
    def form(self) -> Literal["generalization", "anatomy"]:
        """What its releases are."""
        return "anatomy" if self.exact else "generalization"

    @property
    def means(self) -> MeanMeasures:
        """Means over the releases."""
        return MeanMeasures(**{each.name: self.mean(each.name) for each in fields(MeanMeasures)})

    def mean(self, measure: str) -> float | None:
        """Return the average of a measure over the releases that have it, or None when none has."""
        found = [getattr(release, measure) for release in self.releases]
        known = [value for value in found if value is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class QueryDesign:
    """The microdata and the queries that utility was measured with.

    Attributes:
        microdata: the microdata's name.
        queries: number for each release.
        theta: expected selectivity, or the ranges' part of the domain in the style of the m-Distinct paper.
        style: whose ranges and error, `m-invariance` or `m-distinct`.
        seed: what the queries were drawn from.
    """

    microdata: str
    queries: int
    theta: float
    style: str
    seed: int


@dataclass(frozen=True)
class Comparison:
    """What `audit compare --format json` writes. Persons do not occur in it.

    Attributes:
        schema_version: of this form.
        tool_version: of the program.
        sides: one entry for each series, in the order in which they were named.
        asked: the microdata and the queries that utility was measured with; null without microdata.
        time_limit: seconds for each attack; null is without limit.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("tool",)
    schema_version: ClassVar[Literal[1]] = 1
    tool_version: Annotated[str, UNWRITTEN]
    sides: Annotated[tuple[ComparedSeries, ...], WrittenAs("series"), Items(1)]
    asked: QueryDesign | None
    time_limit: Annotated[float, Within(0)] | None

    @property
    def tool(self) -> Tool:
        """What made this."""
        return Tool(self.tool_version)
