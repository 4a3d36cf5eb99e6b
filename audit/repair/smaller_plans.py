"""Plans that change less than another: what was merged, withheld or coarsened too much is undone in part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Places
from audit.repair.candidate_rows import CandidateRows
from audit.repair.repair_plan import RepairPlan

_UNDONE = 40


def smaller_plans(rows: CandidateRows, plan: RepairPlan) -> list[RepairPlan]:
    """Return plans that lose less than a plan, those that lose the least first."""
    cost = rows.cost(plan)
    found = [(rows.cost(each), number, each) for number, each in enumerate(_smaller(rows, plan))]
    return [each for lost, _, each in sorted(found, key=lambda each: each[:2]) if lost < cost]


def _smaller(rows: CandidateRows, plan: RepairPlan) -> Iterator[RepairPlan]:
    withheld = np.flatnonzero(plan.withheld)
    for some in _halved(withheld):
        yield plan.kept(rows.withholdable(some))
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


def _halved(rows: Places) -> Iterator[Places]:
    """Yield some rows, halves of them, and so on to single rows."""
    if not len(rows):
        return
    yield rows
    if len(rows) > 1:
        for half in np.array_split(rows, 2):
            yield from _halved(half)


def _in_a_line(rows: CandidateRows, members: Sequence[int]) -> list[int]:
    """Return groups in the order of the attribute in which they lie furthest from one another."""
    middles = rows.middles[list(members)]
    if not middles.shape[1]:
        return list(members)
    widest = int(np.ptp(middles, axis=0).argmax())
    return [members[place] for place in np.argsort(middles[:, widest], kind="stable").tolist()]


def _divided(plan: RepairPlan, parts: Sequence[Sequence[int]]) -> RepairPlan:
    """Return a plan with a merged group in several, each with the steps that it took."""
    old, part, steps = int(plan.part[parts[0][0]]), plan.part.copy(), plan.steps.copy()
    for members in parts:
        part[list(members)] = min(members)
        steps[min(members)] = plan.steps[old]
    return replace(plan, part=part, steps=steps)


def _finer(plan: RepairPlan, fewer: npt.NDArray[np.int8], attribute: int) -> RepairPlan:
    steps = plan.steps.copy()
    steps[:, attribute] = fewer
    return replace(plan, steps=steps)
