"""What an attack looks like in JSON where its findings are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.model.json_types import (
    AttackName,
    Omittable,
    Seconds,
    Sensitive,
    Status,
)
from audit.model.report import (
    AttackReport,
)


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
