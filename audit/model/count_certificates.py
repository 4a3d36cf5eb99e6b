"""Certificates of bounds of counts, as data: weighted sums of published numbers, and distinctions of cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, ExactFraction, Omittable, WrittenAs


@dataclass(frozen=True)
class CellRate:
    """A published rate of a hidden count, with what it says of the count by itself.

    Attributes:
        column: the column, or the statistic, of the rate.
        rate: the published text.
        per: the base, such as 100.
        denominator: the least and the greatest denominator that the published one stands for.
        least, most: the least and the greatest count whose rate rounds to this text.
    """

    column: str
    rate: str
    per: int
    denominator: tuple[int, int]
    least: int
    most: int


@dataclass(frozen=True)
class CellChange:
    """A published change between the counts of a cell in two releases, which narrows a hidden one of them.

    Attributes:
        column: the column of the change.
        change: the published text.
        release: the tag of the other release; None if the series lacks it.
        shown: what that publishes of the cell.
    """

    column: str
    change: str
    release: str | None
    shown: str


@dataclass(frozen=True)
class PublishedTerm:
    """A published number times a weight.

    Attributes:
        release: the tag of its release.
        cell: its labels by dimension.
        weight: the weight, as an exact fraction.
        shown: the published text; absent for a missing row that counts as 0.
        end: the lower or upper bound of the number that the sum uses.
        exact: whether this is the only count that the number can stand for.
        file: its file; absent for a missing row.
        line: its line in the file; absent for a missing row.
        rates: the rates and changes that narrow what it shows.
    """

    release: str
    cell: Mapping[str, str]
    weight: ExactFraction
    shown: Annotated[str | None, OMITTED, WrittenAs("published")]
    end: Annotated[int, WrittenAs("count")]
    exact: Annotated[bool, UNWRITTEN]
    file: Omittable[str]
    line: Omittable[int]
    rates: Annotated[tuple[CellRate | CellChange, ...], UNWRITTEN] = ()


@dataclass(frozen=True)
class CaseTerm:
    """The assumption of a case, times a weight.

    Attributes:
        case: the depth of the case, from 0 for the outermost.
        weight: the weight, as an exact fraction.
        end: the bound that the case assumes.
    """

    case: int
    weight: ExactFraction
    end: Annotated[int, WrittenAs("count")]


@dataclass(frozen=True)
class CountSum:
    """A weighted sum of numbers whose value, rounded to an integer, is a bound or a contradiction.

    Attributes:
        terms: the numbers and assumptions.
        value: the sum, as an exact fraction.
        impossible: whether the sum is a contradiction: no counts fit its numbers and assumptions.
    """

    terms: Annotated[tuple[PublishedTerm | CaseTerm, ...], WrittenAs("sum")]
    value: ExactFraction
    impossible: Annotated[bool, OMITTED] = False


@dataclass(frozen=True)
class CountCase:
    """One of two cases: a cell's count is at most a number, or at least the next.

    Attributes:
        release: the release of the cell.
        since: the earlier release, if the case is about an increase.
        cell: the labels of the cell, by dimension.
        at_most: the upper bound that the first case assumes; absent in the second.
        at_least: the lower bound that the second case assumes; absent in the first.
        step: the proof in this case.
    """

    release: str
    since: Omittable[str]
    cell: Mapping[str, str]
    at_most: Omittable[int]
    at_least: Omittable[int]
    step: Annotated[CountSum | CountCases, INLINED]


@dataclass(frozen=True)
class CountCases:
    """Two cases, one of which is true.

    Attributes:
        cases: both cases.
    """

    cases: tuple[CountCase, ...]


CountStep: TypeAlias = CountSum | CountCases


@dataclass(frozen=True)
class CertifiedBound:
    """A lower or upper bound of a count, with its proof.

    Attributes:
        bound: whether it is a lower or an upper bound.
        step: the sum or the cases that prove it.
        steps: the number of sums in the proof.
        rounded: the bound, a whole number.
        cell: the cell that is bounded, if the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    step: Annotated[CountSum | CountCases, INLINED]
    steps: int
    rounded: int
    cell: Omittable[Mapping[str, str]] = None
