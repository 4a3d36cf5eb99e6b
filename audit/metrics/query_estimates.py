"""Query estimates: answer COUNT queries from a release's boxes, or from its rows if their values are exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.metrics import queries
from audit.metrics.axes import Extents, Places
from audit.metrics.generalization_loss import group_sizes
from audit.metrics.queries import Workload
from audit.model.arrays import Counts, Floats


@dataclass(frozen=True)
class ReleaseContents:
    """A release with its cells as parts of axes.

    Attributes:
        extents: the extents of its cells, for each quasi-identifier.
        cell: the place of each row's cell in the extents; shape (rows, attributes).
        group: the group of each row, in [0, groups), none empty; shape (rows,).
        count: the number of people of each row; shape (rows,).
        entry_group, entry_value, entry_count: the published values: group, place on the sensitive axis (from 0, or
            -1 for a value that only counterfeits have) and number of rows; shape (entries,).
        values: size of the sensitive axis.
        fake: published counterfeits by group; shape (groups,).
    """

    extents: tuple[Extents, ...]
    cell: Places
    group: Places
    count: Counts
    entry_group: Places
    entry_value: Places
    entry_count: Counts
    values: int
    fake: Counts

    @cached_property
    def sizes(self) -> Counts:
        """The number of people of each group, counterfeits included; shape (groups,)."""
        return group_sizes(self.group, self.count, len(self.fake))

    @property
    def exact(self) -> bool:
        """Whether each row is one person with exact values, as in Anatomy."""
        cells_are = all(bool(each.single[self.cell[:, a]].all()) for a, each in enumerate(self.extents))
        return cells_are and bool((self.count == 1).all())

    def parts(self) -> Iterator[ReleaseContents]:
        """Yield blocks of groups, so that a table of their values stays small."""
        step = max(1, queries.TILE // (self.values + 2))
        if step >= len(self.fake):
            yield self
            return
        row_order, entry_order = np.argsort(self.group, kind="stable"), np.argsort(self.entry_group, kind="stable")
        bounds = np.append(np.arange(0, len(self.fake), step), len(self.fake))
        row_at = np.searchsorted(self.group[row_order], bounds)
        entry_at = np.searchsorted(self.entry_group[entry_order], bounds)
        for i, begin in enumerate(bounds[:-1]):
            rows, entries = row_order[row_at[i] : row_at[i + 1]], entry_order[entry_at[i] : entry_at[i + 1]]
            yield ReleaseContents(
                self.extents,
                self.cell[rows],
                self.group[rows] - begin,
                self.count[rows],
                self.entry_group[entries] - begin,
                self.entry_value[entries],
                self.entry_count[entries],
                self.values,
                self.fake[begin : bounds[i + 1]],
            )

    def value_counts(self) -> Counts:
        """Return how often each group has each value of the axis; shape (groups, values)."""
        groups, known = len(self.fake), self.entry_value >= 0
        key = self.entry_group[known].astype(np.int64) * self.values + self.entry_value[known]
        counts = np.bincount(key, weights=self.entry_count[known], minlength=groups * self.values)
        return counts.astype(np.int64).reshape(groups, self.values)


def estimate(published: ReleaseContents, workload: Workload) -> Floats:
    """Return the expected count of each query; shape (queries,).

    A group G with c3 published counterfeits contributes (|G| - c3) · c1 · c2, where c1 is the share of its box in the
    query's ranges and c2 the share of its values (m-invariance paper, Section 5.2). If a group's rows have different
    cells, c1 is their average. With exact values, as in Anatomy, |G| · c1 is the number of the group's rows in the
    ranges (equivalence paper, Proposition 1), each of which is a person with probability 1 - c3 / |G|.
    """
    answer = _by_rows if published.exact and published.extents else _by_boxes
    found = np.zeros(len(workload))
    for part in published.parts():
        found += answer(part, workload)
    return found


def _by_boxes(published: ReleaseContents, workload: Workload) -> Floats:
    """Estimate from the distinct boxes of each group: the product of the shares of their sides, times c2."""
    group, first, people = _boxes(published)
    cell = published.cell[first]
    sizes = published.sizes[group].astype(np.float64)
    # The box's real people, divided by |G| to turn counts of values into c2.
    weight = people * (sizes - published.fake[group]) / (sizes * sizes)
    below = _below(published.value_counts())
    sensitive = len(published.extents)
    left, right = workload.halves
    width = max(1, queries.TILE // (len(left.combination) + len(right.combination)))
    found = np.zeros(len(workload))
    for begin in range(0, len(group), width):
        tile = slice(begin, begin + width)

        def column(axis: int, low: Floats, high: Floats, tile: slice = tile) -> Floats:
            if axis == sensitive:
                return (below[high.astype(np.intp)] - below[low.astype(np.intp)])[:, group[tile]] * weight[tile]
            used, place = np.unique(cell[tile, axis], return_inverse=True)
            return _selected(published.extents[axis], used).fractions(low, high)[:, place]

        ones = np.ones(len(group[tile]))
        tables = [half.table(column, np.multiply, ones) for half in (left, right)]
        for block in queries.blocks(len(workload), len(ones)):
            found[block] += np.einsum("qb,qb->q", tables[0][left.of[block]], tables[1][right.of[block]])
    return found


def _boxes(published: ReleaseContents) -> tuple[Places, Places, Counts]:
    """Return the group, a row, and the number of people of each distinct box, in order of groups."""
    order = np.lexsort([*published.cell.T, published.group])
    group, cell = published.group[order], published.cell[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (group[1:] != group[:-1]) | (cell[1:] != cell[:-1]).any(axis=1)
    begin = np.flatnonzero(new)
    people = np.add.reduceat(published.count[order], begin) if len(begin) else np.zeros(0, dtype=np.int64)
    return group[begin], order[begin], people


def _selected(extents: Extents, cells: Places) -> Extents:
    """Return the extents of the given cells, in their order."""
    sizes = np.diff(extents.first)[cells]
    first = np.concatenate([[0], np.cumsum(sizes)])
    at = np.repeat(extents.first[cells] - first[:-1], sizes) + np.arange(first[-1])
    return Extents(extents.start[at], extents.stop[at], first, extents.size, extents.counted)


def _by_rows(published: ReleaseContents, workload: Workload) -> Floats:
    """Estimate from rows with exact values; groups with equal shares of values are counted together by bitmaps."""
    counts, sizes = published.value_counts(), published.sizes
    alike = np.column_stack([counts, sizes - published.fake]) / sizes[:, None]
    kinds, kind = np.unique(alike, axis=0, return_inverse=True)
    kind = kind.reshape(-1)[published.group]
    below = _below(kinds[:, :-1] * kinds[:, -1:])
    places = np.stack([each.middle[published.cell[:, a]] for a, each in enumerate(published.extents)], axis=1)
    # Each kind begins at a new word.
    order = np.argsort(kind, kind="stable")
    rows_of = np.bincount(kind, minlength=len(kinds))
    words_of = -(-rows_of // 64)
    first_word = np.concatenate([[0], np.cumsum(words_of)])
    slot = np.arange(len(order)) + np.repeat(64 * first_word[:-1] - (np.cumsum(rows_of) - rows_of), rows_of)
    laid = np.full((64 * first_word[-1], places.shape[1]), np.nan)
    laid[slot] = places[order]
    word_kind = np.repeat(np.arange(len(kinds)), words_of)
    ends, asked = np.unique(np.stack([workload.low[:, -1], workload.high[:, -1]]), axis=1, return_inverse=True)
    low, high = ends.astype(np.intp)
    asked = asked.reshape(-1)
    found = np.zeros(len(workload))
    quasi = Workload(workload.low[:, :-1], workload.high[:, :-1])
    begin = 0
    for rows in queries.tiles(laid, quasi):
        of_word = word_kind[begin : begin + len(rows) // 64]
        begin += len(of_word)
        share = (below[high] - below[low])[:, of_word]
        for block, words in queries.matches(rows, quasi):
            found[block] += np.einsum("qw,qw->q", np.bitwise_count(words), share[asked[block]])
    return found


def _below(counts: npt.NDArray[Any]) -> Floats:
    """Return the cumulative sums over the values of the sensitive axis; shape (values + 1, groups)."""
    return np.concatenate([np.zeros((1, len(counts))), np.cumsum(counts.T, axis=0)])
