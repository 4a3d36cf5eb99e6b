"""Linear programmes, solved by GLOP or HiGHS; the only module that calls these.

A solver's word is never taken: the caller checks points and weights exactly, and "none" is a reason to search for a
proof. Both stop when the user does, HiGHS also at its limit of branches, and at the limit of time.

GLOP is faster for a single programme, above all from a known solution. HiGHS continues from one cost to the next, and
searches for whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.model.arrays import Floats
from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel
from audit.runtime.integer_programmes import Answer

_PRIMAL = 4  # HiGHS's name of the simplex method for which the optimum of another cost is a good beginning


@dataclass(frozen=True)
class Solution:
    """A solution: the values of the columns, and the dual values of the rows (empty for whole numbers)."""

    value: Floats
    weight: Floats


@dataclass(frozen=True)
class Programme:
    """Columns between `lower` and `upper`, with rows between `low` and `high`; a cost of them is maximized.

    Attributes:
        lower, upper: the bounds of each column; shape (columns,).
        rows: the coefficients; a sparse array of shape (rows, columns).
        low, high: the bounds of each row; shape (rows,).
    """

    lower: Floats
    upper: Floats
    rows: Any  # scipy's matrices have no types
    low: Floats
    high: Floats

    def optimum(self, cost: Floats, budget: Budget, parameters: str = "") -> Solution | None:
        """Return an optimum found by GLOP with some of its parameters; None if there is none, or if time runs out.

        Args:
            cost: of each column; shape (columns,).
            budget: the time limit.
            parameters: those of GLOP, as text.
        """
        from ortools.linear_solver.python import model_builder_helper as solvers
        from scipy.sparse import csr_matrix

        model: Any = solvers.ModelBuilderHelper()
        solver = solvers.ModelSolverHelper("GLOP")
        model.fill_model_from_sparse_data(self.lower, self.upper, cost, self.low, self.high, csr_matrix(self.rows))
        model.set_maximize(True)
        if parameters:
            solver.set_solver_specific_parameters(parameters)
        seconds = budget.remaining()
        if seconds is not None:
            solver.set_time_limit_in_seconds(max(0.001, seconds))
        with on_cancel(solver.interrupt_solve):
            solver.solve(model)
        if solver.status() != solvers.SolveStatus.OPTIMAL:
            return None
        return Solution(np.asarray(solver.variable_values()), np.asarray(solver.dual_values()))

    def optimum_near(self, cost: Floats, start: Floats, budget: Budget) -> Solution | None:
        """Return an optimum, searched from a solution by the primal simplex method; None as in `optimum`.

        The programme that is solved has the changes of columns as its columns, which are 0 at first. A column between
        its bounds has two, one for a decrease and one for an increase. If few columns must change, few steps are
        needed.

        Args:
            cost: of each column; shape (columns,).
            start: the solution; shape (columns,).
            budget: the time limit.
        """
        from scipy.sparse import hstack

        between = np.flatnonzero((self.lower < start) & (start < self.upper))
        upper = self.upper - start
        upper[between] = 0.0
        changes = Programme(
            np.concatenate([self.lower - start, np.zeros(len(between))]),
            np.concatenate([upper, self.upper[between] - start[between]]),
            hstack([self.rows, self.rows[:, between]], format="csr"),
            self.low - self.rows @ start,
            self.high - self.rows @ start,
        )
        costs = np.concatenate([cost, cost[between]])
        found = changes.optimum(costs, budget, "use_dual_simplex: false use_preprocessing: false")
        if found is None:
            return None
        value = start + found.value[: len(start)]
        value[between] += found.value[len(start) :]
        return Solution(value, found.weight)


class ContinuedSearch:
    """A programme in HiGHS, which begins the search for each cost at the optimum of the one before.

    If costs are alike, few steps are needed. With `branches`, all columns are whole numbers, and the solver may branch
    so often.
    """

    def __init__(self, programme: Programme, branches: int = 0) -> None:
        from highspy import Highs, HighsLp, HighsVarType, ObjSense
        from scipy.sparse import csc_matrix

        p, matrix, model = programme, csc_matrix(programme.rows), HighsLp()
        model.num_row_, model.num_col_ = matrix.shape
        model.col_cost_ = np.zeros(matrix.shape[1])
        model.col_lower_, model.col_upper_, model.row_lower_, model.row_upper_ = p.lower, p.upper, p.low, p.high
        model.a_matrix_.start_ = matrix.indptr
        model.a_matrix_.index_ = matrix.indices
        model.a_matrix_.value_ = matrix.data
        model.sense_ = ObjSense.kMaximize
        model.integrality_ = [HighsVarType.kInteger] * (matrix.shape[1] if branches else 0)
        self._whole, self._solver = bool(branches), Highs()
        self._solver.setOptionValue("output_flag", False)  # first, or the rest is logged on the terminal
        self._solver.setOptionValue("threads", 1)
        if branches:
            self._solver.setOptionValue("mip_max_nodes", branches)
        self._solver.HandleUserInterrupt = True
        self._solver.passModel(model)

    def optimum(self, cost: Floats, budget: Budget) -> Solution | None:
        """Return an optimum; None if there is none, or if a limit was reached. `cost` has shape (columns,)."""
        answer, found = self.answered(cost, budget)
        return found if answer == "best" else None

    def answered(self, cost: Floats, budget: Budget) -> tuple[Answer, Solution | None]:
        """Return the status of the solver, and its solution; None if it has none. `cost` has shape (columns,)."""
        from highspy import HighsModelStatus, SolutionStatus

        solver, seconds = self._solver, budget.remaining()
        solver.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
        solver.setOptionValue("time_limit", np.inf if seconds is None else solver.getRunTime() + max(0.001, seconds))
        with on_cancel(solver.cancelSolve):
            solver.solve()
        solver.setOptionValue("simplex_strategy", _PRIMAL)
        found = solver.getSolution()
        has_solution = solver.getInfo().primal_solution_status == SolutionStatus.kSolutionStatusFeasible
        answers: dict[object, Answer] = {HighsModelStatus.kOptimal: "best", HighsModelStatus.kInfeasible: "none"}
        answer = answers.get(solver.getModelStatus(), "found" if has_solution else "unknown")
        if not has_solution:
            return answer, None
        return answer, Solution(np.array(found.col_value), np.array(() if self._whole else found.row_dual))
