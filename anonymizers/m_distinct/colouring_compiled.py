"""The compiled twin of the kernel in `anonymizers.m_distinct.colouring`, which is its oracle."""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel


@kernel
def split_compiled(bucket: tuple[int, Array, Array, Array], orders: Array, units: Array, fakes: Array) -> Array:
    """Return the group of each row of a bucket: see `anonymizers.m_distinct.colouring.split`.

    `bucket` is its height, the rows of each kind in each entry, and the kind and the value of each row.
    """
    height, taken, kind, value = bucket
    real = orders.shape[1]
    orders, fakes = orders.copy(), fakes.copy()
    group, inside = np.zeros(len(kind), dtype=np.int64), np.zeros(len(kind), dtype=np.bool_)
    order, spare, low = np.empty(len(kind), dtype=np.int64), np.empty(len(kind), dtype=np.int64), np.zeros_like(taken)
    # A part is a run of layers, of rows in each order, and of counterfeits; these lie in it as in its bucket.
    deepest = int(np.log(height) / np.log(16 / 15)) + 34  # a part has 15 of 16 layers at most; all but one of below 32
    stack = np.empty((deepest, 6), dtype=np.int64)
    boards = np.empty((deepest, *taken.shape), dtype=np.int64)
    stack[0] = np.array([0, height, 0, real, 0, len(fakes)])
    boards[0] = taken
    waiting = 1
    while waiting:
        waiting -= 1
        first, last, begin, end, fake, fakes_end = stack[waiting]
        if last - first == 1:
            for k in range(begin, end):
                group[orders[0, k]] = first
            for k in range(fake, fakes_end):
                group[fakes[k]] = first
            continue
        whole = (last - first, boards[waiting], kind, value)
        its, its_fakes = orders[:, begin:end], fakes[fake:fakes_end]
        attribute, at = _best_cut(whole, its, units)
        _fill(whole, order[: _interleave(its[attribute], its_fakes, order)], at, low, inside)
        cut = begin
        for a in range(len(orders)):
            cut = begin + _part(orders[a, begin:end], inside, spare)
        fake_cut = fake + _part(fakes[fake:fakes_end], inside, spare)
        boards[waiting + 1] = low
        boards[waiting] -= low
        stack[waiting] = np.array([first + at, last, cut, end, fake_cut, fakes_end])
        stack[waiting + 1] = np.array([first, first + at, begin, cut, fake, fake_cut])
        waiting += 2
    return group


