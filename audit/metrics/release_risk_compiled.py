"""Compiled twins of what `audit.metrics.release_risk` computes of values that have no order; these are their oracle."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.runtime.compiling import kernel

Array: TypeAlias = npt.NDArray[Any]


@kernel
def _by_group(group: Array, value: Array, sizes: Array) -> Array:
    """Return the values in the order of their groups."""
    at = np.cumsum(sizes) - sizes
    placed = np.empty(len(value), dtype=np.int32)
    for i in range(len(value)):
        g = group[i]
        placed[at[g]] = value[i]
        at[g] += 1
    return placed


@kernel
def spread(group: Array, value: Array, sizes: Array, overall: Array) -> tuple[int, float, float]:
    """Return the fewest distinct values of a group, the least entropy, and the largest distance from all rows.

    `sizes` has the rows of each group, `overall` those of each value.
    """
    rows = len(value)
    in_order = True
    for i in range(1, rows):
        if group[i] < group[i - 1]:
            in_order = False
            break
    placed = value if in_order else _by_group(group, value, sizes)
    share_of = overall / rows
    count = np.zeros(len(overall), dtype=np.int64)
    present = np.empty(len(overall), dtype=np.int32)
    fewest, least, largest = len(overall) + 1, np.inf, 0.0
    start = 0
    for size in sizes:
        if size == 0:
            continue
        distinct = 0
        for i in range(start, start + size):
            v = placed[i]
            if count[v] == 0:
                # In the order of values, as the numpy kernel adds them up.
                at = distinct
                while at > 0 and present[at - 1] > v:
                    present[at] = present[at - 1]
                    at -= 1
                present[at] = v
                distinct += 1
            count[v] += 1
        start += size
        entropy, distance = 0.0, 0.0
        for at in range(distinct):
            v = present[at]
            share = count[v] / size
            entropy += share * math.log(share)
            distance += max(share - share_of[v], 0.0)
            count[v] = 0
        fewest, least, largest = min(fewest, distinct), min(least, -entropy), max(largest, distance)
    return fewest, least, largest
