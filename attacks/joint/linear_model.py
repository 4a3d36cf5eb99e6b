"""The linear model of a core: how many of each class of twins have each column.

Rows say that everybody has one column, that linked variables follow one another, and that no row is taken more often
than it is there. The same model is solved in fractions (GLOP) and in whole numbers (CP-SAT); what is whole is a world.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attacks.graphs import grouped
from attacks.joint.arrays import Integers, Numbers, segments
from attacks.joint.core import OpenSubproblem
from audit.model.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class LinearModel:
    """The model of some parts.

    Attributes:
        core: the parts.
        classes: its classes of twins.
        column: columns of the core that stand for those of their class; shape (columns,).
        of: the class of each; likewise.
        part: the part of each; likewise.
    """

    def __init__(self, core: OpenSubproblem) -> None:
        self.core = core
        self.classes = core.classes
        self.column = segments(core.start, self.classes.first)
        self.of = self.classes.of[core.owner[self.column]]
        self.part = core.part[core.owner[self.column]]

    # -- rows -------------------------------------------------------------------------------------------------

    @cached_property
    def matrix(self) -> csr_array:
        """The rows: one for each class, those of links, one for each row of the core; arcs are further columns."""
        from scipy.sparse import coo_array

        core, n, rows = self.core, len(self.column), len(self.classes.first)
        entries: list[tuple[Integers, Integers, Floats]] = [(self.of, np.arange(n), np.ones(n))]
        entries += [(rows + row, column, sign) for row, column, sign in self._link_entries()]
        rows += self.link_rows
        row = rows + core.row[segments(core.row_start, self.column)]
        entries.append((row, np.repeat(np.arange(n), np.diff(core.row_start)[self.column]), np.ones(len(row))))
        one, other, value = (np.concatenate(each) for each in zip(*entries, strict=True))
        return coo_array((value, (one, other)), shape=(rows + len(core.capacity), n + self.arcs)).tocsr()

    @cached_property
    def _states(self) -> tuple[Numbers, Numbers]:
        """The states at both ends of each arc: (link, class of values before, class of values after), as options."""
        core = self.core
        option = core.option
        kinds = core.kind[np.searchsorted(option, np.arange(int(option[-1]) + 1))] if len(option) else option
        begin = np.append(option, int(option[-1]) + 1)[core.start]  # where the options of each variable begin
        first, last = self.core.link.T
        before = segments(begin, first)
        link = np.repeat(np.arange(len(first)), np.diff(begin)[first])
        many = np.diff(begin)[last][link]
        one = np.repeat(before, many)
        other = segments(begin, last[link])
        kept = kinds[one] == kinds[other] if core.may is None else core.may[kinds[one], kinds[other]]
        return one[kept], other[kept]

    @property
    def arcs(self) -> int:
        """How many columns stand for changes from one version to the next."""
        return len(self._states[0]) if len(self.core.link) else 0

    @property
    def link_rows(self) -> int:
        """How many rows say that linked variables follow one another."""
        if not len(self.core.link):
            return 0
        return len(self._ends)

    @cached_property
    def _ends(self) -> Numbers:
        """What each row of links is about: twice an option, and one more where it is the one after."""
        option = self.core.option[self.column]
        owner = self.core.owner[self.column]
        before = np.unique(option[np.isin(owner, self.core.link[:, 0])])
        after = np.unique(option[np.isin(owner, self.core.link[:, 1])])
        return np.sort(np.concatenate([2 * before, 2 * after + 1]))

    def _link_entries(self) -> list[tuple[Integers, Integers, Floats]]:
        """Return rows, columns and coefficients: what arcs carry is what the options at their ends have."""
        if not len(self.core.link):
            return []
        option = self.core.option[self.column]
        found: list[tuple[Integers, Integers, Floats]] = []
        n = len(self.column)
        for side, ends in enumerate(self._states):
            wanted = 2 * ends + side
            found.append((np.searchsorted(self._ends, wanted), n + np.arange(len(ends)), np.ones(len(ends))))
            mine = np.flatnonzero(np.isin(2 * option + side, self._ends))
            found.append((np.searchsorted(self._ends, 2 * option[mine] + side), mine, -np.ones(len(mine))))
        return found

    # -- worlds -----------------------------------------------------------------------------------------------

    def counts(self, chosen: Numbers) -> Numbers:
        """Return how many of each class have each column in what may be a world, a column of the core for each."""
        return np.bincount(self.classes.places(self.core)[chosen], minlength=len(self.core.kind))[self.column]

    def world(self, number: Numbers) -> Numbers:
        """Return a column for each variable so that the given numbers of each class have each, -1 elsewhere.

        Args:
            number: how many variables of its class take each column, and how often each arc is taken.
        """
        core, classes = self.core, self.classes
        chosen = np.full(core.variables, -1, dtype=np.int64)
        taken, of = (np.repeat(each, number[: len(self.column)]) for each in (self.column, self.of))
        whole = np.bincount(of, minlength=len(classes.first)) == classes.size
        members = grouped(classes.of, len(classes.first))[1]
        members, taken = members[whole[classes.of[members]]], taken[whole[of]]
        chosen[members] = taken - core.start[classes.like[members]] + core.start[members]
        return chosen
