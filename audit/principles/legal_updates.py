"""Legal updates: decide whether the values of one group can have become those of another.

Source: m-Distinct paper, Definitions 12 to 14.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audit.model.update_sets import Pairs, UpdateSets


class UpdateMasks(NamedTuple):
    """The values of a group as bits, and those that may come after, or have been before, one of them.

    Attributes:
        own, after, before: bit v of each whole number stands for value v.
        overlaps: whether two of the values may become the same.
    """

    own: int
    after: int
    before: int
    overlaps: bool

    def follows(self, old: UpdateMasks, rows: int) -> bool:
        """Return whether a group with these values is a legal update instance of an older one with so many rows.

        It has as many values as the old one has rows; an old value may become each of them; and each old value may
        become one of them (Definition 14).
        """
        return self.own.bit_count() == rows and not self.own & ~old.after and not old.own & ~self.before


class UpdateRule:
    """The rule of which values a value may become; `sets` is None if values never change."""

    def __init__(self, sets: UpdateSets | None) -> None:
        self.sets = sets
        self._after, self._before = ([], []) if sets is None else (_bits(sets.may), _bits(sets.may.T))

    def becomes(self, value: int) -> frozenset[int]:
        """Return the candidate update set of a value."""
        return frozenset([value] if self.sets is None else np.flatnonzero(self.sets.may[value]).tolist())

    def of(self, values: tuple[int, ...]) -> UpdateMasks:
        """Return a set of values."""
        own = after = before = reached = 0
        for value in values:
            may = 1 << value if self.sets is None else self._after[value]
            own, after, reached = own | 1 << value, after | may, reached + may.bit_count()
            before |= 1 << value if self.sets is None else self._before[value]
        return UpdateMasks(own, after, before, reached > after.bit_count())


def _bits(pairs: Pairs) -> list[int]:
    """Return the places of each row that are set, as the bits of a whole number."""
    return [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in pairs]
