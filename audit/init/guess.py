"""A guessed manifest, and what was found, file by file and column by column.

A guess is made from names and from the first rows of each file; what is not sure is listed as unconfirmed. Only the
publisher knows what is meant: every guess stands with its reason in the manifest, and so does what is left out.
The manifest quotes no cell but those that mark totals; the publisher's terminal may.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from audit.init.amendments import amend, changes
from audit.init.column_matches import match_headers
from audit.init.column_meanings import Meaning, guess_meanings
from audit.init.consistency import settle
from audit.init.differences import check_header, differences
from audit.init.draft import ManifestDraft
from audit.init.found_files import FoundFiles, find_files
from audit.init.manifest_draft import DRAFTED_TRANSITIONS, document, transitions
from audit.init.microdata_draft import microdata_draft
from audit.init.summary import found_rows
from audit.io.irregularities import irregularities
from audit.io.manifest import NAME, Manifest, parse_manifest
from audit.io.rules.several_rows import SeveralRows
from audit.io.series import Series, check_headers
from audit.io.toml import toml_text
from audit.model.errors import InputError, Problems, UsageError, printable
from audit.model.report import ReportWarning


def guess(folder: Path) -> ManifestDraft:
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
    manifest = _manifest(found, replace(meaning, changes={}, unsure={}))
    try:
        noticed = irregularities(Series.of(manifest), reveal=True)
        several = meaning.rules[SeveralRows].choice is not None
        warnings = [_warned(each) for each in noticed if each.kind != "duplicates" or not several]
    except InputError:
        warnings = []
    unsure = tuple({**found.unsure, **meaning.unsure})
    return ManifestDraft(
        NAME,
        document(found, meaning),
        found_rows(manifest, found, meaning),
        (*warnings, *found.doubts, *meaning.doubts),
        files={DRAFTED_TRANSITIONS: transitions(meaning)} if meaning.changes else {},
        unsure=unsure,
        asks=bool(unsure or meaning.left),
    )


def _warned(warning: ReportWarning) -> str:
    return f"{warning.text} ({'; '.join(warning.examples)})." if warning.examples else f"{warning.text}."


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


def guess_microdata(folder: Path) -> ManifestDraft:
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
    return microdata_draft(found, meaning)


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
