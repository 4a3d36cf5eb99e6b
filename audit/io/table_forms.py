"""Table forms: how to read a table from text, from Parquet, and from the files of other programs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from audit.io.cells import Fault
from audit.io.diagnostics import damages, quotes_of, records
from audit.io.dialect import UTF_8, Declared, Dialect, dialect_of, read_bytes, read_dialect
from audit.io.foreign_files import SUFFIXES as FOREIGN_SUFFIXES
from audit.io.foreign_files import WORKBOOKS, is_foreign, read_foreign
from audit.io.notes_below import below_table
from audit.io.paths import kept_while_unchanged
from audit.runtime.phrases import say

if TYPE_CHECKING:
    import pyarrow.parquet as pq

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
