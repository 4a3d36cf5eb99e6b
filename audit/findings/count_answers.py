"""What is said of a release of count tables that is not yet out, and of one cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from audit.findings.count import CountFinding, CountReport
from audit.model.count_certificates import CertifiedBound
from audit.model.count_report import Rounding, TablesFacts
from audit.model.json_types import UNWRITTEN, Omittable, WrittenAs
from audit.runtime.reasons import Reason, ReasonKind


@dataclass(frozen=True)
class HiddenCell:
    """A cell of a candidate to leave empty, with what it shows now, its file and its line."""

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
        rounding: the least coarser rounding that does the same; None where none was found or needed.
        undecided: whether more is left open with it, or with it repaired, than without.
        written: where it was written with these cells empty; all else is about what was written then.
        stopped: why the search for such cells ended before all was tried; None where it did not.
    """

    release: str
    before: CountReport
    after: CountReport
    new: tuple[CountFinding, ...]
    new_total: int
    hide: tuple[HiddenCell, ...] | None
    rounding: Rounding | None
    undecided: bool
    least: bool = False
    written: tuple[str, ...] = ()
    stopped: Reason | None = None

    @property
    def repair_exit_code(self) -> int:
        """The exit code of the series with what was written; 1 if there is no repair, 3 if this is not decided."""
        if self.stopped is not None and self.stopped.kind == ReasonKind.INTERRUPTED:
            return 130
        if self.hide is None:
            return 1 if self.stopped is None else 3
        return self.after.exit_code or (3 if self.undecided else 0)


@dataclass(frozen=True)
class ExplainedCount:
    """What is known of one cell in one release, or of its increase since the one before."""

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
    """What is known of one cell, release by release; `tables` are those of the series."""

    WRITTEN: ClassVar[tuple[str, ...]] = ("series",)
    cell: dict[str, str]
    counts: tuple[ExplainedCount, ...]
    tables: Annotated[TablesFacts, UNWRITTEN]

    @property
    def series(self) -> str:
        """Its name."""
        return self.tables.name


@dataclass(frozen=True)
class ComparedTables:
    """The reports of several series of count tables, each with where the series is."""

    series: tuple[tuple[str, CountReport], ...]
