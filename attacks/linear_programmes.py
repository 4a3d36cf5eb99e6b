"""Linear programmes, solved by GLOP, or by HiGHS if their columns are whole numbers; the only module that calls them.

A solver's word is never taken: the caller checks points and weights exactly, and "none" is a reason to search for a
proof. GLOP stops when the user does; HiGHS at its limit of branches, or of time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.model.arrays import Floats
from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel
from audit.runtime.integer_programmes import Answer


@dataclass(frozen=True)
class Programme:
    """Maximize `cost` over columns between `lower` and `upper`, with rows between `low` and `high`.

    Attributes:
        cost, lower, upper: the cost and the bounds of each column; shape (columns,).
        rows: the coefficients; a sparse array of shape (rows, columns).
        low, high: the bounds of each row; shape (rows,).
        branches: 0 for a linear programme (GLOP); else all columns are whole numbers, and HiGHS may branch so often.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    rows: Any  # scipy's matrices have no types
    low: Floats
    high: Floats
    branches: int = 0


@dataclass(frozen=True)
class Solution:
    """A solution: the values of the columns, and the dual values of the rows (empty for whole numbers)."""

    value: Floats
    weight: Floats


def optimum(programme: Programme, budget: Budget, parameters: str = "") -> Solution | None:
    """Return an optimum found by GLOP with some of its parameters; None if there is none, or if time runs out."""
    answer, found = answered(programme, budget, parameters)
    return found if answer == "best" else None


def answered(programme: Programme, budget: Budget, parameters: str = "") -> tuple[Answer, Solution | None]:
    """Return the status of the solver, and its solution; None if it has none."""
    from ortools.linear_solver.python import model_builder_helper as solvers
    from scipy.sparse import csr_matrix

    p = programme
    model: Any = solvers.ModelBuilderHelper()
    solver = solvers.ModelSolverHelper("HIGHS" if p.branches else "GLOP")
    model.fill_model_from_sparse_data(p.lower, p.upper, p.cost, p.low, p.high, csr_matrix(p.rows))
    model.set_maximize(True)
    if p.branches:
        parameters = f"output_flag=false,random_seed=0,mip_max_nodes={p.branches}"
        for column in range(len(p.cost)):
            model.set_var_integrality(column, True)
    if parameters:
        solver.set_solver_specific_parameters(parameters)
    seconds = budget.remaining()
    if seconds is not None:
        solver.set_time_limit_in_seconds(max(0.001, seconds))
    with on_cancel(solver.interrupt_solve):
        solver.solve(model)
    answers: dict[object, Answer] = {
        solvers.SolveStatus.OPTIMAL: "best",
        solvers.SolveStatus.FEASIBLE: "found",
        solvers.SolveStatus.INFEASIBLE: "none",
    }
    answer = answers.get(solver.status(), "unknown")
    if not solver.has_solution():
        return answer, None
    weight = np.zeros(0) if p.branches else np.asarray(solver.dual_values())
    return answer, Solution(np.asarray(solver.variable_values()), weight)


def optimum_near(programme: Programme, start: Floats, budget: Budget) -> Solution | None:
    """Return an optimum, searched from a given solution by the primal simplex method; None as in `optimum`.

    The programme that is solved has the changes of columns as its columns, which are 0 at first. A column between its
    bounds has two, one for a decrease and one for an increase. If few columns must change, few steps are needed.
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
