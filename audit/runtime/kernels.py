"""Kernels: report that they are compiled, and manage freed memory."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress

# Of `mallopt`, in <malloc.h>.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8

on_compiling: Callable[[], None] | None = None
"""Called once, when this process begins to compile kernels."""


def keep_memory() -> None:
    """Keep freed memory in this process for reuse (glibc only).

    By default, glibc returns large arrays to the system, which must zero each page of the next release: a third of the
    time of a large series. The peak memory does not change. Threads share freed memory. Arrow keeps its memory, too,
    unless the environment says otherwise or Arrow was used before.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, -1)
        library.mallopt(_ARENA_MAX, 1)


def release_memory() -> None:
    """Return freed memory to the system (glibc and Arrow only).

    Call it between two stages that need arrays of different sizes: the second cannot reuse the fragments that the first
    left. It takes milliseconds.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
