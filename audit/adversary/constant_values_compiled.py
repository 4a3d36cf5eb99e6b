"""Compiled twin of `constant_values.FirstValues.note`, which is its oracle."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy.typing as npt

from audit.runtime.compiling import kernel

Array: TypeAlias = npt.NDArray[Any]


@kernel
def note(person: Array, values: Array, first: Array, changed: Array, unknown: int) -> None:
    """Note the value of each person where none is known, and else whether it is another one.

    `values` has -1 where a value is not known, `first` has `unknown`.
    """
    for i in range(len(person)):
        before, now = first[person[i]], values[i]
        if now < 0 or now == before:
            continue
        if before == unknown:
            first[person[i]] = now
        else:
            changed[person[i]] = True
