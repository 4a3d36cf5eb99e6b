"""The report: everything that an audit found, as data. Formats render it; nobody computes from here on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias


@dataclass(frozen=True)
class Input:
    """A file that was read."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class SeriesFacts:
    """What was audited; `groups` and `rows` are summed over the releases."""

    name: str
    releases: tuple[str, ...]
    individuals: int
    rows: int
    counterfeits: int
    groups: int
    sensitive_values: int


@dataclass(frozen=True)
class AdversaryFacts:
    """Who was assumed to attack: the kind, whether values may change, how many people are known beforehand."""

    kind: str
    transitions: bool
    known: int


@dataclass(frozen=True)
class DisclosureStep:
    """What one release leaves possible: the groups that may hold the person, and the values in them.

    `feasible` are those values that lie on an allowed path, where values may change; None otherwise.
    """

    release: str
    groups: tuple[str, ...]
    candidates: tuple[str, ...]
    feasible: tuple[str, ...] | None


@dataclass(frozen=True)
class Possible:
    """What a step leaves possible for somebody in a release, or in all alike (None) where values never change."""

    individual: str
    release: str | None
    values: tuple[str, ...]


@dataclass(frozen=True)
class ExclusionStep:
    """All rows of a release that are some groups' with some values, and who has them.

    There are as many rows (`count`) as holders, who can have no others, so that nobody else has one; or fewer, which is
    impossible. `leaves` is what that changes for the people of the proof.
    """

    release: str
    rows: tuple[tuple[str, str], ...]
    count: int
    holders: tuple[str, ...]
    leaves: tuple[Possible, ...]


@dataclass(frozen=True)
class CaseStep:
    """What follows if somebody had a value in a release: that it is impossible."""

    individual: str
    release: str
    value: str
    leads_to: ProofSteps


@dataclass(frozen=True)
class ProofSteps:
    """A deduction about everybody at once: exclusions one after the other, then cases.

    Attributes:
        start: what the people of the proof may have before the first step, by their own groups; in a case, what it
            changes by what it assumes.
        exclusions, cases: the steps.
        nobody: in a case, to whom nothing is left in the end; None where too few rows or cases end it.
    """

    start: tuple[Possible, ...]
    exclusions: tuple[ExclusionStep, ...]
    cases: tuple[CaseStep, ...]
    nobody: str | None = None


@dataclass(frozen=True)
class NamedDisclosure:
    """A person's value that is certain; with a pseudonym or, when revealed, the identifier.

    `proof` shows it where the steps of the certificate, the person's own groups, do not.
    """

    id: str
    kind: ClassVar[str] = "disclosure"
    individual: str
    release: str
    value: str
    risk: float
    certificate: tuple[DisclosureStep, ...]
    proof: ProofSteps | None = None


@dataclass(frozen=True)
class RecordStep:
    """A record's row in one release: its group, and how many rows have equal cells.

    `cells` are the row's, by quasi-identifier; None unless revealed.
    """

    release: str
    group: str
    size: int
    cells: dict[str, str] | None


@dataclass(frozen=True)
class NamedNarrowed:
    """A record whose inferred description too few records share; with a pseudonym or, when revealed, its id.

    `description` is what its cells have in common, by quasi-identifier; None unless revealed. `cause` is how it came
    about, `risk` one over the size of its class.
    """

    id: str
    kind: ClassVar[str] = "narrowed"
    record: str
    release: str
    class_size: int
    risk: float
    cause: str
    description: dict[str, str] | None
    certificate: tuple[RecordStep, ...]


@dataclass(frozen=True)
class WeightedGroup:
    """A group of a release with its weight in a linear combination, an exact fraction as text."""

    release: str
    group: str
    weight: str


@dataclass(frozen=True)
class NamedEquivalence:
    """People who have the same values as others, each with how often it is counted; pseudonyms unless revealed.

    The certificate's groups, each times its weight, leave just the left side less the right, and no value.
    """

    id: str
    kind: ClassVar[str] = "equivalence"
    e: int
    left: dict[str, int]
    right: dict[str, int]
    certificate: tuple[WeightedGroup, ...]


@dataclass(frozen=True)
class NamedPin:
    """A person's value that a linear combination of groups fixes; with a pseudonym unless revealed.

    The certificate's groups, each times its weight, leave just the person and the value; it is certain once
    `release` is published.
    """

    id: str
    kind: ClassVar[str] = "disclosure"
    individual: str
    release: str
    value: str
    risk: float
    certificate: tuple[WeightedGroup, ...]


