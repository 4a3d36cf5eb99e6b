"""Table forms: read tables from text, Parquet and files of other programs, and find the notes below them."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from audit.io.cells import Fault
from audit.io.dialect import (
    NOTHING_DECLARED,
    UTF_8,
    Declared,
    Dialect,
    damages,
    dialect_of,
    open_text,
    quotes_of,
    read_bytes,
    read_dialect,
    records,
    text_above,
)
from audit.io.foreign_files import SUFFIXES as FOREIGN_SUFFIXES
from audit.io.foreign_files import WORKBOOKS, is_foreign, read_foreign
from audit.io.paths import kept_while_unchanged
from audit.io.workbook_parts import joined_cells
from audit.runtime.phrases import say

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Row = tuple[int, Sequence[str]]

_SENTENCE = 3  # words
_FEWEST_SIGNS = 2  # among numbers, of a legend with cells of its own
_LAST = 1 << 14  # bytes at the end of a file that show whether notes may follow the table
_WORDS = (
    "sources?|notes?|footnotes?|remarks?|caveats?|datasets?|last updated?|quellen?|hinweise?|anmerkung(?:en)?|"
    "keys?|legend|zeichen\\w*|l[e\u00e9]gende|leyenda|symbols?|fu\u00dfnoten?|remarques?|champ|lecture|fuentes?|notas?|n\\.?b\\.?"
)
_NUMBERED = r"(?:\s*[(\[]?[0-9]{1,2}[)\]]?)?"  # such as Note 1
_INTRODUCED = re.compile(rf"\s*(?:{_WORDS}){_NUMBERED}\s*:", re.IGNORECASE)
_HEADING = re.compile(rf"(?:{_WORDS})", re.IGNORECASE)
_LETTER = re.compile(r"\w{1,3}:\s+[^\W\d]")
_NOTE = re.compile(
    r"zeichenerkl\w*|l[e\u00e9]gende?|leyenda|anmerkungen|hinweise|fu\u00dfnoten|"
    rf"(?:{_WORDS}){_NUMBERED}\s*:.*|[-_=]{{3,}}|(?:\u00a9|\(c\)|copyright\b).*|\w{{1,3}}(?:\s*=\s*|\s+:\s+)\S.*|"
    r"(?:stand|as (?:of|at)|published|updated|veröffentlicht|situation au|état au|situación a)\b[^0-9]{0,20}[0-9].*|"
    r"[\"'\u00ab\u201c\u201e] ?(?:[*#./:-]{1,3}|\[?[a-z]{1,2}\]?) ?[\"'\u00bb\u201c\u201d]\s*(?:[=:]\s*\S|\s[^\W\d]).*|"
    r"(?:[*#\u2020\u2021\u2022]+|\.{2,3}|:|\[[a-z0-9]{1,2}\])(?:\s*[=:]\s*\S|\s+[^\W\d]).*|[^\w\s]{1,3}\s*=.*|\(?[0-9]{1,2}[.)]\s+\S+(?:\s+\S+){2,}",
    re.IGNORECASE | re.DOTALL,
)
_ENTRY = re.compile(r"([^\w\s\"']{1,3}|[a-z])\s+([^\W\d].*)", re.DOTALL)
_WORD_ENTRY = re.compile(r"([^\W\d_][^=:]+?)\s*[=:]\s*(\S.*)", re.DOTALL)
_NUMBER, _WORD = re.compile(r"[\d\s.,]*\d[\d\s.,]*"), re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True)
class Below:
    """The notes below a table.

    Attributes:
        notes: the line and the text of each note.
        rows: the number of rows at the end of the file that are notes or empty.
        first: the line of the first of these rows; None if there are none.
        lone: the line and the text of a row that may be a note, or a row of the table; None if there is none.
    """

    notes: tuple[tuple[int, str], ...] = ()
    rows: int = 0
    first: int | None = None
    lone: tuple[int, str] | None = None


@kept_while_unchanged(64)
def below_table(path: Path, declared: Declared = NOTHING_DECLARED) -> Below:
    """Return the notes below the table of a file; none if it cannot be read."""
    try:
        if path.suffix.lower() in WORKBOOKS:
            found = read_foreign(path)
            cells = zip(*(column.to_pylist() for column in found.columns), strict=True)
            return _below(list(zip(found.lines[1:], cells, strict=True)), len(found.names), " ")
        if path.name.endswith(".parquet") or is_foreign(path):
            return Below()
        dialect = read_dialect(path, declared)
        with closing(records(path, dialect)) as lines:
            width = len(next(lines, (0, []))[1])
            plain = replace(dialect, names=())
            last = next((cells for _, cells in plain.rows([_last_line(path, dialect)])), [])
            if not _may_be_note(_fitted(last, width), width):
                return Below()
            return _below([(line, _fitted(cells, width)) for line, cells in lines], width, dialect.delimiter)
    except damages():
        return Below()


def _fitted(cells: list[str], width: int) -> list[str]:
    """Return the cells of a row without one beyond the header that is empty."""
    return cells[:width] if len(cells) == width + 1 and not cells[-1].strip() else cells


def lines_beside(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each line beside the table of a file: titles, notes, other sheets of a workbook.

    Blanks in the text are those of `joined_cells`; what cannot be read has none.
    """
    with suppress(*damages()):
        if path.suffix.lower() in WORKBOOKS:
            book = read_foreign(path)
            yield from ((f"{line}", text) for line, text in book.above)
            yield from book.elsewhere
        elif not (path.name.endswith(".parquet") or is_foreign(path)):
            dialect = read_dialect(path)
            for line, text in enumerate(text_above(path, dialect).lstrip("\ufeff").splitlines(), 1):
                row = next(csv.reader([text], delimiter=dialect.delimiter), [])
                cells = [cell for cell in row if not cell.strip() or cell.strip() not in dialect.names]
                words = joined_cells([dialect.delimiter.join(cells).strip(f"{dialect.delimiter} ")])
                yield from [(f"{line}", words)] if words else []
    for line, text in below_table(path).notes:
        yield f"{line}", joined_cells([text])


