"""How the last release's cells look from the next snapshot; see `audit.model.anonymizer.PreviousCells`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Kind, cover_ranges
from audit.io.microdata import ReadSnapshot
from audit.io.releases import Release
from audit.model.composite_keys import combine
from audit.model.errors import UsageError
from audit.model.evidence import Codes
from audit.model.history import CellRanges


@dataclass(frozen=True)
class GroupCells:
    """The cells of each group of a release, as numbers of the attributes; `cell` has shape (groups, attributes)."""

    attributes: tuple[QuasiIdentifier, ...]
    cell: Codes
    uniform: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, release: Release, attributes: tuple[QuasiIdentifier, ...]) -> GroupCells:
        """Return the cells of a release's groups; `uniform` is false for a group whose rows differ in theirs."""
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
    """The last release's cells, and the exact quasi-identifiers of the snapshot before and of the next one."""

    cells: GroupCells
    before: ReadSnapshot
    now: ReadSnapshot

    def ranges(self) -> CellRanges:
        """Return the cells of the last release's groups in the snapshot's scales.

        Raises:
            UsageError: the rows of a group differ in their cells.
        """
        if not self.cells.uniform.all():
            raise UsageError(
                "the rows of some group of the last release have different cells; "
                "this method goes on only with series whose groups have one cell for each quasi-identifier"
            )
        low, high = np.zeros_like(self.cells.cell), np.zeros_like(self.cells.cell)
        exact = np.ones(len(low), dtype=np.bool_)
        for column, attribute in enumerate(self.cells.attributes):
            used, place = np.unique(self.cells.cell[:, column], return_inverse=True)
            first, after, fits = self._spans(attribute, column, used)
            low[:, column], high[:, column] = first[place], after[place] - 1
            exact &= fits[place]
        return CellRanges(low, high, exact)

    def covers(self, group: Codes, row: Codes) -> npt.NDArray[np.bool_]:
        """Return whether the cells of some groups cover some rows of the snapshot, pair by pair."""
        covered = np.ones(len(group), dtype=np.bool_)
        for column, attribute in enumerate(self.cells.attributes):
            cells = self.cells.cell[group, column].astype(np.int64)
            points = self.now.snapshot.point[row, column]
            size = max(1, len(self.now.texts[column]))
            pairs, place = np.unique(cells * size + points, return_inverse=True)
            covered &= covered_pairs(attribute, pairs // size, pairs % size, self.now.texts[column])[place]
        return covered

    def moved(self) -> Codes:
        """Return the rows of people whose exact quasi-identifiers were others in the snapshot before."""
        old, new = self.before.snapshot, self.now.snapshot
        row_before = np.full(int(max(old.person.max(initial=-1), new.person.max(initial=-1))) + 1, -1, dtype=np.int32)
        row_before[old.person] = np.arange(len(old), dtype=np.int32)
        before = row_before[new.person]
        rows = np.flatnonzero(before >= 0)
        # One number for all columns of a row: of two rows in different places of memory one number each is fetched.
        columns = []
        for column in range(len(self.cells.attributes)):
            values = _exact(self.now, column)
            place_now = {value: place + 1 for place, value in enumerate(values)}
            carried = np.array([place_now.get(value, 0) for value in _exact(self.before, column)], dtype=np.int32)
            both = np.concatenate([carried[old.point[:, column]], new.point[:, column] + np.int32(1)])
            columns.append((both, len(values) + 1))
        key, _ = combine(columns, len(old) + len(new))
        return rows[key[before[rows]] != key[len(old) + rows]].astype(np.int32)

    def _spans(
        self, attribute: QuasiIdentifier, column: int, used: Codes
    ) -> tuple[Codes, Codes, npt.NDArray[np.bool_]]:
        """Return for some cells the first place covered, the place after the last, and whether all between are."""
        if attribute.kind is Kind.NUMERIC:
            return cover_ranges([attribute.cells[cell] for cell in used], self.now.numbers[column])
        grid = attribute.covers(used, self.now.texts[column])
        covered = grid.sum(axis=1)
        first = np.where(covered > 0, grid.argmax(axis=1), 0)
        after = np.where(covered > 0, grid.shape[1] - grid[:, ::-1].argmax(axis=1), 0)
        return first.astype(np.int32), after.astype(np.int32), after - first == covered


def covered_pairs(
    attribute: QuasiIdentifier, cells: npt.NDArray[np.int64], points: npt.NDArray[np.int64], texts: list[str]
) -> npt.NDArray[np.bool_]:
    """Return whether each of some cells covers the exact value paired with it; shape (pairs,)."""
    covered = np.zeros(len(cells), dtype=np.bool_)
    order = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    for start, stop in zip(starts, [*starts[1:], len(order)], strict=True):
        places = order[start:stop]
        values = [texts[point] for point in points[places]]
        covered[places] = attribute.covers(cells[places[:1]], values)[0]
    return covered


def _exact(read: ReadSnapshot, column: int) -> list[object]:
    return list(read.numbers[column] or read.texts[column])
