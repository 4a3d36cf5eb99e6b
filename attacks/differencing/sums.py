"""Sums: boxes that are not nodes of the lattice, as sums and differences of nodes.

A set that is not published is the sum of smaller sets, or a larger set less the rest; a box of such sets is the product
of these sums. A few solutions and the bounds of the nodes settle most questions, many boxes at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import LOWER, UPPER, Ends, Ids, MarginLattice
from audit.model.arrays import UNBOUNDED, Counts, Flags, Matrix, grouped, mask_of
from audit.model.count_tables import NOTHING, OPEN, RECOVERED, Axis, Boxes

_CHUNK = 200_000
_MOST_TERMS = 64
_AT_ONCE = 4_000_000
Terms = tuple[tuple[int, int], ...]
"""Sets of an axis, each with its sign."""


@dataclass(frozen=True)
class TermGroup:
    """Boxes with equally many terms.

    Attributes:
        place: shape (boxes,); the numbers of the boxes.
        node: shape (boxes, terms); the nodes whose sum each box is.
        sign: shape (boxes, terms); the sign of each node: 1 or -1.
    """

    place: Ids
    node: Ids
    sign: Counts


class BoxSums:
    """The nodes whose sum is a box; each box has several such sums, the one with the fewest terms first.

    Attributes:
        lattice: the lattice.
        boxes: the set of each box on each axis; shape (boxes, axes).
    """

    ways = (0, 1)

    def __init__(self, lattice: MarginLattice, boxes: Boxes) -> None:
        self.lattice, self.boxes = lattice, boxes
        self._tables = [
            _TermTable(axis, sorted(base), np.unique(boxes[:, place]).tolist())
            for place, (axis, base) in enumerate(zip(lattice.axes, lattice.base, strict=True))
        ]
        whole = np.array([axis.whole for axis in lattice.axes])
        patterns, self._pattern = np.unique(boxes != whole, axis=0, return_inverse=True)
        self._clique = [
            next(
                place
                for place, each in enumerate(lattice.cliques)
                if set(np.flatnonzero(pattern).tolist()) <= set(each)
            )
            for pattern in patterns
        ]

    def terms(self, places: Ids, way: int) -> Iterator[TermGroup]:
        """Yield the nodes of some boxes in one of the `ways`; boxes with too many terms are left out.

        The first has the fewest terms, the second the other decomposition of the set on each axis.
        """
        clique = np.array(self._clique, dtype=np.int64)[self._pattern.ravel()[places]]
        counts = np.stack([t.count[way][self.boxes[places, a]] for a, t in enumerate(self._tables)], axis=1)
        most = [int(table.count[way].max()) + 1 for table in self._tables]
        kinds, first, kind = np.unique(
            np.ravel_multi_index((clique, *counts.T), (len(self.lattice.cliques), *most)),
            return_index=True,
            return_inverse=True,
        )
        starts, order = grouped(kind, len(kinds))
        for place, example in enumerate(first.tolist()):
            at, count = int(clique[example]), counts[example].tolist()
            size = float(np.prod(count, dtype=float))
            if way == 0 or size <= _MOST_TERMS:
                every = places[order[starts[place] : starts[place + 1]]]
                step = max(1, int(_AT_ONCE / size))
                for batch in np.split(every, range(step, len(every), step)):
                    yield TermGroup(batch, *self._of_clique(batch, at, count, way))

    def of_box(self, place: int) -> list[TermGroup]:
        """Return the nodes of one box in each of the `ways`, as `terms` does but faster; not those with too many."""
        places, sets, found = np.array([place]), self.boxes[place].tolist(), list[TermGroup]()
        for way in self.ways:
            count = [int(table.count[way][code]) for table, code in zip(self._tables, sets, strict=True)]
            if not way or prod(count) <= _MOST_TERMS:
                at = self._clique[self._pattern.ravel()[place]]
                found.append(TermGroup(places, *self._of_clique(places, at, count, way)))
        return found

    def _of_clique(self, places: Ids, at: int, count: Sequence[int], way: int) -> tuple[Ids, Counts]:
        grid, axes = self.lattice.grid(at), self.lattice.cliques[at]
        rank = np.zeros((len(places), 1), dtype=np.int64)
        sign = np.ones((len(places), 1), dtype=np.int64)
        for axis in axes:
            table, size = self._tables[axis], count[axis]
            sets = self.boxes[places, axis]
            more = table.rank[way][sets, :size]
            rank = (rank[:, :, None] * len(table.base) + more[:, None, :]).reshape(len(places), -1)
            sign = (sign[:, :, None] * table.sign[way][sets, :size][:, None, :]).reshape(len(places), -1)
        return grid[rank], sign

    def values(self, places: Ids, point: Counts) -> tuple[Counts, Flags]:
        """Return the counts of some boxes in a solution, and which are known; an unknown node is -1."""
        value = np.zeros(len(self.boxes), dtype=np.int64)
        known = np.zeros(len(self.boxes), dtype=np.bool_)
        for group in self.terms(places, 0):
            counts = point[group.node]
            value[group.place] = (counts * group.sign).sum(axis=1)
            known[group.place] = (counts >= 0).all(axis=1)
        return value[places], known[places]

    def bounds(self, places: Ids, ends: Ends) -> Ends:
        """Return the bounds of some boxes from the bounds of nodes; shape (2, boxes)."""
        found = np.stack([np.zeros(len(self.boxes), dtype=np.int64), np.full(len(self.boxes), UNBOUNDED)])
        for way in self.ways:
            for group in self.terms(places, way):
                low, high = _added(group, ends)
                found[LOWER][group.place] = np.maximum(found[LOWER][group.place], low)
                found[UPPER][group.place] = np.minimum(found[UPPER][group.place], high)
        return found[:, places]

    def matrix(self, places: Ids) -> Matrix:
        """Return the weights of nodes that make up some boxes, by the fewest terms; CSR, shape (boxes, nodes)."""
        from scipy import sparse

        found = sparse.csr_matrix((len(self.boxes), len(self.lattice)), dtype=np.int64)
        for group in self.terms(places, 0):
            box = np.broadcast_to(group.place[:, np.newaxis], group.node.shape).ravel()
            found = found + sparse.csr_matrix(
                (group.sign.ravel().astype(np.int64), (box, group.node.ravel())), found.shape
            )
        return found[places]

    def chunks(self) -> Iterator[Ids]:
        """Yield all indices, in blocks."""
        yield from np.split(np.arange(len(self.boxes)), range(_CHUNK, len(self.boxes), _CHUNK))


def weights(groups: Sequence[TermGroup], ends: Ends, side: int, value: int) -> dict[int, Fraction]:
    """Return the weights of nodes whose bounds add up to a bound of the first box; some group has them.

    Raises:
        StopIteration: no group has them; this is a bug of the program.
    """
    group = next(each for each in groups if int(_added(each, ends)[side][0]) == value)
    found: dict[int, int] = {}
    for node, sign in zip(group.node[0].tolist(), group.sign[0].tolist(), strict=True):
        found[node] = found.get(node, 0) + sign
    return {node: Fraction(weight) for node, weight in found.items() if weight}


def _added(group: TermGroup, ends: Ends) -> tuple[Counts, Counts]:
    low, high = ends[:, group.node]
    plus, endless = group.sign > 0, high >= UNBOUNDED
    least = np.where(plus, low, -high).sum(axis=1)
    most = np.where(plus, high, -low).sum(axis=1)
    least = np.where((endless & ~plus).any(axis=1), 0, least)
    return np.maximum(least, 0), np.where((endless & plus).any(axis=1), UNBOUNDED, most)


class _TermTable:
    """The sets of an axis as sums and differences of sets of the lattice, each in two ways.

    Attributes:
        base: the sets of the lattice, ascending.
        count: for both ways, shape (sets,): how many terms each set has, 0 for sets that are not asked about.
        rank, sign: for both ways, shape (sets, most terms): the places of the terms in `base`, and their signs.
    """

    def __init__(self, axis: Axis, base: Sequence[int], used: Sequence[int]) -> None:
        self.base = base
        place = {code: rank for rank, code in enumerate(base)}
        masks = [(mask_of(axis.members[code]), code) for code in base]
        masks.sort(key=lambda each: -each[0].bit_count())
        made: list[list[Terms]] = [[], []]
        for code in used:
            ways = [((code, 1),)] if code in place else _ways(mask_of(axis.members[code]), masks)
            made[0].append(ways[0])
            made[1].append(ways[-1])
        self.count, self.rank, self.sign = [], [], []
        for terms_of in made:
            count = np.zeros(len(axis.members), dtype=np.int64)
            count[used] = [len(terms) for terms in terms_of]
            rank = np.zeros((len(axis.members), int(count.max(initial=1))), dtype=np.int32)
            sign = np.ones_like(rank, dtype=np.int8)
            for code, terms in zip(used, terms_of, strict=True):
                rank[code, : len(terms)] = [place[each] for each, _ in terms]
                sign[code, : len(terms)] = [plus for _, plus in terms]
            self.count.append(count)
            self.rank.append(rank)
            self.sign.append(sign)


def _ways(mask: int, base: Sequence[tuple[int, int]]) -> list[Terms]:
    """Return a set as a sum of sets, and as the smallest set around it less others; the one with fewer terms first."""
    added = _cover(mask, base)
    around, code = next((each for each in reversed(base) if not mask & ~each[0]), (0, -1))
    found: list[Terms] = [tuple((each, 1) for each in added)]
    if around:
        found.append(((code, 1), *((each, -1) for each in _cover(around & ~mask, base))))
    return sorted(found, key=len)


def _cover(mask: int, base: Sequence[tuple[int, int]]) -> list[int]:
    """Return disjoint sets whose union is a set; larger sets are chosen first."""
    found = []
    for members, code in base:
        if not members & ~mask:
            found.append(code)
            mask &= ~members
        if not mask:
            break
    return found


Verdicts = npt.NDArray[np.int8]


@dataclass
class Screened:
    """What is known about sums.

    Attributes:
        verdict: shape (sums,); `OPEN` if undecided.
        proved: the proved bounds; shape (2, sums).
        seen: the least and greatest counts in known solutions; shape (2, sums).
    """

    verdict: Verdicts
    proved: Ends
    seen: Ends


Bounds = Callable[[Ids], Ends]


def screen(sums: BoxSums, within: Bounds, points: Counts, min_count: int, small: Flags) -> Screened:
    """Return what bounds and known solutions show about sums; questions about hidden counts remain open.

    Args:
        sums: the sums.
        within: returns the bounds of some sums that follow by propagation.
        points: some solutions; shape (solutions, nodes), -1 for unknown counts.
        min_count: counts from 1 to one less are small.
        small: whether the question about each sum is whether its count is small; shape (sums,), bool.
    """
    size = len(sums.boxes)
    found = Screened(
        np.full(size, OPEN, dtype=np.int8),
        np.stack([np.zeros(size, dtype=np.int64), np.full(size, UNBOUNDED)]),
        np.stack([np.full(size, UNBOUNDED), np.full(size, -1)]),
    )
    for every in sums.chunks():
        left = every
        for point in points:
            value, known = sums.values(left, point)
            widen(found.seen, left[known], value[known])
            nothing = small[left] & shows_nothing(found.seen[:, left], min_count)
            found.verdict[left[nothing]] = NOTHING
            left = left[~nothing]
        _bound(found, left, within(left), small, min_count)
    return found


def widen(seen: Ends, places: Ids | slice, value: Counts) -> None:
    """Extend the least and greatest known counts of some nodes or sums to further counts."""
    seen[LOWER][places] = np.minimum(seen[LOWER][places], value)
    seen[UPPER][places] = np.maximum(seen[UPPER][places], value)


def shows_nothing(seen: Ends, min_count: int) -> Flags:
    """Return which counts are not certainly small, or may be any small number, as known solutions show.

    That all of them have one value is no reason: it may be the only one.
    """
    least, most = seen
    return (most >= least) & ((least <= 0) | (most >= min_count) | (most - least + 1 >= max(2, min_count - 1)))


def _bound(found: Screened, places: Ids, bounds: Ends, small: Flags, min_count: int) -> None:
    low, high = bounds
    found.proved[:, places] = bounds
    exact = low == high
    found.seen[:, places[exact]] = bounds[:, exact]
    far = (low >= min_count) | (high <= 0)
    found.verdict[places[small[places] & far]] = NOTHING
    if min_count > 1:
        found.verdict[places[small[places] & exact & ~far]] = RECOVERED
