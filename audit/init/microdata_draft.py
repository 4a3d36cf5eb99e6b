"""A `microdata.toml` for tables of people before publication: what `audit anonymize` publishes from."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from audit.init import column_names
from audit.init.column_meanings import Meaning
from audit.init.columns import Column
from audit.init.draft import ManifestDraft, Row
from audit.init.found_files import FoundFiles
from audit.io.cell_reading import parse_value
from audit.io.cell_text import decimal
from audit.io.cells import CellError, Kind
from audit.io.microdata import MOST_LISTED, NAME, kind_of_values
from audit.io.rules.cell_meaning import Missing
from audit.io.rules.unlinkable import Unlinkable
from audit.io.toml import natural, toml_array, toml_key, toml_text
from audit.model.errors import InputError, Problem

_HEAD = """\
# Guessed by `audit init --microdata` from the tables in this folder and their first rows.
# Check what is marked as a guess: only you know what the columns mean."""


def microdata_draft(found: FoundFiles, meaning: Meaning) -> ManifestDraft:
    """Return a draft of a `microdata.toml`.

    Raises:
        InputError: no column says whose row it is.
    """
    named = (c for c in meaning.columns.values() if c.unique and column_names.kind(c.name) in column_names.ID_KINDS)
    individual = meaning.chosen.get("individual") or meaning.chosen.get("record") or next(named, None)
    first = found.releases[0]
    if individual is None:
        what = "no column identifies the people, each once in a table"
        remedy = "add one, such as a patient number; anonymize never publishes it"
        raise InputError([Problem(first.shown, what, remedy, line=1)])
    sensitive = meaning.chosen["sensitive"]
    quasi = [column for column in meaning.quasi if column is not individual]
    lines = [_HEAD, "", "[microdata]"]
    lines.append(f"name = {toml_text(found.folder.resolve().name)}")
    lines.append(f"snapshots = {toml_array(toml_text(release.shown) for release in found.releases)}")
    lines += ["", "[columns]", f"individual = {toml_text(individual.name)}"]
    lines.append(f"quasi_identifiers = {toml_array(toml_text(column.name) for column in quasi)}")
    lines.append(f"sensitive = {toml_text(sensitive.name)}")
    domains = [line for column in quasi for line in _domain(column, meaning)]
    if domains:
        lines += [
            "",
            "[domains]  # what each can be: an interval, or values in their order",
        ]
        lines += domains
    if "transitions" in found.beside:
        lines += ["", "[updates]", f"transitions = {toml_text(found.beside['transitions'])}"]
    facts: list[Row] = [
        ("snapshots", ", ".join(release.tag for release in found.releases)),
        ("individual", individual.name),
        ("quasi-identifiers", ", ".join(column.name for column in quasi) or "none"),
        ("sensitive", sensitive.name),
    ]
    left = {**meaning.left, **meaning.rules[Unlinkable].reasons}
    facts += [("not published", f'"{name}": {why}') for name, why in left.items() if name != individual.name]
    facts += [("NOT USED", f"{shown}: {why}") for shown, why in found.unused.items()]
    following = "audit anonymize {folder} --method m-invariance --m 2 --output SERIES"
    doubt = "Columns that are not named are not published."
    return ManifestDraft(NAME, "\n".join(lines) + "\n", {"Guessed from the tables found": facts}, (doubt,), following)


def _domain(column: Column, meaning: Meaning) -> Iterator[str]:
    """Yield the line that says what a quasi-identifier can be; a comment where only a part of its cells was seen."""
    texts = [text for text in column.texts if text and text not in meaning.rules[Missing].texts]
    mark = "" if column.whole else "# only the first rows were seen: "
    hierarchy = meaning.hierarchies.get(column.name)
    if hierarchy is not None:
        leaves = list(hierarchy.levels[0])
        # Leaves stand beside their siblings in the hierarchy's file.
        yield f"{toml_key(column.name)} = {toml_array(map(toml_text, leaves))}  # the leaves of {hierarchy.name}"
        return
    if kind_of_values(texts) is Kind.NUMERIC:
        numbers = [number for number in map(_number, texts) if number is not None]
        low, high = min(numbers), max(numbers)
        if low < high:
            yield f"{mark}{toml_key(column.name)} = [{decimal(low)}, {decimal(high)}]  # guess: the range found"
    elif 1 < len(texts) <= MOST_LISTED:
        listed = sorted(texts, key=lambda text: (natural(text), text))
        yield f"{mark}{toml_key(column.name)} = {toml_array(map(toml_text, listed))}"


def _number(text: str) -> Fraction | None:
    try:
        value = parse_value(text, Kind.NUMERIC)
    except CellError:
        return None
    return value if isinstance(value, Fraction) else None
