"""Manifest: read `series.toml`, which names the files of a series and says what their columns mean."""

from __future__ import annotations

import datetime
import os
import re
import shlex
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from audit.clauses.registry import CLAUSES, limit_of
from audit.io.cells import Kind
from audit.io.naming import in_time, without_accents
from audit.io.paths import as_path, is_remote, is_there, real_path
from audit.io.rules import registry
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.rows_and_values import Harmless
from audit.io.rules.rule import NOTHING, Adjustments, Columns
from audit.io.tables import TOGETHER, header, is_table
from audit.io.toml import (
    UNCONFIRMED,
    Reader,
    Sections,
    key_path,
    one_of,
    parse,
    read_text,
    release_tag,
    toml_key,
    value_under,
)
from audit.model.errors import Doubt, Problems
from audit.model.finding import CloseSize, RiskSize, SealedInterval, Size, SmallClasses
from audit.runtime.phrases import Reason, ReasonKind, printable, say

NAME = "series.toml"
PRIVATE = "private"
TRANSITIONS = "transitions.csv"
"""The file of transitions that commands write."""
YEARS_FROM = "years_from"
_ROLES = ("sensitive", "quasi_identifiers", "group", "individual", "record", "count")
_FIRST_YEAR, _LAST_YEAR = 1800, 2000
KEY_COLUMNS = ("row", "individual")
_NAMED_KEY = re.compile(r"(?<![a-z])(?:keys?|cles?|claves?)(?![a-z])|schlue?ssel")
REGISTER_COLUMNS = ("individual", "first", "last", "release")
ANY, NEVER = "any", "never"
"""In place of a file of transitions: any value may follow any other, or none."""
GROWING = "growing"
OF_TABLES = "tables"
"""The kind of a series of count tables, whose manifests `audit.count_tables.manifest` reads."""
POSSIBLE = "possible"


@dataclass(frozen=True)
class TaggedRelease:
    """A release of a manifest, by its tag."""

    tag: str

    @property
    @abstractmethod
    def paths(self) -> tuple[Path, ...]:
        """Its files."""


R = TypeVar("R", bound=TaggedRelease)
T = TypeVar("T")


@dataclass(frozen=True)
class ReleaseFiles(TaggedRelease):
    """The files of one release: one table, or an Anatomy pair of rows and values.

    Attributes:
        tag: the release.
        rows, shown: the file of rows, and its name in messages.
        values, values_shown: the same for the file of values of a pair; None and empty for one table.
        key: its key file; None for that in the private folder of the series.
        by: the column in which the tag marks the rows of the release, if one file has several releases, else None.
    """

    rows: Path
    shown: str
    values: Path | None = None
    values_shown: str = ""
    key: Path | None = None
    by: str | None = None

    @property
    def halves(self) -> tuple[tuple[Path, str], ...]:
        """The file of rows and, for a pair, the file of values, each with its name for the user."""
        rows = (self.rows, self.shown)
        return (rows,) if self.values is None else (rows, (self.values, self.values_shown))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of these tables."""
        return tuple(path for path, _ in self.halves)


@dataclass(frozen=True)
class Waiver:
    """What is accepted until a date: a finding, a person, or a group of a release.

    Attributes:
        finding: the id of the finding, in which `*` stands for any characters.
        reason: why it is accepted.
        expires: the last day on which it is accepted.
        individual: the person.
        group, release: the group, and its release.
        sizes: how much of each finding is accepted, by id, and as `k` the small classes of the release; None if the
            manifest does not state it.
    """

    finding: str | None
    reason: str
    expires: datetime.date
    individual: str | None = None
    group: str | None = None
    release: str | None = None
    sizes: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class SeriesManifest(Generic[R]):
    """The common part of every `series.toml`, about people or about count tables.

    Attributes:
        folder: the folder of the file.
        name: the name of the series.
        releases: the releases, in order of publication.
        policy: the limits that the manifest states, by clause.
        waivers: the accepted findings.
        unconfirmed: the keys whose values were guessed, such as `table.markers`.
        unordered: as `Reader.unordered`.
        to_come: the tags of unpublished releases, whose files, and lines about them, may be there already.
    """

    folder: Path
    name: str
    releases: tuple[R, ...]
    policy: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    waivers: tuple[Waiver, ...] = field(default=(), kw_only=True)
    unconfirmed: tuple[str, ...] = field(default=(), kw_only=True)
    unordered: str | None = field(default=None, kw_only=True)
    to_come: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def tags(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return tuple(release.tag for release in self.releases)

    def shown(self, path: Path) -> str:
        """Return the name of a file in messages: its path in the series folder, if it is inside."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else str(path)

    @abstractmethod
    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""

    @property
    def homes(self) -> list[Path]:
        """The folders in which tables of the series may lie: its own, and those of its releases."""
        return [self.folder, *(path.parent for release in self.releases for path in release.paths)]

    def unlisted(self) -> list[Path]:
        """Return the tables beside the releases or the manifest that it does not name; none in a remote folder."""
        if is_remote(self.folder):
            return []
        named = {real_path(path) for path in self.files() if not is_remote(path)}
        # The folder is local, but a candidate may be at a URL.
        local = {real_path(path): path for path in self.homes if not is_remote(path)}
        found = []
        for parent in local.values():
            try:
                beside = sorted(
                    path for path in parent.iterdir() if is_table(path.name) and not path.name.startswith(".")
                )
            except OSError:
                continue
            found += [path for path in beside if real_path(path) not in named and not path.name.endswith(".key.csv")]
        return found


