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
layers on each side, are compared by their perimeter sum (Equation 4), on the assumption that each class of values is
spread evenly over the layers, in order. Among equals the cut nearest the middle is made, then the one by the first
quasi-identifier, then the one with fewer rows below. Rows with equal values of the quasi-identifier are sorted by the
others, those with the most values first. Counterfeits have no quasi-identifiers; they are spread evenly over the order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from anonymizers.m_distinct.entries import RowPlaces
from anonymizers.splitting import best_cuts, in_units, ordered_by_each
from audit.model.anonymizer import Bounds
from audit.model.arrays import Codes, Flags, Floats, Numbers


@dataclass(frozen=True)
class ColouredBucket:
    """A complete bucket: all its entries have the same number of rows, and no value has more.

    Attributes:
        height: rows in each entry.
        taken: rows of each class of values in each entry.
        value_class: the class of each row's value; shape (rows,), int64.
        value: the value of each row; shape (rows,), int64.
        point: the quasi-identifiers of each row, as ranks; anything for a counterfeit; shape (rows, attributes), int32.
        place: the place of each row in the domains, which go from 0 to 1; shape (rows, attributes), float64.
        real: which rows are not counterfeits; shape (rows,).
    """

    height: int
    taken: list[list[int]]
    value_class: Numbers
    value: Numbers
    point: Codes
    place: Floats
    real: Flags

    def orders(self) -> Numbers:
        """Return the rows, without counterfeits, in the order of each quasi-identifier; shape (attributes, rows).

        Without quasi-identifiers there is only the given order.
        """
        rows = np.flatnonzero(self.real)
        return rows[ordered_by_each(self.point[rows])] if self.point.shape[1] else rows[np.newaxis]


def split(bucket: ColouredBucket) -> Numbers:
    """Return the group of each row of a bucket, counted from 0."""
    group, inside = np.zeros(len(bucket.value_class), dtype=np.int64), np.zeros(len(bucket.value_class), dtype=np.bool_)
    orders, units, counterfeits = bucket.orders(), in_units(bucket.place), np.flatnonzero(~bucket.real)
    waiting = [(orders, counterfeits, bucket.taken, bucket.height, 0)]
    while waiting:
        orders, counterfeits, taken, height, first = waiting.pop()
        if height == 1:
            group[orders[0]] = group[counterfeits] = first
            continue
        attribute, at = best_cut(orders, units, bucket.value_class, height)
        part, rows = ColouredPart(taken, at), interleaved(orders[attribute], counterfeits)
        inside[rows] = part.fill(bucket.value[rows].tolist(), bucket.value_class[rows].tolist(), height)
        for rows_of, layers, begin, side in (part.rest(), height - at, first + at, False), (part.low, at, first, True):
            kept = orders[inside[orders] == side].reshape(len(orders), -1)
            waiting.append((kept, counterfeits[inside[counterfeits] == side], rows_of, layers, begin))
    return group


def best_cut(orders: Numbers, units: Numbers, value_class: Numbers, height: int) -> tuple[int, int]:
    """Return the quasi-identifier to sort by and the number of layers to cut off."""
    layer = _layers(value_class[orders], height) + height * np.arange(len(orders))[:, np.newaxis]
    box = Bounds.of(units[orders.ravel()].astype(np.int32), layer.ravel(), len(orders) * height)
    low, high = (each.reshape(len(orders), 1, height, -1) for each in (box.low, box.high))
    order, at = best_cuts(low, high, max(1, height // 16))
    return int(order[0]), int(at[0])


def _layers(classes: Numbers, height: int) -> Numbers:
    """Return the layer of each row of each order if every class is spread evenly over the layers; the same shape."""
    total = np.bincount(classes[0])
    ordered = np.sort(classes[0])
    before = np.arange(classes.shape[1]) - (np.cumsum(total) - total)[ordered]
    layer = np.empty_like(classes)
    shares = (before * height // total[ordered])[np.newaxis]
    np.put_along_axis(layer, np.argsort(classes, axis=1, kind="stable"), shares, axis=1)
    return layer


def interleaved(order: Numbers, counterfeits: Numbers) -> Numbers:
    """Return rows in their order with the counterfeits spread evenly among them.

    >>> interleaved(np.array([3, 1, 4, 2]), np.array([5, 6])).tolist()
    [3, 5, 1, 4, 6, 2]
    """
    before = (2 * np.arange(len(counterfeits)) + 1) * len(order) // max(1, 2 * len(counterfeits))
    return np.insert(order, before, counterfeits)


class ColouredPart:
    """A part of a bucket's layers that is being filled.

    Attributes:
        low: the number of its rows of each class in each entry.
    """

    def __init__(self, taken: list[list[int]], at: int) -> None:
        """Begin an empty part of `at` layers; `taken` is the number of available rows of each class in each entry."""
        useful = [[value_class for value_class, rows in enumerate(each) if rows] for each in taken]
        self._places = RowPlaces(useful, len(taken[0]), taken)
        self._taken, self._at, self.low = taken, at, self._places.taken

    def rest(self) -> list[list[int]]:
        """Return the number of the other rows of each class in each entry."""
        return [
            [all_ - own for all_, own in zip(*each, strict=True)] for each in zip(self._taken, self.low, strict=True)
        ]

    def fill(self, values: list[int], classes: list[int], height: int) -> list[bool]:
        """Take rows in order, the required ones first, for a part of the given layers; return which are taken."""
        total, held, inside, shut = Counter(values), dict.fromkeys(values, 0), [False] * len(values), set[int]()
        for have_to in (True, False):
            most = {value: rows - (height - self._at) if have_to else self._at for value, rows in total.items()}
            for row, (value, value_class) in enumerate(zip(values, classes, strict=True)):
                if held[value] >= most[value] or inside[row] or value_class in shut:
                    continue
                if self._places.push(value_class, 1, self._at) is None:
                    inside[row] = True
                    held[value] += 1
                else:
                    shut.add(value_class)  # it will not fit later, either
        if min(self._places.load) < self._at:
            raise AssertionError("a part of a bucket could not be filled, though its colours fill it")
        return inside
