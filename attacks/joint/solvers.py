"""Solvers of linear models: GLOP for fractions, once or for one question after the other, CP-SAT for whole numbers.

Nothing that a solver says is believed: weights are checked by `LinearModel.impossible`, and worlds by `Core.worlds`.
The one exception is that CP-SAT finds no whole numbers, which the finding then says (`solver`). Effort is limited by
work, which is the same on every machine; the clock is the user's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attacks.joint.arrays import Flags, Floats, Numbers
from attacks.joint.linear_model import LinearModel
from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel

_ROUNDING = 1e-6


@dataclass(frozen=True)
class Solution:
    """An optimum: values of columns, and what the rows weigh in the proof that nothing is better."""

    value: Floats
    weight: Floats


def optimum(
    cost: Floats, upper: Floats, lower: Floats, rows: object, low: Floats, high: Floats, budget: Budget
) -> Solution | None:
    """Return what maximizes `cost` over columns between `lower` and `upper` and rows between `low` and `high`.

    None where there is nothing, or the time is up.
    """
    from ortools.linear_solver.python import model_builder_helper as glop

    model: Any = glop.ModelBuilderHelper()
    solver = glop.ModelSolverHelper("GLOP")
    model.fill_model_from_sparse_data(lower, upper, cost, low, high, rows)
    model.set_maximize(True)
    seconds = budget.remaining()
    if seconds is not None:
        solver.set_time_limit_in_seconds(max(0.001, seconds))
    with on_cancel(solver.interrupt_solve):
        solver.solve(model)
    if not solver.has_solution() or solver.status() != glop.SolveStatus.OPTIMAL:
        return None
    return Solution(np.asarray(solver.variable_values()), np.asarray(solver.dual_values()))


class Warm:
    """A model that is maximized again and again, each time from the last solution (primal simplex)."""

    def __init__(self, model: LinearModel) -> None:
        from ortools.linear_solver import pywraplp

        self._model = model
        self._solver = solver = pywraplp.Solver.CreateSolver("GLOP")
        # Another question leaves the last answer allowed, so that it is a start; presolving would forget it.
        solver.SetSolverSpecificParametersAsString("use_dual_simplex: false use_preprocessing: false")
        self._optimal = pywraplp.Solver.OPTIMAL
        low, high = bounds(model)
        matrix = model.matrix
        self._columns = [solver.NumVar(0, solver.infinity(), "") for _ in range(matrix.shape[1])]
        self._rows = [solver.Constraint(*pair) for pair in zip(low.tolist(), high.tolist(), strict=True)]
        entries = matrix.tocoo()
        for row, column, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
            self._rows[row].SetCoefficient(self._columns[column], value)
        self._objective = solver.Objective()
        self._objective.SetMaximization()
        self._set: dict[int, float] = {}

    def best(self, cost: dict[int, float], budget: Budget) -> Solution | None:
        """Return what maximizes the costs of some columns; None where the time is up."""
        for column in self._set.keys() - cost.keys():
            self._objective.SetCoefficient(self._columns[column], 0)
        for column, value in cost.items():
            if self._set.get(column) != value:
                self._objective.SetCoefficient(self._columns[column], value)
        self._set = dict(cost)
        seconds = budget.remaining()
        if seconds is not None:
            self._solver.SetTimeLimit(max(1, int(1_000 * seconds)))
        with on_cancel(self._solver.InterruptSolve):
            status = self._solver.Solve()
        if status != self._optimal:
            return None
        found = np.array([column.solution_value() for column in self._columns])
        return Solution(found, np.array([row.dual_value() for row in self._rows]))


def bounds(model: LinearModel) -> tuple[Floats, Floats]:
    """Return the lowest and highest values of a model's rows."""
    capacity = model.core.capacity.astype(np.float64)
    none = np.zeros(model.link_rows)
    size = model.sizes.astype(np.float64)
    return np.concatenate([size, none, np.zeros(len(capacity))]), np.concatenate([size, none, capacity])


def row_weights(model: LinearModel, weight: Floats) -> Floats:
    """Return what the rows of the core weigh, none less than nothing."""
    found: Floats = np.maximum(weight[len(weight) - len(model.core.capacity) :], 0.0)
    return found


def whole(model: LinearModel, value: Floats) -> tuple[Numbers, Flags]:
    """Return values as whole numbers, and in which parts they are; 0 in the others."""
    rounded = np.rint(value).astype(np.int64)
    broken = np.abs(value - rounded) > _ROUNDING
    good = np.ones(model.core.parts, dtype=np.bool_)
    n = len(model.column)
    good[model.part[broken[:n]]] = False
    if model.arcs:
        good[model.arc_part[broken[n:]]] = False
        rounded[n:][~good[model.arc_part]] = 0
    rounded[:n][~good[model.part]] = 0
    return rounded, good


Answer = Literal["found", "none", "unknown"]


def in_whole_numbers(
    model: LinearModel, some: Sequence[int], hint: Numbers | None, work: float, budget: Budget
) -> tuple[Answer, Numbers | None]:
    """Ask for whole numbers in which at least one of some columns is taken, of any where there are none of these."""
    from ortools.sat.python import cp_model

    asking = cp_model.CpModel()
    matrix = model.matrix
    most = np.concatenate([model.sizes[model.of], np.full(model.arcs, int(model.sizes.max(initial=0)))])
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