def order_doubts(manifest: SeriesManifest[Any], *, matters: bool) -> Iterator[Doubt]:
    """Yield a doubt if the result depends on the order of the releases, and nothing shows it."""
    if matters and manifest.unordered is not None:
        what = say(
            '"{source}" does not show the order of the releases, on which the result depends: write names or texts '
            "that do, such as 2024-04, or write each release into a file, and list these in order",
            source=printable(manifest.unordered),
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), guessed=True)


@dataclass(frozen=True)
class Manifest(SeriesManifest[ReleaseFiles]):
    """The manifest of a series about people, checked as far as possible without opening other files.

    Attributes:
        columns: the columns and the rules about them.
        register, transitions, known: the files of the adversary's knowledge, in the folder; None without one.
        anonymized: the method and the parameters with which this program published the series; None if it did not.
        kept_row: which of a person's rows in an exact table it published, `latest` or `gravest`; None if each had one.
        counterfeits: the files with the published numbers of counterfeits, by release.
        grave: the grave values, each with its attribute; None for all attributes.
        widths: how far numbers of a column may differ to be close, in its own unit.
        growing: whether every record of a release is also in the next one.
        any_transitions: whether any value may follow any other.
        possible: whether the register lists people who may be in the data, not only people who are.
        published: the dates of publication, by release.
        register_columns: the register's own names of columns, by the names in the series.
        register_lacks: the quasi-identifiers that follow from no column of the register, as `false` states.
        register_people: the columns of the register that name a person together; empty if one column does.
        years_from: the first of the hundred years that two digits mean in the register's days; None: such days are
            refused.
    """

    columns: Columns
    register: str | None = None
    transitions: str | None = None
    known: str | None = None
    anonymized: str | None = None
    kept_row: str | None = None
    counterfeits: Mapping[str, str] = field(default_factory=dict)
    grave: tuple[tuple[str | None, str], ...] = ()
    widths: Mapping[str, Fraction] = field(default_factory=dict)
    growing: bool = False
    any_transitions: bool = False
    possible: bool = False
    published: Mapping[str, datetime.date] = field(default_factory=dict)
    register_columns: Mapping[str, str] = field(default_factory=dict)
    register_lacks: frozenset[str] = frozenset()
    register_people: tuple[str, ...] = ()
    years_from: int | None = None

    @property
    def values_change(self) -> bool:
        """Whether sensitive values may change from release to release."""
        return self.transitions is not None or self.any_transitions

    def key_path(self, release: ReleaseFiles) -> Path:
        """Return the path of a release's key file, whether it exists or not."""
        return release.key or key_file(self.folder, release)

    def headings(self, tag: str) -> Adjustments:
        """Return the adjustments with which the headers of a release's tables are read."""
        return Adjustments(self.columns.rules, tag, by=self.column_of(tag))

    def column_of(self, tag: str) -> str | None:
        """Return the column in which the tag marks the rows of a release; None if each file has one release."""
        return next((release.by for release in self.releases if release.tag == tag), None)

    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""
        beside = [self.register, self.transitions, self.known, *self.counterfeits.values()]
        names = [NAME, *beside, *(name for rule in self.columns.rules for name in rule.files)]
        releases = [path for release in self.releases for path in release.paths]
        return [*releases, *(self.folder / name for name in names if name is not None)]

    def has_key(self, table: Path) -> bool:
        """Return whether the private folder has a key file for a table."""
        return (self.folder / PRIVATE / key_name(release_tag(table.name))).exists()

    def unused_keys(self) -> list[Path]:
        """Return the tables in the private folder that are like keys by their names or columns, and are not read.

        None are if every release has a key file, or in a remote folder. A key that waits for an unlisted table is none.
        """
        keys = {self.key_path(release) for release in self.releases}
        if is_remote(self.folder) or all(map(is_there, keys)):
            return []
        known = {*(path.name for path in keys), *map(key_name, self.awaited)}
        tables = sorted(path for path in (self.folder / PRIVATE).glob("*") if is_table(path.name))
        return [path for path in tables if path.name not in known and _is_like_a_key(path)]

    @property
    def awaited(self) -> frozenset[str]:
        """The tags of releases that are not listed: those to come, and those of tables beside the releases.

        Rules may be about them, because a candidate needs them before it is listed.
        """
        return frozenset((*self.to_come, *(release_tag(path.name) for path in self.unlisted())))


