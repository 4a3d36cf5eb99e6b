"""Compiling: decorators for compiled kernels; importing this imports numba, so ask `kernels.pays` first.

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
"""All kernels of this process."""


def kernel(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - numba has no types
    """Compile a function of arrays and numbers when it is first called, for all processes on this machine.

    Numba stores the compiled code in the folder `NUMBA_CACHE_DIR`, beside the source file, or in the user's cache
    folder; if it can write to none of them, only in memory. Kernels run without the interpreter's lock.
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
        """Report the first compilation."""
        with self._lock:
            reported, self._reported = self._reported, True
        if not reported and kernels.on_compiling is not None:
            kernels.on_compiling()

    def on_end(self, event: object) -> None:
        """Ignore the end of a compilation."""


event.register("numba:compile", _Listener())
