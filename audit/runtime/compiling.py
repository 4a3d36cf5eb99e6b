"""Compiling: decorators for compiled kernels; importing this imports numba, so import kernels where they are needed.

Rules for kernels, with their reasons and figures, are in `docs/explanation/kernels.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from audit.runtime import kernels


def kernel(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - numba has no types
    """Compile a function of arrays and numbers when it is first called, for all processes on this machine.

    Numba stores the compiled code in the folder `NUMBA_CACHE_DIR`, beside the source file, or in the user's cache
    folder; if it can write to none of them, only in memory. Kernels run without the interpreter's lock.
    """
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder
        return numba.njit(nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - as above
    """Compile a helper into each kernel that calls it."""
    return numba.njit(inline="always")(function)


class _Listener(event.Listener):  # type: ignore[misc]
    """Reports once that kernels are being compiled."""

    def on_start(self, event: object) -> None:
        """Report the first compilation."""
        report, kernels.on_compiling = kernels.on_compiling, None
        if report is not None:
            report()

    def on_end(self, event: object) -> None:
        """Ignore the end of a compilation."""


event.register("numba:compile", _Listener())
