"""Accepted sizes: how much of a finding about people, or of small classes, a waiver or a baseline accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class RiskSize(float):
    """The accepted risk; 1 if the value is certain, or if the finding's id already says everything."""

    def written(self) -> float:
        """Return the risk as written in a manifest."""
        return float(self)

    def covers(self, other: Size) -> bool:
        """Return whether another risk of the same finding is no higher, except for rounding errors.

        >>> RiskSize(0.5).covers(RiskSize(0.5)), RiskSize(0.5).covers(RiskSize(0.6))
        (True, False)
        """
        return isinstance(other, RiskSize) and other <= self + 1e-12


@dataclass(frozen=True)
class CloseSize:
    """The interval that is known to contain a number; both ends belong to it."""

    lower: Fraction
    upper: Fraction

    def written(self) -> dict[str, str]:
        """Return the interval as written in a manifest."""
        return {"lower": str(self.lower), "upper": str(self.upper)}

    def covers(self, other: Size) -> bool:
        """Return whether no more is known: this interval lies in the other, or the other number is only likely.

        >>> CloseSize(Fraction(4), Fraction(5)).covers(CloseSize(Fraction(3), Fraction(5)))
        True
        >>> CloseSize(Fraction(4), Fraction(5)).covers(CloseSize(Fraction(4), Fraction(9, 2)))
        False
        """
        within = isinstance(other, CloseSize) and other.lower <= self.lower and self.upper <= other.upper
        return isinstance(other, RiskSize) or within


@dataclass(frozen=True)
class SmallClasses:
    """The classes of a release that are smaller than the policy's k.

    Attributes:
        smallest: the size of the smallest.
        rows: the number of rows in all of them.
    """

    smallest: int
    rows: int

    def written(self) -> dict[str, int]:
        """Return the sizes as written in a manifest."""
        return vars(self)

    def covers(self, other: Size) -> bool:
        """Return whether no class is smaller, and no more rows are in small classes.

        >>> SmallClasses(2, 9).covers(SmallClasses(2, 8)), SmallClasses(2, 9).covers(SmallClasses(3, 10))
        (True, False)
        """
        return isinstance(other, SmallClasses) and self.smallest <= other.smallest and other.rows <= self.rows


Size: TypeAlias = RiskSize | CloseSize | SmallClasses
