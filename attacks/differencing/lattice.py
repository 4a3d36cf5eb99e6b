"""The lattice of margins: every relevant box as a node, and every line of cells with its sum as an equality.

Dimensions that no published or asked box restricts together need no common table: there is a table for each clique of a
chordal graph of dimensions. Consistent integer tables of such cliques always extend to one table of all dimensions
(Lauritzen, Graphical Models, section 4.4; Dobra and Fienberg, PNAS 97(22), 2000), so nothing is lost.

Propagation of bounds over the lattice of margins, with a trail from which each bound can be proved.

A sum is at least the total of its parts' lower bounds. A part is at least the sum's lower bound less the other parts'
upper bounds. The same holds for upper bounds (propagation on linear equalities; Apt, Principles of Constraint
Programming, section 6.4). All weights are 1, so that nothing is rounded and each bound is a sum of published bounds.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul

import numpy as np

from audit.model.arrays import UNBOUNDED, Counts, Flags, Numbers, flagged, mask_of, starts
from audit.model.count_tables import Axis, Boxes, CountTables

Ids = Numbers
Decomposition = tuple[int, tuple[int, ...]]
"""A set of an axis, and disjoint smaller sets whose union it is."""

_MOST_NODES = 20_000_000
_MOST_SPLITS = 5_000_000
_NO_SETS = np.zeros(0, dtype=np.int64)


class TooManyCellsError(Exception):
    """The tables have more cells than fit into memory."""


@dataclass(frozen=True)
class LineBlock:
    """Equalities of one kind: each parent is the sum of its children; no node is a parent, or a child, of two.

    Attributes:
        parent: shape (lines,); node ids.
        start: shape (lines,); where each line's children begin.
        child: shape (children,); node ids, line by line.
        line: shape (children,); the line of each child.
        defines: shape (lines,); whether the line is in a set of equalities from which all others follow.
    """

    parent: Ids
    start: Ids
    child: Ids
    line: Ids
    defines: Flags


@dataclass(frozen=True)
class MarginLattice:
    """Nodes and equalities.

    Attributes:
        axes: the dimensions.
        keys: shape (nodes,), ascending; the box of each node as one number.
        radix: for each axis, the factor of its set in a key.
        base: for each axis, the sets that nodes have, ascending.
        cliques: the sets of axes that nodes restrict together.
        blocks: all equalities, in the order in which bounds are passed on.
    """

    axes: tuple[Axis, ...]
    keys: Ids
    radix: tuple[int, ...]
    base: tuple[Ids, ...]
    cliques: tuple[tuple[int, ...], ...]
    blocks: tuple[LineBlock, ...]
    _grids: dict[int, Ids] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.keys)

    def nodes(self, boxes: Boxes) -> Ids:
        """Return the node of each box; shape (boxes,), int64. All of them have to be in the lattice."""
        return np.searchsorted(self.keys, boxes.astype(np.int64) @ np.array(self.radix, dtype=np.int64))

    def has(self, boxes: Boxes) -> Flags:
        """Return which of the boxes with which the lattice was built are nodes; shape (boxes,)."""
        found = np.ones(len(boxes), dtype=np.bool_)
        for axis, base in enumerate(self.base):
            found &= np.isin(boxes[:, axis], base)
        return found

    def grid(self, clique: int) -> Ids:
        """Return the nodes of all combinations of a clique's sets in `base`; the last axis varies fastest."""
        if clique not in self._grids:
            whole = [axis.whole for axis in self.axes]
            origin = sum(map(mul, whole, self.radix))
            offsets = [(self.base[axis] - whole[axis]) * self.radix[axis] for axis in self.cliques[clique]]
            self._grids[clique] = np.searchsorted(self.keys, _box_keys(origin, offsets))
        return self._grids[clique]

    def box(self, node: int) -> tuple[int, ...]:
        """Return the set of a node on each axis."""
        key = int(self.keys[node])
        return tuple((key // radix) % len(axis.members) for axis, radix in zip(self.axes, self.radix, strict=True))


def build_lattice(axes: Sequence[Axis], published: Boxes, asked: Boxes, times: Ids = _NO_SETS) -> MarginLattice:
    """Return the lattice of the published boxes and of all other boxes that consist of the same sets.

    Args:
        axes: the dimensions.
        published: the set of each published box on each axis; shape (boxes, axes), int32.
        asked: the same for the boxes that are asked about.
        times: further sets of the last axis.

    Raises:
        TooManyCellsError: it has too many nodes, or too many equalities because of further sets.
    """
    sizes = [len(axis.members) for axis in axes]
    radix = [1] * len(sizes)
    for place in range(len(sizes) - 2, -1, -1):
        radix[place] = radix[place + 1] * sizes[place + 1]
    whole = np.array([axis.whole for axis in axes], dtype=np.int64)
    base = tuple(
        np.union1d(published[:, place], [*range(axis.atoms), axis.whole, *(times if axis is axes[-1] else ())])
        for place, axis in enumerate(axes)
    )
    cliques = chordal_cliques(np.unique(np.concatenate([published, asked]) != whole, axis=0))
    nodes = sum(float(np.prod([len(base[axis]) for axis in clique], dtype=float)) for clique in cliques)
    if nodes > _MOST_NODES or radix[0] * sizes[0] >= 2**62:
        raise TooManyCellsError
    origin = sum(map(mul, whole.tolist(), radix))
    offsets = [(sets - code) * factor for sets, code, factor in zip(base, whole, radix, strict=True)]
    keys = np.unique(np.concatenate([_box_keys(origin, [offsets[axis] for axis in clique]) for clique in cliques]))
    found = [decompositions(axis, sets, split=axis is axes[-1]) for axis, sets in zip(axes, base, strict=True)]
    if len(times) and nodes / len(base[-1]) * len(found[-1]) > _MOST_SPLITS:
        raise TooManyCellsError
    levels = [_levels(each) for each in found]
    blocks = []
    for clique in cliques:
        defined = np.zeros(len(keys), dtype=np.bool_)
        for axis in clique:
            around = _box_keys(origin, [offsets[each] for each in clique if each != axis])
            every = (np.arange(sizes[axis]) - whole[axis]) * radix[axis]
            blocks += [_block(level, around, every, keys, defined) for level in levels[axis]]
    return MarginLattice(tuple(axes), keys, tuple(radix), base, tuple(cliques), tuple(blocks))


def _box_keys(origin: int, offsets: Sequence[Ids]) -> Ids:
    """Return the keys of all combinations of some axes' sets, the other axes whole."""
    keys = np.array([origin], dtype=np.int64)
    for each in offsets:
        keys = (keys[:, None] + each).ravel()
    return keys


def _block(level: Sequence[Decomposition], base: Ids, offset: Ids, keys: Ids, defined: Flags) -> LineBlock:
    """Return the equalities of some decompositions at all places of the other axes; mark the nodes that they define."""
    parents = np.array([parent for parent, _ in level])
    widths = np.array([len(parts) for _, parts in level])
    parts = np.concatenate([np.array(parts) for _, parts in level])
    parent = np.searchsorted(keys, (base[:, None] + offset[parents]).ravel())
    child = np.searchsorted(keys, (base[:, None] + offset[parts]).ravel())
    sizes = np.tile(widths, len(base))
    start = starts(sizes)[:-1]
    defines = ~defined[parent]
    defined[parent] = True
    return LineBlock(parent, start, child, np.repeat(np.arange(len(parent)), sizes), defines)


def chordal_cliques(together: Flags) -> list[tuple[int, ...]]:
    """Return the largest cliques of a chordal graph in which each row's axes are joined; shape (rows, axes).

    >>> chordal_cliques(np.array([[True, True, False], [False, True, True], [False, False, False]]))
    [(0, 1), (1, 2)]
    """
    axes = together.shape[1]
    joined = np.eye(axes, dtype=np.bool_) | (together[:, :, np.newaxis] & together[:, np.newaxis]).any(axis=0)
    left = flagged(np.nonzero(together)[1], axes)
    found = list[frozenset[int]]()

    def missing(axis: int) -> int:
        near = joined[axis] & left
        return int((~joined[np.ix_(near, near)]).sum())

    while left.any():
        # Minimum fill-in: the axis whose neighbours lack the fewest edges goes next.
        axis = min(np.flatnonzero(left).tolist(), key=missing)
        clique = joined[axis] & left
        joined |= clique[:, np.newaxis] & clique
        left[axis] = False
        axes_of = frozenset(np.flatnonzero(clique).tolist())
        if not any(axes_of <= each for each in found):
            found.append(axes_of)
    return sorted(tuple(sorted(clique)) for clique in found) or [()]


def decompositions(axis: Axis, sets: Ids, *, split: bool = False) -> list[Decomposition]:
    """Return decompositions of some sets of an axis, which include all atoms, into smaller ones; smallest sets first.

    A set has one decomposition for each maximal smaller set in it that no earlier decomposition uses. The rest of the
    set is filled with the largest sets that fit, and finally with atoms. With `split`, a set that is the union of two
    others has all decompositions into two instead: bounds of a growing count pass from each period to each other one.

    >>> quarter = [np.array([0]), np.array([1]), np.array([2]), np.array([0, 1]), np.array([0, 1, 2])]
    >>> decompositions(Axis("month", 3, quarter, 4), np.arange(5))
    [(3, (0, 1)), (4, (3, 2))]
    >>> month, later = (
    ...     [np.array([each]) for each in range(3)],
    ...     [np.array([0, 1]), np.array([1, 2]), np.array([0, 1, 2])],
    ... )
    >>> decompositions(Axis("month", 3, [*month, *later], 5), np.arange(6), split=True)
    [(3, (0, 1)), (4, (1, 2)), (5, (0, 4)), (5, (2, 3))]
    """
    masks = {code: mask_of(axis.members[code]) for code in sets.tolist()}
    by_mask = {mask: code for code, mask in masks.items()}
    order = sorted(masks, key=lambda code: (len(axis.members[code]), code))
    found = []
    smaller: list[int] = []  # sets of several atoms, largest first
    for code in order:
        if len(axis.members[code]) > 1:
            found += (_halves(code, masks, by_mask) if split else []) or _of_set(code, masks, smaller)
            smaller.insert(0, code)
    return found


def _halves(code: int, masks: Mapping[int, int], by_mask: Mapping[int, int]) -> list[Decomposition]:
    rests = ((part, by_mask.get(masks[code] & ~mask, -1)) for part, mask in masks.items() if not mask & ~masks[code])
    return [(code, (part, rest)) for part, rest in rests if part < rest]


def _of_set(code: int, masks: Mapping[int, int], smaller: Sequence[int]) -> list[Decomposition]:
    inside = [each for each in smaller if masks[each] & ~masks[code] == 0]
    found, used = [], set[int]()
    largest = [each for each in inside if sum(masks[each] & ~masks[around] == 0 for around in inside) == 1]
    for first in largest or [-1]:
        if first in used:
            continue
        parts, left = ([first], masks[code] & ~masks[first]) if first >= 0 else ([], masks[code])
        for each in inside:
            if left and masks[each] & ~left == 0:
                parts.append(each)
                left &= ~masks[each]
        while left:
            atom = (left & -left).bit_length() - 1
            parts.append(atom)
            left &= left - 1
        used.update(parts)
        found.append((code, tuple(parts)))
    return found


def _levels(found: Sequence[Decomposition]) -> list[list[Decomposition]]:
    """Split decompositions into levels; in each, a set is the parent or child of at most one."""
    levels: list[tuple[set[int], list[Decomposition]]] = []
    for parent, parts in found:
        sets = {parent, *parts}
        # A level may not come before one that has a part as its parent.
        after = max((place + 1 for place, (have, _) in enumerate(levels) if have & sets), default=0)
        if after == len(levels):
            levels.append((set(), []))
        levels[after][0].update(sets)
        levels[after][1].append((parent, parts))
    return [level for _, level in levels]


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
