"""Covering: which groups may hold whom, when all that is known of a person is exact quasi-identifiers.

A group covers a point when one of its distinct rows of cells does (m-invariance paper, Definition 6). A point's pool
is all that the groups publish which cover it. No pair of point and group is tried by itself; there are two ways:

* *Sweep* (`audit.adversary.lattice_sweep`): the exact values span a lattice, and what a box adds to it is noted at its
corners only.
  Cost: cells of the lattice x values, and corners, however many groups cover a point. For groups of one box.
* *Bitmaps*: for each attribute and exact value the boxes whose cell covers it, as bits; a point's boxes are the and
  of these. Cost: points x boxes / 64 words, and what the covering groups publish. For anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from threading import Lock

import numpy as np
import numpy.typing as npt

from audit.adversary import lattice_sweep
from audit.adversary.lattice_sweep import LatticeAxis, LatticeCounts, ragged
from audit.io.attributes import QuasiIdentifier
from audit.model.arrays import Codes, Places, Words
from audit.model.composite_keys import combine
from audit.model.evidence import Table, ValueCounts

_TABLE_CELLS = 1 << 26
_LATTICE_CELLS = 1 << 27
_CHUNK_WORDS = 1 << 19
_BATCH = 8 << 20
_PAIRS_PER_CELL = 4
_CROWD_PAIRS = 1 << 29  # of point, box and attribute: less than half a second's worth


@dataclass(frozen=True)
class Boxes:
    """The distinct rows of generalized cells of one release.

    Attributes:
        group: the group of each box; shape (boxes,), int32.
        cells: cell numbers; shape (boxes, attributes), int32.
        single: whether no group has two boxes.
    """

    group: Codes
    cells: Codes
    single: bool


def boxes(group: Codes, cells: Sequence[tuple[Codes, int]]) -> Boxes:
    """Return the distinct boxes of a release from its rows' groups and cell numbers (with bounds on these)."""
    size = int(group.max(initial=-1)) + 1
    # Rows mostly come sorted by group: dropping runs first leaves little to sort.
    new = np.ones(len(group), dtype=np.bool_)
    new[1:] = group[1:] != group[:-1]
    for codes, _ in cells:
        new[1:] |= codes[1:] != codes[:-1]
    runs = np.flatnonzero(new)
    key, _ = combine([(group[runs], size), *((codes[runs], bound) for codes, bound in cells)], len(runs))
    _, first = np.unique(key, return_index=True)
    rows = runs[first]
    columns = [codes[rows] for codes, _ in cells]
    stacked = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.int32)
    groups = group[rows]
    return Boxes(groups, stacked, single=int(np.bincount(groups).max(initial=0)) <= 1)


class Space:
    """The exact values of each quasi-identifier in an order that makes cells runs, and which cells cover them.

    Attributes:
        attributes: the quasi-identifiers.
        sizes: number of exact values of each attribute.
        points: distinct combinations of exact values, as places in that order; shape (points, attributes), int32.
    """

    def __init__(self, attributes: Sequence[QuasiIdentifier], values: Sequence[Sequence[str]], points: Codes) -> None:
        """Take the attributes, the exact values of each, and points as indices into these."""
        self.attributes = attributes
        self._values = [_ordered(attribute, texts) for attribute, texts in zip(attributes, values, strict=True)]
        self.sizes = tuple(len(texts) for texts in values)
        self.points = np.empty_like(points)
        for place, (order, texts) in enumerate(zip(self._values, values, strict=True)):
            rank = {text: at for at, text in enumerate(order)}
            self.points[:, place] = np.array([rank[text] for text in texts], dtype=np.int32)[points[:, place]]
        self._axes = [LatticeAxis(np.zeros((0, size), dtype=np.bool_)) for size in self.sizes]
        self._lock = Lock()

    def axes(self) -> list[LatticeAxis]:
        """Return which exact values each cell of each attribute, read so far, covers.

        Other threads may ask as well, and may know of more cells: nobody takes back what another one has added.
        """
        with self._lock:
            for place, attribute in enumerate(self.attributes):
                known, size = self._axes[place].covered, len(attribute.cells)
                if len(known) < size:
                    new = attribute.covers(np.arange(len(known), size), self._values[place])
                    self._axes[place] = LatticeAxis(np.concatenate([known, new]))
            return list(self._axes)


def _ordered(attribute: QuasiIdentifier, texts: Sequence[str]) -> list[str]:
    """Return exact values in ascending order, the unknown ones last."""
    parsed = [(attribute.rank(text), text) for text in texts]
    known = sorted(pair for pair in parsed if pair[0])
    return [text for _, text in known] + [text for rank, text in parsed if not rank]


@dataclass(frozen=True)
class Covered:
    """What the pools of some points hold.

    Attributes:
        contents: the rows of each value in each pool, as a table where that is not too large.
        groups: how many groups cover each point; shape (points,).
    """

    contents: ValueCounts | Table
    groups: npt.NDArray[np.integer]

    def hold(self, pool: Codes, value: Codes) -> npt.NDArray[np.bool_]:
        """Return whether each of some pools holds the value beside it."""
        if not isinstance(self.contents, ValueCounts):
            return self.contents[pool, value] > 0
        bag, held, _ = self.contents
        size = int(max(held.max(initial=0), value.max(initial=0))) + 1
        return np.isin(pool.astype(np.int64) * size + value, bag.astype(np.int64) * size + held)


