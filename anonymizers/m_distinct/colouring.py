"""Colouring: divide a bucket into groups with one row of every entry, no value twice, and similar quasi-identifiers.

Source: m-Distinct paper, Section V-C, which picks groups record by record with backtracking: "in the worst case" the
number of attempts is exponential. This implementation is polynomial. A bucket of h layers (every entry has h rows, no
value has more) is a bipartite graph whose edges, the rows, have a colouring with h colours. Any a of the colours form a
part with a rows of every entry and at most a rows of each value; the other h - a colours form the rest. The rows of
such a part are chosen so:

* a value with more than h - a rows must give the part at least the excess;
* the sets of rows that can be in a part are the independent sets of a matroid (rows that can be assigned to places in
  the entries, at most a of each value). So a greedy choice, row by row in any order, ends with a full part that
  prefers the first rows.

The order is that of a quasi-identifier. All quasi-identifiers, and all cuts that leave at least a sixteenth of the
layers on each side, are compared by their perimeter sum (Equation 4), on the assumption that each kind of values is
spread evenly over the layers, in order. Among equals the cut nearest the middle is made, then the one by the first
quasi-identifier, then the one with fewer rows below. Rows with equal values of the quasi-identifier are sorted by the
others, those with the most values first. Counterfeits have no quasi-identifiers; they are spread evenly over the order.

There are two kernels: this one, and its compiled twin in `anonymizers.m_distinct.colouring_compiled`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.splitting import in_units, settling_order
from audit.model.arrays import Codes, Numbers
from audit.runtime.kernels import pays

_SECONDS_SAVED_PER_ROW, _COMPILE_SECONDS = 1e-3, 8.0
_FAR = np.int64(1 << 62)


@dataclass(frozen=True)
class ColouredBucket:
    """A complete bucket: all its entries have the same number of rows, and no value has more.

    Attributes:
        height: rows in each entry.
        taken: rows of each kind of values in each entry; shape (entries, kinds), int64.
        kind: the kind of each row's value; shape (rows,), int64.
        value: the value of each row; shape (rows,), int64.
        point: the quasi-identifiers of each row, as ranks; anything for a counterfeit; shape (rows, attributes), int32.
        place: the place of each row in the domains, which go from 0 to 1; shape (rows, attributes), float64.
        real: which rows are not counterfeits; shape (rows,).
    """

    height: int
    taken: Numbers
    kind: Numbers
    value: Numbers
    point: Codes
    place: npt.NDArray[np.float64]
    real: npt.NDArray[np.bool_]

    def orders(self) -> Numbers:
        """Return the rows, without counterfeits, in the order of each quasi-identifier; shape (attributes, rows).

        Without quasi-identifiers there is only the given order.
        """
        rows = np.flatnonzero(self.real)
        point = self.point[rows]
        if not point.shape[1]:
            return rows[np.newaxis]
        settling, keys = settling_order(point)[::-1], point.T
        return np.stack([rows[np.lexsort([*keys[settling], key])] for key in keys])

    def units(self) -> Numbers:
        """Return the places as whole numbers."""
        return in_units(self.place)


def split(buckets: Sequence[ColouredBucket]) -> list[Numbers]:
    """Return the group of each row of each bucket, counted from 0."""
    rows = sum(len(bucket.kind) for bucket in buckets)
    if not pays("anonymizers.m_distinct.colouring_compiled", _SECONDS_SAVED_PER_ROW * rows, _COMPILE_SECONDS):
        return [split_plain(bucket) for bucket in buckets]
    from anonymizers.m_distinct.colouring_compiled import split_compiled

    return [
        split_compiled(
            (bucket.height, bucket.taken, bucket.kind, local_codes(bucket.value)),
            bucket.orders(),
            bucket.units(),
            np.flatnonzero(~bucket.real),
        )
        for bucket in buckets
    ]


def local_codes(value: Numbers) -> Numbers:
    """Return the values as codes from 0 without gaps."""
    return np.unique(value, return_inverse=True)[1].reshape(-1).astype(np.int64)


def split_plain(bucket: ColouredBucket) -> Numbers:
    """Return the group of each row of a bucket, by numpy."""
    group = np.zeros(len(bucket.kind), dtype=np.int64)
    orders, units, fakes = bucket.orders(), bucket.units(), np.flatnonzero(~bucket.real)
    waiting = [(orders, fakes, bucket.taken, bucket.height, 0)]
    while waiting:
        orders, fakes, taken, height, first = waiting.pop()
        if height == 1:
            group[orders[0]] = group[fakes] = first
            continue
        attribute, at = best_cut(orders, units, bucket.kind, height)
        part = ColouredPart(bucket, taken, height, at)
        part.fill(interleaved(orders[attribute], fakes))
        low, inside = part.low, part.inside
        for side, its, layers, begin in ((~inside, taken - low, height - at, first + at), (inside, low, at, first)):
            kept = orders[side[orders]].reshape(len(orders), -1)
            waiting.append((kept, fakes[side[fakes]], its, layers, begin))
    return group


def best_cut(orders: Numbers, units: Numbers, kind: Numbers, height: int) -> tuple[int, int]:
    """Return the quasi-identifier to sort by and the number of layers to cut off."""
    least = max(1, height // 16)
    cuts = np.arange(least, height - least + 1)
    found = []
    for attribute, order in enumerate(orders):
        layer = _layers(kind[order], height)
        low, high = np.full((height, units.shape[1]), _FAR), np.full((height, units.shape[1]), np.int64(-1))
        np.minimum.at(low, layer, units[order])
        np.maximum.at(high, layer, units[order])
        below, above = _lengths(low, high), _lengths(low[::-1], high[::-1])
        cost = cuts * below[cuts - 1] + (height - cuts) * above[height - cuts - 1]
        found += [
            (each, abs(2 * at - height), attribute, at) for each, at in zip(cost.tolist(), cuts.tolist(), strict=True)
        ]
    _, _, attribute, at = min(found)
    return attribute, at


def _layers(kind: Numbers, height: int) -> Numbers:
    """Return the layer of each row if every kind is spread evenly over the layers, in order; shape (rows,)."""
    by_kind = np.argsort(kind, kind="stable")
    total = np.bincount(kind)
    first = np.cumsum(total) - total
    layer = np.empty_like(kind)
    layer[by_kind] = (np.arange(len(kind)) - first[kind[by_kind]]) * height // total[kind[by_kind]]
    return layer


def _lengths(low: Numbers, high: Numbers) -> Numbers:
    """Return the summed box lengths of the first layer, the first two layers, and so on; shape (layers,)."""
    reach = np.maximum.accumulate(high, axis=0) - np.minimum.accumulate(low, axis=0)
    return np.maximum(reach, 0).sum(axis=1)


def interleaved(order: Numbers, fakes: Numbers) -> Numbers:
    """Return rows in their order with the counterfeits spread evenly among them.

    >>> interleaved(np.array([3, 1, 4, 2]), np.array([5, 6])).tolist()
    [3, 5, 1, 4, 6, 2]
    """
    before = (2 * np.arange(len(fakes)) + 1) * len(order) // max(1, 2 * len(fakes))
    return np.insert(order, before, fakes)


class ColouredPart:
    """A part of a bucket's layers that is being filled.

    Attributes:
        inside: which rows of the bucket are in it; shape (rows,).
        low: the number of its rows of each kind in each entry; shape (entries, kinds).
    """

    def __init__(self, bucket: ColouredBucket, taken: Numbers, height: int, at: int) -> None:
        self.inside = np.zeros(len(bucket.kind), dtype=np.bool_)
        self.low = np.zeros_like(taken)
        self._bucket, self._taken, self._height, self._at = bucket, taken, height, at
        self._load = [0] * len(taken)
        self._shut: set[int] = set()

    def fill(self, order: Numbers) -> None:
        """Take the rows in their order, first those that must be in the part."""
        rows, values, kinds = order.tolist(), self._bucket.value[order].tolist(), self._bucket.kind[order].tolist()
        total, held = Counter(values), Counter[int]()
        for have_to in (True, False):
            for row, value, kind in zip(rows, values, kinds, strict=True):
                most = total[value] - (self._height - self._at) if have_to else self._at
                if not self.inside[row] and held[value] < most and self._take(row, kind):
                    held[value] += 1
        if min(self._load) < self._at:
            raise AssertionError("a part of a bucket could not be filled, though its colours fill it")

    def _take(self, row: int, kind: int) -> bool:
        """Take a row if its kind still fits, moving other rows of the part to other entries if necessary."""
        if kind in self._shut or not self._place(kind):
            self._shut.add(kind)  # it will not fit later, either
            return False
        self.inside[row] = True
        return True

    def _place(self, kind: int) -> bool:
        came: dict[int, int] = {}
        left: dict[int, int] = {}
        queue = [kind]
        for moved in queue:
            for entry in range(len(self._load)):
                if entry in came or self.low[entry, moved] >= self._taken[entry, moved]:
                    continue
                came[entry] = moved
                if self._load[entry] < self._at:
                    self._shift(kind, entry, came, left)
                    return True
                for resident in np.flatnonzero(self.low[entry]).tolist():
                    if resident != kind and resident not in left:
                        left[resident] = entry
                        queue.append(resident)
        return False

    def _shift(self, kind: int, entry: int, came: dict[int, int], left: dict[int, int]) -> None:
        """Move one row of each kind on the way to an entry that has room."""
        self._load[entry] += 1
        while True:
            moved = came[entry]
            self.low[entry, moved] += 1
            if moved == kind:
                return
            entry = left[moved]
            self.low[entry, moved] -= 1
