"""Certificates of counts: weighted sums of published numbers, and cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, ExactFraction, Omittable, WrittenAs


@dataclass(frozen=True)
class PublishedTerm:
    """A published number times a weight.

    Attributes:
        release: the tag of its release.
        cell: its labels by dimension.
        weight: an exact fraction.
        shown: the published text; absent for a missing row that counts as 0.
        end: the bound of its interval that the sum uses.
        exact: whether this is its only possible count.
        file: its file; absent for a missing row.
        line: the line in it.
    """

    release: str
    cell: Mapping[str, str]
    weight: ExactFraction
    shown: Annotated[str | None, OMITTED, WrittenAs("published")]
    end: Annotated[int, WrittenAs("count")]
    exact: Annotated[bool, UNWRITTEN]
    file: Omittable[str]
    line: Omittable[int]


@dataclass(frozen=True)
class CaseTerm:
    """The assumption of a case, times a weight.

    Attributes:
        case: the number of the enclosing case, the outermost is 0.
        weight: an exact fraction.
        end: the bound that the case assumes.
    """

    case: int
    weight: ExactFraction
    end: Annotated[int, WrittenAs("count")]


@dataclass(frozen=True)
class CountSum:
    """A weighted sum of numbers whose value, rounded to an integer, is a bound or a contradiction.

    Attributes:
        terms: the numbers.
        value: an exact fraction.
        impossible: true if no counts are consistent.
    """

    terms: Annotated[tuple[PublishedTerm | CaseTerm, ...], WrittenAs("sum")]
    value: ExactFraction
    impossible: Annotated[bool, OMITTED] = False


@dataclass(frozen=True)
class CountCase:
    """One of two cases: a cell's count is at most a number, or larger.

    Attributes:
        release: the release of the cell.
        since: the earlier release, if the case is about an increase.
        cell: its labels by dimension.
        at_most: the bound in the first case.
        at_least: the bound in the second case.
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
        bound: the kind of bound.
        step: the sum or the cases that prove it.
        steps: the number of sums in the proof.
        rounded: the bound.
        cell: the cell, if the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    step: Annotated[CountSum | CountCases, INLINED]
    steps: int
    rounded: int
    cell: Omittable[Mapping[str, str]] = None
