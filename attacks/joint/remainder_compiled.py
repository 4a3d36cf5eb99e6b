"""Compiled kernels on large networks without links: which tracks share rows.

`seats` are where each block's seats begin, and the track of each; `cells` where each block's cells begin, and the value
of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

if TYPE_CHECKING:
    from attacks.joint.remainder import Seating

Array: TypeAlias = npt.NDArray[Any]
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def may(domain: Array, track: int, value: int) -> bool:
    """Tell whether a track may have a value."""
    return domain[track, value >> 6] >> np.uint64(value & 63) & _ONE != 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def cell_of(net: Seating, block: int, value: int) -> int:
    """Return the cell of a block with a value, -1 where there is none."""
    for cell in range(net.cell_start[block], net.cell_start[block + 1]):
        if net.cell_value[cell] == value:
            return cell
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def joined(seats: tuple[Array, Array], cells: tuple[Array, Array], domain: Array, free: Array, left: Array) -> Array:
    """Return for each free track the least of all that share rows with it, directly or through others; else -1.

    Takes the rows of tracks that are not free from `left`, the rows of each cell.
    """
    root = np.arange(len(domain))
    for block in range(len(seats[0]) - 1):
        for cell in range(cells[0][block], cells[0][block + 1]):
            first = -1
            for seat in range(seats[0][block], seats[0][block + 1]):
                track = seats[1][seat]
                if not may(domain, track, cells[1][cell]):
                    continue
                if not free[track]:
                    left[cell] -= 1
                elif first < 0:
                    first = _root(root, track)
                else:
                    other = _root(root, track)
                    root[max(first, other)] = min(first, other)
                    first = min(first, other)
    for track in range(len(root)):
        root[track] = _root(root, track)
    for track in range(len(root)):
        if not free[track]:
            root[track] = -1
    return root


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _root(root: Array, track: int) -> int:
    while root[track] != track:
        root[track] = root[root[track]]
        track = root[track]
    return track


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def part_of_cells(seats: tuple[Array, Array], cells: tuple[Array, Array], domain: Array, part: Array) -> Array:
    """Return the part of the tracks that may take rows of each cell, -1 where there are none."""
    found = np.full(len(cells[1]), -1)
    for block in range(len(seats[0]) - 1):
        for seat in range(seats[0][block], seats[0][block + 1]):
            track = seats[1][seat]
            if part[track] < 0:
                continue
            for cell in range(cells[0][block], cells[0][block + 1]):
                if may(domain, track, cells[1][cell]):
                    found[cell] = part[track]
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def takers(seats: tuple[Array, Array], cells: tuple[Array, Array], domain: Array) -> Array:
    """Return how many tracks may take rows of each cell."""
    found = np.zeros(len(cells[1]), dtype=np.int64)
    for block in range(len(seats[0]) - 1):
        for seat in range(seats[0][block], seats[0][block + 1]):
            for cell in range(cells[0][block], cells[0][block + 1]):
                found[cell] += may(domain, seats[1][seat], cells[1][cell])
    return found
