"""Probing: may somebody have a column at all, as a whole person?

The support of fractions says only that a part of a person can. Here a column is made as large as it can be, by linear
programmes of the blocks around the person. Everybody outside staying as in a known world, those inside where they can,
a whole answer is a world. Everybody outside being left out, a column that stays below one is impossible, and
the weights of the rows prove it. Mostly a few blocks are enough; balls grow until they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.core import Core
from attacks.joint.linear_model import LinearModel
from attacks.joint.neighbourhood import Ball, Neighbourhood
from attacks.joint.relaxation import proven
from attacks.joint.solvers import from_world, row_weights, whole
from audit.model.arrays import Flags
from audit.runtime.budget import Budget

SIZES = (24, 96, 192)
"""How many blocks a ball has, one after the other as long as nothing follows."""
_BELOW_ONE = 1 - 1e-6


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
    around = Neighbourhood(core)
    shown, world = shown.copy(), chosen.copy()
    tried, impossible = np.zeros(len(core.kind), dtype=np.bool_), np.zeros(len(core.kind), dtype=np.bool_)
    for each in np.unique(core.option[asked]).tolist():
        columns = np.arange(*np.searchsorted(core.option, [each, each + 1]))
        variable = int(core.owner[columns[0]])
        if shown[columns].any() or impossible[columns].all():
            continue
        if enough and values_shown(core, shown, variable) >= enough:
            continue
        if budget.exhausted():
            break
        tried[columns] = True
        for most in SIZES:
            blocks, everything = around.around(variable, most)
            if _shown(around.ball(variable, blocks, world), columns, world, shown, budget):
                break
            refuted = _refuted(around.ball(variable, blocks, None), columns, world, budget)
            impossible[refuted] = True
            if len(refuted) or everything:
                break
    return Probed(shown, impossible, world, tried)


def _shown(ball: Ball | None, columns: Numbers, world: Numbers, shown: Flags, budget: Budget) -> bool:
    """Return whether a ball has a world with one of some columns; it is taken over, and what it shows."""
    if ball is None:
        return False
    model = LinearModel(ball.core)
    held, mine = ball.held(model, world), ball.columns(model, columns)
    found = from_world(model, held, mine, budget, stay=True)
    if found is None:
        return False
    number, _ = whole(model, found.value)
    other = ball.world(model, number) if number[mine].any() else None
    if other is None:
        return False
    world[ball.variable] = other
    shown[ball.alike(other)] = True
    return True


def _refuted(ball: Ball | None, columns: Numbers, world: Numbers, budget: Budget) -> Numbers:
    """Return columns that a ball proves impossible, the asked ones among them; none where it does not."""
    if ball is None:
        return columns[:0]
    model = LinearModel(ball.core)
    mine = ball.columns(model, columns)
    found = from_world(model, ball.held(model, world), mine, budget, stay=False)
    if found is None or found.value[mine].sum() > _BELOW_ONE:
        return columns[:0]
    impossible = proven(model, row_weights(model, found.weight), mine)
    return ball.alike(ball.column[model.column[impossible]]) if impossible[mine].all() else columns[:0]


def values_shown(core: Core, shown: Flags, variable: int) -> int:
    """Return how many classes of values of a variable are shown."""
    columns = slice(int(core.start[variable]), int(core.start[variable + 1]))
    return len(np.unique(core.kind[columns][shown[columns]]))
