"""Propagation of bounds over the lattice of margins, with a trail from which each bound can be proved.

A sum is at least the total of its parts' lower bounds. A part is at least the sum's lower bound less the other parts'
upper bounds. The same holds for upper bounds (propagation on linear equalities; Apt, Principles of Constraint
Programming, section 6.4). All weights are 1, so that nothing is rounded and each bound is a sum of published bounds.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from attacks.differencing.lattice import Ids, LineBlock, MarginLattice
from audit.model.arrays import UNBOUNDED, Counts, Numbers
from audit.model.count_tables import CountTables

LOWER, UPPER = 0, 1
Ends = Numbers
"""Bounds of all nodes; shape (2, nodes): row 0 lower bounds, row 1 upper bounds."""


@dataclass
class Changes:
    """The bounds on one side that one block of equalities improved in one step.

    Attributes:
        block: the index of the block.
        upward: whether sums got their bounds from parts; else parts from sums.
        node: shape (changes,), ascending; the nodes with new bounds.
        line: shape (changes,); the line of the block that gave the bound.
    """

    block: int
    upward: bool
    node: Ids
    line: Ids


@dataclass
class BoundPropagation:
    """Bounds of all nodes, and the derivation of each.

    Attributes:
        lattice: the nodes.
        ends: the bounds; shape (2, nodes), int64.
        source: shape (2, nodes); the published number that gave a node its first bound, -1 for none.
        trail: the changes of both sides in each step; they follow from the bounds before the step.
        contradicting: a node whose lower bound exceeds its upper bound; None if there is none.
    """

    lattice: MarginLattice
    ends: Ends
    source: Ids
    trail: list[tuple[Changes, Changes]] = field(default_factory=list)
    contradicting: int | None = None
    _history: list[tuple[list[int], list[int]]] | None = None

    def run(self) -> None:
        """Propagate bounds until nothing changes, or until they contradict each other."""
        stale = 0
        while stale < len(self.lattice.blocks):
            for place, block in enumerate(self.lattice.blocks):
                changed = self._step(place, block, upward=True)
                changed |= self._step(place, block, upward=False)
                stale = 0 if changed else stale + 1
                if self.contradicting is not None or stale >= len(self.lattice.blocks):
                    return

    def _step(self, place: int, block: LineBlock, *, upward: bool) -> bool:
        found = _sums(self.ends, block) if upward else _parts(self.ends, block)
        nodes = block.parent if upward else block.child
        both = []
        for side, tighter in ((LOWER, np.greater), (UPPER, np.less)):
            where = np.flatnonzero(tighter(found[side], self.ends[side][nodes]))
            node = nodes[where]
            order = np.argsort(node)
            where, node = where[order], node[order]
            both.append(Changes(place, upward, node, where if upward else block.line[where]))
            self.ends[side][node] = found[side][where]
        if not len(both[0].node) and not len(both[1].node):
            return False
        self.trail.append((both[0], both[1]))
        self._history = None
        changed = np.concatenate([both[0].node, both[1].node])
        crossed = changed[self.ends[LOWER][changed] > self.ends[UPPER][changed]]
        if len(crossed):
            self.contradicting = int(crossed.min())
        return True

    def weights(self, wanted: Sequence[tuple[int, int, int]]) -> dict[int, int]:
        """Return the published numbers that prove weighted bounds of nodes, with integer weights.

        The bound that counts are at least 0 needs no number and is omitted.

        Args:
            wanted: triples of a node, the side of its bound, and its weight.
        """
        pending: dict[tuple[int, int, int], int] = defaultdict(int)
        queue: list[tuple[int, int, int]] = []
        found: dict[int, int] = defaultdict(int)

        def ask(step: int, node: int, side: int, weight: int) -> None:
            at = self._version(node, side, step)
            if at < 0:
                number = int(self.source[side][node])
                if number >= 0:
                    found[number] += weight
                return
            key = (-at, node, side)
            if key not in pending:
                heapq.heappush(queue, key)
            pending[key] += weight

        for node, side, weight in wanted:
            ask(len(self.trail), node, side, weight)
        while queue:
            key = heapq.heappop(queue)
            weight = pending.pop(key)
            if weight:
                for node, side, sign in self._reasons(-key[0], key[1], key[2]):
                    ask(-key[0], node, side, sign * weight)
        return {number: weight for number, weight in found.items() if weight}

    def _version(self, node: int, side: int, before: int) -> int:
        """Return the last step before a step that changed a bound, -1 if there is none."""
        start, steps = self._steps(side)
        place = bisect_left(steps, before, start[node], start[node + 1])
        return steps[place - 1] if place > start[node] else -1

    def _steps(self, side: int) -> tuple[list[int], list[int]]:
        if self._history is None:
            self._history = [self._collect(each) for each in (LOWER, UPPER)]
        return self._history[side]

    def _collect(self, side: int) -> tuple[list[int], list[int]]:
        """Return the steps that changed each node's bound on a side, node by node, and where each node's begin."""
        empty = [np.zeros(0, dtype=np.int64)]
        node = np.concatenate([*empty, *(step[side].node for step in self.trail)])
        step = np.repeat(np.arange(len(self.trail)), [len(each[side].node) for each in self.trail])
        start = np.searchsorted(np.sort(node), np.arange(len(self.lattice) + 1))
        # Single lookups are faster in lists than in arrays.
        return start.tolist(), step[np.argsort(node, kind="stable")].tolist()

    def _reasons(self, step: int, node: int, side: int) -> list[tuple[int, int, int]]:
        """Return the bounds from which a change was derived: node, side, sign."""
        changes = self.trail[step][side]
        block = self.lattice.blocks[changes.block]
        line = int(changes.line[np.searchsorted(changes.node, node)])
        stop = block.start[line + 1] if line + 1 < len(block.start) else len(block.child)
        parts = block.child[block.start[line] : stop].tolist()
        if changes.upward:
            return [(part, side, 1) for part in parts]
        return [(int(block.parent[line]), side, 1), *((part, 1 - side, -1) for part in parts if part != node)]


def _sums(ends: Ends, block: LineBlock) -> tuple[Counts, Counts]:
    """Return the bounds of each line's sum from its parts; shape (lines,)."""
    least = np.add.reduceat(ends[LOWER][block.child], block.start)
    most = np.add.reduceat(ends[UPPER][block.child], block.start)
    return least, np.minimum(most, UNBOUNDED)


