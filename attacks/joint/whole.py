"""Whole numbers: programmes asked for worlds with values that none has shown yet.

SCIP is quick at finding such worlds, each of which is checked; what it does not find proves nothing. Then CP-SAT, which
computes in whole numbers alone, is asked for a world with as many of the values that are left as possible: when it
proves that none can have any, they are impossible. Only `INFEASIBLE`, or `OPTIMAL` with nothing unseen, is a proof.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attacks.joint.linear import Linear
from attacks.joint.network import Flags
from attacks.joint.relaxation import Programme, Support
from audit.core.budget import Budget
from audit.core.engine import stopped_by

# How long one world may take, in CP-SAT's own deterministic seconds.
_EFFORT = 60.0


def in_whole_numbers(programme: Programme, asked: Flags, shown: Flags, enough: int, budget: Budget) -> Support:
    """Return which columns a world has, and which none has; arguments as of `Programme.supported`."""
    found = Support(shown.copy(), np.zeros_like(asked), np.zeros_like(asked))
    if _show(programme, asked, enough, found, budget):
        _prove(programme, asked, enough, found, budget)
    return found


def _show(programme: Programme, asked: Flags, enough: int, found: Support, budget: Budget) -> bool:
    """Look for worlds with columns that none has shown yet; tell whether there was time to find all."""
    left = programme.wanting(asked & ~found.shown, found.shown, enough)
    if not left.any() or budget.spent():
        return True
    model = Linear(programme, left, whole=True)
    while left.any() and not budget.spent():
        value = model.solved(budget)
        world = None if value is None else np.rint(value).astype(np.int64)
        if world is None or not programme.fits(world) or not world[left].any():
            return not (model.exhausted or budget.spent())  # what is too much for SCIP is so for CP-SAT
        found.world = world
        found.shown |= world > 0
        before, left = left, programme.wanting(left & ~found.shown, found.shown, enough)
        model.forget(before & ~left)
    return True


def _prove(programme: Programme, asked: Flags, enough: int, found: Support, budget: Budget) -> None:
    """Look for a proof that no world has what is left, or for a world that has some of it."""
    from ortools.sat.python import cp_model

    left = programme.wanting(asked & ~found.shown, found.shown, enough)
    if not left.any() or budget.spent():
        return
    model, numbers = _model(programme)
    has = {column: model.new_bool_var("") for column in np.flatnonzero(left).tolist()}
    for column, flag in has.items():
        model.add(numbers[column] >= 1).only_enforce_if(flag)
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    # All of the programme as a linear one: what is left here is nearly whole, and that is a hundred times faster.
    solver.parameters.linearization_level = 2
    solver.parameters.max_deterministic_time = _EFFORT
    while left.any() and not budget.spent():
        model.clear_objective()
        model.maximize(sum(has[column] for column in np.flatnonzero(left).tolist()))
        limit = budget.left()
        if limit is not None:
            solver.parameters.max_time_in_seconds = max(limit, 1e-3)
        with stopped_by(solver.stop_search):
            status = solver.solve(model)
        found.feasible = status != cp_model.INFEASIBLE
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return
        found.world = np.array([solver.value(number) for number in numbers], dtype=np.int64)
        if not programme.fits(found.world):
            raise AssertionError("the solver's world is none")
        found.shown |= found.world > 0
        if not found.world[left].any():
            found.impossible[left] = status == cp_model.OPTIMAL
            return
        left = programme.wanting(left & ~found.shown, found.shown, enough)


def _model(programme: Programme) -> tuple[Any, list[Any]]:
    """Return the programme with its columns."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    size = programme.size[programme.kind].tolist()
    numbers = [model.new_int_var(0, most, "") for most in size]
    of_kind: dict[int, list[int]] = {}
    takers: dict[int, list[int]] = {}
    for column, kind in enumerate(programme.kind.tolist()):
        of_kind.setdefault(kind, []).append(column)
        for cell in programme.row[programme.start[column] : programme.start[column + 1]].tolist():
            takers.setdefault(cell, []).append(column)
    for kind, columns in of_kind.items():
        model.add(sum(numbers[column] for column in columns) == int(programme.size[kind]))
    for cell, columns in takers.items():
        if sum(size[column] for column in columns) > programme.rows[cell]:
            model.add(sum(numbers[column] for column in columns) <= int(programme.rows[cell]))
    return model, numbers
