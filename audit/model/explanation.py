"""Explanation of one person: what an adversary can learn, release by release, as data that formats render."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from audit.model.count_certificates import CertifiedBound
from audit.model.count_tables import TablesFacts
from audit.model.finding import Finding
from audit.model.json_types import OMITTED, UNWRITTEN, AttackName, Omittable, Sensitive, Status, WrittenAs
from audit.model.report import AdversaryFacts


@dataclass(frozen=True)
class Share:
    """The probability of a value for an adversary who uses one attack.

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
        groups: the groups that may hold the person.
        candidates: the values that these groups leave possible.
        alone: the candidates that the person's other releases leave possible, too; None if rows are judged, not people.
        together: the values of `alone` that are still possible if all people are considered together; None if unknown.
        ruled_out: the values of `alone` that are ruled out; None if unknown.
        open: the values of `together` that are not shown to be possible; None if unknown.
        shares: the probabilities of values; empty if unknown.
        known: the value that the adversary knows beforehand, if so.
        truth: the person's true value, if the publisher's key shows it.
    """

    release: str
    groups: tuple[str, ...]
    candidates: tuple[str, ...]
    alone: tuple[str, ...] | None
    together: tuple[str, ...] | None
    ruled_out: tuple[str, ...] | None
    open: tuple[str, ...] | None
    shares: tuple[Share, ...]
    known: str | None
    truth: str | None


@dataclass(frozen=True)
class Said:
    """The findings of one attack about the person.

    Attributes:
        attack: its name.
        status: whether it was complete.
        reason: why it was not complete; null if it was.
        findings: its findings about the person.
    """

    attack: AttackName
    status: Status
    reason: str | None
    findings: tuple[Finding[str], ...]


@dataclass(frozen=True)
class Explained:
    """What can be learnt about one sensitive attribute of the person.

    Attributes:
        sensitive: the attribute.
        versions: the person in each release.
        absent: the releases that the person is not in.
        said: the findings of each attack about the person.
    """

    sensitive: Sensitive
    versions: tuple[ExplainedVersion, ...]
    absent: tuple[str, ...]
    said: Annotated[tuple[Said, ...], WrittenAs("attacks")]


@dataclass(frozen=True)
class ExplainedCount:
    """What is known about one cell in one release, or about its increase since the release before.

    Attributes:
        release: the release.
        since: the release before, if it is about the increase.
        measure: the statistic, if there are several.
        shown: the published texts of the cell.
        lower: the count is at least this.
        upper: the count is at most this; null if there is no such limit.
        exact: whether both bounds are known to be attained.
        certificate: what shows the bounds.
    """

    release: str
    since: Omittable[str]
    measure: Omittable[str]
    shown: Annotated[tuple[str, ...], WrittenAs("published")]
    lower: int
    upper: int | None
    exact: bool
    certificate: tuple[CertifiedBound, ...]


@dataclass(frozen=True)
class Explanation:
    """What can be learnt about one person, who is named, or about one cell of count tables.

    Attributes:
        series: the series' name.
        individual: the person; null for a cell.
        adversary: the assumed adversary.
        explained: one entry for each sensitive attribute.
        also: other identifiers of the person, each judged with other releases; only if people may be in the data.
        alike: the number of other people who look alike, so that the same can be learnt about them; only then.
        not_judged: what was not used, in a sentence without a full stop; null if nothing.
        cell: the labels of the cell, by dimension; absent for a person.
        counts: what is known about the cell, release by release.
        tables: the tables with the cell.
    """

    series: str
    individual: str | None
    adversary: AdversaryFacts
    explained: Annotated[tuple[Explained, ...], WrittenAs("attributes")] = field(default=())
    also: tuple[str, ...] = ()
    alike: int = 0
    not_judged: str | None = None
    cell: Annotated[Mapping[str, str], OMITTED] = field(default_factory=dict)
    counts: Annotated[tuple[ExplainedCount, ...], OMITTED] = ()
    tables: Annotated[TablesFacts | None, UNWRITTEN] = None
