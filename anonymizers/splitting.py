"""Splitting: divide balanced buckets into groups of one row of each value, with similar quasi-identifiers.

Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.3. A bucket has a list of rows for each value of its
signature, all of the same height. All lists are sorted by one quasi-identifier and cut at the same place, and the parts
are cut again, until each has one row of each value. Of all cuts by all quasi-identifiers, the one with the least
perimeter sum is made: of h - 1 cuts by each of them, if lists have h = |BUC| / s rows (the paper's "s - 1 different
schemes" is a misprint; s is the number of lists). Ties, which the paper leaves open, are broken so:

* Rows of a list with equal values of the quasi-identifier are sorted by the others, those with the most values first,
  and then as given. So a cut inside a long run of equal values (such as a gender) is a cut by age. On census-like data
  this makes the published intervals a tenth shorter.
* Of cuts with equal perimeter sums, the one nearest the middle is made, then the one by the first quasi-identifier,
  then the one with fewer rows below. Otherwise a bucket without a good cut would lose one layer at a time, each at the
  cost of the whole.

Counterfeits have no quasi-identifiers: they come first and do not widen anything. One list of a bucket has no
counterfeits, because the bucket has the height of its highest list without them. So every layer (the rows at one place
of all lists), every part and every group has a person, whose quasi-identifiers bound it.

Perimeters are compared as whole numbers, so that the order of additions does not matter. All parts of one width
and height are cut together, the highest first, because numpy is fast on long arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from audit.model.arrays import Codes, Floats, Numbers

_UNITS = 1 << 30  # of a domain's length; the cost of 2**28 layers and 30 quasi-identifiers fits in int64
_ROWS = 1 << 18
"""The most rows that are cut at once."""


@dataclass(frozen=True)
class SlotBuckets:
    """Balanced buckets, laid out list by list, bucket by bucket.

    Attributes:
        width: the number of lists of each bucket, one for each value of its signature; shape (buckets,), int64.
        height: the number of rows of each list of a bucket; shape (buckets,), int64.
        point: the quasi-identifiers of each row, as ranks; all -1 for a counterfeit; shape (rows, attributes), int32.
        place: the place of each row in the domains, which go from 0 to 1; anything for a counterfeit; shape
            (rows, attributes), float64.
    """

    width: Numbers
    height: Numbers
    point: Codes
    place: Floats


def ordered_by_each(point: Codes) -> Numbers:
    """Return the rows in the order of each quasi-identifier; shape (attributes, rows).

    Equal rows are sorted by the others, those with the most values first, and then as given.
    """
    keys, settling = point.T, np.argsort(-point.max(axis=0, initial=-1), kind="stable")
    return np.stack([np.lexsort([*keys[settling[::-1]], key]) for key in keys])


def in_units(place: Floats) -> Numbers:
    """Return places in the domains as whole numbers, so that the order of additions does not matter."""
    return np.rint(place * _UNITS).astype(np.int64)


def split(buckets: SlotBuckets) -> Numbers:
    """Return the rows of each list in the order of the groups; shape (rows,).

    Each list is reordered; the rows at the same place in all lists of a bucket form a group.
    """
    if not buckets.point.shape[1]:
        return np.arange(len(buckets.point))
    search = _CutSearch.of(buckets)
    result = np.zeros(len(buckets.point), dtype=np.int64)
    waiting: defaultdict[tuple[int, int], list[_Parts]] = defaultdict(list)
    size = buckets.width * buckets.height
    first = np.cumsum(size) - size
    for width, height in set(zip(buckets.width.tolist(), buckets.height.tolist(), strict=True)):
        begin = first[(buckets.width == width) & (buckets.height == height)]
        at = begin[:, np.newaxis, np.newaxis] + np.arange(width * height).reshape(width, height)
        waiting[height, width].append(_Parts(at, at))
    for height in range(int(buckets.height.max(initial=0)), 0, -1):
        for width in np.unique(buckets.width).tolist():
            for parts in _together(waiting.pop((height, width), [])):
                if height == 1:
                    result[parts.place] = parts.rows
                    continue
                rows, cut = search.best(parts.rows)
                for at in np.unique(cut).tolist():
                    chosen, place = rows[cut == at], parts.place[cut == at]
                    waiting[at, width].append(_Parts(chosen[..., :at], place[..., :at]))
                    waiting[height - at, width].append(_Parts(chosen[..., at:], place[..., at:]))
    return result


class _Parts(NamedTuple):
    """Parts of equal widths and heights: their rows, and the places where these go; shape (parts, width, height)."""

    rows: Numbers
    place: Numbers


def _together(found: list[_Parts]) -> Iterator[_Parts]:
    """Yield parts of equal widths and heights in batches of at most `_ROWS` rows, or single parts."""
    if found:
        rows, place = (np.concatenate(column) for column in zip(*found, strict=True))
        step = max(1, _ROWS // rows[0].size)
        for begin in range(0, len(rows), step):
            yield _Parts(rows[begin : begin + step], place[begin : begin + step])


class _CutSearch(NamedTuple):
    """The search for the best cuts.

    Attributes:
        rank: the rank of each row by each quasi-identifier, ties settled; shape (attributes, rows).
        by_rank: the rows in these orders; shape (attributes, rows).
        least, most: the place of each row as whole numbers; those of counterfeits widen nothing; (rows, attributes).
    """

    rank: Numbers
    by_rank: Numbers
    least: Codes
    most: Codes

    @classmethod
    def of(cls, buckets: SlotBuckets) -> _CutSearch:
        by_rank = ordered_by_each(buckets.point)
        rank = np.empty_like(by_rank)
        np.put_along_axis(rank, by_rank, np.arange(len(buckets.point))[np.newaxis], axis=1)
        units, real = in_units(buckets.place), buckets.point[:, :1] >= 0
        least, most = (np.where(real, units, none).astype(np.int32) for none in (_UNITS, 0))
        return cls(rank, by_rank, least, most)

    def best(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Return the rows of parts, each sorted by the quasi-identifier of its best cut, and the layers to cut off."""
        by_each = np.stack(
            [order.take(np.sort(rank.take(rows), axis=2)) for order, rank in zip(self.by_rank, self.rank, strict=True)]
        )
        least, most = self.least.take(by_each, axis=0).min(axis=2), self.most.take(by_each, axis=0).max(axis=2)
        order, at = best_cuts(least, most)
        return by_each[order, np.arange(len(rows))], at