def group_above(path: Path) -> str:
    """Return the name of the only group of columns in a header of two lines; an empty text if there is none."""
    if path.suffix.lower() in WORKBOOKS:
        return read_foreign(path).group
    return "" if path.name.endswith(".parquet") or is_foreign(path) else read_dialect(path).group


def text_below(path: Path, declared: Declared = NOTHING_DECLARED) -> str:
    """Return the lines of the notes below the table of a text file, and the blank ones before them."""
    first = below_table(path, declared).first
    if first is None or is_foreign(path):
        return ""
    with open_text(path, replace(read_dialect(path, declared), skipped=0)) as text:
        lines = [*text]
    while not lines[first - 2].strip():
        first -= 1
    return "".join(lines[first - 1 :])


def _last_line(path: Path, dialect: Dialect) -> str:
    """Return the last line of a text file that is not empty; a line end inside quotes counts, too."""
    if path.name.endswith(".gz") or dialect.encoding.startswith(("utf-16", "utf-32")):
        content = read_bytes(path)
    else:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST))
            content = file.read()
    lines = content.decode(dialect.encoding, "replace").rstrip().splitlines()
    return lines[-1] if lines else ""


def _may_be_note(cells: Sequence[str], width: int) -> bool:
    """Return whether a row may be a note: only its first cell is filled, it has not `width` cells, or it is introduced.

    An introduced note begins with a word such as "Source:". The delimiter may divide it into cells: these are fewer
    than those of a row, or all have letters. A sign may have a cell, and its meaning the next.
    """
    further = [cell for cell in cells[1:] if cell.strip()]
    is_text = len(further) + 1 < width or all(any(map(str.isalpha, cell)) for cell in further)
    is_introduced = further and is_text and _INTRODUCED.match(cells[0])
    return not further or len(cells) != width or bool(is_introduced) or _is_entry(cells, width)


