"""Written cells: texts that are read back as exactly the cells that they were written for."""

from __future__ import annotations

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_text import show
from audit.io.cells import Cell, CellError, Interval, Kind, ValueSet, contains


def shown(cell: Cell, attribute: QuasiIdentifier, *, block: bool = False) -> str | None:
    """Return a text that an attribute's column reads as this cell, or None if there is none.

    A set of leaves with a label in the hierarchy is written as the label, and a `block` of a grid as `20-29`.
    """
    text = show(cell, attribute.kind)
    if isinstance(cell, ValueSet) and attribute.hierarchy is not None:
        text = attribute.hierarchy.label_of(cell.members) or text
    block = block and attribute.kind is Kind.NUMERIC
    if block and isinstance(cell, Interval) and cell.low is not None and cell.high is not None:
        ends = cell.low, cell.high
        if cell.low >= 0 and not (cell.low_open or cell.high_open) and all(end.denominator == 1 for end in ends):
            text = f"{ends[0]}-{ends[1]}"
    try:
        read = attribute.parse(text)
    except CellError:
        return None
    return text if read == cell else None


def covers_itself(text: str, attribute: QuasiIdentifier) -> bool:
    """Return whether an exact value, written as a cell, is read as a cell that covers it; true for all numbers."""
    if attribute.kind is not Kind.CATEGORICAL:
        return True
    try:
        cell = attribute.parse(text)
    except CellError:
        return False
    return contains(cell, ValueSet(frozenset([text])))
