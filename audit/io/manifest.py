"""The manifest `series.toml`: which files make up a series, and what their columns mean."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.clauses.registry import CLAUSES, limit_of
from audit.io.adjustments import Adjustments
from audit.io.cell_reading import is_range
from audit.io.cells import Kind
from audit.io.dialect import NOTHING_DECLARED, Declared, is_encoding
from audit.io.idle_keys import note_date, note_empty, note_types
from audit.io.paths import is_remote
from audit.io.toml import UNCONFIRMED_KEYS, Reader, parse, read_text, release_tag, toml_key, unconfirmed
from audit.model.errors import Problems, printable

NAME = "series.toml"
PRIVATE = "private"
INDIVIDUAL = "individual"
EPISODES, LATEST, FIRST = ROWS = ("episodes", "latest", "first")
ANY = "any"
GROWING = "growing"
_TABLES: dict[str, set[str] | None] = {
    "series": {"name", "kind", "releases", "published", "updates"},
    "columns": {
        "sensitive",
        "quasi_identifiers",
        "group",
        "individual",
        "record",
        "count",
        "hierarchies",
        "types",
        "missing",
        "spelled",
        "delimiter",
        "decimal",
        "encoding",
        "renamed",
        "crosswalk",
        "ignore_rows",
        "fold",
        "rows",
        "date",
        "unlinkable",
    },
    "adversary": {"register", "transitions", "known"},
    "counterfeits": None,
    "anonymized": None,
    "policy": {*CLAUSES, "grave"},
    "waiver": {"finding", "individual", "group", "release", "reason", "expires"},
    **UNCONFIRMED_KEYS,
}


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of one release: one table, or an Anatomy pair of rows and values.

    `key` is its key file where that is not the one in the private folder of the series.
    """

    tag: str
    rows: Path
    shown: str
    values: Path | None = None
    values_shown: str = ""
    key: Path | None = None

    @property
    def halves(self) -> tuple[tuple[Path, str], ...]:
        """The file of rows and, of a pair, that of values, each with how it is called."""
        rows = (self.rows, self.shown)
        return (rows,) if self.values is None else (rows, (self.values, self.values_shown))


@dataclass(frozen=True)
class Notation:
    """How the releases are written, where they are not plain, and what differs between them.

    Attributes:
        declared: the delimiter and the encoding; what is not said is guessed.
        decimal: the decimal sign of numbers.
        renamed: by release, the column of the series that a column of its file is.
        crosswalk: by column, the file that tells what a release's values are called in the series.
        ignore_rows: by column, the cells that mark a row that is none, such as a total.
        fold: columns in which spelling does not count.
    """

    declared: Declared = NOTHING_DECLARED
    decimal: str = "."
    renamed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    crosswalk: Mapping[str, str] = field(default_factory=dict)
    ignore_rows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fold: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Columns:
    """What the columns of a release mean.

    `rows` says what is made of several rows of a person: each is an episode that is judged by itself, or the latest or
    the first one counts, by the column `date`; None where everybody has one. The texts of columns that are
    `spelled` are exact values, whatever they look like.
    """

    sensitive: tuple[str, ...]
    quasi_identifiers: tuple[str, ...] = ()
    group: str | None = None
    individual: str | None = None
    record: str | None = None
    count: str | None = None
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    spelled: frozenset[str] = frozenset()
    rows: str | None = None
    date: str | None = None
    unlinkable: Mapping[str, str] = field(default_factory=dict)
    notation: Notation = Notation()

    def folds(self, column: str | None) -> bool:
        """Return whether spelling does not count in a column; that of people is also called `individual`."""
        return column is not None and (
            column in self.notation.fold or (column == self.individual and INDIVIDUAL in self.notation.fold)
        )


@dataclass(frozen=True)
class Waiver:
    """What is accepted until a date: a finding (`*` stands for any characters), a person, or a group of a release."""

    finding: str | None
    reason: str
    expires: datetime.date
    individual: str | None = None
    group: str | None = None
    release: str | None = None


