"""The report: everything that an audit found, as data. Formats render it; nothing is computed from here on.

The types of the fields are those of the JSON report, and its schema contains their docstrings.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from audit.model.accepted_size import SmallClasses
from audit.model.adversary import AdversaryKind
from audit.model.count_report import TablesFacts
from audit.model.finding import Finding, FindingRule
from audit.model.json_types import (
    OMITTED,
    UNWRITTEN,
    WITHOUT_RESULT,
    WORSE,
    AttackName,
    ClauseName,
    ClauseState,
    CountVerdict,
    DateText,
    ExactFraction,
    Items,
    Omittable,
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
class Tool:
    """What made this.

    Attributes:
        name: its name.
        version: its version.
    """

    name: ClassVar[Literal["series-audit"]] = "series-audit"
    version: str


@dataclass(frozen=True)
class Input:
    """A file that was read.

    Attributes:
        path: its path in the series folder.
        sha256: its fingerprint.
        rows: its rows.
        columns: the columns that the hash covers, if the file also has private ones.
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
        "unlinkable-column",
        "unpublished-column",
        "harmless-value",
        "equality-only",
        "register",
        "counterfeit-share",
        "encoding",
        "candidate",
        "known",
        "baseline",
    ]
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class MisreadWarning(ReportWarning):
    """A warning that values, people or rows may be counted wrongly, so that nothing that rests on them is decided."""


@dataclass(frozen=True)
class WitnessReport:
    """What the witness beside the report shows.

    Attributes:
        shown: what its worlds, tables and proofs show.
        rests: what rests on the program.
    """

    shown: tuple[str, ...]
    rests: tuple[str, ...] = ()


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
        published: the dates of publication by release, if the manifest has them; absent if it has none.
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
    """The assumed adversary.

    Attributes:
        kind: which adversary.
        transitions: whether values may change.
        known: people with a value that is known beforehand.
    """

    kind: AdversaryKind
    transitions: bool
    known: int


@dataclass(frozen=True)
class AttackReport:
    """What one attack found out.

    Attributes:
        attack: its name.
        sensitive: the attribute, where several are audited.
        status: whether it came to its end.
        reason: why the attack is incomplete or skipped; null when it is complete.
        seconds: how long it took.
        measures, risks: what it counted, and the probabilities of values.
        findings: the most severe findings, the worst first.
        findings_total: how many findings there are.
        rules: what its findings mean, by kind.
        people: people with a value that is certain and not waived; null where nothing is said of single values.
        certificates_checked: how many findings were checked, None where all of them were.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("figures",)
    attack: AttackName
    sensitive: Omittable[Sensitive]
    status: Status
    reason: str | None
    seconds: Seconds
    measures: Annotated[Measures, UNWRITTEN]
    risks: Annotated[RiskMeasures, UNWRITTEN]
    findings: tuple[Finding[str], ...]
    findings_total: int
    rules: Annotated[Mapping[str, FindingRule], UNWRITTEN] = field(default_factory=dict)
    people: int | None = None
    certificates_checked: Annotated[int | None, UNWRITTEN] = None

    @property
    def figures(self) -> Annotated[dict[str, object], WrittenAs("measures")]:
        """What it measured, the timeline last; empty when it was skipped."""
        figures = {**self.measures, **self.risks}
        timeline = figures.pop("timeline", None)
        return figures if timeline is None else {**figures, "timeline": timeline}

    @property
    def ran(self) -> bool:
        """Whether the attack found anything out."""
        return self.status not in WITHOUT_RESULT

    @property
    def incomplete(self) -> bool:
        """Whether what is counted is a bound from below."""
        return self.status == "incomplete"


@dataclass(frozen=True)
class FoundPerson:
    """A person in a finding that is shown.

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
        after_release: how many people's value is certain, or equal to another's, after each release, from the
            releases so far alone; absent where people are not counted.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    by_risk: Annotated[Omittable[tuple[int, ...]], Items(11, 11)]
    after_release: Omittable[tuple[int, ...]]


