"""Quasi-identifiers of a series: what kind each is, and its distinct generalized cells, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from audit.reading.cells import Cell, CellError, Kind, covers, parse
from audit.reading.hierarchies import Hierarchy

Codes = npt.NDArray[np.int32]
_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16


@dataclass
class Attribute:
    """One quasi-identifier; equal cells, however they are written, get the same number."""

    name: str
    kind: Kind
    hierarchy: Hierarchy | None
    missing: frozenset[str]
    cells: list[Cell] = field(default_factory=list)
    _of_text: dict[str, int] = field(default_factory=dict)
    _of_cell: dict[Cell, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        """Return the number of the cell that a text stands for.

        Raises:
            CellError: the text is no cell of this attribute.
        """
        known = self._of_text.get(text)
        if known is None:
            cell = parse(text, self.kind, self.hierarchy, self.missing)
            known = self._of_text[text] = self._of_cell.setdefault(cell, len(self.cells))
            if known == len(self.cells):
                self.cells.append(cell)
        return known

    def numbers(self, names: Sequence[str]) -> tuple[Codes, list[tuple[int, CellError]]]:
        """Return the numbers of many texts, and the places and errors of those that are no cells."""
        errors = []
        for place, name in enumerate(names):
            if name not in self._of_text:
                try:
                    self.number(name)
                except CellError as error:
                    errors.append((place, error))
        return np.array([self._of_text.get(name, 0) for name in names], dtype=np.int32), errors

    def covers(self, cells: npt.NDArray[np.integer], values: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which of some cells cover which exact values; shape (len(cells), len(values))."""
        return covers([self.cells[c] for c in cells], values, self.kind, self.missing)


def combine(columns: Sequence[tuple[Codes, int]], rows: int) -> tuple[npt.NDArray[np.int64], int]:
    """Return one key per row for several coded columns, equal where all columns are equal, and a bound on it.

    Each column is its codes, shape (rows,), and a bound on them. Keys are renumbered before they would overflow.
    """
    key, size = np.zeros(rows, dtype=np.int64), 1
    for codes, bound in columns:
        if size * max(bound, 1) >= 2**62:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * max(bound, 1) + codes
        size *= max(bound, 1)
    return key, size


def distinct(key: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return a row of each distinct key, in order of keys, and the place of each row's key among these.

    `size` is a bound on the keys.
    """
    if size > _DIRECT_PER_ROW * len(key) + _DIRECT_SLACK:
        _, rows, place = np.unique(key, return_index=True, return_inverse=True)
        return rows, place.astype(np.int32)
    row = np.full(size, -1, dtype=np.intp)
    row[key] = np.arange(len(key))
    number: Codes = np.cumsum(row >= 0, dtype=np.int32) - np.int32(1)
    return row[row >= 0], number[key]
