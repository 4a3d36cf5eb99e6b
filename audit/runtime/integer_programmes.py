"""Integer programmes, solved by CP-SAT: one way to ask, with one limit of effort.

Effort is counted in the solver's own deterministic seconds, so that answers do not depend on the machine or its load;
the clock is the user's limit alone. The caller checks the values; that there are none is the solver's word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from audit.runtime.budget import Budget
from audit.runtime.engine import on_cancel

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Answer = Literal["best", "found", "none", "unknown"]
"""Whether nothing is better than what was found, something was found, nothing is there, or the limit was reached."""


def solved(
    model: cp_model.CpModel, work: float, budget: Budget, **parameters: bool | int
) -> tuple[Answer, cp_model.CpSolver]:
    """Return what CP-SAT answers, and the solver that has the values.

    Args:
        model: what is asked.
        work: how long the solver may work, in deterministic seconds.
        budget: how long the user waits.
        parameters: further ones of the solver.
    """
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = max(work, 1e-9)
    solver.parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process
    for name, value in parameters.items():
        setattr(solver.parameters, name, value)
    seconds = budget.remaining()
    if seconds is not None:
        solver.parameters.max_time_in_seconds = max(0.001, seconds)
    with on_cancel(solver.stop_search):
        status = solver.solve(model)
    answers: dict[object, Answer] = {
        cp_model.OPTIMAL: "best",
        cp_model.FEASIBLE: "found",
        cp_model.INFEASIBLE: "none",
    }
    return answers.get(status, "unknown"), solver