def key_name(tag: str) -> str:
    """Return the name of the key file of a release.

    >>> key_name("2024Q1"), key_name("2022/23")
    ('2024Q1.key.csv', '2022-23.key.csv')
    """
    return f"{as_file_name(tag)}.key.csv"


def as_file_name(tag: str) -> str:
    """Return a tag as a part of file names, in which no sign stands for a folder."""
    return re.sub(r"[/\\]", "-", tag)


def key_file(folder: Path, release: ReleaseFiles) -> Path:
    """Return the path of a release's key file in the private folder, whether it exists or not.

    Where a file has several releases, one key file of all its rows, named like the file, may say whose they are.
    """
    own, whole = (folder / PRIVATE / key_name(tag) for tag in (release.tag, release_tag(release.shown)))
    return whole if release.by is not None and is_there(whole) and not is_there(own) else own


def _is_like_a_key(path: Path) -> bool:
    return bool(_NAMED_KEY.search(without_accents(path.name))) or {*KEY_COLUMNS} <= {
        *(header(path, path.name, Problems()) or ())
    }


def folder_of(path: str | os.PathLike[str]) -> Path:
    """Return the folder of a series, which may be named by its manifest."""
    where = as_path(path)
    return where.parent if where.name == NAME else where


def is_table_series(path: str | os.PathLike[str]) -> bool:
    """Return whether the manifest in a folder describes a series of count tables; false if it cannot be read."""
    return is_about_tables(read_text(folder_of(path), NAME, "", Problems()) or "")


def is_about_tables(text: str) -> bool:
    """Return whether the text of a manifest describes count tables; false if it cannot be parsed."""
    series = (parse(text, NAME, "", Problems()) or {}).get("series")
    return isinstance(series, dict) and series.get("kind") == OF_TABLES


