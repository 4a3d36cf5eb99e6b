"""Neighbourhoods: the blocks around somebody in a core, cut out as a core of its own, a *ball*.

Inside a ball people are free. Outside, everybody stays as in a known world: then a world of the ball is one of all. Or
nobody outside counts at all: then whatever the ball rules out is impossible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.graphs import grouped
from attacks.joint.arrays import Numbers, segments, starts
from attacks.joint.core import Core
from attacks.joint.linear_model import LinearModel
from audit.model.arrays import Flags


@dataclass(frozen=True)
class Ball:
    """Some blocks of a core with people in them.

    Attributes:
        core: the ball as a core of its own.
        variable: which variables of the core around it these are, ascending; shape (variables,).
        column: likewise for their columns; shape (columns,).
    """

    core: Core
    variable: Numbers
    column: Numbers

    def columns(self, model: LinearModel, columns: Numbers) -> Numbers:
        """Return which columns of a model of the ball stand for columns of the core around it."""
        inside = np.searchsorted(self.column, columns)
        owner = self.core.owner[inside]
        like = self.core.start[model.classes.like[owner]] + inside - self.core.start[owner]
        return np.flatnonzero(np.isin(model.column, like))

    def held(self, model: LinearModel, world: Numbers) -> Numbers:
        """Return how many of each class of a model of the ball have each column in a world; shape (columns,)."""
        return model.counts(np.searchsorted(self.column, world[self.variable]))

    def world(self, model: LinearModel, number: Numbers) -> Numbers | None:
        """Return the columns of the core around it that whole numbers give to everybody in the ball; None for no world.

        Args:
            model: of the ball.
            number: of each column and arc of the model; shape (columns + arcs,).
        """
        chosen = model.world(number)
        return self.column[chosen] if self.core.worlds(chosen).all() else None

    def alike(self, columns: Numbers) -> Numbers:
        """Return some columns of the core around it, and those of twins in the ball that are in their place."""
        some = np.zeros(len(self.column), dtype=np.bool_)
        some[np.searchsorted(self.column, columns)] = True
        return self.column[self.core.classes.shared(self.core, some)]


class Neighbourhood:
    """Who shares blocks with whom in a core of one part."""

    def __init__(self, core: Core) -> None:
        self._core = core
        blocks = max(1, int(core.block.max(initial=-1)) + 1)
        self._row_start = np.searchsorted(core.block, np.arange(blocks + 1))
        pairs = np.unique(core.owner[core.entry_column] * np.int64(blocks) + core.block[core.row])
        variable, block = pairs // blocks, pairs % blocks
        self._block_start, self._block = starts(np.bincount(variable, minlength=core.variables)), block
        self._member_start, order = grouped(block, blocks)
        self._member = variable[order]
        head = np.ones(core.variables, dtype=np.bool_)
        head[core.link[:, 1]] = False
        self._chain = np.cumsum(head) - 1
        self._chain_start = np.append(np.flatnonzero(head), core.variables)

    def around(self, variable: int, most: int) -> tuple[Numbers, bool]:
        """Return the blocks around a variable, at most so many, the nearest ones; and whether these are all."""
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
            if len(self._core.link):
                ring = np.concatenate([ring, self._linked(seen)])
            ring = np.unique(ring)
            ring = ring[~seen[ring]]
        return np.flatnonzero(inside), True

    def _linked(self, some: Flags) -> Numbers:
        """Return the variables that are linked to some, and some of these."""
        link = self._core.link
        return link[some[link].any(axis=1)].reshape(-1)

    def ball(self, variable: int, blocks: Numbers, chosen: Numbers | None) -> Ball | None:
        """Return some blocks around a variable as a core of its own, with all that is linked to their members.

        None where the variable itself is bound to what is outside.

        Args:
            variable: a variable of the core.
            blocks: as `around` returns them, ascending.
            chosen: a world, in which everybody who is in other blocks too stays; None to leave all others out.
        """
        core = self._core
        some = np.union1d(self._member[segments(self._member_start, blocks)], [variable])
        if len(core.link):
            some = segments(self._chain_start, np.unique(self._chain[some]))
        rows = segments(self._row_start, blocks)
        kept = np.zeros(len(core.capacity), dtype=np.bool_)
        kept[rows] = True
        capacity = core.capacity
        if chosen is not None:
            free = self._free(some, blocks)
            stay, some = some[~free], some[free]
            if not np.isin(variable, some):
                return None
            taken = core.row[segments(core.row_start, chosen[stay])]
            capacity = capacity - np.bincount(taken, minlength=len(capacity))
        inner = core.excerpt(some, kept, capacity)
        return Ball(inner, some, segments(core.start, some))

    def _free(self, some: Numbers, blocks: Numbers) -> Flags:
        """Return which of some variables, all of them with all that is linked to them, have nobody in other blocks."""
        inside = np.zeros(len(self._row_start) - 1, dtype=np.bool_)
        inside[blocks] = True
        size = np.diff(self._block_start)[some]
        outside = ~inside[self._block[segments(self._block_start, some)]]
        bound = np.bincount(np.repeat(np.arange(len(some)), size), weights=outside, minlength=len(some)) > 0
        number = np.unique(self._chain[some], return_inverse=True)[1]
        found: Flags = (np.bincount(number, weights=bound) == 0)[number]
        return found
