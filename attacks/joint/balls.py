"""Balls: decide whether a person can have a single option, in a small part of the network around the person.

The support programme only shows which options are possible in fractions. Here an option is tested in *balls* of blocks
around the person. If all other people stay as in a known world, a solution in whole numbers is a world. If all other
people are left out, an option below one in fractions is impossible, and the weights of the rows prove it; if there is
no solution in whole numbers, the solver is trusted. Mostly a few blocks are enough; balls grow until they are, or are
too hard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.graphs import grouped
from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel
from attacks.joint.refutations import refuted, rounded
from attacks.ragged import segments, starts
from audit.model.arrays import Flags, Numbers
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import Answer


@dataclass(frozen=True)
class Ball:
    """Some blocks of a core with people in them.

    Attributes:
        core: the ball as a core of its own.
        variable: which variables of the core around it these are, ascending; shape (variables,).
        column: the same for their columns; shape (columns,).
        row: the same for its rows; shape (rows,).
    """

    core: OpenSubproblem
    variable: Numbers
    column: Numbers
    row: Numbers

    @cached_property
    def model(self) -> LinearModel:
        """The linear model of the ball."""
        return LinearModel(self.core)

    def columns(self, columns: Numbers) -> Numbers:
        """Return which columns of the model represent columns of the core around it."""
        return np.flatnonzero(np.isin(self.model.column, self.core.stands[np.searchsorted(self.column, columns)]))

    def held(self, world: Numbers) -> Numbers:
        """Return how many of each class of the model have each column in a world; shape (columns,)."""
        return self.model.counts(np.searchsorted(self.column, world[self.variable]))


class Neighbourhood:
    """The variables that share blocks in a core of one part."""

    def __init__(self, core: OpenSubproblem, columns: Numbers | None = None) -> None:
        """Note who is in which blocks, by all columns or by some that take rows of all blocks of their variables."""
        self._core = core
        entry = np.arange(len(core.row)) if columns is None else segments(core.row_start, columns)
        blocks = max(1, int(core.block.max(initial=-1)) + 1)
        self._row_start, self._row = grouped(core.block, blocks)
        pairs = np.unique(core.owner[core.entry_column[entry]] * np.int64(blocks) + core.block[core.row[entry]])
        variable, block = pairs // blocks, pairs % blocks
        self._block_start, self._block = starts(np.bincount(variable, minlength=core.variables)), block
        self._member_start, order = grouped(block, blocks)
        self._member = variable[order]
        self._chain_start = np.append(core.heads, core.variables)

    def members(self, blocks: Numbers) -> Numbers:
        """Return the variables in some blocks, each once."""
        return np.unique(self._member[segments(self._member_start, blocks)])

    def degree(self, variable: int) -> int:
        """Return the number of blocks that a variable is in."""
        return int(self._block_start[variable + 1] - self._block_start[variable])

    def around(self, variable: int, most: int) -> tuple[Numbers, bool]:
        """Return the blocks nearest to a variable, at most `most`; and whether these are all."""
        seen = np.zeros(self._core.variables, dtype=np.bool_)
        inside = np.zeros(len(self._row_start) - 1, dtype=np.bool_)
        ring, count = np.array([variable]), 0
        while len(ring):
            seen[ring] = True
            near = np.unique(self._block[segments(self._block_start, ring)])
            near = near[~inside[near]]
            if count + len(near) > most:
                inside[near[: most - count]] = True
                return np.flatnonzero(inside), False
            inside[near] = True
            count += len(near)
            ring = self._member[segments(self._member_start, near)]
            link = self._core.link
            ring = np.unique(np.append(ring, link[seen[link].any(axis=1)]))
            ring = ring[~seen[ring]]
        return np.flatnonzero(inside), True

    def ball(self, variable: int | Numbers, blocks: Numbers, chosen: Numbers | None) -> Ball | None:
        """Return some blocks around a variable as a core of its own, with all that is linked to their members.

        None if the variable itself is linked to variables outside.

        Args:
            variable: a variable of the core, or some.
            blocks: as `around` returns them, ascending.
            chosen: a world, in which all who are in other blocks too keep what they have; None to leave all others out.
        """
        core = self._core
        some = np.union1d(self.members(blocks), variable)
        if len(core.link):
            some = segments(self._chain_start, np.unique(core.chain[some]))
        rows, capacity = np.sort(self._row[segments(self._row_start, blocks)]), core.capacity
        if chosen is not None:
            free = self._free(some, blocks)
            stay, some = some[~free], some[free]
            if not np.isin(variable, some).all():
                return None
            taken = core.row[segments(core.row_start, chosen[stay])]
            capacity = capacity - np.bincount(taken, minlength=len(capacity))
        return Ball(core.excerpt(some, rows, capacity), some, segments(core.start, some), rows)

    def _free(self, some: Numbers, blocks: Numbers) -> Flags:
        """Return which of some variables, all of them with all that is linked to them, are in no other blocks."""
        inside = np.zeros(len(self._row_start) - 1, dtype=np.bool_)
        inside[blocks] = True
        size = np.diff(self._block_start)[some]
        outside = ~inside[self._block[segments(self._block_start, some)]]
        bound = np.bincount(np.repeat(np.arange(len(some)), size), weights=outside, minlength=len(some)) > 0
        number = np.unique(self._core.chain[some], return_inverse=True)[1]
        found: Flags = (np.bincount(number, weights=bound) == 0)[number]
        return found


IN_FRACTIONS, IN_WHOLE_NUMBERS = (24, 96, 192), (12, 24, 48, 96)
"""The sizes of balls, in blocks, one after the other until one decides. Large balls are hopeless for CP-SAT."""
WORK = 0.05
"""Deterministic seconds of CP-SAT for one ball, some tenths of a second: easy balls take less, more helps little."""
_BELOW_ONE = 1 - 1e-6


class PartQuestions:
    """Decides options of one part, one after the other, and keeps the results.

    Attributes:
        core: the part.
        world: a world of it, the last one that was found, -1 where none is known; shape (variables,).
        refuted: columns that weights of rows prove impossible; shape (columns,).
        doubted: others that are impossible on a solver's word; of the same shape.
    """

    def __init__(self, core: OpenSubproblem, world: Numbers, budget: Budget) -> None:
        """Begin with a world; -1 for variables without a known value; shape (variables,)."""
        self.core, self.world, self._budget = core, world, budget
        self.refuted, self.doubted = (np.zeros(len(core.kind), dtype=np.bool_) for _ in range(2))
        self._around = Neighbourhood(core)

    def decide(self, variable: int, columns: Numbers) -> Answer:
        """Decide whether a variable, or a twin of it, can have one of some columns; return whether that succeeded."""
        for most in IN_FRACTIONS:
            blocks, everything = self._around.around(variable, most)
            if self._near(self._ball(variable, blocks), columns):
                return "found"
            if self._refute(self._around.ball(variable, blocks, None), columns):
                return "none"
            if everything:
                break
        for most in IN_WHOLE_NUMBERS:
            blocks, everything = self._around.around(variable, most)
            answer = None if everything else self._among(self._ball(variable, blocks), columns, is_world=True)
            if answer not in {"found", "unknown"}:
                answer = self._among(self._around.ball(variable, blocks, None), columns, is_world=everything)
                if answer == "none":
                    self._doubt(variable, columns)
            if answer is not None:  # larger balls are harder if this one is too hard
                return answer
        return "unknown"

    def _ball(self, variable: int, blocks: Numbers) -> Ball | None:
        """Return a ball, with all others as in the known world; None where there is none."""
        return self._around.ball(variable, blocks, self.world) if (self.world >= 0).all() else None

    def _near(self, ball: Ball | None, columns: Numbers) -> bool:
        """Search in fractions for a world near the known one that has one of some columns, and adopt it."""
        if ball is None or self._budget.exhausted():
            return False
        model, mine = ball.model, ball.columns(columns)
        cost, held = np.zeros(len(ball.column)), ball.held(self.world)
        cost[model.column] = np.minimum(held, 1.0)
        cost[model.column[mine]] = 4.0 * (ball.core.variables + 2)
        chosen = model.corner(cost, self._budget)
        if chosen is None or not np.isin(ball.core.stands[chosen[chosen >= 0]], model.column[mine]).any():
            return False
        return self._take(ball, chosen)

    def _take(self, ball: Ball, chosen: Numbers) -> bool:
        """Adopt the ball's part of a world; return whether it is a world."""
        good = bool(ball.core.worlds(chosen).all())
        if good:
            self.world = self.world.copy()
            self.world[ball.variable] = ball.column[chosen]
        return good

    def _among(self, ball: Ball | None, columns: Numbers, *, is_world: bool) -> Answer | None:
        """Search for some columns in a ball, and adopt a world; None if the answer decides nothing."""
        if ball is None:
            return None
        if self._budget.exhausted():
            return "unknown"
        hint = ball.held(self.world) if (self.world >= 0).all() else None
        answer, chosen = ball.model.integers(ball.columns(columns).tolist(), hint, WORK, self._budget)
        if chosen is None:
            return answer
        return "found" if is_world and self._take(ball, chosen) else None

    def _doubt(self, variable: int, columns: Numbers) -> None:
        """Trust a solver that no one has some columns, unless weights of rows prove it."""
        ball = self._around.ball(variable, self._around.around(variable, IN_FRACTIONS[-1])[0], None)
        option = self.core.option[columns]
        if not all(self._refute(ball, columns[option == each]) for each in np.unique(option)):
            self.doubted |= self.alike(columns)

    def alike(self, columns: Numbers) -> Flags:
        """Return some columns, and those of twins in their place; shape (columns,)."""
        some = np.zeros(len(self.core.kind), dtype=np.bool_)
        some[columns] = True
        return self.core.shared(some)

    def _refute(self, ball: Ball | None, columns: Numbers) -> bool:
        """Return whether weights of rows prove that no one has the columns, and store everything they prove."""
        if ball is None or self._budget.exhausted():
            return False
        mine = ball.columns(columns)
        cost = np.zeros(len(ball.model.column))
        cost[mine] = 1.0
        found = ball.model.highest(cost, self._budget)
        if found is None or found.value[mine].sum() > _BELOW_ONE:
            return False
        weights = list[Numbers]()
        for weight in rounded(ball.core, ball.model.weights(found), np.isin(ball.column, columns)):
            weights.append(np.zeros_like(self.core.capacity))
            weights[-1][ball.row] = weight
        proved = refuted(self.core, weights)
        self.refuted |= proved
        return bool(proved[columns].all())
