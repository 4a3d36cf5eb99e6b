"""Queries: random COUNT queries, their true answers in the microdata, and the error of estimates.

A query asks how many rows have each quasi-identifier and the sensitive value within a range. All ranges of an axis
have the same length, so that few are distinct. Each query is divided into two halves, each with some of the axes; the
data of a half are computed once for all queries that share it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from audit.metrics.axes import DomainAxis, Places
from audit.model.arrays import Counts, Floats, Words

Style = Literal["m-invariance", "m-distinct"]
TILE = 1 << 22  # numbers in a table: 32 MB
BLOCK = 1 << 17  # numbers in what is worked on at once: 1 MB, which stays in a processor's cache


@dataclass(frozen=True)
class Half:
    """One half of all queries: the ranges on some of the axes.

    Attributes:
        axes: the axes.
        ranges: the low and high ends of the distinct ranges, for each axis.
        combination: the range on each axis of each distinct combination; shape (combinations, axes).
        of: the combination of each query; shape (queries,).
    """

    axes: tuple[int, ...]
    ranges: tuple[tuple[Floats, Floats], ...]
    combination: Places
    of: Places

    def table(self, column: Callable[[int, Floats, Floats], Any], join: np.ufunc, neutral: Any) -> Any:  # noqa: ANN401
        """Return a row for each combination: the rows `column(axis, low, high)` of its ranges, combined by `join`.

        `neutral` is the neutral element of the join, of the columns' type; shape (width,).
        """
        made = np.repeat(neutral[None, :], len(self.combination), axis=0)
        for place, axis in enumerate(self.axes):
            join(made, column(axis, *self.ranges[place])[self.combination[:, place]], out=made)
        return made


@dataclass(frozen=True)
class Workload:
    """Random queries; the last axis is that of the sensitive attribute.

    Attributes:
        low, high: the ends of the ranges on the axes, both included; shape (queries, axes).
    """

    low: Floats
    high: Floats

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.low)

    @cached_property
    def halves(self) -> tuple[Half, Half]:
        """The two halves of the queries, with the axes distributed so that both have few combinations."""
        distinct = []
        for axis in range(self.low.shape[1]):
            ends = np.stack([self.low[:, axis], self.high[:, axis]], axis=1)
            ranges, number = np.unique(ends, axis=0, return_inverse=True)
            distinct.append((ranges, number.reshape(-1)))
        sides: list[list[int]] = [[], []]
        sizes = [1, 1]
        for axis in sorted(range(len(distinct)), key=lambda axis: -len(distinct[axis][0])):
            side = int(sizes[1] < sizes[0])
            sides[side].append(axis)
            sizes[side] *= max(1, len(distinct[axis][0]))
        left, right = (self._half(sorted(axes), distinct) for axes in sides)
        return left, right

    def _half(self, axes: Sequence[int], distinct: Sequence[tuple[Floats, Places]]) -> Half:
        choice = np.stack([distinct[axis][1] for axis in axes] or [np.zeros(len(self), dtype=np.intp)], axis=1)
        combination, of = np.unique(choice, axis=0, return_inverse=True)
        ranges = tuple((distinct[axis][0][:, 0], distinct[axis][0][:, 1]) for axis in axes)
        return Half(tuple(axes), ranges, combination[:, : len(axes)], of.reshape(-1))


def draw(axes: Sequence[DomainAxis], queries: int, theta: float, style: Style, rng: np.random.Generator) -> Workload:
    """Draw random queries, whose ranges are uniformly distributed over the domain.

    With d axes, a range has length |A| · θ^(1/d), so that about a share θ of uniformly distributed rows answers a query
    (m-invariance paper, Section 5.2, d = 5; equivalence paper, Section VII). In the style of the m-Distinct paper
    (Section VI-C1) it has length |A| · θ. On a counted axis it is rounded to at least one whole value.

    Raises:
        ValueError: θ is not above 0 and at most 1, or there are no queries.
    """
    if not 0 < theta <= 1 or queries < 1:
        raise ValueError("theta must be above 0 and at most 1, and there must be a query")
    part = theta if style == "m-distinct" else theta ** (1 / len(axes))
    low, high = np.zeros((queries, len(axes))), np.zeros((queries, len(axes)))
    for place, axis in enumerate(axes):
        length = axis.size * part
        if axis.counted:
            length = min(axis.size, max(1, math.floor(length + 0.5)))
            low[:, place] = rng.integers(0, int(axis.size - length), size=queries, endpoint=True)
        else:
            low[:, place] = rng.uniform(0, axis.size - length, size=queries)
        high[:, place] = low[:, place] + length
    return Workload(low, high)


def actual(places: Floats, workload: Workload) -> Counts:
    """Return how many rows answer each query; shape (queries,).

    `places` holds the place of each row's values on the axes; shape (rows, axes).
    """
    found = np.zeros(len(workload), dtype=np.int64)
    for rows in tiles(places, workload):
        for block, words in matches(rows, workload):
            found[block] += np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    return found


def errors(actual_counts: Counts, estimates: Floats, style: Style) -> Floats:
    """Return the relative errors of the queries that have one; shape (at most queries,).

    |act - est| / act (m-invariance paper, Section 5.2); in the style of the m-Distinct paper (Section VI-C1)
    |est - act| / est. Queries whose divisor is 0 have none.
    """
    divisor = estimates if style == "m-distinct" else actual_counts
    given = divisor > 0
    return np.abs(actual_counts - estimates)[given] / divisor[given]


def tiles(places: Floats, workload: Workload) -> Iterator[Floats]:
    """Yield the rows in blocks of a multiple of 64, so that a half's bitmaps stay small."""
    halves = workload.halves
    width = 64 * max(1, TILE // sum(len(half.combination) for half in halves))
    for begin in range(0, len(places), width):
        yield places[begin : begin + width]


def matches(places: Floats, workload: Workload) -> Iterator[tuple[slice, Words]]:
    """Yield blocks of queries, each with the bitmaps of the rows in their ranges; shape (queries, words)."""
    words = -(-len(places) // 64)

    def column(axis: int, low: Floats, high: Floats) -> Words:
        made = np.zeros((len(low), 8 * words), dtype=np.uint8)
        at = places[:, axis].copy()
        for row, begin, end in zip(made, low, high, strict=True):
            packed = np.packbits((at >= begin) & (at <= end))
            row[: len(packed)] = packed
        return made.view(np.uint64)

    left, right = workload.halves
    every = np.full(words, np.iinfo(np.uint64).max, dtype=np.uint64)
    if not (left.axes or right.axes):
        raise ValueError("a query needs at least one range")
    tables = [half.table(column, np.bitwise_and, every) for half in (left, right)]
    for block in blocks(len(workload), words):
        yield block, tables[0][left.of[block]] & tables[1][right.of[block]]


def blocks(queries: int, width: int) -> Iterator[slice]:
    """Yield slices of queries that fit into a block with rows of the given width."""
    step = max(1, BLOCK // max(1, width))
    for begin in range(0, queries, step):
        yield slice(begin, begin + step)
