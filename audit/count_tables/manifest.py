"""The manifest of a series of count tables: `series.toml` with `kind = "tables"`."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from audit.count_tables.series_kind import CLAUSES
from audit.count_tables.table_files import read_count_table
from audit.count_tables.table_rules import (
    STATISTIC,
    WHOLE,
    ChangeColumn,
    CountColumn,
    HidingRule,
    Rates,
    RulesReader,
    Wide,
    hiding_rules,
    roots,
)
from audit.io import manifest as microdata
from audit.io.paths import as_path
from audit.io.toml import UNCONFIRMED_KEYS, natural, parse, read_text, release_tag, unconfirmed
from audit.model.count_report import OverTime, Rounding
from audit.model.errors import InputError, Problems
from audit.model.json_types import UNBOUNDED, WORSE
from audit.model.report import CountSize

NAME = microdata.NAME
T = TypeVar("T")
_RELATIONS: tuple[OverTime, ...] = ("independent", "same", "cumulative")
_OVER_TIME = "there is no such relation of releases", "use same, cumulative or independent"
_ABSENT = "rows that are left out are either unknown or zero", 'write absent = "zero", or nothing'
_HIDES = "this has to be true or false", "write status_hides = true, or leave it out"
_TEXTS = ("measure", "breakdown", "status")
_LISTS = ("measures", "values", "levels", "sensitive")
_SETS = ("codes", "not_published", "flags", "open", "not_counts")
"""Keys of `[table]` that are a text, a list of texts, or texts in any order."""


@dataclass(frozen=True)
class TableFile:
    """A file of counts: where it lies, how it is called in messages, and the column and text of its rows.

    `only` is None where all of its rows are meant.
    """

    path: Path
    shown: str
    only: tuple[str, str] | None = None


@dataclass(frozen=True)
class TableRelease:
    """What was published at once: one table or several."""

    tag: str
    tables: tuple[TableFile, ...]


@dataclass(frozen=True)
class TableManifest:
    """All that the manifest of a series of count tables says.

    Attributes:
        dimensions: columns that say what a number counts.
        value: the column with what was published; the first where `values` are several or `wide` ones.
        values: the columns with counts, each a statistic, where there are several.
        wide: a dimension whose labels are columns of counts, if any.
        part_of: which statistic is part of which; empty for one that is part of none.
        change: the column with what a count has grown by, if any.
        measure: the column that keeps statistics apart, if any; `measures` are those that are counts, all where empty.
        totals: by dimension the label that stands for everybody.
        categories: by dimension the file that says which atoms a label covers.
        codes: dimensions of codes: one that begins with another one is inside of it.
        nested: dimensions that several columns give, the coarsest first; blank is the total.
        breakdown: a column that names the dimensions of a row, such as `Region; Age`; `levels` have their labels.
        not_published: texts that count as an empty cell.
        flags: letters that may stand behind a number and do not change it, such as `p` (provisional).
        no_total: dimensions of which it is said that no label stands for everybody.
        open: dimensions whose labels need not cover everybody.
        markers: what else a value can be, and the least and greatest count that it stands for.
        status: a column in which markers stand instead of the value, if any.
        status_hides: whether the number beside such a marker is not published, though the file has it.
        threshold: counts from 1 to one less are always published as a marker.
        perturbation: by how much numbers may be off, before they are rounded.
        absent_is_zero: whether a row that is left out is a 0.
        releases_by: the column whose texts are releases, if any.
        not_counts: columns and statistics with numbers that say nothing about the counts.
        sensitive: dimensions of which everybody in a cell must not be of one kind.
        harmless: by sensitive dimension the labels of which everybody may be.
        loose: nested dimensions of which a label may have people that no label inside it has.
        hiding: which cells `next` and `repair` keep, or what it costs to hide them.
        unconfirmed: keys of the manifest that are guesses, such as `table.markers`.
    """

    folder: Path
    name: str
    releases: tuple[TableRelease, ...]
    dimensions: tuple[str, ...]
    value: str
    measure: str | None = None
    measures: tuple[str, ...] = ()
    totals: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    breakdown: str | None = None
    levels: tuple[str, ...] = ()
    not_published: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    no_total: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    markers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    status: str | None = None
    status_hides: bool = False
    threshold: int | None = None
    perturbation: int = 0
    rounding: Rounding | None = None
    rates: tuple[Rates, ...] = ()
    values: tuple[str, ...] = ()
    wide: Wide | None = None
    part_of: Mapping[str, str] = field(default_factory=dict)
    change: ChangeColumn | None = None
    over_time: OverTime = "independent"
    absent_is_zero: bool = False
    releases_by: str | None = None
    not_counts: frozenset[str] = frozenset()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    loose: frozenset[str] = frozenset()
    unconfirmed: tuple[str, ...] = ()
    policy: Mapping[str, int] = field(default_factory=dict)
    waivers: tuple[microdata.Waiver, ...] = ()
    hiding: tuple[HidingRule, ...] = ()

    @property
    def tags(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return tuple(release.tag for release in self.releases)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that have a meaning."""
        rates = [name for each in self.rates if not each.is_statistic for name in (each.column, each.denominator)]
        change = None if self.change is None else self.change.column
        named = (
            *(each.column for each in self.views),
            change,
            self.measure,
            self.status,
            self.breakdown,
            self.releases_by,
            *self.levels,
            *rates,
        )
        nested = (column for columns in self.nested.values() for column in columns)
        return frozenset({*self.dimensions, *nested, *self.not_counts, *(each for each in named if each is not None)})

    @property
    def views(self) -> tuple[CountColumn, ...]:
        """The columns of counts."""
        if self.wide is not None:
            columns = self.wide.columns.items()
            return tuple(CountColumn(column, labels={self.wide.dimension: label}) for label, column in columns)
        if not self.values:
            return (CountColumn(self.value),)
        whole, parted = roots(self.values, self.part_of), any(self.part_of.values())
        labels = {value: {STATISTIC: "" if whole[value] == value else value} if parted else {} for value in self.values}
        one = len(set(whole.values())) == 1
        return tuple(CountColumn(value, None if one else whole[value], labels[value]) for value in self.values)

    def cost_of(self, cell: Mapping[str, str], count: int) -> int | None:
        """Return what it costs to hide a cell: its count, where nothing else is said; None where it is kept."""
        for rule in self.hiding:
            if rule.cell.items() <= cell.items():
                return rule.cost
        return count

    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""
        tables = dict.fromkeys(table.path for release in self.releases for table in release.tables)
        return [self.folder / NAME, *tables, *(self.folder / name for name in self.categories.values())]

    def limits(self, given: Mapping[str, float]) -> dict[str, int]:
        """Return the policy: what was given, else what the manifest states, else what the rules imply.

        Raises:
            InputError: nothing says what `min_count` is.
        """
        stated = {**self.policy, **{clause: int(limit) for clause, limit in given.items()}}
        if "min_count" not in stated:
            ends = [high for _, high in self.markers.values() if high < UNBOUNDED]
            if self.threshold is None and not ends:
                problems = Problems()
                what = "`min_count` is not given, and neither a threshold nor a marker with an upper end implies it"
                problems.add(NAME, what, "write min_count = 6, say, under [policy]")
                raise InputError(problems.found)
            stated["min_count"] = self.threshold if self.threshold is not None else max(ends) + 1
        kinds = {"min_labels": stated.get("min_labels", 2)} if self.sensitive else {}
        return {"min_count": stated["min_count"], "min_width": stated.get("min_width", 2), **kinds}