@dataclass(frozen=True)
class CountSize:
    """How much is known of a count; what a waiver or a baseline accepts of it.

    Attributes:
        kind: which sort of finding.
        lower: its count is at least this.
        upper: its count is at most this.
    """

    kind: CountVerdict
    lower: int
    upper: int

    def covers(self, other: CountSize) -> bool:
        """Return whether what is known about the same count is of no worse kind and has no narrower limits.

        >>> CountSize("narrowed", 1, 4).covers(CountSize("recovered", 4, 4))
        False
        """
        worse = WORSE.index(other.kind) > WORSE.index(self.kind)
        return not worse and other.lower <= self.lower and self.upper <= other.upper


@dataclass(frozen=True)
class BaselineFacts:
    """What an earlier report says, and what became of its findings.

    Attributes:
        made: its date; null if it has none.
        releases: the releases that it was about.
        passed: whether the policy held then.
        findings: how many findings it has, including those that its own baseline left out.
        still: how many of them are found again.
        known: the ids of these findings, so that this report can be a baseline in its turn.
        classes: by release, the classes that were too small for `k`; absent where none was.
        risks: by id, the risk of the findings that have one; absent where none has.
        counts: by id, what was known about each count; absent if no finding is about a count.
        intervals: by id, the known limits of a value; absent if there are none.
    """

    made: datetime.date | None
    releases: tuple[str, ...]
    passed: bool
    findings: int
    still: int
    known: tuple[str, ...] = ()
    classes: Annotated[Mapping[str, SmallClasses], OMITTED] = field(default_factory=dict)
    risks: Annotated[Mapping[str, Probability], OMITTED] = field(default_factory=dict)
    counts: Annotated[Mapping[str, CountSize], OMITTED] = field(default_factory=dict)
    intervals: Annotated[Mapping[str, tuple[ExactFraction, ExactFraction]], OMITTED] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnShare:
    """What one quasi-identifier, or several together, do in a release, as shares of its rows.

    Attributes:
        column: its name; of several, their names with + between them.
        alone: rows that are unique by their quasi-identifiers, and would not be without this column.
        small: rows that fewer than five rows share their cells with, themselves included, and more without this column.
        by_itself: rows whose cells in these columns no other row has.
    """

    column: str
    alone: Probability
    small: Probability
    by_itself: Probability


@dataclass(frozen=True)
class ReleasePanel:
    """The usual measures of one release by itself, regardless of the others; see `docs/panel.md`.

    Attributes:
        release: its tag.
        sensitive: the attribute, when several are audited.
        rows: how many people its rows represent, including counterfeits.
        classes: how many equivalence classes they form.
        suppressed: how many rows have `*` in all quasi-identifiers, if neither groups nor record ids are published;
            they may be anyone's, and count in no class's size.
        k: the fewest rows of one group with equal published quasi-identifiers; of an Anatomy pair, or without
            quasi-identifiers, the rows of the smallest group.
        k_people: the fewest people of such a class, without classes of counterfeits only: its rows less its
            counterfeits, known by the key or published (all those of a group may be in one of its classes), and several
            rows of one person, known by the key, as one; null if there is no such class.
        alone: how many rows share their published quasi-identifiers with no other row.
        exact: whether it is an Anatomy pair, whose rows have exact quasi-identifiers.
        below_k: how many rows are in classes that are smaller than the policy's k.
        certain: how many people are in classes whose rows all have one value that is not harmless.
        distinct_l, entropy_l: the fewest distinct values in a class, and e to the least entropy.
        t: the largest distance between a class's values and the release's.
        ordered: whether that distance took the values as numbers.
        prosecutor_max, prosecutor_mean: the highest and the mean risk of a row to be re-identified by an adversary who
            knows that its person is in the release.
        journalist_max, journalist_mean: the same by an adversary who knows a population; null if there is none.
        marketer: the share of rows that an adversary who matches all of them re-identifies.
        uniqueness: the share of rows that are alone in their class.
        no_journalist: why there is no journalist's risk.
        singling: how each quasi-identifier, and some together, make rows unique or their groups small; none if there
            are no such rows.
    """

    release: str
    sensitive: Omittable[Sensitive]
    rows: int
    classes: int
    k: int
    k_people: int | None
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
    suppressed: int = 0
    certain: int = 0
    below_k: int = 0

    @property
    def small(self) -> SmallClasses:
        """The classes that are smaller than the policy's k, by rows, or by people where these are fewer."""
        return SmallClasses(self.k if self.k_people is None else min(self.k, self.k_people), self.below_k)


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
        """Return whether there are any."""
        return bool(self.changed or self.infeasible)


