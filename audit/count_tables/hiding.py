"""Which cells to hide so that nothing is found: the cheapest that hit every sum by which something was.

A sum shows a count as long as none of its numbers is hidden. So each finding asks for one of the cells that its sums
use; the cheapest set that has one for each finding is tried, and what is found then asks for further cells. The first
set with which nothing is found is the least (implicit hitting sets: Moreno-Centeno and Karp, Operations Research 61(2),
2013). Where that takes too many audits, cells are added until nothing is found, and of the dearest of them those that
are not needed are shown again: a cheaper set may exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.count_tables.published_counts import PublishedCounts
from audit.findings.count import CountFinding
from audit.model.json_types import UNBOUNDED
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
