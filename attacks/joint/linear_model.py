"""The linear model of a core: how many variables of each class of twins have each column.

Constraints say that each variable has one column, that linked variables follow one another, and that no row is taken
more often than its capacity. The same model is solved in fractions (GLOP) and in whole numbers (CP-SAT); a solution in
whole numbers is a world. No result of a solver is trusted: weights are checked by `refuted`, and worlds by
`Worlds`. The only exception is an answer of CP-SAT that columns are in no world; claims that rest on it are reported as
unproved. That there is no world at all must be proved by weights (`contradiction`).

Support (Freund, Roundy, Todd 1985): maximize the sum of `z` subject to `A (x + z) = t b`, `x >= 0`, `0 <= z <= 1` and
`t >= 1`, one `t` for each part. Every optimum has `z = 1` exactly where some solution of `A x = b, x >= 0` is positive;
the dual gives each other column a margin of at least 1 with small weights, which are rounded to whole numbers and
checked. One programme finds everything that linear reasoning of this form can find.

`refuted` checks in whole numbers weights of rows that prove columns impossible. Let each row cost points (its weight).
All people together can spend no more than the sum of weight times capacity, and each person spends at least the cost of
their cheapest column. Subtract these least costs from the total: a column that costs more than the person's cheapest
one by more than the difference is impossible. Weights may come from any solver; only what this exact calculation
confirms is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.network import cheapest
from attacks.linear_programmes import Programme, Solution
from audit.model.arrays import Flags, Floats, Integers, Numbers, batches, flagged, grouped, segments, starts
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import Answer, solved

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_LARGEST = float(1 << 58)
# Weights are multiplied by these and rounded; the first scale that proves everything is used.
_SCALES, _LARGEST_MULTIPLE = (1, 12, 60, 5040, 1 << 20), 60
TINY = 1e-9
"""Weights below it are 0."""


class PointTotals:
    """The points that the variables of a core spend if its rows cost points.

    Attributes:
        over: by how many points the cheapest choice of a chain with each column exceeds its least; shape (columns,).
        least: the fewest points that each chain of linked variables spends; shape (chains,).
        spare: how many points of each part remain if all chains spend their least; shape (parts,).
    """

    def __init__(self, core: OpenSubproblem, weight: Numbers) -> None:
        """Add up the points.

        Args:
            core: the core.
            weight: the points of each row, at least 0; shape (rows,), int64.

        Raises:
            OverflowError: the weights are too large for sums in 64 bits.
            ValueError: a weight is below 0.
        """
        if (weight < 0).any():
            raise ValueError("weights of a proof are at least 0")
        deepest = int(np.diff(core.row_start).max(initial=0)) * max(1, core.variables)
        if float(weight.max(initial=0)) * max(deepest, float(core.capacity.sum())) > _LARGEST:
            raise OverflowError("weights of a proof are too large")
        cost = np.diff(starts(weight[core.row])[core.row_start])
        through = cheapest(core.owner, core.value_class, cost, core.link, core.may)
        # A column on no path costs `NEVER`, so that the least over all columns of a chain is the least of the chain.
        self.least = np.minimum.reduceat(through, core.start[core.heads]) if len(through) else np.zeros(0, np.int64)
        self.over = through - self.least[core.chain[core.owner]]
        self.spare = np.zeros(core.parts, dtype=np.int64)
        np.add.at(self.spare, core.row_part, weight * core.capacity)
        np.subtract.at(self.spare, core.part[core.heads], self.least)
        self._spare = self.spare[core.part[core.owner]]

    def impossible(self) -> Numbers:
        """Return the columns that are proved impossible, ascending."""
        return np.flatnonzero(self.over > self._spare)

    def contradict(self) -> bool:
        """Return whether all people together spend more points than there are, so that no world exists."""
        return bool(self.spare.min(initial=0) < 0)


def refuted(core: OpenSubproblem, weights: Sequence[Numbers]) -> Flags:
    """Return the columns of a core that at least one set of weights proves impossible; shape (columns,), bool.

    Args:
        core: the columns and rows.
        weights: sets of weights, each of shape (rows,), int64, at least 0.

    Raises:
        OverflowError: weights are too large for sums in 64 bits.
        ValueError: a weight is below 0.
    """
    found = np.zeros(core.columns, dtype=np.bool_)
    for weight in weights:
        found[PointTotals(core, weight).impossible()] = True
    return found


def rounded(core: OpenSubproblem, weight: Floats, wanted: Flags) -> list[Numbers]:
    """Return weights as whole numbers, on ever finer scales until all wanted columns are proved impossible.

    Args:
        core: the columns and rows.
        weight: the weight of each row, at least 0; shape (rows,).
        wanted: the columns that should be proved impossible; shape (columns,), bool.

    Returns:
        Those roundings of shape (rows,), int64, that prove something new; perhaps not everything wanted.
    """
    found, left = list[Numbers](), wanted.copy()
    for whole, totals in _roundings(core, weight, _SCALES):
        proved = totals.impossible()
        if len(proved) and (left[proved].any() or not found):
            found.append(whole)
        left[proved] = False
        if not left.any():
            break
    return found


def whole_points(core: OpenSubproblem, weight: Floats) -> Numbers | None:
    """Return weights of rows as small whole numbers that prove that there is no world; None if none do."""
    positive = weight[weight > TINY]
    scales = (times / base for base in (*np.sort(positive)[:1], 1.0) for times in range(1, _LARGEST_MULTIPLE + 1))
    return next((whole for whole, totals in _roundings(core, weight, scales) if totals.contradict()), None)


def _roundings(core: OpenSubproblem, weight: Floats, scales: Iterable[float]) -> Iterator[tuple[Numbers, PointTotals]]:
    """Yield weights as whole numbers on some scales, and the points spent, until these are too large."""
    for scale in scales:
        whole = np.rint(weight * scale).astype(np.int64)
        try:
            yield whole, PointTotals(core, whole)
        except OverflowError:
            return


_HALF, _ROUNDING = 0.5, 1e-6
# The parameters of GLOP that solve support programmes fastest.
_DUAL_SIMPLEX = "use_dual_simplex: true use_preprocessing: false perturb_costs_in_dual_simplex: true"


class LinearModel:
    """The model of some parts.

    Attributes:
        core: the parts.
        first, size: the first variable of each class of twins, and how many variables it has; shape (classes,).
        column: the columns of the core that the model has: those of the first twins; shape (columns,).
        of: the class of each of these columns; of the same shape.
    """

    def __init__(self, core: OpenSubproblem) -> None:
        self.core = core
        self.first, self._class, self.size = np.unique(core.representative, return_inverse=True, return_counts=True)
        self.column = segments(core.start, self.first)
        self.of = self._class[core.owner[self.column]]

    # -- rows -------------------------------------------------------------------------------------------------

    @cached_property
    def matrix(self) -> csr_array:
        """The constraints: one for each class, those of links, one for each row of the core; sparse.

        After the columns of the model come the arcs: pairs of options that linked variables may have.
        """
        from scipy.sparse import coo_array

        core, n, rows = self.core, len(self.column), len(self.first)
        entries: list[tuple[Integers, Integers, Floats]] = [(self.of, np.arange(n), np.ones(n))]
        option, ends = core.option[self.column], self._ends
        for side, states in enumerate(self._states):  # the arcs at an option carry as much as its columns
            carried = rows + np.searchsorted(ends, 2 * states + side)
            entries.append((carried, n + np.arange(len(states)), np.ones(len(states))))
            own = np.flatnonzero(np.isin(2 * option + side, ends))
            entries.append((rows + np.searchsorted(ends, 2 * option[own] + side), own, -np.ones(len(own))))
        row = rows + len(ends) + core.row[segments(core.row_start, self.column)]
        entries.append((row, np.repeat(np.arange(n), np.diff(core.row_start)[self.column]), np.ones(len(row))))
        line, place, value = (np.concatenate(each) for each in zip(*entries, strict=True))
        shape = (rows + len(ends) + len(core.capacity), n + len(self._states[0]))
        return coo_array((value, (line, place)), shape=shape).tocsr()

    @cached_property
    def _states(self) -> tuple[Numbers, Numbers]:
        """The options of the variables before and after each arc."""
        core = self.core
        option = core.option
        column = np.searchsorted(option, np.arange(int(option[-1]) + 1)) if len(option) else option
        begin = np.append(option, option[-1:] + 1)[core.start]  # where the options of each variable begin
        first, last = core.link.T
        link = np.repeat(np.arange(len(first)), np.diff(begin)[first])
        many = np.diff(begin)[last][link]
        before = np.repeat(segments(begin, first), many)
        after = segments(begin, last[link])
        kept = core.may_follow(column[before], column[after])
        return before[kept], after[kept]

    @cached_property
    def _ends(self) -> Numbers:
        """The option of each constraint of links: twice its number, plus one if its variable is the later one."""
        owner, option = self.core.owner[self.column], self.core.option[self.column]
        return np.unique(
            np.concatenate([2 * option[np.isin(owner, side)] + at for at, side in enumerate(self.core.link.T)])
        )

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the lower and the upper bounds of the constraints."""
        exact, most = np.append(self.size, np.zeros(len(self._ends))), self.core.capacity.astype(np.float64)
        return np.append(exact, np.zeros(len(most))), np.append(exact, most)

    # -- fractions --------------------------------------------------------------------------------------------

    def highest(self, cost: Floats, budget: Budget) -> Solution | None:
        """Return the solution in fractions of the highest total cost; None if there is none, or if time runs out.

        Args:
            cost: of each column of the model; shape (columns,).
            budget: the time limit.
        """
        low, high = self.bounds()
        n = self.matrix.shape[1]
        costs = np.append(cost, np.zeros(n - len(cost)))
        return Programme(np.zeros(n), np.full(n, np.inf), self.matrix, low, high).optimum(costs, budget)

    def weights(self, found: Solution) -> Floats:
        """Return the dual weights of the rows of the core, at least 0; shape (rows,)."""
        weight: Floats = np.maximum(found.weight[len(found.weight) - len(self.core.capacity) :], 0.0)
        return weight

    def support(self, asked: Flags, shown: Flags, budget: Budget) -> list[Numbers]:
        """Return whole weights of rows that prove as many of the given columns impossible as linear reasoning can.

        Args:
            asked: the given columns of the core; shape (columns,), bool.
            shown: the columns that known worlds have, which may be negative: with enough of these worlds added, they
                are not, so that the optimum is the same, and found faster; of the same shape.
            budget: the time limit.

        Returns:
            Weights of shape (rows,), int64; empty if time runs out. What they prove is for `refuted` to check.
        """
        from scipy.sparse import csr_array, hstack

        core, (low, high) = self.core, self.bounds()
        wanted = np.flatnonzero(asked[self.column])
        n, parts, rows = self.matrix.shape[1], core.parts, len(core.capacity)
        part = np.concatenate([core.part[self.first], np.zeros(len(self._ends), dtype=np.int64), core.row_part])
        scaled = csr_array((-high, part, np.arange(len(high) + 1)), shape=(len(high), parts))
        upper = np.concatenate([np.full(n, np.inf), np.ones(len(wanted)), np.full(parts, np.inf)])
        lower = np.concatenate([np.zeros(n + len(wanted)), np.ones(parts)])
        lower[np.flatnonzero(shown[self.column])] = -np.inf
        cost = np.concatenate([np.zeros(n), np.ones(len(wanted)), np.zeros(parts)])
        low = np.append(np.zeros(len(low) - rows), np.full(rows, -np.inf))
        both = hstack([self.matrix, self.matrix[:, wanted], scaled], format="csr")
        found = Programme(lower, upper, both, low, np.zeros(len(high))).optimum(cost, budget, _DUAL_SIMPLEX)
        if found is None:
            return []
        nothing = flagged(self.column[wanted[found.value[n : n + len(wanted)] < _HALF]], core.columns)
        return rounded(core, self.weights(found), nothing)

    def corner(self, cost: Floats, budget: Budget) -> Numbers | None:
        """Return the vertex of the highest total cost as a candidate for a world.

        Args:
            cost: of each column of the core; shape (columns,).
            budget: the time limit.

        Returns:
            The column of each variable, -1 in parts where the vertex has fractions; shape (variables,). None if there
            is no solution, or if time runs out.
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

    def contradiction(self, closed: Flags, budget: Budget) -> Floats | None:
        """Return weights of least sum that prove that the model has no solution, shape (rows,).

        None if it has a solution in fractions, or if the limit of time is reached.

        Args:
            closed: the rows that must not have weight; shape (rows,), bool.
            budget: the time limit.
        """
        free = ~closed
        if np.count_nonzero(free) <= 1:  # weights of a single row only differ by a factor: one point decides
            return free.astype(np.float64) if PointTotals(self.core, free.astype(np.int64)).contradict() else None
        from scipy.sparse import csr_matrix, diags_array, vstack

        (lines, columns), first = self.matrix.shape, self.matrix.shape[0] - len(closed)
        sign, cost = np.ones(lines), np.zeros(lines)
        sign[first:] = cost[first:] = -1.0
        gain = sign * self.bounds()[1]
        system = vstack([(diags_array(sign) @ self.matrix).T, csr_matrix(gain[np.newaxis])], format="csr")
        lower = np.where(np.arange(lines) < first, -np.inf, 0.0)
        upper = np.append(np.full(first, np.inf), np.where(closed, 0.0, np.inf))
        low, high = np.append(np.full(columns, -np.inf), 1.0), np.append(np.zeros(columns), np.inf)
        found = Programme(lower, upper, system, low, high).optimum(cost, budget)
        return None if found is None else np.maximum(found.value[first:], 0.0)

    # -- whole numbers ----------------------------------------------------------------------------------------

    def integers(
        self, asked: Sequence[int], hint: Numbers | None, work: float, budget: Budget
    ) -> tuple[Answer, Numbers | None]:
        """Search by CP-SAT for a world that uses one of some columns of the model.

        Args:
            asked: the columns of the model; if there are none, any world will do.
            hint: how often each column of the model is used in a known world; shape (columns,).
            work: the limit in deterministic seconds of CP-SAT.
            budget: the time limit.

        Returns:
            "found" and the column of each variable; else "none" or "unknown", and None.
        """
        from ortools.sat.python import cp_model

        programme, matrix = cp_model.CpModel(), self.matrix
        most = np.append(self.size[self.of], np.ones(matrix.shape[1] - len(self.column), dtype=np.int64))
        columns = [programme.new_int_var(0, number, "") for number in most.tolist()]
        for low, high, a, b in zip(*self.bounds(), matrix.indptr[:-1], matrix.indptr[1:], strict=True):
            terms = [columns[column] for column in matrix.indices[a:b].tolist()]
            factors = [int(value) for value in matrix.data[a:b].tolist()]
            programme.add_linear_constraint(cp_model.LinearExpr.weighted_sum(terms, factors), int(low), int(high))
        if len(asked):
            programme.add(cp_model.LinearExpr.sum([columns[column] for column in asked]) >= 1)
        for column, number in zip(columns, [] if hint is None else hint.tolist(), strict=False):
            programme.add_hint(column, number)
        # Whether some columns are possible is mostly decided by the linear relaxation.
        answer, solver = solved(programme, work, budget, linearization_level=2 if len(asked) else 1)
        if answer not in {"best", "found"}:
            return answer, None
        return "found", self.world(np.array([solver.value(column) for column in columns], dtype=np.int64))

    # -- worlds -----------------------------------------------------------------------------------------------

    def world(self, number: Numbers) -> Numbers:
        """Return a column for each variable so that as many as given have each; shape (variables,).

        Args:
            number: how many variables of its class have each column of the model; what follows (arcs) is ignored. All
                variables of a class get -1 if its numbers do not add up to its size.
        """
        core = self.core
        chosen = np.full(core.variables, -1, dtype=np.int64)
        taken, of = (np.repeat(each, number[: len(self.column)]) for each in (self.column, self.of))
        whole = np.bincount(of, minlength=len(self.first)) == self.size
        members = grouped(self._class, len(self.first))[1]
        members, taken = members[whole[self._class[members]]], taken[whole[of]]
        chosen[members] = taken - core.start[core.representative[members]] + core.start[members]
        return chosen


def runs_of_parts(core: OpenSubproblem, most: int) -> list[tuple[int, int]]:
    """Return runs of parts, as pairs (first, end), with at most `most` columns each; the largest parts first.

    A part with more columns is a run of its own.
    """
    columns = np.bincount(core.part[core.owner], minlength=core.parts)
    return [(each.start, each.stop) for each in batches(columns, most)][::-1]