@kernel
def _best_cut(bucket: tuple[int, Array, Array, Array], orders: Array, units: Array) -> tuple[int, int]:
    """Return the quasi-identifier to sort by and the number of layers to cut off."""
    height, taken, kind, _ = bucket
    total = np.zeros(taken.shape[1], dtype=np.int64)
    for row in orders[0]:
        total[kind[row]] += 1
    low, high = np.empty((units.shape[1], height), dtype=np.int64), np.empty((units.shape[1], height), dtype=np.int64)
    reach = np.empty((2, height), dtype=np.int64)
    least = max(1, height // 16)
    best, best_off, best_attribute, best_at = np.int64(-1), 0, 0, 0
    for a in range(len(orders)):
        _stretch(orders[a], units, kind, total, low, high)
        _lengths(low, high, reach)
        for at in range(least, height - least + 1):
            cost, off = at * reach[0, at - 1] + (height - at) * reach[1, at], abs(2 * at - height)
            if best < 0 or cost < best or (cost == best and off < best_off):
                best, best_off, best_attribute, best_at = cost, off, a, at
    return best_attribute, best_at


@kernel
def _stretch(order: Array, units: Array, kind: Array, total: Array, low: Array, high: Array) -> None:
    """Write the least and the greatest place of each layer, every kind giving each layer its share in order."""
    low[:], high[:] = 1 << 62, -1
    seen = np.zeros(len(total), dtype=np.int64)
    for row in order:
        its = kind[row]
        layer = seen[its] * low.shape[1] // total[its]
        seen[its] += 1
        for a in range(len(low)):
            low[a, layer], high[a, layer] = min(low[a, layer], units[row, a]), max(high[a, layer], units[row, a])


@kernel
def _lengths(low: Array, high: Array, reach: Array) -> None:
    """Write the summed lengths of the layers up to each, and of those from each on."""
    height = low.shape[1]
    reach[:] = 0
    for a in range(len(low)):
        for side in range(2):
            least, most = np.int64(1 << 62), np.int64(-1)
            for step in range(height):
                k = step if side == 0 else height - 1 - step
                least, most = min(least, low[a, k]), max(most, high[a, k])
                reach[side, k] += max(most - least, 0)


@kernel
def _interleave(order: Array, fakes: Array, result: Array) -> int:
    """Write rows in their order with the counterfeits spread evenly among them; return how many there are."""
    at, fake = 0, 0
    for k in range(len(order) + 1):
        while fake < len(fakes) and (2 * fake + 1) * len(order) // (2 * len(fakes)) <= k:
            result[at] = fakes[fake]
            at, fake = at + 1, fake + 1
        if k < len(order):
            result[at] = order[k]
            at += 1
    return at


@kernel
def _fill(bucket: tuple[int, Array, Array, Array], order: Array, at: int, low: Array, inside: Array) -> None:
    """Take rows in their order into a part; first those that have to be in it."""
    height, taken, kind, value = bucket
    entries, kinds = taken.shape
    low[:] = 0
    values = 0
    for row in order:
        values = max(values, value[row] + 1)
        inside[row] = False
    total, held = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64)
    for row in order:
        total[value[row]] += 1
    load, shut = np.zeros(entries, dtype=np.int64), np.zeros(kinds, dtype=np.bool_)
    way = (np.empty(entries, dtype=np.int64), np.empty(kinds, dtype=np.int64), np.empty(kinds, dtype=np.int64))
    for have_to in (True, False):
        for row in order:
            own, its = value[row], kind[row]
            most = total[own] - (height - at) if have_to else at
            if inside[row] or held[own] >= most or shut[its]:
                continue
            if _place(its, taken, low, load, at, way):
                inside[row] = True
                held[own] += 1
            else:
                shut[its] = True
    if load.min() < at:
        raise AssertionError("a part of a bucket could not be filled, though its colours fill it")


@kernel
def _place(kind: int, taken: Array, low: Array, load: Array, at: int, way: tuple[Array, Array, Array]) -> bool:
    """Take a row of a kind, moving other rows to other entries if necessary; `way` is working memory."""
    entries, kinds = taken.shape
    came, left, queue = way
    for entry in range(entries):
        if low[entry, kind] < taken[entry, kind] and load[entry] < at:
            low[entry, kind] += 1
            load[entry] += 1
            return True
    came[:], left[:] = -1, -1
    queue[0], length, k = kind, 1, 0
    while k < length:
        moved = queue[k]
        k += 1
        for entry in range(entries):
            if came[entry] >= 0 or low[entry, moved] >= taken[entry, moved]:
                continue
            came[entry] = moved
            if load[entry] < at:
                load[entry] += 1
                _shift(kind, entry, low, came, left)
                return True
            for resident in range(kinds):
                if low[entry, resident] > 0 and resident != kind and left[resident] < 0:
                    left[resident] = entry
                    queue[length] = resident
                    length += 1
    return False


@kernel
def _shift(kind: int, entry: int, low: Array, came: Array, left: Array) -> None:
    """Move one row of each kind on the way to an entry that has room."""
    while True:
        moved = came[entry]
        low[entry, moved] += 1
        if moved == kind:
            return
        entry = left[moved]
        low[entry, moved] -= 1


@kernel
def _part(rows: Array, inside: Array, spare: Array) -> int:
    """Bring the rows inside before the others, each in their order; return how many there are."""
    below, above = 0, 0
    for row in rows:
        if inside[row]:
            rows[below] = row
            below += 1
        else:
            spare[above] = row
            above += 1
    rows[below:] = spare[:above]
    return below
