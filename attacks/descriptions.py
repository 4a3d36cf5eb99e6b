"""Descriptions: the intersection of each record's cells, and certificates of records whose class is too small."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from audit.findings.rows import Cause, Narrowed, RecordStep
from audit.model.arrays import Codes, Integers, Places, combine, distinct
from audit.model.evidence import Records, RecordSource, WrongCellError


class RecordDescriptions:
    """The description of each record: the intersection of its cells so far.

    Attributes:
        seen: which records were published so far; shape (records,), bool.
        cells: the intersection of each record's cells, one array for each attribute; shape (records,), int32.
    """

    def __init__(self, source: RecordSource, releases: int) -> None:
        self._source, size = source, source.rows(releases - 1).size if releases else 0
        self.seen = np.zeros(size, dtype=np.bool_)
        self.cells = [np.zeros(size, dtype=np.int32) for _ in source.attributes]

    def add(self, rows: Records, release: int) -> None:
        """Intersect the descriptions of records with their cells in a further release.

        Raises:
            WrongCellError: a row's cell does not intersect the record's earlier cells.
        """
        known = self.seen[rows.record]
        new, old = np.flatnonzero(~known), np.flatnonzero(known)
        wrong = dict[str, int]()
        for attribute, (cells, now) in enumerate(zip(self.cells, rows.cells, strict=True)):
            cells[rows.record[new]] = now[new]
            rest = old[cells[rows.record[old]] != now[old]]
            who = rows.record[rest]
            cells[who] = shared = self._shared(attribute, cells[who], now[rest])
            wrong.update((self._source.attributes[attribute], row) for row in rest[shared < 0][:1].tolist())
        if wrong:
            raise WrongCellError(release, next(iter(wrong.values())), tuple(wrong))
        self.seen[rows.record] = True

    def classes(self) -> Codes:
        """Return the class of equal descriptions of each record, -1 if it was not published yet."""
        found = np.full(len(self.seen), -1, dtype=np.int32)
        found[self.seen] = equal_rows([cells[self.seen] for cells in self.cells])[1]
        return found

    def _shared(self, attribute: int, before: Codes, now: Codes) -> Codes:
        """Return the intersections of pairs of cells, -1 if empty; each distinct pair is computed once."""
        bounds = [(codes, int(codes.max(initial=0)) + 1) for codes in (before, now)]
        first, pair = distinct(*combine(bounds, len(now)))
        return self._source.shared(attribute, before[first], now[first])[pair]


def equal_rows(columns: Sequence[Codes]) -> tuple[Places, Codes]:
    """Return a row of each class of equal rows of some columns, and the class of each row; shape (rows,), int32."""
    bounds = [(codes, int(codes.max(initial=0)) + 1) for codes in columns]
    return distinct(*combine(bounds, len(columns[0])))


def narrowed(
    source: RecordSource, record: Codes, release: Codes, size: Codes, causes: Sequence[Cause]
) -> Callable[[Places], list[Narrowed[int]]]:
    """Return a builder of the findings about records that became unsafe; all arguments have shape (claims,)."""

    def build(places: Places) -> list[Narrowed[int]]:
        wanted, at = record[places], release[places]
        steps: dict[int, list[RecordStep[int]]] = {int(code): [] for code in wanted}
        releases = int(at.max(initial=-1)) + 1
        known, built = RecordDescriptions(source, releases), dict[int, Narrowed[int]]()
        for position in range(releases):
            rows = source.rows(position)
            chosen = np.flatnonzero(np.isin(rows.record, wanted))
            known.add(_chosen(rows, chosen), position)
            sizes, groups = _class_sizes(rows, chosen).tolist(), source.groups(position, chosen)
            cells = zip(*(column[chosen].tolist() for column in rows.cells), strict=True)
            for code, group, count, cell in zip(rows.record[chosen].tolist(), groups, sizes, cells, strict=True):
                steps[code].append(RecordStep(position, group, count, dict(enumerate(cell))))
            for place in places[at == position].tolist():
                code = int(record[place])
                certificate = tuple(steps[code])
                least = int(size[place])
                described = {attribute: int(cells[code]) for attribute, cells in enumerate(known.cells)}
                built[place] = Narrowed(code, position, least, 1 / least, causes[place], described, certificate)
        return [built[place] for place in places.tolist()]

    return build


def _chosen(rows: Records, places: Places) -> Records:
    real = None if rows.real is None else rows.real[places]
    return Records(rows.record[places], tuple(cells[places] for cells in rows.cells), real, rows.size)


def _class_sizes(rows: Records, places: Places) -> Integers:
    """Return the number of rows, without counterfeits, that have the same cells as each of some rows."""
    alike = np.ones(len(rows.record), dtype=np.bool_)
    for cells in rows.cells:
        alike &= np.isin(cells, cells[places])
    near = np.flatnonzero(alike)
    first, group = equal_rows([cells[near] for cells in rows.cells])
    counted = group if rows.real is None else group[rows.real[near]]
    return np.bincount(counted, minlength=len(first))[group[np.searchsorted(near, places)]]
