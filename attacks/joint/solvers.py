"""Solvers of linear models: GLOP for fractions, CP-SAT for whole numbers.

Nothing that a solver says is believed: weights are checked by `refutations`, and worlds by `Worlds`.
The one exception is that CP-SAT finds no whole numbers, which the finding then says (`solver`). Effort is limited by
work, which is the same on every machine; the clock is the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel
from attacks.linear_programmes import Programme, Solution, optimum
from audit.model.arrays import Floats
from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel

_ROUNDING = 1e-6


def in_fractions(model: LinearModel, cost: Floats, budget: Budget) -> Solution | None:
    """Return what maximizes the costs of the columns of a model; None where it has no solution, or the time is up."""
    low, high = bounds(model)
    n = len(model.column) + model.arcs
    costs = np.concatenate([cost, np.zeros(model.arcs)])
    return optimum(Programme(costs, np.zeros(n), np.full(n, np.inf), model.matrix, low, high), budget)


def from_world(model: LinearModel, held: Numbers, wanted: Numbers, budget: Budget, *, stay: bool) -> Solution | None:
    """Return what has as much as can be of some columns, beginning at a world; None where the time is up.

    What is solved for is the change, less and more of what is held apart. It is nothing at first, where the simplex
    method begins: the dual one where people stay if they can, the primal one where nothing else matters.

    Args:
        model: of some parts.
        held: how many of each class have each column in the world; shape (columns,).
        wanted: some columns.
        budget: how long.
        stay: whether as much as can be of the world is wanted besides.
    """
    from scipy.sparse import hstack

    n, some = len(model.column), np.flatnonzero(held)
    cost = np.minimum(held, 1.0) if stay else np.zeros(n)
    cost[wanted] = 4.0 * (model.core.variables + 2) if stay else 1.0
    arcs, more = np.zeros(model.arcs), np.zeros(len(some))
    rows = hstack([model.matrix, model.matrix[:, some]], format="csr")
    low, high = bounds(model)
    there = rows[:, :n] @ held
    programme = Programme(
        np.concatenate([cost, arcs, np.where(np.isin(some, wanted), cost[some], 0.0)]),
        np.concatenate([-held, arcs, more]),
        np.concatenate([np.where(held > 0, 0.0, np.inf), arcs + np.inf, more + np.inf]),
        rows,
        low - there,
        high - there,
    )
    found = optimum(programme, budget, f"use_dual_simplex: {str(stay).lower()} use_preprocessing: false")
    if found is None:
        return None
    value = found.value[: n + model.arcs].copy()
    value[:n] += held
    value[some] += found.value[n + model.arcs :]
    return Solution(value, found.weight)


def bounds(model: LinearModel) -> tuple[Floats, Floats]:
    """Return the lowest and highest values of a model's rows."""
    capacity = model.core.capacity.astype(np.float64)
    none = np.zeros(model.link_rows)
    size = model.classes.size.astype(np.float64)
    return np.concatenate([size, none, np.zeros(len(capacity))]), np.concatenate([size, none, capacity])


def row_weights(core: OpenSubproblem, found: Solution) -> Floats:
    """Return what the rows of a core weigh, none less than nothing."""
    weight: Floats = np.maximum(found.weight[len(found.weight) - len(core.capacity) :], 0.0)
    return weight


def whole(model: LinearModel, value: Floats) -> Numbers:
    """Return what is whole in some parts as whole numbers, and 0 in the others."""
    n = len(model.column)
    rounded = np.rint(value[:n]).astype(np.int64)
    good = np.ones(model.core.parts, dtype=np.bool_)
    good[model.part[np.abs(value[:n] - rounded) > _ROUNDING]] = False
    return np.where(good[model.part], rounded, 0)


Answer = Literal["found", "none", "unknown"]


def in_whole_numbers(
    model: LinearModel, some: Sequence[int], hint: Numbers | None, work: float, budget: Budget
) -> tuple[Answer, Numbers | None]:
    """Ask for whole numbers in which at least one of some columns is taken, of any where there are none of these."""
    from ortools.sat.python import cp_model

    asking = cp_model.CpModel()
    matrix = model.matrix
    most = np.concatenate([model.classes.size[model.of], np.full(model.arcs, 1)])
    columns = [asking.new_int_var(0, number, "") for number in most.tolist()]
    low, high = bounds(model)
    for row in range(matrix.shape[0]):
        some_entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        terms = [columns[column] for column in matrix.indices[some_entries].tolist()]
        factors = [int(value) for value in matrix.data[some_entries].tolist()]
        asking.add_linear_constraint(cp_model.LinearExpr.weighted_sum(terms, factors), int(low[row]), int(high[row]))
    if len(some):
        asking.add(cp_model.LinearExpr.sum([columns[column] for column in some]) >= 1)
    if hint is not None:
        for column, number in zip(columns, hint.tolist(), strict=False):
            asking.add_hint(column, number)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = work
    if len(some):  # whether these can be is mostly a matter of fractions
        solver.parameters.linearization_level = 2
    solver.parameters.catch_sigint_signal = False
    seconds = budget.remaining()
    if seconds is not None:
        solver.parameters.max_time_in_seconds = max(0.001, seconds)
    with on_cancel(solver.stop_search):
        status = solver.solve(asking)
    if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        return "found", np.array([solver.value(column) for column in columns], dtype=np.int64)
    return ("none" if status == cp_model.INFEASIBLE else "unknown"), None
