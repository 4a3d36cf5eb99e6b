"""Grouping: form groups of ten close people, by median splits of all cells of a level at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.population import GROUP, SHARES, SIGNATURES, WIDTHS, Kind

_CODE_SHIFT, _SEGMENT_SHIFT = np.uint64(32), np.uint64(40)
_POSITION = np.uint64(0xFFFFFFFF)


def form_groups(
    codes: NDArray[np.uint8], value: NDArray[np.uint8], kind: Kind, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return rows (groups, ten): the positions of each group's members.

    `codes` is (attributes, n), `value` (n,). `diverse` splits one kd-tree with leaves of ten. `invariant`
    splits one tree per signature, every cell holding equally many people of each of the signature's ten
    values, down to one of each. `ValueError` when the values of a signature are not balanced.
    """
    order = rng.permutation(codes.shape[1])
    if kind == "diverse":
        return _Forest(codes, order, np.array([len(order) // GROUP]), lanes=1).split()
    order = order[np.argsort(value[order], kind="stable")]
    per_value = np.bincount(value, minlength=len(SHARES)).reshape(SIGNATURES, GROUP)
    if (per_value != per_value[:, :1]).any():
        raise ValueError("the values of a signature are not balanced")
    return _Forest(codes, order, per_value[:, 0], lanes=GROUP).split()


class _Forest:
    """Cells of several trees side by side.

    `order` lists the rows by cell, then by lane; cell c will become `groups[c]` groups and holds
    `groups[c] * GROUP / lanes` rows of each lane.
    """

    def __init__(
        self, codes: NDArray[np.uint8], order: NDArray[np.int64], groups: NDArray[np.int64], lanes: int
    ) -> None:
        self.codes, self.order, self.groups, self.lanes = codes, order, groups[groups > 0], lanes

    def split(self) -> NDArray[np.int64]:
        """Halve cells until each is one group."""
        while (self.groups > 1).any():
            self._sort()
            self._halve()
        return self.order.reshape(-1, GROUP)

    def _sort(self) -> None:
        """Sort each lane of each cell by the attribute in which the cell is widest."""
        sizes = self.groups * GROUP
        starts = np.cumsum(sizes) - sizes
        codes = self.codes[:, self.order]
        extent = [
            (np.maximum.reduceat(row, starts) - np.minimum.reduceat(row, starts)) / (width - 1)
            for row, width in zip(codes, WIDTHS, strict=True)
        ]
        widest = np.repeat(np.argmax(extent, axis=0), sizes)
        segment = np.repeat(
            np.arange(len(sizes) * self.lanes, dtype=np.uint64), np.repeat(sizes // self.lanes, self.lanes)
        )
        position = np.arange(len(self.order), dtype=np.uint64)
        code = codes[widest, np.arange(len(self.order))].astype(np.uint64)
        keys = (segment << _SEGMENT_SHIFT) | (code << _CODE_SHIFT) | position
        keys.sort()
        self.order = self.order[(keys & _POSITION).astype(np.int64)]

    def _halve(self) -> None:
        """Give each lane's lower half to a left child and the rest to a right one; single groups stay."""
        left = np.where(self.groups > 1, self.groups // 2, self.groups)
        children = np.stack([left, self.groups - left], axis=1)
        lane_rows = children * (GROUP // self.lanes)
        child_starts = np.cumsum(lane_rows.ravel() * self.lanes).reshape(-1, 2) - lane_rows * self.lanes
        lane = np.arange(self.lanes)[None, :, None]
        # Segments in their present order: cell, lane, child.
        starts = child_starts[:, None, :] + lane * lane_rows[:, None, :]
        counts = np.broadcast_to(lane_rows[:, None, :], starts.shape).ravel()
        offset = np.repeat(starts.ravel() - (np.cumsum(counts) - counts), counts)
        moved = np.empty_like(self.order)
        moved[np.arange(len(moved)) + offset] = self.order
        self.order = moved
        self.groups = children.ravel()[children.ravel() > 0]