def read_table_manifest(path: str | os.PathLike[str]) -> TableManifest:
    """Read the manifest of the series of count tables in a folder.

    Raises:
        InputError: it is faulty; all of its problems are told.
    """
    where = as_path(path)
    folder = where.parent if where.name == NAME else where
    problems = Problems()
    text = read_text(folder, NAME, f"write a {NAME}, or let `audit init` guess one", problems)
    found = None if text is None else parse_table_manifest(folder, text, problems)
    problems.check()
    if found is None:
        raise InputError(problems.found)
    return found


def parse_table_manifest(folder: Path, text: str, problems: Problems) -> TableManifest | None:
    """Return the manifest that a text is, for the files in a folder, noting what is wrong; None for no TOML."""
    document = parse(text, NAME, "see https://toml.io, or let `audit init` write a new one", problems)
    return None if document is None else _TableManifestReader(folder, NAME, text, document, problems).manifest()


class _TableManifestReader(RulesReader):
    """Turns the TOML document into a `TableManifest`, noting each problem where it stands."""

    what = "series"
    allowed: Mapping[str, set[str] | None] = {
        "series": {"name", "kind", "releases", "releases_by"},
        "table": {
            *_TEXTS,
            *_LISTS,
            *_SETS,
            "dimensions",
            "value",
            "totals",
            "categories",
            "nested",
            "markers",
            "status_hides",
            "threshold",
            "perturbation",
            "rounding",
            "rates",
            "over_time",
            "absent",
            "wide",
            "part_of",
            "change",
            "harmless",
        },
        "policy": set(CLAUSES),
        **UNCONFIRMED_KEYS,
        "waiver": {"finding", "reason", "expires", "size"},
        "hiding": {"cell", "keep", "cost"},
    }

    def manifest(self) -> TableManifest:
        self.check_names()
        series, table = self.table("series"), self.table("table")
        dimensions = self.texts(table, "dimensions")
        plain: dict[str, Any] = {key: self.text(table, key) for key in _TEXTS}
        plain |= {key: self.texts(table, key) for key in _LISTS}
        plain |= {key: frozenset(self.texts(table, key)) for key in _SETS}
        wide, values, measures = self.wide(table), plain["values"], plain["measures"]
        columns = values if wide is None else tuple(wide.columns.values())
        value = self.text(table, "value") or next(iter(columns), None)
        if len([each for each in (wide, values, plain["measure"], table.get("value")) if each]) > 1 and (
            wide or values
        ):
            self.note("values", "several keys say which columns are counts", "keep one of value, values, wide")
        part_of = self.part_of(table, values or measures)
        if wide is not None:
            dimensions = tuple(dict.fromkeys([*dimensions, wide.dimension]))
        if any(part_of.values()):
            dimensions = tuple(dict.fromkeys([*dimensions, STATISTIC]))
        totals = self.of_dimensions(table, "totals", dimensions)
        if not dimensions:
            self.note("dimensions", "no dimension is named", 'write dimensions = ["area", "sex"] under [table]')
        if value is None:
            self.note("value", "the column with the counts is not named", 'write value = "count" under [table]')
        found = TableManifest(
            folder=self.folder,
            name=self.text(series, "name") or self.folder.resolve().name,
            releases=self.releases(series.get("releases"), self.text(series, "releases_by")),
            releases_by=self.text(series, "releases_by"),
            dimensions=dimensions,
            value=value or "",
            wide=wide,
            part_of=part_of,
            change=self.change(table),
            totals={name: label for name, label in totals.items() if label},
            no_total=frozenset(name for name, label in totals.items() if not label),
            categories=self.categories(table, dimensions),
            nested=self.nested(table, dimensions),
            markers=self.markers(table),
            status_hides=self.choice(table, "status_hides", (False, True), _HIDES),
            threshold=self.whole(table, "threshold", 2),
            perturbation=self.whole(table, "perturbation", 0) or 0,
            rounding=self.rounding(table),
            rates=self.rates(table, values or measures),
            over_time=self.choice(table, "over_time", _RELATIONS, _OVER_TIME),
            absent_is_zero=self.choice(table, "absent", ("unknown", "zero"), _ABSENT) == "zero",
            harmless=self.lists(table, "harmless"),
            unconfirmed=unconfirmed(self),
            policy=self.policy(),
            waivers=microdata.read_waivers(self, size_of, 'size = { kind = "narrowed", lower = 1, upper = 4 }'),
            hiding=hiding_rules(self),
            **plain,
        )
        if any(part_of.values()):
            whole = set(roots(values or measures, part_of).values())
            total = next(iter(whole)) if len(whole) == 1 else WHOLE
            found = replace(found, totals={**found.totals, STATISTIC: total}, open=found.open | {STATISTIC})
        for key, names in (
            ("open", found.open),
            ("codes", found.codes),
            ("sensitive", {*found.sensitive}),
            ("hiding", {name for rule in found.hiding for name in rule.cell}),
        ):
            for name in sorted({*names} - set(dimensions)):
                self.note(key, f'"{name}" is no dimension', "name one of the dimensions")
        self.check_read(found)
        self.check_kinds(found)
        return found

    def check_read(self, found: TableManifest) -> None:
        """Note keys that other keys leave without effect: their author believes that they do something."""
        if found.measures and found.measure is None:
            self.note("measures", "nothing reads it without the column of statistics", 'write measure = "…" beside it')
        if any(each.is_statistic for each in found.rates) and found.measure is None:
            what = "rates that are a statistic are not read without the column of statistics"
            self.note("rates", what, 'write measure = "…" beside it, or column = "…" within it')
        if (found.breakdown is None) != (not found.levels):
            key, other = ("levels", "breakdown") if found.breakdown is None else ("breakdown", "levels")
            self.note(key, f"nothing reads it without {other}", f"write {other} beside it, or leave it out")
        if found.status is not None and not found.markers:
            remedy = 'write markers = { "c" = [1, 4] }, or leave it out'
            self.note("status", "nothing reads it, as no marker is named that could stand in it", remedy)
        if found.status_hides and found.status is None:
            self.note("status_hides", "nothing reads it without status", 'write status = "StatusVar" beside it')
        for name in sorted({*found.nested} & {*found.categories}):
            what = f'nothing reads the categories of "{name}", as its columns say which label is inside of which'
            self.note("categories", what, "keep one of categories and nested")
        for name in sorted(found.codes & {*found.nested, *found.categories}):
            what = f'nothing reads that labels of "{name}" are codes, as its categories or columns say what they cover'
            self.note("codes", what, "keep one of codes, categories and nested")
        for name in sorted(found.no_total & {*found.nested, *found.categories, *found.codes}):
            what = f'nothing reads that "{name}" has no total, as its categories or columns say what its labels cover'
            self.note("totals", what, "leave this entry out")

    def check_kinds(self, found: TableManifest) -> None:
        """Note what is said of kinds of people where no dimension is sensitive."""
        for name in sorted({*found.harmless} - {*found.sensitive}):
            what = f'nothing reads what is harmless of "{name}", which is not sensitive'
            self.note("harmless", what, f'write sensitive = ["{name}"], or leave this out')
        if "min_labels" in found.policy and not found.sensitive:
            remedy = 'write sensitive = ["diagnosis"] under [table]'
            self.note("min_labels", "nothing reads it without sensitive", remedy)

    def categories(self, table: Mapping[str, Any], dimensions: tuple[str, ...]) -> dict[str, str]:
        found = self.of_dimensions(table, "categories", dimensions)
        return {dimension: name for dimension, name in found.items() if self.inside(dimension, name)}

    def nested(self, table: Mapping[str, Any], dimensions: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        given = table.get("nested", {})
        found: dict[str, tuple[str, ...]] = {"": ()}
        if isinstance(given, dict):
            found = {str(name): self.texts(given, name) for name in given}
        for name, columns in found.items():
            if name not in dimensions or not columns:
                remedy = 'write nested = { area = ["region", "authority"] }, the coarsest column first'
                self.note("nested", "this has to name a dimension and its columns", remedy)
        return found

    def of_dimensions(self, table: Mapping[str, Any], key: str, dimensions: tuple[str, ...]) -> dict[str, str]:
        found = self.mapping(table, key)
        for name in found:
            if name not in dimensions:
                self.note(key, f'"{name}" is no dimension', "name one of the dimensions")
        return {name: unicodedata.normalize("NFC", text.strip()) for name, text in found.items() if name in dimensions}

    def releases(self, entries: object, by: str | None) -> tuple[TableRelease, ...]:
        if not isinstance(entries, list) or not entries:
            self.note("releases", "no release is named", 'write releases = ["releases/1.csv"] under [series]')
            return ()
        found: list[TableRelease] = []
        for entry in entries:
            if isinstance(entry, str) and entry.endswith("results.json"):
                if self.inside("releases", entry):
                    tag = (self.folder / entry).resolve().parent.name
                    found.append(TableRelease(tag, (TableFile(self.folder / entry, entry),)))
            elif isinstance(entry, str):
                names = self.tables("releases", entry)
                found += [TableRelease(release_tag(n), (TableFile(self.folder / n, n),)) for n in names]
            elif isinstance(entry, dict) and {str(k) for k in entry} == {"tag", "tables"}:
                found += self.several(entry)
            else:
                what = 'write a path, or { tag = "2024", tables = ["a.csv", "b.csv"] }'
                self.note("releases", "an entry is neither a path nor a tag with its tables", what)
        if by is not None:
            found = self.releases_by(found, by)
        self.check_tags([release.tag for release in found])
        return tuple(found)

    def releases_by(self, found: list[TableRelease], column: str) -> list[TableRelease]:
        """Return a release for each text of a column, in the order of the texts."""
        tables: dict[str, list[TableFile]] = {}
        for file in (table for release in found for table in release.tables):
            read = read_count_table(file.path, file.shown, [column], self.problems)
            for text in () if read is None else read.distinct(column):
                tables.setdefault(text, []).append(replace(file, only=(column, text)))
        if "" in tables:
            self.note("releases_by", f'"{column}" has empty cells', "write into each row which release it belongs to")
        return [TableRelease(text, tuple(tables[text])) for text in sorted(tables, key=natural)]

    def several(self, entry: Mapping[str, Any]) -> list[TableRelease]:
        tag = self.text(entry, "tag")
        names = [name for pattern in self.texts(entry, "tables") for name in self.tables("tables", pattern)]
        if tag is None or not names:
            self.note("releases", "a release of several tables lacks its tag or its tables", "give both")
            return []
        return [TableRelease(tag, tuple(TableFile(self.folder / name, name) for name in names))]

    def choice(self, table: Mapping[str, Any], key: str, known: Sequence[T], wrong: tuple[str, str]) -> T:
        """Return one of some known values, the first where nothing is given; anything else is noted."""
        given = table.get(key, known[0])
        found = next((each for each in known if given == each and type(given) is type(each)), None)
        if found is None:
            self.note(key, *wrong)
        return known[0] if found is None else found

    def policy(self) -> dict[str, int]:
        found = {}
        for key, value in self.table("policy").items():
            if key in CLAUSES:
                try:
                    found[key] = clause_limit(key, value)
                except ValueError as trouble:
                    self.note(key, *trouble.args)
        return found


def size_of(given: object) -> CountSize | None:
    """Return how much of a count a waiver accepts; None where that is not what it says."""
    if not isinstance(given, dict):
        return None
    kind = next((each for each in WORSE if each == given.get("kind")), None)
    lower, upper = given.get("lower"), given.get("upper")
    if kind is None or set(given) != {"kind", "lower", "upper"} or not (type(lower) is type(upper) is int):
        return None
    return CountSize(kind, int(str(lower)), int(str(upper)))


def clause_limit(clause: str, value: object) -> int:
    """Return the limit of a clause of the policy of count tables.

    Raises:
        ValueError: there is no such clause or limit; its arguments say what is wrong and what to do.
    """
    if clause not in CLAUSES:
        raise ValueError("the policy of count tables has no such clause", f"use one of {', '.join(CLAUSES)}")
    least = 1 if clause == "min_width" else 2
    whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    if whole and least <= float(str(value)) < UNBOUNDED:
        return int(float(str(value)))
    raise ValueError("this is no limit of the policy", f"write a whole number from {least}")
