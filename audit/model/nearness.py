"""Nearness: which sensitive numbers are close to each other, and how much weight is close to each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Flags, Integers, Places
from audit.runtime.phrases import Reason


class Windows(NamedTuple):
    """The close numbers of each entry among those of its owner; an entry without a number is only close to itself.

    Attributes:
        within: the total weight of the close entries; shape (entries,).
        low, high: the ranks of the least and the largest close number, -1 for an entry without a number; shape
            (entries,), intp.
    """

    within: npt.NDArray[Any]
    low: Places
    high: Places


class Nearness(NamedTuple):
    """The numbers that are close to each other.

    Attributes:
        rank: the rank of each value's number among the distinct numbers, -1 for other values; shape (values,), intp.
        low, high: the ranks of the least and the largest number close to each number; shape (numbers,), intp.
        code: the least code of a value with each number; shape (numbers,), int32.
        number: the distinct numbers, ascending.
        upper: how far the band of each number reaches; the number itself, where it is none.
    """

    rank: Places
    low: Places
    high: Places
    code: Codes
    number: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]

    def together(self, low: Places, high: Places) -> Flags:
        """Return whether all numbers between two ranks are close to each other, false for rank -1; shape as `low`."""
        known = (low >= 0) & (high >= 0)
        return known & (self.high[np.where(known, low, 0)] >= high) if len(self.high) else known

    def windows(self, owner: Integers, value: Codes, weight: npt.NDArray[Any]) -> Windows:
        """Return the close values of each entry among those of its owner.

        Args:
            owner: the owner of each entry; shape (entries,).
            value: its value, by code; shape (entries,), int32.
            weight: its weight; shape (entries,).
        """
        rank = self.rank[value]
        within = weight.copy()
        low, high = rank.copy(), rank.copy()
        order = np.lexsort((rank, owner))
        order = order[rank[order] >= 0]
        if len(order):
            base, at = owner[order].astype(np.int64) * len(self.number), rank[order]
            key = base + at
            left = np.searchsorted(key, base + self.low[at], "left")
            right = np.searchsorted(key, base + self.high[at], "right")
            ends = np.stack([left, right], axis=1).ravel()
            within[order] = np.add.reduceat(np.append(weight[order], weight.dtype.type(0)), ends)[::2]
            low[order], high[order] = at[left], at[right - 1]
        return Windows(within, low, high)


@dataclass(frozen=True)
class PublishedNumbers:
    """The numbers that the values of a sensitive attribute mean.

    Attributes:
        number: the number of each value, by code; None for values that are not numbers.
        width: how far close numbers may differ, in their own unit; None if they may differ by a share of the larger.
        bands: the largest number of each band of numbers, by its least.
        doubt: why it is not known whether close numbers disclose anything, and what to declare; None if they do.
    """

    number: tuple[Fraction | None, ...]
    width: Fraction | None = None
    doubt: Reason | None = None
    bands: Mapping[Fraction, Fraction] = field(default_factory=dict)

    def near(self, share: float) -> Nearness:
        """Return which numbers are close: those that differ at most by the width or, without one, by a share.

        `share` is that of the number that is larger in absolute terms. If it is less than 1, the numbers close to a
        number are consecutive.
        """
        known = sorted({each for each in self.number if each is not None})
        upper = tuple(self.bands.get(each, each) for each in known)
        place = {number: rank for rank, number in enumerate(known)}
        rank = np.array([-1 if each is None else place[each] for each in self.number], dtype=np.intp)
        exact, high, top = Fraction(str(share)), np.zeros(len(known), dtype=np.intp), 0
        for at, number in enumerate(known):
            while top + 1 < len(known) and self._close(number, upper[top + 1], exact):
                top += 1
            top = max(top, at)
            high[at] = top
        low = np.searchsorted(high, np.arange(len(known)))
        code = np.full(len(known), len(rank), dtype=np.int32)
        np.minimum.at(code, rank[rank >= 0], np.flatnonzero(rank >= 0).astype(np.int32))
        return Nearness(rank, low, high, code, tuple(known), upper)

    def _close(self, low: Fraction, high: Fraction, share: Fraction) -> bool:
        return high - low <= (share * max(abs(low), abs(high)) if self.width is None else self.width)


def spread(ends: tuple[Fraction, Fraction]) -> float:
    """Return the difference of two numbers as a share of the one that is larger in absolute terms.

    >>> spread((Fraction(95), Fraction(100)))
    0.05
    """
    largest = max(map(abs, ends))
    return float((ends[1] - ends[0]) / largest) if largest else 0.0
