"""Point location: find the first cell that covers a point, in the caller's order of cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes
from audit.runtime.kernels import pays

_COMPILED = "anonymizers.point_location_compiled"
_SECONDS_SAVED_PER_PAIR, _SECONDS_SAVED_PER_POINT = 5e-9, 4e-8
_BLOCK_PAIRS = 1_000_000


def first_covering(point: Codes, low: Codes, high: Codes, beyond: Codes) -> Codes:
    """Return for each point the first cell after the cell `beyond` that covers it, -1 for none.

    Args:
        point: the points; shape (points, attributes), int32.
        low: the first place that a cell covers; shape (cells, attributes), int32.
        high: the last place.
        beyond: a cell for each point, -1 to test all cells; shape (points,), int32.
    """
    if pays(_COMPILED, _SECONDS_SAVED_PER_PAIR * len(point) * len(low)):
        from anonymizers.point_location_compiled import first_covering_compiled

        columns = (np.ascontiguousarray(array) for array in (point, low, high))
        return first_covering_compiled(*columns, beyond)
    return first_covering_plain(point, low, high, beyond)


def covered(point: Codes, low: Codes, high: Codes, cell: Codes) -> npt.NDArray[np.bool_]:
    """Return for each point whether its cell covers it; shape (points,).

    Args:
        point: the points; shape (points, attributes), int32.
        low: the first place that a cell covers; shape (cells, attributes), int32.
        high: the last place.
        cell: a cell for each point, -1 for none, which covers nothing; shape (points,), int32.
    """
    if pays(_COMPILED, _SECONDS_SAVED_PER_POINT * len(point)):
        from anonymizers.point_location_compiled import covered_compiled

        return covered_compiled(point, low, high, cell)
    return covered_plain(point, low, high, cell)


def covered_plain(point: Codes, low: Codes, high: Codes, cell: Codes) -> npt.NDArray[np.bool_]:
    """Return the result of `covered`; the oracle of its compiled twin."""
    inside = cell >= 0
    asked = np.flatnonzero(inside)
    cell = cell[asked]
    for column, first, last in zip(point.T, low.T, high.T, strict=True):
        inside[asked] &= (first[cell] <= column[asked]) & (column[asked] <= last[cell])
    return inside


def first_covering_plain(point: Codes, low: Codes, high: Codes, beyond: Codes) -> Codes:
    """Return the result of `first_covering` by testing every pair; the oracle of its compiled twin."""
    found = np.full(len(point), -1, dtype=np.int32)
    if not len(low):
        return found
    cells = np.arange(len(low))
    step = max(1, _BLOCK_PAIRS // len(low))
    for begin in range(0, len(point), step):
        block = slice(begin, begin + step)
        covers = cells > beyond[block, np.newaxis]
        for column, first, last in zip(point[block].T, low.T, high.T, strict=True):
            covers &= (first <= column[:, np.newaxis]) & (column[:, np.newaxis] <= last)
        found[block] = np.where(covers.any(axis=1), covers.argmax(axis=1), -1)
    return found
