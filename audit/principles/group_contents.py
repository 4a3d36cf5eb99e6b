"""Group contents: the rows of each group, and how often each sensitive value occurs in them.

A plain table publishes values beside cells. The rows of a group with equal cells, a row class, then publish their own
values, because a person's cells fit one row class only: `Release.by_class` makes each a group.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Places
from audit.model.errors import printable
from audit.runtime.phrases import say


def first_rows(codes: npt.NDArray[np.integer], size: int) -> Places:
    """Return the first row of each code, -1 for a code without rows; shape (size,)."""
    first = np.full(size, -1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.intp)[::-1]  # reversed: the first row is written last
    return first


def is_person(series: Series, release: KeyedRelease) -> npt.NDArray[np.bool_] | None:
    """Return whether each row is a person's and not a counterfeit's; None without a key."""
    fake = release.counterfeit_rows(series.people)
    return None if fake is None else ~fake


def of_attribute(clause: str, series: Series, sensitive: str) -> str:
    """Return a clause, with its attribute if the series has several sensitive ones."""
    if len(series.manifest.columns.sensitive) <= 1:
        return clause
    return say("{clause} of {attribute}", clause=clause, attribute=printable(sensitive))
