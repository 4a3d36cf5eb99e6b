"""Which kernels work: numpy for what is small, the compiled twins for what is large."""

from __future__ import annotations

import sys

# Below this, importing numba and loading its kernels costs a one-shot command more than they save.
COMPILED_ROWS = 15_000_000


def wants_compiled(rows: int) -> bool:
    """Tell whether the compiled kernels pay: for many rows, and in a process that has loaded numba already."""
    return rows >= COMPILED_ROWS or "numba" in sys.modules
