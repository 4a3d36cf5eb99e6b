"""Compiled twin of `encoding.IdentifierEncoder.present`, which is its oracle."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.runtime.compiling import kernel

Array: TypeAlias = npt.NDArray[Any]


@kernel
def mark(people: Array, bits: Array) -> bool:
    """Set the bit of each person but nobody (-1); tell whether each was set once."""
    once = True
    for i in range(len(people)):
        person = people[i]
        if person >= 0:
            bit = np.uint8(1 << (person & 7))
            if bits[person >> 3] & bit:
                once = False
            bits[person >> 3] |= bit
    return once
