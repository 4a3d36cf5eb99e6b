"""Which cells to hide so that nothing is found: the cheapest that hit every sum by which something was.

A sum shows a count as long as none of its numbers is hidden. So each finding asks for one of the cells that its sums
use; the cheapest set that has one for each finding is tried, and what is found then asks for further cells. The first
set with which nothing is found is the least (implicit hitting sets: Moreno-Centeno and Karp, Operations Research 61(2),
2013). Where that takes too many audits, cells are added until nothing is found, and those that are not needed are shown
again: such a set is irreducible, and a cheaper one may exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from audit.count_tables.published_counts import PublishedCounts
from audit.model.count_report import CountFinding

Rows = frozenset[int]
_AUDITS = 120


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
        self.found = found
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
        rows, left = Rows(), _AUDITS
        while found:
            for finding in found:
                used = self._used(finding) - rows
                if not used:
                    return Hiding(rows, least=False, refused=finding)
                needs[used] = None
            rows = self._cheapest(list(needs)) if left > 0 else rows | self._cheapest([*needs][-len(found) :])
            found, left = self.found(rows), left - 1
        if left >= 0:
            return Hiding(rows, least=True)
        for row in sorted(rows, key=lambda one: -self.cost[one]):
            if left > -2 * _AUDITS and not self.found(rows - {row}):
                rows -= {row}
            left -= 1
        return Hiding(rows, least=False)

    def _used(self, finding: CountFinding) -> Rows:
        """Return the rows that a finding rests on, its sums or its number: unless one of them is hidden, it stays."""
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
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.solve(model)
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
