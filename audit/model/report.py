"""The report: everything that an audit found, as data. Formats render it; nobody computes from here on."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, TypeAlias

from audit.model.measures import Measures, RiskMeasures
from audit.model.recommendation import Recommendation


@dataclass(frozen=True)
class Input:
    """A file that was read.

    `sha256` is that of the whole file; of its `columns` alone, written as CSV, where it holds private ones as well.
    """

    path: str
    sha256: str
    rows: int
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ReportWarning:
    """Something irregular about the files that may change what the verdict means.

    Attributes:
        kind: `spelling`, `stray-cells`, `total-row`, `duplicates`, `dropped-file`, `unjudged-column`,
            `counterfeit-share` or `encoding`.
        text: what it is and what to do, in a sentence.
        examples: some places, as file and line.
    """

    kind: str
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeriesFacts:
    """What was audited; `groups` and `rows` are summed over the releases.

    `published` are the dates of publication by release, as far as the manifest tells them.
    """

    name: str
    releases: tuple[str, ...]
    individuals: int
    rows: int
    counterfeits: int
    groups: int
    sensitive_values: int
    published: Mapping[str, datetime.date] = field(default_factory=dict)


@dataclass(frozen=True)
class AdversaryFacts:
    """Who was assumed to attack: the kind, whether values may change, how many people are known beforehand."""

    kind: str
    transitions: bool
    known: int


@dataclass(frozen=True)
class GroupLines:
    """Where a group of a release stands in a file, for those inside.

    Attributes:
        release, group: which.
        file: its path in the series folder.
        lines: counted from 1 with the header; in Parquet, rows from 1.
        cells: the distinct cells of its rows by column, in the order of the file, the first dozen of them.
    """

    release: str
    group: str
    file: str
    lines: tuple[int, ...]
    cells: tuple[dict[str, str], ...]


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
class PointsOfRows:
    """The rows of a group of a release with a value, and how many points each of them costs."""

    release: str
    group: str
    value: str
    points: int
    rows: int


@dataclass(frozen=True)
class Spending:
    """How many points somebody spends at the least; for each value that is left, where values never change."""

    individual: str
    least: int
    by_value: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class CaseStep:
    """What follows if somebody had a value in a release: that it is impossible."""

    individual: str
    release: str
    value: str
    leads_to: ProofSteps


@dataclass(frozen=True)
class ProofSteps:
    """Why something about everybody at once is impossible: more points are spent than there are, or cases all are.

    At the top that somebody does not have the claimed value is impossible; in a case, that somebody has a value.

    Attributes:
        points: the rows that cost points; none where cases are told apart.
        total: the points of all of them.
        spent: who spends how many at the least.
        cases: the cases.
        nobody: to whom nothing is left, where that is why; None elsewhere.
    """

    points: tuple[PointsOfRows, ...]
    total: int
    spent: tuple[Spending, ...]
    cases: tuple[CaseStep, ...]
    nobody: str | None = None


@dataclass(frozen=True)
class NamedDisclosure:
    """A person's value that is certain; with a pseudonym or, when revealed, the identifier.

    `proof` shows it where the steps of the certificate, the person's own groups, do not; `alone` says that the release
    shows it by itself, whatever other releases say; `attribute` is the one of several combined attributes that the
    value is of, None where they are told together or where there is one. `evidence` is `proof`, checked again, or
    `solver`: no proof was found within the limits.
    """

    id: str
    kind: ClassVar[str] = "disclosure"
    individual: str
    release: str
    value: str
    risk: float
    certificate: tuple[DisclosureStep, ...]
    proof: ProofSteps | None = None
    alone: bool = False
    attribute: str | None = None
    evidence: str = "proof"
    located: tuple[GroupLines, ...] = ()


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
    evidence: str = "proof"
    located: tuple[GroupLines, ...] = ()


@dataclass(frozen=True)
class WeightedGroup:
    """A group of a release with its weight in a linear combination, an exact fraction as text."""

    release: str
    group: str
    weight: str


@dataclass(frozen=True)
class NamedEquivalence:
    """People who have the same values as others, each with how often it is counted; pseudonyms unless revealed.

    The certificate's groups, each times its weight, leave just the left side less the right, and no value. Without a
    certificate it is known by random linear algebra, whose `error` is told.
    """

    id: str
    kind: ClassVar[str] = "equivalence"
    e: int
    left: dict[str, int]
    right: dict[str, int]
    certificate: tuple[WeightedGroup, ...]
    evidence: str = "proof"
    error: float | None = None
    located: tuple[GroupLines, ...] = ()


@dataclass(frozen=True)
class NamedPin:
    """A person's value that a linear combination of groups fixes; with a pseudonym unless revealed.

    The certificate's groups, each times its weight, leave just the person and the value; it is certain once
    `release` is published. Without a certificate it is known by random linear algebra, whose `error` is told.
    """

    id: str
    kind: ClassVar[str] = "disclosure"
    individual: str
    release: str
    value: str
    risk: float
    certificate: tuple[WeightedGroup, ...]
    evidence: str = "proof"
    error: float | None = None
    located: tuple[GroupLines, ...] = ()


@dataclass(frozen=True)
class NamedGroup:
    """A class of rows that look alike in one release, and a value that too many of them have.

    `risk` is the value's share of its `rows` (people that these stand for).
    """

    id: str
    kind: ClassVar[str] = "group"
    release: str
    group: str
    value: str
    risk: float
    rows: int
    certificate: ClassVar[tuple[()]] = ()
    located: tuple[GroupLines, ...] = ()


@dataclass(frozen=True)
class NamedRisk:
    """A person's value that is as probable as the policy's limit, or more, but not certain; pseudonyms unless revealed.

    `value` is the true one, None where it is not known: the risk is then that of the likeliest. `everywhere` tells
    that it is of all the person's releases alike, of which `release` is the last. The certificate is what the person's
    own groups leave; the probability is the attack's word. Value and certificate are told only when people are
    revealed, for they would tell more than the releases do.
    """

    id: str
    kind: ClassVar[str] = "risk"
    individual: str
    release: str
    value: str | None
    risk: float
    certificate: tuple[DisclosureStep, ...]
    evidence: str = "solver"
    everywhere: bool = False
    located: tuple[GroupLines, ...] = ()


@dataclass(frozen=True)
class FillingStep:
    """Rows of a release that can only be rows of the next one of which there are as many.

    `groups` and `values` are those of the rows, `next_groups` and `next_values` of what they fill.
    """

    release: str
    next_release: str
    rows: int
    groups: tuple[str, ...]
    values: tuple[str, ...]
    next_groups: tuple[str, ...]
    next_values: tuple[str, ...]


@dataclass(frozen=True)
class NamedLinkage:
    """Somebody with some quasi-identifiers whose record came with release `first`, and the few rows that can be theirs.

    All of them have `value`, where it is not None. `point` are the quasi-identifiers; None unless revealed.
    """

    id: str
    kind: ClassVar[str] = "linkage"
    first: str
    release: str
    rows: int
    groups: tuple[str, ...]
    value: str | None
    risk: float
    point: dict[str, str] | None
    certificate: tuple[FillingStep, ...]
    evidence: str = "proof"
    located: tuple[GroupLines, ...] = ()


NamedFinding: TypeAlias = (
    NamedDisclosure | NamedNarrowed | NamedEquivalence | NamedPin | NamedGroup | NamedRisk | NamedLinkage
)
"""A finding whose certificate has been checked."""


WITHHOLD = "Withhold or regroup the rows of the groups named, so that they keep the values they had."
"""What prevents that one person's groups give the person away."""


