"""Previous cells: the last release's cells in the scales of the next snapshot (`model.anonymizer.PreviousCells`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import CellError, Kind, ValueSet, contains, cover_ranges
from audit.io.microdata import ReadSnapshot
from audit.io.releases import KeyedRelease
from audit.model.anonymizer import CellRanges
from audit.model.arrays import Codes, Flags, distinct, numbered
from audit.model.errors import UsageError
from audit.publishing.verification import uncovered


def covers_itself(text: str, attribute: QuasiIdentifier) -> bool:
    """Return whether an exact value, written as a cell, is read as a cell that covers it; true for all numbers."""
    if attribute.kind is not Kind.CATEGORICAL:
        return True
    try:
        cell = attribute.parse(text)
    except CellError:
        return False
    return contains(cell, ValueSet(frozenset([text])))


@dataclass(frozen=True)
class GroupCells:
    """The cells of each group of a release, as numbers of the attributes; `cell` has shape (groups, attributes)."""

    attributes: tuple[QuasiIdentifier, ...]
    cell: Codes
    uniform: Flags

    @classmethod
    def of(cls, release: KeyedRelease, attributes: tuple[QuasiIdentifier, ...]) -> GroupCells:
        """Return the cells of a release's groups; `uniform` is false for a group whose rows have different cells."""
        groups = release.group.codes
        cell = np.zeros((release.group.size, len(attributes)), dtype=np.int32)
        uniform = np.ones(release.group.size, dtype=np.bool_)
        for column, attribute in enumerate(attributes):
            codes = release.cells[attribute.name]
            cell[groups, column] = codes
            uniform[groups[cell[groups, column] != codes]] = False
        return cls(attributes, cell, uniform)


@dataclass(frozen=True)
class LastReleaseCells:
    """The last release's cells, its snapshot, and the next snapshot."""

    cells: GroupCells
    before: ReadSnapshot
    now: ReadSnapshot

    def ranges(self) -> CellRanges:
        """Return the cells of the last release's groups in the snapshot's scales.

        Raises:
            UsageError: the rows of a group differ in their cells.
        """
        if not self.cells.uniform.all():
            raise UsageError.say(
                "a group of the last release has rows with different cells; this method continues only series "
                "in which all rows of a group have the same cells; begin a new series"
            )
        low, high = np.zeros_like(self.cells.cell), np.zeros_like(self.cells.cell)
        exact = np.ones(len(low), dtype=np.bool_)
        for column, attribute in enumerate(self.cells.attributes):
            cells = self.cells.cell[:, column]
            example, place = distinct(cells.astype(np.int64), len(attribute.cells))
            first, after, fits = self._spans(attribute, column, cells[example])
            low[:, column], high[:, column] = first[place], after[place] - 1
            exact &= fits[place]
        return CellRanges(low, high, exact)

    def covers(self, group: Codes, row: Codes) -> Flags:
        """Return whether the cells of groups cover rows of the snapshot, pair by pair."""
        covered = np.ones(len(group), dtype=np.bool_)
        covered[uncovered(self.cells.cell[group].T, self.cells.attributes, self.now, row)] = False
        return covered

    def moved(self) -> Codes:
        """Return the rows of people whose exact quasi-identifiers differ from those in the snapshot before."""
        old, new = self.before.snapshot, self.now.snapshot
        row_now = numbered(new.person, int(max(old.person.max(initial=-1), new.person.max(initial=-1))) + 1)
        rows, point = row_now[old.person], self._point_before()
        present = rows >= 0
        if not present.all():
            rows, point = rows[present], point[present]
        differs = new.point.take(rows, axis=0) != point
        # `differs.any()` is much faster than `any(axis=1)`, and mostly there are no differences.
        return np.sort(rows[differs.any(axis=1)]) if differs.any() else rows[:0]

    def _point_before(self) -> Codes:
        """Return the points of the snapshot before in the next one's scales, -1 for values that these lack."""
        point = self.before.snapshot.point
        for column in range(len(self.cells.attributes)):
            place_now = {value: place for place, value in enumerate(_exact(self.now, column))}
            carried = [place_now.get(value, -1) for value in _exact(self.before, column)]
            if carried == list(range(len(carried))):
                continue
            if point is self.before.snapshot.point:
                point = point.copy()
            point[:, column] = np.array(carried, dtype=np.int32)[point[:, column]]
        return point

    def _spans(self, attribute: QuasiIdentifier, column: int, used: Codes) -> tuple[Codes, Codes, Flags]:
        """Return the first place that each cell covers, the place after the last, and whether it covers all between."""
        if attribute.kind is not Kind.CATEGORICAL:
            return cover_ranges([attribute.cells[cell] for cell in used], self.now.numbers[column])
        grid = attribute.covers(used, self.now.texts[column])
        covered = grid.sum(axis=1)
        first = np.where(covered > 0, grid.argmax(axis=1), 0)
        after = np.where(covered > 0, grid.shape[1] - grid[:, ::-1].argmax(axis=1), 0)
        return first.astype(np.int32), after.astype(np.int32), after - first == covered


def _exact(read: ReadSnapshot, column: int) -> list[object]:
    return list(read.numbers[column] or read.texts[column])
