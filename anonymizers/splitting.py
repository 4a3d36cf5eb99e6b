"""Splitting: balanced buckets are cut into groups of one row of each value whose quasi-identifiers lie close together.

Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.3. A bucket is a list of rows for each value of its
signature, all lists of one height. It is cut across all lists at once, sorted by one quasi-identifier, and its parts
are cut again, until each has one row of each value. Of all cuts by all quasi-identifiers the one with the least
perimeter sum is made. The paper leaves open which of equals is taken:

* Rows of a list that are equal in the quasi-identifier sorted by are in the order of the others, those with most values
  first, and then as given. So a cut inside a long run of equals (there are two genders) is one by age. On census-like
  data this makes the published intervals a tenth shorter.
* Of cuts with equal perimeter sums the one nearest the middle is made, then the one by the first quasi-identifier,
  then the one with fewer rows below. Were it the least of all, a bucket without any good cut would lose one layer
  after the other, each at the cost of the whole.

Counterfeits have no quasi-identifiers: they come first and stretch nothing. One list of a bucket has no counterfeits,
since a bucket is as high as its highest list was without them. So every layer (the rows at one place of all lists), and
with it every part and every group, has somebody real, whose quasi-identifiers bound it.

Two kernels: numpy here, clear and for what is small, of which `anonymizers.splitting_compiled` is the fast twin. They
compare perimeters in whole numbers, so nothing depends on the order of additions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Numbers
from audit.runtime.kernels import pays

_UNITS = 1 << 30  # of a domain's length; the cost of 2**28 layers and 30 quasi-identifiers fits in int64
# Seconds that the compiled kernel saves a cut, and that it takes to compile.
_SAVED, _COMPILING = 1e-4, 8.0


@dataclass(frozen=True)
class SlotBuckets:
    """Balanced buckets, laid out list by list, bucket by bucket.

    Attributes:
        width: lists of each bucket, one for each value of its signature; shape (buckets,), int64.
        height: rows of each list of a bucket; shape (buckets,), int64.
        point: the quasi-identifiers of each row, as ranks; -1, in all of them, for a counterfeit; shape
            (rows, attributes), int32.
        place: where each row lies in the domains, whose ends are at 0 and 1; anything for a counterfeit; shape
            (rows, attributes), float64.
    """

    width: npt.NDArray[np.int64]
    height: npt.NDArray[np.int64]
    point: Codes
    place: npt.NDArray[np.float64]

    def starts(self) -> npt.NDArray[np.int64]:
        """Return where each bucket begins; shape (buckets,)."""
        size = self.width * self.height
        return np.cumsum(size) - size

    def settling(self) -> npt.NDArray[np.int64]:
        """Return the quasi-identifiers in the order in which they settle ties; shape (attributes,)."""
        return settling_order(self.point)

    def units(self) -> Numbers:
        """Return the places as whole numbers; shape (rows, attributes)."""
        return in_units(self.place)


def settling_order(point: Codes) -> npt.NDArray[np.int64]:
    """Return the quasi-identifiers by how many values they have, those with most first; shape (attributes,)."""
    return np.argsort(-point.max(axis=0, initial=-1), kind="stable")


def in_units(place: npt.NDArray[np.float64]) -> Numbers:
    """Return places in the domains as whole numbers, so that nothing depends on the order of additions."""
    return np.rint(place * _UNITS).astype(np.int64)


def split(buckets: SlotBuckets) -> npt.NDArray[np.int64]:
    """Return the rows of each list in the order of the groups; shape (rows,).

    Rows stay in their lists; those that come to the same place in all lists of a bucket are a group.
    """
    if not buckets.point.shape[1]:
        return np.arange(len(buckets.point))
    cuts = int((buckets.height - 1).sum())
    if not pays("anonymizers.splitting_compiled", _SAVED * cuts, _COMPILING):
        return split_plain(buckets)
    from anonymizers.splitting_compiled import split_compiled

    return split_compiled(buckets.width, buckets.height, buckets.point, buckets.units(), buckets.settling())


def split_plain(buckets: SlotBuckets) -> npt.NDArray[np.int64]:
    """Return the same as `split`, by numpy."""
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
    """Return the summed lengths of the first layers: of one, of two, and so on; shape (attributes, height)."""
    reach = np.maximum.accumulate(most, axis=1) - np.minimum.accumulate(least, axis=1)
    return reach.sum(axis=2)
