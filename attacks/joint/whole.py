"""Whole numbers: programmes asked for worlds with values that none has shown yet (CP-SAT).

Each solution is a world. The next one is asked to have as many unseen values as possible; when it is proved that none
can have any, what is unseen is impossible. Only `INFEASIBLE`, or `OPTIMAL` with nothing unseen, counts as a proof.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attacks.joint.network import Flags
from attacks.joint.relaxation import Programme, Support
from audit.core.budget import Budget

# Seconds for one world.
_PATIENCE = 20.0


def in_whole_numbers(programme: Programme, asked: Flags, budget: Budget) -> Support:
    """Return which of some columns a world has, and which none has; shape (columns,)."""
    from ortools.sat.python import cp_model

    model, numbers = _model(programme)
    has = {column: model.new_bool_var("") for column in np.flatnonzero(asked).tolist()}
    for column, flag in has.items():
        model.add(numbers[column] >= 1).only_enforce_if(flag)
    found = Support(np.zeros_like(asked), np.zeros_like(asked), np.zeros_like(asked))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    while has and not budget.spent():
        model.clear_objective()
        model.maximize(sum(has.values()))
        solver.parameters.max_time_in_seconds = max(1e-3, min(_PATIENCE, budget.left() or _PATIENCE))
        status = solver.solve(model)
        found.feasible = status != cp_model.INFEASIBLE
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            break
        found.world = np.array([solver.value(number) for number in numbers], dtype=np.int64)
        if not programme.fits(found.world):
            raise AssertionError("the solver's world is none")
        found.shown |= found.world > 0
        seen = [column for column in has if found.world[column]]
        if not seen:
            found.impossible[list(has)] = status == cp_model.OPTIMAL
            break
        for column in seen:
            del has[column]
    return found


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
