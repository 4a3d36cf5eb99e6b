"""The files that an audit has read, each with a hash that depends on published data only."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.dialect import NOTHING_DECLARED, Declared
from audit.io.manifest import Manifest, ReleaseFiles
from audit.io.rules.rule import adjusted_names
from audit.io.tables import Table, header, parts_of, read_table
from audit.io.texts import arrow, column_of, texts_of
from audit.model.arrays import blocks
from audit.model.errors import Problems


@dataclass(frozen=True)
class InputFile:
    """A file to hash.

    Attributes:
        path: where it is.
        columns: the published columns, if others are private; None for the whole file.
        names: what the series calls these columns.
        declared: the declared format of the file.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    declared: Declared = NOTHING_DECLARED

    def digest(self) -> str:
        """Return the SHA-256 of the file, or of its columns by `digest_of_columns` if they are named."""
        if self.columns is None:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        problems = Problems()
        table = problems.checked(read_table(self.path, self.path.name, self.columns, problems, self.declared))
        return digest_of_columns({name: table.arrow(name) for name in self.columns})

    def digest_of(self, table: Table) -> str | None:
        """Return the digest, if a table has all rows and all hashed columns of the file as written; else None."""
        whole = table.path == self.path and table.kept is None and {*self.names} <= {*table.names}
        if self.columns is None or not whole:
            return None
        return digest_of_columns({own: table.arrow(name) for own, name in zip(self.columns, self.names, strict=True)})


def input_files(manifest: Manifest, *, reveal: bool) -> dict[str, InputFile]:
    """Return the files to hash, by their names in the manifest.

    A hash lets a reader confirm a guess at private data. So only the published columns of a release are hashed, and a
    register or known values are hashed only if the report names people anyway.
    """
    files = dict[str, InputFile]()
    for release in manifest.releases:
        files[release.shown] = InputFile(release.rows) if reveal else published_file(manifest, release)
        if release.values is not None:
            files[release.values_shown] = InputFile(release.values)
        name = manifest.counterfeits.get(release.tag)
        files |= {} if name is None else {name: InputFile(manifest.folder / name)}
    names = [manifest.transitions, *([manifest.register, manifest.known] if reveal else [])]
    return files | {name: InputFile(manifest.folder / name) for name in names if name}


def published_file(manifest: Manifest, release: ReleaseFiles) -> InputFile:
    """Return a release's file, with its published columns if the key is another column of it."""
    columns, headings = manifest.columns, manifest.headings(release.tag)
    if columns.individual is None:
        return InputFile(release.rows)
    spelled = header(release.rows, release.shown, Problems(), headings.declared) or {}
    names = adjusted_names(release.rows, release.shown, headings, Problems()) or []
    if columns.individual not in names:
        return InputFile(release.rows)
    published = {*columns.sensitive, *columns.quasi_identifiers, columns.group, columns.record, columns.count} - {None}
    published |= {part for name in (*columns.quasi_identifiers, columns.record or "") for part in parts_of(name, names)}
    kept = {own: name for own, name in zip(spelled, names, strict=True) if name in published}
    return InputFile(release.rows, tuple(kept), tuple(kept.values()), headings.declared)


def digest_of_columns(columns: Mapping[str, pa.Array]) -> str:
    """Return the SHA-256 of columns by name, each as CSV (RFC 4180, UTF-8, LF, all cells quoted).

    For one column after another, the name and the cells are hashed, one per line, without surrounding spaces.
    """
    found = hashlib.sha256()
    mark, end, nothing = column_of(['"', '"\n', ""]).cast("large_string")  # `pyarrow.scalar` would import pandas
    for name, column in columns.items():
        for texts, rows in ((column_of([name]), None), texts_of(column)):
            cells = pc.replace_substring(texts.cast("large_string"), '"', '""')  # once for each text of a dictionary
            cells = pc.binary_join_element_wise(mark, cells, end, nothing)
            of_row = np.arange(len(cells)) if rows is None else rows
            for block in blocks(len(of_row)):
                lines = cells.take(arrow(of_row[block]))
                _, ends, written = lines.buffers()  # the texts of these rows, end to end
                found.update(written[: np.frombuffer(ends, np.int64)[len(lines)]])
    return found.hexdigest()
