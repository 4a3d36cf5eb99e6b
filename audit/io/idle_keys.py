"""Keys of a manifest that its other keys leave without effect: their author believes that they do something."""

from __future__ import annotations

from audit.io.rules.rule import NOTHING
from audit.io.toml import Reader

_NEEDED = {"sensitive", "quasi_identifiers", "releases", "dimensions", "markers"}
"""Keys of which an empty list says something, or which have a message of their own."""


def note_empty(reader: Reader, *tables: str) -> None:
    """Note the keys of some tables of a manifest that list nothing, or of which an entry does."""
    for name in tables:
        content = reader.document.get(name)
        for key, value in content.items() if isinstance(content, dict) else ():
            inner = value.values() if isinstance(value, dict) else ()
            if key not in _NEEDED and (value in ([], {}) or any(each in ([], {}) for each in inner)):
                reader.note(key, f"the list is empty, and {NOTHING}", "fill it, or leave the line out")
