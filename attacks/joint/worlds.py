"""Checked worlds: a first world, and for each further one its changes from the one before.

Parts of a network are independent, so that worlds of its parts together are a world of the network. A variable has
column -1 as long as no world of it is known. Each proposed world is checked against capacities and links of the
network, and refused if it violates one.
"""

from __future__ import annotations

import numpy as np

from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Flags, Integers, Numbers, Words, mixed, segments


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
