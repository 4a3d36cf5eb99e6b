"""Which kernels work: numpy for what is small, compiled ones for what is large; and the memory that they have.

Compiled kernels cost more than they save on small work: numba takes a quarter of a second to import and as long to
load its first kernel, and on a machine that has never run a module's kernels some seconds to compile them. So each use
says how many seconds the kernels would save, and they are loaded once what was forgone in this process comes to
their cost (the rule of the ski rental; Karlin, Manasse, Rudolph and Sleator, *Competitive snoopy caching*, 1988).
Results are the same either way: tests hold numpy and compiled kernels against each other.
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

_LOADING = 0.5
_LOADED = 0.05  # when numba is imported already
COMPILING = 5.0
"""Seconds that the kernels of a module take to compile where nothing else is known."""
# Of `mallopt`, in <malloc.h>.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8

on_compiling: Callable[[], None] | None = None
"""Called once, when this process begins to compile kernels."""

_forgone: dict[str, float] = {}
_in_use: set[str] = set()


def pays(module: str, saved: float, compiling: float = COMPILING) -> bool:
    """Return whether the compiled kernels of a module pay.

    Args:
        module: its name; it is not imported.
        saved: seconds that they save now.
        compiling: seconds that they take to compile, once for a machine.
    """
    if module in _in_use:
        return True
    _forgone[module] = _forgone.get(module, 0.0) + saved
    cost = _LOADED if "numba" in sys.modules else _LOADING
    if _forgone[module] >= cost + compiling or (_forgone[module] >= cost and _was_cached(module)):
        _in_use.add(module)
    return module in _in_use


@lru_cache
def _was_cached(module: str) -> bool:
    """Return whether kernels of a module were compiled when that was asked first: each look takes a millisecond."""
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
    """Return where numba may keep the compiled kernels of a source file."""
    beside = f"{source.parent.name}_{hashlib.sha1(str(source.parent).encode(), usedforsecurity=False).hexdigest()}"
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return [Path(given) / beside]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - it may have no home
    return [source.parent / "__pycache__", Path(home) / "numba" / beside]


def keep_memory() -> None:
    """Have memory that is freed used again by this process, where the C library can be told so (glibc).

    It would give large arrays back to the system one by one, which has to make zeros of each page of the next release:
    a third of the time of a large series. The most that is in use at a time stays the same. Threads share what was
    freed; Arrow's own memory is kept as well, unless it was told otherwise or in use before.
    """
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "-1")
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_MAX, 0)
        library.mallopt(_TRIM_THRESHOLD, -1)
        library.mallopt(_ARENA_MAX, 1)


def release_memory() -> None:
    """Give memory that was freed back to the system, where the libraries that keep it can be told so (glibc, Arrow).

    For between two stages of work of which the next needs other arrays than the one before: what one has left in pieces
    the other cannot use. It takes milliseconds.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
