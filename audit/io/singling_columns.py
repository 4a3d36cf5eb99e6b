"""Which quasi-identifiers make rows stand alone, or in small groups, by themselves and with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.io.row_classes import RowClasses
from audit.model.arrays import Codes
from audit.model.composite_keys import row_ranks

SMALL = 5
"""Fewer rows that look alike are a small group, by a rule of thumb of statistical offices."""
MOST_ROWS = 2_000_000
"""In larger releases nobody looks for such columns."""

_TOGETHER = 3
"""The most columns that are looked at together."""


@dataclass(frozen=True)
class SinglingColumn:
    """What one quasi-identifier, or several together, do to the rows of a release.

    Attributes:
        column: its name; of several, their names with + between them.
        alone: people who share their published quasi-identifiers with no other row, and would share the others.
        small: people in groups of fewer than `SMALL` rows that look alike, who would be in larger ones without it.
        by_itself: people whose cells in these columns no other row has.
    """

    column: str
    alone: int
    small: int
    by_itself: int


def singling_columns(
    names: Sequence[str],
    columns: Sequence[tuple[npt.NDArray[np.integer], int]],
    people: npt.NDArray[np.int64],
    classes: RowClasses,
) -> tuple[SinglingColumn, ...]:
    """Return what each of some quasi-identifiers does, where rows are alone or in small groups, then what more do.

    To the column that makes most rows unique the one is added with which it makes most unique, as long as that adds
    some, and others are left.

    Args:
        names: of the columns.
        columns: the cells of each, as codes and a bound on them.
        people: how many people each row stands for.
        classes: which rows have equal cells.
    """
    of_look = np.bincount(classes.looks, np.bincount(classes.row.codes, people, classes.row.size)).astype(np.int64)
    size_of = of_look[classes.looks]
    if (size_of[classes.row.codes] >= SMALL).all():
        return ()
    size = size_of[classes.row.codes]

    def alike_in(places: Sequence[int]) -> npt.NDArray[np.int64]:
        return _sizes(row_ranks([columns[at] for at in places], len(people)), people)

    def unique(places: Sequence[int]) -> int:
        return int(people[alike_in(places) == 1].sum())

    def shares(*places: int) -> SinglingColumn:
        without = alike_in([at for at in every if at not in places])
        flags = ((size == 1) & (without > 1), (size < SMALL) & (without >= SMALL))
        alone, small = (int(people[each].sum()) for each in flags)
        return SinglingColumn(" + ".join(names[at] for at in places), alone, small, unique(places))

    every = range(len(names))
    found = [shares(at) for at in every]
    together = [max(every, key=lambda at: found[at].by_itself)]
    before = found[together[0]].by_itself
    while len(together) < min(_TOGETHER, len(names) - 1):
        more = {at: unique([*together, at]) for at in every if at not in together}
        added = max(more, key=lambda at: more[at])
        if more[added] <= before:
            break
        together, before = [*together, added], more[added]
        found.append(shares(*together))
    return tuple(found)


def _sizes(alike: Codes, people: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each row how many people are like it; shape (rows,)."""
    return np.bincount(alike, weights=people).astype(np.int64)[alike]
