"""Tables: columns of a CSV, CSV.gz or Parquet file as Arrow arrays, text always dictionary-encoded.

Cells are never turned into Python objects row by row: whoever needs a meaning (a number, a generalized cell)
looks at the dictionary, that is at each distinct cell once.
"""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

    from audit.core.errors import Problems

SUFFIXES = (".csv", ".csv.gz", ".parquet")
_BLOCK = 8 << 20
_LARGEST_BLOCK = 1 << 30
_DIRECT_SLACK = 1 << 16
_BYTES_PER_ROW = 40


def is_table(path: Path) -> bool:
    """Tell whether a file's name says that it is a table."""
    return path.name.endswith(SUFFIXES)


@dataclass(frozen=True)
class Coded:
    """A column as integer codes.

    Attributes:
        codes: shape (rows,), int32; indices into the names.
        size: one more than the largest code that may occur.
        names: the text of each code, or None when the text of code c is `str(c)`.
    """

    codes: npt.NDArray[np.int32]
    size: int
    names: Sequence[str] | None

    def name(self, code: int) -> str:
        """Return the published text of a code."""
        return str(code) if self.names is None else self.names[code]


@dataclass
class Table:
    """Some columns of one file, in file order."""

    path: Path
    shown: str
    rows: int
    _columns: dict[str, pa.Array]
    _lines: list[int] = field(default_factory=list)

    def __contains__(self, column: str) -> bool:
        """Tell whether the column was read."""
        return column in self._columns

    def arrow(self, column: str) -> pa.Array:
        """Return a column as one Arrow array: integers, or a dictionary of text."""
        return self._columns[column]

    def coded(self, column: str) -> Coded:
        """Return a column as codes; integers from 0 that are not much larger than the row count stay themselves."""
        array = self._columns[column]
        direct = direct_codes(array, 4 * self.rows + _DIRECT_SLACK)
        if direct is not None:
            return Coded(direct, int(direct.max(initial=-1)) + 1, None)
        codes, names = text_codes(array)
        return Coded(codes, len(names), names)

    def texts(self, column: str) -> list[str]:
        """Return every cell of a column as stripped text; for small tables only."""
        codes, names = text_codes(self._columns[column])
        return [names[code] for code in codes]

    def distinct(self, column: str) -> list[str]:
        """Return the distinct stripped texts of a column."""
        return text_codes(self._columns[column])[1]

    def line(self, row: int) -> int:
        """Return the line of the file (counted from 1) on which a row begins; for Parquet its number from 1."""
        if self.path.name.endswith(".parquet"):
            return row + 1
        if not self._lines:
            self._lines.extend(line for line, _ in _records(self.path))
        return self._lines[row + 1] if row + 1 < len(self._lines) else row + 2


def direct_codes(array: pa.Array, limit: int) -> npt.NDArray[np.int32] | None:
    """Return an integer column as int32 codes when all of it lies in [0, limit), else None."""
    import pyarrow as pa

    if not pa.types.is_integer(array.type) or array.null_count:
        return None
    numbers = array.to_numpy(zero_copy_only=False)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= min(limit, 2**31 - 1)):
        return None
    return numbers.astype(np.int32, copy=False)


def text_codes(array: pa.Array) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Return codes and the distinct stripped texts of a column; a null reads as an empty cell."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode(null_encoding="encode")
    raw = [_text(value) for value in array.dictionary.to_pylist()]
    indices = array.indices
    if indices.null_count:
        indices = indices.fill_null(len(raw))
        raw.append("")
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    if len(set(raw)) == len(raw):
        return codes, raw
    merged: dict[str, int] = {}
    lookup = np.array([merged.setdefault(text, len(merged)) for text in raw], dtype=np.int32)
    return lookup[codes], list(merged)


def _text(value: object) -> str:
    """Return a cell as stripped text; whole floating-point numbers lose their `.0`."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def header(path: Path, shown: str, problems: Problems) -> dict[str, str] | None:
    """Return a file's column names, stripped, each with its spelling in the file.

    A problem is noted and None returned when they cannot be had.
    """
    try:
        if path.name.endswith(".parquet"):
            import pyarrow.parquet as pq

            spelled = [str(name) for name in pq.ParquetFile(path).schema_arrow.names]
        else:
            first = next(iter(_records(path)), None)
            spelled = first[1] if first else []
    except (OSError, ValueError, EOFError, csv.Error) as error:
        _note_unreadable(path, shown, error, problems)
        return None
    names = [name.strip() for name in spelled]
    if not any(names):
        problems.add(shown, "the file is empty", "write a header line with the column names", line=1)
        return None
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problems.add(shown, "a column name stands twice in the header", "rename one of them", line=1, column=twice[0])
        return None
    return dict(zip(names, spelled, strict=True))


def read_table(path: Path, shown: str, columns: Sequence[str], problems: Problems) -> Table | None:
    """Read some columns of a file.

    Every trouble (no such file, no such column, ragged lines, wrong encoding, damaged Parquet) is noted in
    `problems` with file, line and remedy; the result is then None.
    """
    names = header(path, shown, problems)
    if names is None:
        return None
    absent = [column for column in columns if column not in names]
    for column in absent:
        problems.add(
            shown,
            f"the column is not in the file, which has: {', '.join(names)}",
            "correct its name in the manifest, or add it to the file",
            line=1,
            column=column,
        )
    if absent:
        return None
    spelled = [names[column] for column in columns]
    try:
        table = _read_parquet(path, spelled) if path.name.endswith(".parquet") else _read_csv(path, spelled)
    except (OSError, ValueError, EOFError, csv.Error, NotImplementedError) as error:
        _note_unreadable(path, shown, error, problems)
        return None
    table = table.rename_columns(list(columns))
    nested = _nested(table, columns)
    if nested is not None:
        problems.add(shown, "the column holds lists or structures", "write one plain value per cell", column=nested)
        return None
    return Table(path, shown, table.num_rows, {c: _combined(table.column(c)) for c in columns})


def _nested(table: pa.Table, columns: Sequence[str]) -> str | None:
    import pyarrow as pa

    return next((c for c in columns if pa.types.is_nested(table.schema.field(c).type)), None)


def _combined(column: pa.ChunkedArray) -> pa.Array:
    """Join the chunks of a column under one dictionary."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column = column.dictionary_encode(null_encoding="encode")
    elif not (pa.types.is_integer(kind) or pa.types.is_dictionary(kind)):
        column = column.cast(pa.string()).dictionary_encode(null_encoding="encode")
    if column.num_chunks == 1:
        return column.chunk(0)
    if column.num_chunks and pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return column.combine_chunks() if column.num_chunks else pa.array([], type=column.type)


