"""Judge a release of count tables before it is published: what it adds, which cells to hide, or how to round.

A hidden cell is left empty, which works for every publisher, whatever markers it uses. Each finding rests on sums, and
a sum reveals nothing if one of its numbers is hidden. So each finding asks for one of the cells in its sums. The search
tries the cheapest set that has a cell for each finding, audits the result, and adds the requests of its findings. The
first set without findings is the cheapest of all (implicit hitting sets: Moreno-Centeno and Karp, Operations Research
61(2), 2013). If that takes too many audits, cells are added until nothing is found, and then those that turn out to be
unnecessary are shown again, the most expensive first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import TableFile, TableManifest, TableRelease
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import number_of, rounded_interval, widened, with_threshold
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import read_published, report_on
from audit.findings.count import CountFinding, CountReport
from audit.findings.count_answers import CandidateReport, HiddenCell
from audit.io.atomic_files import check_empty
from audit.io.table_writer import write_table
from audit.io.tables import header, read_table
from audit.io.toml import release_tag
from audit.judgement.baseline import is_known
from audit.model.audit_options import AuditOptions
from audit.model.count_report import Rounding
from audit.model.errors import Problems, UsageError, printable
from audit.model.json_types import UNBOUNDED
from audit.model.report import CountSize
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

Rows = frozenset[int]
_NO_ROWS: Rows = frozenset()
_TRIES, _SHOWN_AGAIN, _EFFORT = 12, 60, 2.0


@dataclass(frozen=True)
class Hiding:
    """Rows to hide, whether nothing is found with them, and whether no cheaper rows achieve that.

    If something is still found, hiding rows cannot prevent it, or the search was `stopped`.
    """

    rows: Rows
    is_enough: bool = True
    least: bool = False
    stopped: Reason | None = None


class HidingSearch:
    """The search for cells to hide.

    Args of the constructor:
        counts: the published counts, with nothing hidden yet.
        rows: the rows that may be hidden.
        attack, options: as for an audit.
        budget: the time limit of the whole search; None for the limit of one audit.
        known: findings without the candidate, by id; such a finding counts only if it becomes worse.
        marked: whether a hidden value is replaced by a marker that can stand for any count.
    """

    def __init__(
        self,
        counts: PublishedCounts,
        rows: Iterable[int],
        attack: CountAttack,
        options: AuditOptions,
        *,
        budget: Budget | None = None,
        known: Mapping[str, CountSize] | None = None,
        marked: bool = False,
    ) -> None:
        self.counts, self.attack, self.options = counts, attack, replace(options, findings=None)
        self.known, self.marked = known or {}, marked
        self.budget, self._watch, self._exact = budget or Budget(options.time_limit), options.progress("repair"), True
        self._tried: dict[Rows, tuple[CountReport, list[CountFinding]]] = {}
        self.cost = costs(counts, rows)
        self._at: dict[tuple[str, int], list[int]] = {}
        self._of: dict[tuple[str, str | None, tuple[str, ...]], list[int]] = {}
        for row in self.cost:
            self._at.setdefault(counts.place(row), []).append(row)
            tag, measure = counts.manifest.tags[int(counts.release[row])], counts.measures[int(counts.measure[row])]
            if counts.number[row]:
                self._of.setdefault((tag, measure, tuple(counts.cell(row).values())), []).append(row)

    def hidden(self, rows: Rows = _NO_ROWS) -> tuple[CountReport, list[CountFinding]]:
        """Return the report with some rows hidden, and the findings to avoid; each set of rows is audited once."""
        if rows not in self._tried:
            self._tried[rows] = self.judged(without_rows(self.counts, rows, marked=self.marked))
            if self._watch is not None:
                self._watch(len(self._tried), max(_TRIES, len(self._tried) + 1))
        return self._tried[rows]

    def judged(self, counts: PublishedCounts) -> tuple[CountReport, list[CountFinding]]:
        """Return the report on published counts, and the findings to avoid."""
        report = report_on(counts, self.attack, replace(self.options, time_limit=self.budget.remaining()))
        report = replace(report, time_limit=self.options.time_limit)
        return report, [each for each in report.findings if not is_known(self.known, each.id, each.size)]

    def stopped(self, rows: Rows) -> Reason | None:
        """Return why the search must end: it was interrupted, or the time limit is reached."""
        if self.hidden(rows)[0].interrupted:
            return Reason(say("the search was interrupted"), ReasonKind.INTERRUPTED)
        return self.budget.reason if self.budget.exhausted() else None

    def search(self) -> Hiding:
        """Return the rows to hide so that nothing is left to avoid."""
        needs: dict[Rows, None] = {}
        rows, tries = _NO_ROWS, 0
        while found := self.hidden(rows)[1]:
            fresh = {self._used(finding) - rows: None for finding in found}  # already hidden
            if _NO_ROWS in fresh:
                return Hiding(rows, is_enough=False)
            if (why := self.stopped(rows)) is not None:
                return Hiding(rows, is_enough=False, stopped=why)
            needs |= fresh
            rows = self._cheapest(list(needs)) if tries < _TRIES else rows | self._cheapest(list(fresh))
            tries += 1
        if tries <= _TRIES:
            return Hiding(rows, least=self._exact)
        for row in sorted(rows, key=lambda one: -self.cost[one])[:_SHOWN_AGAIN]:
            if self.stopped(rows) is None and not self.hidden(rows - {row})[1]:
                rows -= {row}
        return Hiding(rows)

    def _used(self, finding: CountFinding) -> Rows:
        """Return the rows in a finding's sums, or its own number; hiding one of them prevents the finding."""
        places = {(each.file, each.line) for each in finding.terms if each.file is not None and each.line is not None}
        rows = {row for place in places for row in self._at.get(place, ())}
        own = self._of.get((finding.release, finding.measure, tuple(finding.cell.values())), ())
        return frozenset({*rows, *(own if finding.shown is not None else ())})

    def _cheapest(self, needs: Sequence[Rows]) -> Rows:
        """Return the cheapest rows that contain one of each set."""
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
    """Return the cost of hiding each row that may be hidden.

    A grand total costs more than all other cells, any other margin more than all inner cells; otherwise the hidden
    counts are added up. Of equally expensive sets, one of fewer cells is cheaper. The manifest may forbid hiding a
    cell, or set its cost.
    """
    total = np.array([each.total for each in counts.dimensions])
    shown = dict[int, int]()
    for row in rows:
        cell, count = counts.cell(row).items(), int(counts.lower[row])
        cost = next((rule.cost for rule in counts.manifest.hiding if rule.cell.items() <= cell), count)
        if cost is not None:
            shown[row] = cost
    many = len(shown) + 1
    margin = many * (sum(shown.values()) + 1)
    totals = {row: int((counts.label[row] == total).sum()) for row in shown if shown[row] == counts.lower[row]}
    return {
        row: many * cost + 1 + (margin * (many if totals[row] == len(total) else 1) if totals.get(row) else 0)
        for row, cost in shown.items()
    }


