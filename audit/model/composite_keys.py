"""Composite keys: number the distinct rows of several integer columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Counts

_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16


_AT_A_TIME = 1 << 17  # rows of a block that stays in a processor's cache between two uses


def batches(sizes: npt.NDArray[np.integer], most: int) -> Iterator[slice]:
    """Yield ranges of items whose sizes add up to at most `most`, or single larger items; `sizes`: shape (items,)."""
    total, first = np.cumsum(sizes), 0
    while first < len(sizes):
        done = total[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(total, done + most, side="right")))
        yield slice(first, last)
        first = last


def tally(codes: npt.NDArray[np.integer], size: int, weights: Counts | None = None) -> Counts:
    """Return the number, or the total weight, of rows with each code below a bound; shape (size,).

    `bincount` would copy all codes as 64 bits.
    """
    if size > _AT_A_TIME or weights is not None:
        return np.bincount(codes, weights, minlength=size).astype(np.int64, copy=False)
    found = np.zeros(size, dtype=np.int64)
    for start in range(0, len(codes), _AT_A_TIME):
        found += np.bincount(codes[start : start + _AT_A_TIME], minlength=size)
    return found


def counted(
    key: npt.NDArray[np.int64], size: int, weights: Counts | None = None
) -> tuple[npt.NDArray[np.int64], Counts]:
    """Return the distinct keys, ascending, and the number or total weight of each; `size` is a bound on the keys."""
    if not _is_sparse(key, size):
        rows = tally(key, size, weights)
        found = np.flatnonzero(rows)
        return found, rows[found]
    found, place = np.unique(key, return_inverse=True)
    return found, tally(place, len(found), weights)


def combine(
    columns: Sequence[tuple[npt.NDArray[np.integer], int]], rows: int, most: int = 2**62
) -> tuple[npt.NDArray[np.int64], int]:
    """Return a key for each row, equal for equal rows, shape (rows,), int64; and a bound on the keys.

    The order of the keys is that of the rows' codes, column by column.

    Args:
        columns: the codes of each column, shape (rows,), and a bound on them.
        rows: the number of rows.
        most: keys are renumbered before the bound would exceed this.
    """
    key, size = np.zeros(rows, dtype=np.int64), 1
    for codes, bound in columns:
        if size > 1 and size * max(bound, 1) > most:
            key = ranks(key, size).astype(np.int64)
            size = int(key.max(initial=-1)) + 1
        key = key * max(bound, 1) + codes
        size *= max(bound, 1)
    return key, size


def distinct(key: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return a row of each distinct key, in the order of keys, and the index of each row's key among these.

    `size` is a bound on the keys.
    """
    if _is_sparse(key, size):
        _, rows, place = np.unique(key, return_index=True, return_inverse=True)
        return rows, place.astype(np.int32)
    row = np.full(size, -1, dtype=np.intp)
    row[key] = np.arange(len(key))
    number: Codes = np.cumsum(row >= 0, dtype=np.int32) - np.int32(1)
    return row[row >= 0], number[key]


def ranks(key: npt.NDArray[np.int64], size: int) -> Codes:
    """Return the index of each row's key among the distinct keys, in order; `size` is a bound on the keys.

    `distinct` also returns this, together with one row of each key, for which it needs a slower sort.
    """
    if _is_sparse(key, size):
        return np.unique(key, return_inverse=True)[1].astype(np.int32)
    there = np.zeros(size, dtype=np.bool_)
    there[key] = True
    number: Codes = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return number[key]


def row_ranks(columns: Sequence[tuple[npt.NDArray[np.integer], int]], rows: int) -> Codes:
    """Return the index of each row among the distinct rows of several coded columns, in order.

    Keys are renumbered before a table of them would be much larger than the rows, so a sort is rarely needed.
    """
    return ranks(*combine(columns, rows, _direct(rows)))


def _direct(rows: int) -> int:
    """Return the largest number of possible keys for which a table is used, given a number of rows."""
    return _DIRECT_PER_ROW * rows + _DIRECT_SLACK


def _is_sparse(key: npt.NDArray[np.int64], size: int) -> bool:
    """Return whether a table of all possible keys would be much larger than the rows."""
    return size > _direct(len(key))
