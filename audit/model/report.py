"""The report: everything that an audit found, as data. Formats render it; nobody computes from here on.

The types of the fields are those of the JSON report, and what the docstrings say of each stands in its schema.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeAlias

from audit.model.adversary import AdversaryKind
from audit.model.json_types import (
    OMITTED,
    AttackName,
    ClauseName,
    ClauseState,
    Counted,
    DateText,
    ExactFraction,
    Items,
    Omittable,
    PartOf,
    Pattern,
    Probability,
    Seconds,
    Sensitive,
    Status,
    WaiverState,
    Within,
    WrittenAs,
)
from audit.model.measures import Measures, RiskMeasures
from audit.model.recommendation import Recommendation


@dataclass(frozen=True)
class Input:
    """A file that was read.

    Attributes:
        path: its path in the series folder.
        sha256: its fingerprint.
        rows: its rows.
        columns: the columns that the fingerprint is of, written as CSV, where the file holds private ones as well.
    """

    path: str
    sha256: Annotated[str, Pattern("^[0-9a-f]{64}$")]
    rows: int
    columns: Omittable[tuple[str, ...]] = None


@dataclass(frozen=True)
class ReportWarning:
    """Something irregular about the files that may change what the verdict means.

    Attributes:
        kind: which sort of irregularity.
        text: what it is and what to do, in a sentence.
        examples: some places, as file and line.
    """

    kind: Literal[
        "spelling",
        "stray-cells",
        "total-row",
        "duplicates",
        "dropped-file",
        "unjudged-column",
        "counterfeit-share",
        "encoding",
        "candidate",
    ]
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeriesFacts:
    """What was audited.

    Attributes:
        name: the series' name.
        releases: the tags of the releases, in order.
        individuals: people.
        rows: rows, summed over the releases.
        counterfeits: distinct counterfeits.
        groups: groups, summed over the releases.
        sensitive_values: distinct values of the sensitive attribute; the most that one has where there are several.
        published: the dates of publication by release, as far as the manifest tells them; absent where it tells none.
    """

    name: str
    releases: tuple[str, ...]
    individuals: int
    rows: int
    counterfeits: int
    groups: int
    sensitive_values: int
    published: Annotated[Mapping[str, datetime.date], OMITTED] = field(default_factory=dict)


@dataclass(frozen=True)
class AdversaryFacts:
    """Who was assumed to attack.

    Attributes:
        kind: which adversary.
        transitions: whether values may change.
        known: people with a value that is known beforehand.
    """

    kind: AdversaryKind
    transitions: bool
    known: int


@dataclass(frozen=True)
class GroupLines:
    """Where a group of a release stands in a file; only where people are revealed.

    Attributes:
        release: the release.
        group: the group.
        file: its path in the series folder.
        lines: counted from 1 with the header; in Parquet, rows from 1.
        cells: the distinct cells of its rows by column, in the order of the file, the first dozen of them.
    """

    release: str
    group: str
    file: str
    lines: tuple[Counted, ...]
    cells: tuple[dict[str, str], ...]


FindingId: TypeAlias = Annotated[str, Pattern("^[a-z-]+-[0-9a-f]{16}$")]
Located: TypeAlias = Annotated[tuple[GroupLines, ...], OMITTED]
"""Where the groups that a finding speaks of stand."""
Rows: TypeAlias = Annotated[Located, WrittenAs("rows")]
"""The same, where `rows` is no number of rows."""


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
    """The rows of a group of a release with a value.

    Attributes:
        release: the release.
        group: the group.
        value: the value.
        points: how many points each row costs.
        rows: how many rows there are.
    """

    release: str
    group: str
    value: str
    points: Counted
    rows: Counted


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
    """A person's value that is certain, by the person's own groups or a deduction about everybody.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release.
        value: the value that is certain.
        risk: how probable the value is.
        certificate: the steps that show it, in order of release.
        proof: shows it where the steps of the certificate, the person's own groups, do not.
        alone: true where the release shows it by itself, whatever other releases say.
        attribute: the attribute that the value is of, where it follows from the combinations of several.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["disclosure"] = field(default="disclosure", init=False)
    individual: str
    release: str
    value: str
    risk: Probability
    certificate: Annotated[tuple[DisclosureStep, ...], Items(1)]
    proof: Annotated[ProofSteps | None, PartOf("certificate")] = None
    alone: Annotated[bool, OMITTED] = False
    attribute: Omittable[str] = None
    evidence: Literal["proof", "solver"] = "proof"
    located: Rows = ()


@dataclass(frozen=True)
class RecordStep:
    """A record's row in one release.

    Attributes:
        release: the release.
        group: its group.
        size: rows with equal cells.
        cells: when revealed, its cells, by quasi-identifier.
    """

    release: str
    group: str
    size: Counted
    cells: Omittable[dict[str, str]]


