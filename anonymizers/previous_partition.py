"""Previous partition: find the last release's cells that cover a row of a snapshot, and those that may be divided."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anonymizers.partition import Partition
from audit.model.anonymizer import Snapshot
from audit.model.arrays import Codes, Places
from audit.model.history import PreviousCells

_PAIRS = 1 << 24


class OldCells:
    """The last release's cells, group by group.

    Attributes:
        low, high: the first and the last place that each group's cells cover; shape (groups, attributes), int32.
    """

    def __init__(self, snapshot: Snapshot, look: PreviousCells) -> None:
        ranges = look.ranges()
        self.low, self.high = ranges.low, ranges.high
        self._exact = ranges.exact
        self._look = look
        self._point = np.ascontiguousarray(snapshot.point)
        # The size of cells: the sum of their extents in the domains.
        self._extent = np.zeros(len(ranges.low))
        for scale, low, high in zip(snapshot.scales, ranges.low.T, ranges.high.T, strict=True):
            if len(scale.place):
                # A cell that covers no value may end outside the scale.
                self._extent += scale.place.take(high, mode="clip") - scale.place.take(low, mode="clip")

    def cover(self, group: Codes) -> npt.NDArray[np.bool_]:
        """Return for each row whether the cells of its group, -1 for none, cover it; shape (rows,)."""
        good = (group >= 0) & ((self.low[group] <= self._point) & (self._point <= self.high[group])).all(axis=1)
        if not self._exact.all():
            near = np.flatnonzero(good)
            good[near] = self._confirm(group[near], near)
        return good

    def smallest(self, rows: Places, groups: Places, but: Codes | None = None) -> Codes:
        """Return for each row the smallest of the groups whose cells cover it, -1 for none; shape (rows,), int32.

        The smallest group has the least sum of extents in the domains; among equals it has the lowest number. `but`
        holds a group for each row that is excluded; shape (rows,).
        """
        order = groups[np.argsort(self._extent[groups], kind="stable")]
        low, high = self.low[order], self.high[order]
        found = np.full(len(rows), -1, dtype=np.int32)
        beyond = np.full(len(rows), -1, dtype=np.int32)
        asked = np.arange(len(rows))
        while len(asked):
            place = first_covering(self._point[rows[asked]], low, high, beyond[asked])
            asked, place = asked[place >= 0], place[place >= 0]
            group = order[place].astype(np.int32)
            # A cell that is not an interval may fail to cover a row in its range: then the next group is tried.
            good = self._confirm(group, rows[asked])
            if but is not None:
                good &= group != but[asked]
            found[asked[good]] = group[good]
            beyond[asked] = place
            asked = asked[~good]
        return found

    def divisible(self, parts: Partition, groups: Codes) -> npt.NDArray[np.bool_]:
        """Return which groups may be divided without giving people of different groups the same cells.

        If cells overlap, a part of one group may get the cells of another group or of its part. Then the group is left
        whole.

        Args:
            parts: the parts of each group; their root is the group's place in `groups`.
            groups: the groups to divide, ascending.
        """
        kept = np.bincount(parts.root, minlength=len(groups)) > 1
        owner = groups[parts.root]
        doubtful = np.flatnonzero(~self._exact[owner] & kept[parts.root])
        if len(doubtful):
            # The parts of a cell that is not an interval are not known here: no other group may cover its people.
            _, example = np.unique(parts.region, return_index=True)
            # Drop the row of region -1, if there is one.
            example = example[len(example) - len(parts.root) :]
            others = self.smallest(example[doubtful], np.arange(len(self.low)), owner[doubtful])
            kept[parts.root[doubtful[others >= 0]]] = False
        high = self.high[owner]
        low = np.concatenate([self.low, np.maximum(self.low[owner], parts.after + np.int32(1))])
        high = np.concatenate([self.high, np.where(parts.upto < 0, high, np.minimum(high, parts.upto))])
        cells = np.concatenate([low, high], axis=1)
        while True:
            whole = np.ones(len(self.low), dtype=np.bool_)
            whole[groups[kept]] = False
            shown = np.flatnonzero(np.concatenate([whole, kept[parts.root]]))
            _, place, times = np.unique(cells[shown], axis=0, return_inverse=True, return_counts=True)
            same = shown[times[place.ravel()] > 1]
            same = same[same >= len(self.low)] - len(self.low)
            if not len(same):
                return kept
            # A group that stays whole may in turn have the cells of another group's part.
            kept[parts.root[same]] = False

    def _confirm(self, group: Codes, rows: Places) -> npt.NDArray[np.bool_]:
        """Return whether the cells of groups cover rows that are in their ranges, pair by pair."""
        good = self._exact[group]
        ask = np.flatnonzero(~good)
        if len(ask):
            good[ask] = self._look.covers(group[ask], rows[ask].astype(np.int32))
        return good


def first_covering(point: Codes, low: Codes, high: Codes, beyond: Codes) -> Codes:
    """Return for each point the first cell after the cell `beyond` that covers it, -1 for none.

    Which cells cover a place of an attribute is looked up as bits, one for each cell.

    Args:
        point: the points; shape (points, attributes), int32.
        low: the first place that a cell covers; shape (cells, attributes), int32.
        high: the last place.
        beyond: a cell for each point, -1 to test all cells; shape (points,), int32.
    """
    found = np.full(len(point), -1, dtype=np.int32)
    step = max(1, _PAIRS // max(1, len(low)))
    for begin in range(0, len(point) if len(low) else 0, step):
        chunk = slice(begin, begin + step)
        covers = np.packbits(np.arange(len(low)) > beyond[chunk, np.newaxis], axis=1)
        for column, first, last in zip(point[chunk].T, low.T, high.T, strict=True):
            places, at = np.unique(column, return_inverse=True)
            place = places[:, np.newaxis]
            covers &= np.packbits((first <= place) & (place <= last), axis=1)[at]
        octet = (covers != 0).argmax(axis=1)
        bits = np.unpackbits(np.take_along_axis(covers, octet[:, np.newaxis], axis=1), axis=1)
        found[chunk] = np.where(bits.any(axis=1), 8 * octet + bits.argmax(axis=1), -1)
    return found
