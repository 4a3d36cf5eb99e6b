"""Compiled twins of the kernels in `coverage` and `lattice_sweep`, which are their oracles.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

_ONE = np.uint64(1)
# The place of the only bit in a word, by the six highest bits of its product with a de Bruijn sequence.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_PLACE = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _PLACE[((1 << _bit) * int(_DE_BRUIJN) & (1 << 64) - 1) >> 58] = _bit


@kernel
def sweep(
    events: Array,
    corners: Array,
    group: Array,
    bags: Array,
    axes: Array,
    points: Array,
    made: Array,
) -> None:
    """Sweep the lattice: see `audit.adversary.lattice_sweep.sweep`."""
    event_start, event_box, event_sign = events
    point_start, point_row, point_cell = points
    slab, table, boxes = made
    values = table.shape[1]
    sums = np.zeros_like(slab)
    stale = False
    for at in range(len(event_start) - 1):
        for e in range(event_start[at], event_start[at + 1]):
            _change(slab, event_box[e], event_sign[e], corners, group, bags)
            stale = True
        if point_start[at] == point_start[at + 1]:
            continue
        if stale:
            _running_sums(slab.reshape(-1), sums.reshape(-1), axes)
            stale = False
        for p in range(point_start[at], point_start[at + 1]):
            row, here = table[point_row[p]], sums[point_cell[p]]
            for v in range(values):
                row[v] = here[v]
            boxes[point_row[p]] = here[values]


@kernel
def _change(slab: Array, box: int, sign: int, corners: Array, group: Array, bags: Array) -> None:
    """Add to the slab's differences that a box begins or ends."""
    corner_start, corner_cell, corner_sign = corners
    bag_start, bag_value, bag_count = bags
    values = slab.shape[1] - 1
    home = group[box]
    for c in range(corner_start[box], corner_start[box + 1]):
        change = np.int64(sign) * corner_sign[c]
        here = slab[corner_cell[c]]
        here[values] += change
        for i in range(bag_start[home], bag_start[home + 1]):
            here[bag_value[i]] += change * bag_count[i]


@kernel
def _running_sums(slab: Array, sums: Array, axes: Array) -> None:
    """Sum up the differences along each axis, given as (outer, size, inner) of the flat slab."""
    sums[:] = slab
    for a in range(len(axes)):
        outer, size, inner = axes[a]
        for o in range(outer):
            for i in range(1, size):
                at = (o * size + i) * inner
                # As slices, which the compiler can tell apart and so work on many numbers at once.
                before, here = sums[at - inner : at], sums[at : at + inner]
                for x in range(inner):
                    here[x] += before[x]


@kernel
def walk(maps: Array, rows: Array, group: Array, bags: Array, table: Array, groups: Array) -> None:
    """Add up what covers each point, by bitmaps: see `audit.adversary.coverage`.

    `maps` are the bitmaps of all attributes, one below the other; `rows` says which of them each point has.
    """
    bag_start, bag_value, bag_count = bags
    seen = np.full(len(bag_start), -1, dtype=np.int64)
    for p in range(len(rows)):
        for w in range(maps.shape[1]):
            word = maps[rows[p, 0], w]
            for a in range(1, rows.shape[1]):
                word &= maps[rows[p, a], w]
            while word:
                low = word & (~word + _ONE)
                word ^= low
                home = group[w * 64 + _PLACE[(low * _DE_BRUIJN) >> np.uint64(58)]]
                if seen[home] == p:
                    continue
                seen[home] = p
                groups[p] += 1
                for i in range(bag_start[home], bag_start[home + 1]):
                    table[p, bag_value[i]] += bag_count[i]
