"""Partition by strict multidimensional Mondrian: cut regions at their medians while both sides meet the requirements.

A region is cut along the attribute in which its points are widest, as a share of the domain; if no cut of it is
allowed, along the next widest. Rows with equal values stay on one side. Among the allowed cuts of an attribute, the one
with the most equal sides is taken, the lower one of two equals. A region is not cut only if no cut of any attribute is
allowed, so that the result does not depend on the order of the rows.

Source: LeFevre, DeWitt and Ramakrishnan, *Mondrian multidimensional k-anonymity* (ICDE 2006); monotonic paper,
Section 5.1.

All regions are cut once in each round, by sorting their rows together, because numpy is fast on long arrays. Kernels
compiled by numba took half the time, but longer to load.

k classes: the common part of methods that publish classes of at least k people as generalized cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from audit.model.anonymizer import OLD_END, Bounds, Form, RefusalError, Scale, Snapshot
from audit.model.arrays import Codes, Flags, Numbers
from audit.model.options import option
from audit.runtime.phrases import say


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
    chosen = np.arange(len(point)) if root is None else np.flatnonzero(root >= 0)
    region = np.zeros(len(point), dtype=np.int64) if root is None else root[chosen].astype(np.int64)
    point = point.take(chosen, axis=0)
    held = None if value is None or l == 1 else value.take(chosen)
    roots, attributes = int(region.max(initial=-1)) + 1, point.shape[1]
    of = np.arange(roots, dtype=np.int32)
    after, upto = np.full((2, roots, attributes), OLD_END, dtype=np.int32)
    fresh: Flags = np.ones(roots, dtype=np.bool_)
    while fresh.any():
        number, rows = np.flatnonzero(fresh), np.flatnonzero(fresh[region])
        owner = (np.cumsum(fresh) - 1)[region[rows]]
        attribute, cut = _cuts(point[rows], owner, scales, k, None if held is None else held[rows], l)
        divided = np.flatnonzero(cut != OLD_END)
        parts = np.ones(len(of), dtype=np.int64)
        parts[number[divided]] = 2
        first = np.cumsum(parts) - parts
        region, moved = first[region], np.flatnonzero(cut[owner] != OLD_END)
        rows, owner = rows[moved], owner[moved]
        region[rows] += point[rows, attribute[owner]] > cut[owner]
        of, after, upto = (np.repeat(column, parts, axis=0) for column in (of, after, upto))
        lower, attribute = first[number[divided]], attribute[divided]
        upto[lower, attribute] = after[lower + 1, attribute] = cut[divided]
        fresh = np.zeros(len(of), dtype=np.bool_)
        fresh[lower] = fresh[lower + 1] = True
    box = Bounds.of(point, region, len(of))
    whole = np.full(len(point) if root is None else len(root), -1, dtype=np.int32)
    whole[chosen] = region
    return Partition(whole, of, after, upto, box.low, box.high)


def _cuts(
    point: Codes,
    region: Numbers,
    scales: Sequence[Scale],
    k: int,
    value: Codes | None,
    l: int,  # noqa: E741 - the literature's name
) -> tuple[Numbers, Codes]:
    """Return the attribute and the place at which each region is to be cut, `OLD_END` where no cut is allowed."""
    size = np.bincount(region)
    box = Bounds.of(point, region, len(size))
    wide = [
        scale.place[high] - scale.place[low] for scale, low, high in zip(scales, box.low.T, box.high.T, strict=True)
    ]
    # Stable, so that the first of equally wide attributes comes first.
    widest = np.argsort(-np.reshape(wide, (len(scales), len(size))), axis=0, kind="stable")
    chosen, cut = np.zeros(len(size), dtype=np.int64), np.full(len(size), OLD_END, dtype=np.int32)
    for attribute in widest:
        rows = np.flatnonzero((cut[region] == OLD_END) & (size >= 2 * k)[region])
        owner = region[rows]
        held = None if value is None else value[rows]
        found, place = _nearest(point[rows, attribute[owner]], owner, k, held, l)
        chosen[found], cut[found] = attribute[found], place
    return chosen, cut


def _nearest(
    column: Codes,
    region: Numbers,
    k: int,
    value: Codes | None,
    l: int,  # noqa: E741 - the literature's name
) -> tuple[Numbers, Numbers]:
    """Return the regions that may be cut by a column, and of each the allowed cut that is nearest to the middle."""
    span = int(column.max(initial=0)) + 1
    key = region * span + column
    order = np.argsort(key, kind="stable") if value is not None else None
    key = np.sort(key) if order is None else key[order]
    owner = key // span
    begin = np.flatnonzero(np.diff(key)) + 1
    begin = begin[owner[begin] == owner[begin - 1]]
    size = np.bincount(owner)
    left = begin - (np.cumsum(size) - size)[owner[begin]]
    right = size[owner[begin]] - left
    allowed = (left >= k) & (right >= k)
    if value is not None:
        below, above = _peaks(owner, value[order])
        allowed &= (below[begin - 1] * l <= left) & (above[begin] * l <= right)
    begin, unequal = begin[allowed], np.abs(left - right)[allowed]
    begin = begin[np.lexsort((unequal, owner[begin]))]
    found, first = np.unique(owner[begin], return_index=True)
    return found, key[begin[first] - 1] % span


def _peaks(region: Numbers, value: Codes) -> tuple[Numbers, Numbers]:
    """Return how often the most frequent value occurs in the region's rows up to each row, and from each row on."""
    rows = np.arange(len(region))
    pair = region * (int(value.max(initial=0)) + 1) + value
    by_value = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[by_value], prepend=-1))
    sizes = np.diff(starts, append=len(rows))
    before = np.empty_like(rows)
    before[by_value] = rows - np.repeat(starts, sizes)
    after = np.empty_like(rows)
    after[by_value] = np.repeat(starts + sizes, sizes) - rows
    # Numbers of a later region are made greater, so that they begin anew; of an earlier one, going backwards.
    forth, back = region * len(rows), (region.max(initial=0) - region) * len(rows)
    upward = np.maximum.accumulate(before + 1 + forth) - forth
    return upward, np.maximum.accumulate((after + back)[::-1])[::-1] - back


@dataclass(frozen=True)
class KClasses:
    """The parameter k of a method, and its form.

    Attributes:
        k: the least number of people in a class; at least 2.
    """

    k: int = option(help="the promise: number of people in a class", least=2)
    forms: ClassVar[tuple[Form, ...]] = ("generalization",)
    links_records: ClassVar[bool] = True
    follows_updates: ClassVar[bool] = False

    def rows(self, snapshot: Snapshot) -> Codes:
        """Return the places of all rows, ascending.

        Raises:
            RefusalError: there are fewer than k rows.
        """
        rows = np.arange(len(snapshot), dtype=np.int32)
        if len(rows) < self.k:
            what = say("the snapshot has {count} rows, fewer than k = {k}", count=len(rows), k=self.k)
            raise RefusalError(what, say("ask for a smaller k, or wait for more rows"), rows=rows)
        return rows
