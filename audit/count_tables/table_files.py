r"""Table files: read files of count tables with notes below the table, or with several labels in one cell.

Eurostat's TSV files ("Bulk download") have such cells: their first column is called `freq,sex,geo\TIME_PERIOD`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from pathlib import Path

from audit.io.diagnostics import note_unreadable, records
from audit.io.notes_below import below_table
from audit.io.tables import Table, header, note_absent, read_table
from audit.io.texts import column_of
from audit.model.errors import Problems

_SEVERAL = re.compile(r"(.+)\\time(?:_period)?", re.IGNORECASE)


def column_names(path: Path, shown: str, problems: Problems) -> list[str] | None:
    """Return the columns of a file, a shared first one as those in it; None after noting why it cannot be read."""
    names = header(path, shown, problems)
    if names is None:
        return None
    first, *others = names
    return [*_inside(first), *others]


def read_count_table(path: Path, shown: str, columns: Sequence[str], problems: Problems) -> Table | None:
    """Return columns of a file without the notes below it; None after noting why it cannot be read."""
    names = header(path, shown, problems)
    if names is None:
        return None
    inside, below = _inside(next(iter(names))), below_table(path)
    if inside == [next(iter(names))]:
        return read_table(path, shown, columns, problems)
    found = [*inside, *[*names][1:]]
    if any(column not in found for column in columns):
        note_absent(path, shown, found, columns, problems)
        return None
    lines = list(records(path))
    rows = [(line, [*_split(cells, len(inside)), *cells[1:]]) for line, cells in lines[1 : len(lines) - below.rows]]
    if any(len(cells) != len(found) for _, cells in rows):
        note_unreadable(path, shown, ValueError(), problems)
        return None
    arrays = {name: column_of(cells[found.index(name)] for _, cells in rows).dictionary_encode() for name in columns}
    return Table(path, shown, len(rows), arrays, _lines=[lines[0][0], *(line for line, _ in rows)])


def _inside(name: str) -> list[str]:
    r"""Return the columns that share a column of this name.

    >>> _inside("freq,sex,geo\\TIME_PERIOD"), _inside("area")
    (['freq', 'sex', 'geo'], ['area'])
    """
    found = _SEVERAL.fullmatch(name)
    return [each.strip() for each in found[1].split(",")] if found else [name]


def _split(cells: Sequence[str], many: int) -> list[str]:
    return [cells[0]] if many == 1 else cells[0].split(",")


def refuse_lone_row(path: Path, shown: str, known: Container[str], problems: Problems) -> None:
    """Note that a file's last row may be a note, unless its text is a `known` label; it would be read as a count."""
    line, text = below_table(path).lone or (0, "")
    if line and text not in known:
        what = "only the first cell of this row has a text"
        remedy = "delete it if it is a note below the table, else move it above other rows"
        problems.add(shown, what, remedy, line=line)
