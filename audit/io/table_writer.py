"""Table writer: write tables as CSV, CSV.gz or Parquet; equal tables become equal bytes."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.atomic_files import atomic_path
from audit.io.dialect import UTF_8, Dialect
from audit.io.texts import arrow, column_of, whole

_ROWS_AT_ONCE = 1 << 20


def write_table(
    table: pa.Table,
    path: Path,
    *,
    mode: int | None = None,
    dialect: Dialect | None = None,
    above: str = "",
    below: str = "",
) -> None:
    """Write a table atomically, in the form that the file's ending names; no cell may be null.

    Args:
        table: the table.
        path: the file.
        mode: its permissions; by default those of the replaced file, or the usual ones.
        dialect: the delimiter, the encoding and the ends of lines of text; UTF-8 if the encoding lacks a character.
        above: text to write above the header, with its line breaks; Parquet has no place for it.
        below: text to write below the last row, with its line breaks.

    Raises:
        OSError: the file cannot be written.
    """
    with atomic_path(path, mode=mode) as draft:
        if path.name.endswith(".parquet"):
            import pyarrow.parquet as pq

            pq.write_table(_compact(table), draft, compression="snappy")
            return
        lines = _encoded(table, dialect or Dialect(), above, below)
        with draft.open("wb") as raw:
            _write_csv(lines, path.name, raw)


def _encoded(table: pa.Table, dialect: Dialect, above: str, below: str) -> Iterable[bytes]:
    """Return the CSV text of a table between two other texts, in blocks of many rows."""
    lines = chain([_without_upper_header(above, dialect).encode()], _lines(table, dialect), [below.encode()])
    if dialect.encoding == UTF_8:
        return lines
    text = b"".join(lines)
    try:
        return [text.decode().encode(dialect.encoding)]
    except UnicodeEncodeError:
        return [text]


def _without_upper_header(above: str, dialect: Dialect) -> str:
    """Return the text above a header, without the upper lines that name the columns: one line names all."""
    lines = list(io.StringIO(above, newline=""))
    records = [*replace(dialect, names=(), above=0).rows(lines)] if dialect.names else []
    last = len(lines)
    while records and not {cell.strip() for cell in records[-1][1]}.isdisjoint(dialect.names):
        last = records.pop()[0] - 1
    return "".join(lines[:last])


def _write_csv(lines: Iterable[bytes], name: str, raw: BinaryIO) -> None:
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
            file.writelines(lines)
    else:
        raw.writelines(lines)


def _compact(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries hold only the texts of its rows, each once, sorted.

    Parquet stores a dictionary unchanged: texts that no row has, or their order, could reveal rows that are not in the
    table. If a dictionary has a text twice, Arrow writes a page of full size and fills the rest with whatever was in
    memory, for example people's names.
    """
    for place, name in enumerate(table.column_names):
        column = table.column(place).combine_chunks()
        if pa.types.is_dictionary(column.type):
            codes, texts = whole(column.indices), column.dictionary.to_pylist()
            used = np.flatnonzero(np.bincount(codes, minlength=len(texts))).tolist()
            kept = sorted({texts[code] for code in used})
            number_of = {text: number for number, text in enumerate(kept)}
            number = np.zeros(len(texts), dtype=np.int32)
            number[used] = [number_of[texts[code]] for code in used]
            words = column_of(kept).cast(column.type.value_type)
            table = table.set_column(place, name, pa.DictionaryArray.from_arrays(arrow(number[codes]), words))
    return table


def _lines(table: pa.Table, dialect: Dialect) -> Iterator[bytes]:
    """Yield the CSV text of a table, in blocks of many rows."""
    delimiter = dialect.delimiter
    comma, nothing, end = (pa.scalar(text, pa.large_string()) for text in (delimiter, "", dialect.end))
    yield (delimiter.join(quoted(table.column_names, delimiter)) + dialect.end).encode()
    for start in range(0, table.num_rows, _ROWS_AT_ONCE):
        columns = [_texts(column.combine_chunks(), delimiter) for column in table.slice(start, _ROWS_AT_ONCE).columns]
        rows = pc.binary_join_element_wise(pc.binary_join_element_wise(*columns, comma), nothing, end)
        # The texts of a string array are contiguous in memory: together they are the file.
        _, offsets, texts = rows.buffers()
        yield texts.slice(0, int(np.frombuffer(offsets, dtype=np.int64)[len(rows)])).to_pybytes()


def _texts(column: pa.Array, delimiter: str) -> pa.Array:
    """Return a column's cells as CSV; the texts of a dictionary are quoted once, not in each row."""
    if pa.types.is_dictionary(column.type):
        texts = _texts(column.dictionary, delimiter)
        return pa.DictionaryArray.from_arrays(column.indices, texts).cast(pa.large_string())
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if text and pc.any(pc.match_substring_regex(column, f'[{delimiter}"\r\n]')).as_py():
        return column_of(quoted(column.to_pylist(), delimiter)).cast(pa.large_string())
    return column.cast(pa.large_string())


def quoted(texts: Sequence[str], delimiter: str = ",") -> list[str]:
    r"""Return texts as cells of CSV.

    >>> quoted(["a", "b, c", 'd"e', ""])
    ['a', '"b, c"', '"d""e"', '']
    """
    special = {text: _quoted(text) for text in texts if any(sign in text for sign in f'{delimiter}"\r\n')}
    return [special.get(text, text) for text in texts]


def csv_text(lines: Iterable[Iterable[str]]) -> str:
    r"""Return lines of cells as the text of a CSV file.

    >>> csv_text([("from", "to"), ("a", "b, c")])
    'from,to\na,"b, c"\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _quoted(text: str) -> str:
    cell = io.StringIO()
    csv.writer(cell, lineterminator="", quoting=csv.QUOTE_ALL).writerow([text])
    return cell.getvalue()
