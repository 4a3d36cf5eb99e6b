"""The linear model of a core: how many of each class of twins have each column.

Rows say that each person has one column, that linked variables follow one another, and that no row is taken more often
than it is there. The same model is solved in fractions (GLOP) and in whole numbers (CP-SAT); what is whole is a world.
No result of a solver is trusted: weights are checked by `refutations`, and worlds by `Worlds`. The only exception is
that CP-SAT proves that there is no solution in whole numbers, which the finding then states (`solver`).

Support (Freund, Roundy, Todd 1985): maximize the sum of `z` subject to `A (x + z) = t b`, `x >= 0`, `0 <= z <= 1` and
`t >= 1`, one `t` for each part. Every optimum has `z = 1` exactly where some solution of `A x = b, x >= 0` is positive;
the dual gives each other column a margin of at least 1 with small weights, which are rounded to whole numbers and
checked. One programme is complete for what linear reasoning of this form can find.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attacks.graphs import grouped
from attacks.joint.core import OpenSubproblem
from attacks.joint.refutations import rounded
from attacks.linear_programmes import Programme, Solution, optimum
from attacks.ragged import segments, starts
from audit.model.arrays import Flags, Floats, Integers, Numbers
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import Answer, solved

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_HALF, _ROUNDING = 0.5, 1e-6


class LinearModel:
    """The model of some parts.

    Attributes:
        core: the parts.
        first, size: the first variable of each class of twins, and how many are in it; shape (classes,).
        column: columns of the core that stand for those of their class; shape (columns,).
        of: the class of each; of the same shape.
    """

    def __init__(self, core: OpenSubproblem) -> None:
        self.core = core
        self.first, self._class, self.size = np.unique(core.like, return_inverse=True, return_counts=True)
        self.column = segments(core.start, self.first)
        self.of = self._class[core.owner[self.column]]

    # -- rows -------------------------------------------------------------------------------------------------

    @cached_property
    def matrix(self) -> csr_array:
        """The rows: one for each class, those of links, one for each row of the core; arcs are further columns."""
        from scipy.sparse import coo_array

        core, n, rows = self.core, len(self.column), len(self.first)
        entries: list[tuple[Integers, Integers, Floats]] = [(self.of, np.arange(n), np.ones(n))]
        option, ends = core.option[self.column], self._ends
        for side, states in enumerate(self._states):  # what arcs carry is what the options at their ends have
            carried = rows + np.searchsorted(ends, 2 * states + side)
            entries.append((carried, n + np.arange(len(states)), np.ones(len(states))))
            mine = np.flatnonzero(np.isin(2 * option + side, ends))
            entries.append((rows + np.searchsorted(ends, 2 * option[mine] + side), mine, -np.ones(len(mine))))
        row = rows + len(ends) + core.row[segments(core.row_start, self.column)]
        entries.append((row, np.repeat(np.arange(n), np.diff(core.row_start)[self.column]), np.ones(len(row))))
        one, other, value = (np.concatenate(each) for each in zip(*entries, strict=True))
        shape = (rows + len(ends) + len(core.capacity), n + len(self._states[0]))
        return coo_array((value, (one, other)), shape=shape).tocsr()

    @cached_property
    def _states(self) -> tuple[Numbers, Numbers]:
        """The states at both ends of each arc: (link, class of values before, class of values after), as options."""
        core = self.core
        option = core.option
        kinds = core.kind[np.searchsorted(option, np.arange(int(option[-1]) + 1))] if len(option) else option
        begin = np.append(option, option[-1:] + 1)[core.start]  # where the options of each variable begin
        first, last = core.link.T
        link = np.repeat(np.arange(len(first)), np.diff(begin)[first])
        many = np.diff(begin)[last][link]
        one = np.repeat(segments(begin, first), many)
        other = segments(begin, last[link])
        kept = kinds[one] == kinds[other] if core.may is None else core.may[kinds[one], kinds[other]]
        return one[kept], other[kept]

    @cached_property
    def _ends(self) -> Numbers:
        """What each row of links is about: twice an option, and one more where it is the one after."""
        owner, option = self.core.owner[self.column], self.core.option[self.column]
        return np.unique(
            np.concatenate([2 * option[np.isin(owner, side)] + at for at, side in enumerate(self.core.link.T)])
        )

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lowest and highest values of the rows."""
        exact, most = np.append(self.size, np.zeros(len(self._ends))), self.core.capacity.astype(np.float64)
        return np.append(exact, np.zeros(len(most))), np.append(exact, most)

    # -- fractions --------------------------------------------------------------------------------------------

    def highest(self, cost: Floats, budget: Budget) -> Solution | None:
        """Return the solution that maximizes the costs of the columns; None if there is none, or if time runs out."""
        low, high = self.bounds()
        n = self.matrix.shape[1]
        costs = np.append(cost, np.zeros(n - len(cost)))
        return optimum(Programme(costs, np.zeros(n), np.full(n, np.inf), self.matrix, low, high), budget)

    def weights(self, found: Solution) -> Floats:
        """Return the weights of the rows of the core, none of them negative."""
        weight: Floats = np.maximum(found.weight[len(found.weight) - len(self.core.capacity) :], 0.0)
        return weight

    def support(self, asked: Flags, budget: Budget) -> list[Numbers]:
        """Return weights that prove impossible whatever can be proved about some columns; empty if time runs out.

        Each of shape (rows,). What is nothing in the numbers of the solver alone is not believed.
        """
        from scipy.sparse import csr_array, hstack

        core, (low, high) = self.core, self.bounds()
        wanted = np.flatnonzero(asked[self.column])
        n, parts, rows = self.matrix.shape[1], core.parts, len(core.capacity)
        part = np.concatenate([core.part[self.first], np.zeros(len(self._ends), dtype=np.int64), core.row_part])
        scaled = csr_array((-high, part, np.arange(len(high) + 1)), shape=(len(high), parts))
        upper = np.concatenate([np.full(n, np.inf), np.ones(len(wanted)), np.full(parts, np.inf)])
        lower = np.concatenate([np.zeros(n + len(wanted)), np.ones(parts)])
        cost = np.concatenate([np.zeros(n), np.ones(len(wanted)), np.zeros(parts)])
        low = np.append(np.zeros(len(low) - rows), np.full(rows, -np.inf))
        both = hstack([self.matrix, self.matrix[:, wanted], scaled], format="csr")
        found = optimum(Programme(cost, lower, upper, both, low, np.zeros(len(high))), budget)
        if found is None:
            return []
        nothing = np.zeros(len(core.kind), dtype=np.bool_)
        nothing[self.column[wanted[found.value[n : n + len(wanted)] < _HALF]]] = True
        return rounded(core, self.weights(found), nothing)

    def corner(self, cost: Floats, budget: Budget) -> Numbers | None:
        """Return a possible world at the corner that maximizes the costs of columns; None if time runs out.

        A column for each variable of the parts where the corner is whole, -1 elsewhere; shape (variables,). A programme
        without a solution says nothing.
        """
        found = self.highest(cost[self.column], budget)
        if found is None:
            return None
        value = found.value[: len(self.column)]
        number = np.rint(value).astype(np.int64)
        part = self.core.part[self.core.owner[self.column]]
        good = np.ones(self.core.parts, dtype=np.bool_)
        good[part[np.abs(value - number) > _ROUNDING]] = False
        return self.world(np.where(good[part], number, 0))

    # -- whole numbers ----------------------------------------------------------------------------------------

    def integers(
        self, some: Sequence[int], hint: Numbers | None, work: float, budget: Budget
    ) -> tuple[Answer, Numbers | None]:
        """Search for a world in which one of some columns of the model is used, or for any world if none are given."""
        from ortools.sat.python import cp_model

        asking, matrix = cp_model.CpModel(), self.matrix
        most = np.append(self.size[self.of], np.ones(matrix.shape[1] - len(self.column), dtype=np.int64))
        columns = [asking.new_int_var(0, number, "") for number in most.tolist()]
        for low, high, a, b in zip(*self.bounds(), matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            terms = [columns[column] for column in matrix.indices[a:b].tolist()]
            factors = [int(value) for value in matrix.data[a:b].tolist()]
            asking.add_linear_constraint(cp_model.LinearExpr.weighted_sum(terms, factors), int(low), int(high))
        if len(some):
            asking.add(cp_model.LinearExpr.sum([columns[column] for column in some]) >= 1)
        for column, number in zip(columns, [] if hint is None else hint.tolist(), strict=False):
            asking.add_hint(column, number)
        # Whether some can be is mostly a matter of fractions.
        answer, solver = solved(asking, work, budget, linearization_level=2 if len(some) else 1)
        if answer not in {"best", "found"}:
            return answer, None
        return "found", self.world(np.array([solver.value(column) for column in columns], dtype=np.int64))

    # -- worlds -----------------------------------------------------------------------------------------------

    def counts(self, chosen: Numbers) -> Numbers:
        """Return how many of each class have each column in a possible world, given a column for each variable."""
        return np.bincount(self.core.stands[chosen], minlength=len(self.core.kind))[self.column]

    def world(self, number: Numbers) -> Numbers:
        """Return a column for each variable so that the given numbers of each class have each, -1 elsewhere.

        Args:
            number: how many variables of its class take each column, and how often each arc is taken.
        """
        core = self.core
        chosen = np.full(core.variables, -1, dtype=np.int64)
        taken, of = (np.repeat(each, number[: len(self.column)]) for each in (self.column, self.of))
        whole = np.bincount(of, minlength=len(self.first)) == self.size
        members = grouped(self._class, len(self.first))[1]
        members, taken = members[whole[self._class[members]]], taken[whole[of]]
        chosen[members] = taken - core.start[core.like[members]] + core.start[members]
        return chosen


def batches(core: OpenSubproblem, most: int) -> list[tuple[int, int]]:
    """Return runs of parts with at most the given number of columns, larger parts alone; the largest first."""
    columns = starts(np.bincount(core.part[core.owner], minlength=core.parts))
    found, first = [], 0
    while first < core.parts:
        last = max(first + 1, int(np.searchsorted(columns, columns[first] + most, side="right")) - 1)
        found.append((first, last))
        first = last
    return found[::-1]