def cover(found: Boxes, space: Space, points: Places, entries: ValueCounts, values: int) -> Covered:
    """Return what the pools of some points hold.

    Args:
        found: the boxes of a release.
        space: the exact values and the points.
        points: places in the space's points, distinct.
        entries: what the groups publish, as (group, value, number of rows).
        values: number of sensitive values.
    """
    bags = LatticeCounts.of(entries, int(found.group.max(initial=-1)) + 1, values)
    exact = space.points[points]
    small = len(points) * values <= _TABLE_CELLS
    if found.single and small and _sweep_pays(space, len(points) * len(found.group), values):
        plan = lattice_sweep.plan(found.cells, space.axes())
        if plan is not None:
            table, groups = lattice_sweep.sweep(plan, found.group, bags, exact)
            return Covered(table, groups)
    maps = _bitmaps(found, space)
    if small:
        return Covered(*_walk(maps, exact, found, bags))
    step = max(1, _TABLE_CELLS // values)
    parts, groups = [], np.zeros(len(points), dtype=np.int32)
    for start in range(0, len(points), step):
        span = slice(start, start + step)
        table, groups[span] = _walk(maps, exact[span], found, bags)
        bag, value, rows = ValueCounts.of(table)
        parts.append(ValueCounts(bag + np.int32(start), value, rows))
    return Covered(_joined(parts), groups)


def _joined(parts: Sequence[ValueCounts]) -> ValueCounts:
    bag, value = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
    return ValueCounts(bag, value, np.concatenate([part.rows for part in parts if part.rows is not None]))


def _sweep_pays(space: Space, pairs: int, values: int) -> bool:
    """Return whether sweeping the lattice costs less than trying so many pairs of point and box by bitmaps."""
    work = prod(space.sizes) * (values + 1)
    return work <= _LATTICE_CELLS and work * _PAIRS_PER_CELL <= pairs


def covering_groups(found: Boxes, space: Space, points: Places) -> tuple[Places, Codes]:
    """Return which groups cover some points, as pairs (place in `points`, group), distinct, in order."""
    pairs = list(_pairs(_bitmaps(found, space), space.points[points], found))
    point = np.concatenate([np.zeros(0, dtype=np.intp), *(point for point, _ in pairs)])
    return point, np.concatenate([np.zeros(0, dtype=np.int32), *(group for _, group in pairs)])


def crowds(found: Boxes, space: Space, points: Places, people: lattice_sweep.Weights) -> lattice_sweep.Weights | None:
    """Return how many people each group covers, given how many have each of some points; shape (groups,).

    None where both ways cost too much.
    """
    groups = int(found.group.max(initial=-1)) + 1
    weighed = lattice_sweep.weigh(found.cells, space.axes(), space.points[points], people) if found.single else None
    if weighed is not None:
        return np.bincount(found.group, weights=weighed, minlength=groups).astype(np.int64)
    if len(points) * len(found.group) * len(space.sizes) > _CROWD_PAIRS:
        return None
    crowd = np.zeros(groups, dtype=np.int64)
    for point, group in _pairs(_bitmaps(found, space), space.points[points], found):
        crowd += np.bincount(group, weights=people[point], minlength=groups).astype(np.int64)
    return crowd


def _bitmaps(found: Boxes, space: Space) -> list[Words]:
    """Return, per attribute, the boxes that cover each exact value, as bits; shape (values, words)."""
    words = (len(found.group) + 63) // 64
    maps = []
    for place, axis in enumerate(space.axes()):
        bits = np.zeros((space.sizes[place], words * 64), dtype=np.bool_)
        bits[:, : len(found.group)] = axis.covered[found.cells[:, place]].T
        maps.append(np.packbits(bits, axis=1, bitorder="little").view(np.uint64))
    return maps


def _walk(
    maps: Sequence[Words], points: Codes, found: Boxes, bags: LatticeCounts
) -> tuple[Table, npt.NDArray[np.int32]]:
    """Return the rows of each value around each point, shape (points, values), and the number of groups."""
    table = np.zeros((len(points), bags.values), dtype=bags.count.dtype)
    groups = np.zeros(len(points), dtype=np.int32)
    for point, group in _pairs(maps, points, found):
        groups += np.bincount(point, minlength=len(points)).astype(np.int32)
        length = bags.start[group + 1] - bags.start[group]
        for part in _batches(length):
            entry = ragged(bags.start[group[part]], length[part])
            np.add.at(table, (np.repeat(point[part], length[part]), bags.value[entry]), bags.count[entry])
    return table, groups


def _batches(length: Places) -> Iterator[slice]:
    """Yield ranges of pairs whose entries fit in memory, given the number of entries of each."""
    total, first = np.cumsum(length), 0
    while first < len(length):
        done = total[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(total, done + _BATCH, side="right")))
        yield slice(first, last)
        first = last


def _pairs(maps: Sequence[Words], points: Codes, found: Boxes) -> Iterator[tuple[Places, Codes]]:
    """Yield which groups cover which points as pairs (place in `points`, group), distinct, in order of points."""
    words = (len(found.group) + 63) // 64
    groups = int(found.group.max(initial=0)) + 1
    everything = np.packbits(np.arange(words * 64) < len(found.group), bitorder="little").view(np.uint64)
    step = max(1, _CHUNK_WORDS // max(1, words))
    for start in range(0, len(points), step):
        part = points[start : start + step]
        both = np.tile(everything, (len(part), 1))
        for place, bitmap in enumerate(maps):
            both &= bitmap[part[:, place]]
        row, word = np.nonzero(both)
        bits = np.unpackbits(both[row, word].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        which, bit = np.nonzero(bits)
        point, group = row[which] + start, found.group[word[which] * 64 + bit]
        if not found.single:
            point, group = np.divmod(np.unique(point * groups + group), groups)
        yield point, group.astype(np.int32)
