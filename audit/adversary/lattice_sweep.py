"""Sweep: what boxes add up to at the points of a lattice, by difference arrays.

A box adds its group's bag to every point inside it. Noted as differences, that is a change at its corners only, and
running sums along each axis give the whole back; along an axis where boxes are narrow the places inside are noted
instead, and nothing is summed. The lattice is swept along one axis, so that only one slab of it is
in memory: changes are added to the slab's differences as they are met, and the slab's running sums are read off where
points lie. Counts are kept in the smallest type that holds the results: sums that wrap around on the way come back.

Cost: cells of the lattice x values, and corners x the values of a bag, however many boxes cover a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Flags, Places
from audit.model.evidence import Table, ValueCounts, count_type

Signs = npt.NDArray[np.int8]
Weights = npt.NDArray[np.int64]
_SLAB_CELLS = 1 << 25
_MOST_CORNERS = 1 << 24


@dataclass(frozen=True)
class LatticeCounts:
    """What groups publish, by group.

    Attributes:
        start: group g's entries are those from start[g] to start[g + 1]; shape (groups + 1,).
        value, count: of each entry; shape (entries,). `count` has a type that holds any sum over distinct groups.
        values: number of sensitive values.
    """

    start: Places
    value: Codes
    count: Table
    values: int

    @classmethod
    def of(cls, entries: ValueCounts, groups: int, values: int) -> LatticeCounts:
        """Return the bags of entries, of at least so many groups."""
        group, value, rows = entries
        groups = max(groups, int(group.max(initial=-1)) + 1)
        order = _order(group, groups)
        start = _starts(group, groups)
        largest = int(np.bincount(value, rows, minlength=1).max())
        kind = count_type(max(largest, groups))
        counts = np.ones(len(group), dtype=kind) if rows is None else rows[order].astype(kind)
        return cls(start, value[order], counts, values)


@dataclass(frozen=True)
class Marks:
    """Signs at places along an axis, by cell.

    Attributes:
        start: cell c's marks are those from start[c] to start[c + 1]; shape (cells + 1,).
        at, sign: place and sign of each mark.
    """

    start: Places
    at: Codes
    sign: Signs

    @classmethod
    def of(cls, signs: Signs) -> Marks:
        """Return the marks of cells as they stand in a table of signs; shape (cells, values)."""
        cell, at = np.nonzero(signs)
        return cls(_starts(cell, len(signs)), at.astype(np.int32), signs[cell, at])

    def number(self, cells: Codes) -> Places:
        """Return how many marks each of some cells has."""
        return np.diff(self.start)[cells]

    def expand(self, cells: Codes) -> tuple[Places, Places]:
        """Return how many marks each of some cells has, and which, one cell's after the other's."""
        length = self.number(cells)
        return length, ragged(self.start[cells], length)


@dataclass(frozen=True)
class LatticeAxis:
    """An attribute as an axis of the lattice; `covered` says which values each cell covers, shape (cells, values)."""

    covered: Flags

    @cached_property
    def ends(self) -> Marks:
        """Where cells begin (1) and end (-1) to cover values: running sums of it are what they cover."""
        change = self.covered.astype(np.int8)
        change[:, 1:] -= self.covered[:, :-1]
        return Marks.of(change)

    @cached_property
    def inside(self) -> Marks:
        """The values that cells cover."""
        return Marks.of(self.covered.view(np.int8))

    def fewest(self, cells: Codes) -> Marks:
        """Return the way to mark some boxes' cells with the fewest marks."""
        inside = int(self.covered.sum(axis=1)[cells].sum())
        return self.inside if inside < int(self.ends.number(cells).sum()) else self.ends


