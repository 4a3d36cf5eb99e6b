"""What the comparison of several series looks like in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from audit.model.adversary import AdversaryKind
from audit.model.comparison import ComparedSeries, Comparison, QueryDesign, ReleaseMeasures
from audit.model.json_types import INLINED, Items, Sensitive, Within
from audit.model.report import AttackReport, Tool
from reports.json_forms.audit import AttackCounts, attack_counts


@dataclass(frozen=True)
class ComparedAttackCounts:
    """What one attack found, without its findings.

    Attributes:
        counts: what it found.
        sensitive: the attribute, where several are audited.
    """

    counts: Annotated[AttackCounts, INLINED]
    sensitive: Sensitive | None


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


@dataclass(frozen=True)
class ComparedEntry:
    """A series.

    Attributes:
        path: as it was named.
        name: its own name.
        releases: releases.
        rows: rows of all releases.
        individuals: people; null when nobody knows them.
        counterfeits: counterfeits.
        adversary: whom the audit assumed; null when there was none.
        method: method and parameters, where the series was published here.
        form: what its releases are.
        not_audited: why no attack could be run, or null.
        attacks: what each attack found, without findings.
        means: means over the releases.
        by_release: the measures of each release.
    """

    path: str
    name: str
    releases: int
    rows: int
    individuals: int | None
    counterfeits: CounterfeitCounts
    adversary: AdversaryKind | None
    method: str | None
    form: Literal["generalization", "anatomy"]
    not_audited: str | None
    attacks: tuple[ComparedAttackCounts, ...]
    means: MeanMeasures
    by_release: tuple[ReleaseMeasures, ...]


@dataclass(frozen=True)
class ComparisonDocument:
    """What `audit compare --format json` writes. Persons do not occur in it.

    Attributes:
        schema_version: of this form.
        tool: what made this.
        time_limit: seconds for each attack; null is without limit.
        asked: the microdata and the queries that utility was measured with; null without microdata.
        series: one entry for each series, in the order in which they were named.
    """

    schema_version: Literal[1]
    tool: Tool
    time_limit: Annotated[float, Within(0)] | None
    asked: QueryDesign | None
    series: Annotated[tuple[ComparedEntry, ...], Items(1)]


def comparison_document(comparison: Comparison) -> ComparisonDocument:
    """Return what is written of a comparison."""
    return ComparisonDocument(
        schema_version=1,
        tool=Tool(comparison.tool_version),
        time_limit=comparison.time_limit,
        asked=comparison.asked,
        series=tuple(map(_compared, comparison.sides)),
    )


def compared_counts(attack: AttackReport) -> ComparedAttackCounts:
    """Return what is written of an attack on one of several series."""
    return ComparedAttackCounts(attack_counts(attack), attack.sensitive)


def _compared(side: ComparedSeries) -> ComparedEntry:
    counterfeits = [release.counterfeits for release in side.releases]
    return ComparedEntry(
        path=side.path,
        name=side.name,
        releases=len(side.releases),
        rows=sum(release.rows for release in side.releases),
        individuals=side.individuals,
        counterfeits=CounterfeitCounts(max(counterfeits, default=0), sum(counterfeits)),
        adversary=side.adversary,
        method=side.method,
        form="anatomy" if side.exact else "generalization",
        not_audited=side.not_audited,
        attacks=tuple(map(compared_counts, side.attacks)),
        means=MeanMeasures(
            discernibility=side.mean("discernibility"),
            average_group=side.mean("average_group"),
            perimeter=side.mean("perimeter"),
            ncp=side.mean("ncp"),
            query_error=side.mean("query_error"),
            skipped=side.mean("skipped"),
            comparable=side.mean("comparable"),
        ),
        by_release=side.releases,
    )
