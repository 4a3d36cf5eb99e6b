"""Answers: what is reported about other questions than an audit, as data that formats render.

Comparisons of several series, checks of principles, publication plans, and explanations of one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Literal

from audit.model.adversary import AdversaryKind
from audit.model.finding import Finding
from audit.model.json_types import UNWRITTEN, AttackName, Counted, Items, Less, Sensitive, Status, Within, WrittenAs
from audit.model.report import AdversaryFacts, AttackReport, Tool


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
        alone: the candidates that the person's other releases leave possible, too.
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
    alone: tuple[str, ...]
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
class Explanation:
    """What can be learnt about one person; it always names people.

    Attributes:
        series: the series' name.
        individual: the person.
        adversary: the assumed adversary.
        explained: one entry for each sensitive attribute.
        also: other identifiers of the person, each judged with other releases; only if people may be in the data.
    """

    series: str
    individual: str
    adversary: AdversaryFacts
    explained: Annotated[tuple[Explained, ...], WrittenAs("attributes")] = field(default=())
    also: tuple[str, ...] = ()


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
    schema_version: ClassVar[Literal[1]] = 1
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


COMPARED = Less("compared_attack_counts", ("findings",), ("sensitive",))
"""An attack on one of several series."""


@dataclass(frozen=True)
class ComparedSeries:
    """A series.

    Attributes:
        path: its path as given by the user.
        name: its own name.
        individuals: the number of people; null if unknown.
        adversary: the assumed adversary; null without an audit.
        attacks: the results of the attacks, without findings.
        not_audited: why no attack could be run; null if attacks were run.
        releases: the measures of each release.
        method: the method and its parameters, if this program published the series; otherwise null.
        exact: whether its releases are Anatomy pairs, whose cells are exact.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("release_count", "rows", "counterfeits", "form", "means")
    path: str
    name: str
    individuals: int | None
    adversary: AdversaryKind | None
    attacks: Annotated[tuple[AttackReport, ...], COMPARED]
    not_audited: str | None
    releases: Annotated[tuple[ReleaseMeasures, ...], WrittenAs("by_release")]
    method: str | None = None
    exact: Annotated[bool, UNWRITTEN] = False

    @property
    def release_count(self) -> Annotated[int, WrittenAs("releases")]:
        """The number of releases."""
        return len(self.releases)

    @property
    def rows(self) -> int:
        """The number of rows of all releases."""
        return sum(release.rows for release in self.releases)

    @property
    def counterfeits(self) -> CounterfeitCounts:
        """The number of counterfeits."""
        counts = [release.counterfeits for release in self.releases]
        return CounterfeitCounts(max(counts, default=0), sum(counts))

    @property
    def form(self) -> Literal["generalization", "anatomy"]:
        """The form of its releases."""
        return "anatomy" if self.exact else "generalization"

    @property
    def means(self) -> MeanMeasures:
        """Means over the releases."""
        return MeanMeasures(**{each.name: self.mean(each.name) for each in fields(MeanMeasures)})

    def mean(self, measure: str) -> float | None:
        """Return the mean of a measure over the releases that have it, or None if none has."""
        found = [getattr(release, measure) for release in self.releases]
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
    schema_version: ClassVar[Literal[1]] = 1
    tool_version: Annotated[str, UNWRITTEN]
    sides: Annotated[tuple[ComparedSeries, ...], WrittenAs("series"), Items(1)]
    asked: QueryDesign | None
    time_limit: Annotated[float, Within(0)] | None

    @property
    def tool(self) -> Tool:
        """The program."""
        return Tool(self.tool_version)


@dataclass(frozen=True)
class PlannedSeries:
    """One method with its parameters, tried on the microdata.

    Attributes:
        method, parameters: the method, and its parameters as written on the command line, such as `--m 4`.
        without: the quasi-identifiers that were left out.
        refused: why nothing could be published; None if something was. Only then the following fields are set.
        form: `generalization` or `anatomy`, which publishes exact quasi-identifiers.
        exit_code: the exit code of an audit with the default policy: 0 if it holds, 1 if it is violated, 3 if it is
            undecided.
        attacks: the results of the attacks, without findings.
        counterfeits, withheld: the number of counterfeits over all releases, and of people withheld at the end.
        withheld_share: the share of the last snapshot's people who are withheld.
        ncp: the mean share of their domain that cells cover (normalized certainty penalty); None without cells.
        query_error: the median relative error of COUNT queries, averaged over the releases; None if no release has one.
        seconds: the time for publishing.
        violating: the attacks by which the policy is violated.
        widths: the mean number of values, or the mean length, of a cell of each quasi-identifier.
    """

    method: str
    parameters: str
    without: tuple[str, ...] = ()
    refused: str | None = None
    form: str = ""
    exit_code: int = 3
    attacks: Annotated[tuple[AttackReport, ...], COMPARED] = ()
    counterfeits: int = 0
    withheld: int = 0
    withheld_share: float = 0.0
    ncp: float | None = None
    query_error: float | None = None
    seconds: float = 0.0
    violating: tuple[str, ...] = ()
    widths: Mapping[str, float] = field(default_factory=dict)

    @property
    def keeps(self) -> bool:
        """Whether the series was published, and keeps the policy."""
        return self.refused is None and self.exit_code == 0


@dataclass(frozen=True)
class PublicationPlan:
    """The results of all methods that were tried.

    Attributes:
        microdata: the microdata's name.
        tried: the methods in the order of the registry, each with each choice of its parameters; then, if none kept the
            policy, methods without some quasi-identifiers.
        frequent: the most frequent value that is not harmless, if more than half of the people have it, and its share.
        changing: the number of people whose values change although the microdata have no transitions.
    """

    microdata: str
    tried: tuple[PlannedSeries, ...]
    frequent: tuple[str, float] | None = None
    changing: int = 0

    @property
    def recommended(self) -> PlannedSeries | None:
        """The most useful series that keeps the policy; None if there is none.

        It is the one with the least sum of query error and share of withheld people, then with the fewest counterfeits.
        """
        keeping = [each for each in self.tried if each.keeps]
        lost = {id(each): (each.query_error or 0.0) + each.withheld_share for each in keeping}
        return min(keeping, key=lambda e: (e.query_error is None, lost[id(e)], e.counterfeits), default=None)
