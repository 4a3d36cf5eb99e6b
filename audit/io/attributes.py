"""Quasi-identifiers of a series: what kind each is, and its distinct generalized cells, numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from audit.io.cells import Cell, CellError, Kind, covers, parse
from audit.io.hierarchies import Hierarchy

Codes = npt.NDArray[np.int32]


@dataclass
class QuasiIdentifier:
    """One quasi-identifier; equal cells, however they are written, get the same number.

    `cells` and `texts` are the distinct cells and how each was written first, by number.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy | None
    missing: frozenset[str]
    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
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
                self.texts.append(text)
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
