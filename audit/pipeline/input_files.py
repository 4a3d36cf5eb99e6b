"""The files that an audit has read, each with a hash that tells nothing but what is published anyway."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.adjustments import adjusted_names
from audit.io.composed_columns import parts_of
from audit.io.dialect import NOTHING_DECLARED, Declared
from audit.io.manifest import ReleaseFiles
from audit.io.series import Series
from audit.io.tables import header, read_table, short_codes
from audit.io.texts import arrow, column_of, whole
from audit.model.arrays import Codes
from audit.model.errors import Problems

if TYPE_CHECKING:
    import pyarrow as pa

_AT_A_TIME = 1 << 16  # rows, which stay in a processor's cache from one look at them to the next
_FIRST_ROWS = 1 << 11  # in which most cells of most columns occur, so that few rows are sorted


@dataclass(frozen=True)
class InputFile:
    """A file to hash.

    Attributes:
        path: where it is.
        columns: the columns that count, where others are private; None for the whole file.
        declared: how it is written.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    declared: Declared = NOTHING_DECLARED

    def digest(self) -> str:
        """Return the SHA-256 of the file; of its columns, by `digest_of_columns`, if they are named."""
        if self.columns is None:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        problems = Problems()
        table = read_table(self.path, self.path.name, self.columns, problems, self.declared)
        problems.check()
        if table is None:
            raise AssertionError("this file has been read before")
        return digest_of_columns({name: table.arrow(name) for name in self.columns})


def digest(file: InputFile) -> str:
    """Return a file's hash; a task for engines."""
    return file.digest()


def input_files(series: Series, *, reveal: bool) -> dict[str, InputFile]:
    """Return the files to hash, by the names that the manifest has for them.

    A hash confirms a guess: of a release that holds private columns only the published ones count, and a
    register or known values have none, unless the report names people anyway.
    """
    manifest, files = series.manifest, dict[str, InputFile]()
    for release in manifest.releases:
        files[release.shown] = InputFile(release.rows) if reveal else _published(series, release)
        if release.values is not None:
            files[release.values_shown] = InputFile(release.values)
        name = manifest.counterfeits.get(release.tag)
        files |= {} if name is None else {name: InputFile(manifest.folder / name)}
    names = [manifest.transitions, *([manifest.register, manifest.known] if reveal else [])]
    return files | {name: InputFile(manifest.folder / name) for name in names if name}


def _published(series: Series, release: ReleaseFiles) -> InputFile:
    """Return a release's file, its published columns alone where the key is one of its columns."""
    columns, headings = series.manifest.columns, series.manifest.headings(release.tag)
    if columns.individual is None:
        return InputFile(release.rows)
    spelled = header(release.rows, release.shown, Problems(), headings.declared) or {}
    names = adjusted_names(release.rows, release.shown, headings, Problems()) or []
    if columns.individual not in names:
        return InputFile(release.rows)
    published = {*columns.sensitive, *columns.quasi_identifiers, columns.group, columns.record, columns.count} - {None}
    published |= {part for name in columns.quasi_identifiers for part in parts_of(name, names)}
    kept = tuple(own for own, name in zip(spelled, names, strict=True) if name in published)
    return InputFile(release.rows, kept, headings.declared)


def digest_of_columns(columns: Mapping[str, pa.Array]) -> str:
    """Return the SHA-256 of some columns of a table by name, one after the other.

    Of each column: a line with its name, its number of rows and that of its distinct cells; these cells, stripped, in
    the order in which they first occur, a line each; and for each row the place of its cell among them, from 0, in as
    many bytes as the number of distinct cells takes. A column of whole numbers has 0 distinct cells, and its numbers as
    they are, with a sign, in as few bytes as all of them fit into: 1, 2, 4 or 8.
    Lines are CSV (RFC 4180, UTF-8, all cells in quotes), integers little endian. To write all rows as CSV would take
    longer than an attack.
    """
    import pyarrow as pa

    found = hashlib.sha256()
    for name, column in columns.items():
        if pa.types.is_integer(column.type) and not column.null_count:
            numbers = whole(column)
            kind = _least_type(numbers)
            found.update(_csv([name], [str(len(column))], ["0"]))
            for start in range(0, len(numbers), _AT_A_TIME):
                found.update(numbers[start : start + _AT_A_TIME].astype(kind).data)
            continue
        codes, names = short_codes(column)
        order = _order(codes, len(names))
        found.update(_csv([name], [str(len(codes))], [str(len(order))]))
        found.update(_csv(column_of(names).take(arrow(order))))
        rank = np.zeros(len(names), dtype=np.min_scalar_type(len(order)).newbyteorder("<"))
        rank[order] = np.arange(len(order))
        for start in range(0, len(codes), _AT_A_TIME):
            found.update(rank.take(codes[start : start + _AT_A_TIME]).data)
    return found.hexdigest()


def _least_type(numbers: npt.NDArray[np.integer]) -> np.dtype[np.integer]:
    """Return the smallest type of little-endian integers with a sign that some numbers fit into."""
    least, most = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    fits = (size for size in (1, 2, 4) if -(1 << 8 * size - 1) <= least and most < 1 << 8 * size - 1)
    return np.dtype(f"<i{next(fits, 8)}")


def _csv(*columns: Iterable[str]) -> pa.Buffer:
    """Return some cells as CSV, a line for each place in the columns."""
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    # Handed a file of Python's, pyarrow would stop all other threads for every thousand rows.
    text = pa.BufferOutputStream()
    table = pa.table({str(place): column_of(cells) for place, cells in enumerate(columns)})
    pa_csv.write_csv(table, text, pa_csv.WriteOptions(include_header=False, quoting_style="all_valid"))
    return text.getvalue()


def _order(codes: npt.NDArray[np.integer], size: int) -> Codes:
    """Return the codes below `size` that occur, in the order in which they first do."""
    seen, order = np.zeros(size, dtype=np.bool_), [np.zeros(0, dtype=np.int32)]
    start, rows = 0, _FIRST_ROWS
    while start < len(codes) and not seen.all():
        some = codes[start : start + rows]
        new = some[~seen.take(some)]
        if len(new):
            distinct, first = np.unique(new, return_index=True)
            order.append(distinct[np.argsort(first)].astype(np.int32))
            seen[distinct] = True
        start, rows = start + rows, min(2 * rows, _AT_A_TIME)
    return np.concatenate(order)
