"""Balls: the rows around somebody, in whole numbers (CP-SAT).

Inside a ball everybody is free. Outside, everybody stays as in the known world: then an answer is a world. Or nobody
outside counts at all: then no answer is a proof that there is none, if the solver is believed. Small balls are easy and
mostly enough; large ones are hopeless. So balls grow only as long as they are answered.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Flags, Numbers, segments
from attacks.joint.core import Core
from attacks.joint.linear_model import LinearModel
from attacks.joint.probing import Probed, values_shown
from attacks.joint.solvers import in_whole_numbers
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
        chosen: a world of the part that has one of the options; None elsewhere; shape (variables,).
    """

    answer: str
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
    world, shown = chosen, shown.copy()
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
            found = ask(core, (variable, columns), world if (world >= 0).all() else None, budget)
            if found.chosen is not None:
                world = found.chosen
                taken = np.zeros(len(core.kind), dtype=np.bool_)
                taken[world] = True
                shown |= core.classes.shared(core, taken)
                continue
            tried[columns] = True
            tried = core.classes.shared(core, tried)
            if found.answer == "impossible":
                impossible[columns] = True
                return Probed(shown, core.classes.shared(core, impossible), world, tried)
    return Probed(shown, impossible, world, tried)


def around(core: Core, variable: int, most: int) -> tuple[Flags, Flags, bool]:
    """Return the rows of the blocks around a variable, at most so many; their members; and whether that is all."""
    begin, by_row = core.by_row
    blocks = np.searchsorted(core.block, np.arange(int(core.block.max(initial=-1)) + 2))
    seen = np.zeros(core.variables, dtype=np.bool_)
    inside = np.zeros(len(blocks) - 1, dtype=np.bool_)
    ring, count, whole = np.array([variable]), 0, True
    while len(ring) and whole:
        seen[ring] = True
        rows = core.row[segments(core.row_start, segments(core.start, ring))]
        near = np.unique(core.block[rows])
        near = near[~inside[near]]
        if count + len(near) > most:
            near, whole = near[: max(0, most - count)], False
        inside[near] = True
        count += len(near)
        rows = segments(blocks, near)
        linked = _linked(core, ring) if len(core.link) else ring
        ring = np.union1d(core.owner[by_row[segments(begin, rows)]], linked)
        ring = ring[~seen[ring]]
    found: Flags = inside[core.block] if len(core.block) else np.zeros(0, dtype=np.bool_)
    seen[core.owner[core.entry_column[found[core.row]]]] = True
    return found, seen, whole


def _linked(core: Core, some: Numbers) -> Numbers:
    first, last = core.link.T
    return np.concatenate([last[np.isin(first, some)], first[np.isin(last, some)]])


def ask(core: Core, target: tuple[int, Numbers], chosen: Numbers | None, budget: Budget) -> BallAnswer:
    """Ask whether some world of a part gives a variable one of some columns.

    Args:
        core: one part.
        target: the variable, and columns of it.
        chosen: a world of the part; None where none is known.
        budget: how long.
    """
    variable = target[0]
    for fixed in (True, False):
        if fixed and chosen is None:
            continue
        for most in SIZES:
            rows, members, all_of_it = around(core, variable, most)
            if budget.exhausted():
                return BallAnswer("open")
            if not (fixed and all_of_it):
                answer, world = _ball(core, target, (rows, members), chosen if fixed else None, budget)
                if answer == "found" and world is not None and (fixed or all_of_it):
                    return BallAnswer("world", world)
                if answer == "none" and not fixed:
                    return BallAnswer("impossible")
                if answer == "unknown":  # larger ones are harder
                    break
            if all_of_it:
                break
    return BallAnswer("open")


def _ball(
    core: Core, target: tuple[int, Numbers], ball: tuple[Flags, Flags], chosen: Numbers | None, budget: Budget
) -> tuple[str, Numbers | None]:
    """Ask one ball; what stays outside is as in `chosen`, or is left out."""
    variable, columns = target
    rows, touched = ball
    capacity = core.capacity
    if chosen is not None:
        # Only whoever is wholly inside moves.
        beyond = np.zeros(core.variables, dtype=np.bool_)
        beyond[core.owner[core.entry_column[~rows[core.row]]]] = True
        if len(core.link):
            ends = core.link[touched[core.link].sum(axis=1) == 1]
            beyond[ends.reshape(-1)] = True
        moving = touched & ~beyond
        if not moving[variable]:
            return "none", None
        capacity = capacity - core.taken(np.where(moving, -1, chosen))
        touched = moving
    some = np.flatnonzero(touched)
    inner = core.excerpt(some, rows, capacity)
    model = LinearModel(inner)
    # The variable itself has to be the one asked about, not a twin: any member of its class is as good.
    place = np.flatnonzero(some == variable)[0]
    offset = columns - core.start[variable]
    like = inner.start[model.classes.like[place]] + offset
    targets = np.flatnonzero(np.isin(model.column, like))
    hint = None if chosen is None else model.counts(_local(core, inner, some, chosen))
    answer, number = in_whole_numbers(model, targets.tolist(), hint, WORK, budget)
    if number is None:
        return answer, None
    local = model.world(number)
    world = np.full(core.variables, -1, dtype=np.int64) if chosen is None else chosen.copy()
    if not np.isin(local[place], inner.start[place] + offset):
        local = _exchanged(inner, model, int(place), inner.start[place] + offset, local)
    world[some] = local - inner.start[:-1] + core.start[some]
    return answer, world if core.worlds(world).all() and np.isin(world[variable], columns) else None


def _local(core: Core, ball: Core, some: Numbers, chosen: Numbers) -> Numbers:
    return chosen[some] - core.start[some] + ball.start[:-1]


def _exchanged(ball: Core, model: LinearModel, place: int, wanted: Numbers, local: Numbers) -> Numbers:
    """Return the same world with a variable's chain and a twin's exchanged, so that the variable has what is wanted."""
    classes = model.classes
    chain = int(np.searchsorted(classes.head, place, side="right")) - 1
    head, step = int(classes.head[chain]), place - int(classes.head[chain])
    offset = wanted - ball.start[place]
    for other in classes.head[np.flatnonzero(classes.of == classes.of[chain])].tolist():
        if np.isin(local[other + step] - ball.start[other + step], offset):
            found = local.copy()
            for at in range(int(classes.length[chain])):
                one, two = head + at, other + at
                found[one] = local[two] - ball.start[two] + ball.start[one]
                found[two] = local[one] - ball.start[one] + ball.start[two]
            return found
    return local
