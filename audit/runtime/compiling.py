"""The decorator of compiled kernels. Importing it imports numba: import modules of kernels where they pay (`kernels`).

Rules for kernels, with their reasons and figures, are in `docs/explanation/kernels.md`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from audit.runtime import kernels

KERNELS: list[Any] = []
"""All kernels that were made in this process."""


def kernel(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - numba has no types
    """Compile a function of arrays and numbers when it is first called, for all processes on this machine.

    Numba keeps what it compiles in the folder that `NUMBA_CACHE_DIR` names, beside the source file, or in the user's
    cache folder; where it can write to none of them, for this process alone. It runs without the interpreter's lock.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder
        compiled = numba.njit(nogil=True)(function)
    KERNELS.append(compiled)
    return compiled


def inlined(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - as above
    """Compile a helper into each kernel that calls it."""
    return numba.njit(inline="always")(function)


class _Listener(event.Listener):  # type: ignore[misc]
    """Reports once that kernels are being compiled."""

    def __init__(self) -> None:
        self._reported = False
        self._lock = threading.Lock()

    def on_start(self, event: object) -> None:
        """Report it when the first kernel is compiled."""
        with self._lock:
            reported, self._reported = self._reported, True
        if not reported and kernels.on_compiling is not None:
            kernels.on_compiling()

    def on_end(self, event: object) -> None:
        """Report nothing when it is done."""


event.register("numba:compile", _Listener())
