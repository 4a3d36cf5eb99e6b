"""The compiled twin of the kernel in `audit.linking.constants`, which is its oracle."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def note_first(first: Array, changed: Array, person: Array, value: Array) -> None:
    """Note the value of each person where it is the first, else whether it is another one; -1 is unknown."""
    unknown = np.iinfo(first.dtype).max
    for i in range(len(person)):
        if value[i] >= 0:
            before = first[person[i]]
            if before == unknown:
                first[person[i]] = value[i]
            elif before != value[i]:
                changed[person[i]] = True
