"""Row costs: points of rows that prove values impossible for all people at once, in as few steps as possible.

From what single groups leave, one support programme after another proves what is known to be impossible, as far as
fractions can. Results of counting, and of questions about single people, are proved in the same way. Points that leave
nothing over in their part are laid into one step.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.knowledge import Knowledge
from attacks.joint.linear_model import LinearModel, batches
from attacks.joint.network import ConstraintNetwork
from attacks.joint.refutations import PointTotals
from attacks.joint.settling import BATCH
from audit.model.arrays import Numbers
from audit.model.outcome import RowCosts
from audit.runtime.budget import Budget


def row_costs(decision: Knowledge, budget: Budget) -> Iterator[RowCosts]:
    """Yield steps that prove what was decided to be impossible, and that single groups do not, as time allows."""
    net, known = decision.network, Knowledge(decision.network, budget)
    known.narrow()
    while not budget.exhausted():
        gone = known.alive & ~decision.alive
        if not gone.any():
            return
        core, found = known.core(gone), np.zeros(net.columns, dtype=np.bool_)
        exact, others = np.zeros(len(net.capacity), dtype=np.int64), list[Numbers]()
        for a, b in batches(core, BATCH):
            part = core.slice(a, b)
            for weight in LinearModel(part).support(gone[part.column], budget):
                found[part.column[_kept(part, weight, exact, others)]] = True
        for cost in (exact, *others):
            yield from _named(net, cost)
        if not found.any():
            return
        known.rule_out(found)


def _kept(part: OpenSubproblem, weight: Numbers, exact: Numbers, others: list[Numbers]) -> Numbers:
    """Return which columns some weights prove impossible, and keep the weights of those parts of the core."""
    totals = PointTotals(part, weight)
    columns = totals.impossible()
    for number in np.unique(part.part[part.owner[columns]]).tolist():
        rows = np.flatnonzero(part.row_part == number)
        cost = exact
        if totals.spare[number]:
            others.append(cost := np.zeros_like(exact))
        cost[part.network_rows[rows]] += weight[rows]
    return columns


def _named(net: ConstraintNetwork, cost: Numbers) -> Iterator[RowCosts]:
    """Yield what rows of the network cost by release, group and class; nothing where that says not all."""
    rows = np.flatnonzero(cost)
    if len(rows) and (net.row_kind[rows] >= 0).all():
        yield RowCosts(net.row_release[rows], net.row_group[rows], net.row_kind[rows], cost[rows], net.kind_of)