@dataclass(frozen=True)
class SweepPlan:
    """Boxes as changes along the swept axis, each at some corners of the slab.

    Attributes:
        axis: the attribute that is swept.
        sizes: number of exact values of each of the other attributes.
        summed: whether running sums are due along each of these, as boxes are noted at their ends.
        event_start: the changes at coordinate c are those from event_start[c] to event_start[c + 1].
        event_box, event_sign: which box begins (1) or ends (-1); shape (events,).
        corner_start, corner_cell, corner_sign: the corners of each box in the slab, found likewise.
    """

    axis: int
    sizes: tuple[int, ...]
    summed: tuple[bool, ...]
    event_start: Places
    event_box: Codes
    event_sign: Signs
    corner_start: Places
    corner_cell: Codes
    corner_sign: Signs

    def place(self, points: Codes) -> tuple[Codes, Places]:
        """Return the coordinate on the swept axis, and the cell of the slab, of each point."""
        cell = np.zeros(len(points), dtype=np.intp)
        others = [place for place in range(points.shape[1]) if place != self.axis]
        for place, size in zip(others, self.sizes, strict=True):
            cell = cell * size + points[:, place]
        return points[:, self.axis], cell


def ragged(start: Places, length: Places) -> Places:
    """Return the numbers of several ranges, one after the other.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.repeat(start - np.cumsum(length) + length, length) + np.arange(length.sum())


def weigh(cells: Codes, axes: Sequence[LatticeAxis], points: Codes, weight: npt.NDArray[np.integer]) -> Weights | None:
    """Return what the points in each box weigh together; None where the lattice or the corners are too many.

    Where a running sum over a box's ends is what it covers, so is the sum over its corners of all that weighs beyond
    each. `cells` holds the cell of each box in each attribute, shape (boxes, attributes).
    """
    sizes = [axis.covered.shape[1] for axis in axes]
    corners = np.ones(len(cells), dtype=np.float64)
    for place, axis in enumerate(axes):
        corners *= axis.ends.number(cells[:, place])
    if not axes or prod(sizes) > _SLAB_CELLS or corners.sum() > _MOST_CORNERS:
        return None
    beyond = np.zeros(sizes, dtype=np.int64)
    np.add.at(beyond, tuple(points.T), weight)
    for place in range(len(sizes)):
        beyond = np.flip(np.cumsum(np.flip(beyond, place), axis=place), place)
    box, cell = np.arange(len(cells)), np.zeros(len(cells), dtype=np.intp)
    sign = np.ones(len(cells), dtype=np.int64)
    for place, (axis, size) in enumerate(zip(axes, sizes, strict=True)):
        length, which = axis.ends.expand(cells[box, place])
        box, cell = np.repeat(box, length), np.repeat(cell, length) * size + axis.ends.at[which]
        sign = np.repeat(sign, length) * axis.ends.sign[which]
    total = np.zeros(len(cells), dtype=np.int64)
    np.add.at(total, box, sign * beyond.ravel()[cell])
    return total


def plan(cells: Codes, axes: Sequence[LatticeAxis]) -> SweepPlan | None:
    """Return how to sweep boxes, or None where they have too many corners or a slab would be too large.

    `cells` holds the cell of each box in each attribute, shape (boxes, attributes).
    """
    if not axes:
        return None
    axis = max(range(len(axes)), key=lambda place: axes[place].covered.shape[1])
    others = [place for place in range(len(axes)) if place != axis]
    marks = [axes[place].fewest(cells[:, place]) for place in others]
    sizes = tuple(axes[place].covered.shape[1] for place in others)
    corners = np.ones(len(cells), dtype=np.float64)
    for place, mark in zip(others, marks, strict=True):
        corners *= mark.number(cells[:, place])
    if corners.sum() > _MOST_CORNERS or prod(sizes) > _SLAB_CELLS:
        return None
    box = np.arange(len(cells), dtype=np.int32)
    at, sign = np.zeros(len(box), dtype=np.int32), np.ones(len(box), dtype=np.int8)
    for size, place, mark in zip(sizes, others, marks, strict=True):
        length, which = mark.expand(cells[box, place])
        box, sign = np.repeat(box, length), np.repeat(sign, length) * mark.sign[which]
        at = np.repeat(at, length) * np.int32(size) + mark.at[which]
    ends, values = axes[axis].ends, axes[axis].covered.shape[1]
    length, which = ends.expand(cells[:, axis])
    coordinate = ends.at[which]
    order = _order(coordinate, values)
    return SweepPlan(
        axis=axis,
        sizes=sizes,
        summed=tuple(mark is axes[place].ends for place, mark in zip(others, marks, strict=True)),
        event_start=_starts(coordinate, values),
        event_box=np.repeat(np.arange(len(cells), dtype=np.int32), length)[order],
        event_sign=ends.sign[which][order],
        corner_start=_starts(box, len(cells)),
        corner_cell=at,
        corner_sign=sign,
    )


def _order(which: npt.NDArray[np.integer], number: int) -> Places:
    """Return the order of items by bin; numpy sorts small integers by their digits."""
    if (which[1:] >= which[:-1]).all():
        return np.arange(len(which))
    return np.argsort(which.astype(np.uint16) if number < 1 << 16 else which, kind="stable")


def _starts(which: npt.NDArray[np.integer], number: int) -> Places:
    """Return where the items of each of some bins start when ordered by bin; shape (number + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(which, minlength=number))])


