"""Tables written as CSV, CSV.gz or Parquet; the same table gives the same bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 20
_SIGNS = ',"\r\n'


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table in the form that a file's name asks for; cells are quoted only where CSV needs it."""
    import gzip

    import pyarrow.parquet as pq

    if path.name.endswith(".parquet"):
        pq.write_table(table, path, compression="zstd")
        return
    with path.open("wb") as raw:
        if path.name.endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
                file.writelines(_lines(table))
        else:
            raw.writelines(_lines(table))


def _lines(table: pa.Table) -> Iterator[bytes]:
    """Yield the CSV text of a table, many rows at once."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    comma, nothing, end = (pa.scalar(text, pa.large_string()) for text in (",", "", "\n"))
    yield (",".join(quoted(table.column_names)) + "\n").encode()
    for start in range(0, table.num_rows, _ROWS_AT_ONCE):
        columns = [_texts(column.combine_chunks()) for column in table.slice(start, _ROWS_AT_ONCE).columns]
        rows = pc.binary_join_element_wise(pc.binary_join_element_wise(*columns, comma), nothing, end)
        # The texts of a string array lie one after the other: together they are the file.
        _, offsets, texts = rows.buffers()
        yield texts.slice(0, int(np.frombuffer(offsets, dtype=np.int64)[len(rows)])).to_pybytes()


def _texts(column: pa.Array) -> pa.Array:
    """Return a column's cells as CSV; texts of a dictionary are quoted once, not in each row."""
    import pyarrow as pa

    if not (pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)):
        return column.cast(pa.large_string())
    if not pa.types.is_dictionary(column.type):
        return pa.array(quoted(column.to_pylist()), pa.large_string())
    texts = pa.array(quoted(column.dictionary.to_pylist()), pa.large_string())
    return pa.DictionaryArray.from_arrays(column.indices, texts).cast(pa.large_string())


def quoted(texts: Sequence[str]) -> list[str]:
    r"""Return texts as cells of CSV.

    >>> quoted(["a", "b, c", 'd"e', ""])
    ['a', '"b, c"', '"d""e"', '']
    """
    special = {text: _quoted(text) for text in texts if any(sign in text for sign in _SIGNS)}
    return [special.get(text, text) for text in texts]


def _quoted(text: str) -> str:
    cell = io.StringIO()
    csv.writer(cell, lineterminator="", quoting=csv.QUOTE_ALL).writerow([text])
    return cell.getvalue()
