"""Partition by strict multidimensional Mondrian: cut regions at their medians while both sides meet the requirements.

A region is cut along the attribute in which its points are widest, as a share of the domain; if no cut of it is
allowed, along the next widest. Rows with equal values stay on one side. Among the allowed cuts of an attribute, the one
with the most equal sides is taken, the lower one of two equals. A region stays whole only if no cut of any attribute is
allowed, so that the result does not depend on the order of the rows.

Source: LeFevre, DeWitt and Ramakrishnan, *Mondrian multidimensional k-anonymity* (ICDE 2006); monotonic paper,
Section 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from audit.model.anonymizer import OLD_END, Scale
from audit.model.arrays import Codes, Floats, Places
from audit.runtime.kernels import pays

Regions: TypeAlias = tuple[Codes, Codes, Codes, Codes, Codes, Codes]

_SECONDS_SAVED_PER_ROW, _COMPILE_SECONDS = 1e-5, 10.0


@dataclass(frozen=True)
class Partition:
    """Regions of rows, numbered root by root and from lower values to higher.

    Attributes:
        region: the region of each row, in [0, regions), -1 for a row without a root; shape (rows,), int32.
        root: the root that each region is part of, ascending; shape (regions,), int32.
        after: a region has only values after this place; `OLD_END` if it begins where its root begins; shape (regions,
            attributes), int32.
        upto: a region has only values up to this place, inclusive; `OLD_END` if it ends where its root ends.
        low, high: the least and the greatest place of a region's rows; shape (regions, attributes), int32.
    """

    region: Codes
    root: Codes
    after: Codes
    upto: Codes
    low: Codes
    high: Codes


def partition(
    point: Codes,
    scales: Sequence[Scale],
    k: int,
    *,
    root: Codes | None = None,
    value: Codes | None = None,
    l: int = 1,  # noqa: E741 - the literature's name
) -> Partition:
    """Return the regions of at least `k` rows, none with a value in more than 1/`l` of its rows.

    Args:
        point: the quasi-identifiers of each row, as places in their scales; shape (rows, attributes), int32.
        scales: one per quasi-identifier.
        k: rows that both sides of a cut must have, at least 1.
        root: the initial region of each row, in [0, roots), none empty, -1 for rows that are left out; None puts all
            rows into one. Shape (rows,), int32. Roots need not meet the requirements of their parts.
        value: the sensitive value of each row; shape (rows,), int32. Needed for l > 1.
        l: no value may be in more than 1/l of the rows of either side of a cut.
    """
    if root is None:
        start = np.array([0, len(point)])
    else:
        # Rows without a root come first.
        start = np.cumsum(np.bincount(root + np.int32(1), minlength=1))
        start -= start[0]
    if pays("anonymizers.partition_compiled", _SECONDS_SAVED_PER_ROW * int(start[-1]), _COMPILE_SECONDS):
        from anonymizers.partition_compiled import regions, rows_by_root
    else:
        regions, rows_by_root = regions_plain, rows_by_root_plain
    place = np.concatenate([np.zeros(0), *(scale.place for scale in scales)])
    offset = np.cumsum([0, *(len(scale.place) for scale in scales)])[:-1]
    held = np.zeros(0, dtype=np.int32) if value is None or l == 1 else value
    if root is None:
        return Partition(*regions(np.ascontiguousarray(point), place, offset, start, k, held, l))
    order = rows_by_root(root, start)
    held = held[order] if len(held) else held
    of_row, *rest = regions(point.take(order, axis=0), place, offset, start, k, held, l)
    region = np.full(len(point), -1, dtype=np.int32)
    region[order] = of_row
    return Partition(region, *rest)


def rows_by_root_plain(root: Codes, start: Places) -> Places:
    """Return the rows that have a root, sorted by root, stably; the oracle of its compiled twin.

    Args:
        root: the root of each row, -1 for none; shape (rows,), int32.
        start: where each root's rows begin, and the number of rows with a root.
    """
    return np.argsort(root, kind="stable")[len(root) - start[-1] :]


def regions_plain(
    point: Codes,
    place: Floats,
    offset: Places,
    start: Places,
    k: int,
    value: Codes,
    l: int,  # noqa: E741 - the literature's name
) -> Regions:
    """Return the fields of a `Partition`; the oracle of its compiled twin.

    Args:
        point: rows root by root; shape (rows, attributes), int32.
        place: the places of all scales, one after the other, float64.
        offset: where each scale begins in `place`.
        start: where each root's rows begin, and the number of rows.
        k: rows that both sides of a cut must have.
        value: the sensitive value of each row, not used if l is 1.
        l: no value may be in more than 1/l of the rows of either side of a cut.
    """
    region = np.empty(len(point), dtype=np.int32)
    made: list[tuple[Any, ...]] = []
    whole = np.full(point.shape[1], OLD_END, dtype=np.int32)
    for root in range(len(start) - 1):
        todo = [(np.arange(start[root], start[root + 1]), whole, whole)]
        while todo:
            rows, after, upto = todo.pop()
            low, high = point[rows].min(axis=0), point[rows].max(axis=0)
            # Stable, so that the first of equally wide attributes comes first.
            widest = np.argsort(place[offset + low] - place[offset + high], kind="stable")
            held = value[rows] if l > 1 else value
            tries = ((attribute, _cut(point[rows, attribute], k, held, l)) for attribute in widest)
            attribute, cut = next((found for found in tries if found[1] != OLD_END), (0, OLD_END))
            if cut == OLD_END:
                region[rows] = len(made)
                made.append((root, after, upto, low, high))
                continue
            left = point[rows, attribute] <= cut
            beyond, within = after.copy(), upto.copy()
            beyond[attribute] = within[attribute] = cut
            todo += [(rows[~left], beyond, upto), (rows[left], after, within)]
    roots, *ends = zip(*made, strict=True) if made else ((), *[()] * 4)
    shape = len(made), point.shape[1]
    columns = [np.array(end, dtype=np.int32).reshape(shape) for end in ends]
    return region, np.array(roots, dtype=np.int32), columns[0], columns[1], columns[2], columns[3]


def _cut(column: Codes, k: int, value: Codes, l: int) -> int:  # noqa: E741 - the literature's name
    """Return the allowed cut that is nearest to the middle, `OLD_END` if none is allowed."""
    found, at, count = np.unique(column, return_inverse=True, return_counts=True)
    left = np.cumsum(count)[:-1]
    right = len(column) - left
    allowed = (left >= k) & (right >= k)
    if l > 1:
        table = np.zeros((len(found), int(value.max()) + 1), dtype=np.int64)
        np.add.at(table, (at, value), 1)
        sums = np.cumsum(table, axis=0)
        allowed &= sums[:-1].max(axis=1) * l <= left
        allowed &= (sums[-1] - sums[:-1]).max(axis=1) * l <= right
    places = np.flatnonzero(allowed)
    if not len(places):
        return OLD_END
    return int(found[places[np.argmin(np.abs(left - right)[places])]])
