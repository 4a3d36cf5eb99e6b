"""Descriptions: what the cells of each record have in common, and certificates of records that are narrowed too far."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from audit.findings.narrowed import Cause, Narrowed, RecordStep
from audit.model.arrays import Codes, Places
from audit.model.composite_keys import combine, distinct
from audit.model.evidence import Records, RecordSource


class RecordDescriptions:
    """What is known of each record so far.

    Attributes:
        record: the records in order of first appearance; shape (records,), int32.
        cells: what each record's cells have in common, one array per attribute; each of shape (records,), int32.
    """

    def __init__(self, source: RecordSource) -> None:
        self._source = source
        self._place = np.zeros(0, dtype=np.int32)
        self.record = np.zeros(0, dtype=np.int32)
        self.cells = [np.zeros(0, dtype=np.int32) for _ in source.attributes]

    def add(self, rows: Records, release: int) -> Codes:
        """Intersect records with a release, and return the place of each row's record; shape (rows,), int32.

        Raises:
            InputError: a row's cell has nothing in common with the record's earlier ones.
        """
        known = len(self.record)
        self._place = np.append(self._place, np.full(rows.size - len(self._place), -1, dtype=np.int32))
        new = np.flatnonzero(self._place[rows.record] < 0)
        self._place[rows.record[new]] = known + np.arange(len(new), dtype=np.int32)
        self.record = np.append(self.record, rows.record[new])
        place = self._place[rows.record]
        old = np.flatnonzero(place < known)
        for attribute, now in enumerate(rows.cells):
            cells = self.cells[attribute] = np.append(self.cells[attribute], now[new])
            rest = old[cells[place[old]] != now[old]]
            cells[place[rest]] = self._shared(attribute, cells[place[rest]], now[rest], rest, release)
        return place

    def _shared(self, attribute: int, before: Codes, now: Codes, rows: Places, release: int) -> Codes:
        """Return what pairs of cells have in common; each distinct pair is asked for once."""
        bounds = [(codes, int(codes.max(initial=0)) + 1) for codes in (before, now)]
        first, pair = distinct(*combine(bounds, len(rows)))
        shared = self._source.shared(attribute, before[first], now[first])[pair]
        nothing = np.flatnonzero(shared < 0)
        if len(nothing):
            raise self._source.contradiction(release, int(rows[nothing[0]]), attribute)
        return shared

    def of(self, record: int) -> tuple[int, ...]:
        """Return what is known of a record."""
        place = self._place[record]
        return tuple(int(cells[place]) for cells in self.cells)


def equal_rows(columns: Sequence[Codes]) -> tuple[Places, Codes]:
    """Return a row of each class of equal rows of some columns, and the class of each row; shape (rows,), int32."""
    bounds = [(codes, int(codes.max(initial=0)) + 1) for codes in columns]
    return distinct(*combine(bounds, len(columns[0])))


def narrowed(
    source: RecordSource, record: Codes, release: Codes, size: Codes, causes: Sequence[Cause]
) -> Callable[[Places], list[Narrowed[int]]]:
    """Return what builds the findings of records that became unsafe; all arguments have shape (claims,)."""

    def build(places: Places) -> list[Narrowed[int]]:
        wanted, at = record[places], release[places]
        steps: dict[int, list[RecordStep[int]]] = {int(code): [] for code in wanted}
        known = RecordDescriptions(source)
        built: dict[int, Narrowed[int]] = {}
        for position in range(int(at.max(initial=-1)) + 1):
            rows = source.rows(position)
            mine = np.flatnonzero(np.isin(rows.record, wanted))
            known.add(_some(rows, mine), position)
            sizes, groups = _class_sizes(rows, mine).tolist(), source.groups(position, mine)
            cells = zip(*(column[mine].tolist() for column in rows.cells), strict=True)
            for code, group, count, cell in zip(rows.record[mine].tolist(), groups, sizes, cells, strict=True):
                steps[code].append(RecordStep(position, group, count, dict(enumerate(cell))))
            for place in places[at == position].tolist():
                code = int(record[place])
                certificate = tuple(steps[code])
                least = int(size[place])
                described = dict(enumerate(known.of(code)))
                built[place] = Narrowed(code, position, least, 1 / least, causes[place], described, certificate)
        return [built[place] for place in places.tolist()]

    return build


def _some(rows: Records, places: Places) -> Records:
    real = None if rows.real is None else rows.real[places]
    return Records(rows.record[places], tuple(cells[places] for cells in rows.cells), real, rows.size)


def _class_sizes(rows: Records, places: Places) -> npt.NDArray[np.integer]:
    """Return how many rows that are not counterfeits have the cells of each of some rows."""
    alike = np.ones(len(rows.record), dtype=np.bool_)
    for cells in rows.cells:
        alike &= np.isin(cells, cells[places])
    near = np.flatnonzero(alike)
    first, group = equal_rows([cells[near] for cells in rows.cells])
    counted = group if rows.real is None else group[rows.real[near]]
    return np.bincount(counted, minlength=len(first))[group[np.searchsorted(near, places)]]
