"""The files that an audit has read, each with a fingerprint that tells nothing but what is published anyway."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from audit.io.dialect import NOTHING_DECLARED, Declared
from audit.io.series import Series
from audit.io.tables import header, read_table
from audit.model.errors import Problems

_AT_A_TIME = 1 << 14


@dataclass(frozen=True)
class InputFile:
    """A file to fingerprint.

    Attributes:
        path: where it is.
        columns: the columns that count, where others are private; None for the whole file.
        declared: how it is written.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    declared: Declared = NOTHING_DECLARED

    def digest(self) -> str:
        """Return the SHA-256 of the file; of its columns, written as CSV (RFC 4180, UTF-8), if they are named."""
        if self.columns is None:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        return _digest_of_columns(self.path, self.columns, self.declared)


def digest(file: InputFile) -> str:
    """Return a file's fingerprint; a task for engines."""
    return file.digest()


def input_files(series: Series, *, reveal: bool) -> dict[str, InputFile]:
    """Return the files to fingerprint, by the names that the manifest has for them.

    A fingerprint confirms a guess: of a release that holds private columns only the published ones count, and a
    register or known values have none, unless the report names people anyway.
    """
    manifest, files = series.manifest, dict[str, InputFile]()
    for release in manifest.releases:
        files[release.shown] = InputFile(release.rows) if reveal else _published(series, release.rows, release.shown)
        if release.values is not None:
            files[release.values_shown] = InputFile(release.values)
        name = manifest.counterfeits.get(release.tag)
        files |= {} if name is None else {name: InputFile(manifest.folder / name)}
    names = [manifest.transitions, *([manifest.register, manifest.known] if reveal else [])]
    return files | {name: InputFile(manifest.folder / name) for name in names if name}


def _published(series: Series, path: Path, shown: str) -> InputFile:
    """Return a release's file, its published columns alone where the key is one of its columns."""
    columns, declared = series.manifest.columns, series.manifest.columns.notation.declared
    if columns.individual is None:
        return InputFile(path)
    names = header(path, shown, Problems(), declared) or {}
    if columns.individual not in names:
        return InputFile(path)
    published = {*columns.sensitive, *columns.quasi_identifiers, columns.group, columns.record, columns.count}
    return InputFile(path, tuple(name for name in names if name in published), declared)


def _digest_of_columns(path: Path, columns: tuple[str, ...], declared: Declared) -> str:
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    problems = Problems()
    table = read_table(path, path.name, columns, problems, declared)
    problems.check()
    if table is None:
        raise AssertionError("this file has been read before")
    found = hashlib.sha256()
    for first in range(0, max(1, table.rows), _AT_A_TIME):
        some = {name: table.arrow(name).slice(first, _AT_A_TIME).cast(pa.string()) for name in columns}
        # Handed a file of Python's, pyarrow would stop all other threads for every thousand rows.
        text = pa.BufferOutputStream()
        pa_csv.write_csv(pa.table(some), text, pa_csv.WriteOptions(include_header=not first, quoting_style="needed"))
        found.update(text.getvalue())
    return found.hexdigest()
