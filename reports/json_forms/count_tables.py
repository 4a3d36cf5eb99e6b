"""What an audit of count tables looks like in JSON."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from audit.model.count_report import (
    AssumedTerm,
    CertificateStep,
    CertificateSum,
    CertifiedBound,
    CountAttackReport,
    CountFinding,
    CountReport,
    CountRules,
    CountSeriesFacts,
    OverTime,
    SumTerm,
)
from audit.model.json_types import INLINED, OMITTED, UNBOUNDED, CountVerdict, ExactFraction, Omittable
from audit.model.report import BaselineFacts, ClauseReport, Input, Undecided, Violation, Waived
from reports.json_forms.audit import ToolEntry, made_by
from reports.json_values import json_form


@dataclass(frozen=True)
class RoundingEntry:
    """How published numbers were rounded.

    Attributes:
        to: multiples of what.
        how: in which way.
    """

    to: int
    how: str


@dataclass(frozen=True)
class RatesEntry:
    """Rates of counts.

    Attributes:
        column: their column.
        per: per how many.
        decimals: with how many decimals.
        denominator: the column, the statistic or the cell of the denominator.
    """

    column: str
    per: int
    decimals: int
    denominator: str


@dataclass(frozen=True)
class RulesEntry:
    """What published texts were taken to stand for; what is found holds if the publisher kept to it.

    Attributes:
        markers: the least and the greatest count of each; null where there is no greatest.
        threshold: counts from 1 to one less are always hidden; null where none are.
        rounding: how numbers were rounded; null where they were not.
        perturbation: by how much numbers may be off.
        rates: rates of counts; null where there are none.
        further_rates: others; absent where there are none.
        absent_is_zero: whether a row that is left out is a 0.
        open: dimensions whose labels need not cover everybody.
    """

    markers: Mapping[str, tuple[int | None, ...]]
    threshold: int | None
    rounding: RoundingEntry | None
    perturbation: int
    rates: RatesEntry | None
    absent_is_zero: bool
    open: tuple[str, ...]
    further_rates: Omittable[tuple[RatesEntry, ...]] = None


@dataclass(frozen=True)
class TablesEntry:
    """What was audited.

    Attributes:
        kind: tables of counts.
        name: the series' name.
        releases: the tags of the releases, in order.
        tables: how many tables.
        rows: how many published rows.
        dimensions: the dimensions of the tables.
        totals: the label that stands for everybody, by dimension.
        measures: the statistics, where there are several.
        over_time: how counts of one cell in several releases are related.
        rules: what published texts were taken to stand for.
        notes: how many lines below a table are notes and no rows, by file; absent where there are none.
    """

    kind: Literal["tables"]
    name: str
    releases: tuple[str, ...]
    tables: int
    rows: int
    dimensions: tuple[str, ...]
    totals: Mapping[str, str]
    measures: tuple[str, ...]
    over_time: OverTime
    rules: RulesEntry
    notes: Omittable[Mapping[str, int]] = None


@dataclass(frozen=True)
class PublicAdversary:
    """Who was assumed to attack: anybody who has the tables.

    Attributes:
        kind: which adversary.
        transitions: whether values may change.
        known: people with a value that is known beforehand.
    """

    kind: Literal["published"]
    transitions: Literal[False]
    known: Literal[0]


@dataclass(frozen=True)
class PublishedTerm:
    """A published number times a weight.

    Attributes:
        release: its tag.
        cell: its label by dimension.
        weight: an exact fraction.
        published: what was published; absent where a row that was left out counts as 0.
        count: the end of its interval that the sum uses.
        file: where it stands; absent where a row was left out.
        line: the line in it.
    """

    release: str
    cell: Mapping[str, str]
    weight: ExactFraction
    published: Omittable[str]
    count: int
    file: Omittable[str]
    line: Omittable[int]


@dataclass(frozen=True)
class CaseTerm:
    """What a case assumes, times a weight.

    Attributes:
        case: which of the cases around it, the outermost 0.
        weight: an exact fraction.
        count: the end that the case assumes.
    """

    case: int
    weight: ExactFraction
    count: int


@dataclass(frozen=True)
class SumEntry:
    """Numbers whose intervals add up to a value, which rounding to an integer makes a bound; or that is impossible.

    Attributes:
        sum: the numbers.
        value: an exact fraction.
        impossible: true where no counts fit.
    """

    sum: tuple[PublishedTerm | CaseTerm, ...]
    value: ExactFraction
    impossible: Annotated[bool, OMITTED]


@dataclass(frozen=True)
class CountCase:
    """One of two cases: a cell's count is at most so much, or more.

    Attributes:
        release: where the cell stands.
        since: the release before, where the case is about an increase.
        cell: its label by dimension.
        at_most: in the first case.
        at_least: in the second case.
        step: what follows.
    """

    release: str
    since: Omittable[str]
    cell: Mapping[str, str]
    at_most: Omittable[int]
    at_least: Omittable[int]
    step: Annotated[SumEntry | CasesEntry, INLINED]


@dataclass(frozen=True)
class CasesEntry:
    """Two cases, one of which holds.

    Attributes:
        cases: both.
    """

    cases: tuple[CountCase, ...]


@dataclass(frozen=True)
class BoundEntry:
    """What shows that a count is at least, or at most, a number.

    Attributes:
        bound: which.
        step: the sum, or the cases.
        steps: how many sums it takes.
        rounded: the number.
        cell: of which cell, where the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    step: Annotated[SumEntry | CasesEntry, INLINED]
    steps: int
    rounded: int
    cell: Omittable[Mapping[str, str]] = None


