"""Plans that partly undo another plan that merges, withholds or coarsens too much; and all plans of a candidate.

All plans of a tiny candidate, by ascending cost, find the least repair, or prove that there is none. In recodings, all
rows of a candidate get coarser cells of some columns, as bands are joined or postcodes are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from math import prod

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Places
from audit.model.release_impact import COARSEN, MERGE, MOVE, WITHHOLD
from audit.repair.candidate_rows import CandidateRows, Cost, RepairPlan

_UNDONE = 40


def smaller_plans(rows: CandidateRows, plan: RepairPlan) -> list[RepairPlan]:
    """Return plans with a smaller loss than a plan, in ascending order of loss."""
    cost = rows.cost(plan)
    found = [(rows.cost(each), number, each) for number, each in enumerate(_smaller(rows, plan))]
    return [each for lost, _, each in sorted(found, key=lambda each: each[:2]) if lost < cost]


def _smaller(rows: CandidateRows, plan: RepairPlan) -> Iterator[RepairPlan]:
    withheld = np.flatnonzero(plan.withheld)
    for some in _halved(withheld):
        yield plan.without(rows.withholdable(some), withheld=False)
    for members in sorted(rows.parts(plan), key=rows.merge_cost, reverse=True)[:_UNDONE]:
        yield _divided(plan, [[each] for each in members])
        if len(members) > 2:
            order = _in_a_line(rows, members)
            yield _divided(plan, [order[: len(order) // 2], order[len(order) // 2 :]])
            for each in members[:_UNDONE]:
                yield _divided(plan, [[each], [other for other in members if other != each]])
    for attribute in np.flatnonzero(plan.steps.any(axis=0)).tolist():
        yield _finer(plan, plan.steps[:, attribute] * 0, attribute)
        for root in np.flatnonzero(plan.steps[:, attribute])[:_UNDONE].tolist():
            for steps in range(int(plan.steps[root, attribute])):
                fewer = plan.steps[:, attribute].copy()
                fewer[root] = steps
                yield _finer(plan, fewer, attribute)


def divide(rows: CandidateRows, plan: RepairPlan, members: Sequence[int], keeps: Callable[[RepairPlan], bool]) -> None:
    """Take groups out of a merged group until each that is left is needed; each audit halves what is open.

    Of a list of the groups, the shortest beginning that suffices is sought. Its last group is needed, as merging more
    discloses no more; the others of this beginning, the nearest to it first, are the next list.
    """
    needed, others = list[int](), _in_a_line(rows, members)
    while others:
        low, high = 0, len(others)
        while low < high:
            middle = (low + high) // 2
            merged = [*needed, *others[:middle]]
            parts = [merged] * bool(merged) + [[each] for each in members if each not in merged]
            low, high = (low, middle) if keeps(_divided(plan, parts)) else (middle + 1, high)
        needed += others[high - 1 : high]
        others = _by_distance(rows, needed[0], others[: max(0, high - 1)]) if needed else []


def _by_distance(rows: CandidateRows, group: int, others: Sequence[int]) -> list[int]:
    """Return groups sorted by their distance to one of them."""
    far = np.abs(rows.middles[list(others)] - rows.middles[group]).sum(axis=1)
    return [others[place] for place in np.argsort(far, kind="stable").tolist()]


def _halved(rows: Places) -> Iterator[Places]:
    """Yield some rows, halves of them, and so on to single rows."""
    if not len(rows):
        return
    yield rows
    if len(rows) > 1:
        for half in np.array_split(rows, 2):
            yield from _halved(half)


def _in_a_line(rows: CandidateRows, members: Sequence[int]) -> list[int]:
    """Return groups sorted by the attribute in which they differ most."""
    middles = rows.middles[list(members)]
    if not middles.shape[1]:
        return list(members)
    widest = int(np.ptp(middles, axis=0).argmax())
    return [members[place] for place in np.argsort(middles[:, widest], kind="stable").tolist()]


def _divided(plan: RepairPlan, parts: Sequence[Sequence[int]]) -> RepairPlan:
    """Return a plan with one merged group divided into several, each with its own number of steps."""
    old, part, steps = int(plan.part[parts[0][0]]), plan.part.copy(), plan.steps.copy()
    for members in parts:
        part[list(members)] = min(members)
        steps[min(members)] = plan.steps[old]
    return replace(plan, part=part, steps=steps)


def _finer(plan: RepairPlan, fewer: npt.NDArray[np.int8], attribute: int) -> RepairPlan:
    steps = plan.steps.copy()
    steps[:, attribute] = fewer
    return replace(plan, steps=steps)


FEW_ROWS = 6
_MOST_PLANS = 20_000
_MOST_GROUPINGS = 3_000_000
"""Many ways to group rows publish the same release; more ways than this take minutes to list, before any audit."""

Costed = tuple[Cost, RepairPlan]


class TooManyPlansError(Exception):
    """There are too many plans to try all of them."""


class AllPlans:
    """All plans for a candidate by some kinds of change; of plans that publish the same, only the first.

    They withhold any number of rows except all, merge groups in every way, move rows between groups with equal cells in
    every way, and coarsen by every number of steps up a hierarchy or grid.
    """

    def __init__(self, rows: CandidateRows, moves: Collection[str]) -> None:
        self.rows, self.moves = rows, moves

    def ascending(self) -> Iterator[Costed]:
        """Yield the plans with their costs, ascending; of equal costs, plans that regroup fewer rows come first.

        Raises:
            TooManyPlansError: there are too many.
        """
        found = list(islice((each for plan in self._regrouped() for each in self._coarsened(plan)), _MOST_PLANS + 1))
        if len(found) > _MOST_PLANS:
            raise TooManyPlansError
        yield from sorted(((self.rows.cost(plan), plan) for plan in found), key=lambda each: each[0])

    def _regrouped(self) -> Iterator[RepairPlan]:
        """Yield a plan for each set of kept rows and each way to group them.

        Raises:
            TooManyPlansError: there are too many such ways.
        """
        unchanged, rows = self.rows.unchanged(), range(self.rows.rows)
        own, choices = unchanged.home.tolist(), self._homes()
        parts = _partitions(self.rows.groups) if MERGE in self.moves else [unchanged.part.tolist()]
        least = 1 if WITHHOLD in self.moves else self.rows.rows
        ways = prod(len(homes) + (WITHHOLD in self.moves) for homes in choices)
        if ways * len(parts) > _MOST_GROUPINGS:
            raise TooManyPlansError
        for size in range(self.rows.rows, least - 1, -1):
            for kept in combinations(rows, size):
                withheld = ~np.isin(rows, kept)
                gone = np.flatnonzero(withheld)
                if not np.array_equal(self.rows.withholdable(gone), gone):
                    continue
                found: dict[object, tuple[int, tuple[int, ...], list[int]]] = {}
                for chosen in product(*(choices[row] for row in kept)):
                    regrouped = sum(home != own[row] for home, row in zip(chosen, kept, strict=True))
                    for part in parts:
                        key = _grouped(chosen, part)
                        changes = regrouped + sum(group != to for group, to in enumerate(part))
                        if key not in found or changes < found[key][0]:
                            found[key] = changes, chosen, part
                for _, chosen, part in found.values():
                    home = unchanged.home.copy()
                    home[list(kept)] = chosen
                    yield replace(unchanged, home=home, part=np.array(part), withheld=withheld)

    def _homes(self) -> list[list[int]]:
        """Return the groups to which each row may move: those with the same cells."""
        if MOVE not in self.moves:
            return [[group] for group in self.rows.group.tolist()]
        alike = self.rows.alike
        return [np.flatnonzero(alike == alike[group]).tolist() for group in self.rows.group.tolist()]

    def _coarsened(self, plan: RepairPlan) -> Iterator[RepairPlan]:
        """Yield a plan with its cells unchanged, and with every number of steps coarser."""
        if COARSEN not in self.moves or not self.rows.columns:
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


def _grouped(homes: Sequence[int], part: Sequence[int]) -> object:
    """Return which rows are together, and which of them in merged groups, independently of names."""
    roots = [part[home] for home in homes]
    return tuple((roots.index(root), part.count(root) > 1) for root in roots)


def _partitions(groups: int) -> list[list[int]]:
    """Return all partitions of some groups."""
    found: list[list[int]] = [[]]
    for group in range(groups):
        found = [[*parts, part] for parts in found for part in [*dict.fromkeys(parts), group]]
    return found


def least_recoding(
    rows: CandidateRows, way: Sequence[list[int]], keeps: Callable[[RepairPlan], bool]
) -> list[int] | None:
    """Return the number of each column's recoding, so that the policy is kept, and is not with a finer one of a column.

    On a way of coarser and coarser cells, each audit halves what is open; then columns are made finer, the dearest
    first. None if nothing on the way keeps the policy.
    """
    low, high = 0, len(way)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(rows.recoded(way[middle])) else (middle + 1, high)
    if low == len(way):
        return None
    found, costs = way[low], rows.recoding_costs(rows.recoded(way[low]))
    for place in sorted(range(len(found)), key=lambda place: -costs[place]):
        while found[place] and keeps(rows.recoded(finer := finer_at(found, place))):
            found = finer
    return found


def finer_at(recoding: list[int], place: int) -> list[int]:
    """Return a recoding with one column finer."""
    return [number - (at == place) for at, number in enumerate(recoding)]


def ways_of_columns(rows: CandidateRows) -> Iterator[list[list[int]]]:
    """Yield the recodings of each column alone, coarser and coarser."""
    for place, column in enumerate(rows.columns):
        yield [
            [number * (at == place) for at in range(len(rows.columns))] for number in range(1, len(column.recodings))
        ]


def way_to_anything(rows: CandidateRows) -> Iterator[list[int]]:
    """Yield recodings, one column coarser each time: the one that loses least for each class of rows less; last `*`."""
    starts, order = rows.group_order
    cells = [column.codes[order[starts[:-1]]] for column in rows.columns]
    tables = [
        np.stack([codes[own] for codes in column.recodings]) for own, column in zip(cells, rows.columns, strict=True)
    ]
    costs = [column.costs()[table] @ rows.people for table, column in zip(tables, rows.columns, strict=True)]
    now = [0] * len(tables)

    def classes(recoding: list[int]) -> int:
        return len(np.unique(np.stack([table[n] for table, n in zip(tables, recoding, strict=True)]), axis=1).T)

    while left := [place for place, table in enumerate(tables) if now[place] + 1 < len(table)]:
        many = classes(now)
        coarser = {place: [n + (at == place) for at, n in enumerate(now)] for place in left}
        now = min(
            coarser.values(),
            key=lambda each: (
                sum(costs[at][n] - costs[at][m] for at, (n, m) in enumerate(zip(each, now, strict=True)))
                / (many - classes(each) + 0.5)
            ),
        )
        yield now