NamedFinding: TypeAlias = NamedDisclosure | NamedNarrowed | NamedEquivalence | NamedPin
"""A finding whose certificate has been checked."""


@dataclass(frozen=True)
class AttackReport:
    """What one attack found out.

    `sensitive` names the attribute when several are audited; `findings` are the most severe of `findings_total`.
    """

    attack: str
    sensitive: str | None
    status: str
    reason: str | None
    seconds: float
    measures: dict[str, object]
    findings: tuple[NamedFinding, ...]
    findings_total: int


@dataclass(frozen=True)
class Rung:
    """What one attack adds to those before it, each of which deduces less: people with a value that is certain.

    Attributes:
        attack, sensitive: which; `sensitive` names the attribute when several are audited, and each has its ladder.
        people: who falls at this rung, in some release.
        beyond: those of them who fall at none before it.
        so_far: who falls at this rung or at one before it.
        seconds: what the rung costs.
    """

    attack: str
    sensitive: str | None
    people: int
    beyond: int
    so_far: int
    seconds: float


@dataclass(frozen=True)
class ReleasePanel:
    """What is usually said of one release by itself, whatever the others tell; see `docs/panel.md`.

    Attributes:
        release: its tag.
        sensitive: the attribute, when several are audited.
        rows: how many people, counterfeits among them, its rows stand for.
        classes: how many equivalence classes they form.
        k: rows of the smallest class.
        distinct_l, entropy_l: the fewest distinct values in a class, and e to the least entropy.
        t: the largest distance between a class's values and the release's.
        ordered: whether that distance took the values as numbers.
        prosecutor_max, prosecutor_mean: the risk of a row to be re-identified by somebody who knows that its person is
            in the release.
        journalist_max, journalist_mean: the same by somebody who knows a population; None for want of one.
        marketer: the share of rows that somebody re-identifies who matches them all.
        uniqueness: the share of rows that are alone in their class.
        no_journalist: why there is no journalist's risk.
    """

    release: str
    sensitive: str | None
    rows: int
    classes: int
    k: int
    distinct_l: int
    entropy_l: float
    t: float
    ordered: bool
    prosecutor_max: float
    prosecutor_mean: float
    journalist_max: float | None
    journalist_mean: float | None
    marketer: float
    uniqueness: float
    no_journalist: str | None


@dataclass(frozen=True)
class Contradictions:
    """People whose own published values contradict the assumptions.

    `changed`: their value changes as it never should. `infeasible`: no value, or no path, is left to them.
    """

    changed: int = 0
    infeasible: int = 0

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self.changed or self.infeasible)


@dataclass(frozen=True)
class Violation:
    """A clause of the policy that does not hold."""

    attack: str
    measure: str
    limit: float
    value: float
    sensitive: str | None = None


@dataclass(frozen=True)
class Undecided:
    """A clause of the policy, or an assumption, that could not be decided, and why."""

    measure: str
    reason: str


@dataclass(frozen=True)
class Waived:
    """What became of a waiver: `applied`, `expired` or `unknown` (no finding has that id)."""

    finding: str
    reason: str
    expires: str
    state: str


@dataclass(frozen=True)
class PolicyReport:
    """The decision. It has passed when nothing is violated and nothing that was asked is undecided.

    `not_asked` are clauses that no attack judged: only attacks that were not asked for can, or the adversary knows
    nothing of what they are about.
    """

    limits: dict[str, float]
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    not_asked: tuple[str, ...] = ()
    waived: tuple[Waived, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the series may be called safe as far as was asked."""
        return not self.violations and not self.undecided

    @property
    def exit_code(self) -> int:
        """0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
        if self.violations:
            return 1
        return 0 if self.passed else 3


@dataclass(frozen=True)
class Report:
    """An audit, ready to be rendered.

    `time_limit` is in seconds per attack; `revealed` says whether people are named. `ladder` has the attacks that tell
    people's values, in order; `panel` has each release by itself, for each sensitive attribute.
    """

    tool_version: str
    inputs: tuple[Input, ...]
    series: SeriesFacts
    adversary: AdversaryFacts
    attacks: tuple[AttackReport, ...]
    contradictions: Contradictions
    policy: PolicyReport
    time_limit: float | None
    revealed: bool
    ids_are_stable: bool
    ladder: tuple[Rung, ...] = ()
    panel: tuple[ReleasePanel, ...] = ()
    schema_version: int = field(default=1)
