"""The report on a series of count tables, as data. Formats render it; nobody computes from here on."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from audit.model.json_types import AttackName, CountVerdict, Omittable, Seconds, Status
from audit.model.report import BaselineFacts, CountSize, Input, PolicyReport

OverTime = Literal["same", "cumulative", "independent"]
"""How the counts of a cell in several releases are related."""


@dataclass(frozen=True)
class SumTerm:
    """A published number times a weight.

    Attributes:
        release: its tag.
        cell: its label by dimension.
        weight: an exact fraction as text.
        shown: what was published; None where a row that was left out counts as 0.
        end: the end of its interval that the sum uses.
        exact: whether that is the only count it can stand for.
        file, line: where it stands; None where a row was left out.
    """

    release: str
    cell: dict[str, str]
    weight: str
    shown: str | None
    end: int
    exact: bool
    file: str | None
    line: int | None


@dataclass(frozen=True)
class AssumedTerm:
    """What a case assumes, times a weight; `case` counts the cases around it, the outermost 0."""

    case: int
    weight: str
    end: int


@dataclass(frozen=True)
class CertificateSum:
    """Numbers whose intervals add up to `value`, which rounding to an integer makes a bound; or that is impossible."""

    terms: tuple[SumTerm | AssumedTerm, ...]
    value: str
    impossible: bool = False


@dataclass(frozen=True)
class CertificateCases:
    """A cell's count is at most `at_most`, or more; each case has its own certificate."""

    cell: dict[str, str]
    release: str
    since: str | None
    at_most: int
    below: CertificateStep
    above: CertificateStep


CertificateStep = CertificateSum | CertificateCases


