"""Command results: explanations, comparisons, checks, plans and histories, as data that formats render."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Literal

from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.count_tables import CertifiedBound, TablesFacts
from audit.model.finding import Finding
from audit.model.json_types import (
    OMITTED,
    UNWRITTEN,
    AttackName,
    Counted,
    Items,
    Omittable,
    Sensitive,
    Status,
    Within,
    WrittenAs,
)
from audit.model.report import COUNTS, AdversaryFacts, AttackReport, PolicyReport, Report, Tool

# -- explanation of one person, or of one cell ------------------------------------------------------------------------


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


# -- comparison of several series -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReleaseMeasures:
    """The cost and the utility of one release.

    Attributes:
        tag: the release's name.
        rows: the number of people that its rows stand for, including counterfeits.
        groups: the number of QI-groups.
        counterfeits: the number of counterfeits by the key or, without a key, as published.
        discernibility: the sum of the squared sizes of the groups.
        average_group: the mean number of rows of a group.
        perimeter: the sum of the extents of the rows' cells; None without microdata.
        ncp: the normalized certainty penalty, in [0, 1]; None without microdata or quasi-identifiers.
        query_error: the median relative error of the queries; None without microdata, or if no query has an error.
        skipped: the number of queries without a relative error, because their divisor is 0; None without microdata.
        comparable: the share of its rows whose cells are cells of the release before; None for the first release, for
            Anatomy pairs and without quasi-identifiers.
    """

    tag: str
    rows: int
    groups: int
    counterfeits: int
    discernibility: int
    average_group: float
    perimeter: float | None = None
    ncp: float | None = None
    query_error: float | None = None
    skipped: int | None = None
    comparable: float | None = None


@dataclass(frozen=True)
class CounterfeitCounts:
    """The numbers of counterfeits.

    Attributes:
        max: the largest number in one release.
        sum: the sum over all releases.
    """

    max: int
    sum: int


@dataclass(frozen=True)
class MeanMeasures:
    """The means of measures over the releases that have them; null if no release has the measure.

    Attributes:
        discernibility: the sum of the squared sizes of the groups.
        average_group: the mean number of rows of a group.
        perimeter: the sum of the extents of the rows' cells.
        ncp: the normalized certainty penalty.
        query_error: the median relative error of the queries.
        skipped: the number of queries without a relative error.
        comparable: the share of rows whose cells are also in the release before.
    """

    discernibility: Annotated[float, Within(0)] | None
    average_group: Annotated[float, Within(0)] | None
    perimeter: Annotated[float, Within(0)] | None
    ncp: Annotated[float, Within(0)] | None
    query_error: Annotated[float, Within(0)] | None
    skipped: Annotated[float, Within(0)] | None
    comparable: float | None


@dataclass(frozen=True)
class ComparedSeries:
    """A series, of people's data or of count tables.

    Attributes:
        path: its path as given by the user.
        name: its own name.
        report: its audit; None if no attack could be run.
        not_audited: why no attack could be run; null if attacks were run.
        measured: the measures of each release; empty for count tables.
        method: the method and its parameters, if this program published the series; otherwise null.
        exact: whether its releases are Anatomy pairs, whose cells are exact.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = (
        *("individuals", "adversary", "attacks", "policy", "releases", "rows", "counterfeits", "form", "means"),
    )
    path: str
    name: str
    report: Annotated[Report | None, UNWRITTEN]
    not_audited: str | None
    measured: Annotated[tuple[ReleaseMeasures, ...], WrittenAs("by_release")] = ()
    method: str | None = None
    exact: Annotated[bool, UNWRITTEN] = False

    @property
    def individuals(self) -> int | None:
        """The number of people; null if unknown."""
        knows = self.report is not None and ADVERSARIES[self.report.adversary.kind].knows_people
        return self.report.individuals if self.report is not None and knows else None

    @property
    def adversary(self) -> AdversaryKind | None:
        """The assumed adversary; null without an audit."""
        return None if self.report is None else self.report.adversary.kind

    @property
    def attacks(self) -> Annotated[tuple[AttackReport, ...], COUNTS]:
        """The results of the attacks, without findings."""
        return () if self.report is None else self.report.attacks

    @property
    def policy(self) -> PolicyReport | None:
        """The decision about its policy; null without an audit."""
        return None if self.report is None else self.report.policy

    @property
    def of_tables(self) -> bool:
        """Whether it is a series of count tables."""
        return self.report is not None and self.report.tables is not None

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of its releases."""
        return tuple(each.tag for each in self.measured) if self.report is None else self.report.series.releases

    @property
    def releases(self) -> int:
        """The number of releases."""
        return len(self.tags)

    @property
    def rows(self) -> int:
        """The number of rows of all releases."""
        if self.report is not None and self.of_tables:
            return self.report.series.rows
        return sum(release.rows for release in self.measured)

    @property
    def counterfeits(self) -> CounterfeitCounts:
        """The number of counterfeits."""
        counts = [release.counterfeits for release in self.measured]
        return CounterfeitCounts(max(counts, default=0), sum(counts))

    @property
    def form(self) -> Literal["generalization", "anatomy", "tables"]:
        """The form of its releases."""
        return "tables" if self.of_tables else "anatomy" if self.exact else "generalization"

    @property
    def means(self) -> MeanMeasures:
        """Means over the releases."""
        return MeanMeasures(**{each.name: self.mean(each.name) for each in fields(MeanMeasures)})

    def mean(self, measure: str) -> float | None:
        """Return the mean of a measure over the releases that have it, or None if none has."""
        found = [getattr(release, measure) for release in self.measured]
        known = [value for value in found if value is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class QueryDesign:
    """The microdata and the queries by which utility was measured.

    Attributes:
        microdata: the microdata's name.
        queries: the number of queries for each release.
        theta: the expected selectivity, or the share of the domain in the style of the m-Distinct paper.
        style: the paper that defines ranges and error, `m-invariance` or `m-distinct`.
        seed: the seed of the queries.
    """

    microdata: str
    queries: int
    theta: float
    style: str
    seed: int


@dataclass(frozen=True)
class Comparison:
    """The contents of `audit compare --format json`, which says nothing about single people.

    Attributes:
        schema_version: the version of this form.
        tool_version: the version of the program.
        sides: one entry for each series, in the given order.
        asked: the microdata and the queries by which utility was measured; null without microdata.
        time_limit: seconds for each attack; null means no limit.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("tool",)
    schema_version: ClassVar[Literal[2]] = 2
    tool_version: Annotated[str, UNWRITTEN]
    sides: Annotated[tuple[ComparedSeries, ...], WrittenAs("series"), Items(1)]
    asked: QueryDesign | None
    time_limit: Annotated[float, Within(0)] | None

    @property
    def of_tables(self) -> bool:
        """Whether the series are count tables."""
        return any(side.of_tables for side in self.sides)

    @property
    def tool(self) -> Tool:
        """The program."""
        return Tool(self.tool_version)


