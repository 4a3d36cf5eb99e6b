"""Covering: which groups may hold whom, when all that is known of a person is exact quasi-identifiers.

A group covers a point when one of its distinct rows of cells does (m-invariance paper, Definition 6). No pair of
point and group is tried by itself: for each attribute and exact value there is a bitmap over the boxes whose cell
covers it, and a point's boxes are the bitwise and of its attributes' bitmaps. Cost: points x boxes / 64 words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.reading.attributes import Attribute, combine

Codes = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
_Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
_CHUNK_WORDS = 4 << 20
_BATCH = 8 << 20


@dataclass(frozen=True)
class Boxes:
    """The distinct rows of generalized cells of one release.

    Attributes:
        group: the group of each box; shape (boxes,), int32.
        cells: cell numbers; shape (boxes, attributes), int32.
        single: whether no group has two boxes.
    """

    group: Codes
    cells: Codes
    single: bool


def boxes(group: Codes, cells: Sequence[tuple[Codes, int]]) -> Boxes:
    """Return the distinct boxes of a release from its rows' groups and cell numbers (with bounds on these)."""
    size = int(group.max(initial=-1)) + 1
    key, _ = combine([(group, size), *cells], len(group))
    # Rows mostly come sorted by group: dropping runs first leaves little to sort.
    runs = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    _, first = np.unique(key[runs], return_index=True)
    rows = runs[first]
    columns = [codes[rows] for codes, _ in cells]
    stacked = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.int32)
    groups = group[rows]
    return Boxes(groups, stacked, single=len(np.unique(groups)) == len(groups))


@dataclass(frozen=True)
class Cover:
    """Which groups cover which points.

    Attributes:
        points: number of points.
        point, group: the pairs, distinct, in order of points; shape (pairs,).
    """

    points: int
    point: npt.NDArray[np.int64]
    group: Codes

    def groups_of_point(self) -> npt.NDArray[np.intp]:
        """Return how many groups cover each point; shape (points,)."""
        return np.bincount(self.point, minlength=self.points)

    def first_group(self) -> Codes:
        """Return one covering group of each point, 0 for points that have none; shape (points,)."""
        first = np.zeros(self.points, dtype=np.int32)
        first[self.point[::-1]] = self.group[::-1]
        return first

    def contents(self, entries: tuple[Codes, Codes, Counts | None], values: int) -> tuple[Codes, Codes, Counts]:
        """Return what the pools of the points hold, from the entries (group, value, count) of the groups.

        The result is (point, value, count), each pair of point and value once, in order.
        """
        group, value, count = entries
        order = np.argsort(group, kind="stable")
        start = np.searchsorted(
            group[order], np.arange(max(int(group.max(initial=-1)), int(self.group.max(initial=-1))) + 2)
        )
        weights = None if count is None else count[order]
        sorted_values = value[order]
        found: list[npt.NDArray[np.int64]] = []
        sums: list[npt.NDArray[np.int64]] = []
        length = start[self.group + 1] - start[self.group]
        for first, last in _batches(self.point, length, self.points, values):
            span = slice(*np.searchsorted(self.point, [first, last]))
            at = np.repeat(start[self.group[span]] - np.cumsum(length[span]) + length[span], length[span])
            at += np.arange(len(at))
            key = np.repeat(self.point[span] - first, length[span]) * values + sorted_values[at]
            total = np.bincount(key, None if weights is None else weights[at], (last - first) * values)
            full = np.flatnonzero(total)
            found.append(full + first * values)
            sums.append(total[full].astype(np.int64))
        keys = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
        pool, of = np.divmod(keys, max(values, 1))
        return pool.astype(np.int32), of.astype(np.int32), np.concatenate(sums) if sums else keys


def _batches(
    point: npt.NDArray[np.int64], length: npt.NDArray[np.intp], points: int, values: int
) -> Iterator[tuple[int, int]]:
    """Yield ranges of points whose contents fit in memory."""
    work = np.cumsum(np.bincount(point, weights=length, minlength=points) + values)
    first = 0
    while first < points:
        done = work[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(work, done + _BATCH, side="right")))
        yield first, last
        first = last


def cover(found: Boxes, attributes: Sequence[Attribute], values: Sequence[Sequence[str]], points: Codes) -> Cover:
    """Return which groups cover which points; `points` holds indices into `values`, shape (points, attributes)."""
    maps = _bitmaps(found, attributes, values)
    rows, groups = [], []
    for row, box in _pairs(maps, points, len(found.group)):
        group = found.group[box]
        if not found.single:
            size = int(found.group.max(initial=0)) + 1
            row, group = np.divmod(np.unique(row * size + group), size)
        rows.append(row.astype(np.int64))
        groups.append(group.astype(np.int32))
    if not rows:
        return Cover(len(points), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32))
    return Cover(len(points), np.concatenate(rows), np.concatenate(groups))


def _bitmaps(found: Boxes, attributes: Sequence[Attribute], values: Sequence[Sequence[str]]) -> list[Words]:
    """Return, per attribute, the boxes that cover each exact value, as bits; shape (values, words)."""
    words = (len(found.group) + 63) // 64
    maps = []
    for place, attribute in enumerate(attributes):
        used, cell = np.unique(found.cells[:, place], return_inverse=True)
        covered = attribute.covers(used, values[place]).T
        bits = np.zeros((covered.shape[0], words * 64), dtype=np.bool_)
        np.take(covered, cell, axis=1, out=bits[:, : len(cell)])
        maps.append(np.packbits(bits, axis=1, bitorder="little").view(np.uint64))
    return maps


def _pairs(maps: Sequence[Words], points: Codes, n_boxes: int) -> Iterator[_Pairs]:
    """Yield (point, box) pairs, in order of points; `points` holds value codes, shape (points, attributes)."""
    if not maps:
        yield np.repeat(np.arange(len(points)), n_boxes), np.tile(np.arange(n_boxes), len(points))
        return
    step = max(1, _CHUNK_WORDS // max(1, maps[0].shape[1]))
    for start in range(0, len(points), step):
        part = points[start : start + step]
        both = maps[0][part[:, 0]]
        for place in range(1, len(maps)):
            both &= maps[place][part[:, place]]
        row, word = np.nonzero(both)
        bits = np.unpackbits(both[row, word].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        which, bit = np.nonzero(bits)
        yield row[which] + start, word[which] * 64 + bit