def best_cuts(least: Numbers | Codes, most: Numbers | Codes, margin: int = 1) -> tuple[Numbers, Numbers]:
    """Return the order and the number of layers to cut off each part; shape (parts,).

    Args:
        least: the least place of each layer of a part, in units, if its rows are in some order; above `most` for one
            without people; shape (orders, parts, height, attributes).
        most: the greatest place.
        margin: the fewest layers on a side.
    """
    height, inside = least.shape[2], slice(margin - 1, least.shape[2] - margin)
    below = np.arange(margin, height - margin + 1)
    up, down = _lengths(least, most)[:, :, inside], _lengths(least[:, :, ::-1], most[:, :, ::-1])[:, :, inside]
    cost = below * up + below[::-1] * down[:, :, ::-1]
    cost = np.moveaxis(cost, 0, 1).reshape(least.shape[1], -1)
    off = np.tile(np.abs(2 * below - height), len(least))
    chosen = np.where(cost == cost.min(axis=1, keepdims=True), off, height).argmin(axis=1)
    return chosen // len(below), below[chosen % len(below)]


def _lengths(least: Numbers | Codes, most: Numbers | Codes) -> Numbers:
    """Return the summed box lengths of the first layer, the first two, and so on; shape (orders, parts, height)."""
    reach = np.maximum.accumulate(most, axis=2) - np.minimum.accumulate(least, axis=2)
    return np.asarray(np.maximum(reach, 0).sum(axis=3, dtype=np.int64))
