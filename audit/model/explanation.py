"""The explanation: what can be learnt of one person, release by release, as data. Formats render it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from audit.model.finding import Finding
from audit.model.json_types import AttackName, Sensitive, Status, WrittenAs
from audit.model.report import AdversaryFacts


@dataclass(frozen=True)
class Share:
    """How probable a value is to an adversary who attacks in some way.

    Attributes:
        attack: the attack.
        value: the value.
        risk: its probability.
    """

    attack: str
    value: str
    risk: float


@dataclass(frozen=True)
class ExplainedVersion:
    """One person in one release.

    Attributes:
        release: its tag.
        groups: those that may hold the person.
        candidates: the values that these leave.
        alone: those of them that the person's other releases leave as well.
        together: those of `alone` that are still possible when all people are considered together; None where not
            known.
        ruled_out: those of `alone` that are; None where not known.
        open: those of `together` that are not shown to be possible either; None where not known.
        shares: how probable values are; empty where that is not known.
        known: the value that the adversary knows beforehand, if so.
        truth: the person's own value, where the publisher's key says it.
    """

    release: str
    groups: tuple[str, ...]
    candidates: tuple[str, ...]
    alone: tuple[str, ...]
    together: tuple[str, ...] | None
    ruled_out: tuple[str, ...] | None
    open: tuple[str, ...] | None
    shares: tuple[Share, ...]
    known: str | None
    truth: str | None


@dataclass(frozen=True)
class Said:
    """What one attack finds about the person.

    Attributes:
        attack: its name.
        status: whether it came to its end.
        reason: why it does not say all; null where it does.
        findings: what it finds about the person.
    """

    attack: AttackName
    status: Status
    reason: str | None
    findings: tuple[Finding[str], ...]


@dataclass(frozen=True)
class Explained:
    """What is known of one sensitive attribute.

    Attributes:
        sensitive: the attribute.
        versions: the person in each release.
        absent: the releases that the person is not in.
        said: what each attack finds about the person.
    """

    sensitive: Sensitive
    versions: tuple[ExplainedVersion, ...]
    absent: tuple[str, ...]
    said: Annotated[tuple[Said, ...], WrittenAs("attacks")]


@dataclass(frozen=True)
class Explanation:
    """What can be learnt of one person; it always names people.

    Attributes:
        series: the series' name.
        individual: who.
        adversary: who was assumed to attack.
        explained: one entry for each sensitive attribute.
        also: for a person who may be in the data, the identifiers under which other sets of releases are judged.
    """

    series: str
    individual: str
    adversary: AdversaryFacts
    explained: Annotated[tuple[Explained, ...], WrittenAs("attributes")] = field(default=())
    also: tuple[str, ...] = ()
