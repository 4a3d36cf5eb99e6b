"""What an audit's results look like in JSON, where that is not the form of the report."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from audit.findings.disclosure import CertificateStep
from audit.findings.proof import Proof, RefutedCase, RowPoints, Spending
from audit.model.finding import Finding
from audit.model.json_types import (
    INLINED,
    OMITTED,
    AttackName,
    ClauseName,
    ExactFraction,
    Items,
    Omittable,
    Seconds,
    Sensitive,
    Status,
    Within,
)
from audit.model.recommendation import Recommendation
from audit.model.report import (
    AdversaryFacts,
    AttackReport,
    BaselineFacts,
    ClauseReport,
    Contradictions,
    Exposure,
    FoundPerson,
    Input,
    LadderStep,
    PolicyReport,
    ReleasePanel,
    Report,
    ReportWarning,
    SeriesFacts,
    Undecided,
    Violation,
    Waived,
)
from reports.json_values import json_form


@dataclass(frozen=True)
class ToolEntry:
    """What made this.

    Attributes:
        name: its name.
        version: its version.
    """

    name: Literal["series-audit"]
    version: str


@dataclass(frozen=True)
class GroupStep:
    """What one release leaves possible for the person, whose group is known.

    Attributes:
        release: the release.
        group: the person's group.
        candidates: the values in it.
        feasible: those of them that are on a feasible path, where values may change.
    """

    release: str
    group: str
    candidates: tuple[str, ...]
    feasible: Omittable[tuple[str, ...]]


@dataclass(frozen=True)
class GroupsStep:
    """What one release leaves possible for the person, who may be in several groups.

    Attributes:
        release: the release.
        groups: the groups one of which holds the person.
        candidates: the values in them.
        feasible: those of them that are on a feasible path, where values may change.
    """

    release: str
    groups: Annotated[tuple[str, ...], Items(2)]
    candidates: tuple[str, ...]
    feasible: Omittable[tuple[str, ...]]


@dataclass(frozen=True)
class PointsStep:
    """Rows that cost points, and people who spend more points than all of these rows have.

    They would, had the person another value, or the value that a case assumes.

    Attributes:
        points: the rows that cost points; none where nothing is left to somebody.
        total: the points of all these rows.
        spent: what people spend at the least.
        nobody: to whom nothing is left.
    """

    points: tuple[RowPoints[str], ...]
    total: int
    spent: tuple[Spending[str], ...]
    nobody: Omittable[str]


@dataclass(frozen=True)
class AttackCounts:
    """An attack without its findings.

    Attributes:
        attack: its name.
        sensitive: the attribute, where several are audited.
        status: whether it came to its end.
        reason: why the attack is incomplete or skipped; null when it is complete.
        seconds: how long it took.
        measures: by the attack; empty when it was skipped.
        findings_total: how many findings there are.
        people: people with a value that is certain and not waived; null where nothing is said of single values.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    status: Status
    reason: str | None
    seconds: Seconds
    measures: Mapping[str, object]
    findings_total: int
    people: int | None


@dataclass(frozen=True)
class AttackEntry:
    """What one attack found out.

    Attributes:
        counts: all but the findings.
        findings: the most severe findings, the worst first.
    """

    counts: Annotated[AttackCounts, INLINED]
    findings: tuple[Finding[str], ...]


@dataclass(frozen=True)
class PolicyEntry:
    """The decision.

    Attributes:
        passed: nothing is violated, and nothing that was asked is undecided.
        limits: the clauses in force.
        clauses: how each clause in force ended.
        violations: clauses that do not hold.
        if_confirmed: what violates clauses that are undecided, since it rests on a guess of the manifest; absent where
            nothing does.
        undecided: clauses, or assumptions, that could not be decided.
        not_asked: clauses whose attacks were left out.
        not_judged: clauses by default that nothing in this series can decide.
        waived: what became of each waiver.
    """

    passed: bool
    limits: Mapping[ClauseName, float]
    clauses: tuple[ClauseReport, ...]
    violations: tuple[Violation, ...]
    undecided: tuple[Undecided, ...]
    not_asked: tuple[ClauseName, ...]
    not_judged: tuple[ClauseName, ...]
    waived: tuple[Waived, ...]
    if_confirmed: Annotated[tuple[Violation, ...], OMITTED] = ()


