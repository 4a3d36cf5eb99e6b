"""What questions about count tables return: each holds its report as data, and is written as the command line does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from audit.api.answers import Answer
from audit.findings.count_answers import CandidateReport, CellExplanation, ComparedTables
from audit.model.report import Report

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class CountImpactResult(Answer):
    """What one more release of count tables would give away: `report` is all of it, not to be changed."""

    report: CandidateReport

    @property
    def passed(self) -> bool:
        """Whether the series with the candidate keeps the policy."""
        return self.report.after.policy.passed

    @property
    def exit_code(self) -> int:
        """0, 1 or 3, as on the command line."""
        return self.report.after.exit_code

    @property
    def new(self) -> int:
        """How many findings the candidate would add."""
        return self.report.new_total

    @property
    def findings(self) -> pd.DataFrame:
        """The findings that the candidate would add, as far as they are shown, as of an audit."""
        from audit.pipeline import dataframes

        return dataframes.count_findings(self.report.new)

    @property
    def hidden(self) -> pd.DataFrame:
        """The further cells of the candidate to hide: cell, shown (what it shows now), file, line.

        Without rows where nothing is new, and where no such cells were found: then `report.hide` is None.
        """
        from audit.pipeline import dataframes

        return dataframes.hidden(self.report.hide or ())

    @property
    def _audit(self) -> Report:
        return self.report.after


@dataclass(frozen=True, eq=False, repr=False)
class CountRepairResult(CountImpactResult):
    """A candidate with further cells left empty, or that there is none; `files` are those that were written."""

    files: tuple[Path, ...]

    @property
    def repaired(self) -> bool:
        """Whether nothing new can be derived from what was written."""
        return bool(self.files) and not self.report.undecided

    @property
    def exit_code(self) -> int:
        """That of the series with what was written; 1 when no such cells were found, 3 when that was not settled."""
        return self.report.repair_exit_code


@dataclass(frozen=True, eq=False, repr=False)
class CountExplanationResult(Answer):
    """What can be derived about one cell: `report` is all of it, not to be changed."""

    report: CellExplanation

    @property
    def counts(self) -> pd.DataFrame:
        """What can be derived release by release, and with `cumulative` of each increase.

        Columns: release, since (of an increase), measure, shown (a tuple of what was published), lower, upper (missing
        where there is no upper end), exact.
        """
        from audit.pipeline import dataframes

        return dataframes.explained(self.report)


@dataclass(frozen=True, eq=False, repr=False)
class CountComparisonResult(Answer):
    """Several series of count tables side by side: `report` is all of it, by the series' folders."""

    report: ComparedTables

    @property
    def table(self) -> pd.DataFrame:
        """The figures as text, a row for each and a column for each series."""
        import pandas as pd

        from reports.count_tables.side_by_side import rows

        found = rows(self.report)
        names = [name for name, _ in self.report.series]
        return pd.DataFrame([cells for _, *cells in found], index=[name for name, *_ in found], columns=names)