def _below(rows: Sequence[Row], width: int, delimiter: str = "") -> Below:
    """Return the notes among the last rows: from the first that has the form of a note, if sentences alone follow."""
    end = next((place for place, (_, cells) in enumerate(rows[::-1]) if not _may_be_note(cells, width)), len(rows))
    table, last = rows[: len(rows) - end], rows[len(rows) - end :]
    labels = [cells[0].strip() for _, cells in table]
    texts = [(line, _text_of(cells, width, delimiter)) for line, cells in last]
    words = [_WORD_ENTRY.fullmatch(text) for _, text in texts]
    among_numbers = _among_numbers(table, {each[1] for each in words if each}) if any(words) else set()
    is_note = [
        bool(
            (_NOTE.fullmatch(text) and not _is_entry(cells, width))
            or (len(cells) != width and _LETTER.match(text))
            or is_entry
            or (word and word[1] in among_numbers)
        )
        for (_, text), (_, cells), is_entry, word in zip(
            texts, last, _are_entries(texts, last, table, width), words, strict=True
        )
    ]
    first = is_note.index(True) if True in is_note else len(texts)
    while first < len(texts) and first and (not texts[first - 1][1] or _HEADING.fullmatch(texts[first - 1][1])):
        first -= 1
        is_note[first] = True
    notes = tuple(each for each in texts[first:] if each[1])
    unlike = [each for each, note in zip(texts, is_note, strict=True) if not (note or _is_sentence(each[1]))]
    doubtful = [each for each in notes if each in unlike]
    if notes and any(map(_NOTE.fullmatch, labels)):  # in this table, labels have the form of notes
        doubtful = [notes[0]]
    if doubtful:
        return Below(lone=doubtful[0])
    above = [each for each in texts[:first] if each[1]]
    known = [*labels, *(text for _, text in above)]
    # In a table of labels and counts, a label whose count is hidden is as likely as a note.
    lone = next((each for each in above[-1:] if known.count(each[1]) == 1), None)
    lone = None if lone is None or (width <= 2 and not _is_sentence(lone[1])) else lone
    return Below(notes, len(texts) - first, texts[first][0], lone) if notes else Below(lone=lone)


def _text_of(cells: Sequence[str], width: int, delimiter: str) -> str:
    """Return the text of a row that may be a note; a blank parts a sign from its meaning in the next cell."""
    filled = " ".join(cell.strip() for cell in cells if cell.strip())
    return filled if _is_entry(cells, width) else delimiter.join(cells).strip().strip(delimiter).strip()


def _is_entry(cells: Sequence[str], width: int) -> bool:
    """Return whether a row has a sign and, in the next cell, a text, and lacks the rest; beside a letter, of two words.

    >>> _is_entry([".", "secret", ""], 3), _is_entry(["x", "no answer", ""], 3), _is_entry(["x", "men", ""], 3)
    (True, True, False)
    >>> _is_entry(["*", "flu"], 2)  # a person of whom only the disease is published
    False
    """
    found = _ENTRY.fullmatch(" ".join(cells).strip()) if width > 2 else None
    is_pair = found is not None and cells[0].strip() == found[1] and not any(map(str.strip, cells[2:]))
    return found is not None and is_pair and (not found[1].isalpha() or " " in found[2])


def _are_entries(texts: Sequence[tuple[int, str]], last: Sequence[Row], table: Sequence[Row], width: int) -> list[bool]:
    """Return which lines are entries of a legend: a sign of the table's numbers, or one of several, and its meaning.

    If entries are in cells of their own, two signs of them stand among numbers: a last person may have a hidden and an
    empty cell. A dash before labels, such as `- women`, is no such sign, nor is one that stands for a label; a meaning
    is no text of the table.
    """
    found = [_ENTRY.fullmatch(text) for _, text in texts]
    if not any(found):
        return [False] * len(texts)
    first = {cells[0].strip() for _, cells in table}
    labels = first | {entry[1] for text in first if (entry := _ENTRY.fullmatch(text))}
    shown = {cell.strip() for _, cells in table for cell in cells}
    signs = {each[1] for each in found if each and not each[1].isalpha()} - labels
    among_numbers = _among_numbers(table) - labels
    in_cells = any(_is_entry(cells, width) for _, cells in last)
    if in_cells and len({each[1] for each in found if each} & among_numbers) < _FEWEST_SIGNS:
        return [False] * len(texts)
    known = (among_numbers if in_cells else {*shown} - labels) | (signs if len(signs) > 1 else set())
    return [each is not None and each[1] in known and each[2] not in shown for each in found]


