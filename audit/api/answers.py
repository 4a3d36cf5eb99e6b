"""Results of audits and of other questions: each holds its report as data, and renders as the command line does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

import numpy as np

from audit.model.command_results import CheckReport, Comparison, Explanation, PublicationPlan
from audit.model.errors import UsageError
from audit.model.json_types import UNWRITTEN, notes_of
from audit.model.release_impact import ReleaseImpact, Repair
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import printable
from reports.formats import frames

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

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
        report: Report | Explanation = self._audit or self.report
        if isinstance(report, Explanation):
            return _frame_of(_EXPLAINED, report.counts)
        if report.tables is not None:
            return _frame_of(_COUNT_FINDING, report.attacks[0].findings)
        return frame(
            _FINDING,
            [
                {**fields_of(finding, _written(type(finding))), "attack": attack.attack, "sensitive": attack.sensitive}
                for attack in report.attacks
                for finding in attack.findings
            ],
        )


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
        return _hidden(self.report)

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
        return _hidden(self.report)


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
        risks: pd.DataFrame = risk_table(self._done).to_pandas()
        return risks

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
        import pandas as pd

        tags = self.report.series.releases
        columns = {}
        for attack in self.report.attacks:
            line = attack.measures.timeline
            if isinstance(line, list):
                name = attack.attack if attack.sensitive is None else f"{attack.attack} ({attack.sensitive})"
                columns[name] = pd.array([*line, *[None] * (len(tags) - len(line))], dtype=COUNT)
        return pd.DataFrame(columns, index=pd.Index(tags, dtype=TEXT, name="release"))

    @property
    def ladder(self) -> pd.DataFrame:
        """What each attack on people's values adds to the attacks before it.

        Columns: attack, sensitive, people, beyond, so_far, seconds.
        """
        return _frame_of(_RUNG, self.report.ladder)

    @property
    def inputs(self) -> pd.DataFrame:
        """The files that were read: path, sha256, rows."""
        return _frame_of(_INPUT, self.report.inputs)

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
        rows = [_measured(attack) for attack in self.report.attacks]
        names = dict.fromkeys(name for row in rows for name in row)
        dtypes = {name: _ATTACK.get(name) or _dtype([row.get(name) for row in rows]) for name in names}
        return frame({**_ATTACK, **dtypes}, rows)


class AttackResult(_Result):
    """The result of one attack."""

    @property
    def measures(self) -> pd.Series:
        """What the attack measured, by name: status, reason, seconds, findings_total, and the measures.

        Names are those of the JSON report; an entry of a nested measure has a name such as `min_e.lower`. If several
        sensitive attributes are audited, the index is the attribute and the name.
        """
        import pandas as pd

        several = len(self.report.attacks) > 1
        found = {
            (attack.sensitive, name) if several else name: value
            for attack in self.report.attacks
            for name, value in _measured(attack).items()
            if name not in ("attack", "sensitive")
        }
        index = pd.MultiIndex.from_tuples(found, names=["sensitive", "measure"]) if several else None
        series = pd.Series(
            list(found.values()), index if several else list(found), object, name=self.report.attacks[0].attack
        )
        return series if several else series.rename_axis("measure")


def kept(report: Report, done: AuditRun) -> tuple[Report, AuditRun | None]:
    """Return what a result keeps of an audit; people's risks only if people are named."""
    return report, done if report.revealed else None


# -- frames: each is made anew, so that callers may change it; its columns and dtypes are the same without rows ------

Row = Mapping[str, object]
TEXT, COUNT, NUMBER, TRUTH, OBJECT = "string", "Int64", "Float64", "boolean", "object"

_DTYPES = {
    **dict.fromkeys(("findings_total", "e", "class_size", "lower", "upper", "line", "rows"), COUNT),
    **dict.fromkeys(("people", "beyond", "so_far"), COUNT),
    **dict.fromkeys(("seconds", "risk"), NUMBER),
    **dict.fromkeys(("left", "right", "description", "cell"), OBJECT),
    "exact": TRUTH,
}


def _columns(*names: str) -> dict[str, str]:
    return {name: _DTYPES.get(name, TEXT) for name in names}


_ATTACK = _columns("attack", "sensitive", "status", "reason", "seconds", "findings_total")
_OF_PERSON = ("individual", "record", "release", "value", "risk", "evidence", "e", "left", "right")
_NEARLY = dict.fromkeys(("lower", "upper", "category"), TEXT)  # numbers as they are published
_FINDING = _columns("id", "attack", "sensitive", "kind", *_OF_PERSON, "class_size", "cause", "description") | _NEARLY
_OF_COUNT = ("release", "since", "measure", "shown", "lower", "upper", "exact")
_EXPLAINED = {**_columns(*_OF_COUNT), "shown": OBJECT}
_COUNT_FINDING = _columns("id", "kind", *_OF_COUNT, "cell")
_HIDDEN = _columns("cell", "shown", "file", "line", "sign")
_RUNG = _columns("attack", "sensitive", "people", "beyond", "so_far", "seconds")
_INPUT = _columns("path", "sha256", "rows")


