"""Which kernels work: numpy for what is small, the compiled twins for what is large; and the memory that they have."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

# Below this, importing numba and loading its kernels costs a one-shot command more than they save.
COMPILED_ROWS = 15_000_000
# Of `mallopt`, in <malloc.h>.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4


def wants_compiled(rows: int) -> bool:
    """Tell whether the compiled kernels pay: for many rows, and in a process that has loaded numba already."""
    return rows >= COMPILED_ROWS or "numba" in sys.modules


def keep_memory() -> None:
    """Have memory that is freed used again by this process, where the C library can be told so (glibc).

    It would give large arrays back to the system one by one, which has to make zeros of each page of the next release:
    a sixth of the time of a large series. The most that is in use at a time stays the same.
    """
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, -1)
