"""Neighbourhoods: the blocks around somebody in a core, cut out as a core of its own, a *ball*.

Inside a ball people are free. Outside, everybody stays as in a known world: then a world of the ball is one of all. Or
nobody outside counts at all: then whatever the ball rules out is impossible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.graphs import grouped
from attacks.joint.arrays import Numbers, segments, starts
from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel
from audit.model.arrays import Flags


@dataclass(frozen=True)
class Ball:
    """Some blocks of a core with people in them.

    Attributes:
        core: the ball as a core of its own.
        variable: which variables of the core around it these are, ascending; shape (variables,).
        column: likewise for their columns; shape (columns,).
        row: likewise for its rows; shape (rows,).
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
        """Return which columns of the model stand for columns of the core around it."""
        model = self.model
        like = model.classes.places(self.core)[np.searchsorted(self.column, columns)]
        return np.flatnonzero(np.isin(model.column, like))

    def held(self, world: Numbers) -> Numbers:
        """Return how many of each class of the model have each column in a world; shape (columns,)."""
        return self.model.counts(np.searchsorted(self.column, world[self.variable]))


class Neighbourhood:
    """Who shares blocks with whom in a core of one part."""

    def __init__(self, core: OpenSubproblem, columns: Numbers | None = None) -> None:
        """Look up who is in which blocks, by all columns or by some that take rows of all blocks of their variables."""
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

    def ball(self, variable: int | Numbers, blocks: Numbers, chosen: Numbers | None) -> Ball | None:
        """Return some blocks around a variable as a core of its own, with all that is linked to their members.

        None where the variable itself is bound to what is outside.

        Args:
            variable: a variable of the core, or some.
            blocks: as `around` returns them, ascending.
            chosen: a world, in which everybody who is in other blocks too stays; None to leave all others out.
        """
        core = self._core
        some = np.union1d(self.members(blocks), variable)
        if len(core.link):
            some = segments(self._chain_start, np.unique(core.chain[some]))
        kept = np.zeros(len(core.capacity), dtype=np.bool_)
        kept[self._row[segments(self._row_start, blocks)]] = True
        capacity = core.capacity
        if chosen is not None:
            free = self._free(some, blocks)
            stay, some = some[~free], some[free]
            if not np.isin(variable, some).all():
                return None
            taken = core.row[segments(core.row_start, chosen[stay])]
            capacity = capacity - np.bincount(taken, minlength=len(capacity))
        inner = core.excerpt(some, kept, capacity)
        return Ball(inner, some, segments(core.start, some), np.flatnonzero(kept))

    def _free(self, some: Numbers, blocks: Numbers) -> Flags:
        """Return which of some variables, all of them with all that is linked to them, have nobody in other blocks."""
        inside = np.zeros(len(self._row_start) - 1, dtype=np.bool_)
        inside[blocks] = True
        size = np.diff(self._block_start)[some]
        outside = ~inside[self._block[segments(self._block_start, some)]]
        bound = np.bincount(np.repeat(np.arange(len(some)), size), weights=outside, minlength=len(some)) > 0
        number = np.unique(self._core.chain[some], return_inverse=True)[1]
        found: Flags = (np.bincount(number, weights=bound) == 0)[number]
        return found
