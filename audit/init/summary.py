"""What `audit init` found, in lines for a terminal: files, columns, and what it would take to audit more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from audit.init.found_files import FoundFiles
from audit.init.guesses import Row
from audit.io.dialect import UTF_8, read_dialect
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.manifest import NAME, Manifest, ReleaseFiles
from audit.io.rules.rows import EPISODES, SeveralRows
from audit.io.table_forms import form_of
from audit.io.tables import header
from audit.io.toml import toml_key, toml_text
from audit.model.errors import Problems

_DELIMITERS = {",": "", ";": "semicolons", "\t": "tabulators", "|": "bars"}
_FILES_SHOWN = 24
_ALIKE_SHOWN = 12


def found_rows(manifest: Manifest, found: FoundFiles) -> dict[str, list[Row]]:
    """Return what was found: files, columns, what is written for what is irregular, and what can be judged."""
    return {
        "Files": _file_rows(found),
        "Columns, with how many different cells": _column_rows(found),
        f"Written into {NAME} for what was found": list(found.guesses.written.items()),
        "What can be judged": [(_judged(manifest, found.keys),)],
    }


def _file_rows(found: FoundFiles) -> list[Row]:
    """Return each file and what it is, one line or more for each."""
    rows: list[Row] = []
    releases = [*{release.shown: release for release in found.releases}.values()]
    for release in releases[:_FILES_SHOWN]:
        rows += _release_rows(release, found.renamed(release.tag))
    if len(releases) > _FILES_SHOWN:
        rows.append((f"… {len(releases) - _FILES_SHOWN:,} more releases", ""))
    for role, shown in found.beside.items():
        rows.append((shown, f"{role}, to be corrected: {found.misfits[role]}" if role in found.misfits else role))
    counterfeits = found.guesses.document.get("counterfeits", {})
    rows += [(shown, f"counterfeits of release {tag}") for tag, shown in counterfeits.items()]
    rows += [(hierarchy.name, f'hierarchy of "{name}"') for name, hierarchy in found.labels.items()]
    if found.keys:
        rows.append(("private/", f"keys of {found.keys} of {len(found.releases)} releases"))
    return [*rows, *((shown, f"NOT USED: {why}") for shown, why in found.unused.items())]


def _release_rows(release: ReleaseFiles, renamed: dict[str, str]) -> Iterator[Row]:
    for path, shown in release.halves:
        yield shown, _described(path, shown)
    if renamed:
        pairs = ", ".join(f"{toml_key(old)} = {toml_text(new)}" for old, new in renamed.items())
        names = " and ".join(f'"{old}" is taken for "{new}"' for old, new in renamed.items())
        yield "", f"its column {names}: renamed.{toml_key(release.tag)} = {{ {pairs} }}"


def _described(path: Path, shown: str) -> str:
    """Return how large a table is, and how it is written where it is not plain."""
    names = header(path, shown, Problems()) or {}
    parts = [f"{form_of(path).rows(path):,} rows, {len(names):,} columns"]
    if is_foreign(path):
        table = read_foreign(path)
        parts += [f'sheet "{table.sheet}"; NOT USED: {_sheets(table.other_sheets)}'] if table.other_sheets else []
        parts += [_header_below(table.lines[0])] if table.above else []
    elif not path.name.endswith(".parquet"):
        dialect = read_dialect(path)
        parts += [_DELIMITERS[dialect.delimiter] and f"cells divided by {_DELIMITERS[dialect.delimiter]}"]
        parts += [f"not UTF-8, read as {dialect.encoding}"] if dialect.encoding != UTF_8 else []
        parts += ["in single quotes"] if dialect.quote == "'" else []
        parts += [_header_below(1 + dialect.above)] if dialect.above else []
    return "; ".join(part for part in parts if part)


def _sheets(names: Sequence[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names[:_ALIKE_SHOWN])
    more = f" and {len(names) - _ALIKE_SHOWN:,} more" if len(names) > _ALIKE_SHOWN else ""
    return f"sheet{'s' if len(names) > 1 else ''} {quoted}{more} (a release is a file of its own)"


def _header_below(line: int) -> str:
    return f"its header stands in line {line}, and what is above it is not read"


def _column_rows(found: FoundFiles) -> list[Row]:
    """Return each column with its role, its number of distinct cells, and the reason."""
    unlinkable = found.guesses.column("unlinkable", {})
    roles = {**found.roles, **{name: ("unlinkable", why) for name, why in unlinkable.items()}}
    rows: list[Row] = []
    left: dict[str, list[str]] = {}
    for name, why in found.guesses.left["columns"].items():
        left.setdefault(why, []).append(name)
    folded = {why: names for why, names in left.items() if len(names) > _ALIKE_SHOWN}
    without = {name: why for name, why in found.guesses.left["columns"].items() if why not in folded}
    for name, column in found.columns.items():
        if name in roles or name in without or name not in found.guesses.left["columns"]:
            distinct = f"{'' if column.whole else 'over '}{len(column.texts) - ('' in column.texts):,}"
            why = without.get(name, "its name and cells say nothing")
            role, why = roles.get(name, ("NO ROLE", why))
            rows.append((name, role, distinct, why))
    rows += [(name, "NO ROLE", "", why) for name, why in without.items() if name not in found.columns]
    for why, names in folded.items():
        rows.append((f"{len(names):,} columns", "NO ROLE", "", f"{why}: {', '.join(names[:_ALIKE_SHOWN])}, …"))
    return rows


def _judged(manifest: Manifest, keys: int) -> str:
    """Return what can be judged, and what it would take to judge more."""
    columns, releases = manifest.columns, len(manifest.releases)
    if columns.rules[SeveralRows].choice == EPISODES:
        return (
            "Each release and each row by itself, as people have several rows (episodes). What several releases "
            "disclose about one person is not judged: that takes one row for each person and release."
        )
    if columns.individual is not None or keys == releases:
        return "All releases together: what an adversary learns who knows the group of each person (linked)."
    if keys:
        return (
            f"Nothing yet: {keys} of {releases} releases have a key. Write private/<release>.key.csv (row,individual) "
            "for the others too, or remove the keys."
        )
    if manifest.register is not None:
        return "All releases together: what an adversary learns who has the register (register)."
    if columns.record is not None:
        return (
            "All releases together: what the published record ids disclose about each record (pseudonym). To judge "
            "whose values become certain, add a key (private/<release>.key.csv with row,individual) or a "
            "register.csv (individual,first,last and exact quasi-identifiers)."
        )
    return (
        "What each release discloses by itself (published). To judge what the releases disclose together, add one "
        "of: a key (private/<release>.key.csv with row,individual, rows counted from 0), a register.csv "
        "(individual,first,last and the exact quasi-identifiers), or a published record id."
    )
