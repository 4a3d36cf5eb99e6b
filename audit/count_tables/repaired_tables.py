"""A candidate written anew, with some of its cells left empty and everything else as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from audit.count_tables.candidate import Rows
from audit.count_tables.published_counts import PublishedCounts
from audit.io.diagnostics import records
from audit.io.dialect import read_dialect
from audit.model.errors import UsageError, printable


def write_repaired(counts: PublishedCounts, rows: Rows, files: Sequence[Path], output: Path) -> list[Path]:
    """Write the candidate's files into a new or empty folder, the values of some rows left empty, and return them.

    Raises:
        UsageError: the folder has files in it, or a file is no plain CSV.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{printable(str(output), 200)}: there are files already; name a new or empty folder")
    written = []
    for file in files:
        if not file.name.endswith(".csv"):
            raise UsageError(f"{printable(file.name)}: only .csv is written anew; convert it first")
        written.append((output / file.name, _without(counts, rows, file)))
    output.mkdir(parents=True, exist_ok=True)
    for path, text in written:
        path.write_text(text, encoding="utf-8", newline="")
    return [path for path, _ in written]


def _without(counts: PublishedCounts, rows: Rows, file: Path) -> str:
    """Return a file's text with the values of its hidden rows empty, and with them rates and statuses, which speak."""
    manifest, dialect = counts.manifest, read_dialect(file)
    empty = {counts.place(row)[1] for row in rows if counts.files[int(counts.file[row])].path == file}
    lines = list(records(file, dialect))
    names = [name.strip() for name in lines[0][1]]
    rates = None if manifest.rates is None else manifest.rates.column
    places = [names.index(name) for name in (manifest.value, manifest.status, rates) if name in names]
    for line, cells in lines:
        for place in places if line in empty else ():
            cells[place] = ""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=dialect.delimiter, lineterminator="\n")
    writer.writerows(cells for _, cells in lines)
    return text.getvalue()
