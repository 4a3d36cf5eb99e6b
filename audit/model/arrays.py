"""Array types, named after their contents."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""An array of any type, for compiled kernels."""
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int32]
"""Codes of texts, people, groups or values."""
UNKNOWN = -1
"""The code of an unknown value."""
Integers: TypeAlias = npt.NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Places: TypeAlias = npt.NDArray[np.intp]
"""Indices into another array."""
Counts: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers with any other meaning."""
Floats: TypeAlias = npt.NDArray[np.float64]
Objects: TypeAlias = npt.NDArray[np.object_]
"""Exact numbers, as objects."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Whole numbers of 64 bits."""
Columns: TypeAlias = tuple[Codes, Codes, Codes]
"""Person, release and value of some claims."""
