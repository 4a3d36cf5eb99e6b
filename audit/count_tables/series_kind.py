"""Which series are of count tables: for commands that take both kinds; quick to import, unlike their manifest."""

from __future__ import annotations

import os

from audit.io.manifest import NAME
from audit.io.paths import as_path
from audit.io.toml import parse, read_text
from audit.model.errors import Problems

KIND = "tables"


def is_table_series(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder's manifest says that it holds a series of count tables; every trouble counts as no."""
    where = as_path(path)
    folder = where.parent if where.name == NAME else where
    text = read_text(folder, NAME, "", Problems())
    document = None if text is None else parse(text, NAME, "", Problems())
    series = (document or {}).get("series")
    return isinstance(series, dict) and series.get("kind") == KIND
