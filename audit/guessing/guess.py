"""A guessed manifest, and what a person should check of it.

A guess is made from names and from the first rows of each file. Only the publisher knows what is meant: every guess
stands with its reason in the manifest, and what is not guessed is named there as left out. No cell is ever quoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from audit.core.errors import Problems, UsageError, printable
from audit.guessing.document import document
from audit.guessing.files import find_files
from audit.guessing.meanings import guess_meanings
from audit.guessing.settling import settle
from audit.reading.manifest import NAME, Manifest, parse_manifest
from audit.reading.series import check_headers


@dataclass(frozen=True)
class Guess:
    """A guessed manifest, its text, and sentences on what to check first."""

    manifest: Manifest
    text: str
    doubts: tuple[str, ...]


def guess(folder: Path) -> Guess:
    """Guess a manifest for the files in a folder.

    Raises:
        UsageError: the folder is none, holds no releases, or names that no manifest could open.
        InputError: a file cannot be read, or the files have nothing in common that could be audited.
    """
    found = find_files(folder)
    meaning = guess_meanings(found)
    settle(found, meaning)
    text, problems = document(found, meaning), Problems()
    manifest = parse_manifest(folder, text, problems)
    if manifest is not None:
        check_headers(manifest, problems)
    if manifest is None or problems.found:
        raise UsageError(
            f"{folder}: no manifest could be guessed that opens ({printable(str(problems.found[0]), 300)}); "
            f"write {NAME} by hand, or rename the files or columns it speaks of"
        )
    return Guess(manifest, text, (*found.doubts, *meaning.doubts))
