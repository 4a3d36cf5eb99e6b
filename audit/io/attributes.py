"""Attributes: the quasi-identifiers of a series, each with its kind and its distinct generalized cells, numbered."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from audit.io.cell_reading import covers, exact_text, parse, parse_point, parse_value, unit_of
from audit.io.cells import Anything, Cell, CellError, Interval, Kind, ValueSet, set_text, show
from audit.io.hierarchies import Hierarchy
from audit.model.arrays import Codes, Flags, Integers
from audit.runtime.phrases import say

_FEW = 3  # at most one in so many texts is in other releases


@dataclass
class QuasiIdentifier:
    """One quasi-identifier; equal cells, however they are written, get the same number.

    But readers see which values were suppressed and which were recorded as unknown: each text of `missing` is a cell of
    its own.

    Attributes:
        name: the column.
        kind: how its values compare.
        hierarchy: the hierarchy of its labels; None if there is none.
        missing: the texts that mean an unknown value.
        cells: the distinct cells, by number.
        texts: the first text of each cell, by number.
        spelled: whether all texts are exact values, even if they look like ranges.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy | None
    missing: frozenset[str]
    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    spelled: bool = False
    _of_text: dict[str, int] = field(default_factory=dict)
    _of_cell: dict[tuple[Cell, str | None], int] = field(default_factory=dict)
    _unit: str | None = None

    @property
    def anything(self) -> int:
        """The number of the cell `*`, or if no cell is `*`, of the first unknown value; -1 without either."""
        unknown = (number for (cell, _), number in self._of_cell.items() if isinstance(cell, Anything))
        return self._of_cell.get((Anything(), None), next(unknown, -1))

    def recodes(self, before: Codes, now: Codes) -> bool:
        """Return whether hardly a text of a release (`now`) is in earlier ones (`before`), as with other codes."""
        old, new = (
            {number for number in np.unique(each).tolist() if number >= 0 and self.cells[number] != Anything()}
            for each in (before, now)
        )
        return self.kind is Kind.CATEGORICAL and have_other_codes(old, new)

    def number(self, text: str) -> int:
        """Return the number of the cell that a text means.

        Raises:
            CellError: the text is not a cell of this attribute.
        """
        known = self._of_text.get(text)
        if known is None:
            cell = self.parse(text)
            mark = text if isinstance(cell, Anything) and (not text or text.strip("*")) else None
            known = self._of_text[text] = self._of_cell.setdefault((cell, mark), len(self.cells))
            if known == len(self.cells):
                self.texts.append(text)
                self.cells.append(cell)
        return known

    def parse(self, text: str) -> Cell:
        """Return the cell of a text.

        Raises:
            CellError: the text is not a cell of this attribute.
        """
        if self.spelled:
            return exact_text(text, self.missing)
        cell = parse(text, self.kind, self.hierarchy, self.missing)
        self._check_unit(text)
        return cell

    def shown(self, cell: Cell, *, block: bool = False) -> str | None:
        """Return a text that the column reads as this cell, or None if there is none.

        A set of leaves with a label in the hierarchy is written as the label, and a `block` of a grid as `20-29`.
        """
        texts: list[str | None] = [show(cell, self.kind)]
        if isinstance(cell, ValueSet):
            label = None if self.hierarchy is None else self.hierarchy.label_of(cell.members)
            texts = [label, *texts, set_text(cell.members), set_text(cell.members, every=True)]
        block = block and self.kind is Kind.NUMERIC
        if block and isinstance(cell, Interval) and cell.low is not None and cell.high is not None:
            ends = cell.low, cell.high
            if cell.low >= 0 and not (cell.low_open or cell.high_open) and all(end.denominator == 1 for end in ends):
                texts = [f"{ends[0]}-{ends[1]}"]
        return next((text for text in texts if text is not None and self._reads(text, cell)), None)

    def _reads(self, text: str, cell: Cell) -> bool:
        try:
            return self.parse(text) == cell
        except CellError:
            return False

    def check_exact(self, text: str) -> None:
        """Refuse a text that is not an exact number or day, in a column of these.

        Raises:
            CellError: the text is neither, or its unit differs from that of earlier cells.
        """
        if self.kind is not Kind.CATEGORICAL:
            parse_point(text, self.kind, self.missing)
            self._check_unit(text)

    def rank(self, text: str) -> tuple[Fraction | str | None, ...]:
        """Return a sort key for an exact value; an empty one for an unknown value.

        Raises:
            CellError: the text is not an exact value of this attribute.
        """
        if self.kind is Kind.CATEGORICAL:
            value = parse_value(text, self.kind, self.missing)
            return () if value is None else (value,)
        point = parse_point(text, self.kind, self.missing)
        return () if point is None else (point.low, point.high)

    def _check_unit(self, text: str) -> None:
        unit = unit_of(text) if self.kind is Kind.NUMERIC else None
        if unit is not None and self._unit not in (None, unit):
            raise CellError(
                say("the cell's unit differs from others"), say("write all cells of the column in one unit")
            )
        self._unit = unit or self._unit

    def numbers(self, names: Sequence[str]) -> tuple[Codes, list[tuple[int, CellError]]]:
        """Return the numbers of texts, and the index and the error of each text that is not a cell.

        The numbers have shape (len(names),), int32; 0 where the text is not a cell.
        """
        errors = []
        for index, name in enumerate(names):
            if name not in self._of_text:
                try:
                    self.number(name)
                except CellError as error:
                    errors.append((index, error))
        return np.array([self._of_text.get(name, 0) for name in names], dtype=np.int32), errors

    def covers(self, cells: Integers, values: Sequence[str]) -> Flags:
        """Return which cells, given by number, cover which exact values; shape (len(cells), len(values)), bool.

        Raises:
            CellError: a value is not a number or a day, in a column of these.
        """
        return covers([self.cells[c] for c in cells], values, self.kind, self.missing)


def have_other_codes(old: Set[object], new: Set[object]) -> bool:
    """Return whether hardly a text is in both of two sets, as where tables have other codes for the same values.

    >>> have_other_codes({"F", "M", "9"}, {"1", "2", "9"}), have_other_codes({"F", "M"}, {"F", "M", "D"})
    (True, False)
    """
    return _FEW * len(old & new) <= min(len(old), len(new)) > 0