class FindingRule(NamedTuple):
    """What findings of one kind mean, and what would prevent them; for formats that list their rules."""

    what: str
    remedy: str


@dataclass(frozen=True)
class AttackReport:
    """What one attack found out.

    `sensitive` names the attribute when several are audited; `findings` are the most severe of `findings_total`;
    `people` have a value that is certain and not waived, None where nothing is said of single values.
    """

    attack: str
    sensitive: str | None
    status: str
    reason: str | None
    seconds: float
    measures: Measures
    risks: RiskMeasures
    findings: tuple[NamedFinding, ...]
    findings_total: int
    rules: Mapping[str, FindingRule] = field(default_factory=dict)
    people: int | None = None

    @property
    def figures(self) -> dict[str, object]:
        """All measures as the JSON report has them, the timeline last."""
        figures = {**self.measures, **self.risks}
        timeline = figures.pop("timeline", None)
        return figures if timeline is None else {**figures, "timeline": timeline}

    @property
    def incomplete(self) -> bool:
        """Whether what is counted is a bound from below."""
        return self.status == "incomplete"


@dataclass(frozen=True)
class FoundPerson:
    """Somebody of whom a finding is shown: a pseudonym or, when revealed, the identifier.

    Attributes:
        individual: who.
        sensitive: the attribute, when several are audited.
        reasons: the attacks by which a value of the person is certain, or as probable as the policy's limit.
        findings: the ids of the findings that are shown.
    """

    individual: str
    sensitive: str | None
    reasons: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class LadderStep:
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
class Exposure:
    """How many people one attack exposes, for pictures: each is counted once, counterfeits never.

    Attributes:
        attack, sensitive: which; `sensitive` names the attribute when several are audited.
        by_risk: how many people have a highest risk below 0.1, from 0.1 to below 0.2, …, and of exactly 1; None where
            risks are not known.
        after_release: how many people's value is certain, or equal to somebody's, after each release, from the
            releases so far alone; None where people are not counted.
    """

    attack: str
    sensitive: str | None
    by_risk: tuple[int, ...] | None
    after_release: tuple[int, ...] | None


