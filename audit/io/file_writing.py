"""File writing: a written file appears whole or not at all; equal tables become equal bytes."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.dialect import UTF_8, Dialect
from audit.io.texts import arrow, column_of, whole
from audit.model.errors import UsageError
from audit.runtime.phrases import printable_path

GITIGNORE = ".gitignore"
# The number of characters of a name that its temporary file repeats; all of them may be too many.
_NAME = 40
_RANDOM = 6  # bytes


@contextmanager
def atomic_path(path: Path, *, mode: int | None = None, new: bool = False) -> Iterator[Path]:
    """Yield a hidden path beside a file; it replaces the file at the end, and is removed after an error.

    Links are followed; devices and pipes are written directly. The content is on the disk before the file appears.

    Args:
        path: the file.
        mode: its permissions; by default those of the replaced file, or the usual ones.
        new: whether the file must not exist yet.

    Raises:
        FileExistsError: it exists although it should be new.
        OSError: it cannot be written.
    """
    if new and os.path.lexists(path):
        raise FileExistsError(17, "there is such a file already", str(path))
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    draft = path.with_name(f"{_draft_prefix(path)}{secrets.token_hex(_RANDOM)}")
    # No other user may read it before it has its permissions.
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield draft
        with draft.open("r+b") as file:  # Windows does not flush a file that is open for reading only
            os.fsync(file.fileno())
        draft.chmod(_mode(path) if mode is None else mode)
        _put(draft, path, new=new)
    finally:
        draft.unlink(missing_ok=True)


def write_file(path: Path, content: str | bytes, *, mode: int | None = None, new: bool = False) -> None:
    """Write bytes, or a text as UTF-8, atomically; characters that UTF-8 cannot encode become question marks.

    Raises:
        OSError: as for `atomic_path`.
    """
    with atomic_path(path, mode=mode, new=new) as draft:
        draft.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def check_empty(folder: Path) -> None:
    """Refuse a folder that is not empty, or cannot be created.

    Raises:
        UsageError: the folder is not empty, or cannot be created.
    """
    try:
        holds = folder.resolve().parent.is_dir()
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a link to itself, a locked folder
        holds, taken = False, False
    if taken:
        raise UsageError.say(
            "{path}: this is not an empty folder; name a new or empty one", path=printable_path(folder)
        )
    if not holds:
        raise UsageError(f"{printable_path(folder)}: no folder can be made there; name one in an existing folder")


def hide_from_version_control(folder: Path) -> None:
    """Write a `.gitignore` into a private folder if it has none: its keys identify the people of rows.

    Raises:
        OSError: as for `atomic_path`.
    """
    with suppress(FileExistsError):
        write_file(folder / GITIGNORE, "*\n", new=True)


def abandoned_drafts(path: Path) -> list[Path]:
    """Return the temporary files beside a file that killed processes left, or that others are writing."""
    prefix = _draft_prefix(path)
    digits = 2 * _RANDOM
    return [
        found
        for found in path.parent.iterdir()
        if found.name.startswith(prefix) and re.fullmatch(f"[0-9a-f]{{{digits}}}", found.name[len(prefix) :])
    ]


def _draft_prefix(path: Path) -> str:
    return f".{path.name[:_NAME]}."


def _put(draft: Path, path: Path, *, new: bool) -> None:
    """Move a file to its place, over an existing one or only if there is none."""
    if not new:
        draft.replace(path)
        return
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: a file created in between is lost
        if os.path.lexists(path):
            raise FileExistsError(17, "there is such a file already", str(path)) from None
        draft.replace(path)


def _mode(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


# -- tables -----------------------------------------------------------------------------------------------------------


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
