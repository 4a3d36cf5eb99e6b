"""Compiled twin of the kernel in `anonymizers.point_location`, which is its oracle, for many points and cells.

Points and cells are divided together at places where many cells end; a cell on both sides is copied. If few points or
few cells are left, or if division no longer separates the cells, every pair is tested.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

_FEW_POINTS = 24
_FEW_CELLS = 32
_ENDS = 9
_ASKED = 48


@kernel
def first_covering_compiled(point: Array, low: Array, high: Array, beyond: Array) -> Array:
    """Return the first cell that covers each point: see `anonymizers.point_location.first_covering`."""
    found = np.full(len(point), -1, dtype=np.int32)
    order = np.arange(len(point))
    # Cells of the nodes that wait, one node's after the other's, in order within a node.
    cells = np.arange(max(1, 4 * len(low)))
    spare = np.arange(len(low))
    # Of each node: its points in `order`, its cells in `cells`, as begin and end.
    todo = [(0, len(point), 0, len(low))]
    while len(todo) > 0:
        first, last, begin, end = todo.pop()
        own = spare[: end - begin]
        own[:] = cells[begin:end]
        attribute, cut = -1, 0
        if last - first > _FEW_POINTS and len(own) > _FEW_CELLS:
            attribute, cut = _split(low, high, own)
        if attribute < 0:
            _look(point, low, high, beyond, order[first:last], own, found)
            continue
        while len(cells) <= begin + 2 * len(own):
            cells = np.concatenate((cells, cells))
        middle = _part(point, order, first, last, attribute, cut)
        top = begin
        for cell in own:
            # Written in any case: a mispredicted branch would cost more.
            cells[top] = cell
            top += high[cell, attribute] > cut
        todo.append((middle, last, begin, top))
        begin = top
        for cell in own:
            cells[top] = cell
            top += low[cell, attribute] <= cut
        todo.append((first, middle, begin, top))
    return found


@kernel
def _split(low: Array, high: Array, cells: Array) -> tuple[int, int]:
    """Return the attribute and the cut whose larger side has the fewest cells, -1 if it has nearly all.

    The candidates of each attribute are the most frequent and the middle end among a sample of cells; the first one
    that is good enough is taken. The sample also estimates the quality of a cut: if it divides the sample, it divides
    all cells.
    """
    ends = np.empty(_ENDS, dtype=np.int32)
    step = max(1, len(cells) // _ASKED)
    asked = (len(cells) + step - 1) // step
    best, at, fewest = -1, 0, asked - asked // 8
    for a in range(low.shape[1]):
        for i in range(_ENDS):
            ends[i] = high[cells[i * len(cells) // _ENDS], a]
        ends.sort()
        for cut in (_commonest(ends), ends[_ENDS // 2]):
            lower, upper = 0, 0
            for cell in cells[::step]:
                lower += low[cell, a] <= cut
                upper += high[cell, a] > cut
            if max(lower, upper) < fewest:
                best, at, fewest = a, cut, max(lower, upper)
            if fewest * 8 <= asked * 5:
                return best, at
    return best, at


@kernel
def _commonest(ends: Array) -> int:
    """Return the most frequent of sorted numbers, and among equals the nearest to the middle."""
    found, most, begin = ends[0], -1, 0
    for i in range(1, len(ends) + 1):
        if i == len(ends) or ends[i] != ends[begin]:
            score = (i - begin) * len(ends) - abs(i + begin - len(ends))
            if score > most:
                found, most = ends[begin], score
            begin = i
    return found


@kernel
def _part(point: Array, order: Array, first: int, last: int, attribute: int, cut: int) -> int:
    """Move the points up to a cut before the others; return where the others begin."""
    middle = first
    for i in range(first, last):
        current = order[i]
        order[i], order[middle] = order[middle], current
        middle += point[current, attribute] <= cut
    return middle


@kernel
def _look(
    point: Array,
    low: Array,
    high: Array,
    beyond: Array,
    order: Array,
    cells: Array,
    found: Array,
) -> None:
    """Test every pair of a point and a cell."""
    for p in order:
        for cell in cells:
            if cell <= beyond[p]:
                continue
            if _covers(point[p], low[cell], high[cell]):
                found[p] = cell
                break


@kernel
def covered_compiled(point: Array, low: Array, high: Array, cell: Array) -> Array:
    """Return for each point whether a cell covers it: see `anonymizers.point_location.covered`."""
    inside = np.empty(len(point), dtype=np.bool_)
    for p in range(len(point)):
        inside[p] = cell[p] >= 0 and _covers(point[p], low[cell[p]], high[cell[p]])
    return inside


@kernel
def _covers(point: Array, low: Array, high: Array) -> bool:
    """Return whether a cell covers a point."""
    for a in range(len(point)):  # noqa: SIM110 - numba knows no generators
        if not low[a] <= point[a] <= high[a]:
            return False
    return True
