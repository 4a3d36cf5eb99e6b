"""Balls in whole numbers (CP-SAT), for what fractions leave open.

Everybody outside staying as in the known world, an answer is a world. Everybody outside being left out, no answer is a
proof that there is none, if the solver is believed. Small balls are easy and mostly enough; large ones are hopeless. So
balls grow only as long as they are answered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.core import Core
from attacks.joint.linear_model import LinearModel
from attacks.joint.neighbourhood import Ball, Neighbourhood
from attacks.joint.probing import Probed, values_shown
from attacks.joint.solvers import Answer, in_whole_numbers
from audit.model.arrays import Flags
from audit.runtime.budget import Budget

SIZES = (12, 24, 48, 96)
"""How many blocks a ball has, one after the other as long as nothing follows."""
WORK = 0.05
"""Deterministic seconds of CP-SAT for one ball, some tenths of a second: what is easy takes less, more helps little."""


@dataclass(frozen=True)
class BallAnswer:
    """What balls say of some options of one variable.

    Attributes:
        answer: `world`, `impossible` or `open`.
        ball, chosen: what a world that has one of the options gives to everybody in a ball; None elsewhere.
    """

    answer: str
    ball: Ball | None = None
    chosen: Numbers | None = None


def balled(core: Core, chosen: Numbers, asked: Flags, enough: int, shown: Flags, budget: Budget) -> Probed:
    """Ask for the options of a part, until some are impossible or all were asked.

    Where some options of a variable are enough, whichever is left will do: they are asked for together. Otherwise it is
    one after the other.

    Args:
        core: one part.
        chosen: a world of it, -1 where none is known; shape (variables,).
        asked: the columns that are asked for; shape (columns,).
        enough: how many shown options of a variable are enough; 0 for all.
        shown: what is shown so far; shape (columns,).
        budget: how long.
    """
    around = Neighbourhood(core)
    world, shown = chosen.copy(), shown.copy()
    tried, impossible = np.zeros(len(core.kind), dtype=np.bool_), np.zeros(len(core.kind), dtype=np.bool_)
    question = core.owner if enough else core.option
    for each in np.unique(question[asked]).tolist():
        mine = np.flatnonzero((question == each) & asked)
        variable = int(core.owner[mine[0]])
        while not (enough and values_shown(core, shown, variable) >= enough):
            known = np.isin(core.option[mine], core.option[mine[shown[mine]]])
            columns = mine[~known & ~tried[mine]]
            if not len(columns) or budget.exhausted():
                break
            found = ask(around, (variable, columns), world if (world >= 0).all() else None, budget)
            if found.ball is not None and found.chosen is not None:
                world[found.ball.variable] = found.chosen
                shown[found.ball.alike(found.chosen)] = True
                continue
            tried[columns] = True
            tried = core.classes.shared(core, tried)
            if found.answer == "impossible":
                impossible[columns] = True
                return Probed(shown, core.classes.shared(core, impossible), world, tried)
    return Probed(shown, impossible, world, tried)


def ask(around: Neighbourhood, target: tuple[int, Numbers], chosen: Numbers | None, budget: Budget) -> BallAnswer:
    """Ask whether some world of a part gives a variable, or a twin of it, one of some columns.

    Args:
        around: who shares blocks with whom in the part.
        target: the variable, and columns of it.
        chosen: a world of the part; None where none is known.
        budget: how long.
    """
    variable, columns = target
    for fixed in (True, False):
        if fixed and chosen is None:
            continue
        for most in SIZES:
            blocks, everything = around.around(variable, most)
            if budget.exhausted():
                return BallAnswer("open")
            if not (fixed and everything):
                ball = around.ball(variable, blocks, chosen if fixed else None)
                answer, world = _asked(ball, columns, chosen, budget)
                if ball is not None and world is not None and (fixed or everything):
                    return BallAnswer("world", ball, world)
                if answer == "none" and not fixed:
                    return BallAnswer("impossible")
                if answer == "unknown":  # larger ones are harder
                    break
            if everything:
                break
    return BallAnswer("open")


def _asked(
    ball: Ball | None, columns: Numbers, chosen: Numbers | None, budget: Budget
) -> tuple[Answer, Numbers | None]:
    """Return what CP-SAT says of a ball, and the columns that everybody in it has where it is a world of the ball."""
    if ball is None:
        return "none", None
    model = LinearModel(ball.core)
    hint = None if chosen is None else ball.held(model, chosen)
    answer, number = in_whole_numbers(model, ball.columns(model, columns).tolist(), hint, WORK, budget)
    return answer, None if number is None else ball.world(model, number)
