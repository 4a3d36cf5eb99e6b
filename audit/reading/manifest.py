"""The manifest `series.toml`: which files make up a series, and what their columns mean."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.core.errors import Problems
from audit.reading.toml import Reader, parse, read_text, release_tag

NAME = "series.toml"
PRIVATE = "private"
_LARGEST_LIMIT = 10**9
_TABLES: dict[str, set[str] | None] = {
    "series": {"name", "releases"},
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
    },
    "adversary": {"register", "transitions", "known"},
    "counterfeits": None,
    "policy": {"max_risk", "min_e", "k"},
    "waiver": {"finding", "reason", "expires"},
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


@dataclass(frozen=True)
class Columns:
    """What the columns of a release mean."""

    sensitive: tuple[str, ...]
    quasi_identifiers: tuple[str, ...] = ()
    group: str | None = None
    individual: str | None = None
    record: str | None = None
    count: str | None = None
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Waiver:
    """A finding that is accepted until a date."""

    finding: str
    reason: str
    expires: datetime.date


@dataclass(frozen=True)
class Manifest:
    """All that `series.toml` says, checked as far as it can be without opening the other files.

    `to_come` are tags of releases not yet published, of which the register and the known values may speak already.
    """

    folder: Path
    name: str
    releases: tuple[ReleaseFiles, ...]
    columns: Columns
    register: str | None = None
    transitions: str | None = None
    known: str | None = None
    counterfeits: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, float] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    to_come: tuple[str, ...] = ()

    def key_path(self, release: ReleaseFiles) -> Path:
        """Return where a release's key file would be."""
        return release.key or self.folder / PRIVATE / f"{release.tag}.key.csv"

    def shown(self, path: Path) -> str:
        """Return how a file is called: by its place in the series folder, if it is in there."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else str(path)

    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""
        beside = [self.register, self.transitions, self.known, *self.counterfeits.values()]
        names = [NAME, *beside, *self.columns.hierarchies.values()]
        releases = [path for release in self.releases for path in (release.rows, release.values) if path is not None]
        return [*releases, *(self.folder / name for name in names if name is not None)]


def read_manifest(folder: Path, problems: Problems) -> Manifest | None:
    """Read `series.toml` in a folder, noting every trouble in `problems`.

    What could be understood is returned even then, so that the files it names can be looked at as well; None
    means that there is no readable TOML.
    """
    text = read_text(folder, NAME, f"write a {NAME}, or let `audit init` guess one", problems)
    return None if text is None else parse_manifest(folder, text, problems)


def parse_manifest(folder: Path, text: str, problems: Problems) -> Manifest | None:
    """Return the manifest that a text is, for the files in a folder; troubles are noted as by `read_manifest`."""
    document = parse(text, NAME, "see https://toml.io, or let `audit init` write a new one", problems)
    return None if document is None else _Reader(folder, NAME, text, document, problems).manifest()


class _Reader(Reader):
    """Turns the TOML document into a `Manifest`, noting each problem where it stands."""

    what = "series"
    allowed = _TABLES

    def manifest(self) -> Manifest:
        self.check_names()
        series, adversary = self.table("series"), self.table("adversary")
        columns = self.columns()
        releases = self.releases(series.get("releases"))
        return Manifest(
            folder=self.folder,
            name=self.text(series, "name") or self.folder.resolve().name,
            releases=releases,
            columns=columns,
            register=self.path(adversary, "register"),
            transitions=self.path(adversary, "transitions"),
            known=self.path(adversary, "known"),
            counterfeits=self.counterfeits({release.tag for release in releases}),
            policy=self.policy(),
            waivers=self.waivers(),
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
        )
        self.check_columns(columns)
        return columns

    def check_columns(self, columns: Columns) -> None:
        single = [c for c in (columns.group, columns.individual, columns.record, columns.count) if c]
        uses = [*columns.sensitive, *columns.quasi_identifiers, *single]
        for name in sorted({name for name in uses if uses.count(name) > 1}):
            self.note(name, "one column has two meanings in [columns]", "give each meaning its own column")
        if columns.count and columns.individual:
            self.note("count", "a row that stands for several people cannot name one", "drop count or individual")
        for key, mapping in (("hierarchies", columns.hierarchies), ("types", columns.types)):
            for name in mapping:
                if name not in columns.quasi_identifiers:
                    self.note(key, f'"{name}" is no quasi-identifier', "name a column of quasi_identifiers")
        for kind in columns.types.values():
            if kind not in ("numeric", "categorical"):
                self.note("types", f'"{kind}" is no type', 'use "numeric" or "categorical"')

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

    def policy(self) -> dict[str, float]:
        limits: dict[str, float] = {}
        for key, value in self.table("policy").items():
            if key not in ("max_risk", "min_e", "k"):
                continue
            trouble = policy_trouble(key, value)
            if trouble:
                self.note(key, *trouble)
            else:
                limits[key] = value
        return limits

    def waivers(self) -> tuple[Waiver, ...]:
        entries = self.document.get("waiver", [])
        if not isinstance(entries, list):
            self.note("waiver", "waivers have to be a list of tables", "write [[waiver]]")
            return ()
        found = []
        for entry in entries:
            expires = entry.get("expires") if isinstance(entry, dict) else None
            if isinstance(expires, datetime.datetime):
                expires = expires.date()
            if not isinstance(expires, datetime.date):
                self.note("waiver", "a waiver has no date of expiry", "write expires = 2030-01-01")
                continue
            finding, reason = self.text(entry, "finding"), self.text(entry, "reason")
            if finding is None or reason is None:
                self.note("waiver", "a waiver lacks its finding or its reason", "give both as texts")
                continue
            found.append(Waiver(finding, reason, expires))
        return tuple(found)


def policy_trouble(key: str, value: object) -> tuple[str, str] | None:
    """Return what is wrong with a policy's limit and what to do, or None when it is well."""
    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "max_risk": (lambda v: 0 < v <= 1, "write a number above 0 and at most 1, such as 0.5"),
        "min_e": (lambda v: isinstance(v, int) and 1 <= v <= _LARGEST_LIMIT, "write a whole number from 1, such as 2"),
        "k": (lambda v: isinstance(v, int) and 1 <= v <= _LARGEST_LIMIT, "write a whole number from 1, such as 2"),
    }
    if key not in checks:
        return "the policy has no such limit", f"use one of {', '.join(checks)}"
    holds, remedy = checks[key]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if number and holds(value) else ("this is no limit of the policy", remedy)