@dataclass(frozen=True)
class Manifest:
    """All that `series.toml` says, checked as far as it can be without opening the other files.

    `to_come` are tags of releases not yet published, of which the register and the known values may speak already.
    `growing` says that every record of a release is in the next one.
    `any_transitions` says that any value may follow any. `published` are dates of publication, by release.
    `unconfirmed` are keys that are guesses.
    """

    folder: Path
    name: str
    releases: tuple[ReleaseFiles, ...]
    columns: Columns
    register: str | None = None
    transitions: str | None = None
    known: str | None = None
    anonymized: str | None = None
    counterfeits: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, float] = field(default_factory=dict)
    grave: tuple[tuple[str | None, str], ...] = ()
    waivers: tuple[Waiver, ...] = ()
    to_come: tuple[str, ...] = ()
    growing: bool = False
    any_transitions: bool = False
    published: Mapping[str, datetime.date] = field(default_factory=dict)
    unconfirmed: tuple[str, ...] = ()

    @property
    def values_change(self) -> bool:
        """Whether values may change: as the transitions say, or in any way."""
        return self.transitions is not None or self.any_transitions

    def key_path(self, release: ReleaseFiles) -> Path:
        """Return where a release's key file would be."""
        return release.key or self.folder / PRIVATE / f"{release.tag}.key.csv"

    def headings(self, tag: str) -> Adjustments:
        """Return how the headers of a release's tables are read."""
        notation = self.columns.notation
        half = any(release.tag == tag and release.values is not None for release in self.releases)
        return Adjustments(notation.declared, notation.renamed.get(tag, {}), half=half)

    def shown(self, path: Path) -> str:
        """Return how a file is called: by its place in the series folder, if it is in there."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else str(path)

    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""
        beside = [self.register, self.transitions, self.known, *self.counterfeits.values()]
        names = [NAME, *beside, *self.columns.hierarchies.values(), *self.columns.notation.crosswalk.values()]
        releases = [path for release in self.releases for path, _ in release.halves]
        return [*releases, *(self.folder / name for name in names if name is not None)]


def read_manifest(folder: Path, problems: Problems) -> Manifest | None:
    """Read `series.toml` in a folder, noting every trouble in `problems`.

    What could be understood is returned even then, so that the files it names can be looked at as well; None
    means that there is no readable TOML.
    """
    absent = f"write a {NAME}" if is_remote(folder) else f"let `audit init {shlex.quote(str(folder))}` write it"
    no_folder = "correct the path; for a new series put the published tables into a folder and run `audit init` on it"
    text = read_text(folder, NAME, absent, problems, no_folder)
    return None if text is None else parse_manifest(folder, text, problems)


def parse_manifest(folder: Path, text: str, problems: Problems) -> Manifest | None:
    """Return the manifest that a text is, for the files in a folder; troubles are noted as by `read_manifest`."""
    document = parse(text, NAME, "see https://toml.io, or let `audit init` write a new one", problems)
    series = (document or {}).get("series")
    if isinstance(series, dict) and series.get("kind") == "tables":
        what = "this is a series of count tables, and only rows about people can be read here"
        problems.add(NAME, what, "audit, next, explain, repair, compare, waive and anonymize take count tables")
        return None
    return None if document is None else _ManifestReader(folder, NAME, text, document, problems).manifest()


class _ManifestReader(Reader):
    """Turns the TOML document into a `Manifest`, noting each problem where it stands."""

    what = "series"
    allowed = _TABLES

    def manifest(self) -> Manifest:
        self.check_names()
        series, adversary = self.table("series"), self.table("adversary")
        if series.get("kind", "microdata") != "microdata":
            self.note("kind", "there is no such kind of series", 'use "microdata" or "tables"')
        columns = self.columns()
        releases = self.releases(series.get("releases"))
        self.check_notation(columns)
        if series.get("updates", GROWING) != GROWING:
            self.note("updates", "there is no such kind of updates", f'use "{GROWING}", or leave the line out')
        return Manifest(
            folder=self.folder,
            growing=series.get("updates") == GROWING,
            name=self.text(series, "name") or self.folder.resolve().name,
            releases=releases,
            columns=columns,
            register=self.path(adversary, "register"),
            transitions=None if adversary.get("transitions") == ANY else self.path(adversary, "transitions"),
            any_transitions=adversary.get("transitions") == ANY,
            known=self.path(adversary, "known"),
            counterfeits=self.counterfeits({release.tag for release in releases}),
            anonymized=self.anonymized(),
            policy=self.policy(),
            grave=self.grave(),
            published=self.published(series, {release.tag for release in releases}),
            waivers=read_waivers(self),
            unconfirmed=unconfirmed(self),
        )

    def columns(self) -> Columns:
        table = self.table("columns")
        sensitive = table.get("sensitive")
        values = self.texts(table, "sensitive") if isinstance(sensitive, list) else ()
        if isinstance(sensitive, str) and sensitive.strip():
            values = (sensitive.strip(),)
        elif not values:
            self.note("sensitive", "no sensitive column is named", 'write sensitive = "…" under [columns]')
        columns = Columns(
            sensitive=values,
            quasi_identifiers=self.texts(table, "quasi_identifiers"),
            group=self.text(table, "group"),
            individual=self.text(table, "individual"),
            record=self.text(table, "record"),
            count=self.text(table, "count"),
            hierarchies={c: n for c, n in self.mapping(table, "hierarchies").items() if self.inside("hierarchies", n)},
            types=self.mapping(table, "types"),
            missing=frozenset(self.texts(table, "missing", empty=True)),
            spelled=frozenset(self.texts(table, "spelled")),
            rows=self.text(table, "rows"),
            date=self.text(table, "date"),
            unlinkable=self.unlinkable(table),
            notation=self.notation(table),
        )
        self.check_columns(columns)
        return columns

    def unlinkable(self, table: Mapping[str, Any]) -> dict[str, str]:
        found = self.mapping(table, "unlinkable")
        for column, reason in found.items():
            if not reason.strip():
                remedy = f'write {toml_key(column)} = "…" with the reason why no outsider can know it of a person'
                self.note("unlinkable", f'"{column}" has no reason', remedy)
        return {column.strip(): reason.strip() for column, reason in found.items()}

    def notation(self, table: Mapping[str, Any]) -> Notation:
        delimiter, decimal, encoding = table.get("delimiter"), table.get("decimal", "."), self.text(table, "encoding")
        if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
            self.note("delimiter", "this is no delimiter", 'write ",", ";", "|" or, for a tabulator, "\\t"')
            delimiter = None
        if decimal not in (".", ","):
            self.note("decimal", "this is no decimal sign", 'write decimal = "," or leave it out')
            decimal = "."
        if encoding is not None and not is_encoding(encoding):
            self.note("encoding", f'"{encoding}" is no encoding', 'write such as "utf-8", "cp1252" or "latin-1"')
            encoding = None
        crosswalk = self.mapping(table, "crosswalk")
        return Notation(
            declared=Declared(delimiter, encoding),
            decimal=decimal,
            renamed={tag: self.mapping(self.nested(table, "renamed"), tag) for tag in self.nested(table, "renamed")},
            crosswalk={column: name for column, name in crosswalk.items() if self.inside("crosswalk", name)},
            ignore_rows={
                column: frozenset(self.texts(self.nested(table, "ignore_rows"), column, empty=True))
                for column in self.nested(table, "ignore_rows")
            },
            fold=frozenset(self.texts(table, "fold")),
        )

    def nested(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """Return a table within one, an empty one where it is absent or no table."""
        value = table.get(key, {})
        if isinstance(value, dict):
            return value
        example = {"renamed": '{ "2024Q3" = { Diagnose = "Disease" } }', "ignore_rows": '{ Patient = ["Total"] }'}
        self.note(key, "this has to be a table", f"write {key} = {example[key]}")
        return {}

    def check_notation(self, columns: Columns) -> None:
        """Note entries about columns that the manifest does not name; a release may be a candidate still to come."""
        notation = columns.notation
        named = {*columns.sensitive, *columns.quasi_identifiers, columns.group, columns.individual, columns.record}
        for key, allowed in (("crosswalk", named), ("fold", named | {INDIVIDUAL})):
            for column in getattr(notation, key):
                if column not in allowed:
                    self.note(key, f'"{column}" is no column with a meaning', "name one of the columns above")

    def check_columns(self, columns: Columns) -> None:
        single = [c for c in (columns.group, columns.individual, columns.record, columns.count) if c]
        uses = [*columns.sensitive, *columns.quasi_identifiers, *single, *columns.unlinkable]
        for name in sorted({name for name in uses if uses.count(name) > 1}):
            self.note(name, "one column has two meanings in [columns]", "give each meaning its own column")
        if columns.count and columns.individual:
            self.note("count", "a row that stands for several people cannot name one", "drop count or individual")
        if columns.rows not in (None, *ROWS):
            self.note("rows", f'"{columns.rows}" is no choice', f"use one of {', '.join(ROWS)}")
        elif columns.rows in (LATEST, FIRST) and columns.date is None:
            self.note(
                "rows", "no column tells which row is the latest or the first", 'write date = "…" under [columns]'
            )
        quasi = columns.quasi_identifiers
        for name in sorted({*columns.hierarchies}.difference(quasi)):
            self.note("hierarchies", f'"{name}" is no quasi-identifier', "name a column of quasi_identifiers")
        for name in sorted({*columns.types}.difference(quasi, columns.sensitive)):
            what = f'"{name}" is neither a quasi-identifier nor sensitive'
            self.note("types", what, "name a column of quasi_identifiers or a sensitive one")
        for kind in columns.types.values():
            if kind not in {each.value for each in Kind}:
                names = ", ".join(f'"{each.value}"' for each in Kind)
                self.note("types", f'"{kind}" is no type', f"use one of {names}")
        self.check_texts(columns)
        note_empty(self, "series", "columns", "policy")
        note_date(self, columns.date, columns.rows)
        note_types(self, columns.sensitive, columns.types)

    def check_texts(self, columns: Columns) -> None:
        """Note columns of exact texts that have another meaning, and missing texts that have one."""
        for name in sorted(columns.spelled):
            if name not in columns.quasi_identifiers:
                self.note("spelled", f'"{name}" is no quasi-identifier', "name a column of quasi_identifiers")
            elif name in columns.hierarchies or columns.types.get(name, Kind.CATEGORICAL.value) != "categorical":
                what = f'the texts of "{name}" are exact values here, and something else under hierarchies or types'
                self.note("spelled", what, "drop one of the two")
        for text in sorted(columns.missing):
            if is_range(text):
                what = f'"{printable(text)}" looks like a range, and a missing cell may be any value'
                self.note("missing", what, "leave it out here; in the files, write ranges as [20, 39], >=65 or 65+")

    def releases(self, entries: object) -> tuple[ReleaseFiles, ...]:
        if not isinstance(entries, list) or not entries:
            self.note("releases", "no release is named", 'write releases = ["releases/1.csv"] under [series]')
            return ()
        found: list[ReleaseFiles] = []
        for entry in entries:
            if isinstance(entry, str):
                found += [ReleaseFiles(release_tag(n), self.folder / n, n) for n in self.tables("releases", entry)]
            elif isinstance(entry, dict) and {str(k) for k in entry} == {"rows", "values"}:
                found += self.pair(entry)
            else:
                self.note(
                    "releases",
                    "an entry is neither a path nor a pair",
                    "see the manual's page on series.toml",
                )
        tags = [release.tag for release in found]
        for tag in sorted({tag for tag in tags if tags.count(tag) > 1}):
            self.note("releases", f'two releases have the tag "{tag}"', "rename one of the files")
        return tuple(found)

    def pair(self, entry: Mapping[str, object]) -> list[ReleaseFiles]:
        rows, values = entry["rows"], entry["values"]
        if not (isinstance(rows, str) and isinstance(values, str)):
            self.note("releases", "the rows and the values of a pair have to be paths", "write both as texts")
            return []
        if not (self.tables("releases", rows, glob=False) and self.tables("releases", values, glob=False)):
            return []
        return [ReleaseFiles(release_tag(rows), self.folder / rows, rows, self.folder / values, values)]

    def published(self, series: Mapping[str, Any], tags: set[str]) -> dict[str, datetime.date]:
        """Return the releases' dates of publication; a release may be a candidate still to come."""
        table, found = series.get("published", {}), dict[str, datetime.date]()
        if not isinstance(table, dict):
            self.note("published", "this has to be a table", 'write published = { "2024Q1" = 2024-04-15 }')
            return {}
        for tag, day in table.items():
            if tag not in tags:
                self.note(tag, "`published` names a release that is not in the series", "use a release's tag")
            elif isinstance(day, datetime.date):
                found[tag] = day.date() if isinstance(day, datetime.datetime) else day
            else:
                self.note(tag, "this is no date", f'write "{tag}" = 2024-04-15: year, month and day, without quotes')
        return found

    def anonymized(self) -> str | None:
        """Return the method and the parameters by which the series was published here, as on the command line."""
        table = self.table("anonymized")
        method = self.text(table, "method")
        if table and method is None:
            self.note("anonymized", "no method is named", 'write method = "…", or leave the table out')
        given = [
            f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}")
            for name, value in table.items()
            if name != "method"
        ]
        return None if method is None else " ".join([method, *given])

    def counterfeits(self, tags: set[str]) -> dict[str, str]:
        table, found = self.table("counterfeits"), dict[str, str]()
        for tag, name in table.items():
            if tag not in tags:
                self.note(tag, "[counterfeits] names a release that is not in the series", "use a release's tag")
            elif not isinstance(name, str):
                self.note(tag, "this has to be a path", f'write "{tag}" = "counterfeits/{tag}.csv"')
            elif self.inside(tag, name):
                found[tag] = name
        return found

    def grave(self) -> tuple[tuple[str | None, str], ...]:
        """Return the grave values, each with its attribute, or with None where it is of whichever has it."""
        table = self.table("policy")
        if "grave" not in table and "max_ever_risk" in table:
            self.note("max_ever_risk", "it needs the values that it is about", 'write grave = ["…"] under [policy]')
        if not isinstance(table.get("grave"), dict):
            return tuple((None, value) for value in self.texts(table, "grave"))
        stated = self.table("columns").get("sensitive")
        for attribute in sorted(set(table["grave"]) - set([stated] if isinstance(stated, str) else stated or ())):
            self.note(attribute, "[policy] grave names no sensitive column", "write it as [columns] sensitive does")
        return tuple((each, value) for each in table["grave"] for value in self.texts(table["grave"], each))

    def policy(self) -> dict[str, float]:
        limits: dict[str, float] = {}
        for key, value in self.table("policy").items():
            if key not in CLAUSES:
                continue
            try:
                limits[key] = limit_of(key, value)
            except ValueError as trouble:
                self.note(key, *trouble.args)
        return limits


