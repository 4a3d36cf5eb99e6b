"""Which quasi-identifiers make rows stand alone, or in small groups: what would be so without each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes
from audit.model.composite_keys import row_ranks

SMALL = 5
"""Fewer rows that look alike are a small group, by a rule of thumb of statistical offices."""
MOST_ROWS = 2_000_000
"""In larger releases nobody looks for such columns."""


@dataclass(frozen=True)
class SinglingColumn:
    """What one quasi-identifier does to the rows of a release.

    Attributes:
        column: its name.
        alone: people who share their published quasi-identifiers with no other row, and would share the others.
        small: people in groups of fewer than `SMALL` rows that look alike, who would be in larger ones without it.
        by_itself: people whose cell in this column no other row has.
    """

    column: str
    alone: int
    small: int
    by_itself: int


def singling_columns(
    names: Sequence[str],
    columns: Sequence[tuple[npt.NDArray[np.integer], int]],
    people: npt.NDArray[np.int64],
    alike: Codes,
) -> tuple[SinglingColumn, ...]:
    """Return what each of some quasi-identifiers does, where rows are alone or in small groups.

    Args:
        names: of the columns.
        columns: the cells of each, as codes and a bound on them.
        people: how many people each row stands for.
        alike: a number for each row, equal for rows with equal cells.
    """
    size = _sizes(alike, people)
    if (size >= SMALL).all():
        return ()
    found = []
    for place, name in enumerate(names):
        others = [*columns[:place], *columns[place + 1 :]]
        without, own = (_sizes(row_ranks(some, len(people)), people) for some in (others, [columns[place]]))
        flags = ((size == 1) & (without > 1), (size < SMALL) & (without >= SMALL), own == 1)
        found.append(SinglingColumn(name, *(int(people[each].sum()) for each in flags)))
    return tuple(found)


def _sizes(alike: Codes, people: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each row how many people are like it; shape (rows,)."""
    return np.bincount(alike, weights=people).astype(np.int64)[alike]
