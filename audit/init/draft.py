"""A draft of a manifest, and what its publisher is to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Row: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class ManifestDraft:
    """A guessed manifest.

    Attributes:
        name, text: its file, and what it says.
        found: what was found: rows of cells by title, the last cell of each a text of any length.
        doubts: sentences on what to check first.
        following: the command that takes the manifest, with `{folder}` in the place of the folder.
        files: what is to be written beside it, by name.
        unsure: keys of the manifest that are guesses.
        asks: whether its publisher is to be asked something.
    """

    name: str
    text: str
    found: dict[str, list[Row]]
    doubts: tuple[str, ...] = ()
    following: str = "audit {folder}"
    files: dict[str, str] = field(default_factory=dict)
    unsure: tuple[str, ...] = ()
    asks: bool = False
