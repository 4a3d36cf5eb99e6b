"""What an audit of count tables looks like in JSON: that of people's data without what is about people."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Annotated, Literal

from audit.findings.count import CountFinding, count_measures, found_counts
from audit.model.count_report import CountMeasures, TablesFacts
from audit.model.json_types import OMITTED, AttackName, Omittable, Seconds, Status
from audit.model.report import (
    AdversaryFacts,
    BaselineFacts,
    ClauseReport,
    Input,
    Report,
    Tool,
    Undecided,
    Violation,
    Waived,
)


@dataclass(frozen=True)
class CountAttackEntry:
    """What one attack found out.

    Attributes:
        attack: its name.
        status: whether it came to its end.
        reason: why the attack is incomplete; null when it is complete.
        seconds: how long it took.
        measures: what it counted.
        findings: the most severe findings.
        findings_total: how many there are.
        certificates_checked: how many certificates were checked.
    """

    attack: AttackName
    status: Status
    reason: str | None
    seconds: Seconds
    measures: CountMeasures
    findings: tuple[CountFinding, ...]
    findings_total: int
    certificates_checked: int


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
    tool: Tool
    made: datetime.date
    inputs: tuple[Input, ...]
    series: TablesFacts
    adversary: AdversaryFacts
    time_limit: float | None
    attacks: tuple[CountAttackEntry, ...]
    policy: CountPolicyEntry
    known_before: Omittable[int]
    baseline: Omittable[BaselineFacts]
    interrupted: Annotated[bool, OMITTED]


def count_document(report: Report, tables: TablesFacts) -> CountDocument:
    """Return what is written of a report on count tables."""
    policy, attack = report.policy, report.attacks[0]
    entry = CountAttackEntry(
        attack.attack,
        attack.status,
        attack.reason,
        attack.seconds,
        count_measures(report),
        found_counts(report),
        attack.findings_total,
        attack.certificates_checked or 0,
    )
    return CountDocument(
        schema_version=1,
        tool=report.tool,
        made=report.made,
        inputs=report.inputs,
        series=tables,
        adversary=report.adversary,
        time_limit=report.time_limit,
        attacks=(entry,),
        policy=CountPolicyEntry(policy.passed, policy.clauses, policy.violations, policy.undecided, policy.waived),
        known_before=report.known_before,
        baseline=report.baseline,
        interrupted=report.interrupted,
    )
