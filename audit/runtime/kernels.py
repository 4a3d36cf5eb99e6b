"""Kernels: choose numpy for small work and compiled kernels for large work, and manage freed memory.

On small work, compiled kernels cost more than they save: importing numba takes a quarter of a second, loading its first
kernel as long, and compiling a module's kernels, once on each machine, several seconds. So each use states how many
seconds compiled kernels would save. They are loaded as soon as the savings missed in this process reach their cost (the
ski rental rule; Karlin, Manasse, Rudolph and Sleator, *Competitive snoopy caching*, 1988). Both give the same results,
as tests check.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_LOAD_SECONDS = 0.5
_LOAD_SECONDS_IMPORTED = 0.05  # when numba is imported already
COMPILE_SECONDS = 5.0
"""Seconds that compiling the kernels of a module takes by default."""
# Of `mallopt`, in <malloc.h>.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8

on_compiling: Callable[[], None] | None = None
"""Called once, when this process begins to compile kernels."""

_missed_seconds: dict[str, float] = {}
_in_use: set[str] = set()


def pays(module: str, saved: float, compiling: float = COMPILE_SECONDS) -> bool:
    """Return whether to use the compiled kernels of a module.

    Args:
        module: its name; it is not imported.
        saved: seconds that they save now.
        compiling: seconds that compiling them takes, once on each machine.
    """
    if module in _in_use:
        return True
    _missed_seconds[module] = _missed_seconds.get(module, 0.0) + saved
    cost = _LOAD_SECONDS_IMPORTED if "numba" in sys.modules else _LOAD_SECONDS
    if _missed_seconds[module] >= cost + compiling or (_missed_seconds[module] >= cost and _was_cached(module)):
        _in_use.add(module)
    return module in _in_use


@lru_cache
def _was_cached(module: str) -> bool:
    """Return the first answer of `is_cached`, which takes a millisecond."""
    return is_cached(module)


def is_cached(module: str) -> bool:
    """Return whether kernels of a module were compiled on this machine since it was last changed."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return False
    source = Path(spec.origin)
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    with suppress(OSError):
        changed = source.stat().st_mtime
        for folder in cache_folders(source):
            for index in folder.glob(f"{source.stem}.*.{version}*.nbi"):
                if index.stat().st_mtime >= changed:
                    return True
    return False


def cache_folders(source: Path) -> list[Path]:
    """Return the folders in which numba may store the compiled kernels of a source file."""
    beside = f"{source.parent.name}_{hashlib.sha1(str(source.parent).encode(), usedforsecurity=False).hexdigest()}"
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) / beside]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - it may have no home
    return [source.parent / "__pycache__", Path(home) / "numba" / beside]


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