# -- check of a principle ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Offence:
    """One place where the principle is broken.

    Attributes:
        release: the tag of the release that breaks it.
        groups: the names of the groups that show it; empty if none does.
        place: the release and the groups, in words.
        line: the line of the release's file that shows it, counted from 1 with the header, or in Parquet the row; None
            if no row shows it, or if the line would identify a person.
        in_rows: whether `line` is the number of a row.
        what: what is broken.
        individuals: the people who show it; empty unless people are revealed.
        hidden: whether a person shows it who is not named.
    """

    release: str
    groups: tuple[str, ...]
    place: Annotated[str, UNWRITTEN]
    line: Counted | None
    in_rows: Annotated[bool, UNWRITTEN]
    what: str
    individuals: tuple[str, ...]
    hidden: Annotated[bool, UNWRITTEN]


@dataclass(frozen=True)
class CheckReport:
    """Whether a series keeps a principle.

    Attributes:
        series: its name.
        releases: the tags of its releases.
        rows: the number of rows of all releases together.
        principle: the principle's name.
        parameters: its parameters.
        promise: the principle and its parameters, in words.
        undecided: why it cannot be decided whether the principle is kept; None if it is decided.
        broken: the number of offences by clause; empty if the principle is kept or undecided.
        offences: the first offences.
        offences_total: the number of offences.
        revealed: whether people are named.
        schema_version: the version of this form.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("holds",)
    schema_version: ClassVar[Literal[2]] = 2
    series: str
    releases: tuple[str, ...]
    rows: Annotated[int, UNWRITTEN]
    principle: str
    parameters: Mapping[str, int]
    promise: Annotated[str, UNWRITTEN]
    undecided: str | None
    broken: Mapping[str, int]
    offences: tuple[Offence, ...]
    offences_total: int
    revealed: bool

    @property
    def holds(self) -> bool | None:
        """Whether the principle is kept; null if that is undecided."""
        return None if self.undecided is not None else not self.broken

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if the principle is kept, 1 if it is broken, 3 if that is undecided."""
        return 3 if self.holds is None else 0 if self.holds else 1


# -- publication plan -------------------------------------------------------------------------------------------------


SEEDS = 3
"""The number of seeds with which a method is tried that may be recommended."""

FEW_INVENTED = 0.05
"""The share of counterfeits above which few officers sign a release."""


