"""Axes: the domain of an attribute as a line, and the parts of it that generalized cells cover.

On a *counted* axis (categories, whole numbers) value i takes the stretch from i to i + 1, so that lengths count values.
On a *measured* axis (other numbers) lengths are differences of numbers, and a single value has length 0.

The sizes of groups and cells say how much detail generalization costs. Counterfeits count as rows in these measures,
because a reader cannot recognize them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Anything, Cell, CellError, Interval, Kind, NumberSet, intersect
from audit.model.arrays import Counts, Flags, Floats, Integers
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


def group_sizes(group: Integers, count: Counts, groups: int) -> Counts:
    """Return how many people each group stands for; shape (groups,).

    Args:
        group: the group of each row, in [0, groups); shape (rows,).
        count: the number of people of each row; shape (rows,).
        groups: the number of groups.
    """
    return np.bincount(group, weights=count, minlength=groups).astype(np.int64)


def discernibility(sizes: Counts) -> int:
    """Return the sum over all groups of the squared number of rows.

    Source: Bayardo and Agrawal, ICDE 2005, in the form of the monotonic paper (Section 2): each row costs the size of
    its group. Groups are the published ones, even if two have equal cells.

    >>> discernibility(np.array([2, 3]))
    13
    """
    return int((sizes * sizes).sum())


def average_class_size(sizes: Counts) -> float:
    """Return the number of rows for each group; 0 for a release without rows.

    Source: LeFevre, DeWitt and Ramakrishnan, ICDE 2006: C_AVG times k.

    >>> average_class_size(np.array([2, 4]))
    3.0
    """
    return float(sizes.sum() / len(sizes)) if len(sizes) else 0.0


def perimeter(extents: Sequence[Extents], cell: Integers, count: Counts) -> float:
    """Return the lengths of all rows' cells, added up over the rows and the quasi-identifiers.

    The length goes from a cell's least to its greatest value, as a share of the domain; categories stand at equal
    distances. If all rows of a group have the same cells, this is the sum over the groups of |G| · Σ l_i (m-invariance
    paper, Section 4.3). Exact values, as in Anatomy, have length 0.

    `cell` holds the place of each row's cell in the extents, shape (rows, attributes); `count` is shape (rows,).
    """
    return float(sum((each.spread[cell[:, a]] * count).sum() for a, each in enumerate(extents)))


def ncp(extents: Sequence[Extents], cell: Integers, count: Counts) -> float | None:
    """Return the normalized certainty penalty: the average, over rows and quasi-identifiers, of |cell| / |domain|.

    |cell| and |domain| count values (whole numbers of an interval, labels of a set), or are lengths if numbers are not
    whole. A single value costs 0, `*` costs 1. Source: Xu et al., KDD 2006. None without rows or quasi-identifiers;
    the arguments are those of `perimeter`.
    """
    people = int(count.sum()) * len(extents)
    if not people:
        return None
    return float(sum((each.share[cell[:, a]] * count).sum() for a, each in enumerate(extents)) / people)
