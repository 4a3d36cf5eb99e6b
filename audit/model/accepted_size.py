"""Accepted sizes: how much of a finding, or how small classes, a waiver or a baseline accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class RiskSize(float):
    """An accepted risk; 1 if the value is certain, or if the finding's id already says all that it discloses."""

    def written(self) -> float:
        """Return the risk as written in a manifest."""
        return float(self)

    def covers(self, other: Size) -> bool:
        """Return whether another size of the same finding is a risk that is no higher, up to rounding errors.

        >>> RiskSize(0.5).covers(RiskSize(0.5)), RiskSize(0.5).covers(RiskSize(0.6))
        (True, False)
        """
        return isinstance(other, RiskSize) and other <= self + 1e-12


@dataclass(frozen=True)
class CloseSize:
    """An interval, with both ends, that is known to contain a number."""

    lower: Fraction
    upper: Fraction

    def written(self) -> dict[str, str]:
        """Return the interval as written in a manifest."""
        return {"lower": str(self.lower), "upper": str(self.upper)}

    def covers(self, other: Size) -> bool:
        """Return whether another size shows no more: an interval that contains this one, or a likely number.

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
        smallest: the size of the smallest of them.
        rows: the number of rows in all of them.
    """

    smallest: int
    rows: int

    def written(self) -> dict[str, int]:
        """Return the sizes as written in a manifest."""
        return vars(self)

    def covers(self, other: Size) -> bool:
        """Return whether another size has no smaller class, and no more rows in small classes.

        >>> SmallClasses(2, 9).covers(SmallClasses(2, 8)), SmallClasses(2, 9).covers(SmallClasses(3, 10))
        (True, False)
        """
        return isinstance(other, SmallClasses) and self.smallest <= other.smallest and other.rows <= self.rows


Size: TypeAlias = RiskSize | CloseSize | SmallClasses
