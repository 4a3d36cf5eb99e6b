"""The decorator of compiled kernels. Importing it imports numba: import modules of kernels where they pay (`kernels`).

Rules for kernels, with their reasons and figures, are in `docs/explanation/kernels.md`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from audit.runtime import kernels

KERNELS: list[Any] = []
"""All kernels that were made in this process."""


def kernel(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - numba has no types
    """Compile a function of arrays and numbers when it is first called, for all processes on this machine.

    What it compiles to is kept beside the source file, in the folder `NUMBA_CACHE_DIR` names, or where neither can be
    written to, in the user's cache folder, else for this process alone. It runs without the interpreter's lock.
    """
    with _cache_of(Path(function.__code__.co_filename)) as kept:
        compiled = numba.njit(cache=kept, nogil=True)(function)
    KERNELS.append(compiled)
    return compiled


def inlined(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - as above
    """Compile a helper into each kernel that calls it."""
    return numba.njit(inline="always")(function)


@contextmanager
def _cache_of(source: Path) -> Iterator[bool]:
    """Have numba keep the kernels of a source file where something can be kept; yield whether there is such a place."""
    before, kept = numba.config.CACHE_DIR, True
    if not _writable(before or source.parent / "__pycache__"):
        folder = _cache_folder(source.parent)
        numba.config.CACHE_DIR, kept = str(folder or ""), folder is not None
    try:
        yield kept
    finally:
        numba.config.CACHE_DIR = before


@lru_cache
def _writable(folder: str | Path) -> bool:
    """Return whether files can be made in a folder, which is made if need be."""
    try:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - the folder may be a text
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@lru_cache
def _cache_folder(package: Path) -> Path | None:
    """Return a folder for the kernels of a package that cannot keep them, with those in it that it came with."""
    root = _root()
    if root is None:
        return None
    # As numba calls it: numba.core.caching._CacheLocator.get_suitable_cache_subpath.
    from numba.core.caching import UserProvidedCacheLocator

    folder = root / UserProvidedCacheLocator.get_suitable_cache_subpath(str(package / "__init__.py"))
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for built in (package / "__pycache__").glob("*.nb[ic]"):
            if not (folder / built.name).exists():
                (folder / built.name).symlink_to(built)
    return root


@lru_cache
def _root() -> Path | None:
    """Return a folder to keep kernels in: the user's, else one for this process alone; None where there can be none."""
    own = kernels.user_cache()
    if own is not None and _writable(own):
        return own
    try:
        folder = Path(tempfile.mkdtemp(prefix="series-audit-"))
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _Listener(event.Listener):  # type: ignore[misc]
    """Says once that kernels are being compiled."""

    def __init__(self) -> None:
        self.told = False
        self._lock = threading.Lock()

    def on_start(self, event: object) -> None:
        """Say it when the first kernel is compiled."""
        with self._lock:
            told, self.told = self.told, True
        if not told and kernels.on_compiling is not None:
            kernels.on_compiling()

    def on_end(self, event: object) -> None:
        """Nothing is said when it is done."""


event.register("numba:compile", _Listener())
