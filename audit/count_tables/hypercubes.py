"""Hypercubes: the cheapest cells to hide beside a count, so that it may change although all sums remain the same.

If people move from one label to another along each dimension, only the counts at the corners of a hypercube change. If
people are added along a dimension instead, the totals change, too. A count is not certain if all corners of a hypercube
around it are hidden.

Source: the hypercube method (Giessing and Repsilber, Tools and strategies to protect multiple tables with the GHQUAR
cell suppression engine, in Domingo-Ferrer, Inference Control in Statistical Databases, 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from audit.count_tables.judged_counts import JudgedCounts
from audit.model.arrays import UNBOUNDED, Codes, Counts, Floats, Places
from audit.model.count_tables import PERHAPS_LARGE, SAME_KIND, Axis, Boxes
from audit.runtime.budget import Budget

_NEVER = float(2**60)
_MOST_CELLS, _MOST_MOVES, _PASSES = 5_000_000, 2_000, 4


@dataclass(frozen=True)
class Need:
    """A count that is known too precisely.

    Attributes:
        part: the part of the evidence.
        inside: the flags of the atoms that it counts, as bytes, for each dimension.
        changes: the changes of the count of which one must be possible.
    """

    part: int
    inside: tuple[bytes, ...]
    changes: tuple[int, ...]


def needs_of(judged: JudgedCounts, ids: Collection[str]) -> Iterator[Need]:
    """Yield the needs of the findings with these ids, except findings about people of one kind."""
    parts = {id(part): number for number, part in enumerate(judged.evidence.parts)}
    for place in judged.found:
        part, question, outcome = judged.at(place)
        tables, rule = part.tables, part.questions.rule[question]
        low, high = int(outcome.lower[question]), int(outcome.upper[question])
        if rule == SAME_KIND or judged.ids[place] not in ids:
            continue
        changes = (tables.min_count - high, -low)
        is_small = rule == PERHAPS_LARGE and "min_count" in judged.violated(place)
        if not is_small and part.questions.published[question] >= 0:
            missing = max(1, tables.min_width - (high - low + 1))
            changes = (missing, -missing)
        sets = zip(tables.axes, tables.asked[question].tolist(), strict=True)
        inside = tuple(np.isin(np.arange(axis.atoms), axis.members[one]).tobytes() for axis, one in sets)
        yield Need(parts[id(part)], inside, changes)


@dataclass
class Cells:
    """The published numbers of one part of the evidence, and small counts, by how much they may change.

    All arrays but the first have shape (numbers,).

    Attributes:
        axes: the dimensions.
        boxes: the set on each axis that each number counts; shape (numbers, axes), int32.
        rows: the row of each number, negative if it is not published, and cannot be hidden; int32.
        price: the cost of hiding it; float64.
        up, down: by how much it may become larger or smaller, as it is published; int64.
        down_hidden: by how much it may become smaller if it is hidden; int64.
        uses: the number of needs for which it is hidden; int64.
    """

    axes: Sequence[Axis]
    boxes: Boxes
    rows: Codes
    price: Floats
    up: Counts
    down: Counts
    down_hidden: Counts
    uses: Counts = field(init=False)

    def __post_init__(self) -> None:
        """Place the numbers in a grid of the published sets."""
        self.uses = np.zeros(len(self.rows), dtype=np.int64)
        used, self._place = zip(*(np.unique(each, return_inverse=True) for each in self.boxes.T), strict=True)
        self._shape = tuple(map(len, used))
        self.is_small = prod(map(float, self._shape)) <= _MOST_CELLS
        self._members = [
            sparse.csr_matrix(np.stack([np.isin(np.arange(axis.atoms), axis.members[one]) for one in some], axis=1))
            for axis, some in zip(self.axes, used, strict=True)
        ]
        self._moves: Callable[[int, bytes], tuple[Any, Any, Any]] = cache(self._moves_along)

    @cached_property
    def _at(self) -> Places:
        """The index of each number in the grid; shape (numbers,), intp."""
        return np.ravel_multi_index([each.ravel() for each in self._place], self._shape)

    def _moves_along(self, axis: int, inside: bytes) -> tuple[Any, Any, Any]:
        """Return which sets gain a person, which lose one, and the difference, for each move of a person into `inside`.

        Each has shape (moves, sets); the first moves add a person, the others take one from an atom outside.
        """
        members = self._members[axis].astype(np.int8)
        is_inside = np.frombuffer(inside, dtype=np.bool_)
        into, others = np.flatnonzero(is_inside), np.flatnonzero(~is_inside)
        into, others = (each[:: max(1, -(-len(each) // _MOST_MOVES))] for each in (into, others))
        step = max(1, len(into) * len(others) // (_MOST_MOVES * 10))
        pairs = np.stack([np.repeat(into, len(others)), np.tile(others, len(into))])[:, ::step]
        change = sparse.vstack([members[into], members[pairs[0]] - members[pairs[1]]], format="csr")
        return change.maximum(0).astype(float), (-change).maximum(0).astype(float), change

    def cheapest(self, need: Need) -> tuple[float, Places]:
        """Return the price and the indices of the numbers to hide; the price is `_NEVER` if no numbers help."""
        sizes = sorted({abs(change) for change in need.changes if change})
        return min((self._corners(need, size) for size in sizes), key=lambda each: each[0])

    def _corners(self, need: Need, size: int) -> tuple[float, Places]:
        """Return the price and the indices of the numbers to hide so that a count may change by `size`."""
        used = self.uses > 0
        to_hide = self.up < size, self.down < size
        prices = np.where(used, 0.0, self.price), np.where(self.down_hidden < size, _NEVER, self.price * ~used)
        # The price of the corners of each move, if the count becomes larger (`more`), or smaller (`less`).
        more, less = (
            np.bincount(self._at, np.where(hide, price, 0.0), minlength=prod(self._shape))
            for hide, price in zip(to_hide, prices, strict=True)
        )
        moves = [self._moves(axis, one) for axis, one in enumerate(need.inside)]
        for (gain, loss, _), length in zip(moves, self._shape, strict=True):
            more, less = more.reshape(length, -1), less.reshape(length, -1)
            more, less = (gain @ more + loss @ less).T.ravel(), (gain @ less + loss @ more).T.ravel()
        ways = {way: way_price for way, way_price in ((1, more), (-1, less)) if way * size in need.changes}
        way, found = min(ways.items(), key=lambda each: each[1].min())
        best = int(found.argmin())
        if found[best] >= _NEVER:
            return _NEVER, np.zeros(0, dtype=np.intp)
        sign = np.full(1, way)
        for (_, _, change), move in zip(
            moves, np.unravel_index(best, [each[2].shape[0] for each in moves]), strict=True
        ):
            along, entries = np.zeros(change.shape[1], dtype=np.int64), slice(*change.indptr[move : move + 2])
            along[change.indices[entries]] = change.data[entries]
            sign = np.multiply.outer(sign, along).ravel()
        corner = sign[self._at]
        return float(found[best]), np.flatnonzero((corner > 0) & to_hide[0] | (corner < 0) & to_hide[1])


class Hypercubes:
    """The hypercubes of all needs so far; each is the cheapest one beside the others."""

    def __init__(self, judged: JudgedCounts, cost: Mapping[int, int], hidden_lower: Counts, budget: Budget) -> None:
        """Begin with no needs.

        Args:
            judged: the audit of the tables before anything is hidden.
            cost: the cost of hiding each row that may be hidden.
            hidden_lower: the least count that each row would stand for if it were hidden; shape (rows,), int64.
            budget: the time limit.
        """
        many, parts = len(cost) + 1, [each for each in judged.evidence.parts if each.questions.kinds is None]
        self.needs: dict[Need, Places] = {}
        self.budget, self.parts = budget, list[Cells]()
        for part, outcome in zip(parts, judged.outcomes, strict=False):
            tables, rows, asked = part.tables, part.rows, part.questions.published
            low, high = tables.lower.copy(), tables.upper.copy()
            of_row = {row: place for place, row in enumerate(asked.tolist()) if row >= 0}
            known = np.array([of_row.get(row, -1) for row in rows.tolist()])
            is_asked = known >= 0
            low[is_asked] = np.maximum(low[is_asked], outcome.lower[known[is_asked]])
            high[is_asked] = np.minimum(high[is_asked], outcome.upper[known[is_asked]])
            # A small count that no cell shows cannot become smaller either: people can only be added to a 0.
            sets = [np.isin(own, used) for own, used in zip(tables.asked.T, tables.boxes.T, strict=True)]
            least = max(tables.min_count, tables.min_width)
            small = np.flatnonzero((asked < 0) & (outcome.upper < least) & np.all(sets, axis=0))
            # Missing rows that mean 0 are -1, and cannot be hidden.
            price = np.array([cost[row] // many + 1.0 if row in cost else _NEVER for row in rows.tolist()])
            up = np.where(tables.upper >= UNBOUNDED, UNBOUNDED, tables.upper - low)
            down, hides = high - tables.lower, high - np.where(rows < 0, 0, hidden_lower[rows])
            more = [np.full(len(small), -1), np.full(len(small), _NEVER), np.full(len(small), UNBOUNDED)]
            more += [outcome.upper[small]] * 2
            arrays = [np.concatenate([own, its]) for own, its in zip([rows, price, up, down, hides], more, strict=True)]
            self.parts.append(Cells(tables.axes, np.concatenate([tables.boxes, tables.asked[small]]), *arrays))

    def add(self, needs: Sequence[Need]) -> None:
        """Add needs, and choose the hypercubes of all needs again while that changes them, in a few passes."""
        fresh = [one for one in dict.fromkeys(needs) if one not in self.needs and self.parts[one.part].is_small]
        for one in fresh:
            if not self.budget.exhausted():
                self._take(one)
        before = None
        for _ in range(_PASSES if fresh else 0):
            if self.budget.exhausted() or before == (before := self.rows()):
                return
            for one, places in [*self.needs.items()]:
                self.parts[one.part].uses[places] -= 1
                self._take(one)

    def _take(self, need: Need) -> None:
        cells = self.parts[need.part]
        _, places = cells.cheapest(need)
        cells.uses[places] += 1
        self.needs[need] = places

    def rows(self) -> frozenset[int]:
        """Return the rows to hide."""
        return frozenset(row for each in self.parts for row in each.rows[each.uses > 0].tolist())