def _parts(ends: Ends, block: LineBlock) -> tuple[Counts, Counts]:
    """Return the bounds of each part from the sum and the other parts of its line; shape (children,)."""
    least, most = ends[LOWER][block.child], ends[UPPER][block.child]
    endless = most >= UNBOUNDED
    finite = np.where(endless, 0, most)
    without = np.add.reduceat(endless.astype(np.int64), block.start)[block.line] - endless
    rest = np.add.reduceat(finite, block.start)[block.line] - finite
    lower = np.where(without > 0, 0, ends[LOWER][block.parent][block.line] - rest)
    above = ends[UPPER][block.parent][block.line]
    upper = above - (np.add.reduceat(least, block.start)[block.line] - least)
    return lower, np.where(above >= UNBOUNDED, UNBOUNDED, upper)


def propagated(lattice: MarginLattice, tables: CountTables) -> BoundPropagation:
    """Return the bounds of all nodes that follow from the published ones by propagation."""
    nodes = lattice.nodes(tables.boxes)
    ends = np.stack([np.zeros(len(lattice), dtype=np.int64), np.full(len(lattice), UNBOUNDED, dtype=np.int64)])
    np.maximum.at(ends[LOWER], nodes, tables.lower)
    np.minimum.at(ends[UPPER], nodes, tables.upper)
    source = np.full((2, len(lattice)), -1, dtype=np.int64)
    numbers = np.arange(len(nodes))
    for side, given in ((LOWER, tables.lower), (UPPER, tables.upper)):
        tight = (given == ends[side][nodes]) & (given != (0, UNBOUNDED)[side])
        # Of several numbers with the same bound, the first one is named.
        source[side][nodes[tight][::-1]] = numbers[tight][::-1]
    found = BoundPropagation(lattice, ends, source)
    crossed = np.flatnonzero(ends[LOWER] > ends[UPPER])
    if len(crossed):
        found.contradicting = int(crossed[0])
    else:
        found.run()
    return found