@dataclass(frozen=True)
class BaselineFacts:
    """What an earlier report says, and what became of its findings.

    Attributes:
        made: its date; None where it does not tell it.
        releases: the releases that it was about.
        passed: whether the policy held then.
        findings: how many findings it has.
        still: how many of them are found again.
    """

    made: datetime.date | None
    releases: tuple[str, ...]
    passed: bool
    findings: int
    still: int


@dataclass(frozen=True)
class ColumnShare:
    """What one quasi-identifier does in a release, as shares of its rows.

    Attributes:
        column: its name.
        alone: rows that share their quasi-identifiers with no other, and would share the others without it.
        small: rows in groups of fewer than five that look alike, who would be in larger ones without it.
        by_itself: rows whose cell in this column no other row has.
    """

    column: str
    alone: float
    small: float
    by_itself: float


@dataclass(frozen=True)
class ReleasePanel:
    """What is usually said of one release by itself, whatever the others tell; see `docs/panel.md`.

    Attributes:
        release: its tag.
        sensitive: the attribute, when several are audited.
        rows: how many people, counterfeits among them, its rows stand for.
        classes: how many equivalence classes they form.
        k: the fewest rows of one group with equal published quasi-identifiers; of an Anatomy pair, or without
            quasi-identifiers, the rows of the smallest group.
        alone: how many rows share their published quasi-identifiers with no other row.
        exact: whether it is an Anatomy pair, whose rows have exact quasi-identifiers.
        distinct_l, entropy_l: the fewest distinct values in a class, and e to the least entropy.
        t: the largest distance between a class's values and the release's.
        ordered: whether that distance took the values as numbers.
        prosecutor_max, prosecutor_mean: the risk of a row to be re-identified by somebody who knows that its person is
            in the release.
        journalist_max, journalist_mean: the same by somebody who knows a population; None for want of one.
        marketer: the share of rows that somebody re-identifies who matches them all.
        uniqueness: the share of rows that are alone in their class.
        no_journalist: why there is no journalist's risk.
        singling: what each quasi-identifier does to rows that stand alone or in small groups; none where none do.
    """

    release: str
    sensitive: str | None
    rows: int
    classes: int
    k: int
    alone: int
    exact: bool
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
    singling: tuple[ColumnShare, ...] = ()


