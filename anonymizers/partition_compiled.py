"""Compiled twin of the kernel in `anonymizers.partition`, which is its oracle, for large tables.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

_OLD_END = -1


@kernel
def rows_by_root(root: Array, start: Array) -> Array:
    """Return the rows root by root: see `anonymizers.partition.rows_by_root_plain`. Sorted by counting."""
    at = start.copy()
    rows = np.empty(start[-1], dtype=np.intp)
    for row in range(len(root)):
        if root[row] >= 0:
            rows[at[root[row]]] = row
            at[root[row]] += 1
    return rows


@kernel
def regions(
    point: Array,
    place: Array,
    offset: Array,
    start: Array,
    k: int,
    value: Array,
    l: int,  # noqa: E741 - the literature's name
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return the fields of a `Partition`: see `anonymizers.partition.regions_plain`."""
    attributes = point.shape[1]
    most, largest = 0, 0
    for root in range(len(start) - 1):
        size = start[root + 1] - start[root]
        most += max(1, size // k)
        largest = max(largest, size)
    # Rows move with their region, so that a region's rows are read one after the other.
    rows = (point.copy(), np.arange(len(point)), value.copy())
    work = _work(largest, value, l)
    region = np.empty(len(point), dtype=np.int32)
    roots = np.empty(most, dtype=np.int32)
    # By region, and by place on the stack: after, upto, low, high.
    made = np.empty((most, 4, attributes), dtype=np.int32)
    ends = np.empty((max(1, largest // k) + 1, 4, attributes), dtype=np.int32)
    todo = np.empty((len(ends), 2), dtype=np.int64)
    count = 0
    for root in range(len(start) - 1):
        todo[0, 0], todo[0, 1] = start[root], start[root + 1]
        ends[0, :2] = _OLD_END
        top = 0
        while top >= 0:
            begin, end, bounds = todo[top, 0], todo[top, 1], ends[top]
            _reach(rows[0], begin, end, bounds)
            attribute, cut = _find(rows, begin, end, (bounds[2], bounds[3], place, offset), k, l, work)
            if cut == _OLD_END:
                region[rows[1][begin:end]] = count
                roots[count] = root
                made[count] = bounds
                count += 1
                top -= 1
                continue
            middle = _part(rows, begin, end, attribute, cut)
            # The lower side on top, to be cut first.
            ends[top + 1] = bounds
            ends[top, 0, attribute] = ends[top + 1, 1, attribute] = cut
            todo[top, 0], todo[top, 1] = middle, end
            todo[top + 1, 0], todo[top + 1, 1] = begin, middle
            top += 1
    made = made[:count]
    return region, roots[:count].copy(), made[:, 0].copy(), made[:, 1].copy(), made[:, 2].copy(), made[:, 3].copy()


@kernel
def _work(largest: int, value: Array, l: int) -> tuple[Array, Array, Array, Array]:  # noqa: E741 - as above
    """Return room for a region's column, its sorted keys, the counts of values (0 between uses), and their peaks."""
    values = 0
    for i in range(len(value)):
        values = max(values, value[i] + 1)
    room = largest if l > 1 else 0
    return (
        np.empty(largest, dtype=np.int32),
        np.empty(room, dtype=np.int64),
        np.zeros((2, values), dtype=np.int64),
        np.empty(room, dtype=np.int64),
    )


@kernel
def _reach(point: Array, begin: int, end: int, ends: Array) -> None:
    """Write down the least and the greatest place of some rows in each attribute."""
    low, high = ends[2], ends[3]
    low[:] = point[begin]
    high[:] = point[begin]
    for i in range(begin + 1, end):
        for a in range(len(low)):
            low[a] = min(low[a], point[i, a])
            high[a] = max(high[a], point[i, a])


@kernel
def _find(
    rows: tuple[Array, Array, Array],
    begin: int,
    end: int,
    reach: tuple[Array, Array, Array, Array],
    k: int,
    l: int,  # noqa: E741 - as above
    work: tuple[Array, Array, Array, Array],
) -> tuple[int, int]:
    """Return the attribute and the cut of a region, `_OLD_END` as the cut if none is allowed."""
    low, high, place, offset = reach
    if end - begin < 2 * k:
        return 0, _OLD_END
    tried = np.zeros(len(low), dtype=np.bool_)
    for _ in range(len(low)):
        widest, extent = -1, -1.0
        for a in range(len(low)):
            wide = place[offset[a] + high[a]] - place[offset[a] + low[a]]
            if not tried[a] and wide > extent:
                widest, extent = a, wide
        tried[widest] = True
        if low[widest] < high[widest]:
            cut = _cut(rows[0][begin:end, widest], (low[widest], high[widest]), rows[2][begin:end], k, l, work)
            if cut != _OLD_END:
                return widest, cut
    return 0, _OLD_END


@kernel
def _cut(
    values_at: Array,
    reach: tuple[int, int],
    value: Array,
    k: int,
    l: int,  # noqa: E741 - as above
    work: tuple[Array, Array, Array, Array],
) -> int:
    """Return the allowed cut that is nearest to the middle, `_OLD_END` when none is allowed.

    The nearest of all is beside the median. Where it leaves too few rows on a side, so does every other.
    """
    size = len(values_at)
    low, high = reach
    if high - low < size:
        below, less, median, left = _median_by_counting(values_at, low, work[0][: high - low + 1])
    else:
        below, less, median, left = _median_by_selecting(values_at, work[0][:size])
    cut = median
    if abs(size - 2 * less) <= abs(size - 2 * left):
        left, cut = less, below
    if min(left, size - left) < k:
        return _OLD_END
    if l == 1 or _diverse(values_at, value, cut, left, l, work[2]):
        return cut
    return _nearest(values_at, value, k, l, work)


@kernel
def _median_by_counting(values_at: Array, low: int, count: Array) -> tuple[int, int, int, int]:
    """Return what `_median_by_selecting` does, given the lowest value and room to count each value from it on."""
    for i in range(len(count)):
        count[i] = 0
    for i in range(len(values_at)):
        count[values_at[i] - low] += 1
    below, less, at, left = _OLD_END, 0, 0, count[0]
    while left <= (len(values_at) - 1) // 2:
        if count[at] > 0:
            below = low + at
        at += 1
        less, left = left, left + count[at]
    return below, less, low + at, left


@kernel
def _median_by_selecting(values_at: Array, column: Array) -> tuple[int, int, int, int]:
    """Return the value below the lower median, the rows up to it, the median, and the rows up to that."""
    size = len(values_at)
    for i in range(size):
        column[i] = values_at[i]
    median = _select(column, (size - 1) // 2)
    below, less, left = _OLD_END, 0, 0
    for i in range(size):
        if column[i] < median:
            less += 1
            below = max(below, column[i])
        left += column[i] <= median
    return below, less, median, left


@kernel
def _select(column: Array, rank: int) -> int:
    """Return the value of a rank from 0, reordering the column (Hoare's FIND, with the median of three as pivot)."""
    first, last = 0, len(column) - 1
    while first < last:
        a, b, c = column[first], column[(first + last) // 2], column[last]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = first, last
        while i <= j:
            while column[i] < pivot:
                i += 1
            while column[j] > pivot:
                j -= 1
            if i <= j:
                column[i], column[j] = column[j], column[i]
                i += 1
                j -= 1
        if rank <= j:
            last = j
        elif rank >= i:
            first = i
        else:
            break
    return column[rank]


@kernel
def _diverse(
    values_at: Array,
    value: Array,
    cut: int,
    left: int,
    l: int,  # noqa: E741 - as above
    counts: Array,
) -> bool:
    """Return whether no value is in more than 1/l of the rows of either side of a cut."""
    most_left, most_right = left // l, (len(value) - left) // l
    kept = True
    for i in range(len(value)):
        if values_at[i] <= cut:
            counts[0, value[i]] += 1
            kept = kept and counts[0, value[i]] <= most_left
        else:
            counts[1, value[i]] += 1
            kept = kept and counts[1, value[i]] <= most_right
    for i in range(len(value)):
        counts[:, value[i]] = 0
    return kept


@kernel
def _nearest(
    values_at: Array,
    value: Array,
    k: int,
    l: int,  # noqa: E741 - as above
    work: tuple[Array, Array, Array, Array],
) -> int:
    """Return the nearest allowed cut among all: the peaks of the counts from below, then those from above."""
    size = len(value)
    keys, counts, peaks = work[1][:size], work[2][0], work[3][:size]
    for i in range(size):
        keys[i] = np.int64(values_at[i]) << 32 | value[i]
    keys.sort()
    peak = 0
    for i in range(size):
        held = keys[i] & 0xFFFFFFFF
        counts[held] += 1
        peak = max(peak, counts[held])
        peaks[i] = peak
    for i in range(size):
        counts[value[i]] = 0
    peak, nearest, cut = 0, size + 1, _OLD_END
    for i in range(size - 1, 0, -1):
        held = keys[i] & 0xFFFFFFFF
        counts[held] += 1
        peak = max(peak, counts[held])
        if keys[i] >> 32 == keys[i - 1] >> 32 or min(i, size - i) < k:
            continue
        # From above to below, so that of two equally near cuts the lower one is the last.
        if abs(size - 2 * i) <= nearest and peaks[i - 1] * l <= i and peak * l <= size - i:
            nearest, cut = abs(size - 2 * i), keys[i - 1] >> 32
    for i in range(size):
        counts[value[i]] = 0
    return cut


@kernel
def _part(rows: tuple[Array, Array, Array], begin: int, end: int, attribute: int, cut: int) -> int:
    """Move the rows up to a cut before the others; return where the others begin."""
    point, row, value = rows
    i, j = begin, end - 1
    while True:
        while i <= j and point[i, attribute] <= cut:
            i += 1
        while i <= j and point[j, attribute] > cut:
            j -= 1
        if i > j:
            return i
        for a in range(point.shape[1]):
            point[i, a], point[j, a] = point[j, a], point[i, a]
        row[i], row[j] = row[j], row[i]
        if len(value):
            value[i], value[j] = value[j], value[i]
