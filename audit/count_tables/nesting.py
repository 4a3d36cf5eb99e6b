"""Nesting: in which labels of one dimension those of another one may lie, if no table has both.

Such are districts and regions. Each way in which the counts allow it is another reading of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import numpy as np
import numpy.typing as npt

from audit.count_tables.label_doubts import unexplained
from audit.count_tables.label_sets import build_dimension
from audit.count_tables.published_counts import PublishedCounts
from audit.io.column_names import may_nest
from audit.model.arrays import Floats
from audit.model.json_types import UNBOUNDED

_MOST_TRIED, _MOST_WAYS = 20_000, 8
_RARE = np.log(100)  # how much rarer than the ways that there are a coincidence has to be

Way = tuple[int, ...]
"""For each label, the place of the label in which it lies."""


@dataclass(frozen=True)
class Nesting:
    """Two dimensions of different tables, and the ways in which labels of `inner` may lie in those of `outer`.

    Attributes:
        counts: the published counts.
        inner, outer: the places of the dimensions.
        ways: the ways that were found.
        is_complete: whether there are no others.
    """

    counts: PublishedCounts
    inner: int
    outer: int
    ways: Sequence[Way]
    is_complete: bool

    @property
    def names(self) -> tuple[str, str]:
        """The names of the dimensions."""
        return self.counts.dimensions[self.inner].axis.name, self.counts.dimensions[self.outer].axis.name

    def readings(self) -> Iterator[PublishedCounts]:
        """Yield the counts with one dimension in place of both, for each way."""
        counts, inner, outer = self.counts, *(self.counts.dimensions[place] for place in (self.inner, self.outer))
        parts = [inner.labels[label] for label in _labels(counts, self.inner)]
        wholes = {
            outer.labels[label]: f"{outer.labels[label]} ({outer.axis.name})" for label in _labels(counts, self.outer)
        }
        for way in self.ways:
            covers = {part: [part] for part in parts}
            for at, text in enumerate(wholes.values()):
                covers[text] = [part for part, whole in zip(parts, way, strict=True) if whole == at]
                covers[text] += [f"{text} (rest)"] * (inner.rest >= 0)
            total = inner.labels[inner.total]
            both = build_dimension(inner.axis.name, covers, total, covers, is_open=outer.rest >= 0)
            label, rows = counts.label.copy(), counts.label[:, self.outer] != outer.total
            texts = [inner.labels[at] for at in label[:, self.inner].tolist()]
            for row in np.flatnonzero(rows).tolist():
                texts[row] = wholes[outer.labels[label[row, self.outer]]]
            label[:, self.inner] = [both.labels.index(text) for text in texts]
            dimensions = [both if at == self.inner else each for at, each in enumerate(counts.dimensions)]
            yield replace(counts, label=label, dimensions=tuple(dimensions)).without([self.outer])


def nestings(counts: PublishedCounts) -> Iterator[Nesting]:
    """Yield each two dimensions that may be nested, as their names or numbers show, if no table has both."""
    for inner, outer in permutations(unexplained(counts), 2):
        few, many = (len(_labels(counts, place)) for place in (outer, inner))
        both = [counts.label[:, place] != counts.dimensions[place].total for place in (inner, outer)]
        if not 1 < few < many or np.intersect1d(*(counts.file[rows] for rows in both)).size:
            continue
        release = counts.release * (counts.manifest.over_time != "same")
        keys = np.column_stack([release, counts.measure, np.delete(counts.label, [inner, outer], axis=1)])
        line = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        parts, wholes = (_ends(counts, place, line) for place in (inner, outer))
        if (parts[0] == parts[1]).all() and (wholes[0] == wholes[1]).all():
            continue
        search = WaySearch(parts, wholes, counts.dimensions[inner].rest >= 0, counts.dimensions[outer].rest >= 0)
        is_complete = search.run((), np.zeros_like(search.wholes))
        found = Nesting(counts, inner, outer, search.ways, is_complete)
        if may_nest(*found.names) or any(map(search.is_evidence, search.ways)):
            yield found


def _labels(counts: PublishedCounts, place: int) -> list[int]:
    """Return the labels of a dimension that tables with counts have, without the total."""
    own = np.unique(counts.label[~counts.without_count, place]).tolist()
    return [label for label in own if label != counts.dimensions[place].total]


def _ends(counts: PublishedCounts, place: int, line: npt.NDArray[np.integer]) -> Floats:
    """Return the least and the greatest count of each label of a dimension in each line; shape (2, labels, lines)."""
    labels = _labels(counts, place)
    ends = np.zeros((2, len(labels), int(line.max(initial=-1)) + 1))
    ends[1] = UNBOUNDED
    for at, label in enumerate(labels):
        rows = (counts.label[:, place] == label) & ~counts.without_count
        if counts.manifest.absent_is_zero:
            ends[1, at] = 0
        ends[1, at, line[rows]] = UNBOUNDED
        np.maximum.at(ends[0, at], line[rows], counts.lower[rows])
        np.minimum.at(ends[1, at], line[rows], counts.upper[rows])
    return ends


@dataclass
class WaySearch:
    """Finds the ways in which parts may lie in wholes.

    Attributes:
        parts, wholes: the least and the greatest counts; shape (2, labels, lines).
        is_partial: whether wholes may have further parts.
        is_open: whether parts may lie in none of the wholes; these have one more then, with any count.
        ways: the ways that were found.
        tried: how many beginnings of ways were tried.
    """

    parts: Floats
    wholes: Floats
    is_partial: bool
    is_open: bool
    ways: list[Way] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        if self.is_open:
            anything = np.zeros_like(self.wholes[:, :1])
            anything[1] = UNBOUNDED
            self.wholes = np.concatenate([self.wholes, anything], axis=1)
        if self.is_partial:
            self.wholes[0] = 0

    def run(self, way: Way, sums: Floats) -> bool:
        """Find the ways that begin like this one, whose sums these are; return whether these are all."""
        self.tried += 1
        if self.tried > _MOST_TRIED or len(self.ways) == _MOST_WAYS:
            return False
        left = self.parts[1, len(way) :].sum(axis=0)
        if (sums[0] > self.wholes[1]).any() or (sums[1] + left < self.wholes[0]).any():
            return True
        if len(way) == self.parts.shape[1]:
            if self.is_partial or {*way} >= {*range(self.wholes.shape[1] - self.is_open)}:
                self.ways.append(way)
            return True
        every = []
        for whole in range(self.wholes.shape[1]):
            added = sums.copy()
            added[:, whole] += self.parts[:, len(way)]
            every.append(self.run((*way, whole), added))
        return all(every)

    def is_evidence(self, way: Way) -> bool:
        """Return whether the numbers are too large and too many to agree with a way by chance."""
        widths = self.wholes[1] - self.wholes[0] + 1
        for part, whole in enumerate(way):
            widths[whole] += self.parts[1, part] - self.parts[0, part]
        shown = np.log(np.maximum(self.wholes[1] / widths, 1)) * (self.wholes[1] < UNBOUNDED)
        surest = shown.sum() - shown.max(axis=0).sum()  # the last one follows from the others and the total
        return not self.is_partial and bool(surest > _RARE + len(way) * np.log(len(self.wholes[0])))