@dataclass(frozen=True)
class NamedNarrowed:
    """A record whose inferred description too few records share.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        record: which record; a pseudonym unless revealed.
        release: the release.
        class_size: records in its class.
        risk: one over the size of the class.
        cause: how it came about.
        description: when revealed, what its cells have in common, by quasi-identifier.
        certificate: the record's rows, in order of release.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["narrowed"] = field(default="narrowed", init=False)
    record: str
    release: str
    class_size: Counted
    risk: Probability
    cause: Literal["group change", "subgroup expanding", "widow", "small group"]
    description: Omittable[dict[str, str]]
    certificate: Annotated[tuple[RecordStep, ...], Items(1)]
    evidence: Literal["proof"] = "proof"
    located: Rows = ()


@dataclass(frozen=True)
class WeightedGroup:
    """A group in a linear combination of groups.

    Attributes:
        release: the release.
        group: the group.
        weight: its weight, an exact fraction as text.
    """

    release: str
    group: str
    weight: ExactFraction


@dataclass(frozen=True)
class NamedEquivalence:
    """People who have the same values as others.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        e: how many are on each side.
        left: the left side: people and counterfeits, each with how often it is counted; pseudonyms unless revealed.
        right: the right side.
        certificate: groups that, each times its weight, leave just the left side less the right, and no value; empty
            where none was found.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        error: without a certificate, how probable it is at most that the random numbers err.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["equivalence"] = field(default="equivalence", init=False)
    e: Counted
    left: Annotated[dict[str, Counted], Items(1)]
    right: Annotated[dict[str, Counted], Items(1)]
    certificate: tuple[WeightedGroup, ...]
    evidence: Literal["proof", "fingerprint"] = "proof"
    error: Omittable[Probability] = None
    located: Rows = ()


@dataclass(frozen=True)
class NamedPin:
    """A person's value that a linear combination of groups fixes.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release with which it is certain.
        value: the value that is certain.
        risk: how probable the value is.
        certificate: groups that, each times its weight, leave just the person and the value; empty where none was
            found.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        error: without a certificate, how probable it is at most that the random numbers err.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["disclosure"] = field(default="disclosure", init=False)
    individual: str
    release: str
    value: str
    risk: Probability
    certificate: tuple[WeightedGroup, ...]
    evidence: Literal["proof", "fingerprint"] = "proof"
    error: Omittable[Probability] = None
    located: Rows = ()


@dataclass(frozen=True)
class NamedGroup:
    """A class of rows that look alike in one release, and a value that too many of them have.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        release: the release.
        group: the published group, or its number by order of appearance.
        value: the value.
        risk: the value's share of the rows.
        rows: people that the rows stand for.
        located: where the group stands; only where people are revealed.
    """

    id: FindingId
    kind: Literal["group"] = field(default="group", init=False)
    release: str
    group: str
    value: str
    risk: Probability
    rows: Counted
    certificate: ClassVar[tuple[()]] = ()
    located: Located = ()


@dataclass(frozen=True)
class NamedRisk:
    """A person's value that is as probable as the policy's limit, or more, but not certain.

    Value and certificate are told only when people are revealed, for they would tell more than the releases do.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        individual: who; a pseudonym unless revealed.
        release: the release.
        value: the true value; null where it is not known, when the risk is that of the likeliest, and unless revealed.
        risk: how probable the value is.
        certificate: what the person's own groups leave, in order of release; empty unless people are revealed.
        evidence: `solver`: the probability is the attack's word.
        everywhere: whether it is so in all releases of the person alike, of which `release` is the last.
        located: where the groups that it speaks of stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["risk"] = field(default="risk", init=False)
    individual: str
    release: str
    value: str | None
    risk: Probability
    certificate: tuple[DisclosureStep, ...]
    evidence: Literal["solver"] = "solver"
    everywhere: bool = False
    located: Rows = ()


@dataclass(frozen=True)
class FillingStep:
    """Rows of a release that can only be rows of the next one of which there are as many.

    Attributes:
        release: the release.
        next_release: the next one.
        rows: how many there are.
        groups: their groups.
        values: their values.
        next_groups: the groups of the rows that they fill.
        next_values: the values of these.
    """

    release: str
    next_release: str
    rows: Counted
    groups: tuple[str, ...]
    values: tuple[str, ...]
    next_groups: tuple[str, ...]
    next_values: tuple[str, ...]


