"""Flags of people as bits: a large series' stay in the processor's cache."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def mark(bits: Array, people: Array) -> bool:
    """Set the bit of each person, the lowest of a byte first; return whether none was set before. Nobody (-1) has none.

    The oracle is a numpy array of flags, in `audit.reading.numbering`.
    """
    fresh = True
    for i in range(len(people)):
        p = people[i]
        if p >= 0:
            bit = np.uint8(1 << (p & 7))
            before = bits[p >> 3]
            fresh &= before & bit == 0
            bits[p >> 3] = before | bit
    return fresh
