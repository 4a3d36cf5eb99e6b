"""A release of count tables that is not yet out: what it would add, what to hide of it, or how to round it.

Hidden means left empty: the smallest change of a file, whatever markers the publisher has. Which cells: the cheapest
that hit every sum by which something is found. A sum shows a count as long as none of its numbers is hidden. So each
finding asks for one of the cells that its sums use; the cheapest set that has one for each finding is tried, and what
is found then asks for further cells. The first set with which nothing is found is the least (implicit hitting sets:
Moreno-Centeno and Karp, Operations Research 61(2), 2013). Where that takes too many audits, cells are added until
nothing is found, and of the dearest of them those that are not needed are shown again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.count_tables.doubts import check_columns_are_there
from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import TableFile, TableManifest, TableRelease
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import number_of, rounded_interval, widened, with_threshold
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import report_on
from audit.findings.count import CountFinding, CountReport
from audit.findings.count_answers import CandidateReport, HiddenCell
from audit.io.diagnostics import records
from audit.io.dialect import read_dialect
from audit.io.toml import release_tag
from audit.judgement.baseline import is_known
from audit.model.audit_options import AuditOptions
from audit.model.count_report import Rounding
from audit.model.errors import UsageError, printable, printable_path
from audit.model.json_types import UNBOUNDED
from audit.model.report import CountSize
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

Rows = frozenset[int]
_TRIES, _SHOWN_AGAIN, _EFFORT = 12, 60, 2.0


@dataclass(frozen=True)
class Hiding:
    """Rows to hide, and whether no cheaper ones do; `refused` is a finding that no hiding of rows takes away.

    `undecided` says that more is left open with them than without.
    """

    rows: Rows
    least: bool
    refused: CountFinding | None = None


class HidingSearch:
    """Tries what to hide.

    Args:
        counts: what was published, with nothing hidden yet.
        rows: those that may be hidden.
        found: returns what is found that should not be, with some rows hidden.
    """

    def __init__(
        self, counts: PublishedCounts, rows: Iterable[int], found: Callable[[Rows], Sequence[CountFinding]]
    ) -> None:
        self.found, self._exact = found, True
        self.cost = costs(counts, rows)
        self._at: dict[tuple[str, int], list[int]] = {}
        self._of: dict[tuple[str, str | None, tuple[str, ...]], list[int]] = {}
        for row in self.cost:
            self._at.setdefault(counts.place(row), []).append(row)
            tag, measure = counts.manifest.tags[int(counts.release[row])], counts.measures[int(counts.measure[row])]
            if counts.number[row]:
                self._of.setdefault((tag, measure, tuple(counts.cell(row).values())), []).append(row)

    def search(self, found: Sequence[CountFinding]) -> Hiding:
        """Return what to hide so that nothing is found; `found` is what is without."""
        needs: dict[Rows, None] = {}
        rows, tries = Rows(), 0
        while found:
            fresh = {self._used(finding) - rows: finding for finding in found}  # what is hidden says nothing
            if Rows() in fresh:
                return Hiding(rows, least=False, refused=fresh[Rows()])
            needs |= dict.fromkeys(fresh)
            rows = self._cheapest(list(needs)) if tries < _TRIES else rows | self._cheapest(list(fresh))
            found, tries = self.found(rows), tries + 1
        if tries <= _TRIES:
            return Hiding(rows, least=self._exact)
        for row in sorted(rows, key=lambda one: -self.cost[one])[:_SHOWN_AGAIN]:
            if not self.found(rows - {row}):
                rows -= {row}
        return Hiding(rows, least=False)

    def _used(self, finding: CountFinding) -> Rows:
        """Return the rows that a finding rests on, its sums or its number: unless one is hidden, it is found."""
        places = {(each.file, each.line) for each in finding.terms if each.file is not None and each.line is not None}
        rows = {row for place in places for row in self._at.get(place, ())}
        own = self._of.get((finding.release, finding.measure, tuple(finding.cell.values())), ())
        return frozenset({*rows, *(own if finding.shown is not None else ())})

    def _cheapest(self, needs: Sequence[Rows]) -> Rows:
        """Return the cheapest rows of which each set has one."""
        from ortools.sat.python import cp_model

        model = cp_model.CpModel()
        hidden = {row: model.new_bool_var(str(row)) for row in sorted(frozenset().union(*needs))}
        for some in needs:
            model.add_bool_or([hidden[row] for row in sorted(some)])
        model.minimize(cp_model.LinearExpr.weighted_sum(list(hidden.values()), [self.cost[row] for row in hidden]))
        answer, solver = solved(model, _EFFORT, Budget(None), random_seed=0)
        self._exact &= answer == "best"
        return frozenset(row for row, variable in hidden.items() if solver.boolean_value(variable))


def costs(counts: PublishedCounts, rows: Iterable[int]) -> dict[int, int]:
    """Return what it costs to hide each row that may be hidden.

    A grand total costs more than all else, any other margin more than all inner cells; then the counts that are hidden
    add up; of equal sets that of fewer cells is cheaper. The manifest may keep a cell, or give it a cost of its own.
    """
    total = np.array([each.total for each in counts.dimensions])
    own = {row: counts.manifest.cost_of(counts.cell(row), int(counts.lower[row])) for row in rows}
    shown = {row: cost for row, cost in own.items() if cost is not None}
    many = len(shown) + 1
    margin = many * (sum(shown.values()) + 1)
    totals = {row: int((counts.label[row] == total).sum()) for row in shown if shown[row] == counts.lower[row]}
    return {
        row: many * cost + 1 + (margin * (many if totals[row] == len(total) else 1) if totals.get(row) else 0)
        for row, cost in shown.items()
    }


def without_rows(counts: PublishedCounts, rows: Rows, *, marked: bool = False) -> PublishedCounts:
    """Return the published counts with the values of some rows left empty, or `marked` by what can be any count.

    What was a marker must still hide its count.
    """
    if not rows:
        return counts
    chosen = np.array(sorted(rows))
    lower, upper, hidden, number = counts.lower.copy(), counts.upper.copy(), counts.hidden.copy(), counts.number.copy()
    lower[chosen], upper[chosen], number[chosen] = 0, UNBOUNDED, False
    hidden[chosen] |= marked
    denominators = counts.denominators.copy()
    denominators[chosen] = UNBOUNDED  # the rates beside them are hidden as well
    return replace(counts, lower=lower, upper=upper, hidden=hidden, number=number, denominators=denominators)


_BASES = (3, 5, 10, 20, 50, 100)


def release_of(files: Sequence[Path]) -> TableRelease:
    """Return the release that some files are; the first gives the tag."""
    return TableRelease(release_tag(files[0].name), tuple(TableFile(path, str(path)) for path in files))


def with_candidate(manifest: TableManifest, candidate: TableRelease) -> TableManifest:
    """Return the manifest with one release more.

    Raises:
        UsageError: the series has a release of that tag.
    """
    if candidate.tag in manifest.tags:
        tag = printable(candidate.tag)
        raise UsageError(f'the series has a release with the tag "{tag}" already; rename the candidate')
    return replace(manifest, releases=(*manifest.releases, candidate))


def judge_candidate(
    manifest: TableManifest, candidate: TableRelease, attack: CountAttack, options: AuditOptions
) -> tuple[CandidateReport, PublishedCounts, Rows]:
    """Return what a candidate would add and what to do, all published counts with it, and the rows to hide.

    Raises:
        UsageError: the series has a release of that tag.
        InputError: a file cannot be read, or the numbers contradict each other.
    """
    before = report_on(read_counts(manifest), attack, replace(options, findings=None))
    counts = read_counts(with_candidate(manifest, candidate))
    check_columns_are_there(counts)
    known, left = {each.id: each.size for each in before.findings}, before.measures.open
    search = _CellSearch(counts, attack, options, known, left)
    after, fresh = search.audited(frozenset())
    hiding = search.hiding(fresh)
    rows = None if hiding.refused else hiding.rows
    rounding = search.coarser_rounding() if fresh else None
    settled = after if not rows else search.audited(rows)[0]
    hidden = tuple(search.hidden_cell(row) for row in sorted(rows or ()))
    kept = report_on(counts, attack, options)
    return (
        CandidateReport(
            release=counts.manifest.tags[-1],
            before=before,
            after=kept,
            new=tuple(fresh[: options.findings]),
            new_total=len(fresh),
            hide=None if rows is None else hidden,
            rounding=rounding,
            undecided=max(after.measures.open, settled.measures.open) > left,
            least=hiding.least,
        ),
        counts,
        rows or frozenset(),
    )


@dataclass
class _CellSearch:
    """Tries of what to hide of the last release.

    Attributes:
        counts, attack, options: all published counts with the release, and how they are audited.
        known: what is found without the release, by id: where it sharpens, it is new.
        open: how many questions are left open without it.
    """

    counts: PublishedCounts
    attack: CountAttack
    options: AuditOptions
    known: Mapping[str, CountSize]
    open: int

    def audited(self, rows: Rows) -> tuple[CountReport, list[CountFinding]]:
        """Return the report with some rows left empty, and the findings that are new."""
        return self._judged(without_rows(self.counts, rows))

    def _judged(self, counts: PublishedCounts) -> tuple[CountReport, list[CountFinding]]:
        report = report_on(counts, self.attack, replace(self.options, findings=None))
        return report, [each for each in report.findings if not is_known(self.known, each.id, each.size)]

    def hiding(self, fresh: list[CountFinding]) -> Hiding:
        """Return which rows of the candidate to hide so that nothing new is found."""
        last = self.counts.release == len(self.counts.manifest.releases) - 1
        rows = np.flatnonzero(last & self.counts.shown).tolist()
        return HidingSearch(self.counts, rows, lambda hidden: self.audited(hidden)[1]).search(fresh)

    def coarser_rounding(self) -> Rounding | None:
        """Return the least rounding to nearest of the candidate's numbers with which nothing new is found.

        The manifest has one rounding, so that the numbers of past releases have to be multiples too. None where rates
        stand beside them: those would speak of the counts as they were.
        """
        if self.counts.manifest.rates:
            return None
        past = self._past_numbers()
        least = 1 if self.counts.manifest.rounding is None else self.counts.manifest.rounding.to
        for base in _BASES:
            if base > least and base % least == 0 and not any(number % base for number in past):
                rounding = Rounding(base, "nearest")
                report, fresh = self._judged(rounded_candidate(self.counts, rounding))
                if not fresh and report.measures.open <= self.open:
                    return rounding
        return None

    def _past_numbers(self) -> set[int]:
        """Return the numbers that past releases show."""
        past = (self.counts.release < len(self.counts.manifest.releases) - 1) & self.counts.number
        texts = (self.counts.texts[text] for text in np.unique(self.counts.text[past]).tolist())
        return {number for text in texts if (number := number_of(text)) is not None}

    def hidden_cell(self, row: int) -> HiddenCell:
        """Return a row as a cell to hide."""
        file, line = self.counts.place(row)
        return HiddenCell(self.counts.cell(row), self.counts.texts[int(self.counts.text[row])], file, line)


def rounded_candidate(counts: PublishedCounts, rounding: Rounding) -> PublishedCounts:
    """Return the published counts with the numbers of the last release rounded to nearest."""
    last = counts.release == len(counts.manifest.releases) - 1
    rows = np.flatnonzero(last & counts.number & (counts.upper < 10**12))
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for row in rows.tolist():
        middle = number_of(counts.texts[int(counts.text[row])])
        if middle is not None:
            to = rounding.to
            number = (2 * middle + to) // (2 * to) * to
            ends = widened(rounded_interval(number, rounding) or (0, 0), counts.manifest.perturbation)
            lower[row], upper[row] = with_threshold(number, ends, counts.manifest.threshold if number else None)
            lower[row], upper[row] = min(lower[row], middle), max(upper[row], middle)
    return replace(counts, lower=lower, upper=upper)


def repair_candidate(
    manifest: TableManifest, candidate: TableRelease, output: Path, attack: CountAttack, options: AuditOptions
) -> CandidateReport:
    """Write the candidate into a new or empty folder, with the least further cells left empty, and judge that.

    Nothing is written where no such cells were found; what is new with the candidate is returned then.

    Raises:
        UsageError: the series has a release of that tag, the folder has files in it, or a file cannot be written anew.
        InputError: a file cannot be read, or the numbers contradict each other.
        RuntimeError: what was written still gives something new away, which is a bug.
    """
    _check_written(candidate, output)
    found, counts, rows = judge_candidate(manifest, candidate, attack, options)
    if found.hide is None:
        return found
    written = replace(candidate, tables=tuple(_written(counts, rows, table, output) for table in candidate.tables))
    again, _, _ = judge_candidate(manifest, written, attack, options)
    if again.new_total:
        raise RuntimeError("a repaired candidate still gives something away")
    files = tuple(table.shown for table in written.tables)
    return replace(again, hide=found.hide, undecided=found.undecided or again.undecided, written=files)


def _check_written(candidate: TableRelease, output: Path) -> None:
    """Refuse a candidate that cannot be written anew, or a folder that cannot take it.

    Raises:
        UsageError: it is one.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{printable_path(output)}: there are files already; name a new or empty folder")
    if not output.absolute().parent.is_dir():
        raise UsageError(
            f"{printable_path(output)}: there is no folder to make it in; name one in a folder that exists"
        )
    for table in candidate.tables:
        if not table.path.name.endswith((".csv", ".parquet")):
            name = printable(table.path.name)
            raise UsageError(f"{name}: only .csv and .parquet are written anew; convert it first")


