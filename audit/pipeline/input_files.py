"""The files that an audit has read, each with a hash that gives nothing away but what is published anyway."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit.io.adjustments import adjusted_names
from audit.io.composed_columns import parts_of
from audit.io.dialect import NOTHING_DECLARED, Declared
from audit.io.manifest import ReleaseFiles
from audit.io.series import Series
from audit.io.tables import header, read_table
from audit.io.texts import arrow, column_of, texts_of
from audit.model.errors import Problems

if TYPE_CHECKING:
    import pyarrow as pa


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
        table = problems.checked(read_table(self.path, self.path.name, self.columns, problems, self.declared))
        return digest_of_columns({name: table.arrow(name) for name in self.columns})


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
    """Return the SHA-256 of some columns of a table by name, each as CSV (RFC 4180, UTF-8, LF, all cells in quotes).

    First come the name of a column and its cells, a line each, without spaces around them; then those of the next one.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    found = hashlib.sha256()
    mark, end, nothing = column_of(['"', '"\n', ""]).cast("large_string")  # `pyarrow.scalar` would import pandas
    for name, column in columns.items():
        texts, rows = texts_of(column)
        # Each text of a dictionary is quoted once; those of the rows, end to end, are then the lines themselves.
        cells = pa.concat_arrays([each.cast("large_string") for each in (column_of([name]), texts)])
        cells = pc.binary_join_element_wise(mark, pc.replace_substring(cells, '"', '""'), end, nothing)
        lines = cells if rows is None else cells.take(arrow(np.append(0, rows.astype(np.int64) + 1)))
        _, ends, written = lines.buffers()
        found.update(written[: np.frombuffer(ends, np.int64)[len(lines)]])
    return found.hexdigest()
