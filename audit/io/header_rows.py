"""Where the header of a table stands: below titles and merged headings, as offices put them above their tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_FIRST = 15  # rows among which the header is looked for
_MOSTLY = 0.6
_WORD, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile("[0-9]+")


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """Return which of the first rows is the header, counted from 0.

    It is the first one unless that cannot be one: it is shorter than most rows, or several of its cells are empty, or a
    row without any cell parts it from the table, and what follows is a row of distinct names, as wide as most rows are.
    All rows above that one are as the first.

    >>> header_place([["Report of 2024"], ["age", "sex", "zip"], ["20", "m", "80331"], ["30", "f", "80331"]])
    1
    >>> header_place([["", "age", "sex"], ["1", "20", "m"], ["2", "30", "f"]])
    0
    >>> header_place([["Year", "2024", ""], ["", "", ""], ["age", "sex", "zip"], ["20", "m", "8"], ["30", "f", "9"]])
    2
    """
    widths = Counter(map(len, rows))
    if not widths:
        return 0
    width, times = widths.most_common(1)[0]
    if width < 2 or times < _MOSTLY * len(rows):
        return 0
    for place, row in enumerate(rows[:_FIRST]):
        filled = [cell.strip() for cell in row if cell.strip()]
        if len(row) == len(filled) == width:
            return place if len(set(filled)) == width and _are_names(filled, rows[place + 1 : place + 2]) else 0
        few = len(filled) <= 1 or 2 * len(filled) < width
        incomplete = few and not (len(row) == width and width - len(filled) < 2)
        if not incomplete and not _is_separate(rows[place + 1 : _FIRST], width):
            return 0
    return 0


def _is_separate(below: Sequence[Sequence[str]], width: int) -> bool:
    """Return whether a row without any cell comes before the first one that has them all."""
    counts = (sum(bool(cell.strip()) for cell in row) for row in below)
    return next((count for count in counts if count in {0, width}), width) == 0


def _are_names(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells may be names: there is a row below, and no cell has digits in the same form as that has."""
    forms = [_form(cell) for cell in cells]
    return bool(below) and not any(
        form == "0" or ("0" in form and form == _form(cell)) for form, cell in zip(forms, below[0], strict=False)
    )


def _form(cell: str) -> str:
    """Return a cell with each word as one letter and each number as one digit."""
    return _DIGITS.sub("0", _WORD.sub("a", cell.strip()))