@dataclass(frozen=True)
class SeriesAudit:
    """An audit but for its attacks.

    Attributes:
        schema_version: of this form.
        tool: what made this.
        made: the day on which the audit was made.
        inputs: the files that were read; the register and known values only when people are revealed.
        series: what was audited.
        adversary: who was assumed to attack.
        contradictions: people whose own published values contradict the assumptions.
        time_limit: seconds for each attack; null is without limit.
        revealed: whether people are named.
        stable_ids: whether ids and pseudonyms are those of other reports with --stable-ids.
        interrupted: true where the run was interrupted: attacks that had not come to an end are `skipped`, and say so.
        known_before: how many findings are left out that are waived or in the baseline; only with --baseline.
        baseline: the earlier report that this one is compared with; only with --baseline.
        recommendation: what would mend the newest release; only with --recommend, where the policy is violated.
        people: those of whom a finding is shown, each once for each sensitive attribute.
        warnings: what is irregular about the files and may change what the verdict means.
        ladder: what each attack that tells people's values adds to those before it.
        exposure: how many people each attack exposes, each counted once.
        panel: each release by itself, whatever the others tell; one entry for each sensitive attribute.
        policy: the decision.
    """

    schema_version: Literal[1]
    tool: ToolEntry
    made: datetime.date
    inputs: Annotated[tuple[Input, ...], Items(1)]
    series: SeriesFacts
    adversary: AdversaryFacts
    contradictions: Contradictions
    time_limit: Annotated[float, Within(0)] | None
    revealed: bool
    stable_ids: bool
    interrupted: Annotated[bool, OMITTED]
    known_before: Omittable[int]
    baseline: Omittable[BaselineFacts]
    recommendation: Omittable[Recommendation]
    people: tuple[FoundPerson, ...]
    warnings: tuple[ReportWarning, ...]
    ladder: tuple[LadderStep, ...]
    exposure: tuple[Exposure, ...]
    panel: tuple[ReleasePanel, ...]
    policy: PolicyEntry


@dataclass(frozen=True)
class AuditDocument:
    """What `audit SERIES --format json` writes.

    Attributes:
        audit: all but the attacks.
        attacks: one entry for each attack and, where there are several, sensitive attribute.
    """

    audit: Annotated[SeriesAudit, INLINED]
    attacks: Annotated[tuple[AttackEntry, ...], Items(1)]


def audit_document(report: Report) -> AuditDocument:
    """Return what is written of a report."""
    return AuditDocument(series_audit(report), tuple(map(attack_entry, report.attacks)))


def series_audit(report: Report) -> SeriesAudit:
    """Return what is written of a report but for its attacks."""
    return SeriesAudit(
        schema_version=1,
        tool=made_by(report.tool_version),
        made=report.made,
        inputs=report.inputs,
        series=report.series,
        adversary=report.adversary,
        contradictions=report.contradictions,
        time_limit=report.time_limit,
        revealed=report.revealed,
        stable_ids=report.ids_are_stable,
        interrupted=report.interrupted,
        known_before=report.known_before,
        baseline=report.baseline,
        recommendation=report.recommendation,
        people=report.people,
        warnings=report.warnings,
        ladder=report.ladder,
        exposure=report.exposure,
        panel=report.panel,
        policy=policy_entry(report.policy),
    )


def made_by(version: str) -> ToolEntry:
    """Return what made a result."""
    return ToolEntry("series-audit", version)


def attack_entry(attack: AttackReport) -> AttackEntry:
    """Return what is written of an attack."""
    return AttackEntry(attack_counts(attack), attack.findings)


def attack_counts(attack: AttackReport) -> AttackCounts:
    """Return what is written of an attack where its findings are not."""
    return AttackCounts(
        attack=attack.attack,
        sensitive=attack.sensitive,
        status=attack.status,
        reason=attack.reason,
        seconds=attack.seconds,
        measures=attack.figures,
        findings_total=attack.findings_total,
        people=attack.people,
    )


def policy_entry(decided: PolicyReport) -> PolicyEntry:
    """Return what is written of a decision: every clause in force, and how it ended."""
    return PolicyEntry(
        passed=decided.passed,
        limits=decided.limits,
        clauses=decided.clauses,
        violations=decided.violations,
        undecided=decided.undecided,
        not_asked=tuple(each.clause for each in decided.ended("not asked")),
        not_judged=tuple(each.clause for each in decided.ended("not judged")),
        waived=decided.waived,
        if_confirmed=decided.if_confirmed,
    )


@json_form.register
def group_step(step: CertificateStep) -> GroupStep | GroupsStep:  # type: ignore[type-arg] # as it is registered
    """Return what is written of a step: the group, or the groups where several may hold the person."""
    if len(step.groups) == 1:
        return GroupStep(step.release, step.groups[0], step.candidates, step.feasible)
    return GroupsStep(step.release, step.groups, step.candidates, step.feasible)


@json_form.register
def proof_steps(proof: Proof) -> tuple[PointsStep | RefutedCase[str], ...]:  # type: ignore[type-arg] # as above
    """Return the points that are counted, or the cases, each with the steps that it leads to."""
    if not proof.points and proof.nobody is None:
        return proof.cases
    return (PointsStep(proof.points, proof.total, proof.spent, proof.nobody), *proof.cases)


@json_form.register
def fraction(number: Fraction) -> ExactFraction:
    """Return an exact fraction as text."""
    return str(number)