@dataclass(frozen=True)
class Violation:
    """A clause of the policy that does not hold.

    Attributes:
        attack: the attack by which it does not; null where a release by itself violates the clause.
        measure: the clause; of count tables, what was found.
        limit: what the policy asks.
        value: how much was found.
        sensitive: the attribute, when several are audited.
        release: the release that violates the clause by itself.
        kind: `similar` where it is a category that is known rather than a value; absent elsewhere.
    """

    attack: AttackName | None
    measure: ClauseName | CountVerdict
    limit: float
    value: float
    sensitive: Omittable[Sensitive] = None
    release: Omittable[str] = None
    kind: Omittable[Literal["similar"]] = None


@dataclass(frozen=True)
class Undecided:
    """A clause of the policy, or an assumption, that could not be decided; or that no clause was asked at all.

    Attributes:
        measure: the clause, `assumptions`, or `policy` where no clause was asked.
        reason: why.
    """

    measure: ClauseName | Literal["assumptions", "policy"]
    reason: str


HIDDEN = "shown with --reveal"
"""The text in place of one that identifies a person."""


@dataclass(frozen=True)
class Waived:
    """What became of a waiver.

    Attributes:
        finding: the id that it names, with * for any characters.
        reason: why the finding is accepted.
        expires: until when.
        state: `applied`; `expired`, so that it counts no more; `unknown`, when nothing is found of what it names;
            `exceeded`, when more is found than it accepts; or `unsized`, when it does not say how much it accepts.
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
            (nothing in this series can decide it, and it was not stated).
        reason: why it is neither violated nor holds; where it holds, by what, if that is less than all there is.
    """

    clause: ClauseName
    limit: float
    state: ClauseState
    reason: str | None = None


@dataclass(frozen=True)
class PolicyReport:
    """The decision.

    Attributes:
        clauses: how each clause in force ended.
        violations: clauses that do not hold.
        undecided: clauses, or assumptions, that could not be decided.
        waived: what became of each waiver.
        if_confirmed: what violates clauses that are undecided, since it rests on a guess of the manifest; absent where
            nothing does.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("passed", "limits", "not_asked", "not_judged")
    clauses: tuple[ClauseReport, ...]
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    waived: tuple[Waived, ...] = ()
    if_confirmed: Annotated[tuple[Violation, ...], OMITTED] = ()

    @property
    def limits(self) -> dict[ClauseName, float]:
        """The clauses in force."""
        return {each.clause: each.limit for each in self.clauses}

    @property
    def not_asked(self) -> tuple[ClauseName, ...]:
        """Clauses whose attacks were left out."""
        return tuple(each.clause for each in self.ended("not asked"))

    @property
    def not_judged(self) -> tuple[ClauseName, ...]:
        """Clauses by default that nothing in this series can decide."""
        return tuple(each.clause for each in self.ended("not judged"))

    def ended(self, *states: str) -> list[ClauseReport]:
        """Return the clauses that ended in some states."""
        return [each for each in self.clauses if each.state in states]

    @property
    def passed(self) -> bool:
        """Nothing is violated, and nothing that was asked is undecided."""
        return not self.violations and not self.undecided

    @property
    def exit_code(self) -> int:
        """0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
        if self.violations:
            return 1
        return 0 if self.passed else 3


