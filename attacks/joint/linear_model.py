"""The linear model of a core: how many of each class of twins have each column.

Rows say that everybody has one column, that linked variables follow one another, and that no row is taken more often
than it is there. The same model is solved in fractions (GLOP) and in whole numbers (CP-SAT); what is whole is a world.

Weights of rows prove what is impossible. Let each row cost points: all places together have `sum of weight x capacity`,
and everybody spends at least the cheapest of the own choices. Whoever would spend more than the cheapest choice by more
than what is left over cannot. That is checked here in whole numbers, whatever a solver says.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attacks.joint.arrays import Integers, Numbers, segments, starts
from attacks.joint.core import Core
from attacks.joint.links import chain_positions
from attacks.joint.twins import members_of
from audit.model.arrays import Flags, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NEVER = np.int64(1) << 60
_LARGEST = float(1 << 58)


class LinearModel:
    """The model of some parts.

    Attributes:
        core: the parts.
        classes: its classes of twins.
        column: columns of the core that stand for those of their class; shape (columns,).
        of: the class of each; likewise.
        part: the part of each; likewise.
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self.classes = core.classes
        heads = self.classes.head[self.classes.first]
        self._variables = segments(
            np.stack([heads, heads + self.classes.length[self.classes.first]], axis=1).reshape(-1),
            2 * np.arange(len(heads)),
        )
        of_variable = np.repeat(np.arange(len(heads)), self.classes.length[self.classes.first])
        columns = np.diff(core.start)[self._variables]
        self.column = segments(core.start, self._variables)
        self.of = np.repeat(of_variable, columns)
        self.part = core.part[core.owner[self.column]]

    # -- rows -------------------------------------------------------------------------------------------------

    @cached_property
    def matrix(self) -> csr_array:
        """The rows: one for each class, those of links, one for each row of the core; arcs are further columns."""
        from scipy.sparse import coo_array

        core, n = self.core, len(self.column)
        head = np.isin(core.owner[self.column], self.classes.head)
        one: list[Integers] = [self.of[head]]
        other: list[Integers] = [np.flatnonzero(head)]
        value = [np.ones(len(other[0]))]
        rows = len(self.classes.first)
        for row, column, sign in self._link_entries():
            one.append(rows + row)
            other.append(column)
            value.append(sign)
        rows += self.link_rows
        size = np.diff(core.row_start)[self.column]
        one.append(rows + core.row[segments(core.row_start, self.column)])
        other.append(np.repeat(np.arange(n), size))
        value.append(np.ones(len(other[-1])))
        shape = (rows + len(core.capacity), n + self.arcs)
        return coo_array((np.concatenate(value), (np.concatenate(one), np.concatenate(other))), shape=shape).tocsr()

    @cached_property
    def _links(self) -> Numbers:
        """The links of the chains that stand for their classes."""
        link = self.core.link
        return link[np.isin(link[:, 0], self._variables)] if len(link) else link

    @cached_property
    def _states(self) -> tuple[Numbers, Numbers]:
        """The states at both ends of each arc: (link, class of values before, class of values after), as options."""
        core = self.core
        option = core.option
        kinds = core.kind[np.searchsorted(option, np.arange(int(option[-1]) + 1))] if len(option) else option
        begin = np.append(option, int(option[-1]) + 1)[core.start]  # where the options of each variable begin
        first, last = self._links.T
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
        return len(self._states[0]) if len(self._links) else 0

    @property
    def link_rows(self) -> int:
        """How many rows say that linked variables follow one another."""
        if not len(self._links):
            return 0
        return len(self._ends)

    @cached_property
    def _ends(self) -> Numbers:
        """What each row of links is about: twice an option, and one more where it is the one after."""
        option = self.core.option[self.column]
        owner = self.core.owner[self.column]
        before = np.unique(option[np.isin(owner, self._links[:, 0])])
        after = np.unique(option[np.isin(owner, self._links[:, 1])])
        return np.sort(np.concatenate([2 * before, 2 * after + 1]))

    def _link_entries(self) -> list[tuple[Integers, Integers, Floats]]:
        """Return rows, columns and coefficients: what arcs carry is what the options at their ends have."""
        if not len(self._links):
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

    @property
    def arc_part(self) -> Numbers:
        """The part of each arc."""
        return self.core.part[self.core.owner[np.searchsorted(self.core.option, self._states[0])]]

    @property
    def sizes(self) -> Numbers:
        """How many chains are in each class."""
        return self.classes.size

    # -- proofs -----------------------------------------------------------------------------------------------

    def impossible(self, weight: Numbers) -> Flags:
        """Return which columns weights of the core's rows prove impossible; shape (columns,).

        Args:
            weight: at least 0; shape (rows,).
        """
        spare, over = self.margins(weight)
        found: Flags = over > spare[self.part]
        return found

    def least(self, weight: Numbers) -> Numbers:
        """Return the fewest points that a chain of each class spends; shape (classes,)."""
        return self._through(self._cost(weight))[1]

    def _cost(self, weight: Numbers) -> Numbers:
        """Return what each column costs by itself."""
        size = np.diff(self.core.row_start)[self.column]
        spent = np.append(weight[self.core.row[segments(self.core.row_start, self.column)]], 0)
        cost: Numbers = np.add.reduceat(spent, np.minimum(starts(size)[:-1], len(spent) - 1))
        cost[size == 0] = 0
        return cost

    def margins(self, weight: Numbers) -> tuple[Numbers, Numbers]:
        """Return how many points are left over in each part, and how many more than the least each column takes.

        Raises:
            OverflowError: the weights are too large for sums in 64 bits.
        """
        core = self.core
        longest = int(self.classes.length.max(initial=1))
        deepest = int(np.diff(core.row_start).max(initial=0)) * longest
        people = float(self.classes.size.sum())
        heaviest = float(weight.max(initial=0))
        if heaviest * deepest * max(people, 1.0) > _LARGEST or heaviest * float(core.capacity.sum()) > _LARGEST:
            raise OverflowError("weights of a proof are too large")
        if (weight < 0).any():
            raise ValueError("weights of a proof are at least 0")
        through, least = self._through(self._cost(weight))
        spare = np.zeros(core.parts, dtype=np.int64)
        np.add.at(spare, core.row_part, weight * core.capacity)
        class_part = core.part[self.classes.head[self.classes.first]]
        np.subtract.at(spare, class_part, least * self.classes.size)
        return spare, through - least[self.of]

    def _through(self, cost: Numbers) -> tuple[Numbers, Numbers]:
        """Return the least that a whole chain costs with each column, and the least of each class."""
        least = np.full(len(self.classes.first), _NEVER)
        if len(self._links):
            cost = cost + self._beside(cost)
        np.minimum.at(least, self.of, cost)
        return cost, least

    def _beside(self, cost: Numbers) -> Numbers:
        """Return the least that the rest of the chain costs beside each column, by sums forward and backward."""
        option = self.core.option[self.column]
        some, place = np.unique(option, return_inverse=True)
        own = np.full(len(some), _NEVER)
        np.minimum.at(own, place, cost)
        one, other = (np.searchsorted(some, ends) for ends in self._states)
        owner = self.core.owner[self.column][np.searchsorted(option, some)]
        depth = np.zeros(self.core.variables, dtype=np.int64)
        depth[self._links[:, 1]] = chain_positions(self._links) + 1
        layer = depth[owner]
        forward = np.where(layer == 0, own, _NEVER)
        for at in range(1, int(layer.max(initial=0)) + 1):
            arcs = layer[other] == at
            reached = np.full(len(some), _NEVER)
            np.minimum.at(reached, other[arcs], forward[one[arcs]])
            here = layer == at
            forward[here] = np.minimum(reached[here] + own[here], _NEVER)
        last = ~np.isin(owner, self._links[:, 0])
        backward = np.where(last, 0, _NEVER)
        for at in range(int(layer.max(initial=0)) - 1, -1, -1):
            arcs = layer[one] == at
            reached = np.full(len(some), _NEVER)
            np.minimum.at(reached, one[arcs], np.minimum(backward[other[arcs]] + own[other[arcs]], _NEVER))
            here = (layer == at) & ~last
            backward[here] = reached[here]
        return np.minimum(np.minimum(forward - own, _NEVER) + backward, _NEVER)[place]

    # -- worlds -----------------------------------------------------------------------------------------------

    def counts(self, chosen: Numbers) -> Numbers:
        """Return how many of each class have each column in what may be a world, a column of the core for each."""
        core = self.core
        place = chosen - core.start[np.arange(core.variables)]
        like = core.start[self.classes.like] + place
        return np.bincount(like, minlength=len(core.kind))[self.column]

    def world(self, number: Numbers) -> Numbers:
        """Return a column for each variable so that the given numbers of each class have each, -1 elsewhere.

        Args:
            number: how many chains of its class take each column, and each arc; shape (columns + arcs,).
        """
        core, classes = self.core, self.classes
        chosen = np.full(core.variables, -1, dtype=np.int64)
        begin, members = members_of(classes)
        first = classes.head[classes.first]
        short = classes.length[classes.first] == 1
        mine = np.flatnonzero(short[self.of])
        taken = np.repeat(self.column[mine], number[mine])
        of = np.repeat(self.of[mine], number[mine])
        heads = classes.head[members[short[classes.of[members]]]]
        whole = np.bincount(of, minlength=len(first)) == np.where(short, classes.size, 0)
        fits = whole[of]
        heads = heads[whole[classes.of[members[short[classes.of[members]]]]]]
        taken, of = taken[fits], of[fits]
        if len(heads) == len(taken):
            chosen[heads] = taken - core.start[first[of]] + core.start[heads]
        for each in np.flatnonzero(~short).tolist():
            self._unravel(each, members[begin[each] : begin[each + 1]], number, chosen)
        return chosen

    def _unravel(self, each: int, chains: Numbers, number: Numbers, chosen: Numbers) -> None:
        """Give the chains of a class the columns and the changes that are theirs."""
        core, classes = self.core, self.classes
        option = core.option
        first = int(classes.head[classes.first[each]])
        place = np.full(len(core.kind), -1, dtype=np.int64)
        place[self.column] = np.arange(len(self.column))
        one, other = self._states
        changes: dict[int, list[int]] = {}
        owner_of = core.owner[np.searchsorted(option, one)]
        for arc in np.flatnonzero(
            (owner_of >= first) & (owner_of < first + int(classes.length[classes.first[each]]))
        ).tolist():
            changes.setdefault(int(one[arc]), []).extend([int(other[arc])] * int(number[len(self.column) + arc]))
        columns: dict[int, list[int]] = {}
        for variable in range(first, first + int(classes.length[classes.first[each]])):
            for column in range(int(core.start[variable]), int(core.start[variable + 1])):
                columns.setdefault(int(option[column]), []).extend([column] * int(number[place[column]]))
        heads = [
            column
            for column in range(int(core.start[first]), int(core.start[first + 1]))
            for _ in range(int(number[place[column]]))
        ]
        if len(heads) != len(chains):
            return
        for head, column in zip(classes.head[chains].tolist(), heads, strict=True):
            at = int(option[column])
            chosen[head] = column - core.start[first] + core.start[head]
            for step in range(1, int(classes.length[classes.first[each]])):
                if not changes.get(at):
                    return
                at = changes[at].pop()
                if not columns.get(at):
                    return
                taken = columns[at].pop()
                chosen[head + step] = taken - core.start[first + step] + core.start[head + step]
