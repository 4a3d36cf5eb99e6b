"""Queries: random COUNT queries, their true answers in the microdata, their estimates from a release, and the errors.

The domain of an attribute is an axis, of which generalized cells cover parts. On a *counted* axis (categories, whole
numbers) value i takes the stretch from i to i + 1, so that lengths count values. On a *measured* axis (other numbers)
lengths are differences of numbers, and a single value has length 0.

A query asks how many rows have each quasi-identifier and the sensitive value within a range. All ranges of an axis
have the same length, so that few are distinct; what lies in a range is computed once for all queries that share it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Anything, Cell, CellError, Interval, Kind, NumberSet, intersect
from audit.model.arrays import Counts, Flags, Floats, Integers, Words, ragged, segments, starts
from audit.model.errors import AuditError

_MASK_CELLS = 1 << 24


class OutsideError(AuditError):
    """A cell covers nothing of its attribute's domain, or its notation does not fit the domain."""


@dataclass(frozen=True)
class DomainAxis:
    """The domain of one attribute.

    Attributes:
        name: the attribute's name.
        low, high: least and greatest number; None for an axis of texts.
        counted: whether the axis is counted; otherwise it is measured.
        texts: the values of a counted axis of texts, in their order.
    """

    name: str
    low: Fraction | None = None
    high: Fraction | None = None
    counted: bool = True
    texts: tuple[str, ...] = ()

    @cached_property
    def size(self) -> float:
        """Number of values of a counted axis, length of a measured one."""
        if self.low is None or self.high is None:
            return len(self.texts)
        return float(self.high - self.low) + self.counted

    def numbers(self, values: Iterable[Fraction]) -> Floats:
        """Return the places of numbers, the middle of their stretches; shape (values,)."""
        if self.low is None:
            raise TypeError("an axis of texts has no numbers")
        return np.array([float(value - self.low) for value in values], dtype=np.float64) + 0.5 * self.counted

    def names(self, values: Iterable[str]) -> Floats:
        """Return the places of texts, the middle of their stretches; shape (values,).

        Raises:
            KeyError: a text is not in the domain.
        """
        place = {text: number for number, text in enumerate(self.texts)}
        return np.array([place[value] for value in values], dtype=np.float64) + 0.5

    def cover(self, attribute: QuasiIdentifier, cells: Integers) -> Extents:
        """Return the stretches that cells of a published attribute cover.

        Raises:
            OutsideError: a cell covers nothing of the domain, or holds texts while the domain holds measured numbers.
        """
        known = [attribute.cells[cell] for cell in cells]
        if all(isinstance(cell, Anything) for cell in known):
            return self.whole(len(known))
        if self.low is not None and attribute.kind is Kind.NUMERIC:
            return self._join([self._stretches(cell) for cell in known])
        if not self.counted:
            raise OutsideError("its cells are texts, but the microdata's values are numbers")
        return self._join(self._masks(attribute, cells))

    def whole(self, cells: int = 1) -> Extents:
        """Return the extents of `*` cells."""
        stop = np.full(cells, self.size)
        return Extents(np.zeros(cells), stop, np.arange(cells + 1), self.size, self.counted)

    def _stretches(self, cell: Cell) -> list[tuple[float, float]]:
        """Return the stretches that a cell of numbers covers."""
        if isinstance(cell, Anything):
            return [(0.0, self.size)]
        shared = intersect(cell, Interval(self.low, self.high))
        if isinstance(shared, NumberSet):
            parts = [self._stretch(Interval(number, number)) for number in sorted(shared.members)]
        else:
            parts = [self._stretch(shared)] if isinstance(shared, Interval) else []
        return [part for part in parts if part is not None]

    def _stretch(self, cell: Interval) -> tuple[float, float] | None:
        if self.low is None or cell.low is None or cell.high is None:
            raise TypeError("an interval cut to the domain has two ends")
        if not self.counted:
            return float(cell.low - self.low), float(cell.high - self.low)
        first = math.floor(cell.low) + 1 if cell.low_open else math.ceil(cell.low)
        last = math.ceil(cell.high) - 1 if cell.high_open else math.floor(cell.high)
        return (float(first - self.low), float(last + 1 - self.low)) if first <= last else None

    def _masks(self, attribute: QuasiIdentifier, cells: Integers) -> list[list[tuple[float, float]]]:
        """Return the stretches of cells on a counted axis, found by testing each value against each cell."""
        values = list(self.texts)
        if self.low is not None:
            values = [str(self.low + step) for step in range(int(self.size))]
        found: list[list[tuple[float, float]]] = []
        block = max(1, _MASK_CELLS // max(1, len(values)))
        for begin in range(0, len(cells), block):
            try:
                covered = attribute.covers(cells[begin : begin + block], values)
            except CellError as error:
                raise OutsideError("its cells are numbers, but the microdata's domain has texts") from error
            edges = np.diff(np.pad(covered.astype(np.int8), ((0, 0), (1, 1))), axis=1)
            found += [_runs(row) for row in edges]
        return found

    def _join(self, stretches: Sequence[Sequence[tuple[float, float]]]) -> Extents:
        first = np.cumsum([0, *map(len, stretches)])
        if (np.diff(first) == 0).any():
            raise OutsideError("a cell covers no value of the microdata's domain")
        start, stop = np.array([part for each in stretches for part in each], dtype=np.float64).reshape(-1, 2).T
        return Extents(start, stop, first, self.size, self.counted)


def _runs(edges: npt.NDArray[np.int8]) -> list[tuple[float, float]]:
    begins, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
    return [(float(begin), float(end)) for begin, end in zip(begins, ends, strict=True)]


@dataclass(frozen=True)
class Extents:
    """The stretches of an axis that cells cover; every cell has at least one.

    Attributes:
        start, stop: the ends of each stretch, ascending and disjoint within a cell; shape (stretches,), float64.
        first: cell i has the stretches from `first[i]` to `first[i + 1]`; shape (cells + 1,), integer.
        size: the size of the axis.
        counted: whether the axis is counted.
    """

    start: Floats
    stop: Floats
    first: Integers
    size: float
    counted: bool

    @cached_property
    def length(self) -> Floats:
        """The total length that each cell covers, which on a counted axis is a number of values; shape (cells,)."""
        return np.add.reduceat(self.stop - self.start, self.first[:-1]) if len(self.start) else np.zeros(0)

    @cached_property
    def single(self) -> Flags:
        """Whether each cell is one value; shape (cells,)."""
        return (np.diff(self.first) == 1) & (self.length == float(self.counted))

    @property
    def middle(self) -> Floats:
        """The middle of each cell's first stretch, the place of a single value; shape (cells,)."""
        begin = self.first[:-1]
        return (self.start[begin] + self.stop[begin]) / 2

    @property
    def share(self) -> Floats:
        """The share of the domain that each cell covers, 0 for a single value; shape (cells,), in [0, 1]."""
        if self.size == 0:
            return np.zeros(len(self.length))
        return np.where(self.single, 0.0, self.length / self.size)

    @property
    def spread(self) -> Floats:
        """The distance from each cell's least to its greatest value, as a share of the domain's; shape (cells,)."""
        reach = self.stop[self.first[1:] - 1] - self.start[self.first[:-1]] - self.counted
        widest = self.size - self.counted
        return reach / widest if widest > 0 else np.zeros(len(reach))

    def fractions(self, low: Floats, high: Floats) -> Floats:
        """Return the share of each cell in each range, both ends included; shape (ranges, cells).

        For a set of single numbers, which has length 0, it is the share of the numbers that lie in the range.
        """
        bare = np.repeat(self.length == 0, np.diff(self.first))
        begin, end = low[:, None], high[:, None]
        inside = np.minimum(self.stop, end) - np.maximum(self.start, begin)
        inside = np.where(bare, inside >= 0, np.maximum(inside, 0.0))
        if len(self.start) > len(self.length):
            inside = np.add.reduceat(inside, self.first[:-1], axis=1)
        return inside / np.where(self.length == 0, np.diff(self.first), self.length)


Style = Literal["m-invariance", "m-distinct"]
TILE = 1 << 22  # the most numbers in a table: 32 MB
BLOCK = 1 << 17  # the most numbers in a block of work: 1 MB, which fits into a processor's cache


class AxisRanges(NamedTuple):
    """The distinct ranges of all queries on an axis: their low and high ends, and the range of each query."""

    low: Floats
    high: Floats
    of: Integers


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
    def ranges(self) -> list[AxisRanges]:
        """The ranges on each axis."""
        found = []
        for ends in np.stack([self.low, self.high]).transpose(2, 0, 1):
            (low, high), of = np.unique(ends, axis=1, return_inverse=True)
            found.append(AxisRanges(low, high, of.reshape(-1)))
        return found


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
    """Return the relative errors of the queries whose divisor is not 0; shape (at most queries,).

    |act - est| / act (m-invariance paper, Section 5.2); in the style of the m-Distinct paper (Section VI-C1)
    |est - act| / est.
    """
    divisor = estimates if style == "m-distinct" else actual_counts
    given = divisor > 0
    return np.abs(actual_counts - estimates)[given] / divisor[given]


def tiles(places: Floats, workload: Workload) -> Iterator[Floats]:
    """Yield the rows in blocks of a multiple of 64, so that the bitmaps of all ranges stay small."""
    width = 64 * max(1, TILE // sum(len(ranges.low) for ranges in workload.ranges))
    for begin in range(0, len(places), width):
        yield places[begin : begin + width]


def matches(places: Floats, workload: Workload) -> Iterator[tuple[slice, Words]]:
    """Yield blocks of queries, each with the bitmaps of the rows in their ranges; shape (queries, words)."""
    words = -(-len(places) // 64)
    tables = []
    for at, ranges in zip(places.T.copy(), workload.ranges, strict=True):
        inside = np.zeros((len(ranges.low), 8 * words), dtype=np.uint8)
        for row, begin, end in zip(inside, ranges.low, ranges.high, strict=True):
            packed = np.packbits((at >= begin) & (at <= end))
            row[: len(packed)] = packed
        tables.append(inside.view(np.uint64))
    return joined(tables, workload, np.bitwise_and)


def joined(tables: Sequence[npt.NDArray[Any]], workload: Workload, join: np.ufunc) -> Iterator[tuple[slice, Any]]:
    """Yield blocks of queries, each with the rows of its ranges joined; a table has a row for each range of an axis."""
    step = max(1, BLOCK // max(1, tables[0].shape[1]))
    for begin in range(0, len(workload), step):
        block = slice(begin, begin + step)
        rows = (table[ranges.of[block]] for table, ranges in zip(tables, workload.ranges, strict=True))
        yield block, reduce(join, rows)


def group_sizes(group: Integers, count: Counts, groups: int) -> Counts:
    """Return how many people each group stands for; shape (groups,).

    Args:
        group: the group of each row, in [0, groups); shape (rows,).
        count: the number of people of each row; shape (rows,).
        groups: the number of groups.
    """
    return np.bincount(group, weights=count, minlength=groups).astype(np.int64)


@dataclass(frozen=True)
class ReleaseContents:
    """A release with its cells as parts of axes.

    Attributes:
        extents: the extents of its cells, for each quasi-identifier.
        cell: the place of each row's cell in the extents; shape (rows, attributes).
        group: the group of each row, in [0, groups), none empty; shape (rows,).
        count: the number of people of each row; shape (rows,).
        entry_group, entry_value, entry_count: the published values: group, place on the sensitive axis (from 0, or
            -1 for a value that only counterfeits have) and number of rows; shape (entries,).
        values: size of the sensitive axis.
        fake: published counterfeits by group; shape (groups,).
    """

    extents: tuple[Extents, ...]
    cell: Integers
    group: Integers
    count: Counts
    entry_group: Integers
    entry_value: Integers
    entry_count: Counts
    values: int
    fake: Counts

    @cached_property
    def sizes(self) -> Counts:
        """The number of people of each group, counterfeits included; shape (groups,)."""
        return group_sizes(self.group, self.count, len(self.fake))

    @property
    def exact(self) -> bool:
        """Whether each row is one person with exact values, as in Anatomy."""
        cells_are = all(bool(each.single[self.cell[:, a]].all()) for a, each in enumerate(self.extents))
        return cells_are and bool((self.count == 1).all())

    def value_counts(self) -> Counts:
        """Return how often each group has each value of the axis; shape (groups, values)."""
        groups, known = len(self.fake), self.entry_value >= 0
        key = self.entry_group[known].astype(np.int64) * self.values + self.entry_value[known]
        counts = np.bincount(key, weights=self.entry_count[known], minlength=groups * self.values)
        return counts.astype(np.int64).reshape(groups, self.values)


def estimate(published: ReleaseContents, workload: Workload) -> Floats:
    """Return the expected count of each query; shape (queries,).

    A group G with c3 published counterfeits contributes (|G| - c3) · c1 · c2, where c1 is the share of its box in the
    query's ranges and c2 the share of its values (m-invariance paper, Section 5.2). If a group's rows have different
    cells, c1 is their average. With exact values, as in Anatomy, |G| · c1 is the number of the group's rows in the
    ranges (equivalence paper, Proposition 1), each of which is a person with probability 1 - c3 / |G|.
    """
    answer = _by_rows if published.exact and published.extents else _by_boxes
    return answer(published, workload)


def _by_boxes(published: ReleaseContents, workload: Workload) -> Floats:
    """Estimate from the distinct boxes of each group: the product of the shares of their sides, times c2."""
    group, first, people = _boxes(published)
    cell = published.cell[first]
    sizes = published.sizes[group].astype(np.float64)
    # The box's real people, divided by |G| to turn counts of values into c2.
    weight = people * (sizes - published.fake[group]) / (sizes * sizes)
    below = _below(published.value_counts())
    width = max(1, TILE // sum(len(ranges.low) for ranges in workload.ranges))
    found = np.zeros(len(workload))
    for begin in range(0, len(group), width):
        tile, tables = slice(begin, begin + width), []
        *quasi, sensitive = workload.ranges
        for axis, ranges in enumerate(quasi):
            used, place = np.unique(cell[tile, axis], return_inverse=True)
            tables.append(_selected(published.extents[axis], used).fractions(ranges.low, ranges.high)[:, place])
        inside = below[sensitive.high.astype(np.intp)] - below[sensitive.low.astype(np.intp)]
        tables.append(inside[:, group[tile]] * weight[tile])
        for block, shares in joined(tables, workload, np.multiply):
            found[block] += shares.sum(axis=1)
    return found


def _boxes(published: ReleaseContents) -> tuple[Integers, Integers, Counts]:
    """Return the group, a row, and the number of people of each distinct box, in order of groups."""
    order = np.lexsort([*published.cell.T, published.group])
    group, cell = published.group[order], published.cell[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (group[1:] != group[:-1]) | (cell[1:] != cell[:-1]).any(axis=1)
    begin = np.flatnonzero(new)
    people = np.add.reduceat(published.count[order], begin) if len(begin) else np.zeros(0, dtype=np.int64)
    return group[begin], order[begin], people


def _selected(extents: Extents, cells: Integers) -> Extents:
    """Return the extents of the given cells, in their order."""
    at, first = segments(extents.first, cells), starts(np.diff(extents.first)[cells])
    return Extents(extents.start[at], extents.stop[at], first, extents.size, extents.counted)


def _by_rows(published: ReleaseContents, workload: Workload) -> Floats:
    """Estimate from rows with exact values; groups with equal shares of values are counted together by bitmaps."""
    counts, sizes = published.value_counts(), published.sizes
    alike = np.column_stack([counts, sizes - published.fake]) / sizes[:, None]
    kinds, kind = np.unique(alike, axis=0, return_inverse=True)
    kind = kind.reshape(-1)[published.group]
    below = _below(kinds[:, :-1] * kinds[:, -1:])
    places = np.stack([each.middle[published.cell[:, a]] for a, each in enumerate(published.extents)], axis=1)
    # Each kind begins at a new word.
    order = np.argsort(kind, kind="stable")
    rows_of = np.bincount(kind, minlength=len(kinds))
    words_of = -(-rows_of // 64)
    first_word = starts(words_of)
    slot = ragged(64 * first_word[:-1], rows_of)
    laid = np.full((64 * first_word[-1], places.shape[1]), np.nan)
    laid[slot] = places[order]
    word_kind = np.repeat(np.arange(len(kinds)), words_of)
    ends, asked = np.unique(np.stack([workload.low[:, -1], workload.high[:, -1]]), axis=1, return_inverse=True)
    low, high = ends.astype(np.intp)
    asked = asked.reshape(-1)
    found = np.zeros(len(workload))
    quasi = Workload(workload.low[:, :-1], workload.high[:, :-1])
    begin = 0
    for rows in tiles(laid, quasi):
        of_word = word_kind[begin : begin + len(rows) // 64]
        begin += len(of_word)
        share = (below[high] - below[low])[:, of_word]
        for block, words in matches(rows, quasi):
            found[block] += np.einsum("qw,qw->q", np.bitwise_count(words), share[asked[block]])
    return found


def _below(counts: npt.NDArray[Any]) -> Floats:
    """Return the cumulative sums over the values of the sensitive axis; shape (values + 1, groups)."""
    return np.concatenate([np.zeros((1, len(counts))), np.cumsum(counts.T, axis=0)])
