"""Answers about a release of count tables before it is published, and about one cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from audit.findings.count import CountFinding
from audit.model.count_certificates import CertifiedBound
from audit.model.count_report import CountMeasures, Rounding, TablesFacts
from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, Items, Omittable, Status, WrittenAs
from audit.model.release_impact import Impact
from audit.model.report import Report
from audit.runtime.phrases import Reason, ReasonKind


@dataclass(frozen=True)
class HiddenCell:
    """A cell of a candidate to hide, or to show.

    Attributes:
        cell: its label by dimension.
        shown: its text now.
        file: its file.
        line: the line in this file.
        sign: the marker or the count to write; empty for none.
    """

    cell: dict[str, str]
    shown: str
    file: str
    line: int
    sign: str


@dataclass(frozen=True)
class CandidateRelease:
    """A release of count tables before it is published.

    Attributes:
        release: its tag.
    """

    release: str


@dataclass(frozen=True)
class CountsBefore:
    """The audit of count tables without the candidate.

    Attributes:
        passed: whether the policy holds.
        measures: the measures.
    """

    passed: bool
    measures: CountMeasures


@dataclass(frozen=True, kw_only=True)
class CandidateReport(Impact):
    """The contents of `audit next` and `audit repair` for count tables: what a release would add.

    Attributes:
        release: its tag.
        new: the first findings that only occur with it.
        found: the number of findings that only occur with it.
        hide: the cells to hide so that no finding is new; each of them is necessary. Empty if no finding is new, None
            if no such set was found.
        show: the hidden cells whose counts follow from earlier releases, so that they are to be shown.
        changes: where no cells to hide were found, the cells whose changes say more of earlier counts.
        least: whether it is proved that no cheaper cells achieve the same.
        rounding: the finest coarser rounding that achieves the same; None if none was found or needed.
        undecided: whether more questions are open with it, or with it repaired, than without it.
        written: the files that were written with these cells hidden; all other fields are about the written
            files.
        stopped: why the search for such cells ended early; None if it was complete.
        any_sign: whether any sign that can stand for any count may stand in the cells to leave empty.
        emptied: the columns that a repair emptied beside hidden counts.
        bare: whether the candidate is a workbook or the like, of which a repair writes a CSV file.
        ends_year: whether it is the last of the parts of a year, which are about other people each.
        unsaid: whether the manifest is still to say that empty cells can be any count, as the reports suppose.
        repairs: whether it is a repair, with or without written files.
        baseline: whether findings of the series without the candidate are ignored by a repair.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("candidate", "before")
    release: Annotated[str, UNWRITTEN]
    after: Annotated[Report, INLINED]
    without: Annotated[Report, UNWRITTEN]
    new: tuple[CountFinding, ...]
    found: Annotated[int, WrittenAs("new_total")]
    hide: tuple[HiddenCell, ...] | None
    rounding: Rounding | None
    undecided: Annotated[bool, UNWRITTEN]
    show: Annotated[tuple[HiddenCell, ...], OMITTED] = ()
    changes: Annotated[tuple[HiddenCell, ...], OMITTED] = ()
    least: bool = False
    written: Annotated[tuple[str, ...], OMITTED] = ()
    stopped: Omittable[Reason] = None
    any_sign: Annotated[bool, UNWRITTEN] = False
    emptied: Annotated[tuple[str, ...], UNWRITTEN] = ()
    bare: Annotated[bool, UNWRITTEN] = False
    ends_year: Annotated[bool, UNWRITTEN] = False
    unsaid: Annotated[bool, UNWRITTEN] = False
    repairs: Annotated[bool, UNWRITTEN] = False
    baseline: Annotated[bool, UNWRITTEN] = False

    @property
    def candidate(self) -> CandidateRelease:
        """The candidate."""
        return CandidateRelease(self.release)

    @property
    def before(self) -> CountsBefore:
        """The audit without the candidate."""
        return CountsBefore(self.without.policy.passed, self.without.count_measures)

    @property
    def new_total(self) -> int:
        """The number of findings that only occur with it."""
        return self.found

    @property
    def adds_nothing(self) -> bool:
        """Whether everything is decided, and what breaks the policy could be derived without the candidate."""
        policy = self.after.policy
        return bool(policy.violations) and not (self.new_total or self.undecided or policy.undecided)

    @property
    def repaired(self) -> bool:
        """Whether nothing new can be derived from what was written."""
        return bool(self.written) and not self.undecided

    @property
    def exit_code(self) -> int:
        """The exit code of the series with the candidate; 130 if the search was interrupted.

        For a repair, that of the series with the written files, or of what they add to it with a `baseline`; 1 if there
        is no repair, 3 if it is undecided.
        """
        code = super().exit_code
        if self.stopped is not None and self.stopped.kind is ReasonKind.INTERRUPTED:
            return 130
        if not self.repairs or code == 130:
            return code
        if self.hide is None:
            return 1 if self.stopped is None else 3
        if self.baseline and code == 1:
            return 3 if self.undecided or self.after.policy.undecided else 0
        return code or (3 if self.undecided else 0)


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
class CellExplanation:
    """The contents of `audit explain` for count tables: what is known about one cell.

    Attributes:
        cell: its label by dimension.
        counts: what is known, release by release.
        tables: the tables of the series.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("series",)
    cell: dict[str, str]
    counts: tuple[ExplainedCount, ...]
    tables: Annotated[TablesFacts, UNWRITTEN]

    @property
    def series(self) -> str:
        """The name of the series."""
        return self.tables.name


@dataclass(frozen=True)
class ComparedCounts:
    """One of several series of count tables.

    Attributes:
        path: its path as given by the user.
        report: its audit.
    """

    WRITTEN: ClassVar[tuple[str, ...]] = ("name", "passed", "status", "measures", "limits")
    path: str
    report: Annotated[Report, UNWRITTEN]

    @property
    def name(self) -> str:
        """Its own name."""
        return self.report.series.name

    @property
    def passed(self) -> bool:
        """Whether the policy holds."""
        return self.report.policy.passed

    @property
    def status(self) -> Status:
        """The status of the attack."""
        return self.report.attacks[0].status

    @property
    def measures(self) -> CountMeasures:
        """The measures."""
        return self.report.count_measures

    @property
    def limits(self) -> Mapping[str, float]:
        """The limits of the policy."""
        return self.report.policy.limits


@dataclass(frozen=True)
class ComparedTables:
    """The contents of `audit compare --format json` for count tables.

    Attributes:
        series: one entry for each series, in the given order.
    """

    series: Annotated[tuple[ComparedCounts, ...], Items(1)]