@dataclass(frozen=True)
class CountFindingEntry:
    """A count that the tables give away.

    Attributes:
        id: the same in every audit of the same series.
        kind: which sort of finding.
        release: where the cell was published, or is derived.
        since: the release before, where the finding is about an increase.
        measure: the statistic, where there are several.
        cell: its label by dimension.
        published: what was published in the cell; absent where it was not.
        lower: its count is at least this.
        upper: its count is at most this; null where everybody is of one kind, and there is no such limit.
        exact: false where it is not known that both are attained.
        certificate: what shows the bounds.
        rests_on: keys of the manifest that are guesses, without which it is not found; absent where there are none.
        dimension: of which everybody is of the kind that the cell names; absent where the finding is about a count.
    """

    id: str
    kind: CountVerdict
    release: str
    since: Omittable[str]
    measure: Omittable[str]
    cell: Mapping[str, str]
    published: Omittable[str]
    lower: int
    upper: int | None
    exact: Omittable[Literal[False]]
    certificate: tuple[CertifiedBound, ...]
    rests_on: Omittable[tuple[str, ...]] = None
    dimension: Omittable[str] = None


@dataclass(frozen=True)
class CountPolicyEntry:
    """The decision.

    Attributes:
        passed: nothing is violated, and nothing is undecided.
        clauses: how each clause in force ended.
        violations: clauses that do not hold.
        undecided: clauses that could not be decided.
        waived: what became of each waiver.
    """

    passed: bool
    clauses: tuple[ClauseReport, ...]
    violations: tuple[Violation, ...]
    undecided: tuple[Undecided, ...]
    waived: tuple[Waived, ...]


@dataclass(frozen=True)
class CountDocument:
    """What `audit SERIES --format json` writes of a series of count tables.

    Attributes:
        schema_version: of this form.
        tool: what made this.
        made: the day on which the audit was made.
        inputs: the files that were read.
        series: what was audited.
        adversary: who was assumed to attack.
        time_limit: seconds for the attack; null is without limit.
        attacks: what the attack found.
        policy: the decision.
        known_before: how many findings are left out that are waived or in the baseline; only with --baseline.
        baseline: the earlier report that this one is compared with; only with --baseline.
        interrupted: true where the user stopped the audit: what was not decided by then is open.
    """

    schema_version: Literal[1]
    tool: ToolEntry
    made: datetime.date
    inputs: tuple[Input, ...]
    series: TablesEntry
    adversary: PublicAdversary
    time_limit: float | None
    attacks: tuple[CountAttackReport, ...]
    policy: CountPolicyEntry
    known_before: Omittable[int]
    baseline: Omittable[BaselineFacts]
    interrupted: Annotated[bool, OMITTED]


