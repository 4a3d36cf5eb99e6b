"""Propagation: rule out columns that no world can have, constraint by constraint, until nothing changes.

Each member of a constraint takes one of its rows, and no row is taken more often than its capacity: a *global
cardinality constraint*. From one solution of it follows in linear time which choices are in some solution (Regin, AAAI
1996). All constraints that have changed are propagated at once.
"""

from __future__ import annotations

import numpy as np

from attacks.flows import flow
from attacks.joint.network import ConstraintNetwork, consistent
from audit.model.arrays import Flags, Integers, Numbers, exchangeable, flagged, grouped, renumbered, segments, starts
from audit.runtime.budget import Budget

# The number of members of constraints that are propagated before the clock is checked.
_AT_A_TIME = 1 << 20


class Propagation:
    """The remaining columns of a network, and a solution of each single constraint.

    Attributes:
        network: the network.
        alive: which columns are not ruled out; shape (columns,), bool.
        feasible: false if it is proved that there is no world.
    """

    def __init__(self, network: ConstraintNetwork) -> None:
        self.network = net = network
        self.alive = np.ones(net.columns, dtype=np.bool_)
        self.feasible = bool((np.diff(net.start) > 0).all())
        self._owner = net.owner
        # A membership is a variable in a constraint; all columns of a variable have the constraints of its first one.
        degree = np.zeros(net.variables, dtype=np.int64)
        filled = np.diff(net.start) > 0
        degree[filled] = np.diff(net.row_start)[net.start[:-1][filled]]
        self._member_start = starts(degree)
        self._member = np.repeat(np.arange(net.variables), degree)
        first = segments(net.row_start, net.start[:-1][filled])
        self._constraint = net.block[net.row[first]]
        self.constraints = int(net.block.max(initial=-1)) + 1
        self._begin, self._by_constraint = grouped(self._constraint, self.constraints)
        self._match = np.full(len(self._member), -1, dtype=np.int64)
        hint = net.hint[self._member]
        hinted = hint >= 0
        place = np.arange(len(self._member)) - self._member_start[self._member]
        self._match[hinted] = net.row[net.row_start[hint[hinted]] + place[hinted]]

    def run(self, budget: Budget, changed: Integers | None = None) -> bool:
        """Propagate from variables that lost columns, or everywhere; return false if no world exists.

        If time runs out, propagation stops early, and columns may remain that no world has.

        Args:
            budget: the time limit.
            changed: the variables that lost columns; None for all.
        """
        dirty = np.ones(self.constraints, dtype=np.bool_) if changed is None else self._touched(changed)
        while self.feasible and dirty.any() and not budget.exhausted():
            before = self.alive.copy()
            for batch in self._in_turns(np.flatnonzero(dirty)):
                self.feasible = self.feasible and (budget.exhausted() or self._filter(batch))
            if not self.feasible:
                break
            net = self.network
            self.alive = consistent(self._owner, net.value_class, self.alive, net.link, net.may)
            lost = np.unique(self._owner[np.flatnonzero(before & ~self.alive)])
            self.feasible = self._left(lost)
            dirty = self._touched(lost)
        return self.feasible

    def _in_turns(self, constraints: Numbers) -> list[Numbers]:
        """Return some constraints in batches, between which the clock is checked."""
        members = np.cumsum(self._begin[constraints + 1] - self._begin[constraints])
        return np.split(constraints, np.flatnonzero(np.diff(members // _AT_A_TIME)) + 1)

    def remove(self, columns: Flags, budget: Budget) -> bool:
        """Remove columns that are proved impossible, and propagate; return false if no world exists."""
        net, before = self.network, self.alive
        self.alive = consistent(self._owner, net.value_class, before & ~columns, net.link, net.may)
        lost = np.unique(self._owner[before & ~self.alive])
        self.feasible &= self._left(lost)
        return self.feasible and self.run(budget, lost)

    def _left(self, variables: Integers) -> bool:
        """Return whether each of some variables has a remaining column."""
        start = self.network.start
        alive = self.alive[segments(start, variables)]
        return bool(np.add.reduceat(alive, starts(np.diff(start)[variables])[:-1]).all()) if len(variables) else True

    def _touched(self, variables: Integers) -> Flags:
        return flagged(self._constraint[segments(self._member_start, variables)], self.constraints)

    def _filter(self, constraints: Numbers) -> bool:
        """Rule out the columns that each given constraint rules out by itself; return whether all have a solution."""
        net = self.network
        member = self._by_constraint[segments(self._begin, constraints)]
        variable = self._member[member]
        size = np.diff(net.start)[variable]
        column = segments(net.start, variable)
        place = np.repeat(member - self._member_start[variable], size)
        which = np.repeat(np.arange(len(member)), size)
        kept = self.alive[column]
        column, place, which = column[kept], place[kept], which[kept]
        row = net.row[net.row_start[column] + place]
        match = self._match[member]
        if not self._solved(match, which, row, self._constraint[member]):
            return False
        self._match[member] = match
        lost = self._lost(match, which, row)
        self.alive[column[lost]] = False
        return True

    def _solved(self, match: Numbers, which: Numbers, row: Numbers, constraint: Numbers) -> bool:
        """Complete a solution of each constraint: a row for each member; return whether there is one.

        Args:
            match: the row of each member, -1 if none is known; changed in place; shape (members,).
            which: the member of each pair of a member and a row that it may take; shape (pairs,).
            row: the row of each pair; shape (pairs,).
            constraint: the constraint of each member; shape (members,).
        """
        net = self.network
        held = flagged(which[row == match[which]], len(match))
        match[~held] = -1
        taken = np.bincount(match[held], minlength=len(net.capacity))
        over = np.flatnonzero(taken > net.capacity)
        broken = flagged(constraint[~held], self.constraints)
        broken[net.block[over]] = True
        if not broken.any():
            return True
        member, arcs = np.flatnonzero(broken[constraint]), np.flatnonzero(broken[constraint[which]])
        rows, right = np.unique(row[arcs], return_inverse=True)
        sent = flow(np.ones_like(member), net.capacity[rows], np.searchsorted(member, which[arcs]), right) > 0
        match[member] = -1
        match[which[arcs[sent]]] = row[arcs[sent]]
        return bool((match[member] >= 0).all())

    def _lost(self, match: Numbers, which: Numbers, row: Numbers) -> Flags:
        """Return which pairs of a member and a row are in no solution of their constraint; shape (pairs,), bool."""
        net = self.network
        rows, number = renumbered(row, len(net.capacity))
        at = number[match]
        return ~exchangeable(which, number[row], at, np.bincount(at, minlength=len(rows)) < net.capacity[rows])