def sweep(plan: SweepPlan, group: Codes, bags: LatticeCounts, points: Codes) -> tuple[Table, Table]:
    """Return the rows of each value around each point, shape (points, values), and the number of boxes, (points,).

    `group` is the group of each box, no two boxes having the same; `points` are coordinates, shape (points, axes).
    """
    coordinate, cell = plan.place(points)
    order = _order(coordinate, len(plan.event_start) - 1)
    start = _starts(coordinate, len(plan.event_start) - 1)
    table = np.empty((len(points), bags.values), dtype=bags.count.dtype)
    boxes = np.empty(len(points), dtype=bags.count.dtype)
    slab = np.zeros((prod(plan.sizes), bags.values + 1), dtype=bags.count.dtype)
    sums = slab
    for at in range(len(plan.event_start) - 1):
        if plan.event_start[at] < plan.event_start[at + 1]:
            _change(slab, plan, at, group, bags)
            sums = _running_sums(slab, plan)
        here = order[start[at] : start[at + 1]]
        rows = sums[cell[here]]
        table[here], boxes[here] = rows[:, :-1], rows[:, -1]
    return table, boxes


def _change(slab: Table, plan: SweepPlan, at: int, group: Codes, bags: LatticeCounts) -> None:
    """Add to the slab's differences what changes at a coordinate."""
    events = slice(plan.event_start[at], plan.event_start[at + 1])
    box = plan.event_box[events]
    length = plan.corner_start[box + 1] - plan.corner_start[box]
    corner = ragged(plan.corner_start[box], length)
    sign = np.repeat(plan.event_sign[events], length) * plan.corner_sign[corner]
    cell = plan.corner_cell[corner]
    np.add.at(slab[:, -1], cell, sign.astype(slab.dtype))
    home = np.repeat(group[box], length)
    length = bags.start[home + 1] - bags.start[home]
    entry = ragged(bags.start[home], length)
    change = (np.repeat(sign, length) * bags.count[entry].astype(np.int64)).astype(slab.dtype)
    np.add.at(slab.reshape(-1), np.repeat(cell, length) * slab.shape[1] + bags.value[entry], change)


def _running_sums(slab: Table, plan: SweepPlan) -> Table:
    """Return the sums of a slab's differences up to each cell; shape as the slab's."""
    sums = slab.reshape(*plan.sizes, -1).copy()
    for axis in np.flatnonzero(plan.summed).tolist():
        np.cumsum(sums, axis=axis, dtype=slab.dtype, out=sums)
    return sums.reshape(slab.shape)
