"""What the rows of each release publish, cell by cell, for whoever asks which rows may be whose."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from audit.adversary.held_series import HeldSeries
from audit.adversary.record_linkage import RecordContents
from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Cell, Interval, Kind, Masked, NumberSet, ValueSet, intersect
from audit.model.arrays import Codes
from audit.model.evidence import PublishedRows

_ELSEWHERE = "any other value"


class RowContentsSource:
    """The rows of the releases and their cells, which become numbers when they are asked for."""

    def __init__(self, releases: HeldSeries, sensitive: str) -> None:
        self._releases, self._sensitive = releases, sensitive
        self.attributes = releases.series.manifest.columns.quasi_identifiers

    @cached_property
    def _contents(self) -> list[RecordContents]:
        attributes = self._releases.series.attributes
        return [RecordContents(attributes[name]) for name in self.attributes]

    def rows(self, position: int) -> PublishedRows:
        """Return the rows of a release, counted from 0.

        Raises:
            InputError: a cell cannot be read.
        """
        release, series = self._releases.get(position).release, self._releases.series
        cells = []
        for contents, name in zip(self._contents, self.attributes, strict=True):
            codes, texts = release.texts[name]
            numbers, errors = series.attributes[name].numbers(texts)
            if errors:
                series.read(position, self.attributes, key=False)  # which says where they are
            cells.append(contents.numbers(numbers)[codes])
        table = np.stack(cells, axis=1) if cells else np.zeros((release.rows, 0), dtype=np.int32)
        value = release.entry_value[self._sensitive] if release.values_by_row and release.counts is None else None
        return PublishedRows(table, value, release.group.codes, release.person, sum(release.counterfeits.values()))

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return what pairs of cells of an attribute have in common, -1 where nothing."""
        return self._contents[attribute].shared(left, right)

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """Return points of an attribute that some cells tell apart, as cells, and which cover each; (points, cells)."""
        contents = self._contents[attribute]
        known = [contents.cell(number) for number in cells.tolist()]
        points = _points(known, self._releases.series.attributes[self.attributes[attribute]])
        table = np.array([[intersect(cell, point) == point for cell in known] for point in points], dtype=np.bool_)
        kinds, first = np.unique(table.reshape(len(points), len(known)), axis=0, return_index=True)
        kept = kinds.any(axis=1)
        numbers = [contents.add(points[at]) for at in first[kept].tolist()]
        return np.array(numbers, dtype=np.int32), kinds[kept]

    def text(self, attribute: int, cell: int) -> str:
        """Return a cell as text."""
        return self._contents[attribute].text(cell)

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self._releases.get(position).release.group
        return [group.name(int(code)) for code in groups]


def _points(cells: Sequence[Cell], attribute: QuasiIdentifier) -> list[Cell]:
    """Return points such that every set of cells that have a point in common without the others covers one of them."""
    if attribute.kind is not Kind.CATEGORICAL:
        return [Interval(number, number) for number in _numbers(cells, days=attribute.kind.is_date)]
    leaves = set() if attribute.hierarchy is None else set(attribute.hierarchy.levels[0])
    texts = leaves.union(*(cell.members for cell in cells if isinstance(cell, ValueSet)))
    for cell in cells:
        if isinstance(cell, Masked):
            texts.add(cell.prefix.ljust(cell.length, "\uffff"))
    if not leaves:
        texts.add(_ELSEWHERE)
    return [ValueSet(frozenset([text])) for text in sorted(texts)]


def _numbers(cells: Sequence[Cell], *, days: bool) -> list[Fraction]:
    """Return all ends of intervals and members of sets, numbers between them, and one on either side.

    Between days there are only days: the one before and the one after each end.
    """
    ends: set[Fraction] = set()
    for cell in cells:
        if isinstance(cell, Interval):
            ends |= {end for end in (cell.low, cell.high) if end is not None}
        elif isinstance(cell, NumberSet):
            ends |= cell.members
    known = sorted(ends) or [Fraction(0)]
    if days:
        return sorted({end + step for end in known for step in (-1, 0, 1)})
    between = [(one + other) / 2 for one, other in pairwise(known)]
    return sorted({*known, *between, known[0] - 1, known[-1] + 1})