@dataclass(frozen=True)
class NamedLinkage:
    """Somebody whose quasi-identifiers and first release are known, and the few rows that can be theirs.

    Attributes:
        id: the finding's id: attack and a keyed hash. It stays from one audit to the next with --stable-ids.
        kind: which sort of finding.
        first: the release with which the record came.
        release: the release.
        rows: how many rows are left.
        groups: their groups.
        value: the value that all of them have, if they have one.
        risk: the probability of guessing right: the value where it is certain, else the row.
        point: when revealed, the quasi-identifiers.
        certificate: what rules out other rows, one after the other.
        evidence: `proof`: the certificate was checked again. `solver`: a solver's word, for no proof was found within
            the limits, or a probability. `fingerprint`: random linear algebra.
        located: where the groups stand; only where people are revealed.
    """

    id: FindingId
    kind: Literal["linkage"] = field(default="linkage", init=False)
    first: str
    release: str
    rows: Counted
    groups: tuple[str, ...]
    value: Omittable[str]
    risk: Probability
    point: Omittable[dict[str, str]]
    certificate: tuple[FillingStep, ...]
    evidence: Literal["proof", "solver"] = "proof"
    located: Located = ()


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
    status: Status
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
    """Somebody of whom a finding is shown.

    Attributes:
        individual: who; a pseudonym unless revealed.
        sensitive: the attribute, when several are audited.
        reasons: the attacks by which a value of the person is certain, or as probable as the policy's limit.
        findings: the ids of the findings that are shown.
    """

    individual: str
    sensitive: Omittable[Sensitive]
    reasons: tuple[AttackName, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class LadderStep:
    """What one attack adds to those before it, each of which deduces less: people with a value that is certain.

    Attributes:
        attack: the attack.
        sensitive: the attribute, when several are audited; each has its ladder.
        people: who falls at this rung, in some release.
        beyond: those of them who fall at none before it.
        so_far: who falls at this rung or at one before it.
        seconds: what the rung costs.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    people: int
    beyond: int
    so_far: int
    seconds: Seconds


@dataclass(frozen=True)
class Exposure:
    """How many people one attack exposes, for pictures: each is counted once, counterfeits never.

    Attributes:
        attack: the attack.
        sensitive: the attribute, when several are audited.
        by_risk: how many people have a highest risk below 0.1, from 0.1 to below 0.2, …, and of exactly 1; absent where
            risks are not known.
        after_release: how many people's value is certain, or equal to somebody's, after each release, from the
            releases so far alone; absent where people are not counted.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    by_risk: Annotated[Omittable[tuple[int, ...]], Items(11, 11)]
    after_release: Omittable[tuple[int, ...]]


@dataclass(frozen=True)
class BaselineFacts:
    """What an earlier report says, and what became of its findings.

    Attributes:
        made: its date; null where it does not tell it.
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
    alone: Probability
    small: Probability
    by_itself: Probability


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
        prosecutor_max, prosecutor_mean: the highest and the mean risk of a row to be re-identified by somebody who
            knows that its person is in the release.
        journalist_max, journalist_mean: the same by somebody who knows a population; null for want of one.
        marketer: the share of rows that somebody re-identifies who matches them all.
        uniqueness: the share of rows that are alone in their class.
        no_journalist: why there is no journalist's risk.
        singling: what each quasi-identifier does to rows that stand alone or in small groups; none where none do.
    """

    release: str
    sensitive: Omittable[Sensitive]
    rows: int
    classes: int
    k: int
    alone: int
    exact: bool
    distinct_l: int
    entropy_l: Annotated[float, Within(0)]
    t: Probability
    ordered: bool
    prosecutor_max: Probability
    prosecutor_mean: Probability
    journalist_max: Probability | None
    journalist_mean: Probability | None
    marketer: Probability
    uniqueness: Probability
    no_journalist: str | None
    singling: tuple[ColumnShare, ...] = ()


@dataclass(frozen=True)
class Contradictions:
    """People whose own published values contradict the assumptions.

    Attributes:
        changed: their value changes as it never should.
        infeasible: no value, or no path, is left to them.
        people: when revealed, the people whose value changes.
    """

    changed: int = 0
    infeasible: int = 0
    people: Omittable[tuple[str, ...]] = None

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self.changed or self.infeasible)


@dataclass(frozen=True)
class Violation:
    """A clause of the policy that does not hold.

    Attributes:
        attack: the attack by which it does not; null where a release by itself violates the clause.
        measure: the clause.
        limit: what the policy asks.
        value: what was found.
        sensitive: the attribute, when several are audited.
        release: the release that violates the clause by itself.
    """

    attack: AttackName | None
    measure: ClauseName
    limit: float
    value: float
    sensitive: Omittable[Sensitive] = None
    release: Omittable[str] = None


@dataclass(frozen=True)
class Undecided:
    """A clause of the policy, or an assumption, that could not be decided.

    Attributes:
        measure: the clause, or `assumptions`.
        reason: why.
    """

    measure: ClauseName | Literal["assumptions"]
    reason: str


HIDDEN = "shown with --reveal"
"""What stands in place of a text that tells who somebody is."""


@dataclass(frozen=True)
class Waived:
    """What became of a waiver.

    Attributes:
        finding: the id that it names, with * for any characters.
        reason: why the finding is accepted.
        expires: until when.
        state: `applied`; `expired`, so that it counts no more; or `unknown`, when nothing is found of what it names.
        individual: the person that it names; hidden unless people are revealed.
        group: the group that it names.
        release: the release of that group.
    """

    finding: Omittable[str]
    reason: str
    expires: DateText
    state: WaiverState
    individual: Omittable[str] = None
    group: Omittable[str] = None
    release: Omittable[str] = None


@dataclass(frozen=True)
class ClauseReport:
    """How a clause of the policy ended.

    Attributes:
        clause: its name.
        limit: what the policy asks.
        state: `holds`, `violated`, `undecided`, `not asked` (attacks that decide it were left out) or `not judged`
            (nothing in this series can decide it, and nobody stated it).
        reason: why it is neither violated nor holds.
    """

    clause: ClauseName
    limit: float
    state: ClauseState
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
