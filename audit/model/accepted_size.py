"""Accepted sizes: how much of a finding, or how small classes, a waiver or a baseline accepts."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias


def seal(key: bytes, ident: str, number: int | Fraction) -> str:
    """Return a text by which only those who have the key can recognize a number, for the finding with this id."""
    return hmac.digest(key, f"{ident} {number}".encode(), "sha256").hex()[:16]


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
    """An interval, with both ends, that is known to contain a number.

    Attributes:
        lower, upper: its ends.
        published: the published numbers of the attribute, if it is compared with a sealed interval.
    """

    lower: Fraction
    upper: Fraction
    published: tuple[Fraction, ...] = field(default=(), compare=False)

    def sealed(self, ident: str, key: bytes) -> SealedInterval:
        """Return what a waiver of the finding with this id states, sealed with a key of the publisher."""
        return SealedInterval(
            ident, seal(key, f"{ident} lower", self.lower), seal(key, f"{ident} upper", self.upper), key
        )

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
class SealedInterval:
    """An interval that is known to contain a number, without its ends: the manifest is published.

    Attributes:
        ident: the id of the finding.
        lower, upper: the seals of its ends.
        key: the key of the seals, which the publisher has; None if it is not known.
    """

    ident: str
    lower: str
    upper: str
    key: bytes | None = None

    def written(self) -> dict[str, str]:
        """Return it as written in a manifest."""
        return {"lower_seal": self.lower, "upper_seal": self.upper}

    def covers(self, other: Size) -> bool:
        """Return whether another size shows no more: an interval that contains this one, or a likely number.

        The ends of this one are looked for among the published numbers in the other.

        >>> two, three, four, five = map(Fraction, (2, 3, 4, 5))
        >>> [
        ...     CloseSize(three, five).sealed("id", b"key").covers(CloseSize(low, five, (two, three, four)))
        ...     for low in (two, three, four)
        ... ]
        [True, True, False]
        """
        if self.key is None or not isinstance(other, CloseSize):
            return isinstance(other, RiskSize)
        inside = [each for each in (*other.published, other.lower, other.upper) if other.lower <= each <= other.upper]
        ends = ("lower", self.lower), ("upper", self.upper)
        return all(any(self._is(end, number, said) for number in inside) for end, said in ends)

    def _is(self, end: str, number: Fraction, said: str) -> bool:
        return self.key is not None and hmac.compare_digest(seal(self.key, f"{self.ident} {end}", number), said)


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


Size: TypeAlias = RiskSize | CloseSize | SealedInterval | SmallClasses