@cache
def _written(kind: type) -> list[str]:
    """Return the columns that are fields of a kind of finding, without those that no report has."""
    hints = get_type_hints(kind, include_extras=True)
    return [name for name in _FINDING if UNWRITTEN not in notes_of(hints.get(name))]


def _hidden(report: ReleaseImpact | Repair) -> pd.DataFrame:
    """Return the cells of a candidate to hide, one row for each."""
    cells = None if isinstance(report, Repair) else report.cells
    hide = () if cells is None else cells.hide or ()
    return _frame_of(_HIDDEN, hide)


def frame(dtypes: Mapping[str, str], rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as a frame with exactly these columns and dtypes."""
    import pandas as pd

    return pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=d) for name, d in dtypes.items()})


def _frame_of(dtypes: Mapping[str, str], things: Iterable[object]) -> pd.DataFrame:
    """Return a frame with a row for each thing, and its fields with these names as columns."""
    return frame(dtypes, [fields_of(each, dtypes) for each in things])


def fields_of(thing: object, names: Iterable[str]) -> dict[str, object]:
    """Return the fields that an object has, with mutable values copied."""
    return {name: deepcopy(getattr(thing, name)) for name in names if hasattr(thing, name)}


def _measured(attack: AttackReport) -> dict[str, object]:
    """Return an attack's status and measures, without the timeline, which is a frame of its own."""
    figures = {name: value for name, value in attack.figures.items() if name != "timeline"}
    return {**fields_of(attack, _ATTACK), **dict(_flat(figures))}


def _flat(measures: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield measures; a nested measure yields its entries as `measure.entry`."""
    for name, value in measures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", deepcopy(value)


def _dtype(values: Iterable[object]) -> str:
    """Return the narrowest dtype that holds some values."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return COUNT
    if kinds <= {int, float}:
        return NUMBER
    return TEXT if kinds == {str} else OBJECT


COLUMNS = ("attack", "sensitive", "individual", "release", "risk")
"""The columns of the table of risks; `risk` is the probability of the true value."""


def risk_table(run: AuditRun) -> pa.Table:
    """Return the risk of each person in each release by each attack; without a key, the risk of the likeliest value.

    People whose own values contradict the assumptions have no risk. Order: attack, person, release.
    """
    import pyarrow as pa

    parts = list(_parts(run))
    schema = pa.schema([*((name, pa.string()) for name in COLUMNS[:-1]), (COLUMNS[-1], pa.float64())])
    return pa.concat_tables([schema.empty_table(), *(pa.table(dict(part), schema=schema) for part in parts)])


def _parts(run: AuditRun) -> Iterator[Mapping[str, object]]:
    import pyarrow as pa

    people = run.series.people
    for entry in run.results:
        seen, risks = entry.evidence, entry.outcome.risks
        claims = entry.claims
        if risks is None or claims is None or claims.versions is None:
            continue
        person, release, risk = risks.person, risks.release, risks.risk
        everywhere = release < 0
        rows = [(person[~everywhere], release[~everywhere], risk[~everywhere])]
        if everywhere.any():
            of_person = np.full(people.size, np.nan)
            of_person[person[everywhere]] = risk[everywhere]
            for at, pools in enumerate(seen.stream()):
                counted = slice(None) if pools.counted is None else pools.counted
                here = pools.person[counted]
                here = here[~np.isnan(of_person[here])]
                rows.append((here, np.full(len(here), at, dtype=np.int32), of_person[here]))
        whose, when, how = (np.concatenate(column) for column in zip(*rows, strict=True))
        known = ~np.isnan(how)
        order = np.flatnonzero(known)[np.lexsort((when[known], whose[known]))]
        names = [people.name(code) for code in whose[order].tolist()]
        if seen.possible_kinds is not None:
            alike = [seen.possible_kinds.names_of(code, people) for code in whose[order].tolist()]
            order, names = np.repeat(order, [*map(len, alike)]), [name.strip() for each in alike for name in each]
        yield {
            "attack": pa.array([entry.attack.name] * len(order), pa.string()),
            "sensitive": pa.array([seen.sensitive] * len(order), pa.string()),
            "individual": pa.array(names, pa.string()),
            "release": pa.array(np.array(seen.tags, dtype=object)[when[order]], pa.string()),
            "risk": pa.array(how[order]),
        }


def write_risks(table: pa.Table, path: Path) -> None:
    """Write the table as CSV, or as Parquet if the file is named so, readable by its owner only (mode 0600).

    Raises:
        UsageError: the file cannot be written.
    """
    from audit.io.atomic_files import atomic_path

    try:
        with atomic_path(path, mode=0o600) as draft:
            if path.name.endswith(".parquet"):
                import pyarrow.parquet as pq

                pq.write_table(table, draft)
            else:
                import pyarrow.csv as pa_csv

                pa_csv.write_csv(table, draft, pa_csv.WriteOptions(quoting_style="needed"))
    except OSError as error:
        raise UsageError(f"--risks: {error.strerror or 'the file cannot be written'}; name another file") from error
