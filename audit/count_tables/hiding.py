"""Hiding: find the cells of count tables to hide so that an audit has no findings to avoid.

A finding rests on sums, and a sum reveals nothing if one of its numbers is hidden. So each finding needs one of the
cells in its sums to be hidden. If its question is only asked because cells are hidden, one of these may be shown
instead. The search takes the cheapest cells that meet all needs so far, audits the result, and adds the needs of its
findings. The first cells without findings are the cheapest of all (implicit hitting sets: Moreno-Centeno and Karp,
Operations Research 61(2), 2013), if the same questions are asked whatever is hidden. If that takes too many audits, a
hypercube of cells is hidden for each finding, the cheapest one beside the others, until an audit has no findings. Then
the costliest cells are shown again, one by one, if it still has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from audit.count_tables.hypercubes import Hypercubes, needs_of
from audit.count_tables.judged_counts import CountAttack, JudgedCounts, followed, judge, tables_facts
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.table_audit import accepted_counts, certified_counts, measures_of, report_on
from audit.findings.count import CountFinding
from audit.judgement.baseline import is_known
from audit.model.arrays import UNBOUNDED, Counts, Flags
from audit.model.audit_options import AuditOptions
from audit.model.report import Report
from audit.runtime.budget import Budget
from audit.runtime.candidate_search import CandidateSearch
from audit.runtime.integer_programmes import solved
from audit.runtime.phrases import Reason, ReasonKind, kind_of, say

Rows = frozenset[int]
_NO_ROWS: Rows = frozenset()
_TRIES, _ROUNDS, _SHOWN_AGAIN, _CELLS_AGAIN, _EFFORT = 12, 12, 60, 60_000, 2.0


class Audited(NamedTuple):
    """The findings to avoid with some rows hidden (`found`), the judged counts, and whether the user stopped the audit.

    `open` is the number of counts that are undecided, or of which it is not known whether the candidate says more.
    """

    found: list[CountFinding]
    judged: JudgedCounts
    open: int
    interrupted: bool


class Before(NamedTuple):
    """The report without a candidate, whose findings only count if they become worse, and the published counts.

    What follows from the counts alone does not count either; None if nothing is published yet.
    """

    report: Report
    counts: PublishedCounts | None


@dataclass(frozen=True)
class Hiding:
    """Rows to hide.

    Attributes:
        rows: the rows.
        is_enough: whether an audit with them hidden has no findings to avoid.
        least: whether no cheaper rows are enough.
        stopped: why the search ended early; None if it did not, or if hiding rows cannot help.
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
        before: what is known without the candidate, which does not count.
        signs: the markers that replace hidden values, by row; an empty text is any sign that can stand for any count.
            The cells of other rows are left empty.

    Attributes:
        report: the report with nothing hidden, once that is audited.
    """

    def __init__(
        self,
        counts: PublishedCounts,
        rows: Iterable[int],
        attack: CountAttack,
        options: AuditOptions,
        *,
        budget: Budget | None = None,
        before: Before | None = None,
        signs: Mapping[int, str] | None = None,
    ) -> None:
        self.counts, self.attack = counts, attack
        report = None if before is None else before.report
        self._earlier = None if before is None else before.counts
        self.known = (
            {} if report is None else {each.id: each.size for each in report.findings if isinstance(each, CountFinding)}
        )
        self.left = 0 if report is None else report.count_measures.open
        # What is open before may be what is found now, with nothing of the candidate to hide.
        self.unsettled = report.attacks[0].reason if report is not None and self.left else None
        self.signs = signs or {}
        self.budget = budget or Budget(options.time_limit)
        # The search has a progress bar of its own, which those of its audits would replace.
        self.budget.on_progress = options.progress("repair")
        self.tries = CandidateSearch[Rows, Audited](self.budget, self._loss, _TRIES, audited_again=True)
        self.options = replace(options, findings=None, progress=lambda _: None)
        self._tried: dict[Rows, Audited] = {}
        self.cost = costs(counts, rows)
        self._at: dict[tuple[str, int], list[int]] = {}
        self._of: dict[tuple[str, str | None, tuple[str, ...]], list[int]] = {}
        for row in self.cost:
            self._at.setdefault(counts.place(row), []).append(row)
            tag, measure = counts.manifest.tags[int(counts.release[row])], counts.measures[int(counts.measure[row])]
            if counts.number[row]:
                self._of.setdefault((tag, measure, tuple(counts.cell(row).values())), []).append(row)

    def hidden(self, rows: Rows = _NO_ROWS) -> Audited:
        """Return the audit with some rows hidden; each set of rows is audited once.

        Raises:
            SearchOutOfTimeError: it would not be the first audit, and the time limit is reached.
            KeyboardInterrupt: the audit was interrupted.
        """
        if rows not in self._tried:
            if self._tried:
                self.tries.check_time()
            self._tried[rows] = self.tries.audit(rows, self._audit)
            if self._tried[rows].interrupted:
                raise KeyboardInterrupt
        return self._tried[rows]

    def _audit(self, rows: Rows) -> Audited:
        """Return the audit with some rows hidden; cells left empty that may have a sign are asked about as both."""
        after = without_rows(self.counts, rows, self.signs)
        found = self.audited(after)
        if not rows:  # this one takes longest, so that time is kept for the report on what is hidden
            self.report = self.report_on(found)
        emptied = sorted(row for row in rows if after.hidden[row] and not self.signs.get(row))
        if found.found or not emptied:
            return found
        return self.audited(after.with_values(emptied, hidden=False))

    def _loss(self, rows: Rows, audited: Audited) -> tuple[float, ...] | None:
        """Return what hiding some rows costs, after whether more is open then; None if something is found."""
        if audited.found or audited.interrupted:
            return None
        return audited.open > self.left, sum(self.cost[row] for row in rows)

    def changed(self, rows: Rows) -> Rows:
        """Return the rows of which less is known once they are hidden; a marker for any count says no more itself."""
        after = without_rows(self.counts, rows, self.signs)
        both = ((getattr(self.counts, each.name), getattr(after, each.name)) for each in fields(after))
        arrays = [each for each in both if isinstance(each[0], np.ndarray)]
        return frozenset(row for row in rows if any(np.any(old[row] != new[row]) for old, new in arrays))

    def audited(self, counts: PublishedCounts) -> Audited:
        """Return the audit of published counts, with certificates of the findings to avoid alone."""
        options = replace(self.options, time_limit=self.budget.remaining())
        # Reasons name the limit of the whole search, not what is left of it.
        judged = judge(counts, self.attack, options, replace(self.budget.fraction(1), on_progress=None))
        accepted = accepted_counts(judged).ids
        known = {ident for place, ident in judged.ids.items() if is_known(self.known, ident, judged.size(place))}
        certified = certified_counts(judged, accepted | known, None, tables_facts(counts))
        judged, found = certified.judged, [*certified.findings]
        if found and self._earlier is not None:
            before = self._known_before(judged, found, self._earlier)
            found = [each for each in found if each.id not in before]
        others = accepted.union(each.id for each in found)
        perhaps = [
            place for place, ident in judged.ids.items() if ident not in others and self._may_be_sharper(judged, place)
        ]
        interrupted = certified.interrupted or judged.interrupted
        return Audited(found, judged, measures_of(judged).open + len(perhaps), interrupted)

    def report_on(self, audited: Audited) -> Report:
        """Return the report on an audit, with all its findings."""
        judged = replace(audited.judged, options=replace(self.options, time_limit=self.budget.remaining()))
        return replace(report_on(judged), time_limit=self.options.time_limit)

    def _may_be_sharper(self, judged: JudgedCounts, place: int) -> bool:
        """Return whether the candidate may say more of a count than is proved, of which as much was known before."""
        manifest, (part, question, outcome) = self.counts.manifest, judged.at(place)
        is_last = int(part.questions.release[question]) == len(manifest.tags) - 1
        return not outcome.exact[question] and (manifest.relates_releases or is_last)

    def _known_before(
        self, judged: JudgedCounts, found: Sequence[CountFinding], earlier: PublishedCounts
    ) -> frozenset[str]:
        """Return the ids of findings that follow from the earlier releases alone.

        A sign for an exact count that is not small is not among them: it can be shown instead (`following`).
        """
        least = judged.limits["min_count"]
        asked = {one.id for one in found if one.shown is None or not least <= one.lower == one.upper}
        places = {place: ident for place, ident in judged.ids.items() if ident in asked}
        known = followed(judged, places, earlier, Budget(self.budget.remaining()))
        return frozenset(places[each] for each in known)

    def following(self) -> dict[int, int]:
        """Return the hidden counts of the last release, by row, that the releases before it show: no sign hides them.

        Only counts that are not small themselves are among them, and none where numbers are rounded or perturbed.
        """
        manifest, found = self.counts.manifest, dict[int, int]()
        last, least = manifest.tags[-1], max(manifest.limits(self.options.limits)["min_count"], manifest.least_unmarked)
        if not manifest.is_exact:
            return found
        known = {
            (one.measure, tuple(one.cell.values())): one.lower
            for one in self.hidden().found
            if (one.release, one.lower) == (last, one.upper)
            and one.lower >= least
            and all(each.file is not None and each.release != last for each in one.terms)
        }
        for row in np.flatnonzero(self.counts.hidden & (self.counts.release == len(manifest.tags) - 1)).tolist():
            key = self.counts.measures[int(self.counts.measure[row])], tuple(self.counts.cell(row).values())
            if key in known:
                found[row] = known[key]
        return found

    def search(self) -> Hiding:
        """Return the rows to hide so that an audit has no findings to avoid."""
        least, stopped = False, None
        with self.tries.until_stopped():
            least, stopped = self._search()
            if self.tries.best is None and not self.hidden(frozenset(self.cost)).found:
                self._needed(_NO_ROWS, sorted(self.cost, key=self.cost.__getitem__))
        stopped = self.tries.stopped or stopped
        if self.tries.best is None:
            return Hiding(_NO_ROWS, is_enough=False, stopped=stopped)
        return Hiding(self.tries.best[0], least=least, stopped=self.tries.stopped)

    def unavoidable(self) -> list[CountFinding]:
        """Return the findings to avoid with no row hidden and with all; none if the latter was not audited.

        Others with all rows hidden are only asked about because cells are hidden.
        """
        new = {each.id for each in self.hidden().found}
        everything = self._tried.get(frozenset(self.cost))
        return [] if everything is None else [each for each in everything.found if each.id in new]

    def _search(self) -> tuple[bool, Reason | None]:
        """Return whether the rows found are the cheapest, and why the search gave up, if it did."""
        needs: dict[tuple[Rows, Rows], None] = {}
        rows, exact = _NO_ROWS, True
        for _ in range(_TRIES + 1):
            if not self.hidden(rows).found:
                return (True, None) if exact else (False, self._by_hypercubes())
            asked = {(self._preventing(one, rows), self._asking(one, rows)) for one in self.hidden(rows).found}
            if (_NO_ROWS, _NO_ROWS) in asked:
                return False, None if self.unsettled is None else Reason(self.unsettled, kind_of(self.unsettled))
            needs |= dict.fromkeys(sorted(asked, key=lambda each: [*map(sorted, each)]))
            exact &= rows == _NO_ROWS or all(one.id in self._always for one in self.hidden(rows).found)
            self.tries.check_time()
            rows, is_best = self._cheapest(needs)
            if not is_best:
                break
        return False, self._by_hypercubes()

    def _needed(self, kept: Rows, rows: Sequence[int]) -> Rows:
        """Return those of some rows, the cheapest first, that must be hidden beside others, which are with all of them.

        Each half is left out as a whole if the rest is enough (QuickXplain: Junker, AAAI 2004).
        """
        if len(rows) < 2:
            return frozenset(rows)
        half = len(rows) // 2
        cheap, costly = rows[:half], rows[half:]
        costly_needed = self._needed_if(kept.union(cheap), costly)
        return costly_needed | self._needed_if(kept | costly_needed, cheap)

    def _needed_if(self, kept: Rows, rows: Sequence[int]) -> Rows:
        """Return the same, but none of the rows if the others are enough."""
        return self._needed(kept, rows) if self.hidden(kept).found else _NO_ROWS

    def _asking(self, finding: CountFinding, rows: Rows) -> Rows:
        """Return the hidden rows of which one may be shown instead, so that the finding's question is not asked."""
        if rows and finding.id not in self._always:
            return rows
        return self._own(finding).intersection(rows, self.signs)

    @cached_property
    def _always(self) -> frozenset[str]:
        """The ids of the questions that are asked whatever is hidden."""
        judged = self.hidden().judged
        return frozenset(map(judged.id_of, range(len(judged.verdict))))

    def _by_hypercubes(self) -> Reason | None:
        """Look for rows that are enough: for each finding a hypercube of cells; return why it gave up, if it did."""
        cubes = Hypercubes(self.hidden().judged, self.cost, hidden_lower(self.counts), self.budget)
        rows, others = _NO_ROWS, _NO_ROWS
        while found := self.hidden(rows).found:
            cubes.add([*needs_of(self.hidden(rows).judged, {each.id for each in found})])
            self.tries.check_time()
            # At first, cells may be shown again if others are hidden; after some rounds, hidden cells remain hidden.
            kept = rows if len(self._tried) > _TRIES + _ROUNDS else others
            if (more := kept | others | cubes.rows()) in self._tried:
                asked = {self._preventing(one, rows) for one in found}
                if _NO_ROWS in asked:
                    return Reason(say("hiding whole hypercubes of cells was not enough"), ReasonKind.TOO_HARD)
                others |= self._cheapest((each, _NO_ROWS) for each in sorted(asked, key=sorted))[0]
                more |= others
            rows = more
        tries = min(_SHOWN_AGAIN, _CELLS_AGAIN // len(self.cost))  # the larger the table, the longer its audit
        for row in sorted(rows, key=lambda one: -self.cost[one])[:tries]:
            if not self.hidden(rows - {row}).found:
                rows -= {row}
        return None

    def _used(self, finding: CountFinding) -> Rows:
        """Return the rows in a finding's sums, or its own number; hiding one of them prevents the finding."""
        places = {(each.file, each.line) for each in finding.terms if each.file is not None and each.line is not None}
        rows = frozenset(row for place in places for row in self._at.get(place, ()))
        return rows | self._own(finding) if finding.shown is not None else rows

    def _preventing(self, finding: CountFinding, rows: Rows) -> Rows:
        """Return the further rows of which one must be hidden to prevent a finding with some rows hidden.

        Among them are small counts with a marker: if none of a table is left empty, its empty cells are larger ones.
        """
        used = self._used(finding)
        without = {int(each) for each in self.counts.file[[*(used & rows)]]} - {
            int(each) for each in self.counts.file[[*(rows & self._small)]]
        }
        return (used - rows) | {row for row in self._small if int(self.counts.file[row]) in without}

    @cached_property
    def _small(self) -> Rows:
        """The rows that may be hidden and have a marker of small counts."""
        return frozenset(np.flatnonzero(has_small_marker(self.counts)).tolist()) & self.cost.keys()

    def _own(self, finding: CountFinding) -> Rows:
        """Return the rows that show the number of a finding."""
        return frozenset(self._of.get((finding.release, finding.measure, tuple(finding.cell.values())), ()))

    def _cheapest(self, needs: Iterable[tuple[Rows, Rows]]) -> tuple[Rows, bool]:
        """Return the cheapest rows to hide that meet all needs, and whether it is certain that they are.

        A need is met if one of its first rows is hidden, or one of its second rows is shown.
        """
        from ortools.sat.python import cp_model

        model, needs = cp_model.CpModel(), [*needs]
        every = frozenset(row for each in needs for row in each[0] | each[1])
        hidden = {row: model.new_bool_var(str(row)) for row in sorted(every)}
        for some, shown in needs:
            model.add_bool_or([hidden[row] for row in sorted(some)] + [~hidden[row] for row in sorted(shown)])
        model.minimize(cp_model.LinearExpr.weighted_sum(list(hidden.values()), [self.cost[row] for row in hidden]))
        answer, solver = solved(model, _EFFORT, self.budget, random_seed=0)
        if answer not in ("best", "found"):
            return frozenset(row for some, _ in needs for row in some), False
        return frozenset(row for row, variable in hidden.items() if solver.boolean_value(variable)), answer == "best"


def costs(counts: PublishedCounts, rows: Iterable[int]) -> dict[int, int]:
    """Return the cost of hiding each row that may be hidden.

    An inner cell costs its count, a margin more than all inner cells, and a grand total more than all other cells.
    Of equally expensive sets, that with fewer cells is cheaper. The manifest may forbid hiding a cell, or set its cost.
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


def without_rows(counts: PublishedCounts, rows: Rows, signs: Mapping[int, str] | None = None) -> PublishedCounts:
    """Return the published counts with the values of some rows left empty; those with `signs` are replaced by them.

    A marker must still hide its count. If small counts have a marker of their own, a reader knows that an empty cell
    beside it is not a small count, unless the table leaves out some of these markers, too.
    """
    if not rows:
        return counts
    chosen = np.array(sorted(rows))
    marked, markers = {row: sign for row, sign in (signs or {}).items() if row in rows}, counts.manifest.markers
    least = [markers.get(marked.get(row, ""), (0,))[0] for row in chosen.tolist()]
    mixed = np.isin(counts.file[chosen], counts.file[chosen][has_small_marker(counts)[chosen]])
    return counts.with_values(
        chosen,
        lower=np.maximum(np.where(mixed, 0, hidden_lower(counts)[chosen]), least),
        **dict.fromkeys(("upper", "said_most", "denominators"), UNBOUNDED),
        hidden=counts.hidden[chosen] | np.isin(chosen, [*marked]),
        number=False,
        earlier=-1,  # the changes beside them are hidden, too, as the rates are
    )


def with_numbers(counts: PublishedCounts, numbers: Mapping[int, int]) -> PublishedCounts:
    """Return the published counts with numbers in place of the signs of some rows."""
    known = [*numbers.values()]
    shown = counts.with_values([*numbers], lower=known, upper=known, text=[*map(str, known)])
    return shown.with_values([*numbers], hidden=False, number=True)


def has_small_marker(counts: PublishedCounts) -> Flags:
    """Return whether each row has a marker of small counts, which others do not have; shape (rows,)."""
    return counts.hidden & (counts.lower > 0) & (counts.upper < counts.manifest.least_unmarked)


def hidden_lower(counts: PublishedCounts) -> Counts:
    """Return the least count that each row would stand for if it were hidden; shape (rows,)."""
    small = counts.manifest.least_unmarked
    return np.where(counts.lower >= small, small, 0)