def _among_numbers(table: Sequence[Row], signs: Collection[str] = ()) -> set[str]:
    """Return the texts of the columns that have numbers and no words but signs, except for the first column."""
    columns = [{*map(str.strip, each)} for each in zip_longest(*(cells[1:] for _, cells in table), fillvalue="")]
    return {
        text
        for texts in columns
        if any(map(_NUMBER.fullmatch, texts)) and not any(map(_WORD.search, texts.difference(signs)))
        for text in texts
    }


def _is_sentence(text: str) -> bool:
    """Return whether a line may continue the note above it: it has a colon, or three words."""
    return ":" in text or len(text.split()) >= _SENTENCE


_ENTRY_END = re.compile(r";|[,.]\s+(?=\S{1,9}\s*[=:]\s)")
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212"


def legend(signs: Collection[str], notes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each sign that notes explain, with its meaning, such as `* = 1 to 4; c = confidential`, in their order.

    A line that begins with a sign may go on with others; any dash stands for another one. A sign that is no word may
    stand in brackets at the end.

    >>> [*legend(["..", "c"], ['".." indicates fewer than 6; c = confidential'])]
    [('..', 'indicates fewer than 6'), ('c', 'confidential')]
    >>> [*legend([".", "\u2013"], ["- nothing  . secret"])]
    [('\u2013', 'nothing'), ('.', 'secret')]
    >>> [*legend(["secret", "ss"], ["ss : secret secondaire", "Signs: secret: below 11"])]
    [('ss', 'secret secondaire'), ('secret', 'below 11')]
    >>> [*legend(["*", "c"], ["Note: Rounded to 5; values below 8 are suppressed (*).", "By the office (c)"])]
    [('*', 'values below 8 are suppressed')]
    """
    written = {sign: f"[{_DASHES}]" if sign in _DASHES else re.escape(sign) for sign in signs}
    known = "|".join(sorted(written.values(), key=len, reverse=True))
    lines = (entry.strip() for note in notes for entry in _ENTRY_END.split(note))
    before = rf"(?:(?!(?:{known})\s*:)[^=:]*:\s*)?"  # a sign there is the one that the note explains
    begins = re.compile(rf"(?:[^=]*:\s*)?(?:{known})\s")
    next_sign = re.compile(rf"(?<![:=\s])\s+(?=(?:{known})\s+[^\W\d])")
    for entry in (part for line in lines for part in (next_sign.split(line) if begins.match(line) else [line])):
        for sign in signs:
            quoted = rf"[\"'\u00ab\u201c\u201e]\s?{written[sign]}\s?[\"'\u00bb\u201c\u201d]"
            says = rf"{before}(?:{written[sign]}|{quoted})(?:\s*[=:\u2013-]\s*|\s+)([^\s=:\u2013-].*)"
            ends = rf"(?:{_WORDS}{_NUMBERED}\s*:\s*)?(\w.*?)\s*\({written[sign]}\)[.]?"
            found = re.fullmatch(says, entry) or (None if sign.isalnum() else re.fullmatch(ends, entry))
            if found is not None:
                yield sign, found[1].rstrip(". ")


# -- forms ------------------------------------------------------------------------------------------------------------


_BLOCK = 2 << 20
_LARGEST_BLOCK = 1 << 30
# At most this many bytes are read by one thread: more take longer to start, and may still run when the process ends.
_ALONE = 1 << 20
_HEAD = 1 << 16  # bytes
_PACKED_ROW = 40  # bytes
_EMPTY = "\ue000"  # the name of a column without one


class TableForm:
    """The form of text files; other forms are its subclasses."""

    def names(self, path: Path, declared: Declared) -> Sequence[str]:
        """Return the column names of a file, as it spells them."""
        with closing(records(path, read_dialect(path, declared))) as lines:
            return next(lines, (0, []))[1]

    def read(
        self, path: Path, columns: Sequence[str], distinct: frozenset[str], declared: Declared
    ) -> tuple[pa.Table, Dialect | None]:
        """Return some columns, the `distinct` ones without a dictionary, and the dialect; None if it is not text.

        The dialect is guessed again from the whole file if its beginning was misleading.
        """
        content, dialect = read_bytes(path), read_dialect(path, declared)
        until = below_table(path, declared).first
        try:
            return _parse_csv(path, dialect.decode(content, until), columns, distinct, dialect), dialect
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            if dialect.is_plain and "got" in str(error):
                table = _with_empty_cells(path, dialect.decode(content, until), columns, distinct, dialect)
                if table is not None:
                    return table, dialect
            of_whole = dialect_of(content, declared)
            if of_whole == dialect:
                raise
            return _parse_csv(path, of_whole.decode(content, until), columns, distinct, of_whole), of_whole

    def rows(self, path: Path) -> int:
        """Return the number of rows of a file, without reading its columns if possible."""
        content = read_bytes(path)
        if b'"' in content or b"\n\n" in content or b"\r" in content or not _ends_rows_with_lines(path):
            return sum(1 for _ in records(path, checked=False)) - 1 - below_table(path).rows
        return content.count(b"\n") - 1 + (not content.endswith(b"\n")) - below_table(path).rows

    def about_rows(self, path: Path) -> int:
        """Return the approximate number of rows, judged by the file's size; for Parquet the exact number."""
        size = path.stat().st_size
        if is_foreign(path) or path.name.endswith(".gz"):
            return size // _PACKED_ROW
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return size * max(1, head.count(b"\n")) // max(1, len(head))

    def lines(self, path: Path, dialect: Dialect | None) -> Sequence[int]:
        """Return the line numbers of the header and of each row, counted from 1."""
        return [line for line, _ in records(path, dialect, checked=False)]

    def header_line(self, path: Path) -> int | None:
        """Return the line number of the header, from 1; None if the file has no lines."""
        try:
            return 1 + read_dialect(path).above
        except damages():
            return 1

    def has_header(self, path: Path, width: int) -> bool:
        """Return whether the first row is certainly the header: in text, whether the second row has this width, too."""
        try:
            first_two = records(path)
            next(first_two)
            return len(next(first_two, (0, []))[1]) == width
        except damages():
            return False

    def plain_columns(self, _path: Path, names: Collection[str]) -> Collection[str]:
        """Return the columns whose cells are neither lists nor bytes."""
        return names


class _Foreign(TableForm):
    """Files of other programs."""

    def names(self, path: Path, _declared: Declared) -> Sequence[str]:
        return read_foreign(path).names

    def read(
        self, path: Path, columns: Sequence[str], _distinct: frozenset[str], _declared: Declared
    ) -> tuple[pa.Table, Dialect | None]:

        found = read_foreign(path)
        table = pa.table(list(found.columns), names=list(found.names)).select(list(columns))
        return table.slice(0, self.rows(path)), None

    def rows(self, path: Path) -> int:
        return read_foreign(path).rows - below_table(path).rows

    def lines(self, path: Path, _dialect: Dialect | None) -> Sequence[int]:
        return read_foreign(path).lines

    def header_line(self, path: Path) -> int | None:
        return read_foreign(path).lines[0] if path.suffix.lower() in WORKBOOKS else None

    def has_header(self, _path: Path, _width: int) -> bool:
        return True


class _Parquet(_Foreign):
    """Arrow columns, with a footer that lists them."""

    def names(self, path: Path, _declared: Declared) -> Sequence[str]:
        return [str(name) for name in _footer(path).schema.to_arrow_schema().names]

    def read(
        self, path: Path, columns: Sequence[str], distinct: frozenset[str], _declared: Declared
    ) -> tuple[pa.Table, Dialect | None]:
        import pyarrow.parquet as pq

        footer = _footer(path)
        schema = footer.schema.to_arrow_schema()
        text = [c for c in columns if is_text(schema.field(c).type) and c not in distinct]
        # The first `pq.read_table` of a process would import pyarrow.dataset, and pandas with it.
        file = pq.ParquetFile(path, metadata=footer, read_dictionary=text, pre_buffer=False, memory_map=True)
        return file.read(columns=list(columns)), None

    def rows(self, path: Path) -> int:
        return int(_footer(path).num_rows)

    about_rows = rows

    def lines(self, path: Path, _dialect: Dialect | None) -> Sequence[int]:
        return range(self.rows(path) + 1)

    def plain_columns(self, path: Path, names: Collection[str]) -> Collection[str]:

        kinds = {kind.name: kind.type for kind in _footer(path).schema.to_arrow_schema()}
        return [name for name in names if not (pa.types.is_nested(kinds[name]) or "binary" in str(kinds[name]))]


_TEXT = TableForm()
FORMS: dict[str, TableForm] = {
    ".csv": _TEXT,
    ".csv.gz": _TEXT,
    ".parquet": _Parquet(),
    **dict.fromkeys(FOREIGN_SUFFIXES, _Foreign()),
    ".tsv": _TEXT,
}
"""The form of each file ending: a new form is a class and a line here."""


def form_of(path: Path) -> TableForm:
    """Return the form of a file; an unknown ending means text."""
    name = path.name.lower() if is_foreign(path) else path.name
    return next((form for suffix, form in FORMS.items() if name.endswith(suffix)), _TEXT)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


@kept_while_unchanged(1024)
def _footer(path: Path) -> pq.FileMetaData:
    """Return the footer of a Parquet file; cached while the file does not change."""
    import pyarrow.parquet as pq

    return pq.read_metadata(path)


def _ends_rows_with_lines(path: Path) -> bool:
    """Return whether the rows of a text can be counted as line ends in its bytes, judging by its dialect."""
    dialect = read_dialect(path)
    return dialect.encoding in (UTF_8, "cp1252") and dialect.is_plain and not dialect.skipped


def _with_empty_cells(
    path: Path, content: bytes, columns: Sequence[str], distinct: frozenset[str], dialect: Dialect
) -> pa.Table | None:
    """Return some columns of a text whose rows all have one more, empty cell than the header; None for other texts."""
    head, end, rows = content.partition(b"\r\n" if dialect.end == "\r\n" else b"\n")
    wider = b"".join([head, f"{dialect.delimiter}{_EMPTY}".encode(), end, rows])
    try:
        table = _parse_csv(path, wider, [*columns, _EMPTY], distinct, dialect)
    except pa.ArrowInvalid:
        return None
    filled = any(text.strip() for text in table.column(_EMPTY).unique().to_pylist())
    return None if filled else table.drop_columns([_EMPTY])


def _parse_csv(
    path: Path, content: bytes, columns: Sequence[str], distinct: frozenset[str], dialect: Dialect
) -> pa.Table:
    """Return some columns of a text in UTF-8, from its header to its last row.

    Raises:
        Fault: the text has NUL characters, by which equal cells would differ unseen.
    """
    if b"\0" in content:
        raise Fault(say("the text has NUL characters, as a damaged file has"), say("write it again, without them"))
    from pyarrow import csv as arrow_csv

    quotes = quotes_of(content, dialect.delimiter)
    if dialect.is_plain and quotes.odd:
        # Arrow silently reads an unclosed quote up to the next one or the end of the file, and loses rows.
        for _ in records(path, dialect):
            pass
    block = _BLOCK
    kinds = {name: pa.string() if name in distinct else pa.dictionary(pa.int32(), pa.string()) for name in columns}
    while True:
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(content),
                read_options=arrow_csv.ReadOptions(block_size=block, use_threads=len(content) > _ALONE),
                parse_options=arrow_csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=quotes.lines),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=list(columns), column_types=kinds, check_utf8=True
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error) or block >= _LARGEST_BLOCK:
                raise
            block = min(block * 8, _LARGEST_BLOCK)
