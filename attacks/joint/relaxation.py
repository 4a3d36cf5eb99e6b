"""Linear programmes of parts, many in one: what is impossible, with its proof, and worlds at the corners.

Support (Freund, Roundy, Todd 1985): maximize the sum of `z` subject to `A (x + z) = t b`, `x >= 0`, `0 <= z <= 1` and
`t >= 1`, one `t` for each part. Every optimum has `z = 1` exactly where some solution of `A x = b, x >= 0` is positive;
the dual gives each other column a margin of at least 1 with small weights, which are rounded to whole numbers and
checked (`refutations`). One programme is complete for what linear reasoning of this form can find.
"""

from __future__ import annotations

import numpy as np

from attacks.joint.arrays import Numbers, starts
from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel
from attacks.joint.refutations import rounded
from attacks.joint.solvers import bounds, in_fractions, row_weights, whole
from attacks.linear_programmes import Programme, optimum
from audit.model.arrays import Flags, Floats
from audit.runtime.budget import Budget

_HALF = 0.5


def supported(core: OpenSubproblem, asked: Flags, budget: Budget) -> list[Numbers] | None:
    """Return weights that prove impossible what can be proved of the columns asked about; None where the time is up.

    Each of shape (rows,). What is nothing in the numbers of the solver alone is not believed.
    """
    from scipy.sparse import csr_array, hstack

    if budget.exhausted():  # the model of a large part takes seconds to make
        return None
    model = LinearModel(core)
    wanted = np.flatnonzero(asked[model.column])
    low, high = bounds(model)
    n, parts = len(model.column) + model.arcs, core.parts
    part = np.concatenate([core.part[core.classes.first], np.zeros(model.link_rows, dtype=np.int64), core.row_part])
    scaled = csr_array((-high, part, np.arange(len(high) + 1)), shape=(len(high), parts))
    rows = hstack([model.matrix, model.matrix[:, wanted], scaled], format="csr")
    upper = np.concatenate([np.full(n, np.inf), np.ones(len(wanted)), np.full(parts, np.inf)])
    lower = np.concatenate([np.zeros(n + len(wanted)), np.ones(parts)])
    cost = np.concatenate([np.zeros(n), np.ones(len(wanted)), np.zeros(parts)])
    low = np.where(low == high, 0.0, -np.inf)
    low[len(low) - len(core.capacity) :] = -np.inf
    found = optimum(Programme(cost, lower, upper, rows, low, np.zeros(len(high))), budget)
    if found is None:
        return None
    nothing = np.zeros(len(core.kind), dtype=np.bool_)
    nothing[model.column[wanted[found.value[n : n + len(wanted)] < _HALF]]] = True
    return rounded(core, row_weights(core, found), nothing)


def corner(core: OpenSubproblem, cost: Floats, budget: Budget) -> Numbers | None:
    """Return what may be worlds, at the corner that maximizes the costs of columns; None where the time is up.

    A column for each variable of the parts where the corner is whole, -1 elsewhere; shape (variables,). A programme
    without a solution says nothing.
    """
    if budget.exhausted():
        return None
    model = LinearModel(core)
    found = in_fractions(model, cost[model.column], budget)
    if found is None:
        return None
    return model.world(whole(model, found.value))


def batches(core: OpenSubproblem, most: int) -> list[tuple[int, int]]:
    """Return runs of parts with up to so many columns, larger parts alone."""
    columns = starts(np.bincount(core.part[core.owner], minlength=core.parts))
    found, first = [], 0
    while first < core.parts:
        last = max(first + 1, int(np.searchsorted(columns, columns[first] + most, side="right")) - 1)
        found.append((first, last))
        first = last
    return found
