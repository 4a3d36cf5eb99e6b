"""Knowledge about every column of a network: ruled out, in a known world (shown), or open.

`Worlds` are checked: a first world, and for each further one its changes from the one before.

Parts of a network are independent, so that worlds of its parts together are a world of the network. A variable has
column -1 as long as no world of it is known. Each proposed world is checked against capacities and links of the
network, and refused if it violates one.

`Propagation` rules out columns that no world can have, constraint by constraint, until nothing changes.

Each member of a constraint takes one of its rows, and no row is taken more often than its capacity: a *global
cardinality constraint*. From one solution of it follows in linear time which choices are in some solution (Regin, AAAI
1996). All constraints that have changed are propagated at once.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attacks.flows import flow
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.network import ConstraintNetwork, consistent
from audit.model.arrays import (
    Flags,
    Floats,
    Integers,
    Numbers,
    Words,
    exchangeable,
    flagged,
    grouped,
    mixed,
    places_of,
    renumbered,
    segments,
    starts,
)
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


class Worlds:
    """The known worlds of a network.

    Attributes:
        network: the network.
        first, last: the column of each variable in the first and in the last world; shape (variables,), -1 if unknown.
        linked_to: the variable before, and the one after, each variable in its chain; shape (2, variables), -1 if none.
    """

    def __init__(self, network: ConstraintNetwork) -> None:
        self.network = network
        self.first, self.last = (np.full(network.variables, -1, dtype=np.int64) for _ in range(2))
        self._taken = np.zeros(len(network.capacity), dtype=np.int64)
        self.linked_to = np.full((2, network.variables), -1, dtype=np.int64)
        for side, (later, earlier) in enumerate((network.link.T[::-1], network.link.T)):
            self.linked_to[side, later] = earlier
        self._changes: list[tuple[Integers, Integers, Numbers]] = []

    def __len__(self) -> int:
        """Return the number of worlds after the first."""
        return sum(len(ends) for _, _, ends in self._changes)

    def changes(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return all changes in order: variable, new column, number of the world from 1; three arrays (changes,)."""
        nothing: Integers = np.zeros(0, dtype=np.int64)
        found, before = [(nothing, nothing, nothing)], 0
        for variables, columns, ends in self._changes:
            world: Numbers = before + 1 + np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
            found.append((variables, columns, world))
            before += len(ends)
        variables, columns, worlds = (np.concatenate(each).astype(np.int64) for each in zip(*found, strict=True))
        return variables, columns, worlds

    def begin(self, variables: Numbers, columns: Numbers, alive: Flags) -> bool:
        """Add a first world of some variables; return false, and add none, if it is none together with the others.

        Args:
            variables: variables without a known world; shape (n,).
            columns: the column of each; shape (n,).
            alive: which columns of the network are not ruled out; shape (columns,), bool.
        """
        net = self.network
        taken = self._taken + np.bincount(net.row[segments(net.row_start, columns)], minlength=len(self._taken))
        self.last[variables] = columns
        if not self._right(variables, columns, alive) or (taken > net.capacity).any():
            self.last[variables] = -1
            return False
        self._taken, self.first[variables] = taken, columns
        return True

    def change(self, variables: Numbers, columns: Numbers, ends: Numbers, alive: Flags) -> bool:
        """Adopt consecutive worlds; return false, and adopt none, if one of them is no world.

        Args:
            variables: the variables that change, world by world; each has a column already; shape (changes,).
            columns: the new column of each; shape (changes,).
            ends: where the changes of each world end; shape (worlds,). If the network has links, there is one world.
            alive: which columns of the network are not ruled out; shape (columns,), bool.
        """
        found = self._taken_over(variables, columns, ends, alive)
        if found and len(ends):
            self._changes.append((variables.astype(np.int32), columns.astype(np.int32), ends))
        return found

    def _taken_over(self, variables: Numbers, columns: Numbers, ends: Numbers, alive: Flags) -> bool:
        """Check each world, row by row and link by link, and adopt the last; return whether all are worlds."""
        net = self.network
        number = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        before = _before(variables, columns, self.last)
        old = before >= 0
        rows, world, step = [], [], []
        for changed, at, sign in ((columns, number, 1), (before[old], number[old], -1)):
            rows.append(net.row[segments(net.row_start, changed)])
            world.append(np.repeat(at, np.diff(net.row_start)[changed]))
            step.append(np.full(len(rows[-1]), sign))
        row, when, change = map(np.concatenate, (rows, world, step))
        order = np.lexsort((when, row))
        row, when, change = row[order], when[order], change[order]
        begin = np.append(True, row[1:] != row[:-1])[: len(row)]
        total = np.cumsum(change)
        taken = total - np.repeat((total - change)[begin], np.diff(np.append(np.flatnonzero(begin), len(row))))
        taken += self._taken[row]
        settled = np.append((row[1:] != row[:-1]) | (when[1:] != when[:-1]), True)[: len(row)]
        now = self.last[variables]
        self.last[variables] = columns
        if not self._right(variables, columns, alive) or (taken > net.capacity[row])[settled].any():
            self.last[variables] = now
            return False
        np.add.at(self._taken, row, change)
        return True

    def _right(self, variables: Numbers, columns: Numbers, alive: Flags) -> bool:
        """Return whether columns belong to their variables and are not ruled out, and all links of these are kept."""
        net = self.network
        if not (alive[columns].all() and (net.owner[columns] == variables).all()):
            return False
        if not len(net.link):
            return True
        before, after = self.linked_to[:, variables]
        pairs = np.stack([np.append(before, variables), np.append(variables, after)])
        pairs = self.last[pairs[:, (pairs >= 0).all(axis=0)]]
        return bool(net.may_follow(*pairs[:, (pairs >= 0).all(axis=0)]).all())

    def trace(self) -> Words:
        """Return a fingerprint of the changes of each variable's values over all worlds; shape (variables,), uint64.

        Two variables with equal values in all worlds have equal fingerprints; unequal ones differ except by chance.
        """
        variables, columns, world = self.changes()
        before, found = _before(variables, columns, self.first), np.zeros(self.network.variables, dtype=np.uint64)
        value, number = self.network.value_class.astype(np.uint64), mixed(world, 1)
        old, new = (mixed(number ^ value[each], 2) for each in (before, columns))
        np.add.at(found, variables, old - new)
        return found


