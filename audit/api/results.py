"""Results of an audit: the report, its data frames, and its summary for notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.api.answers import WithFindings
from audit.model.errors import UsageError
from audit.model.report import Report
from audit.pipeline import dataframes

if TYPE_CHECKING:
    import pandas as pd

    from audit.pipeline.attack_run import AuditRun


@dataclass(frozen=True, eq=False, repr=False)
class _Result(WithFindings):
    """The result of an audit.

    Each access makes a new frame, so a change to one affects neither the result nor other frames.

    Attributes:
        report: all of it as data; do not change it.
    """

    report: Report
    _done: AuditRun | None = None

    @property
    def _audit(self) -> Report:
        return self.report

    @property
    def risks(self) -> pd.DataFrame:
        """The risks of all people, one row for each person, release and attack that computes risks.

        Columns: attack, sensitive, individual, release, risk. It names people.

        Raises:
            UsageError: the result was made without `reveal=True`.
        """
        if self._done is None:
            raise UsageError("risks are listed with people's names; pass reveal=True")
        frame: pd.DataFrame = dataframes.risk_table(self._done).to_pandas()
        return frame

    @property
    def passed(self) -> bool:
        """Whether the policy holds against the attacks that were run."""
        return self.report.policy.passed

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from reports.verdict import headline

        return headline(self.report)[0]

    @property
    def timeline(self) -> pd.DataFrame:
        """What each attack counts after each release: the index has the releases, each attack is a column."""
        return dataframes.timeline(self.report)

    @property
    def ladder(self) -> pd.DataFrame:
        """What each attack on people's values adds to the attacks before it.

        Columns: attack, sensitive, people, beyond, so_far, seconds.
        """
        return dataframes.ladder(self.report)

    @property
    def inputs(self) -> pd.DataFrame:
        """The files that were read: path, sha256, rows."""
        return dataframes.inputs(self.report.inputs)

    def __str__(self) -> str:
        from reports.verdict import in_short

        return in_short(self.report)


class AuditResult(_Result):
    """The result of all attacks that apply."""

    @property
    def measures(self) -> pd.DataFrame:
        """What each attack measured, one row for each attack and sensitive attribute.

        Columns: attack, sensitive, status, reason, seconds, findings_total, and the measures by their names in the JSON
        report; entries of a nested measure are columns such as `min_e.lower`.
        """
        return dataframes.measures(self.report)


class AttackResult(_Result):
    """The result of one attack."""

    @property
    def measures(self) -> pd.Series:
        """What the attack measured, by name: status, reason, seconds, findings_total, and the measures.

        Names are those of the JSON report; an entry of a nested measure has a name such as `min_e.lower`. If several
        sensitive attributes are audited, the index is the attribute and the name.
        """
        return dataframes.measured(self.report)


def kept(report: Report, done: AuditRun) -> tuple[Report, AuditRun | None]:
    """Return what a result keeps of an audit; people's risks only if people are named."""
    return report, done if report.revealed else None