def without_rows(counts: PublishedCounts, rows: Rows, *, marked: bool = False) -> PublishedCounts:
    """Return the published counts with the values of some rows left empty, or replaced by a marker for any count.

    A marker must still hide its count. If small counts have a marker of their own, a reader knows that an empty cell
    beside it is not a small count.
    """
    if not rows:
        return counts
    chosen = np.array(sorted(rows))
    lower, upper, hidden, number = counts.lower.copy(), counts.upper.copy(), counts.hidden.copy(), counts.number.copy()
    small = max((most + 1 for least, most in counts.manifest.markers.values() if least and most < UNBOUNDED), default=0)
    lower[chosen] = np.where(counts.lower[chosen] >= small, small, 0)
    upper[chosen], number[chosen] = UNBOUNDED, False
    hidden[chosen] |= marked
    denominators = counts.denominators.copy()
    denominators[chosen] = UNBOUNDED  # the rates beside them too
    return replace(counts, lower=lower, upper=upper, hidden=hidden, number=number, denominators=denominators)


_BASES = (3, 5, 10, 20, 50, 100)


def release_of(files: Sequence[Path], inside: Path | None = None) -> TableRelease:
    """Return the release made of some files, tagged after the first; files inside the folder get relative names."""
    tables = (TableFile(path, path.name if path.parent == inside else str(path)) for path in files)
    return TableRelease(release_tag(files[0].name), tuple(tables))


def with_candidate(manifest: TableManifest, candidate: TableRelease) -> TableManifest:
    """Return the manifest with one more release.

    Raises:
        UsageError: the series has a release of that tag.
    """
    if candidate.tag in manifest.tags:
        tag = printable(candidate.tag)
        raise UsageError(f'the series has a release with the tag "{tag}" already; rename the candidate')
    return replace(manifest, releases=(*manifest.releases, candidate))


def judge_candidate(
    manifest: TableManifest,
    candidate: TableRelease,
    attack: CountAttack,
    options: AuditOptions,
    *,
    repairs: bool = False,
) -> tuple[CandidateReport, HidingSearch, Rows]:
    """Return what a candidate adds, what to do, the search, and the rows to hide.

    The time limit applies to the audit and to the search separately; if the command `repairs`, to both together.

    Raises:
        UsageError: the series has a release of that tag.
        InputError: a file cannot be read, or the numbers contradict each other.
    """
    budget, every = Budget(options.time_limit), replace(options, findings=None)
    before = report_on(read_counts(manifest), attack, every)
    counts = read_published(with_candidate(manifest, candidate))
    known, left = {each.id: each.size for each in before.findings}, before.measures.open
    last = np.flatnonzero((counts.release == len(counts.manifest.releases) - 1) & counts.shown).tolist()
    search = HidingSearch(counts, last, attack, every, budget=budget if repairs else None, known=known)
    after, fresh = search.hidden()
    hiding = search.search()
    rounding = _coarser_rounding(search, left) if fresh and hiding.stopped is None else None
    rows = hiding.rows if hiding.is_enough else _NO_ROWS
    settled = search.hidden(rows)[0].measures.open
    hide = tuple(HiddenCell(counts.cell(row), counts.text[row], *counts.place(row)) for row in sorted(rows))
    return (
        CandidateReport(
            release=counts.manifest.tags[-1],
            before=before,
            after=_shown(after, options.findings),
            new=tuple(fresh[: options.findings]),
            new_total=len(fresh),
            hide=hide if hiding.is_enough else None,
            rounding=rounding,
            undecided=max(after.measures.open, settled) > left,
            least=hiding.least,
            stopped=hiding.stopped,
        ),
        search,
        rows,
    )


