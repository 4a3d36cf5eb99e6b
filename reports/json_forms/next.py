"""What `audit next` looks like in JSON: the audit of the series with the candidate, and what the candidate changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from audit.model.finding import Finding
from audit.model.json_types import INLINED, Status
from audit.model.release_impact import (
    AttackComparison,
    Change,
    GroupRows,
    NewFinding,
    ReleaseImpact,
)
from audit.model.report import AttackReport, Contradictions, PolicyReport, Report
from reports.json_forms.audit import AttackCounts, attack_counts
from reports.json_forms.repair import RepairEntry, repair_entry


@dataclass(frozen=True)
class CauseEntry:
    """What a new finding follows from.

    Attributes:
        releases: the earlier releases that it takes beside the candidate.
        least: whether it is known that it takes every one of them.
        rows: the rows of the candidate that it takes.
    """

    releases: tuple[str, ...]
    least: bool
    rows: tuple[GroupRows, ...]


@dataclass(frozen=True)
class NewFindingEntry:
    """A finding that the candidate would add.

    Attributes:
        finding: as the audit of the series with the candidate has it.
        cause: what it follows from.
    """

    finding: Annotated[Finding[str], INLINED]
    cause: CauseEntry


@dataclass(frozen=True)
class ComparedAttack:
    """One attack without the candidate and with it.

    Attributes:
        counts: with the candidate.
        status_before: whether it came to its end without the candidate.
        changes: the measures that differ, timelines left out.
        found_before: how many findings say nothing that could not be said before.
        newly_found: how many others there are.
        people_newly_found: all who are newly found by a certain value of theirs.
        new_findings: the most severe of the new ones.
    """

    counts: Annotated[AttackCounts, INLINED]
    status_before: Status
    changes: tuple[Change, ...]
    found_before: int
    newly_found: int
    people_newly_found: int
    new_findings: tuple[NewFindingEntry, ...]


@dataclass(frozen=True)
class CandidateEntry:
    """The candidate.

    Attributes:
        release: its tag.
        files: what it was read from.
        key: where it is told whose rows are whose, if in a file of its own.
    """

    release: str
    files: tuple[str, ...]
    key: str | None


@dataclass(frozen=True)
class BeforeEntry:
    """The audit without the candidate.

    Attributes:
        policy: the decision.
        contradictions: people whose own published values contradict the assumptions.
        attacks: each attack, without its findings.
    """

    policy: PolicyReport
    contradictions: Contradictions
    attacks: tuple[AttackCounts, ...]


@dataclass(frozen=True)
class NextDocument:
    """What `audit next SERIES CANDIDATE --format json` writes.

    Attributes:
        audit: the audit of the series with the candidate, but for its attacks.
        attacks: each attack without the candidate and with it.
        candidate: the candidate.
        before: the audit without it.
        not_computed: why no repair was looked for, each reason once.
        repair: a repair that keeps the policy, where one was found.
    """

    audit: Annotated[Report, INLINED]
    attacks: tuple[ComparedAttack, ...]
    candidate: CandidateEntry
    before: BeforeEntry
    not_computed: tuple[str, ...]
    repair: RepairEntry | None


def next_document(impact: ReleaseImpact) -> NextDocument:
    """Return what is written of an impact."""
    pairs = zip(impact.after.attacks, impact.attacks, strict=True)
    return NextDocument(
        audit=impact.after,
        attacks=tuple(_compared(attack, compared) for attack, compared in pairs),
        candidate=CandidateEntry(impact.candidate, impact.files, impact.key),
        before=_before(impact.before),
        not_computed=impact.not_computed,
        repair=None if impact.repair is None else repair_entry(impact.repair),
    )


def _before(report: Report) -> BeforeEntry:
    found = Contradictions(report.contradictions.changed, report.contradictions.infeasible)
    return BeforeEntry(report.policy, found, tuple(map(attack_counts, report.attacks)))


def _compared(attack: AttackReport, compared: AttackComparison) -> ComparedAttack:
    return ComparedAttack(
        counts=attack_counts(attack),
        status_before=compared.status_before,
        changes=compared.changes,
        found_before=compared.old,
        newly_found=compared.new,
        people_newly_found=compared.people,
        new_findings=tuple(map(_new_finding, compared.findings)),
    )


def _new_finding(new: NewFinding) -> NewFindingEntry:
    return NewFindingEntry(new.finding, CauseEntry(new.releases, new.least, new.rows))
