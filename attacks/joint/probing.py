"""Probing: may somebody have a column at all, as a whole person?

The support of fractions says only that a part of a person can. Here a column is made as large as it can be, staying
near a known world otherwise. Where it stays below one, weights of rows prove that nobody has it; a corner that is whole
is a world. Each question starts from the last answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Flags, Floats, Numbers
from attacks.joint.core import Core
from attacks.joint.linear_model import LinearModel
from attacks.joint.solvers import Warm, row_weights, whole
from audit.runtime.budget import Budget

_SCALES = (1, 12, 60, 5040, 1 << 20)


@dataclass(frozen=True)
class Probed:
    """What was found of a part.

    Attributes:
        shown: columns that a world that was checked has; shape (columns,).
        impossible: columns that are proved impossible; likewise.
        chosen: a world, -1 where none is known; shape (variables,).
        asked: columns of options that were asked for; shape (columns,).
    """

    shown: Flags
    impossible: Flags
    chosen: Numbers
    asked: Flags


def probed(core: Core, chosen: Numbers, asked: Flags, enough: int, shown: Flags, budget: Budget) -> Probed:
    """Ask for one option after the other of a part of which a world is known.

    Args:
        core: one part.
        chosen: a world of it; shape (variables,).
        asked: the columns that are asked for; shape (columns,).
        enough: how many shown options of a variable are enough; 0 for all.
        shown: what is shown so far; shape (columns,).
        budget: how long.
    """
    model = LinearModel(core)
    warm = Warm(model)
    near = {int(column): 1.0 for column in np.flatnonzero(model.counts(chosen))}
    heavy = 4.0 * (core.variables + 2)
    shown, impossible, world = shown.copy(), np.zeros(len(core.kind), dtype=np.bool_), chosen
    option, owner = core.option[model.column], core.owner[model.column]
    tried = np.zeros(len(core.kind), dtype=np.bool_)
    for each in np.unique(option[asked[model.column]]).tolist():
        mine = np.flatnonzero(option == each)
        columns = model.column[mine]
        if shown[columns].any() or (enough and values_shown(core, shown, int(owner[mine[0]])) >= enough):
            continue
        if budget.exhausted():
            break
        found = warm.best(near | {int(column): heavy for column in mine}, budget)
        if found is None:
            break
        tried[columns] = True
        number, _ = whole(model, found.value)
        if number[mine].any():
            other = model.world(number)
            if core.worlds(other).all():
                world = other
                taken = np.zeros(len(core.kind), dtype=np.bool_)
                taken[other] = True
                shown |= model.classes.shared(core, taken)
        elif found.value[mine].sum() < 1:
            impossible[columns] = _refuted(model, row_weights(model, found.weight), mine)
    return Probed(shown, model.classes.shared(core, impossible), world, tried)


def values_shown(core: Core, shown: Flags, variable: int) -> int:
    """Return how many classes of values of a variable are shown."""
    columns = slice(int(core.start[variable]), int(core.start[variable + 1]))
    return len(np.unique(core.kind[columns][shown[columns]]))


def _refuted(model: LinearModel, weight: Floats, mine: Numbers) -> bool:
    """Tell whether weights prove each of some columns impossible."""
    left = set(mine.tolist())
    for scale in _SCALES:
        try:
            found = model.impossible(np.rint(weight * scale).astype(np.int64))
        except OverflowError:
            break
        left -= set(np.flatnonzero(found).tolist())
        if not left:
            return True
    return False