def _read_parquet(path: Path, columns: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.ParquetFile(path).schema_arrow
    text = [c for c in columns if pa.types.is_string(schema.field(c).type)]
    # The first `read_table` of a process would import pyarrow.dataset, and pandas with it.
    return pq.ParquetFile(path, read_dictionary=text, memory_map=True).read(columns=list(columns))


def _read_csv(path: Path, columns: Sequence[str]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    with _open(path) as raw:
        content = raw.read()
    if content.count(b'"') % 2:
        # Arrow reads an unclosed quote to the end of the file, and would swallow rows in silence.
        for _ in _records(path):
            pass
    block = _BLOCK
    kind = pa.dictionary(pa.int32(), pa.string())
    while True:
        try:
            return arrow_csv.read_csv(
                pa.BufferReader(content),
                read_options=arrow_csv.ReadOptions(block_size=block),
                parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=list(columns), column_types=dict.fromkeys(columns, kind), check_utf8=True
                ),
            )
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error) or block >= _LARGEST_BLOCK:
                raise
            block *= 8


def _open(path: Path) -> BinaryIO:
    return gzip.open(path) if path.name.endswith(".gz") else path.open("rb")  # type: ignore[return-value]


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each CSV record begins, and its cells; for headers and for finding a fault."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with _open(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, strict=True)
        start = 1
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1


def _note_unreadable(path: Path, shown: str, error: Exception, problems: Problems) -> None:
    """Say why a file cannot be read, without quoting what stands in it."""
    if isinstance(error, FileNotFoundError) or not path.exists():
        problems.add(shown, "there is no such file", "correct its name, or put the file there")
    elif path.is_dir():
        problems.add(shown, "this is a folder, not a file", "name a .csv, .csv.gz or .parquet file")
    elif isinstance(error, PermissionError):
        problems.add(shown, "the file may not be read", "change its permissions")
    elif path.name.endswith(".parquet"):
        problems.add(shown, "this is not a whole Parquet file", "write it again, or use CSV")
    else:
        line, what, remedy = _csv_fault(path)
        problems.add(shown, what, remedy, line=line)


def _csv_fault(path: Path) -> tuple[int | None, str, str]:
    """Find the first line at which a CSV file goes wrong."""
    line = 1
    try:
        with _open(path) as raw:
            for line, content in enumerate(raw, start=1):
                content.decode("utf-8-sig" if line == 1 else "utf-8")
        width, line = None, 1
        for line, cells in _records(path):
            width = width or len(cells)
            if len(cells) != width:
                return (
                    line,
                    f"{len(cells)} cells where the header has {width}",
                    "give every line one cell a column",
                )
    except UnicodeDecodeError:
        return line, "the text is not UTF-8", "save the file as UTF-8"
    except (gzip.BadGzipFile, EOFError, OSError):
        return None, "this is not a whole gzip file", "compress it again"
    except csv.Error:
        what = "a line from here on is not well-formed CSV"
        return line, what, "close every quote, and double the quotes inside a cell"
    return None, "the file cannot be read as CSV", "save it as plain comma-separated UTF-8 text"


def count_rows(path: Path) -> int:
    """Return how many rows a table has, without reading its columns where that can be avoided."""
    if path.name.endswith(".parquet"):
        import pyarrow.parquet as pq

        return int(pq.ParquetFile(path).metadata.num_rows)
    with _open(path) as raw:
        content = raw.read()
    if b'"' in content or b"\n\n" in content or b"\r" in content:
        return sum(1 for _ in _records(path)) - 1
    return content.count(b"\n") - 1 + (not content.endswith(b"\n"))


def about_rows(path: Path) -> int:
    """Return a Parquet file's number of rows, and a guess at a CSV file's."""
    return count_rows(path) if path.name.endswith(".parquet") else path.stat().st_size // _BYTES_PER_ROW
