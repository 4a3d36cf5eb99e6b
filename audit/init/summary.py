"""The summary of `audit init` for a terminal: files and columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from audit.init.found_files import BESIDE, FoundFiles
from audit.init.guesses import Row
from audit.io.dialect import UTF_8, read_dialect
from audit.io.foreign_files import ForeignTable, is_foreign, read_foreign
from audit.io.table_forms import form_of
from audit.io.tables import header
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, figure, joined, parted, say, say_count

_ROLES = {
    "sensitive": Phrase("sensitive"),
    "quasi-identifier": Phrase("quasi-identifier"),
    "unlinkable": Phrase("unlinkable"),
    "individual": Phrase("individual"),
    "record": Phrase("record"),
    "group": Phrase("group"),
    "count": Phrase("count"),
}
_FILES_SHOWN = 24
_ALIKE_SHOWN = 12


def found_rows(found: FoundFiles) -> dict[str, list[Row]]:
    """Return the summary of files and columns."""
    return {
        say("Files"): _file_rows(found),
        say("Columns, with how many different cells"): _column_rows(found),
    }


def _file_rows(found: FoundFiles) -> list[Row]:
    """Return each file with its role, in one or more rows."""
    rows: list[Row] = []
    releases = [*{release.shown: release for release in found.releases}.values()]
    for release in releases[:_FILES_SHOWN]:
        rows += [(shown, _described(path, shown)) for path, shown in release.halves]
    if len(releases) > _FILES_SHOWN:
        more = say_count("… {count} more [release|releases]", len(releases) - _FILES_SHOWN)
        rows.append((more, ""))
    rows += [(shown, str(BESIDE[role])) for role, shown in found.beside.items()]
    counterfeits = found.guesses.document.get("counterfeits", {})
    rows += [(shown, say("counterfeits of release {release}", release=tag)) for tag, shown in counterfeits.items()]
    rows += [(hierarchy.name, say('hierarchy of "{column}"', column=name)) for name, hierarchy in found.labels.items()]
    if found.keys:
        keys = say("keys of {keys} of {releases} releases", keys=len(found.keys), releases=len(found.releases))
        rows.append(("private/", keys))
    return [*rows, *((shown, say("NOT USED: {why}", why=why)) for shown, why in found.unused.items())]


def _described(path: Path, shown: str) -> str:
    """Return the size of a table, and its format if it is not plain CSV."""
    names = header(path, shown, Problems()) or {}
    rows = say_count("{count} [row|rows]", form_of(path).rows(path))
    parts = [f"{rows}, {say_count('{count} [column|columns]', len(names))}"]
    if is_foreign(path):
        table = read_foreign(path)
        parts += sheets_of(table, table.other_sheets)
        parts += [_header_below(table.lines[0])] if table.above else []
    elif not path.name.endswith(".parquet"):
        dialect = read_dialect(path)
        parts += [say("not UTF-8, read as {encoding}", encoding=dialect.encoding)] if dialect.encoding != UTF_8 else []
        parts += [_header_below(1 + dialect.above)] if dialect.above else []
    return parted(parts)


def sheets_of(table: ForeignTable, left: Sequence[str]) -> list[str]:
    """Return the name of the sheet that is read, if there are several, and the names of those that are not used."""
    parts = [say('sheet "{sheet}"', sheet=table.sheet)] if table.sheet is not None else []
    if left:
        names = joined([f'"{name}"' for name in left], _ALIKE_SHOWN)
        parts.append(
            say_count("NOT USED: [sheet|sheets] {names} (a release is a file of its own)", len(left), names=names)
        )
    return parts


def _header_below(line: int) -> str:
    return say("its header is line {line}; the lines above it are not read", line=line)


def _column_rows(found: FoundFiles) -> list[Row]:
    """Return each column with its role, its number of distinct cells, and the reason."""
    unlinkable = found.guesses.column("unlinkable", {})
    roles = {**found.roles, **{name: ("unlinkable", why) for name, why in unlinkable.items()}}
    rows: list[Row] = []
    none, left = say("NO ROLE"), dict[str, list[str]]()
    for name, why in found.guesses.left["columns"].items():
        left.setdefault(why, []).append(name)
    folded = {why: names for why, names in left.items() if len(names) > _ALIKE_SHOWN}
    without = {name: why for name, why in found.guesses.left["columns"].items() if why not in folded}
    for name, column in found.columns.items():
        if name in roles or name in without or name not in found.guesses.left["columns"]:
            many = len({*column.texts} - {""})
            distinct = figure(many) if column.whole else say("over {count}", count=many)
            role, why = roles.get(name, ("", without.get(name, say("its name and cells say nothing"))))
            rows.append((name, str(_ROLES[role]) if role else none, distinct, why))
    rows += [(name, none, "", why) for name, why in without.items() if name not in found.columns]
    for why, names in folded.items():
        alike = say_count("{count} [column|columns]", len(names))
        rows.append((alike, none, "", f"{why}: {', '.join(names[:_ALIKE_SHOWN])}, …"))
    return rows