@dataclass(frozen=True)
class Contradictions:
    """People whose own published values contradict the assumptions.

    `changed`: their value changes as it never should. `infeasible`: no value, or no path, is left to them. `people` are
    those whose value changes, where they are named.
    """

    changed: int = 0
    infeasible: int = 0
    people: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self.changed or self.infeasible)


@dataclass(frozen=True)
class Violation:
    """A clause of the policy that does not hold: by an attack, or (None) in a release by itself."""

    attack: str | None
    measure: str
    limit: float
    value: float
    sensitive: str | None = None
    release: str | None = None


@dataclass(frozen=True)
class Undecided:
    """A clause of the policy, or an assumption, that could not be decided, and why."""

    measure: str
    reason: str


HIDDEN = "shown with --reveal"
"""What stands in place of a text that tells who somebody is."""


@dataclass(frozen=True)
class Waived:
    """What became of a waiver: `applied`, `expired` or `unknown` (nothing is found of what it names).

    It names a finding (with `*` for any characters), an individual, or a group of a release.
    """

    finding: str | None
    reason: str
    expires: str
    state: str
    individual: str | None = None
    group: str | None = None
    release: str | None = None


@dataclass(frozen=True)
class ClauseReport:
    """How a clause of the policy ended.

    Attributes:
        clause, limit: which.
        state: `holds`, `violated`, `undecided`, `not asked` (attacks that decide it were left out) or `not judged`
            (nothing in this series can decide it, and nobody stated it).
        reason: why it is neither violated nor holds.
    """

    clause: str
    limit: float
    state: str
    reason: str | None = None


@dataclass(frozen=True)
class PolicyReport:
    """The decision. It has passed when nothing is violated and nothing that was asked is undecided."""

    clauses: tuple[ClauseReport, ...]
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    waived: tuple[Waived, ...] = ()

    @property
    def limits(self) -> dict[str, float]:
        """The limits in force."""
        return {each.clause: each.limit for each in self.clauses}

    def ended(self, *states: str) -> list[ClauseReport]:
        """Return the clauses that ended in some states."""
        return [each for each in self.clauses if each.state in states]

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
    people's values, in order; `people` are those of whom a finding is shown; `panel` has each release by itself,
    for each sensitive attribute; `warnings` say what is irregular about the files. `known_before` is how many
    findings are left out that are waived or in the baseline, if there is one, which `baseline` tells of. `made` is the
    day on which the audit was made. `recommendation` is what would mend the newest release, where that was looked for.
    """

    tool_version: str
    made: datetime.date
    inputs: tuple[Input, ...]
    series: SeriesFacts
    adversary: AdversaryFacts
    attacks: tuple[AttackReport, ...]
    contradictions: Contradictions
    policy: PolicyReport
    time_limit: float | None
    revealed: bool
    ids_are_stable: bool
    ladder: tuple[LadderStep, ...] = ()
    panel: tuple[ReleasePanel, ...] = ()
    warnings: tuple[ReportWarning, ...] = ()
    exposure: tuple[Exposure, ...] = ()
    known_before: int | None = None
    baseline: BaselineFacts | None = None
    interrupted: bool = False
    people: tuple[FoundPerson, ...] = ()
    recommendation: Recommendation | None = None
    schema_version: int = field(default=1)

    @property
    def exit_code(self) -> int:
        """130 when the run was interrupted, else what the policy decides."""
        return 130 if self.interrupted else self.policy.exit_code
