"""Report: all results of an audit, as data; formats render it, and compute nothing.

The types of the fields are those of the JSON report, and its schema contains their docstrings.
"""

from __future__ import annotations

import datetime
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, cast

from audit.model.adversary import AdversaryKind
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import CountMeasures, TablesFacts
from audit.model.finding import Finding, FindingRule, SmallClasses, seal
from audit.model.json_types import (
    OMITTED,
    UNWRITTEN,
    WITHOUT_RESULT,
    WORSE,
    AttackName,
    ClauseName,
    ClauseState,
    ColumnRole,
    CountVerdict,
    DateText,
    ExactFraction,
    Items,
    Less,
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
from audit.runtime.phrases import Reason, ReasonKind, combined, kind_of

_TRIED = 10_000
"""The most counts that are compared with a seal."""


@dataclass(frozen=True)
class Tool:
    """The program that wrote the report.

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
        sha256: its SHA-256 hash.
        rows: the number of its rows.
        columns: the columns that the hash covers, if the file also has private ones.
    """

    path: str
    sha256: Annotated[str, Pattern("^[0-9a-f]{64}$")]
    rows: int
    columns: Omittable[tuple[str, ...]] = None


WarningKind = Literal[
    "spelling",
    "stray-cells",
    "total-row",
    "duplicates",
    "dropped-file",
    "unlinkable-column",
    "unpublished-column",
    "harmless-value",
    "left-out",
    "equality-only",
    "key",
    "register",
    "counterfeit-share",
    "encoding",
    "candidate",
    "known",
    "transitions",
    "baseline",
]


@dataclass(frozen=True)
class ReportWarning:
    """An irregularity of the files that may change the meaning of the verdict.

    Attributes:
        kind: the kind of irregularity.
        text: the irregularity and the remedy, in a sentence.
        examples: places where it occurs, mostly as file and line.
    """

    kind: WarningKind
    text: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class MisreadWarning(ReportWarning):
    """A warning that values, people or rows may be misread; clauses that depend on them are undecided."""


@dataclass(frozen=True)
class WitnessReport:
    """What the witness beside the report proves.

    Attributes:
        shown: what its worlds, tables and proofs show.
        rests: what it does not show, so that it rests on the program alone.
    """

    shown: tuple[str, ...]
    rests: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnAccuracy:
    """At which accuracy the newest release publishes a column, measured in its cells.

    Attributes:
        column: its name.
        different: the number of different texts, without withheld and missing ones.
        shares: the share of rows by the form of their cells: `exact`, `range`, `prefix`, `set`, `withheld`, or
            `missing` for texts that the manifest lists so, such as a refused answer.
        ordered: whether its exact values are numbers or days.
        days: whether they are days.
        years: whether all ends of ranges are years.
        width: how many units or days a range has that is the middle one of all rows with ranges; None without any that
            has two ends.
        kept: the fewest and the most characters that prefixes keep; None if there are no prefixes.
    """

    column: str
    different: int
    shares: Mapping[str, float]
    ordered: bool = False
    days: bool = False
    years: bool = False
    width: float | None = None
    kept: tuple[int, int] | None = None


@dataclass(frozen=True)
class GraveFacts:
    """The values that the policy declares to be grave, and the people known to have one.

    Attributes:
        values: the values, each after its attribute if it is named.
        people: the most people whose value is certain and such a one by one attack; None if no attack is about people.
    """

    values: tuple[str, ...]
    people: int | None


@dataclass(frozen=True)
class SeriesFacts:
    """The audited series.

    Attributes:
        name: the series' name.
        releases: the tags of the releases, in order.
        individuals: the number of people.
        rows: the number of rows of all releases together.
        counterfeits: the number of distinct counterfeits.
        groups: the number of groups of all releases together.
        sensitive_values: the number of distinct values of the sensitive attribute; with several attributes, the largest
            such number.
        published: the dates of publication by release, if the manifest has them; absent if it has none.
        anonymized: the method and the parameters that the manifest declares; absent if it declares none.
        columns: the columns by role, named as in the manifest; `without_role` is the role of those that have none.
        accuracy: at which accuracy the newest release publishes quasi-identifiers and sensitive attributes.
        pairs: whether its quasi-identifiers and its sensitive values are in separate tables.
        kept_row: which of a person's rows in an exact table was published, `latest` or `gravest`.
        ids_recur: whether record ids are published, and one occurs in several releases, as far as they are read.
        spelled: the columns whose texts are read as they are spelled.
    """

    name: str
    releases: tuple[str, ...]
    individuals: int
    rows: int
    counterfeits: int
    groups: int
    sensitive_values: int
    published: Annotated[Mapping[str, datetime.date], OMITTED] = field(default_factory=dict)
    anonymized: Omittable[str] = None
    columns: Annotated[Mapping[ColumnRole, tuple[str, ...]], OMITTED] = field(default_factory=dict)
    accuracy: Annotated[tuple[ColumnAccuracy, ...], UNWRITTEN] = ()
    pairs: Annotated[bool, UNWRITTEN] = False
    kept_row: Annotated[str | None, UNWRITTEN] = None
    ids_recur: Annotated[bool, UNWRITTEN] = False
    spelled: Annotated[tuple[str, ...], UNWRITTEN] = ()


@dataclass(frozen=True)
class AdversaryFacts:
    """The assumed adversary.

    Attributes:
        kind: the adversary.
        transitions: whether values may change.
        known: the number of people with a value that is known beforehand.
        any_change: whether every value may become every other.
        certain_if_unchanged: for how many people at least a value is certain if it does not change between releases;
            only where every value may become every other.
        people_if_unchanged: these people, if people are revealed.
    """

    kind: AdversaryKind
    transitions: bool
    known: int
    any_change: Annotated[bool, OMITTED] = False
    certain_if_unchanged: Omittable[int] = None
    people_if_unchanged: Omittable[tuple[str, ...]] = None


@dataclass(frozen=True)
class AttackReport:
    """The result of one attack.

    Attributes:
        attack: its name.
        sensitive: the attribute, if several are audited.
        status: whether it was complete.
        reason: why the attack is incomplete, skipped or failed; null if it is complete.
        seconds: how long it took.
        measures, risks: its measures, and the probabilities of values.
        findings: the most severe findings, the worst first.
        findings_total: the number of findings.
        rules: what its findings mean, by kind.
        people: the number of people with a value that is certain and not waived; null if the attack is not about single
            values.
        people_at_once: how many of them can be in the data at once, at most, if people may be in the data.
        certificates_checked: the number of findings whose certificates were checked; absent if all were.
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
    people_at_once: Omittable[int] = None
    certificates_checked: Omittable[int] = None

    @property
    def figures(self) -> Annotated[dict[str, object], WrittenAs("measures")]:
        """Its measures, the timeline last; empty without a result."""
        figures = {**self.measures, **self.risks}
        timeline = figures.pop("timeline", None)
        return figures if timeline is None else {**figures, "timeline": timeline}

    @property
    def ran(self) -> bool:
        """Whether the attack returned a result."""
        return self.status not in WITHOUT_RESULT

    @property
    def incomplete(self) -> bool:
        """Whether its counts are lower bounds."""
        return self.status == "incomplete"


COUNTS = Less("attack_counts", ("findings",))
"""An attack without its findings."""


@dataclass(frozen=True)
class FoundPerson:
    """A person in a shown finding.

    Attributes:
        individual: the person; a pseudonym unless revealed.
        sensitive: the attribute, if several are audited.
        reasons: the attacks that find a value of the person certain, or its risk at the policy's limit.
        findings: the ids of the shown findings.
    """

    individual: str
    sensitive: Omittable[Sensitive]
    reasons: tuple[AttackName, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True)
class LadderStep:
    """The people that one attack adds to those that the weaker attacks before it find.

    Attributes:
        attack: the attack.
        sensitive: the attribute, if several are audited; each has its own ladder.
        people: the number of people with a value that this attack finds certain, in some release.
        beyond: the number of these people that no attack before it finds.
        so_far: the number of people that this attack or one before it finds.
        seconds: the time of the attack.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    people: int
    beyond: int
    so_far: int
    seconds: Seconds


@dataclass(frozen=True)
class Exposure:
    """How many people one attack exposes, for charts; each person counts once, and counterfeits do not count.

    Attributes:
        attack: the attack.
        sensitive: the attribute, if several are audited.
        by_risk: the number of people whose highest risk is below 0.1, from 0.1 to below 0.2, …, and exactly 1; absent
            if risks are unknown.
        after_release: the number of people whose value is certain, or certainly equal to another person's, after each
            release, judged by the releases so far; absent if people are not counted.
    """

    attack: AttackName
    sensitive: Omittable[Sensitive]
    by_risk: Annotated[Omittable[tuple[int, ...]], Items(11, 11)]
    after_release: Omittable[tuple[int, ...]]


@dataclass(frozen=True)
class CountSize:
    """How precisely a count is known, or how precise knowledge of it a waiver or a baseline accepts.

    Attributes:
        kind: the kind of finding.
        lower: the count is at least this.
        upper: the count is at most this.
    """

    kind: CountVerdict
    lower: int
    upper: int

    def covers(self, other: CountSize) -> bool:
        """Return whether `other` knows the same count no more precisely, and is no worse kind of finding.

        >>> CountSize("narrowed", 1, 4).covers(CountSize("recovered", 4, 4))
        False
        """
        worse = WORSE.index(other.kind) > WORSE.index(self.kind)
        return not worse and other.lower <= self.lower and self.upper <= other.upper

    def sealed(self, ident: str, key: bytes) -> SealedCount:
        """Return what a waiver of the finding with this id states, sealed with a key of the publisher."""
        values = UNBOUNDED if self.upper >= UNBOUNDED else self.upper - self.lower + 1
        return SealedCount(ident, self.kind, values, seal(key, ident, self.lower), key)


@dataclass(frozen=True)
class SealedCount:
    """How precise knowledge of a count a waiver accepts, without the count: the manifest is published.

    Attributes:
        ident: the id of the finding.
        kind: the kind of finding.
        values: the number of values that the count can have; `UNBOUNDED` if it has no upper bound.
        seal: the seal of the least of them.
        key: the key of the seal, which the publisher has; None if it is not known.
    """

    ident: str
    kind: CountVerdict
    values: int
    seal: str
    key: bytes | None = None

    def written(self) -> dict[str, object]:
        """Return it as written in a manifest."""
        return {"kind": self.kind, "values": self.values, "seal": self.seal}

    def covers(self, other: CountSize) -> bool:
        """Return whether the interval of `other` contains the accepted one, and it is no worse kind of finding.

        >>> [CountSize("small", 2, 4).sealed("id", b"key").covers(CountSize("small", low, 4)) for low in (1, 2, 3)]
        [True, True, False]
        """
        if self.key is None or WORSE.index(other.kind) > WORSE.index(self.kind):
            return False
        last = other.upper if other.upper >= UNBOUNDED else other.upper - self.values + 1
        starts = range(other.lower, min(last, other.lower + _TRIED) + 1)
        return any(hmac.compare_digest(seal(self.key, self.ident, start), self.seal) for start in starts)


@dataclass(frozen=True)
class BaselineFacts:
    """The results of an earlier report, and what became of its findings.

    Attributes:
        made: its date; null if it has none.
        releases: the releases that it audited.
        passed: whether the policy held.
        findings: the number of its findings, including those that its own baseline left out.
        still: the number of its findings that are found again.
        known: the ids of the findings found again, so that this report can be a baseline, too.
        classes: the classes that were too small for `k`, by release; absent if there were none.
        risks: the risks of findings, by id; absent if no finding has a risk.
        counts: what was known about each count, by id; absent if no finding is about a count.
        intervals: the known interval of a value, by id; absent if there are none.
        digests: the SHA-256 of each of its files.
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
    digests: Annotated[frozenset[str], UNWRITTEN] = frozenset()


@dataclass(frozen=True)
class ColumnShare:
    """The effect of one quasi-identifier, or of several together, in a release, as shares of its rows.

    Attributes:
        column: its name; several names are joined by +.
        alone: the share of rows that are unique by their quasi-identifiers, and would not be without this column.
        small: the share of rows in groups of fewer than five equal rows, which would have at least five without this
            column.
        by_itself: the share of rows whose cells in these columns are unique.
    """

    column: str
    alone: Probability
    small: Probability
    by_itself: Probability


@dataclass(frozen=True)
class ReleasePanel:
    """The usual measures of one release alone, regardless of the others; see `docs/panel.md`.

    Attributes:
        release: its tag.
        sensitive: the attribute, if several are audited.
        rows: the number of people that its rows stand for, including counterfeits.
        classes: the number of equivalence classes.
        suppressed: the number of rows with `*` in all quasi-identifiers, if neither groups nor record ids are
            published; each may be any person's, and they are in no class.
        k: the fewest rows of one group with equal published quasi-identifiers; for an Anatomy pair, or without
            quasi-identifiers, the rows of the smallest group.
        k_people: the fewest people of such a class: its rows without counterfeits, and with the rows of one person,
            if the key shows them, counted once. Counterfeits are known by the key or published; all published ones of
            a group may be in one of its classes. Null if every class has only counterfeits.
        alone: the number of rows that share their published quasi-identifiers with no other row.
        exact: whether it is an Anatomy pair, whose rows have exact quasi-identifiers.
        below_k: the number of rows in classes smaller than the policy's k.
        certain: the number of people in classes whose rows all have one value that is not harmless.
        distinct_l, entropy_l: the fewest distinct values in a class, and e to the power of the least entropy of one.
        t: the largest distance between the values of a class and those of the release.
        ordered: whether that distance treats the values as numbers.
        prosecutor_max, prosecutor_mean: the highest and the mean risk that a row is re-identified by an adversary who
            knows that its person is in the release.
        journalist_max, journalist_mean: the same for an adversary who only knows a population that contains the person;
            null if the series has no population.
        marketer: the expected share of rows that an adversary re-identifies by matching all of them.
        uniqueness: the share of rows that are alone in their class.
        no_journalist: why there is no journalist's risk; null if there is one.
        singling: how each quasi-identifier, and several together, make rows unique or their groups small; empty if
            there are no such rows.
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
        """The classes smaller than the policy's k, by rows, or by people if these are fewer."""
        return SmallClasses(self.k if self.k_people is None else min(self.k, self.k_people), self.below_k)


@dataclass(frozen=True)
class Contradictions:
    """People whose own published values contradict the assumptions.

    Attributes:
        changed: the number of people whose value changes although values never change.
        infeasible: the number of people without a possible value in some release, or without a possible sequence of
            values.
        people: the people whose value changes, if people are revealed.
    """

    changed: int = 0
    infeasible: int = 0
    people: Omittable[tuple[str, ...]] = None

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.changed or self.infeasible)