def read_waivers(reader: Reader) -> tuple[Waiver, ...]:
    """Return the waivers of a manifest, noting each problem where it stands."""
    entries = reader.document.get("waiver", [])
    if not isinstance(entries, list):
        reader.note("waiver", "waivers have to be a list of tables", "write [[waiver]]")
        return ()
    return tuple(waiver for entry in entries if (waiver := _waiver(reader, entry)) is not None)


def _waiver(reader: Reader, entry: object) -> Waiver | None:
    if not isinstance(entry, dict):
        reader.note("waiver", "a waiver has to be a table", "write [[waiver]]")
        return None
    expires = entry.get("expires")
    if isinstance(expires, datetime.datetime):
        expires = expires.date()
    if not isinstance(expires, datetime.date):
        what, remedy = "a waiver has no date of expiry", "write expires = 2030-01-01"
        if "expires" in entry:
            what, remedy = "this is no date", f"{remedy}: year, month and day, without quotes"
        reader.note("expires" if "expires" in entry else "waiver", what, remedy)
        return None
    finding, individual, group, release, reason = (
        reader.text(entry, name) for name in ("finding", "individual", "group", "release", "reason")
    )
    named = [finding is not None, individual is not None, group is not None or release is not None]
    if reason is None or sum(named) != 1 or (group is None) != (release is None):
        remedy = "give a reason, and one of finding, individual, or group and release, as texts"
        reader.note("waiver", "a waiver lacks its reason, or what it is about", remedy)
        return None
    return Waiver(finding, reason, expires, individual, group, release)
