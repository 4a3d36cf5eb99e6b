"""What shows the bounds of a count: published numbers with weights, and cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from audit.model.json_types import INLINED, OMITTED, UNWRITTEN, ExactFraction, Omittable, WrittenAs


@dataclass(frozen=True)
class PublishedTerm:
    """A published number times a weight.

    Attributes:
        release: its tag.
        cell: its label by dimension.
        weight: an exact fraction.
        shown: what was published; absent where a row that was left out counts as 0.
        end: the end of its interval that the sum uses.
        exact: whether this is its only possible count.
        file: its file; absent if a row was left out.
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
    """What a case assumes, times a weight.

    Attributes:
        case: which of the cases around it, the outermost 0.
        weight: an exact fraction.
        end: the end that the case assumes.
    """

    case: int
    weight: ExactFraction
    end: Annotated[int, WrittenAs("count")]


@dataclass(frozen=True)
class CountSum:
    """Numbers whose intervals add up to a value, which rounding to an integer makes a bound; or that is impossible.

    Attributes:
        terms: the numbers.
        value: an exact fraction.
        impossible: true where no counts fit.
    """

    terms: Annotated[tuple[PublishedTerm | CaseTerm, ...], WrittenAs("sum")]
    value: ExactFraction
    impossible: Annotated[bool, OMITTED] = False


@dataclass(frozen=True)
class CountCase:
    """One of two cases: a cell's count is at most so much, or more.

    Attributes:
        release: where the cell stands.
        since: the release before, where the case is about an increase.
        cell: its label by dimension.
        at_most: in the first case.
        at_least: in the second case.
        step: what follows.
    """

    release: str
    since: Omittable[str]
    cell: Mapping[str, str]
    at_most: Omittable[int]
    at_least: Omittable[int]
    step: Annotated[CountSum | CountCases, INLINED]


@dataclass(frozen=True)
class CountCases:
    """Two cases, one of which holds.

    Attributes:
        cases: both.
    """

    cases: tuple[CountCase, ...]


CountStep: TypeAlias = CountSum | CountCases


@dataclass(frozen=True)
class CertifiedBound:
    """What shows that a count is at least, or at most, a number.

    Attributes:
        bound: which.
        step: the sum, or the cases.
        steps: how many sums it takes.
        rounded: the number.
        cell: of which cell, where the finding is not about a single count.
    """

    bound: Literal["lower", "upper"]
    step: Annotated[CountSum | CountCases, INLINED]
    steps: int
    rounded: int
    cell: Omittable[Mapping[str, str]] = None