def manifest_text(folder: Path, problems: Problems) -> str | None:
    """Return the text of the `series.toml` in a folder; None after noting why it cannot be read."""
    by_init = say("let `audit init {folder}` write it", folder=shlex.quote(str(folder)))
    absent = say("write a {file}", file=NAME) if is_remote(folder) else by_init
    no_folder = say(
        "correct the path; for a new series put the published tables into a folder and run `audit init` on it"
    )
    return read_text(folder, NAME, absent, problems, no_folder)


def read_manifest(folder: Path, problems: Problems) -> Manifest | None:
    """Read `series.toml` in a folder; note every problem in `problems`.

    What was understood is returned in spite of problems, so that the files that it names can be checked, too; None
    means that the file cannot be read, is not TOML, or is about count tables.
    """
    text = manifest_text(folder, problems)
    return None if text is None else parse_manifest(folder, text, problems)


def parse_manifest(folder: Path, text: str, problems: Problems) -> Manifest | None:
    """Return the manifest in a text, for the files in a folder; problems are noted as by `read_manifest`."""
    if is_about_tables(text):
        what = say("this is a series of count tables, and only rows about people can be read here")
        problems.add(NAME, what, say("audit, next, explain, repair, compare, waive and anonymize take count tables"))
        return None
    reader = _ManifestReader.of(folder, text, problems)
    return None if reader is None else reader.manifest()


