"""All plans for a tiny candidate, by ascending cost: the oracle's search, and the proof that there is no repair."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from audit.model.repair import COARSEN, COUNTERFEIT, MERGE, MOVE, WITHHOLD
from audit.repair.candidate_rows import CandidateRows
from audit.repair.repair_plan import Counterfeit, RepairPlan

FEW_ROWS = 6
_MOST_PLANS = 20_000
_MOST_COUNTERFEITS = 2

Costed = tuple[tuple[float, int], RepairPlan]


class TooManyPlansError(Exception):
    """There are too many plans to try all."""


class AllPlans:
    """The plans that some moves make of a candidate; of several that publish the same, the one found first.

    Withholding nobody to all but one, every merging of groups, every way to move rows between groups of the same
    cells, every number of steps up a hierarchy or grid, and up to two counterfeits.
    """

    def __init__(
        self, rows: CandidateRows, moves: Collection[str], values: Sequence[tuple[str, ...]], *, coarsens: bool
    ) -> None:
        self.rows, self.moves, self.values = rows, moves, values
        self.coarsens = coarsens and COARSEN in moves

    def ascending(self) -> Iterator[RepairPlan]:
        """Yield them by ascending cost; of equal cost, first those that regroup fewer rows.

        Raises:
            TooManyPlansError: there are too many.
        """
        base = sorted(self._base(), key=lambda each: each[0])
        most = _MOST_COUNTERFEITS if COUNTERFEIT in self.moves else 0
        streams = [iter(self._with_counterfeits(base, number)) for number in range(most + 1)]
        heads = [next(stream, None) for stream in streams]
        while any(head is not None for head in heads):
            _, place = min((head[0], place) for place, head in enumerate(heads) if head is not None)
            chosen = heads[place]
            if chosen is not None:
                yield chosen[1]
            heads[place] = next(streams[place], None)

    def _base(self) -> list[Costed]:
        found: dict[object, Costed] = {}
        for plan in self._regrouped():
            for each in self._coarsened(plan):
                key = self._published(each)
                if key not in found:
                    found[key] = self.rows.cost(each), each
                    if len(found) > _MOST_PLANS:
                        raise TooManyPlansError
                elif (cost := self.rows.cost(each)) < found[key][0]:
                    found[key] = cost, each
        return list(found.values())

    def _published(self, plan: RepairPlan) -> object:
        """Return what a plan publishes: the rows of each group, each with its cells."""
        cells, inside = self.rows.cells(plan), dict[int, list[tuple[int, ...]]]()
        for row in np.flatnonzero(~plan.withheld).tolist():
            inside.setdefault(int(plan.group[row]), []).append((row, *(int(codes[row]) for codes in cells)))
        return tuple(sorted(map(tuple, inside.values())))

    def _regrouped(self) -> Iterator[RepairPlan]:
        unchanged, rows = self.rows.unchanged(), range(self.rows.rows)
        gone = range(self.rows.rows if WITHHOLD in self.moves else 1)
        homes = list(self._homes())
        parts = list(_partitions(self.rows.groups)) if MERGE in self.moves else [unchanged.part.tolist()]
        number = len(homes) * len(parts) * (2**self.rows.rows if WITHHOLD in self.moves else 1)
        if number > 10 * _MOST_PLANS:
            raise TooManyPlansError
        for size in gone:
            for withheld in combinations(rows, size):
                kept = replace(unchanged, withheld=np.isin(rows, withheld))
                for home, part in product(homes, parts):
                    yield replace(kept, home=np.array(home), part=np.array(part))

    def _homes(self) -> Iterator[tuple[int, ...]]:
        """Yield the ways to move rows between groups of the same cells."""
        own = self.rows.group.tolist()
        if MOVE not in self.moves or self.rows.pair:
            yield tuple(own)
            return
        alike = self.rows.alike
        yield from product(*(np.flatnonzero(alike == alike[group]).tolist() for group in own))

    def _coarsened(self, plan: RepairPlan) -> Iterator[RepairPlan]:
        """Yield a plan with its cells as they are, and any number of steps coarser."""
        if not self.coarsens or not self.rows.columns:
            yield plan
            return
        cells, group = self.rows.cells(plan), plan.group
        roots = np.unique(group[~plan.withheld]).tolist()
        chains = []
        for root, place in product(roots, range(len(self.rows.columns))):
            column = self.rows.columns[place]
            there = np.unique(cells[place][(group == root) & ~plan.withheld]).tolist()
            steps = 0
            while not all(column.is_top(column.coarser(code, steps)) for code in there):
                steps += 1
            chains.append(range(steps + 1))
        for chosen in product(*chains):
            steps_of = np.zeros_like(plan.steps)
            for (root, place), step in zip(product(roots, range(len(self.rows.columns))), chosen, strict=True):
                steps_of[root, place] = step
            yield replace(plan, steps=steps_of)

    def _with_counterfeits(self, base: Sequence[Costed], number: int) -> Iterator[Costed]:
        """Yield plans with so many counterfeits more; each costs one, so that their order stays."""
        for (lost, regrouped), plan in base:
            if not number:
                yield (lost, regrouped), plan
                continue
            roots = np.unique(plan.group[~plan.withheld]).tolist()
            every = [Counterfeit(root, values) for root in roots for values in self.values]
            for added in combinations_with_replacement(every, number):
                yield (lost + number, regrouped), replace(plan, counterfeits=added)


def _partitions(groups: int) -> Iterator[list[int]]:
    """Yield the ways to merge so many groups, each group alone among them."""

    def grown(parts: list[int], group: int) -> Iterator[list[int]]:
        if group == groups:
            yield parts
            return
        for part in [*dict.fromkeys(parts), group]:
            yield from grown([*parts, part], group + 1)

    yield from grown([], 0)
