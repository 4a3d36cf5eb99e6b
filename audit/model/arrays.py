"""The types of arrays, by what they hold."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""Of any type: what compiled kernels take."""
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int32]
"""Numbers that stand for texts, people, groups or values."""
UNKNOWN = -1
"""The code of a value that is not known."""
Integers: TypeAlias = npt.NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Places: TypeAlias = npt.NDArray[np.intp]
"""Indices into another array."""
Counts: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers of any other meaning."""
Floats: TypeAlias = npt.NDArray[np.float64]
Objects: TypeAlias = npt.NDArray[np.object_]
"""Exact numbers, which no type of arrays holds."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Of 64 bits each."""
Columns: TypeAlias = tuple[Codes, Codes, Codes]
"""Person, release and value of some claims."""
