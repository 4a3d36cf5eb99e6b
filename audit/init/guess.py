"""A guessed manifest, and what was found, file by file and column by column.

A guess is made from names and from the first rows of each file; what is not sure is listed as unconfirmed. Only the
publisher knows what is meant: every guess stands with its reason in the manifest, and so does what is left out.
The manifest quotes no cell but those that mark totals; the publisher's terminal may.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from audit.init.amendments import amend, changes
from audit.init.column_matches import match_headers
from audit.init.column_meanings import Meaning, guess_meanings
from audit.init.columns import Column
from audit.init.consistency import settle
from audit.init.differences import check_header, differences
from audit.init.found_files import FoundFiles, find_files
from audit.init.manifest_draft import DRAFTED_TRANSITIONS, document, transitions
from audit.init.microdata_draft import MicrodataDraft, microdata_document
from audit.io.irregularities import irregularities
from audit.io.manifest import NAME, Manifest, parse_manifest
from audit.io.rules.several_rows import SeveralRows
from audit.io.series import Series, check_headers
from audit.io.toml import toml_text
from audit.model.errors import InputError, Problems, UsageError, printable
from audit.model.report import ReportWarning


@dataclass(frozen=True)
class Guess:
    """A guessed manifest.

    Attributes:
        manifest, text: the manifest, and how it is written.
        files: what is to be written beside it, by name.
        doubts: sentences on what to check first.
        found, meaning: what it was guessed from.
        columns: the columns that the releases share, by name.
        warnings: what is irregular about the files.
        unsure: keys of the manifest that are guesses.
    """

    manifest: Manifest
    text: str
    files: dict[str, str]
    doubts: tuple[str, ...]
    found: FoundFiles
    meaning: Meaning
    columns: dict[str, Column]
    warnings: tuple[ReportWarning, ...]
    unsure: tuple[str, ...]


def guess(folder: Path) -> Guess:
    """Guess a manifest for the files in a folder.

    Raises:
        UsageError: the folder is none, holds no releases, or names that no manifest could open.
        InputError: a file cannot be read, or the files have nothing in common that could be audited.
    """
    found = find_files(folder)
    check_header(found)
    match_headers(found)
    meaning = guess_meanings(found)
    settle(found, meaning)
    meaning.doubts += differences(found, meaning)
    try:
        amend(Series.of(_manifest(found, meaning)), meaning)
        if (
            "transitions" not in found.beside
            and meaning.rules[SeveralRows].choice is None
            and not (folder / DRAFTED_TRANSITIONS).exists()
        ):
            meaning.changes = changes(Series.of(_manifest(found, meaning)))
            _note_changes(meaning)
    except InputError as error:
        meaning.doubts.append(f"A release cannot be read whole: {error.problems[0]}.")
    drafted = replace(meaning, changes={}, unsure={})
    manifest, text = _manifest(found, drafted), document(found, meaning)
    try:
        noticed = irregularities(Series.of(manifest), reveal=True)
        warnings = tuple(
            each for each in noticed if each.kind != "duplicates" or meaning.rules[SeveralRows].choice is None
        )
    except InputError:
        warnings = ()
    files = {DRAFTED_TRANSITIONS: transitions(meaning)} if meaning.changes else {}
    unsure = tuple({**found.unsure, **meaning.unsure})
    doubts = (*found.doubts, *meaning.doubts)
    return Guess(manifest, text, files, doubts, found, meaning, meaning.columns, warnings, unsure)


def _note_changes(meaning: Meaning) -> None:
    """Note that the values of people change, and what is written for it."""
    kinds = [(old, new) for old, new in meaning.changes if old != new]
    if kinds:
        times = sum(meaning.changes[pair] for pair in kinds)
        meaning.unsure["adversary.transitions"] = None
        meaning.written[f"transitions = {toml_text(DRAFTED_TRANSITIONS)}"] = (
            f"by the key, people's values changed {times:,} times, in {len(kinds):,} ways, which the file lists with "
            'counts; any other change is taken for impossible: complete it, or write "any"'
        )


def guess_microdata(folder: Path) -> tuple[MicrodataDraft, FoundFiles, Meaning]:
    """Guess a `microdata.toml` for the tables of people in a folder.

    Raises:
        UsageError: the folder is none, or holds no tables.
        InputError: a table cannot be read, or no column says whose row it is.
    """
    found = find_files(folder)
    check_header(found)
    match_headers(found)
    meaning = guess_meanings(found, published=False)
    settle(found, meaning)
    return microdata_document(found, meaning), found, meaning


def _manifest(found: FoundFiles, meaning: Meaning) -> Manifest:
    """Return the manifest that a meaning is.

    Raises:
        UsageError: it could not be opened.
    """
    problems = Problems()
    manifest = parse_manifest(found.folder, document(found, meaning), problems)
    if manifest is not None:
        check_headers(manifest, problems)
    if manifest is None or problems.found:
        raise UsageError(
            f"{found.folder}: no manifest could be guessed that opens ({printable(str(problems.found[0]), 300)}); "
            f"write {NAME} by hand, or rename the files or columns it speaks of"
        )
    return manifest