@dataclass(frozen=True)
class CertifiedBound:
    """What shows that a count is at least, or at most, `rounded`; `bound` is `lower` or `upper`.

    `cell` is which one, where the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    rounded: int
    step: CertificateStep
    cell: dict[str, str] | None = None


@dataclass(frozen=True)
class CountFinding:
    """A count that the tables give away.

    Attributes:
        id: the same in every audit of the same series.
        kind: `recovered`, `narrowed`, `small` or `all`.
        release: where the cell was published, or is derived.
        since: the release before, where the finding is about an increase.
        measure: the statistic, where there are several.
        cell: its label by dimension.
        shown: what was published in the cell; None where it was not.
        lower, upper: its count lies between them.
        exact: whether both are attained.
        certificate: what shows the bounds.
        rests_on: keys of the manifest that are guesses, without which it is not found.
        dimension: of which everybody is of the kind that `cell` names, where the finding is that.
    """

    id: str
    kind: CountVerdict
    release: str
    since: str | None
    measure: str | None
    cell: dict[str, str]
    shown: str | None
    lower: int
    upper: int
    exact: bool
    certificate: tuple[CertifiedBound, ...]
    rests_on: tuple[str, ...] = ()
    dimension: str | None = None

    @property
    def terms(self) -> Iterator[SumTerm]:
        """The published numbers of its sums."""
        return (term for bound in self.certificate for term in _terms(bound.step))

    @property
    def size(self) -> CountSize:
        """How much is known."""
        return CountSize(self.kind, self.lower, self.upper)


def _terms(step: CertificateStep) -> Iterator[SumTerm]:
    if isinstance(step, CertificateCases):
        yield from _terms(step.below)
        yield from _terms(step.above)
    else:
        yield from (term for term in step.terms if isinstance(term, SumTerm))


@dataclass(frozen=True)
class PictureCell:
    """A cell of a picture: what was published, what can be told of it, and whether the sum uses it."""

    shown: str
    told: str | None
    in_sum: bool


@dataclass(frozen=True)
class CountPicture:
    """A part of a published table, around a finding.

    Attributes:
        finding: its id.
        release: its tag.
        fixed: the labels of all other dimensions.
        rows, columns: names of the dimensions along them; `columns` is None where there is only one.
        row_labels, column_labels: their labels.
        cells: one list for each row; None where nothing was published.
    """

    finding: str
    release: str
    fixed: dict[str, str]
    rows: str
    columns: str | None
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[tuple[PictureCell | None, ...], ...]


@dataclass(frozen=True)
class CountMeasures:
    """What was counted.

    Attributes:
        cells: published cells.
        protected: cells whose count is hidden or rounded.
        questions: cells and increases that were asked about.
        recovered: counts that are known exactly.
        small: counts that are known to be small.
        narrowed: counts that are known within fewer numbers than the policy asks for.
        smallest_width: the fewest numbers that a hidden count lies within; null where none is bounded.
        open: questions that were not settled.
        all: cells of which everybody is of one kind; absent where no dimension is sensitive.
    """

    cells: int
    protected: int
    questions: int
    recovered: int
    small: int
    narrowed: int
    smallest_width: int | None
    open: int
    all: Omittable[int] = None


@dataclass(frozen=True)
class CountAttackReport:
    """What one attack found out.

    Attributes:
        attack: its name.
        status: whether it came to its end.
        reason: why the attack is incomplete; null when it is complete.
        seconds: how long it took.
        measures: what it counted.
        findings: the most severe findings.
        findings_total: how many there are.
        certificates_checked: how many certificates were checked.
    """

    attack: AttackName
    status: Status
    reason: str | None
    seconds: Seconds
    measures: CountMeasures
    findings: tuple[CountFinding, ...]
    findings_total: int
    certificates_checked: int


@dataclass(frozen=True)
class CountRules:
    """What published texts were taken to stand for; what is found holds if the publisher kept to it.

    Attributes:
        markers: the least and the greatest count of each, None for none.
        threshold: counts from 1 to one less are always hidden, if any.
        rounding: to what, and how.
        perturbation: by how much numbers may be off.
        rates: of each the column, per how many, with how many decimals, and the denominator.
        absent_is_zero: whether a row that is left out is a 0.
        open: dimensions whose labels need not cover everybody.
    """

    markers: dict[str, tuple[int, int | None]]
    threshold: int | None
    rounding: tuple[int, str] | None
    perturbation: int
    rates: tuple[tuple[str, int, int, str], ...]
    absent_is_zero: bool
    open: tuple[str, ...]


@dataclass(frozen=True)
class CountSeriesFacts:
    """What was audited.

    `totals` have the label that stands for everybody, by dimension, `notes` how many notes are below a table, by file.
    """

    name: str
    releases: tuple[str, ...]
    tables: int
    rows: int
    dimensions: tuple[str, ...]
    totals: dict[str, str]
    measures: tuple[str, ...]
    over_time: OverTime
    rules: CountRules
    notes: dict[str, int]


@dataclass(frozen=True)
class CountReport:
    """An audit of count tables, ready to be rendered.

    `time_limit` is in seconds, `made` the day of the audit. `failed` is how many findings are not settled because their
    certificates do not hold. `interrupted` says that the user stopped the audit. `left_out` is how many findings are
    waived, or in the baseline.
    """

    tool_version: str
    made: datetime.date
    inputs: tuple[Input, ...]
    series: CountSeriesFacts
    attack: CountAttackReport
    policy: PolicyReport
    time_limit: float | None
    pictures: tuple[CountPicture, ...] = ()
    failed: int = 0
    interrupted: bool = False
    left_out: int = 0
    baseline: BaselineFacts | None = None
    schema_version: int = field(default=1)

    @property
    def exit_code(self) -> int:
        """130 when the audit was interrupted, 4 when only a bug keeps it from a verdict, else what the policy says."""
        if self.interrupted:
            return 130
        return 4 if self.failed and not self.policy.violations else self.policy.exit_code


@dataclass(frozen=True)
class HiddenCell:
    """A cell of a candidate to leave empty, what it shows now, and where it stands."""

    cell: dict[str, str]
    shown: str
    file: str
    line: int


@dataclass(frozen=True)
class CandidateReport:
    """What a release that is not yet out would add.

    Attributes:
        release: its tag.
        before, after: the reports without and with it.
        new: the first of `new_total` findings that are only there with it.
        hide: cells of it that have to be hidden so that nothing is new; with any one shown again something would be.
            Empty where nothing is new, None where no such set was found.
        least: whether no cheaper cells do the same; else one that does may exist.
        rounding: the least coarser rounding that does the same: to what, and how; None where none was found or needed.
        undecided: whether more is left open with it, or with it repaired, than without.
        written: where it was written with these cells empty; all else is about what was written then.
    """

    release: str
    before: CountReport
    after: CountReport
    new: tuple[CountFinding, ...]
    new_total: int
    hide: tuple[HiddenCell, ...] | None
    rounding: tuple[int, str] | None
    undecided: bool
    least: bool = False
    written: tuple[str, ...] = ()

    @property
    def repair_exit_code(self) -> int:
        """That of the series with what was written, 1 where there is no repair, 3 where it is not settled."""
        if self.hide is None:
            return 1
        return self.after.exit_code or (3 if self.undecided else 0)


@dataclass(frozen=True)
class ExplainedCount:
    """What can be told of one cell in one release, or of its increase since the one before."""

    release: str
    since: str | None
    measure: str | None
    shown: tuple[str, ...]
    lower: int
    upper: int | None
    exact: bool
    certificate: tuple[CertifiedBound, ...]


@dataclass(frozen=True)
class CellExplanation:
    """What can be told of one cell, release by release; `report` is about the series."""

    cell: dict[str, str]
    counts: tuple[ExplainedCount, ...]
    report: CountReport
