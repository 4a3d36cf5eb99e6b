"""Keys: rows of several integer columns told apart by one number each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16


def combine(columns: Sequence[tuple[Codes, int]], rows: int) -> tuple[npt.NDArray[np.int64], int]:
    """Return one key per row for several coded columns, equal where all columns are equal, and a bound on it.

    Each column is its codes, shape (rows,), and a bound on them. Keys are renumbered before they would overflow.
    """
    key, size = np.zeros(rows, dtype=np.int64), 1
    for codes, bound in columns:
        if size * max(bound, 1) >= 2**62:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * max(bound, 1) + codes
        size *= max(bound, 1)
    return key, size


def distinct(key: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return a row of each distinct key, in order of keys, and the place of each row's key among these.

    `size` is a bound on the keys.
    """
    if size > _DIRECT_PER_ROW * len(key) + _DIRECT_SLACK:
        _, rows, place = np.unique(key, return_index=True, return_inverse=True)
        return rows, place.astype(np.int32)
    row = np.full(size, -1, dtype=np.intp)
    row[key] = np.arange(len(key))
    number: Codes = np.cumsum(row >= 0, dtype=np.int32) - np.int32(1)
    return row[row >= 0], number[key]
