"""Header rows: find the header among the first rows of a table, and its names where several lines have them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import starmap, takewhile

_FIRST = 15  # rows that are searched for the header
_MOSTLY = 0.6  # the share of rows that have the table's width
_WORD, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile("[0-9]+")


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the header among the first rows.

    It is the first row with distinct names that is as wide as most rows, if no row above it can be the header: each is
    shorter than most rows, or has several empty cells or the same text in each, or a blank row separates it from the
    table. Otherwise it is row 0. Of a header of several lines it is the lowest one (`joined_header`). Blank rows and
    those below the last one of that width, such as notes, do not count.

    >>> header_place([["Report of 2024"], ["age", "sex", "zip"], ["20", "m", "80331"], ["30", "f", "80331"]])
    1
    >>> header_place([["Report", "Report", "Report"], ["age", "sex", "zip"], ["20", "m", "80331"]])
    1
    >>> header_place([["", "age", "sex"], ["1", "20", "m"], ["2", "30", "f"]])
    0
    >>> header_place([["Year", "2024", ""], ["", "", ""], ["age", "sex", "zip"], ["20", "m", "8"], ["30", "f", "9"]])
    2
    >>> header_place([["Report of 2024"], [], ["age", "n"], ["20", "3"], ["30", "4"], [], ["A note"], ["Office"]])
    2
    """
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0
    width, times = widths.most_common(1)[0]
    last = max(place for place, row in enumerate(rows) if len(row) == width)
    if times < _MOSTLY * sum(map(bool, rows[: last + 1])):
        return 0
    for place, row in enumerate(rows[:_FIRST]):
        is_above_units = _is_of_units(next(iter(rows[place + 2 : place + 3]), ()))
        is_above_group = _without_top(rows, place + 2) != (rows, place + 2)
        for end in (place + 1, place + 2)[: 1 + (is_above_units or is_above_group)]:
            if joined_header(rows, end):
                return end
        filled = [cell.strip() for cell in row if cell.strip()]
        if len(row) == len(filled) > len(set(filled)) == 1:
            continue  # a title, repeated in its cells
        if len(row) == len(filled) == width:
            return place if len(set(filled)) == width and _are_names(filled, rows[place + 1 : place + 2]) else 0
        few = len(filled) <= 1 or 2 * len(filled) < width
        incomplete = few and not (len(row) == width and width - len(filled) < 2)
        if not incomplete and not _is_separate(rows[place + 1 : _FIRST], width):
            is_header = _is_title(rows[0]) and _are_names(row, rows[place + 1 : place + 2])
            return place if is_header and not _is_named_above(row, rows[:place]) else 0
    return 0


_YEAR = re.compile("(?:19|20)[0-9]{2}")
_COUNTS = re.compile(
    r"\W*(?:anzahl|personen|fälle|numbers?|no\.|counts?|people|persons|cases|nombres?|effectifs?|personnes|cas|números?|"
    r"recuentos?|personas|casos)\W*",
    re.IGNORECASE,
)
"""The units of counts, in a line below the names of the columns; others, such as thousands, change their meaning."""


