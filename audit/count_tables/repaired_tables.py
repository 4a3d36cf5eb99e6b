"""A candidate written anew, with some of its cells left empty and everything else as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from audit.count_tables.candidate import Rows
from audit.count_tables.published_counts import PublishedCounts
from audit.model.errors import UsageError, printable


def write_repaired(counts: PublishedCounts, rows: Rows, files: Sequence[Path], output: Path) -> None:
    """Write the candidate's files into a new or empty folder, the values of some rows left empty.

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


def _without(counts: PublishedCounts, rows: Rows, file: Path) -> str:
    """Return a file's text with the values of its hidden rows empty."""
    empty = {int(counts.row[row]) for row in rows if counts.files[int(counts.file[row])].path == file}
    with file.open(encoding="utf-8-sig", newline="") as source:
        lines = [cells for cells in csv.reader(source) if cells]
    place = [name.strip() for name in lines[0]].index(counts.manifest.value)
    for number in empty:
        lines[number + 1][place] = ""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
