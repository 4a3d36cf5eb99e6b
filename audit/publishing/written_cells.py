"""Cells as they are published: texts that read back as exactly the cells that they stand for."""

from __future__ import annotations

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_text import show
from audit.io.cells import Cell, CellError, Kind, ValueSet, contains, parse


def shown(cell: Cell, attribute: QuasiIdentifier) -> str | None:
    """Return a text that an attribute's column reads as this cell, or None where there is none."""
    text = show(cell)
    try:
        read = parse(text, attribute.kind, attribute.hierarchy, attribute.missing)
    except CellError:
        return None
    return text if read == cell else None


def covers_itself(text: str, attribute: QuasiIdentifier) -> bool:
    """Tell whether an exact value, written as a cell, is read as one that covers it; numbers always are."""
    if attribute.kind is Kind.NUMERIC:
        return True
    try:
        cell = parse(text, attribute.kind, attribute.hierarchy, attribute.missing)
    except CellError:
        return False
    return contains(cell, ValueSet(frozenset([text])))