def joined_header(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    """Return the names of the columns, if this row ends a header of two lines, or is its line of units; none otherwise.

    A column has its name in one of the lines; above a group of columns with names in the lower line, the upper one has
    the name of the group, once or in each column. It is in no name, so that only one group may have counts. A third
    line at the top may have a name of all columns after the first ones. Rows may be blank below the header, and a
    column of counts may show the signs of others alone.

    >>> joined_header([["Kreis", "davon", "", "Alle"], ["", "unter 18", "ab 18", ""], ["Ahaus", "3", "5", "8"]], 1)
    ['Kreis', 'unter 18', 'ab 18', 'Alle']
    >>> joined_header([["Kreis", "Frauen", "", "Männer", ""], ["", "1", "2", "3", "4"], ["A", "3", "5", "8", "9"]], 1)
    []
    >>> joined_header([["Kreis", "Fälle", ""], ["", "davon", ""], ["", "m", "w"], ["Ahaus", "3", "5"]], 2)
    ['Kreis', 'm', 'w']
    """
    if place and _is_of_units(rows[place] if place < len(rows) else ()):
        others, row = [*rows[:place], *rows[place + 1 :]], [cell.strip() for cell in rows[place - 1]]
        is_header = all(row) and len({*row}) == len(row) == len(rows[place])
        return joined_header(others, place - 1) or (row if is_header and _are_names(row, others[place:]) else [])
    rows, place = _without_top(rows, place)
    below_it = [row for row in rows[place + 1 :] if any(map(str.strip, row))]
    three = (*rows[place - 1 : place + 1], *below_it[:1], *[[]] * 3)[:3]
    upper, lower, first = ([cell.strip() for cell in row] for row in three)
    if not place or not len(upper) == len(lower) == len(first):
        return []
    upper = [cell if at == 0 or cell != upper[at - 1] else "" for at, cell in enumerate(upper)]
    body = [[cell.strip() for cell in row] for row in below_it if len(row) >= len(upper)]
    names, group, groups = list[str](), 0, dict[int, set[int]]()
    for at, (above, below) in enumerate(zip(upper, lower, strict=True)):
        group = at if above else group
        if below and not above and upper[group]:
            groups.setdefault(group, {group}).add(at)
        has_name = below or (above and (first[at] or not any(row[at] for row in body)))
        if not has_name or (below and not above and upper[group] and not lower[group]):
            return []  # a column without a name or a cell below it, or below the name of another column
        names.append(below or above)
    recurs = any(cell and cell in {row[at] for row in body} for at, cell in enumerate(lower))
    texts = [{row[at] for row in body if row[at]} for at in range(len(upper))]
    numbers = [{text for text in some if text[:1].isdigit()} for some in texts]
    signs = set[str]().union(*(some - own for some, own in zip(texts, numbers, strict=True) if own))
    may_count = [bool(some) and len(some - own - signs) < 2 for some, own in zip(texts, numbers, strict=True)]
    of_counts = [{may_count[at] for at in some} for some in groups.values()]
    are_words = all(any(map(str.isalnum, name)) for name in names)  # no sign for a hidden count
    # A name below that of a single column may be a cell of the first row.
    singles = zip(upper, lower, (*upper[1:], "end"), strict=True)
    has_two = any(above and below not in ("", above) and after for above, below, after in singles)
    is_header = bool(groups) and not all(lower) and len({*names}) == len(names) and _are_names(names, [first])
    is_clear = are_words and not (recurs or has_two) and {True, False} not in of_counts and of_counts.count({True}) < 2
    return names if is_header and is_clear else []


def _without_top(rows: Sequence[Sequence[str]], place: int) -> tuple[Sequence[Sequence[str]], int]:
    """Return the rows and the place of a header of three lines with the upper two as one; other headers as they are.

    The top line names the first columns, each, and all others together, which the line below it divides.
    """
    if not 1 < place < len(rows):
        return rows, place
    top, second = ([cell.strip() for cell in row] for row in rows[place - 2 : place])
    top = [cell if at == 0 or cell != top[at - 1] else "" for at, cell in enumerate(top)]
    group = max((at for at, cell in enumerate(top) if cell), default=0)
    if len(top) != len(second) or not group or not all(top[:group]) or any(second[:group]) or not second[group]:
        return rows, place
    return [*rows[: place - 2], [*top[:group], *second[group:]], *rows[place:]], place - 1


def header_group(rows: Sequence[Sequence[str]], place: int) -> str:
    """Return the name of the only group of columns in a header of two lines that ends in this row; empty if none is.

    >>> header_group(
    ...     [["Kreis", "davon im Alter", "", "Alle"], ["", "unter 18", "ab 18", ""], ["Ahaus", "3", "5", "8"]], 1
    ... )
    'davon im Alter'
    """
    if not joined_header(rows, place):
        return ""
    rows, last = _without_top(rows, place - _is_of_units(rows[place]))
    pairs = zip(*rows[max(0, last - 1) : last + 1], strict=False) if last else ()
    found = {" ".join(above.split()) for above, below in pairs if above.strip() and below.strip() not in ("", above)}
    return found.pop() if len(found) == 1 else ""


def _is_of_units(row: Sequence[str]) -> bool:
    """Return whether a row has units of counts below some columns, and nothing below others such as the first."""
    filled = [cell for cell in row if cell.strip()]
    return len(row) > 1 and not row[0].strip() and bool(filled) and all(map(_COUNTS.fullmatch, filled))


def _is_title(row: Sequence[str]) -> bool:
    """Return whether a row cannot be the header, because several of its cells are empty."""
    return sum(not cell.strip() for cell in row) > 1


def _is_named_above(row: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Return whether a row above has others and a cell that this row lacks, so that both are lines of a header."""
    lines = takewhile(lambda line: any(map(str.strip, line)), reversed(above))
    several = (line for line in lines if sum(bool(cell.strip()) for cell in line) > 1)
    return any(upper.strip() and not cell.strip() for line in several for upper, cell in zip(line, row, strict=False))


def _is_separate(below: Sequence[Sequence[str]], width: int) -> bool:
    """Return whether a blank row comes before the first complete row."""
    counts = (sum(bool(cell.strip()) for cell in row) for row in below)
    return next((count for count in counts if count in {0, width}), width) == 0


def _are_names(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells may be names: a row follows, and no cell is a number or has digits as the cell below it.

    A year may be the name of a column of other numbers.
    """
    return bool(below) and all(starmap(_is_name, zip(cells, below[0], strict=False)))


def _is_name(cell: str, below: str) -> bool:
    form = _form(cell)
    if _YEAR.fullmatch(cell.strip()):
        return not _YEAR.fullmatch(below.strip())
    return form != "0" and not ("0" in form and form == _form(below))


def _form(cell: str) -> str:
    """Return a cell with each word replaced by one letter and each number by one digit."""
    return _DIGITS.sub("0", _WORD.sub("a", cell.strip()))
