"""Balls: decide whether a person can have a single option, in a small part of the network around the person.

The support programme only decides which options are possible in fractions. Here an option is tested in *balls*: the
blocks nearest to the person. If all people outside the ball keep what they have in a known world, a solution of the
ball in whole numbers is a world. If the people outside are left out, an option whose greatest value in fractions is
below one is impossible, and the dual weights of the rows prove it. If there is no solution in whole numbers, the option
is impossible on the solver's word. Usually a few blocks are enough; balls grow until one decides or is too hard.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel, refuted, rounded
from audit.model.arrays import Flags, Numbers, flagged, grouped, segments, starts
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import Answer


@dataclass(frozen=True)
class Ball:
    """Some blocks of a core and the variables in them.

    Attributes:
        core: the ball as a core of its own.
        variable: the variables of the surrounding core that are in it, ascending; shape (variables,).
        column: the columns of the surrounding core that are in it; shape (columns,).
    """

    core: OpenSubproblem
    variable: Numbers
    column: Numbers

    @cached_property
    def model(self) -> LinearModel:
        """The linear model of the ball."""
        return LinearModel(self.core)

    def columns(self, columns: Numbers) -> Numbers:
        """Return the columns of the model that represent some columns of the surrounding core."""
        return np.flatnonzero(np.isin(self.model.column, self.core.twin_column[np.searchsorted(self.column, columns)]))

    def held(self, world: Numbers) -> Numbers:
        """Return how many variables of a class have each column of the model in a world; shape (columns,)."""
        chosen = np.searchsorted(self.column, world[self.variable])
        return np.bincount(self.core.twin_column[chosen], minlength=len(self.column))[self.model.column]


class Neighbourhood:
    """Which variables of a core share blocks."""

    def __init__(self, core: OpenSubproblem, columns: Numbers | None = None) -> None:
        """Read which variables are in which blocks.

        Args:
            core: the core.
            columns: the columns to read, which take rows of all blocks of their variables; None for all columns.
        """
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
        """Return some blocks around a variable as a core of its own, with all variables linked to their members.

        Args:
            variable: a variable of the core, or several.
            blocks: as `around` returns them, ascending.
            chosen: the column of each variable in a world, which those keep that are in other blocks too, or linked to
                such variables; shape (variables,). None to ignore what is outside.

        Returns:
            The ball; None if `variable` itself would have to keep its column.
        """
        core = self._core
        inside = np.union1d(self.members(blocks), variable)
        if len(core.link):
            inside = segments(self._chain_start, np.unique(core.chain[inside]))
        rows, capacity = np.sort(self._row[segments(self._row_start, blocks)]), core.capacity
        if chosen is not None:
            free = self._free(inside, blocks)
            bound, inside = inside[~free], inside[free]
            if not np.isin(variable, inside).all():
                return None
            taken = core.row[segments(core.row_start, chosen[bound])]
            capacity = capacity - np.bincount(taken, minlength=len(capacity))
        return Ball(core.excerpt(inside, rows, capacity), inside, segments(core.start, inside))

    def _free(self, variables: Numbers, blocks: Numbers) -> Flags:
        """Return which of some variables, which are whole chains, are in no other blocks, nor is their chain."""
        inside = flagged(blocks, len(self._row_start) - 1)
        size = np.diff(self._block_start)[variables]
        outside = ~inside[self._block[segments(self._block_start, variables)]]
        bound = np.bincount(np.repeat(np.arange(len(variables)), size), weights=outside, minlength=len(variables)) > 0
        number = np.unique(self._core.chain[variables], return_inverse=True)[1]
        found: Flags = (np.bincount(number, weights=bound) == 0)[number]
        return found


IN_FRACTIONS, IN_WHOLE_NUMBERS = (24, 96, 192), (12, 24, 48, 96)
"""The numbers of blocks of balls to try, in order, until one decides. CP-SAT cannot solve larger ones in time."""
WORK = 0.05
"""Deterministic seconds of CP-SAT for a ball, some tenths of a second: easy balls take less, more helps little."""
RANDOM_CORNERS = 4
"""How often a solution of the largest ball in fractions is searched in a direction drawn at random."""
_BELOW_ONE = 1 - 1e-6


class PartQuestions:
    """Decides options of one part, one after the other, and keeps the results.

    Attributes:
        core: the part.
        world: the column of each variable in the last world that was found, -1 if none is known; shape (variables,).
        refuted: the columns that weights of rows prove impossible; shape (columns,), bool.
        doubted: further columns that are impossible on a solver's word; of the same shape.
    """

    def __init__(self, core: OpenSubproblem, world: Numbers, budget: Budget) -> None:
        """Begin with a known world; shape (variables,), -1 for variables without a known column."""
        self.core, self.world, self._budget = core, world, budget
        self.refuted, self.doubted = (np.zeros(core.columns, dtype=np.bool_) for _ in range(2))
        self._around = Neighbourhood(core)

    def decide(self, variable: int, columns: Numbers) -> Answer:
        """Decide whether a variable, or a twin of it, can have one of some columns.

        Returns:
            "found" if `world` now has one of them, "none" if all are impossible, "unknown" if that was not decided.
        """
        for most in IN_FRACTIONS:
            blocks, everything = self._around.around(variable, most)
            if self._near(self._ball(variable, blocks), columns):
                return "found"
            if self._refute(self._around.ball(variable, blocks, None), columns):
                return "none"
            if everything:
                break
        ball = self._ball(variable, blocks)
        if any(self._near(ball, columns, at) for at in range(1, 1 + RANDOM_CORNERS)):
            return "found"
        return self._in_whole_numbers(variable, columns)

    def _in_whole_numbers(self, variable: int, columns: Numbers) -> Answer:
        """Decide it by CP-SAT, in a ball that is larger as long as nothing follows from a smaller one."""
        for keeping in (True, False):  # mostly there is a world: whether there is none is asked last
            for most in IN_WHOLE_NUMBERS:
                blocks, everything = self._around.around(variable, most)
                if keeping and everything:
                    break
                ball = self._ball(variable, blocks) if keeping else self._around.ball(variable, blocks, None)
                answer = self._among(ball, columns, is_world=keeping or everything)
                if answer is None or (keeping and answer == "none"):
                    continue
                if answer == "none":
                    self._doubt(variable, columns)
                return answer  # larger balls are harder if this one is too hard
        return "unknown"

    def _ball(self, variable: int, blocks: Numbers) -> Ball | None:
        """Return a ball in which variables outside keep their columns; None if no world is known or no ball exists."""
        return self._around.ball(variable, blocks, self.world) if (self.world >= 0).all() else None

    def _near(self, ball: Ball | None, columns: Numbers, attempt: int = 0) -> bool:
        """Search by a linear programme for a world with one of some columns; adopt it if found.

        At the first attempt, 0, it is near the known world; at further ones, what people keep is drawn at random.
        """
        if ball is None or self._budget.exhausted():
            return False
        model, asked = ball.model, ball.columns(columns)
        cost, held = np.zeros(len(ball.column)), ball.held(self.world)
        lot = np.random.default_rng(attempt).random(len(held)) if attempt else 1.0
        cost[model.column] = np.minimum(held, 1.0) * lot
        cost[model.column[asked]] = 4.0 * (ball.core.variables + 2)
        chosen = model.corner(cost, self._budget)
        if chosen is None or not np.isin(ball.core.twin_column[chosen[chosen >= 0]], model.column[asked]).any():
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
        """Search by CP-SAT for a solution of a ball with one of some columns; None if the answer decides nothing.

        A solution is adopted if `is_world`: if it is a world together with what is outside.
        """
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
        """Record that some columns are impossible on a solver's word, unless weights of rows prove it."""
        ball = self._around.ball(variable, self._around.around(variable, IN_FRACTIONS[-1])[0], None)
        option = self.core.option[columns]
        if not all(self._refute(ball, columns[option == each]) for each in np.unique(option)):
            self.doubted |= self.alike(columns)

    def alike(self, columns: Numbers) -> Flags:
        """Return some columns and the corresponding ones of twins; shape (columns,), bool."""
        return self.core.shared(flagged(columns, self.core.columns))

    def _refute(self, ball: Ball | None, columns: Numbers) -> bool:
        """Return whether weights of rows prove that no variable has the columns; store everything they prove."""
        if ball is None or self._budget.exhausted():
            return False
        asked = ball.columns(columns)
        cost = np.zeros(len(ball.model.column))
        cost[asked] = 1.0
        found = ball.model.highest(cost, self._budget)
        if found is None or found.value[asked].sum() > _BELOW_ONE:
            return False
        # Nobody outside the ball can take its rows, so that a proof about the ball is one about the core.
        proved = refuted(ball.core, rounded(ball.core, ball.model.weights(found), np.isin(ball.column, columns)))
        self.refuted[ball.column[proved]] = True
        return bool(self.refuted[columns].all())
