"""The compiled twin of the kernel in `anonymizers.splitting`, which is its oracle.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel. Rows
are sorted once by each quasi-identifier; a cut parts each of these orders without disturbing it.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

_FAR = np.int32(2**31 - 1)


@kernel
def split_compiled(width: Array, height: Array, point: Array, units: Array, settling: Array) -> Array:
    """Return the rows of each list in the order of the groups: see `anonymizers.splitting.split`."""
    rows, attributes = point.shape
    order = _sorted_lists(width, height, point, settling)
    # From here on rows are numbered in the first order, so that a bucket's places lie together.
    name = order[0].copy()
    number = np.empty(rows, dtype=np.uint32)
    for i in range(rows):
        number[name[i]] = i
    for a in range(attributes):
        for i in range(rows):
            order[a, i] = number[order[a, i]]
    spot = np.empty((attributes, rows), dtype=np.int32)
    for i in range(rows):
        for a in range(attributes):
            spot[a, i] = units[name[i], a] if point[name[i], a] >= 0 else -1
    tallest = max(height.max(), 1) if len(height) else 1
    layers = np.empty((2, attributes, tallest), dtype=np.int32)
    reach = np.empty((2, tallest), dtype=np.int64)
    low, spare = np.empty(rows, dtype=np.int8), np.empty(tallest + 1, dtype=np.uint32)
    stack = np.empty((tallest + 1, 2), dtype=np.int64)
    start = 0
    for b in range(len(width)):
        stack[0, 0], stack[0, 1] = 0, height[b]
        waiting = 1
        while waiting:
            waiting -= 1
            first, last = stack[waiting]
            if last - first < 2:
                continue
            shape = (start, width[b], height[b], first, last)
            attribute, at = _best_cut(order, spot, shape, layers, reach)
            _part(order, shape, attribute, at, low, spare)
            stack[waiting, 0], stack[waiting, 1] = first + at, last
            stack[waiting + 1, 0], stack[waiting + 1, 1] = first, first + at
            waiting += 2
        start += width[b] * height[b]
    return name[order[0]]


@kernel
def _sorted_lists(width: Array, height: Array, point: Array, settling: Array) -> Array:
    """Return the rows of all lists sorted by each quasi-identifier; shape (attributes, rows)."""
    rows, attributes = point.shape
    home = np.empty(rows, dtype=np.int32)
    lists, at = 0, 0
    for b in range(len(width)):
        for _ in range(width[b]):
            home[at : at + height[b]] = lists
            at += height[b]
            lists += 1
    common = np.arange(rows).astype(np.uint32)
    for i in range(attributes - 1, -1, -1):
        common = _counted(common, point[:, settling[i]])
    order = np.empty((attributes, rows), dtype=np.uint32)
    for a in range(attributes):
        order[a] = _counted(_counted(common, point[:, a]), home)
    return order


@kernel
def _counted(order: Array, key: Array) -> Array:
    """Return the order sorted by keys from -1 on, stably, by counting them."""
    start = np.zeros(key.max() + 3 if len(key) else 3, dtype=np.int32)
    for i in range(len(key)):
        start[key[i] + 2] += 1
    for k in range(1, len(start)):
        start[k] += start[k - 1]
    result = np.empty_like(order)
    for i in range(len(order)):
        k = key[order[i]] + 1
        result[start[k]] = order[i]
        start[k] += 1
    return result


@kernel
def _best_cut(order: Array, spot: Array, shape: tuple[int, ...], layers: Array, reach: Array) -> tuple[int, int]:
    """Return the quasi-identifier to sort by and the number of layers to cut off, at least one."""
    height = shape[4] - shape[3]
    best, best_off, best_attribute, best_at = np.int64(-1), 0, 0, 0
    for a in range(len(order)):
        _stretch(order[a], spot, shape, layers)
        _lengths(layers, height, reach)
        for at in range(height - 1, 0, -1):
            cost, off = at * reach[0, at - 1] + (height - at) * reach[1, at], abs(2 * at - height)
            better = best < 0 or cost < best
            if better or (cost == best and (off < best_off or (off == best_off and a == best_attribute))):
                best, best_off, best_attribute, best_at = cost, off, a, at
    return best_attribute, best_at


@kernel
def _stretch(order: Array, spot: Array, shape: tuple[int, ...], layers: Array) -> None:
    """Write the least and the greatest place of each layer's real rows."""
    start, width, height, first, last = shape
    layers[0, :, : last - first] = _FAR
    layers[1, :, : last - first] = 0
    for v in range(width):
        at = start + v * height + first
        listed = order[at : at + last - first]
        real = 0
        while real < last - first and spot[0, listed[real]] < 0:
            real += 1
        for a in range(len(spot)):
            places, least, most = spot[a], layers[0, a], layers[1, a]
            for k in range(real, last - first):
                place = places[listed[k]]
                least[k] = min(least[k], place)
                most[k] = max(most[k], place)


@kernel
def _lengths(layers: Array, height: int, reach: Array) -> None:
    """Write the summed lengths of the layers up to each, and of those from each on."""
    reach[:, :height] = 0
    for a in range(layers.shape[1]):
        least, most = layers[0, a, 0], layers[1, a, 0]
        for k in range(height):
            least, most = min(least, layers[0, a, k]), max(most, layers[1, a, k])
            reach[0, k] += most - least
        least, most = layers[0, a, height - 1], layers[1, a, height - 1]
        for k in range(height - 1, -1, -1):
            least, most = min(least, layers[0, a, k]), max(most, layers[1, a, k])
            reach[1, k] += most - least


@kernel
def _part(order: Array, shape: tuple[int, ...], attribute: int, at: int, low: Array, spare: Array) -> None:
    """Cut layers off: bring their rows, in every order, before those of the others."""
    start, width, height, first, last = shape
    for v in range(width):
        base = start + v * height
        for k in range(base + first, base + last):
            low[order[attribute, k]] = k < base + first + at
        for a in range(len(order)):
            if a == attribute:
                continue
            below, above = base + first, 0
            for k in range(base + first, base + last):
                # Both ways without asking: what comes next depends on nothing that could be guessed.
                row, goes = order[a, k], low[order[a, k]]
                order[a, below], spare[above] = row, row
                below, above = below + goes, above + (1 - goes)
            order[a, below : base + last] = spare[:above]