@dataclass(frozen=True)
class PlannedSeries:
    """One method with its parameters, tried on the microdata.

    Attributes:
        method, parameters: the method, and its parameters as written on the command line, such as `--m 4`.
        without: the columns that were left out.
        refused: why nothing could be published; None if something was. Only then the following fields are set.
        form: `generalization` or `anatomy`, which publishes exact quasi-identifiers.
        exit_code: the exit code of an audit with the default policy: 0 if it holds, 1 if it is violated, 3 if it is
            undecided.
        attacks: the results of the attacks, without findings.
        counterfeits, withheld: the number of counterfeits over all releases, and of people withheld at the end.
        counterfeit_share: the share of all published rows that are counterfeits.
        withheld_share: the share of the last snapshot's people who are withheld.
        ncp: the mean share of their domain that cells cover (normalized certainty penalty); None without cells.
        query_error: the median relative error of COUNT queries, averaged over the releases; None if no release has one.
        seconds: the time for publishing.
        violating: the attacks by which the policy is violated.
        undecided: why clauses of the policy are undecided.
        widths: the mean number of values, or the mean length, of a cell of each quasi-identifier.
        certain_if_unchanged: for how many people at least a value is certain if it does not change between releases;
            None unless any value may become any other.
        seeds: the number of seeds that were tried, of which this is the worst result; more than 1 only for what may be
            recommended.
        is_baseline: whether the method forms each release by itself, and promises nothing about several.
        unlinkable: the columns that are published as they are, about which audits of the new series ask.
    """

    method: str
    parameters: str
    without: tuple[str, ...] = ()
    refused: str | None = None
    form: str = ""
    exit_code: int = 3
    attacks: Annotated[tuple[AttackReport, ...], COUNTS] = ()
    counterfeits: int = 0
    withheld: int = 0
    counterfeit_share: float = 0.0
    withheld_share: float = 0.0
    ncp: float | None = None
    query_error: float | None = None
    seconds: float = 0.0
    violating: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    widths: Mapping[str, float] = field(default_factory=dict)
    certain_if_unchanged: Omittable[int] = None
    seeds: int = 1
    is_baseline: bool = False
    unlinkable: tuple[str, ...] = ()

    @property
    def keeps(self) -> bool:
        """Whether the series was published, and keeps the policy."""
        return self.refused is None and self.exit_code == 0

    @property
    def invented(self) -> float:
        """The share of counterfeits if it is more than a few, else 0."""
        return self.counterfeit_share if self.counterfeit_share > FEW_INVENTED else 0.0

    @property
    def lost(self) -> float:
        """What users lose: the sum of the query error and of the shares of range, people and rows."""
        return (self.query_error or 0.0) + (self.ncp or 0.0) + self.withheld_share + self.counterfeit_share


@dataclass(frozen=True)
class PublicationPlan:
    """The results of all methods that were tried.

    Attributes:
        microdata: the microdata's name.
        tried: the methods in the order of the registry, each with each choice of its parameters; then, if none kept the
            policy, methods without some columns.
        frequent: the most frequent value that is not harmless, if more than half of the people have it, and its share.
        changing: the number of people whose values change although the microdata have no transitions.
        transitions: the file of transitions by which each series is judged; None if values never change.
        amounts: the number of different sensitive values at first, if they are numbers that few people share; else 0.
        interrupted: whether the trials were interrupted, so that some are missing.
    """

    microdata: str
    tried: tuple[PlannedSeries, ...]
    frequent: tuple[str, float] | None = None
    changing: int = 0
    transitions: str | None = None
    amounts: int = 0
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """0, as a plan is no verdict; 130 if it was interrupted."""
        return 130 if self.interrupted else 0

    @property
    def recommended(self) -> PlannedSeries | None:
        """The most useful series that keeps the policy; None if there is none.

        It invents few rows, else the fewest, makes the fewest people's values certain if values do not change, and has
        no exact quasi-identifiers, if any such series does. Of these, it loses least.
        """
        return min((each for each in self.tried if each.keeps), key=_preference, default=None)


def _preference(each: PlannedSeries) -> tuple[float, int, bool, bool, float]:
    """Return a sort key that puts first what is to be recommended."""
    exact = each.form == "anatomy"
    return each.invented, each.certain_if_unchanged or 0, exact, each.query_error is None, each.lost


# -- history of reports -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PastReport:
    """The results of an earlier report.

    Attributes:
        file: its name in the folder of reports.
        page: the name of the same report as HTML or Markdown, if there is one in the folder.
        made: its date; None if it has none.
        version: the version of the program that wrote it.
        series: the name of the series.
        releases: the audited releases.
        verdict: `holds`, `violated`, `undecided` or `interrupted`.
        risks: the highest risk of a person by each attack; None if unknown.
        certain: the number of people with a value that some attack finds certain; None if people are not counted.
        findings: the number of findings, including those that a baseline left out.
        ids: the ids of these findings, if they are shown and stable; otherwise None.
    """

    file: str
    page: str | None
    made: datetime.date | None
    version: str
    series: str
    releases: tuple[str, ...]
    verdict: str
    risks: Mapping[str, float | None]
    certain: int | None
    findings: int
    ids: frozenset[str] | None

    @property
    def highest_risk(self) -> float | None:
        """The highest risk by any attack; None if no risk is known."""
        return max((risk for risk in self.risks.values() if risk is not None), default=None)


@dataclass(frozen=True)
class AuditHistory:
    """The reports of a series, from the earliest to the latest."""

    reports: tuple[PastReport, ...]

    def new_findings(self, place: int) -> int | None:
        """Return how many findings of a report are not in the one before; None for the first and without stable ids."""
        earlier, ids = self.reports[place - 1].ids if place else None, self.reports[place].ids
        return None if earlier is None or ids is None else len(ids - earlier)
