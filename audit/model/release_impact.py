"""The impact: what would change if one more release were published, as data. Formats render it."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.finding import Finding
from audit.model.json_types import Status
from audit.model.repair import Repair
from audit.model.report import AttackReport, Report


@dataclass(frozen=True)
class GroupRows:
    """Rows of one group of the candidate.

    Attributes:
        group: which.
        lines: of the candidate's file, from 1, with the header; in Parquet, rows from 1.
    """

    group: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class NewFinding:
    """A finding that the candidate would add, and what it follows from.

    Attributes:
        finding: as in the audit of the series with the candidate.
        releases: the earlier releases that it takes beside the candidate.
        least: whether it is known that it takes every one of them.
        rows: the rows of the candidate that it takes.
    """

    finding: Finding[str]
    releases: tuple[str, ...]
    least: bool
    rows: tuple[GroupRows, ...]


@dataclass(frozen=True)
class Change:
    """A measure of an attack; None where the attack has no such measure.

    Attributes:
        measure: which; an entry of a table as `compromised 1`.
        before: without the candidate.
        after: with it.
    """

    measure: str
    before: object
    after: object


@dataclass(frozen=True)
class AttackComparison:
    """One attack without the candidate and with it.

    Attributes:
        attack, sensitive: which; `sensitive` names the attribute when several are audited.
        status: with the candidate; and `status_before` without it.
        changes: the measures that differ, timelines left out.
        old: how many findings say nothing that could not be said before.
        new: how many others there are; `people` are all who are newly found by a certain value of theirs.
        findings: the most severe of the new ones.
    """

    attack: str
    sensitive: str | None
    status: Status
    status_before: Status
    changes: tuple[Change, ...]
    old: int
    new: int
    people: int
    findings: tuple[NewFinding, ...]


@dataclass(frozen=True)
class ReleaseImpact:
    """What publishing a candidate would change.

    Attributes:
        candidate: its tag.
        files: what it was read from, and `key` where it is said whose rows are whose, if in a file of its own.
        before, after: the audits of the series without and with it.
        attacks: both, attack by attack.
        not_computed: why no repair was looked for, each reason once.
        repair: changes after which the policy holds, not written; None where none are needed, or none were looked for.
    """

    candidate: str
    files: tuple[str, ...]
    key: str | None
    before: Report
    after: Report
    attacks: tuple[AttackComparison, ...]
    not_computed: tuple[str, ...] = ()
    repair: Repair | None = None

    @property
    def new(self) -> int:
        """How many findings the candidate would add, over all attacks."""
        return sum(attack.new for attack in self.attacks)


def changed(before: AttackReport, after: AttackReport) -> tuple[Change, ...]:
    """Return the measures of an attack that differ, timelines left out.

    Tables within a measure are compared entry by entry, as `compromised 1`, but for bounds, which are one measure.
    """
    old, new = _flat(before.figures), _flat(after.figures)
    names = [name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name)]
    return tuple(Change(name, old.get(name), new.get(name)) for name in names)


def _flat(measures: dict[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in measures.items():
        if isinstance(value, dict) and "lower" not in value:
            flat |= {f"{name} {key}": entry for key, entry in value.items()}
        elif not isinstance(value, list):
            flat[name] = value
    return flat
