"""Results of audits and of other questions: each holds its report as data, and renders as the command line does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from audit.model.command_results import CheckReport, Comparison, Explanation, PublicationPlan
from audit.model.errors import UsageError
from audit.model.release_impact import ReleaseImpact, Repair
from audit.model.report import Report
from audit.pipeline import dataframes
from audit.runtime.phrases import printable
from reports.formats import frames

if TYPE_CHECKING:
    import pandas as pd

    from audit.pipeline.attack_run import AuditRun


R = TypeVar("R", Repair, ReleaseImpact)
_WRITTEN_BY = {
    ReleaseImpact: "impact",
    Repair: "repair",
    CheckReport: "check",
    Explanation: "explanation",
    Comparison: "comparison",
    PublicationPlan: "publication_plan",
}
"""The module of `reports` that writes each report other than an audit."""


def _module(report: object) -> ModuleType:
    """Return the module of `reports` that writes a report."""
    return import_module(f"reports.{_WRITTEN_BY[type(report)]}")


class Answer:
    """An answer, written as text, as JSON, and in the other formats that it has."""

    report: Any

    @property
    def _formats(self) -> Mapping[str, Callable[[Any], str]]:
        """The formats that write the report, by name; empty if it is written as an audit's."""
        if type(self.report) not in _WRITTEN_BY:
            return {}
        module = vars(_module(self.report))
        further = {"csv": module["as_csv"]} if "as_csv" in module else {}
        return {**frames(module["page"], module.get("document", lambda report: report)), **further}

    @property
    def _audit(self) -> Report | None:
        """The audit for the formats of programs; None if the answer has only formats for people."""
        return None

    @property
    def exit_code(self) -> int:
        """The exit code of the command; 0 if it gives no verdict."""
        return int(getattr(self.report, "exit_code", 0))

    def render(self, form: str, *, document: str | None = None) -> str:
        """Return the answer in a format, as the command line prints it with `--format NAME`.

        With `document`, return this document about an audit, as `--document NAME` does: documents that people complete
        are Markdown, or HTML if `form` is `html`.

        Raises:
            UsageError: there is no such format or document.
        """
        from reports import html as html_page
        from reports.documents.sections import Document
        from reports.registry import DOCUMENTS, FORMATS

        if document is not None and self._audit is not None:
            shown = DOCUMENTS.load(document)()
            if form == "html" and isinstance(shown, Document):
                return html_page.drawn(shown.page(self._audit))
            return shown.render(self._audit)
        if form in self._formats:
            return self._formats[form](self.report)
        if self._audit is not None:
            return FORMATS.load(form)().render(self._audit)
        known = ", ".join(self._formats)
        raise UsageError(f"there is no format {printable(str(form))} of this answer; choose from {known}")

    def __str__(self) -> str:
        """Return what the command line prints."""
        return self.render("text")

    def to_json(self) -> str:
        """Return what the command line prints with `--format json`."""
        return self.render("json")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class WithFindings(Answer):
    """An answer that is an audit or contains one."""

    @property
    def findings(self) -> pd.DataFrame:
        """The findings that are shown, one row each; for a candidate, those that it would add.

        Columns: id, attack, sensitive, kind, individual, record, release, value, risk, evidence, e, left, right,
        class_size, cause, description, lower, upper, category. `left` and `right` are dicts of how often each person is
        counted; `description` is a dict of cells, and None unless revealed; `lower` and `upper` are the ends of close
        numbers as they are published, `category` that of similar values.

        For count tables: id, kind (`recovered`, `narrowed`, `small` or `all`), release, since (of an increase), measure
        (where there are several statistics), cell (a dict of labels by dimension), shown (what was published), lower,
        upper (missing where there is no upper end), exact. What is known of one cell has a row for each release, and
        with `cumulative` for each increase, without id, kind and cell; `shown` is a tuple of what was published.
        """
        return dataframes.findings(self._audit or self.report)


@dataclass(frozen=True, eq=False, repr=False)
class ImpactResult(WithFindings):
    """What one more release would change or disclose: `report` has all of it; do not change it."""

    report: ReleaseImpact

    @property
    def passed(self) -> bool:
        """Whether the series with the candidate keeps the policy."""
        return self.report.after.policy.passed

    @property
    def new(self) -> int:
        """How many findings the candidate would add."""
        return self.report.new_total

    @property
    def hidden(self) -> pd.DataFrame:
        """The further cells of count tables to hide: cell, shown (what it shows now), file, line, sign (to write).

        It has no rows if nothing is new, or if no such cells were found; then `report.cells.hide` is None.
        """
        return dataframes.hidden(self.report)

    @property
    def _audit(self) -> Report:
        news: Report = _module(self.report).with_news(self.report)
        return news


@dataclass(frozen=True, eq=False, repr=False)
class RepairResult(Answer, Generic[R]):
    """A repaired candidate, or why there is none: `report` has all of it; do not change it."""

    report: R

    @property
    def repaired(self) -> bool:
        """Whether there is a repair: of count tables, nothing new can be derived from what was written."""
        return self.report.repaired

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that were written."""
        return tuple(map(Path, self.report.files))

    @property
    def hidden(self) -> pd.DataFrame:
        """The cells of count tables that were hidden, as `ImpactResult.hidden`."""
        return dataframes.hidden(self.report)


@dataclass(frozen=True, eq=False, repr=False)
class CheckResult(Answer):
    """Whether a series keeps a principle: `report` has all of it; do not change it."""

    report: CheckReport

    @property
    def holds(self) -> bool | None:
        """Whether the series keeps the principle; None if this is undecided."""
        return self.report.holds

    @property
    def offences(self) -> pd.DataFrame:
        """The first offences: release, groups, line, what, individuals (empty unless revealed)."""
        import pandas as pd

        columns = ["release", "groups", "line", "what", "individuals"]
        rows = [[getattr(offence, name) for name in columns] for offence in self.report.offences]
        return pd.DataFrame(rows, columns=columns).astype({"line": "Int64"})


@dataclass(frozen=True, eq=False, repr=False)
class ExplanationResult(WithFindings):
    """What can be learnt about one person, who is named, or one cell: `report` has all of it; do not change it."""

    report: Explanation
    _audit: Report | None = None

    @property
    def exit_code(self) -> int:
        """4 if an attack of another package failed, else 0."""
        return 4 if self._audit is not None and self._audit.failed else 0


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonResult(Answer):
    """Several series side by side: `report` has all of it; do not change it."""

    report: Comparison

    @property
    def table(self) -> pd.DataFrame:
        """The figures as text, a row for each and a column for each series."""
        import pandas as pd

        head, rows = _module(self.report).table(self.report)
        return pd.DataFrame(rows, columns=head).set_index(head[0]).T


@dataclass(frozen=True, eq=False, repr=False)
class PlanResult(Answer):
    """What each method would make of some microdata: `report` has all of it; do not change it."""

    report: PublicationPlan


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
