"""The comparison: several series side by side, as data. Formats render it."""

from __future__ import annotations

from dataclasses import dataclass, field

from audit.model.adversary import AdversaryKind
from audit.model.report import AttackReport


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
class ComparedSeries:
    """One of the compared series.

    Attributes:
        path: the series as it was named.
        name: its own name.
        individuals: how many people there are, None when they are not known.
        adversary: who was assumed by the audit, None when there was none.
        attacks: what each attack found, without findings.
        not_audited: why no attack could be run, or None.
        releases: the measures of each release.
        method: the method and its parameters, where the series was published here.
        exact: whether its releases are Anatomy pairs, whose cells are exact.
    """

    path: str
    name: str
    individuals: int | None
    adversary: AdversaryKind | None
    attacks: tuple[AttackReport, ...]
    not_audited: str | None
    releases: tuple[ReleaseMeasures, ...]
    method: str | None = None
    exact: bool = False

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
    """Several series side by side; `asked` is None without microdata, `time_limit` is in seconds per attack."""

    tool_version: str
    sides: tuple[ComparedSeries, ...]
    asked: QueryDesign | None
    time_limit: float | None
    schema_version: int = field(default=1)