def _before(variables: Integers, columns: Integers, now: Numbers) -> Numbers:
    """Return the column that each variable had before each change; `now` is the one before its first change.

    >>> _before(np.array([1, 0, 1]), np.array([5, 2, 6]), np.array([3, 4])).tolist()
    [4, 3, 5]
    """
    order = np.argsort(variables, kind="stable")
    found = now[variables]
    again = np.flatnonzero(variables[order][1:] == variables[order][:-1]) + 1
    found[order[again]] = columns[order[again - 1]]
    return found


COUNTED = 64
"""Worlds are counted in parts with at most this many variables."""


class Knowledge:
    """What is known about the columns of a network.

    A column is shown only by worlds: it is in a checked world, or in one where twins, or people who can exchange values
    freely, have exchanged theirs; or it is the only remaining column of its variable, which every world has.

    Attributes:
        network: the network; its columns are the values that people's own groups leave.
        worlds: the worlds that were found.
        alive: which columns are not proved impossible; shape (columns,), bool.
        share: the share of the weight of worlds that have each column; NaN if its part was not counted; (columns,).
        believed: which variables lost a column on the word of a solver; shape (variables,), bool.
        number: how many worlds there are; None if a part was not counted, the number is too long to print, or the
            adversary does not know groups.
        feasible: false if it is proved that there is no world.
        wanted: which variables are asked about; shape (variables,), bool.
    """

    def __init__(self, network: ConstraintNetwork, budget: Budget | None = None) -> None:
        """Begin with the columns that people's own groups leave; the only column of a variable is in every world."""
        self.network, self._budget = network, budget or Budget()
        self.alive = np.ones(network.columns, dtype=np.bool_)
        self.feasible = bool((np.diff(network.start) > 0).all())
        self.wanted = np.ones(network.variables, dtype=np.bool_)
        self.worlds = Worlds(network)
        self.believed = np.zeros(network.variables, dtype=np.bool_)
        self.number: int | None = None
        self.share: Floats = np.full(network.columns, np.nan)
        self._core: OpenSubproblem = network
        self._is_current = False
        self._shown = np.zeros(network.columns, dtype=np.bool_)
        if self.feasible:
            even = network.even(COUNTED)
            self.adopt(np.flatnonzero(even), network.hint[even])
            self._shown[even[network.owner]] = True
            if network.weighs_alike:
                self.share[self._shown] = 1.0 / np.diff(network.start)[network.owner[self._shown]]
            self._take_singles()
        self._settle_shares()

    @cached_property
    def _propagation(self) -> Propagation:
        return Propagation(self.network)

    @property
    def shown(self) -> Flags:
        """The columns that some known world has; shape (columns,), bool, read-only."""
        found = self._shown.view()
        found.flags.writeable = False
        return found

    @property
    def chosen(self) -> Numbers:
        """The column of each variable in the last known world, -1 if unknown; shape (variables,)."""
        return self.worlds.last

    def adopt(self, variables: Numbers, columns: Numbers) -> None:
        """Adopt a world that gives some variables new columns and leaves all others as they are.

        Raises:
            AssertionError: it is not a world; this is a bug of the program.
        """
        before = self.chosen[variables]
        new, changed = before < 0, (before >= 0) & (before != columns)
        if new.any() and not self.begin(variables[new], columns[new]):
            raise AssertionError("what was proposed is no world")
        if changed.any():
            self.follow(variables[changed], columns[changed], np.array([np.count_nonzero(changed)]))

    def follow(self, variables: Numbers, columns: Numbers, ends: Numbers) -> None:
        """Adopt consecutive worlds, each given by its changes from the one before; arguments as in `Worlds.change`.

        Raises:
            AssertionError: one of them is not a world; this is a bug of the program.
        """
        if not self.worlds.change(variables, columns, ends, self.alive):
            raise AssertionError("what was proposed is no world")
        self._shown[columns] = True

    def begin(self, variables: Numbers, columns: Numbers) -> bool:
        """Adopt a first world of some variables; return false if it is none together with the other variables."""
        if not self.worlds.begin(variables, columns, self.alive):
            return False
        self._shown[columns] = True
        return True

    def exchange(self, columns: Numbers, of: Numbers) -> None:
        """Mark columns as shown if a twin's corresponding column is: if twins exchange columns, a world is still one.

        Args:
            columns: some columns; shape (n,).
            of: a number for each that corresponding columns of twins share; shape (n,).
        """
        shown = flagged(of[self._shown[columns]], int(of.max(initial=-1)) + 1)
        self._shown[columns] = shown[of]

    def narrow(self) -> None:
        """Rule out the columns that single constraints rule out, until nothing changes."""
        self._follow_propagation(feasible=self._propagation.run(self._budget))
        self._settle_shares()

    def rule_out(self, columns: Flags) -> None:
        """Remove columns that are proved impossible, and what propagation then rules out.

        Raises:
            AssertionError: a world that was checked has one of them; this is a bug of the program.
        """
        if (columns & self._shown).any():
            raise AssertionError("a value that a world has was proved impossible")
        if columns.any():
            self._follow_propagation(feasible=self._propagation.remove(columns, self._budget))

    def _follow_propagation(self, *, feasible: bool) -> None:
        self.alive, self.feasible = self._propagation.alive, self.feasible and feasible
        self._is_current = False
        if (self._shown & ~self.alive).any():
            if self.feasible or (self.chosen >= 0).all():
                raise AssertionError("a value that a world has was proved impossible")
            self._shown &= self.alive
        if self.feasible:
            self._take_singles()

    def _settle_shares(self) -> None:
        """Set the shares of columns that are ruled out to 0, and of only remaining columns to 1."""
        self.share[~self.alive] = 0.0
        self.share[self._singles()] = 1.0

    def _singles(self) -> Numbers:
        return np.flatnonzero(self.alive & (self.network.counted(self.alive) == 1)[self.network.owner])

    def _take_singles(self) -> None:
        """Mark the only remaining column of a variable as shown; there is no world if these columns are none."""
        fixed = self._singles()
        owner = self.network.owner[fixed]
        new = self.chosen[owner] < 0
        self.feasible = self.begin(owner[new], fixed[new])
        self._shown[fixed] = True

    def undecided(self, enough: int) -> Flags:
        """Return the open columns of wanted variables with fewer than `enough` shown options; shape (columns,), bool.

        If `enough` is 0, all open columns of wanted variables are returned whose option is not shown.
        """
        net = self.network
        column = np.flatnonzero(self.alive & ~self._shown)
        column = column[self.wanted[net.owner[column]]]
        if net.repeats:  # columns of a variable with one class of values are one option
            known = flagged(net.option[self._shown], int(net.option[-1]) + 1)
            column = column[~known[net.option[column]]]
        if enough and len(column):
            column = column[(distinct(net, self._shown) < enough)[net.owner[column]]]
        return flagged(column, net.columns)

    def core(self, columns: Flags, *, known: bool | None = None) -> OpenSubproblem:
        """Return the undecided parts that contain some of the given columns.

        Args:
            columns: the given columns; shape (columns,), bool.
            known: if given, only parts with (or without) a known world are returned.
        """
        core = self._core
        if not self._is_current:  # what the last core lacks was decided then
            core = core_of(core, self.alive[core.column], np.ones(core.variables, dtype=np.bool_))
            self._core, self._is_current = core, True
        parts = flagged(core.part[core.owner[columns[core.column]]], core.parts)
        if known is not None:
            unknown = flagged(core.part[self.chosen[core.variable] < 0], core.parts)
            parts &= ~unknown if known else unknown
        return core if parts.all() else core.only(parts)

    def world_in(self, core: OpenSubproblem) -> Numbers:
        """Return the column of each variable of a core in the known world, by its numbers; -1 if none is known."""
        return places_of(self.chosen[core.variable], core.column)

    def adopt_in(self, core: OpenSubproblem, chosen: Numbers) -> None:
        """Adopt the given column of each variable in those parts of a core where these columns are a world."""
        good = core.worlds(chosen)[core.part]
        self.adopt(core.variable[good], core.column[chosen[good]])
        self.exchange(core.column, core.twin_column)


def distinct(network: ConstraintNetwork, columns: Flags) -> Numbers:
    """Return how many classes of values the given columns of each variable have; shape (variables,)."""
    if not network.repeats:
        return network.counted(columns)
    places = np.flatnonzero(columns)
    first = np.unique(network.option[places], return_index=True)[1]
    return np.bincount(network.owner[places[first]], minlength=network.variables)
