"""Linear programmes, solved by GLOP. Nothing that it says is believed: whoever asks checks it exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.model.arrays import Floats
from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel


@dataclass(frozen=True)
class Programme:
    """Maximize `cost` over columns between `lower` and `upper`, with rows between `low` and `high`.

    Attributes:
        cost, lower, upper: of each column; shape (columns,).
        rows: what each row sums; a sparse array of shape (rows, columns).
        low, high: of each row; shape (rows,).
    """

    cost: Floats
    lower: Floats
    upper: Floats
    rows: Any  # scipy's matrices have no types
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Solution:
    """An optimum: values of columns, and what the rows weigh in the proof that nothing is better."""

    value: Floats
    weight: Floats


def optimum(programme: Programme, budget: Budget, parameters: str = "") -> Solution | None:
    """Return an optimum, found by GLOP with some parameters of its own; None for no optimum, or the time is up."""
    from ortools.linear_solver.python import model_builder_helper as glop
    from scipy.sparse import csr_matrix

    model: Any = glop.ModelBuilderHelper()
    solver = glop.ModelSolverHelper("GLOP")
    p = programme
    model.fill_model_from_sparse_data(p.lower, p.upper, p.cost, p.low, p.high, csr_matrix(p.rows))
    model.set_maximize(True)
    if parameters:
        solver.set_solver_specific_parameters(parameters)
    seconds = budget.remaining()
    if seconds is not None:
        solver.set_time_limit_in_seconds(max(0.001, seconds))
    with on_cancel(solver.interrupt_solve):
        solver.solve(model)
    if not solver.has_solution() or solver.status() != glop.SolveStatus.OPTIMAL:
        return None
    return Solution(np.asarray(solver.variable_values()), np.asarray(solver.dual_values()))


def optimum_near(programme: Programme, start: Floats, budget: Budget) -> Solution | None:
    """Return an optimum, looked for from a solution on by the primal simplex method; None as `optimum` does.

    What is solved for is the change, which is nothing at first: columns that are between their bounds have one to
    become less and one to become more. Where few columns have to change, few steps are taken.
    """
    from scipy.sparse import hstack

    p = programme
    between = np.flatnonzero((p.lower < start) & (start < p.upper))
    upper = p.upper - start
    upper[between] = 0.0
    changes = Programme(
        np.concatenate([p.cost, p.cost[between]]),
        np.concatenate([p.lower - start, np.zeros(len(between))]),
        np.concatenate([upper, p.upper[between] - start[between]]),
        hstack([p.rows, p.rows[:, between]], format="csr"),
        p.low - p.rows @ start,
        p.high - p.rows @ start,
    )
    found = optimum(changes, budget, "use_dual_simplex: false use_preprocessing: false")
    if found is None:
        return None
    value = start + found.value[: len(start)]
    value[between] += found.value[len(start) :]
    return Solution(value, found.weight)
