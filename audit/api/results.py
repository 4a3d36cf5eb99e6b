"""What an audit from Python returns: the report, its frames and its short form for notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.api.answers import Answer
from audit.model.errors import UsageError
from audit.model.report import Report

if TYPE_CHECKING:
    import pandas as pd

    from audit.pipeline.attack_run import AuditRun


@dataclass(frozen=True, eq=False, repr=False)
class _Result(Answer):
    """What an audit found out.

    Frames are made when they are asked for, so that changing one changes neither the result nor the next frame.

    Attributes:
        report: all of it as data, not to be changed.
    """

    report: Report
    _done: AuditRun | None = None

    @property
    def _audit(self) -> Report:
        return self.report

    @property
    def risks(self) -> pd.DataFrame:
        """The risks of all people, one row for each person and release and each attack that has them.

        Columns: attack, sensitive, individual, release, risk. It names people.

        Raises:
            UsageError: the result was made without `reveal=True`.
        """
        from audit.pipeline.dataframes import risk_table

        if self._done is None:
            raise UsageError("risks are listed by name; ask for reveal=True")
        frame: pd.DataFrame = risk_table(self._done).to_pandas()
        return frame

    @property
    def passed(self) -> bool:
        """Whether the policy holds, as far as was asked."""
        return self.report.policy.passed

    @property
    def exit_code(self) -> int:
        """0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
        return self.report.exit_code

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from reports.verdict import headline

        return headline(self.report)[0]

    @property
    def findings(self) -> pd.DataFrame:
        """The findings that are shown, one row for each.

        Columns: id, attack, sensitive, kind, individual, record, release, value, risk, evidence, e, left, right,
        class_size, cause, description. `left` and `right` are dicts of how often each person is counted; `description`
        is a dict of cells, and None unless revealed.

        Of count tables: id, kind (`recovered`, `narrowed`, `small` or `all`), release, since (of an increase), measure
        (where there are several statistics), cell (a dict of labels by dimension), shown (what was published), lower,
        upper (missing where there is no upper end), exact.
        """
        from audit.pipeline import dataframes

        return dataframes.findings(self.report)

    @property
    def timeline(self) -> pd.DataFrame:
        """What each attack counts after each release: the index is the releases, each attack has a column."""
        from audit.pipeline import dataframes

        return dataframes.timeline(self.report)

    @property
    def ladder(self) -> pd.DataFrame:
        """What each attack on people's values adds to those before it.

        Columns: attack, sensitive, people, beyond, so_far, seconds.
        """
        from audit.pipeline import dataframes

        return dataframes.ladder(self.report)

    @property
    def inputs(self) -> pd.DataFrame:
        """The files that were read: path, sha256, rows."""
        from audit.pipeline import dataframes

        return dataframes.inputs(self.report.inputs)

    def __str__(self) -> str:
        from reports.verdict import in_short

        return in_short(self.report)


class AuditResult(_Result):
    """What all attacks that apply found out."""

    @property
    def measures(self) -> pd.DataFrame:
        """What each attack measured, one row for each attack and sensitive attribute.

        Columns: attack, sensitive, status, reason, seconds, findings_total, and the measures by their names in the JSON
        report; an entry of a table is a column such as `min_e.lower`.
        """
        from audit.pipeline import dataframes

        return dataframes.measures(self.report)


class AttackResult(_Result):
    """What one attack found out."""

    @property
    def measures(self) -> pd.Series:
        """What the attack measured, by name: status, reason, seconds, findings_total, and the measures.

        Names are those of the JSON report; an entry of a table is named as `min_e.lower`. Where several sensitive
        attributes are audited, the index is the attribute and the name.
        """
        from audit.pipeline import dataframes

        return dataframes.measured(self.report)


def kept(report: Report, done: AuditRun) -> tuple[Report, AuditRun | None]:
    """Return what a result keeps of an audit: people's risks only where people are named."""
    return report, done if report.revealed else None