def _written(counts: PublishedCounts, rows: Rows, table: TableFile, output: Path) -> TableFile:
    """Write a table with the values of its hidden rows empty, and with them rates and statuses, which speak."""
    manifest, path = counts.manifest, output / table.path.name
    empty = [row for row in sorted(rows) if counts.files[int(counts.file[row])].path == table.path]
    beside = [each.column for each in manifest.rates if not each.is_statistic]
    beside += [] if manifest.change is None else [manifest.change.column]
    more = [name for name in (manifest.status, *beside) if name is not None]
    columns = {name: list[int]() for name in dict.fromkeys([*(view.column for view in manifest.views), *more])}
    for row in empty:
        for name in (counts.column_of[int(counts.file[row])], *more):
            columns[name].append(row)
    output.mkdir(exist_ok=True)
    if path.name.endswith(".parquet"):
        _write_parquet(table.path, path, {name: counts.row[rows] for name, rows in columns.items()})
    else:
        lines = {name: {counts.place(row)[1] for row in rows} for name, rows in columns.items()}
        path.write_text(_as_csv(table.path, lines), encoding=read_dialect(table.path).encoding, newline="")
    return TableFile(path, str(path))


def _as_csv(file: Path, columns: Mapping[str, Container[int]]) -> str:
    """Return a file's text, some columns empty on the lines that are named for each."""
    dialect = read_dialect(file)
    lines = list(records(file, dialect))
    names = [name.strip() for name in lines[0][1]]
    places = {names.index(name): empty for name, empty in columns.items() if name in names}
    for line, cells in lines:
        for place, empty in places.items():
            if line in empty:
                cells[place] = ""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=dialect.delimiter, lineterminator="\n")
    writer.writerows(cells for _, cells in lines)
    return text.getvalue()


def _write_parquet(file: Path, path: Path, columns: Mapping[str, npt.NDArray[np.int32]]) -> None:
    """Write a Parquet file, some columns null in the rows that are named for each."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    for place, name in enumerate(table.column_names):
        if name.strip() in columns:
            kept = np.ones(table.num_rows, dtype=np.bool_)
            kept[columns[name.strip()]] = False
            column = table.column(place)
            table = table.set_column(place, name, pc.if_else(pa.array(kept), column, pa.scalar(None, column.type)))
    pq.write_table(table, path)
