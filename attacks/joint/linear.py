"""Linear programmes of how many people of each class have each value, as solvers have them (GLOP, SCIP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attacks.joint.network import Flags
from audit.core.budget import Budget
from audit.core.engine import stopped_by

if TYPE_CHECKING:
    from attacks.joint.relaxation import Programme

# Primal: another question leaves the last answer allowed, so that it is a start.
_LINEAR = "use_dual_simplex: false use_preprocessing: false"
# Good worlds are as welcome as the best one.
# What takes more nodes is too hard; counted rather than timed, so that it is the same everywhere.
_NODES = 1_000
_WHOLE = f"limits/gap = 0.3\nlimits/totalnodes = {_NODES}"


class Linear:
    """A programme to be maximized over some columns, in whole numbers if that is wanted."""

    def __init__(self, programme: Programme, columns: Flags, *, whole: bool = False) -> None:
        from ortools.linear_solver import pywraplp

        self._solver = solver = pywraplp.Solver.CreateSolver("SCIP" if whole else "GLOP")
        solver.SetSolverSpecificParametersAsString(_WHOLE if whole else _LINEAR)
        self._enough = {pywraplp.Solver.OPTIMAL} | ({pywraplp.Solver.FEASIBLE} if whole else set())
        size = programme.size.tolist()
        people = [solver.Constraint(number, number) for number in size]
        self._rows = [solver.Constraint(0, number) for number in programme.rows.tolist()]
        self._columns = []
        row, start = programme.row.tolist(), programme.start.tolist()
        for column, kind in enumerate(programme.kind.tolist()):
            variable = solver.Var(0, size[kind], whole, "")
            people[kind].SetCoefficient(variable, 1)
            for cell in row[start[column] : start[column + 1]]:
                self._rows[cell].SetCoefficient(variable, 1)
            self._columns.append(variable)
        self._objective = solver.Objective()
        self._objective.SetMaximization()
        for column in np.flatnonzero(columns).tolist():
            self._objective.SetCoefficient(self._columns[column], 1)

    def solved(self, budget: Budget) -> npt.NDArray[np.float64] | None:
        """Return the best solution, shape (columns,); None where there is none, or the time is up."""
        seconds = budget.left()
        if seconds is not None:
            self._solver.SetTimeLimit(max(1, int(1_000 * seconds)))
        with stopped_by(self._solver.InterruptSolve):
            status = self._solver.Solve()
        if status not in self._enough:
            return None
        return np.array([variable.solution_value() for variable in self._columns])

    @property
    def exhausted(self) -> bool:
        """Whether the last programme in whole numbers was too hard."""
        return bool(self._solver.nodes() >= _NODES)

    def weights(self) -> npt.NDArray[np.float64]:
        """Return the weight of each cell in the proof that nothing is better; shape (cells,)."""
        return np.array([row.dual_value() for row in self._rows])

    def forget(self, columns: Flags) -> None:
        """Maximize over the others alone."""
        for column in np.flatnonzero(columns).tolist():
            self._objective.SetCoefficient(self._columns[column], 0)