def _shown(report: CountReport, findings: int | None) -> CountReport:
    """Return a report that shows only its first findings."""
    (attack,) = report.attacks
    return replace(report, attacks=(replace(attack, findings=attack.findings[:findings]),))


def _coarser_rounding(search: HidingSearch, left: int) -> Rounding | None:
    """Return the finest rounding of the candidate's numbers, to nearest, that adds no finding.

    The manifest has one rounding, so the numbers of past releases must be multiples of it, too. None if rates stand
    beside the counts, because the rates would reveal the unrounded counts.
    """
    counts, manifest = search.counts, search.counts.manifest
    texts = counts.text[counts.number & (counts.release < len(manifest.releases) - 1)]
    past = {number for text in dict.fromkeys(texts) if (number := number_of(text)) is not None}
    least = 1 if manifest.rounding is None else manifest.rounding.to
    for base in () if manifest.rates else _BASES:
        if base > least and base % least == 0 and not any(number % base for number in past):
            rounding = Rounding(base, "nearest")
            report, fresh = search.judged(_rounded(counts, rounding))
            if not fresh and report.measures.open <= left:
                return rounding
    return None


def _rounded(counts: PublishedCounts, rounding: Rounding) -> PublishedCounts:
    """Return the published counts with the numbers of the last release rounded to nearest."""
    last = counts.release == len(counts.manifest.releases) - 1
    rows = np.flatnonzero(last & counts.number & (counts.upper < 10**12))
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for row in rows.tolist():
        middle = number_of(counts.text[row])
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
    """Write the candidate, with the fewest additional cells left empty, into a new or empty folder, and audit it.

    If no such cells were found, nothing is written, and the findings that the candidate adds are returned.

    Raises:
        UsageError: the series has a release of that tag, the folder has files in it, or a file cannot be written anew.
        InputError: a file cannot be read, or the numbers contradict each other.
        RuntimeError: the written release still adds a finding, which is a bug.
    """
    check_empty(output)
    for table in candidate.tables:
        if not table.path.name.endswith((".csv", ".parquet")):
            name = printable(table.path.name)
            raise UsageError(f"{name}: only .csv and .parquet files can be rewritten; convert it first")
    found, search, rows = judge_candidate(manifest, candidate, attack, options, repairs=True)
    if found.hide is None:
        return found
    written = replace(candidate, tables=tuple(_written(search.counts, rows, each, output) for each in candidate.tables))
    after, fresh = search.judged(read_counts(with_candidate(manifest, written)))
    if fresh:
        raise RuntimeError("a repaired candidate still gives something away")
    files, is_open = tuple(table.shown for table in written.tables), after.measures.open > found.before.measures.open
    return replace(
        found,
        after=_shown(after, options.findings),
        new=(),
        new_total=0,
        rounding=None,
        undecided=found.undecided or is_open,
        written=files,
    )


def _written(counts: PublishedCounts, rows: Rows, table: TableFile, output: Path) -> TableFile:
    """Write a table with hidden values left empty, and also their rates and statuses, which would reveal them."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    manifest, path = counts.manifest, output / table.path.name
    beside = {*manifest.beside, manifest.status}
    own = [row for row in rows if counts.part(row).file.path == table.path]
    source, dialect, nothing = pq.read_table(table.path) if path.suffix == ".parquet" else None, None, None
    if source is None:
        names = [*(header(table.path, table.shown, Problems()) or ())]
        read = read_table(table.path, table.shown, names, Problems())
        if read is None:
            raise TypeError("a table that was read can be read again")
        source = pa.table({name: read.arrow(name).cast(pa.string()) for name in read.names})
        dialect, nothing = read.dialect, ""
    for place, name in enumerate(source.column_names):
        kept, column = np.ones(source.num_rows, dtype=np.bool_), source.column(place)
        for row in own:
            kept[counts.row[row]] &= name.strip() not in {*beside, counts.part(row).view.column}
        if not kept.all():
            source = source.set_column(place, name, pc.if_else(pa.array(kept), column, pa.scalar(nothing, column.type)))
    output.mkdir(exist_ok=True)
    write_table(source, path, dialect=dialect)
    return TableFile(path, str(path))