def count_document(report: CountReport) -> CountDocument:
    """Return what is written of a report on count tables."""
    policy = report.policy
    return CountDocument(
        schema_version=1,
        tool=made_by(report.tool_version),
        made=report.made,
        inputs=report.inputs,
        series=_series(report.series),
        adversary=PublicAdversary("published", transitions=False, known=0),
        time_limit=report.time_limit,
        attacks=(report.attack,),
        policy=CountPolicyEntry(policy.passed, policy.clauses, policy.violations, policy.undecided, policy.waived),
        known_before=None if report.baseline is None else report.left_out,
        baseline=report.baseline,
        interrupted=report.interrupted,
    )


@json_form.register
def count_finding(finding: CountFinding) -> CountFindingEntry:
    """Return what is written of a finding, with its certificate."""
    return CountFindingEntry(
        id=finding.id,
        kind=finding.kind,
        release=finding.release,
        since=finding.since,
        measure=finding.measure,
        cell=finding.cell,
        published=finding.shown,
        lower=finding.lower,
        upper=None if finding.upper >= UNBOUNDED else finding.upper,
        exact=None if finding.exact else False,
        certificate=finding.certificate,
        rests_on=finding.rests_on or None,
        dimension=finding.dimension,
    )


@json_form.register
def bound_entry(bound: CertifiedBound) -> BoundEntry:
    """Return what is written of what shows a bound."""
    return BoundEntry(bound.bound, _step(bound.step), _sums(bound.step), bound.rounded, bound.cell)


def _series(series: CountSeriesFacts) -> TablesEntry:
    return TablesEntry(
        kind="tables",
        name=series.name,
        releases=series.releases,
        tables=series.tables,
        rows=series.rows,
        dimensions=series.dimensions,
        totals=series.totals,
        measures=series.measures,
        over_time=series.over_time,
        rules=_rules(series.rules),
        notes=series.notes or None,
    )


def _rules(rules: CountRules) -> RulesEntry:
    return RulesEntry(
        markers=rules.markers,
        threshold=rules.threshold,
        rounding=None if rules.rounding is None else RoundingEntry(*rules.rounding),
        perturbation=rules.perturbation,
        rates=RatesEntry(*rules.rates[0]) if rules.rates else None,
        further_rates=tuple(RatesEntry(*each) for each in rules.rates[1:]) or None,
        absent_is_zero=rules.absent_is_zero,
        open=rules.open,
    )


def _step(step: CertificateStep) -> SumEntry | CasesEntry:
    if isinstance(step, CertificateSum):
        return SumEntry(tuple(map(_term, step.terms)), step.value, step.impossible)
    where = (step.release, step.since, step.cell)
    return CasesEntry(
        (
            CountCase(*where, at_most=step.at_most, at_least=None, step=_step(step.below)),
            CountCase(*where, at_most=None, at_least=step.at_most + 1, step=_step(step.above)),
        )
    )


def _term(term: SumTerm | AssumedTerm) -> PublishedTerm | CaseTerm:
    if isinstance(term, AssumedTerm):
        return CaseTerm(term.case, term.weight, term.end)
    file, line = (None, None) if term.file is None else (term.file, term.line)
    return PublishedTerm(term.release, term.cell, term.weight, term.shown, term.end, file, line)


def _sums(step: CertificateStep) -> int:
    """Return how many sums a certificate takes."""
    return 1 if isinstance(step, CertificateSum) else _sums(step.below) + _sums(step.above)