@dataclass(frozen=True)
class Report:
    """What `audit SERIES --format json` writes of people's data; where it is about tables of counts, a part of it.

    Attributes:
        tool_version: of the program.
        made: the day on which the audit was made.
        inputs: the files that were read; the register and known values only if people are revealed.
        series: what was audited.
        adversary: the assumed adversary.
        attacks: one entry for each attack and, where there are several, sensitive attribute.
        contradictions: people whose own published values contradict the assumptions.
        policy: the decision.
        time_limit: seconds for each attack; null is without limit.
        revealed: whether people are named.
        ids_are_stable: whether ids and pseudonyms are those of other reports with --stable-ids.
        ladder: what each attack that finds people's values adds to those before it.
        panel: each release by itself, regardless of the others; one entry for each sensitive attribute.
        warnings: what is irregular about the files and may change what the verdict means.
        exposure: how many people each attack exposes, each counted once.
        left_out: how many findings are waived or in the baseline.
        baseline: the earlier report that this one is compared with; only with --baseline.
        interrupted: true if the run was interrupted: unfinished attacks are `skipped`, and say so.
        people: those in findings that are shown, each once for each sensitive attribute.
        recommendation: what would repair the newest release; only with --recommend, if the policy is violated.
        witness: what worlds and proofs show; only with --witness.
        about: the only person of findings and counts, if one was asked for; then there is no verdict.
        tables: what was audited, where it is tables of counts.
        failed_certificates: how many findings about counts are undecided because their certificates do not hold.
        schema_version: the version of this form.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("tool", "known_before")
    schema_version: ClassVar[Literal[1]] = 1
    tool_version: Annotated[str, UNWRITTEN]
    made: datetime.date
    inputs: Annotated[tuple[Input, ...], Items(1)]
    series: SeriesFacts
    adversary: AdversaryFacts
    attacks: Annotated[tuple[AttackReport, ...], Items(1)]
    contradictions: Contradictions
    policy: PolicyReport
    time_limit: Annotated[float, Within(0)] | None
    revealed: bool
    ids_are_stable: Annotated[bool, WrittenAs("stable_ids")]
    ladder: tuple[LadderStep, ...] = ()
    panel: tuple[ReleasePanel, ...] = ()
    warnings: tuple[ReportWarning, ...] = ()
    exposure: tuple[Exposure, ...] = ()
    left_out: Annotated[int, UNWRITTEN] = 0
    baseline: Omittable[BaselineFacts] = None
    interrupted: Annotated[bool, OMITTED] = False
    people: tuple[FoundPerson, ...] = ()
    recommendation: Omittable[Recommendation] = None
    witness: Omittable[WitnessReport] = None
    about: Annotated[str | None, UNWRITTEN] = None
    tables: Annotated[TablesFacts | None, UNWRITTEN] = None
    failed_certificates: Annotated[int, UNWRITTEN] = 0

    @property
    def tool(self) -> Tool:
        """What made this."""
        return Tool(self.tool_version)

    @property
    def exit_code(self) -> int:
        """130 when the run was interrupted, 4 when it failed and nothing violates, else the policy's."""
        if self.interrupted:
            return 130
        failed = self.failed or self.failed_certificates
        return 4 if failed and not self.policy.violations else self.policy.exit_code

    @property
    def known_before(self) -> Omittable[int]:
        """How many findings are left out that are waived or in the baseline; only with --baseline."""
        return None if self.baseline is None else self.left_out

    @property
    def failed(self) -> tuple[str, ...]:
        """The attacks of other packages that failed, each once."""
        return tuple(dict.fromkeys(attack.attack for attack in self.attacks if attack.status == "failed"))
