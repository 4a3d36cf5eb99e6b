"""Row costs: points of rows that prove values impossible for all people at once, in as few steps as possible.

It begins with the values that single groups leave. One support programme after another proves the values impossible
that were decided to be impossible, as far as linear reasoning can, whether they were found by counting or by questions
about single people. Points of parts in which no points remain to spare are merged into one step.
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
    """Yield steps that prove impossible values which no single group proves, until time runs out.

    Args:
        decision: the knowledge of the columns.
        budget: the time limit.
    """
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
    """Return the columns that some weights prove impossible, and store the weights of the parts of these columns."""
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
    """Yield the points of rows by release, group and class; nothing if places of row classes have points as well."""
    rows = np.flatnonzero(cost)
    if len(rows) and (net.row_kind[rows] >= 0).all():
        yield RowCosts(net.row_release[rows], net.row_group[rows], net.row_kind[rows], cost[rows], net.kind_of)
