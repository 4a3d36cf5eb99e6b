"""A `microdata.toml` for tables of people before publication: what `audit anonymize` publishes from."""

from __future__ import annotations

from fractions import Fraction

from audit.init import column_names
from audit.init.columns import Column
from audit.init.found_files import QUASI, FoundFiles
from audit.init.guesses import Guesses
from audit.io.cell_reading import parse_value
from audit.io.cells import CellError, Kind
from audit.io.microdata import MOST_LISTED, NAME, kind_of_values
from audit.io.toml import natural
from audit.model.errors import InputError, Problem

_HEAD = """\
# Guessed by `audit init --microdata` from the tables in this folder and their first rows.
# Check what is marked as a guess: only you know what the columns mean."""


def microdata_guesses() -> Guesses:
    """Return no guesses yet of a `microdata.toml`."""
    following = "audit anonymize {folder} --method m-invariance --m 2 --output SERIES"
    return Guesses(_HEAD, name=NAME, following=following)


def complete_microdata(found: FoundFiles) -> None:
    """State what was found of tables of people as a `microdata.toml` has it.

    Raises:
        InputError: no column says whose row it is.
    """
    named = (c for c in found.columns.values() if c.unique and column_names.kind(c.name) in column_names.ID_KINDS)
    individual = found.chosen("individual") or found.chosen("record") or next(named, None)
    if individual is None:
        what = "no column identifies the people, each once in a table"
        remedy = "add one, such as a patient number; anonymize never publishes it"
        raise InputError([Problem(found.releases[0].shown, what, remedy, line=1)])
    guesses, quasi = found.guesses, [column for column in found.with_role(QUASI) if column is not individual]
    left = {**guesses.left["columns"], **guesses.column("unlinkable", {})}
    missing, unused = guesses.column("missing", ()), found.unused
    for each in (guesses.document, guesses.left, guesses.why, guesses.unsure):
        each.clear()
    guesses.state("microdata.name", found.folder.resolve().name)
    guesses.state("microdata.snapshots", [release.shown for release in found.releases])
    guesses.state("columns.individual", individual.name)
    guesses.state("columns.quasi_identifiers", [column.name for column in quasi])
    guesses.state("columns.sensitive", found.sensitive.name)
    for column in quasi:
        _state_domain(found, column, [text for text in column.texts if text and text not in missing])
    if "transitions" in found.beside:
        guesses.state("updates.transitions", found.beside["transitions"])
    guesses.doubts = ["Columns that are not named are not published."]
    guesses.found["Guessed from the tables found"] = [
        ("snapshots", ", ".join(found.tags)),
        ("individual", individual.name),
        ("quasi-identifiers", ", ".join(column.name for column in quasi) or "none"),
        ("sensitive", found.sensitive.name),
        *(("not published", f'"{name}": {why}') for name, why in left.items() if name != individual.name),
        *(("NOT USED", f"{shown}: {why}") for shown, why in unused.items()),
    ]


def _state_domain(found: FoundFiles, column: Column, texts: list[str]) -> None:
    """State what a quasi-identifier can be: an interval, or values in their order, where all cells were seen."""
    key, guesses = f"domains.{column.name}", found.guesses
    if hierarchy := found.labels.get(column.name):  # whose leaves stand beside their siblings
        guesses.state(key, [*hierarchy.levels[0]], f"the leaves of {hierarchy.name}")
    elif not column.whole:
        guesses.left["domains"][column.name] = "only the first rows were seen"
    elif kind_of_values(texts) is Kind.NUMERIC:
        numbers = [number for number in map(_number, texts) if number is not None]
        low, high = (int(end) if end.denominator == 1 else float(end) for end in (min(numbers), max(numbers)))
        if low < high:
            guesses.state(key, [low, high], "the range found")
    elif 1 < len(texts) <= MOST_LISTED:
        guesses.state(key, sorted(texts, key=lambda text: (natural(text), text)), "the values found")


def _number(text: str) -> Fraction | None:
    try:
        value = parse_value(text, Kind.NUMERIC)
    except CellError:
        return None
    return value if isinstance(value, Fraction) else None
