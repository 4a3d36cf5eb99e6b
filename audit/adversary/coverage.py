"""Coverage: which groups may hold a person whose exact quasi-identifiers are known.

A group covers a point when one of its distinct rows of cells does (m-invariance paper, Definition 15). A point's pool
is the union of the groups that cover it. Pairs of point and group are not tried one by one; there are two methods:

* *Sweep*: the exact values span a lattice. A box adds the values of its group to every point inside it. Only the
  differences at its corners are stored; running sums along each axis restore the counts. Counts use the smallest type
  that holds the results, because sums that overflow on the way come back. Cost: cells of the lattice x values, and
  corners x values of a group, however many groups cover a point. For groups of one box.
* *Bitmaps*: for each attribute and exact value the boxes whose cell covers it, as bits; a point's boxes are their
  intersection. Cost: points x boxes / 64 words, and the contents of the covering groups. For all groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from audit.io.attributes import QuasiIdentifier
from audit.model.arrays import Codes, Counts, Flags, Integers, Places, Words, batches, grouped, ragged, starts
from audit.model.evidence import Table, ValueCounts, count_type

_TABLE_CELLS = 1 << 26
_CHUNK_WORDS = 1 << 19
_PAIRS_PER_CELL = 4
_CROWD_PAIRS = 1 << 29  # triples of point, box and attribute: less than half a second
_MOST_CELLS = 1 << 25
_MOST_CORNERS = 1 << 24
_BATCH = 1 << 18  # results for this many entries stay in a processor's cache


@dataclass(frozen=True)
class LatticeCounts:
    """The contents of groups as ranges of entries.

    Attributes:
        start: group g's entries are those from start[g] to start[g + 1]; shape (groups + 1,).
        value, count: the value and the count of each entry; shape (entries,). The type of `count` holds every sum over
            distinct groups.
        values: number of sensitive values.
    """

    start: Places
    value: Codes
    count: Table
    values: int

    @classmethod
    def of(cls, entries: ValueCounts, groups: int, values: int) -> LatticeCounts:
        """Return the bags of entries, for at least `groups` groups."""
        group, value, rows = entries
        groups = max(groups, int(group.max(initial=-1)) + 1)
        start, order = grouped(group, groups)
        largest = int(np.bincount(value, rows, minlength=1).max())
        kind = count_type(max(largest, groups))
        counts = np.ones(len(group), dtype=kind) if rows is None else rows[order].astype(kind)
        return cls(start, value[order], counts, values)

    def add(self, table: Table, row: Places, group: Codes, sign: Codes) -> None:
        """Add the bags of groups to rows of a table with a column for each value, each multiplied by a sign."""
        length = self.start[group + 1] - self.start[group]
        for part in batches(length, _BATCH):
            entry = ragged(self.start[group[part]], length[part])
            at = np.repeat(row[part], length[part]) * table.shape[1] + self.value[entry]
            change = np.repeat(sign[part], length[part]) * self.count[entry].astype(np.int64)
            np.add.at(table.reshape(-1), at, change.astype(table.dtype))


@dataclass(frozen=True)
class LatticeAxis:
    """An attribute as an axis of the lattice; `covered` holds which values each cell covers, shape (cells, values)."""

    covered: Flags

    @cached_property
    def ends(self) -> tuple[Places, Codes, Codes]:
        """Where each cell begins (1) and ends (-1) to cover values: first marks of cells, places and signs."""
        change = self.covered.astype(np.int8)
        change[:, 1:] -= self.covered[:, :-1]
        cell, at = np.nonzero(change)
        start = starts(np.bincount(cell, minlength=len(change)))
        return start, at.astype(np.int32), change[cell, at].astype(np.int32)


def _corners(cells: Codes, axes: Sequence[LatticeAxis], values: int) -> tuple[Places, Places, Codes] | None:
    """Return the box, the lattice place and the sign of each corner; None if there are too many corners or places.

    `cells` holds the cell of each box in each attribute, shape (boxes, attributes); each place has `values` values.
    """
    numbers = [np.diff(axis.ends[0])[cells[:, place]] for place, axis in enumerate(axes)]
    corners = np.prod(np.array(numbers, dtype=np.float64), axis=0).sum()
    if not axes or values * prod(axis.covered.shape[1] for axis in axes) > _MOST_CELLS or corners > _MOST_CORNERS:
        return None
    box, at = np.arange(len(cells)), np.zeros(len(cells), dtype=np.intp)
    sign = np.ones(len(cells), dtype=np.int32)
    for place, axis in enumerate(axes):
        start, mark, signs = axis.ends
        length = numbers[place][box]
        which = ragged(start[cells[box, place]], length)
        box, at = np.repeat(box, length), np.repeat(at, length) * axis.covered.shape[1] + mark[which]
        sign = np.repeat(sign, length) * signs[which]
    return box, at, sign


def weigh(cells: Codes, axes: Sequence[LatticeAxis], points: Codes, weight: Counts) -> Counts | None:
    """Return the total weight of the points in each box; None if the lattice is too large or corners are too many.

    A running sum over a box's ends gives what it covers; in the same way the sum over its corners of all weight beyond
    each gives its own weight.
    """
    corners = _corners(cells, axes, 1)
    if corners is None:
        return None
    box, at, sign = corners
    beyond = np.zeros([axis.covered.shape[1] for axis in axes], dtype=np.int64)
    np.add.at(beyond, tuple(points.T), weight)
    for place in range(len(axes)):
        beyond = np.flip(np.cumsum(np.flip(beyond, place), axis=place), place)
    total = np.zeros(len(cells), dtype=np.int64)
    np.add.at(total, box, sign * beyond.ravel()[at])
    return total


def sweep(
    cells: Codes, axes: Sequence[LatticeAxis], group: Codes, bags: LatticeCounts, points: Codes
) -> tuple[Table, Table] | None:
    """Return the rows of each value around each point, shape (points, values), and the number of boxes, (points,).

    None if the lattice is too large or corners are too many. `group` is the group of each box, all different; `points`
    are coordinates, shape (points, axes).
    """
    corners = _corners(cells, axes, bags.values + 1)
    if corners is None:
        return None
    box, at, sign = corners
    sizes = [axis.covered.shape[1] for axis in axes]
    table = np.zeros((prod(sizes), bags.values + 1), dtype=bags.count.dtype)
    np.add.at(table[:, -1], at, sign.astype(table.dtype))
    bags.add(table, at, group[box], sign)
    sums = table.reshape(*sizes, -1)
    for axis, size in enumerate(sizes):
        layers = np.moveaxis(sums, axis, 0)  # whole layers are added: numpy's sums along an axis take ten times as long
        for layer in range(1, size):
            layers[layer] += layers[layer - 1]
    rows = sums[tuple(points.T)]
    return rows[:, :-1], rows[:, -1]


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


class Space:
    """The exact values of each quasi-identifier, sorted so that cells are ranges, and which cells cover them.

    Attributes:
        attributes: the quasi-identifiers.
        sizes: number of exact values of each attribute.
        points: distinct combinations of exact values, as places in that order; shape (points, attributes), int32.
        axes: which exact values each cell of each attribute covers.
    """

    def __init__(self, attributes: Sequence[QuasiIdentifier], values: Sequence[Sequence[str]], points: Codes) -> None:
        """Store the attributes, the exact values of each, and points as indices into these."""
        self.attributes, self.sizes = attributes, tuple(len(texts) for texts in values)
        self.points = np.empty_like(points)
        self.axes = []
        for place, (attribute, texts) in enumerate(zip(attributes, values, strict=True)):
            order = _ordered(attribute, texts)
            rank = {text: at for at, text in enumerate(order)}
            self.points[:, place] = np.array([rank[text] for text in texts], dtype=np.int32)[points[:, place]]
            self.axes.append(LatticeAxis(attribute.covers(np.arange(len(attribute.cells)), order)))


def _ordered(attribute: QuasiIdentifier, texts: Sequence[str]) -> list[str]:
    """Return exact values in ascending order, unknown values last."""
    parsed = [(attribute.rank(text), text) for text in texts]
    known = sorted(pair for pair in parsed if pair[0])
    return [text for _, text in known] + [text for rank, text in parsed if not rank]


@dataclass(frozen=True)
class Covered:
    """The contents of the pools of some points.

    Attributes:
        contents: the rows of each value in each pool, as a table unless it would be too large.
        groups: the number of groups that cover each point; shape (points,).
    """

    contents: ValueCounts | Table
    groups: Integers

    def hold(self, pool: Codes, value: Codes) -> Flags:
        """Return whether each of some pools contains the value at the same place."""
        if not isinstance(self.contents, ValueCounts):
            return self.contents[pool, value] > 0
        bag, held, _ = self.contents
        size = int(max(held.max(initial=0), value.max(initial=0))) + 1
        return np.isin(pool.astype(np.int64) * size + value, bag.astype(np.int64) * size + held)


def cover(found: Boxes, space: Space, points: Places, entries: ValueCounts, values: int) -> Covered:
    """Return the contents of the pools of some points.

    Args:
        found: the boxes of a release.
        space: the exact values and the points.
        points: distinct indices of the space's points.
        entries: the contents of groups as (group, value, number of rows).
        values: number of sensitive values.
    """
    bags = LatticeCounts.of(entries, int(found.group.max(initial=-1)) + 1, values)
    exact = space.points[points]
    small = len(points) * values <= _TABLE_CELLS
    if found.single and small and _sweep_pays(space, len(points) * len(found.group), values):
        swept = sweep(found.cells, space.axes, found.group, bags, exact)
        if swept is not None:
            return Covered(*swept)
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
    """Return whether sweeping the lattice costs less than testing this many pairs of point and box by bitmaps."""
    work = prod(space.sizes) * (values + 1)
    return work * _PAIRS_PER_CELL <= pairs


def covering_groups(found: Boxes, space: Space, points: Places) -> tuple[Places, Codes]:
    """Return which groups cover some points, as distinct pairs (index in `points`, group), in order."""
    pairs = list(_pairs(_bitmaps(found, space), space.points[points], found))
    point = np.concatenate([np.zeros(0, dtype=np.intp), *(point for point, _ in pairs)])
    return point, np.concatenate([np.zeros(0, dtype=np.int32), *(group for _, group in pairs)])


def crowds(found: Boxes, space: Space, points: Places, people: Counts) -> Counts | None:
    """Return how many people each group covers, given the number at each point; shape (groups,).

    None if both methods cost too much.
    """
    groups = int(found.group.max(initial=-1)) + 1
    weighed = weigh(found.cells, space.axes, space.points[points], people) if found.single else None
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
    for place, axis in enumerate(space.axes):
        bits = np.zeros((space.sizes[place], words * 64), dtype=np.bool_)
        bits[:, : len(found.group)] = axis.covered[found.cells[:, place]].T
        maps.append(np.packbits(bits, axis=1, bitorder="little").view(np.uint64))
    return maps


def _walk(maps: Sequence[Words], points: Codes, found: Boxes, bags: LatticeCounts) -> tuple[Table, Codes]:
    """Return the rows of each value around each point, shape (points, values), and the number of groups."""
    table = np.zeros((len(points), bags.values), dtype=bags.count.dtype)
    groups = np.zeros(len(points), dtype=np.int32)
    for point, group in _pairs(maps, points, found):
        groups += np.bincount(point, minlength=len(points)).astype(np.int32)
        bags.add(table, point, group, np.ones(len(group), dtype=np.int32))
    return table, groups


def _pairs(maps: Sequence[Words], points: Codes, found: Boxes) -> Iterator[tuple[Places, Codes]]:
    """Yield which groups cover which points as distinct pairs (index in `points`, group), in order of points."""
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
