"""The compiled twin of `attacks.joint.counting`, for small parts of a remainder."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from attacks.joint.remainder import Seating
from attacks.joint.remainder_compiled import cell_of, may

Array: TypeAlias = npt.NDArray[Any]
_LEAST = 1e-200


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def count_parts(
    part_start: Array, net: Seating, domain: Array, weights: tuple[Array, Array], most: int, share: Array
) -> Array:
    """Count the worlds of each part by giving its tracks their rows one after the other.

    Counterfeits take the rows that are left, in k! / (n1! n2! ...) orders. That is, up to a factor of the part, the
    product of how many rows each track could choose from, as a share of the most in the block: no number gets too
    small or too large.

    Args:
        part_start: where each part's tracks begin, and their number at the end.
        net: seats and cells.
        domain: by track and word.
        weights: the weight of each value, to the power of one less than a track's releases; and these.
        most: steps for each part.
        share: by track and value; the shares of the worlds are written into it.

    Returns:
        For each part whether it was counted, 1, or takes too many steps, -1; 0 where there is no world; shape (parts,).
    """
    found = np.full(len(part_start) - 1, -1, dtype=np.int8)
    left, full = net.cell_rows.copy(), np.ones(len(net.cell_rows))
    for block in range(len(net.cell_start) - 1):
        first, last = net.cell_start[block], net.cell_start[block + 1]
        if last > first:
            full[first:last] = net.cell_rows[first:last].max()
    for part in range(len(found)):
        found[part] = _count(part_start[part], part_start[part + 1], net, domain, weights, most, share, left, full)
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _count(
    first: int,
    last: int,
    net: Seating,
    domain: Array,
    weights: tuple[Array, Array],
    most: int,
    share: Array,
    left: Array,
    full: Array,
) -> int:
    """Count the worlds of one part; `left` is as before afterwards."""
    number, values = last - first, share.shape[1]
    sums = np.zeros((number, values))
    at = np.full(number, -1, dtype=np.int64)
    seen = np.zeros((number, values), dtype=np.bool_)
    weight = np.ones(number + 1)
    total, steps, place, any_world = 0.0, 0, 0, False
    while place >= 0:
        if place == number:
            any_world = True
            total += weight[number]
            for k in range(number):
                sums[k, at[k]] += weight[number]
                seen[k, at[k]] = True
            place -= 1
            continue
        track = first + place
        if at[place] >= 0:
            _take(track, at[place], net, left, 1)
        value = at[place] + 1
        while value < values and not (may(domain, track, value) and _free(track, value, net, left)):
            value += 1
        steps += 1
        if value == values:
            at[place] = -1
            place -= 1
            continue
        at[place] = value
        weight[place + 1] = (
            weight[place] * weights[0][value] ** (weights[1][track] - 1) * _ways(track, value, net, left, full)
        )
        _take(track, value, net, left, -1)
        if steps > most:
            for k in range(place + 1):
                _take(first + k, at[k], net, left, 1)
            return -1
        place += 1
    if not any_world:
        return 0
    # A part whose weights are too small for numbers was not counted.
    for k in range(number):
        for value in range(values):
            if seen[k, value] and not sums[k, value] > _LEAST:
                return -1
    share[first:last] = sums / total
    return 1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _free(track: int, value: int, net: Seating, left: Array) -> bool:
    """Tell whether all blocks of a track have a row left with a value."""
    for place in range(net.track_start[track], net.track_start[track + 1]):
        cell = cell_of(net, net.track_block[place], value)
        if cell < 0 or left[cell] <= 0:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _take(track: int, value: int, net: Seating, left: Array, by: int) -> None:
    """Add to the rows left with a value in all blocks of a track."""
    for place in range(net.track_start[track], net.track_start[track + 1]):
        left[cell_of(net, net.track_block[place], value)] += by


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _ways(track: int, value: int, net: Seating, left: Array, full: Array) -> float:
    """Return among how many rows a track chooses, as a share of the most."""
    ways = 1.0
    for place in range(net.track_start[track], net.track_start[track + 1]):
        cell = cell_of(net, net.track_block[place], value)
        ways *= left[cell] / full[cell]
    return ways