class SeriesReader(Reader, Generic[R]):
    """Reads the part that every `series.toml` has, and notes each problem with its line.

    Attributes:
        of_tables: whether the clauses are those for count tables.
        size: a line of a waiver with how much of a finding is accepted, for messages.
    """

    what = "series"
    of_tables: ClassVar[bool] = False
    size: ClassVar[str] = "size = 0.5"

    @classmethod
    def of(cls, folder: Path, text: str, problems: Problems) -> Self | None:
        """Return the reader of a text after checking its keys; None after noting that the text is not TOML."""
        document = parse(text, NAME, say("see https://toml.io, or let `audit init` write a new one"), problems)
        if document is None:
            return None
        reader = cls(folder, NAME, text, document, problems)
        reader.check_names()
        return reader

    def common(self, series: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of `SeriesManifest`, by name; `series` are the values of [series]."""
        return {
            "folder": self.folder,
            "name": series["name"] or self.folder.resolve().name,
            "releases": self.releases(series["releases"], series["releases_by"]),
            "policy": self.policy(),
            "waivers": self.waivers(),
            "unconfirmed": self.unconfirmed(),
            "unordered": self.unordered,
        }

    def releases(self, entries: object, by: str | None) -> tuple[R, ...]:
        """Return the releases; if a file has several, one for each text of the column `by`."""
        if not isinstance(entries, list) or not entries:
            self.note("releases", say("no release is named"), say('write releases = ["releases/1.csv"] under [series]'))
            return ()
        found = [release for entry in entries for release in self.entry(entry)]
        if by is not None:
            found = self.divided(found, by)
        self.check_tags([release.tag for release in found])
        return tuple(found)

    def tags_in(self, by: str, texts: Collection[str]) -> list[str]:
        """Return the texts of a column of releases in the order of publication; note if they do not show it.

        Empty cells are noted, too, and left out.
        """
        order, is_clear = in_time(texts)
        self.unordered = self.unordered or (None if is_clear else by)
        if "" in texts:
            self.note("releases_by", say('"{by}" has empty cells', by=by), say("write the release into each row"))
        return [text for text in order if text]

    @abstractmethod
    def entry(self, entry: object) -> Iterable[R]:
        """Return the releases that an entry of `releases` names."""

    @abstractmethod
    def divided(self, found: list[R], by: str) -> list[R]:
        """Return one release for each text of a column, in the order that the texts show."""

    def policy(self) -> dict[str, float]:
        """Return the stated limits by clause, and note those that are not valid."""
        limits, clauses = dict[str, float](), {*(self.sections["policy"] or ())} - {"grave"}
        for key, value in self.table("policy").items():
            if key in clauses and not (key == "closeness" and isinstance(value, dict)):
                try:
                    limits[key] = limit_of(key, value, of_tables=self.of_tables)
                except ValueError as trouble:
                    self.note(key, *trouble.args)
        return limits

    def unconfirmed(self) -> tuple[str, ...]:
        """Return the guessed keys, from `[unconfirmed] keys`; note keys that the file does not have."""
        found = []
        for key in self.texts(self.table(UNCONFIRMED), "keys"):
            path = key_path(key)
            if path[:1] in ((), (UNCONFIRMED,)) or value_under(self.document, key) is None:
                remedy = say('if its line was deleted, delete it there, too; else name a key as in "columns.sensitive"')
                self.note(key, say("[unconfirmed] names a key that is not in this file"), remedy)
            else:
                found.append(".".join(map(toml_key, path)))
        return tuple(found)

    @abstractmethod
    def size_of(self, ident: str, given: object) -> object:
        """Return how much of the finding with an id a waiver accepts; None if a value does not say so."""

    def waivers(self) -> tuple[Waiver, ...]:
        """Return the waivers, and note each problem with its line."""
        entries = self.document.get("waiver", [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            self.ask_for("waiver", say("waivers have to be a list of tables"), "[[waiver]]")
            return ()
        return tuple(waiver for entry in entries if (waiver := self.waiver(entry)) is not None)

    def waiver(self, entry: Mapping[str, Any]) -> Waiver | None:
        """Return one waiver; None after noting a problem."""
        if "expires" not in entry:
            self.ask_for("waiver", say("a waiver has no date of expiry"), "expires = 2030-01-01")
        expires = self.day(entry, "expires")
        finding, individual, group, release, reason = (
            self.text(entry, name) for name in ("finding", "individual", "group", "release", "reason")
        )
        named = [finding is not None, individual is not None, group is not None or release is not None]
        if reason is None or sum(named) != 1 or (group is None) != (release is None):
            remedy = say("give a reason, and one of finding, individual, or group and release, as texts")
            self.note("waiver", say("a waiver lacks its reason, or what it is about"), remedy)
            return None
        sizes = self.sizes(finding, entry["size"]) if "size" in entry else None
        if "size" in entry and sizes is None:
            remedy = say("write {example}, or what is accepted of each id, as `audit waive` does", example=self.size)
            self.note("size", say("this does not say how much of a finding is accepted"), remedy)
        return None if expires is None else Waiver(finding, reason, expires, individual, group, release, sizes)

    def sizes(self, finding: str | None, given: object) -> Mapping[str, object] | None:
        """Return how much of each finding a waiver accepts, by id; None if its size does not say so."""
        if finding is not None and "*" not in finding and (size := self.size_of(finding, given)) is not None:
            return {finding: size}
        found = {str(each): self.size_of(str(each), own) for each, own in given.items()} if type(given) is dict else {}
        return found if found and None not in found.values() else None


class _ManifestReader(SeriesReader[ReleaseFiles]):
    """Turns the TOML document into a `Manifest`, and notes each problem with its place."""

    @property
    def sections(self) -> Sections:
        """The tables and their keys; those of [policy] are the clauses of all packages."""
        quasi = self.table("columns").get("quasi_identifiers")
        people = (*REGISTER_COLUMNS, *(map(str, quasi) if isinstance(quasi, list) else ()), YEARS_FROM)
        columns = (*_ROLES, *(rule.key for rule in registry.RULES))
        return {**_SECTIONS, "columns": columns, "policy": [*CLAUSES, "grave"], "register": people}

    def manifest(self) -> Manifest:
        """Return the manifest as far as it was understood."""
        series, adversary, stated = self.read("series"), self.read("adversary"), self.table("adversary")
        self.rules = (columns := self.columns()).rules
        common = self.common(series)
        tags = {release.tag for release in common["releases"]}
        for key, given in (("register", self.table("register")), ("presence", stated.get("presence"))):
            if given and "register" not in stated:
                remedy = say('write register = "…" under [adversary], or leave it out')
                self.note(key, say("{nothing} without a register", nothing=NOTHING), remedy)
        possible = adversary["presence"] == POSSIBLE
        if possible and "known" in stated:
            what = say("known values need people who are in the data, and the register only says who may be")
            self.note("known", what, say("delete one of `known` and `presence`"))
        harmless, spelled = columns.rules[Harmless].values, columns.rules.spelled
        for attribute, value in (grave := self.grave()):
            of = {attribute} & {*harmless} if attribute else {*harmless}
            if any(spelled(each, text) == spelled(each, value) for each in of for text in harmless[each]):
                what = say('"{value}" is both grave and harmless', value=printable(value))
                self.note("grave", what, say("delete it in one place"))
        return Manifest(
            **common,
            growing=series["updates"] == GROWING,
            columns=columns,
            register=adversary["register"],
            transitions=None if adversary["transitions"] in (ANY, NEVER) else adversary["transitions"],
            any_transitions=adversary["transitions"] == ANY,
            known=adversary["known"],
            possible=possible,
            register_columns=self.register_columns(columns),
            register_lacks=frozenset(
                name for name in columns.quasi_identifiers if self.table("register").get(name) is False
            ),
            register_people=self.register_people(possible=possible),
            years_from=self.years_from(),
            counterfeits=self.counterfeits(tags),
            anonymized=self.anonymized(),
            kept_row=self.text(self.table("anonymized"), "rows"),
            grave=grave,
            widths=self.widths(columns),
            published={
                tag: day
                for tag, _ in self.by_release("published", series["published"], tags)
                if (day := self.day(series["published"], tag)) is not None
            },
        )

    def size_of(self, ident: str, given: object) -> Size | None:
        """Return how much of a finding about people, or which small classes, is accepted; None if it is not a size.

        Earlier versions wrote the ends of an interval.
        """
        if isinstance(given, dict) and given.keys() == {"smallest", "rows"}:
            is_size = all(type(each) is int and each > 0 for each in given.values())
            return SmallClasses(given["smallest"], given["rows"]) if is_size else None
        if isinstance(given, dict) and given.keys() == {"lower", "upper"}:
            lower, upper = exact_number(given["lower"]), exact_number(given["upper"])
            return None if lower is None or upper is None else CloseSize(lower, upper)
        if isinstance(given, dict) and given.keys() == {"lower_seal", "upper_seal"}:
            return SealedInterval(ident, str(given["lower_seal"]), str(given["upper_seal"]))
        number = isinstance(given, int | float) and not isinstance(given, bool) and 0 < given <= 10**9
        return RiskSize(float(str(given))) if number else None

    def columns(self) -> Columns:
        table = self.table("columns")
        sensitive = table.get("sensitive")
        values = self.texts(table, "sensitive") if isinstance(sensitive, list) else ()
        if isinstance(sensitive, str) and sensitive.strip():
            values = (sensitive.strip(),)
        elif not values:
            self.note("sensitive", say("no sensitive column is named"), say('write sensitive = "…" under [columns]'))
        listed = isinstance(table.get("record"), list)
        record = self.texts(table, "record") if listed else ()
        roles = Columns(
            sensitive=values,
            quasi_identifiers=self.texts(table, "quasi_identifiers"),
            group=self.text(table, "group"),
            individual=self.text(table, "individual"),
            record=(TOGETHER.join(record) or None) if listed else self.text(table, "record"),
            count=self.text(table, "count"),
        )
        columns = registry.with_rules(self, table, roles)
        self.check_roles(
            [
                *columns.named,
                *(record if len(record) > 1 else ()),
                columns.count,
                *(name for rule in columns.rules for name in rule.roles),
            ]
        )
        if columns.count and columns.individual:
            self.note(
                "count", say("a row that stands for several people cannot name one"), say("delete count or individual")
            )
        note_empty(self, "series", "columns", "policy")
        return columns

    def entry(self, entry: object) -> list[ReleaseFiles]:
        if isinstance(entry, str):
            return [ReleaseFiles(release_tag(n), self.folder / n, n) for n in self.tables("releases", entry)]
        if isinstance(entry, dict) and {str(k) for k in entry} == {"rows", "values"}:
            return self.pair(entry)
        self.note("releases", say("an entry is neither a path nor a pair"), say("see the manual's page on series.toml"))
        return []

    def years_from(self) -> int | None:
        """Return the first year that two digits may mean in the register; None if it is not stated."""
        year = self.table("register").get(YEARS_FROM)
        if year is not None and not (type(year) is int and _FIRST_YEAR <= year <= _LAST_YEAR):
            self.ask_for(YEARS_FROM, say("this has to be a year"), f"{YEARS_FROM} = 1926")
            return None
        return year

    def register_columns(self, columns: Columns) -> dict[str, str]:
        """Return what the register calls the columns of people, releases and quasi-identifiers, if it is stated."""
        table, names = self.table("register"), (*REGISTER_COLUMNS, *columns.quasi_identifiers)
        stated = [name for name in names if name != "individual" or not isinstance(table.get(name), list)]
        stated = [name for name in stated if table.get(name) is not False or name in REGISTER_COLUMNS]
        return {name: called for name in stated if (called := self.text(table, name)) is not None}

    def register_people(self, *, possible: bool) -> tuple[str, ...]:
        """Return the columns of a register of possible people that name a person together, if a list is stated."""
        table = self.table("register")
        parts = self.texts(table, "individual") if isinstance(table.get("individual"), list) else ()
        if parts and not possible:
            what = say("several columns name a person only in a register of people who may be in the data")
            self.note("individual", what, say("name one column that names each person once"))
        return parts

    def divided(self, found: list[ReleaseFiles], by: str) -> list[ReleaseFiles]:
        self.check_tags([release.tag for release in found])
        return [each for files in found for each in self.releases_in(files, by)]

    def releases_in(self, files: ReleaseFiles, by: str) -> list[ReleaseFiles]:
        """Return the releases of one file, one for each text of a column, in the order that the texts show."""
        if files.values is not None:
            self.note(
                "releases_by", say("an Anatomy pair is one release"), say("name the column beside tables of rows alone")
            )
            return [files]
        table = Adjustments(self.rules).read(files.rows, files.shown, [by], self.problems)
        tags = [] if table is None else self.tags_in(by, table.distinct(by))
        return [replace(files, tag=tag, by=by) for tag in tags]

    def pair(self, entry: Mapping[str, object]) -> list[ReleaseFiles]:
        rows, values = entry["rows"], entry["values"]
        if not (isinstance(rows, str) and isinstance(values, str)):
            self.note("releases", say("the rows and the values of a pair have to be paths"), say("write both as texts"))
            return []
        if not (self.tables("releases", rows, glob=False) and self.tables("releases", values, glob=False)):
            return []
        return [ReleaseFiles(release_tag(rows), self.folder / rows, rows, self.folder / values, values)]

    def by_release(self, key: str, table: Mapping[str, T], tags: set[str]) -> Iterator[tuple[str, T]]:
        """Yield the entries of a table whose keys are releases; note those of others."""
        for tag, entry in table.items():
            if tag in tags:
                yield tag, entry
            else:
                what = say("`{key}` names a release that is not in the series", key=key)
                self.note(tag, what, say("use a release's tag"))

    def anonymized(self) -> str | None:
        """Return the method and the parameters by which this program published the series, as on the command line."""
        table = self.table("anonymized")
        method = self.text(table, "method")
        if table and method is None:
            self.note("anonymized", say("no method is named"), say('write method = "…", or leave the table out'))
        given = [
            f"--{name.replace('_', '-')}" + ("" if value is True else f" {value}")
            for name, value in table.items()
            if name not in ("method", "rows")
        ]
        return None if method is None else " ".join([method, *given])

    def counterfeits(self, tags: set[str]) -> dict[str, str]:
        found = dict[str, str]()
        for tag, name in self.by_release("counterfeits", self.table("counterfeits"), tags):
            if not isinstance(name, str):
                self.ask_for(tag, say("this has to be a path"), f'"{tag}" = "counterfeits/{tag}.csv"')
            elif self.inside(tag, name):
                found[tag] = name
        return found

    def grave(self) -> tuple[tuple[str | None, str], ...]:
        """Return the grave values, each with its attribute; None stands for all attributes."""
        table = self.table("policy")
        if "grave" not in table and "max_ever_risk" in table:
            self.note(
                "max_ever_risk", say("no grave values are named for it"), say('write grave = ["…"] under [policy]')
            )
        if not isinstance(table.get("grave"), dict):
            return tuple((None, value) for value in self.texts(table, "grave"))
        stated = self.table("columns").get("sensitive")
        for attribute in sorted(set(table["grave"]) - set([stated] if isinstance(stated, str) else stated or ())):
            self.note(
                attribute, say("[policy] grave needs a sensitive column"), say("write it as [columns] sensitive does")
            )
        return tuple((each, value) for each in table["grave"] for value in self.texts(table["grave"], each))

    def widths(self, columns: Columns) -> dict[str, Fraction]:
        """Return how far numbers of a column may differ to be close, by column, in its own unit."""
        table, found = self.table("policy").get("closeness"), dict[str, Fraction]()
        for column, given in table.items() if isinstance(table, dict) else ():
            width = exact_number(given)
            if (
                column not in columns.sensitive
                or columns.rules[ColumnTypes].kinds.get(column) == Kind.CATEGORICAL.value
            ):
                what = say("[policy] closeness names a column without sensitive numbers")
                self.note(column, what, say("write it as [columns] sensitive does, and not as categorical under types"))
            elif width is None or width < 0:
                self.note(
                    column,
                    say("this is not a width"),
                    say('write {column} = "0.5", in the unit of the column', column=toml_key(column)),
                )
            else:
                found[column] = width
        return found


def exact_number(given: object) -> Fraction | None:
    """Return the number that a manifest gives as a number or as text; None if it is neither."""
    try:
        return None if isinstance(given, bool) else Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        return None


_NEEDED = {"sensitive", "quasi_identifiers", "releases", "dimensions", "markers"}
"""Keys that may list nothing, or have a message of their own if they do."""


_SECTIONS: Sections = {
    "series": {
        **dict.fromkeys(("name", "releases_by"), Reader.text),
        "kind": one_of("microdata", OF_TABLES),
        "releases": Reader.value,
        "updates": one_of(None, GROWING),
        "published": partial(Reader.entries, example="2030-01-01"),
    },
    "adversary": {
        **dict.fromkeys(("register", "known"), Reader.path),
        "presence": one_of(None, POSSIBLE),
        "transitions": lambda reader, table, key: (
            table[key] if table.get(key) in (ANY, NEVER) else reader.path(table, key)
        ),
    },
    "counterfeits": None,
    "anonymized": None,
    "waiver": {"finding", "individual", "group", "release", "reason", "expires", "size"},
    UNCONFIRMED: {"keys"},
}


def note_empty(reader: Reader, *tables: str) -> None:
    """Note the keys of these tables of a manifest that list nothing, or that have an entry that lists nothing."""
    for name in tables:
        content = reader.document.get(name)
        for key, value in content.items() if isinstance(content, dict) else ():
            inner = value.values() if isinstance(value, dict) else ()
            if key not in _NEEDED and (value in ([], {}) or any(each in ([], {}) for each in inner)):
                reader.note(
                    key, say("the list is empty, and {nothing}", nothing=NOTHING), say("fill it, or leave the line out")
                )
