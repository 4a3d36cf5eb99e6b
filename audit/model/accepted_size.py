"""Sizes: how much of what is found of people, or of the classes of a release, a waiver or a baseline accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class RiskSize(float):
    """The risk that is accepted; 1 where the value is certain, or the finding's id says all."""

    def written(self) -> float:
        """Return it as a manifest has it."""
        return float(self)

    def covers(self, other: Size) -> bool:
        """Return whether another risk of the same finding is no higher, except for rounding errors.

        >>> RiskSize(0.5).covers(RiskSize(0.5)), RiskSize(0.5).covers(RiskSize(0.6))
        (True, False)
        """
        return isinstance(other, RiskSize) and other <= self + 1e-12


@dataclass(frozen=True)
class CloseSize:
    """The interval in which a number may be known to be; both ends belong to it."""

    lower: Fraction
    upper: Fraction

    def written(self) -> dict[str, str]:
        """Return it as a manifest has it."""
        return {"lower": str(self.lower), "upper": str(self.upper)}

    def covers(self, other: Size) -> bool:
        """Return whether no more is known: the interval contains this one, or the number is only likely to be near.

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
        rows: how many rows are in all of them.
    """

    smallest: int
    rows: int

    def written(self) -> dict[str, int]:
        """Return it as a manifest has it."""
        return vars(self)

    def covers(self, other: Size) -> bool:
        """Return whether no class is smaller, and no more rows are in small ones.

        >>> SmallClasses(2, 9).covers(SmallClasses(2, 8)), SmallClasses(2, 9).covers(SmallClasses(3, 10))
        (True, False)
        """
        return isinstance(other, SmallClasses) and self.smallest <= other.smallest and other.rows <= self.rows


Size: TypeAlias = RiskSize | CloseSize | SmallClasses
