"""Write small text files, with the same bytes on every machine, and their folders if missing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from audit.io.atomic_files import write_file


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table, and its folder if missing."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    write_text(path, text.getvalue())


def write_text(path: Path, text: str) -> None:
    """Write a text, and its folder if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text)
