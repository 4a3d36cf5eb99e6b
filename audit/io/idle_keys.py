"""Keys of a manifest that its other keys leave without effect: their author believes that they do something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audit.io.cells import Kind
from audit.io.toml import Reader
from audit.model.errors import printable

_NEEDED = {"sensitive", "quasi_identifiers", "releases", "dimensions", "markers"}
"""Keys of which an empty list says something, or which have a message of their own."""
NOTHING = "nothing reads it"


def note_empty(reader: Reader, *tables: str) -> None:
    """Note the keys of some tables of a manifest that list nothing, or of which an entry does."""
    for name in tables:
        content = reader.document.get(name)
        for key, value in content.items() if isinstance(content, dict) else ():
            inner = value.values() if isinstance(value, dict) else ()
            if key not in _NEEDED and (value in ([], {}) or any(each in ([], {}) for each in inner)):
                reader.note(key, f"the list is empty, and {NOTHING}", "fill it, or leave the line out")


def note_date(reader: Reader, date: str | None, rows: str | None) -> None:
    """Note that nothing reads the column of dates, as no row of a person is chosen by it."""
    if date is not None and rows not in ("latest", "first"):
        what = f'{NOTHING} unless one row of each person counts, by rows = "latest" or "first"'
        reader.note("date", what, "write that line, or leave this one out; the column still needs a role")


def note_types(reader: Reader, sensitive: Sequence[str], types: Mapping[str, str]) -> None:
    """Note types of sensitive columns that nothing reads."""
    for name in sensitive:
        if types.get(name) in {each.value for each in Kind} - {Kind.NUMERIC.value, Kind.CATEGORICAL.value}:
            named = f'"{printable(name)}" is sensitive'
            what = f'{named}, and of sensitive values only "numeric" and "categorical" are read'
            reader.note("types", what, "use one of the two, or leave it out")
