"""Notes below a table, which are not rows, and a last row that may be a note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from audit.io.diagnostics import damages, records
from audit.io.dialect import NOTHING_DECLARED, Declared, Dialect, read_bytes, read_dialect
from audit.io.foreign_files import WORKBOOK, is_foreign, read_foreign
from audit.io.paths import kept_while_unchanged

Row = tuple[int, Sequence[str]]

_SENTENCE = 3  # words
_LAST = 1 << 14  # bytes at the end of a file that show whether notes may follow the table
_WORDS = (
    "sources?|notes?|footnotes?|remarks?|caveats?|datasets?|last updated?|quellen?|hinweise?|anmerkung(?:en)?|"
    "keys?|legend|zeichen\\w*|l[e\u00e9]gende|leyenda|symbols?|fu\u00dfnoten?|remarques?|champ|lecture|fuentes?|notas?|n\\.?b\\.?"
)
_NOTE = re.compile(
    rf"(?:{_WORDS})\s*:.*|-{{3,}}|(?:\u00a9|\(c\)|copyright\b).*|\w{{1,3}}(?:\s*=\s*|\s+:\s+)\S.*|"
    r"(?:[*#\u2020\u2021]+|\.{2,3}|:|\[[a-z0-9]{1,2}\])(?:\s*[=:]\s*\S|\s+[^\W\d]).*|[-\u2013.]\s*=.*|\(?[0-9]{1,2}[.)]\s+\S+(?:\s+\S+){2,}",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Below:
    """The lines below a table.

    Attributes:
        notes: the line and the text of each note.
        rows: the number of last rows that they take, including empty ones before and between them.
        first: the line of the first of these rows, None if there are none.
        lone: the line and the text of a last row that may be a note: only its first cell has a text, which no other row
            has.
    """

    notes: tuple[tuple[int, str], ...] = ()
    rows: int = 0
    first: int | None = None
    lone: tuple[int, str] | None = None


@kept_while_unchanged(64)
def below_table(path: Path, declared: Declared = NOTHING_DECLARED) -> Below:
    """Return the notes below the table of a file; none if it cannot be read."""
    try:
        if path.suffix.lower() == WORKBOOK:
            found = read_foreign(path)
            cells = zip(*(column.to_pylist() for column in found.columns), strict=True)
            return _below(list(zip(found.lines[1:], cells, strict=True)))
        if path.name.endswith(".parquet") or is_foreign(path):
            return Below()
        dialect = read_dialect(path, declared)
        if not ends_with_one_cell(read_bytes(path), dialect):
            return Below()
        with closing(records(path, dialect)) as lines:
            return _below(list(lines)[1:])
    except damages():
        return Below()


def ends_with_one_cell(content: bytes, dialect: Dialect) -> bool:
    """Return whether the last line has at most one cell that is not empty, ignoring quotes."""
    whole = dialect.encoding.startswith("utf-16")
    text = content[0 if whole else -_LAST :].decode(dialect.encoding, "replace").rstrip()
    last = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
    cells = next((cells for _, cells in dialect.rows([last])), [])
    return sum(bool(cell.strip()) for cell in cells) <= 1


def _below(rows: Sequence[Row]) -> Below:
    """Return the notes among the last rows: from the first that reads as a note, if all rows after it are sentences."""
    end = next((place for place, (_, cells) in enumerate(rows[::-1]) if any(map(str.strip, cells[1:]))), len(rows))
    texts = [(line, cells[0].strip()) for line, cells in rows]
    labels, last = [text for _, text in texts[: len(rows) - end]], texts[len(rows) - end :]
    first = next((place for place, (_, text) in enumerate(last) if _NOTE.fullmatch(text)), len(last))
    while first < len(last) and first and not last[first - 1][1]:
        first -= 1
    notes = tuple((line, text) for line, text in last[first:] if text)
    doubtful = [each for each in notes if not (_NOTE.fullmatch(each[1]) or _is_sentence(each[1]))]
    if notes and any(map(_NOTE.fullmatch, labels)):  # labels may look like notes here
        doubtful = [notes[0]]
    if doubtful:
        return Below(lone=doubtful[0])
    above = [each for each in last[:first] if each[1]]
    known = [*labels, *(text for _, text in above)]
    # Beside counts, a label whose count is hidden is as likely as a note.
    only_counts = max((len(cells) for _, cells in rows), default=0) <= 2
    lone = next((each for each in above[-1:] if known.count(each[1]) == 1), None)
    lone = None if lone is None or (only_counts and not _is_sentence(lone[1])) else lone
    return Below(notes, len(last) - first, last[first][0], lone) if notes else Below(lone=lone)


def _is_sentence(text: str) -> bool:
    """Return whether a line continues the note above it."""
    return ":" in text or len(text.split()) >= _SENTENCE