@dataclass(frozen=True)
class Violation:
    """A violated clause of the policy.

    Attributes:
        attack: the attack that violates the clause; null if a single release does.
        measure: the clause; for count tables, what was found.
        limit: the limit of the policy.
        value: the value found.
        sensitive: the attribute, if several are audited.
        release: the release that alone violates the clause.
        kind: `similar` if a category is known, not the value itself; `people` if a class has enough rows, but too few
            people, and a stated k counts people; otherwise absent.
        people: the number of people whose values violate it; absent if the clause counts no people.
    """

    attack: AttackName | None
    measure: ClauseName | CountVerdict
    limit: float
    value: float
    sensitive: Omittable[Sensitive] = None
    release: Omittable[str] = None
    kind: Omittable[Literal["similar", "people"]] = None
    people: Omittable[int] = None


@dataclass(frozen=True)
class Undecided:
    """A clause or an assumption that could not be decided, or a policy of which no clause was checked.

    Attributes:
        measure: the clause, `assumptions`, or `policy` if no clause was checked.
        reason: why.
    """

    measure: ClauseName | Literal["assumptions", "policy"]
    reason: str


HIDDEN = "shown with --reveal"
"""The text in place of one that identifies a person."""


@dataclass(frozen=True)
class Waived:
    """The outcome of a waiver.

    Attributes:
        finding: the id that it names, in which * stands for any characters.
        reason: why the finding is accepted.
        expires: the last day on which it is accepted.
        state: `applied`; `expired`; `unknown`, if nothing that it names is found; `exceeded`, if more is found than it
            accepts; or `unsized`, if it does not state how much it accepts.
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
    """The outcome of a clause of the policy.

    Attributes:
        clause: its name.
        limit: the limit of the policy.
        state: `holds`, `violated`, `undecided`, `not asked` (attacks that decide it were left out) or `not judged`
            (nothing in this series can decide it, and the manifest does not state it).
        reason: why it is neither kept nor violated; or, if it holds, under which condition.
    """

    clause: ClauseName
    limit: float
    state: ClauseState
    reason: str | None = None


_STANDING = (ReasonKind.NEEDS, ReasonKind.CONTRADICTION, ReasonKind.UNCONFIRMED)
"""The kinds of reasons that only the manifest or the earlier releases can remove."""


@dataclass(frozen=True)
class PolicyReport:
    """The decision about the policy.

    Attributes:
        clauses: the outcome of each clause in force.
        violations: the violated clauses.
        undecided: the clauses, or assumptions, that could not be decided.
        waived: the outcome of each waiver.
        if_confirmed: violations that depend on a guess in the manifest, so that their clauses are undecided until it is
            confirmed; absent if there are none.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("passed", "limits", "not_asked", "not_judged")
    clauses: tuple[ClauseReport, ...]
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    waived: tuple[Waived, ...] = ()
    if_confirmed: Annotated[tuple[Violation, ...], OMITTED] = ()

    @property
    def standing(self) -> Reason | None:
        """Why it is undecided whatever a candidate is changed to, in one sentence; None if nothing shows that."""
        return combined(dict.fromkeys(each.reason for each in self.undecided if kind_of(each.reason) in _STANDING))

    @property
    def limits(self) -> dict[ClauseName, float]:
        """The clauses in force."""
        return {each.clause: each.limit for each in self.clauses}

    @property
    def not_asked(self) -> tuple[ClauseName, ...]:
        """The clauses whose attacks were left out."""
        return tuple(each.clause for each in self.ended("not asked"))

    @property
    def not_judged(self) -> tuple[ClauseName, ...]:
        """The default clauses that no attack can decide for this series."""
        return tuple(each.clause for each in self.ended("not judged"))

    def ended(self, *states: str) -> list[ClauseReport]:
        """Return the clauses whose state is one of `states`."""
        return [each for each in self.clauses if each.state in states]

    @property
    def passed(self) -> bool:
        """Whether no clause is violated, and no requested clause is undecided."""
        return not self.violations and not self.undecided

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if the policy holds, 1 if it is violated, 3 if it is undecided."""
        if self.violations:
            return 1
        return 0 if self.passed else 3


@dataclass(frozen=True)
class Report:
    """The contents of `audit SERIES --format json`, for people's data and for count tables.

    Attributes:
        tool_version: the version of the program.
        made: the date of the audit.
        inputs: the files that were read; the register and known values only if people are revealed.
        series: the audited series, or the audited tables.
        adversary: the assumed adversary.
        attacks: one entry for each attack and, where there are several, sensitive attribute.
        contradictions: people whose own published values contradict the assumptions.
        policy: the decision.
        time_limit: seconds for each attack; null means no limit.
        revealed: whether people are named.
        ids_are_stable: whether ids and pseudonyms are the same as in other reports with --stable-ids.
        ladder: the people that each attack on values adds to those that weaker attacks find.
        panel: the usual measures of each release alone; one entry for each sensitive attribute.
        warnings: irregularities of the files that may change the meaning of the verdict.
        exposure: how many people each attack exposes; each person counts once.
        left_out: the number of findings that are waived or in the baseline.
        baseline: the earlier report with which this one is compared; only with --baseline.
        interrupted: true if the run was interrupted: unfinished attacks are `skipped`, with that reason.
        people: the people in shown findings, each once for each sensitive attribute.
        witness: what the witness beside the report proves; only with --witness.
        about: the only person of findings and counts, if one was requested; then there is no verdict.
        failed_certificates: the number of findings about counts that are undecided because their certificates failed.
        grave: the values declared to be grave, and the people known to have one; None if none is declared.
        schema_version: the version of this form.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("tool", "known_before")
    schema_version: ClassVar[Literal[2]] = 2
    tool_version: Annotated[str, UNWRITTEN]
    made: datetime.date
    inputs: Annotated[tuple[Input, ...], Items(1)]
    series: SeriesFacts | TablesFacts
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
    witness: Omittable[WitnessReport] = None
    about: Annotated[str | None, UNWRITTEN] = None
    failed_certificates: Annotated[int, UNWRITTEN] = 0
    grave: Annotated[GraveFacts | None, UNWRITTEN] = None

    @property
    def tool(self) -> Tool:
        """The program."""
        return Tool(self.tool_version)

    @property
    def tables(self) -> TablesFacts | None:
        """The audited tables, if the series is one of count tables."""
        return self.series if isinstance(self.series, TablesFacts) else None

    @property
    def individuals(self) -> int:
        """The number of people; 0 for count tables."""
        return 0 if isinstance(self.series, TablesFacts) else self.series.individuals

    @property
    def count_measures(self) -> CountMeasures:
        """What was measured of count tables."""
        return cast("CountMeasures", self.attacks[0].measures)

    @property
    def findings(self) -> tuple[Finding[str], ...]:
        """The findings that are shown, of all attacks."""
        return tuple(finding for attack in self.attacks for finding in attack.findings)

    @property
    def exit_code(self) -> int:
        """The exit code: 130 after an interrupt, 4 if an attack failed and nothing is violated, else the policy's."""
        if self.interrupted:
            return 130
        failed = self.failed or self.failed_certificates
        return 4 if failed and not self.policy.violations else self.policy.exit_code

    @property
    def shown_attacks(self) -> list[AttackReport]:
        """The attacks whose people are listed one by one, without an `update-graph` that repeats another attack."""
        names = {attack.attack for attack in self.attacks if attack.ran}
        repeats = "intersection" in names and not self.adversary.transitions
        return [attack for attack in self.attacks if not (repeats and attack.attack == "update-graph")]

    @property
    def timelines(self) -> list[tuple[AttackReport, list[int]]]:
        """How many people each attack finds after each of several releases; if it counts none, records or classes."""
        people = {(each.attack, each.sensitive): each.after_release for each in self.exposure}
        ran = [each for each in self.shown_attacks if each.ran and len(self.series.releases) > 1]
        lines = [(each, people.get((each.attack, each.sensitive)) or each.measures.timeline) for each in ran]
        return [(attack, list(line)) for attack, line in lines if isinstance(line, list | tuple)]

    @property
    def known_before(self) -> Omittable[int]:
        """The number of findings that are left out because they are waived or in the baseline; only with --baseline."""
        return None if self.baseline is None else self.left_out

    @property
    def has_harmless(self) -> bool:
        """Whether some values are declared to be harmless."""
        return any(each.kind == "harmless-value" for each in self.warnings)

    @property
    def failed(self) -> tuple[str, ...]:
        """The attacks of other packages that failed, each once."""
        return tuple(dict.fromkeys(attack.attack for attack in self.attacks if attack.status == "failed"))
