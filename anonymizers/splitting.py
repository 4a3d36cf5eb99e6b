"""Splitting: divide balanced buckets into groups of one row of each value, with similar quasi-identifiers.

Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.3. A bucket has a list of rows for each value of its
signature, all of the same height. All lists are sorted by one quasi-identifier and cut at the same place, and the parts
are cut again, until each has one row of each value. Of all cuts by all quasi-identifiers, the one with the least
perimeter sum is made. Ties, which the paper leaves open, are broken so:

* Rows of a list with equal values of the quasi-identifier are sorted by the others, those with the most values first,
  and then as given. So a cut inside a long run of equal values (such as a gender) is a cut by age. On census-like data
  this makes the published intervals a tenth shorter.
* Of cuts with equal perimeter sums, the one nearest the middle is made, then the one by the first quasi-identifier,
  then the one with fewer rows below. Otherwise a bucket without a good cut would lose one layer at a time, each at the
  cost of the whole.

Counterfeits have no quasi-identifiers: they come first and do not widen anything. One list of a bucket has no
counterfeits, because the bucket has the height of its highest list without them. So every layer (the rows at one place
of all lists), every part and every group has a person, whose quasi-identifiers bound it.

There are two kernels: this one in numpy, for small work, and its compiled twin, `anonymizers.splitting_compiled`. They
compare perimeters as whole numbers, so that the order of additions does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Numbers
from audit.runtime.kernels import pays

_UNITS = 1 << 30  # of a domain's length; the cost of 2**28 layers and 30 quasi-identifiers fits in int64
_SECONDS_SAVED_PER_CUT, _COMPILE_SECONDS = 1e-4, 8.0


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

    width: npt.NDArray[np.int64]
    height: npt.NDArray[np.int64]
    point: Codes
    place: npt.NDArray[np.float64]

    def starts(self) -> npt.NDArray[np.int64]:
        """Return the first row of each bucket; shape (buckets,)."""
        size = self.width * self.height
        return np.cumsum(size) - size

    def settling(self) -> npt.NDArray[np.int64]:
        """Return the quasi-identifiers in the order in which they break ties; shape (attributes,)."""
        return settling_order(self.point)

    def units(self) -> Numbers:
        """Return the places as whole numbers; shape (rows, attributes)."""
        return in_units(self.place)


def settling_order(point: Codes) -> npt.NDArray[np.int64]:
    """Return the quasi-identifiers sorted by their number of values, the largest first; shape (attributes,)."""
    return np.argsort(-point.max(axis=0, initial=-1), kind="stable")


def in_units(place: npt.NDArray[np.float64]) -> Numbers:
    """Return places in the domains as whole numbers, so that the order of additions does not matter."""
    return np.rint(place * _UNITS).astype(np.int64)


def split(buckets: SlotBuckets) -> npt.NDArray[np.int64]:
    """Return the rows of each list in the order of the groups; shape (rows,).

    Each list is reordered; the rows at the same place in all lists of a bucket form a group.
    """
    if not buckets.point.shape[1]:
        return np.arange(len(buckets.point))
    cuts = int((buckets.height - 1).sum())
    if not pays("anonymizers.splitting_compiled", _SECONDS_SAVED_PER_CUT * cuts, _COMPILE_SECONDS):
        return split_plain(buckets)
    from anonymizers.splitting_compiled import split_compiled

    return split_compiled(buckets.width, buckets.height, buckets.point, buckets.units(), buckets.settling())


def split_plain(buckets: SlotBuckets) -> npt.NDArray[np.int64]:
    """Return the result of `split`, by numpy."""
    result = np.zeros(len(buckets.point), dtype=np.int64)
    units, settling = buckets.units(), buckets.settling()
    for start, width, height in zip(buckets.starts(), buckets.width, buckets.height, strict=True):
        rows = slice(start, start + width * height)
        lists = np.arange(rows.start, rows.stop).reshape(width, height)
        result[rows] = _split_bucket(lists, buckets.point, units, settling).ravel()
    return result


def _split_bucket(lists: Numbers, point: Codes, units: Numbers, settling: Numbers) -> Numbers:
    """Return a bucket's rows, shape (width, height), in the order of its groups."""
    waiting, done = [lists], []
    while waiting:
        part = waiting.pop()
        if part.shape[1] == 1:
            done.append(part)
            continue
        by_each = sorted_lists(part, point, settling)
        attribute, at = best_cut(by_each, point, units)
        waiting += [by_each[attribute][:, at:], by_each[attribute][:, :at]]
    return np.concatenate(done, axis=1)


def sorted_lists(lists: Numbers, point: Codes, settling: Numbers) -> Numbers:
    """Return lists sorted by each quasi-identifier; shape (attributes, width, height)."""
    rows = np.sort(lists, axis=1)
    keys = np.moveaxis(point[rows], 2, 0)
    orders = [np.lexsort([*keys[settling[::-1]], key]) for key in keys]
    return np.stack([np.take_along_axis(rows, order, axis=1) for order in orders])


def best_cut(by_each: Numbers, point: Codes, units: Numbers) -> tuple[int, int]:
    """Return the quasi-identifier to sort by and the number of layers to cut off, at least one."""
    height = by_each.shape[2]
    real = point[by_each, 0] >= 0
    spot = units[by_each]
    least = np.where(real[..., np.newaxis], spot, _UNITS).min(axis=1)
    most = np.where(real[..., np.newaxis], spot, 0).max(axis=1)
    below = np.arange(1, height)
    cost = below * _lengths(least, most)[:, :-1] + below[::-1] * _lengths(least[:, ::-1], most[:, ::-1])[:, -2::-1]
    off = np.abs(2 * below - height)
    candidates = np.argwhere(cost == cost.min())
    attribute, place = candidates[np.argmin(off[candidates[:, 1]])]
    return int(attribute), int(place) + 1


def _lengths(least: Numbers, most: Numbers) -> Numbers:
    """Return the summed box lengths of the first layer, the first two layers, and so on; shape (attributes, height)."""
    reach = np.maximum.accumulate(most, axis=1) - np.minimum.accumulate(least, axis=1)
    return reach.sum(axis=2)
