r"""Manifest of a series of count tables: `series.toml` with `kind = "tables"`.

Its files may have notes below the table, or several labels in one cell, as in Eurostat's TSV files ("Bulk download"):
their first column is called `freq,sex,geo\TIME_PERIOD`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from audit.clauses.registry import COUNT_CLAUSES
from audit.count_tables.table_rules import (
    HIDING,
    MOST_PARTS,
    STATISTIC,
    TABLE_KEYS,
    WHOLE,
    ChangeColumn,
    CountColumn,
    HidingRule,
    Rates,
    Wide,
    roots,
)
from audit.io import manifest as microdata
from audit.io.dialect import note_unreadable, records
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.notations import plain
from audit.io.paths import real_path
from audit.io.table_forms import below_table
from audit.io.tables import Table, header, note_absent, read_table
from audit.io.texts import column_of
from audit.io.toml import UNCONFIRMED, Reader, release_tag
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import OverTime, Rounding
from audit.model.errors import InputError, Problem, Problems
from audit.model.json_types import WORSE
from audit.model.report import CountSize, SealedCount
from audit.runtime.phrases import joined, printable, say

_SEVERAL = re.compile(r"(.+)\\time(?:_period)?", re.IGNORECASE)


def column_names(path: Path, shown: str, problems: Problems, known: Collection[str] = ()) -> list[str] | None:
    """Return the columns of a file, a shared first one as those in it; None after noting why it cannot be read.

    A column that only differs from one of the `known` in signs, spaces or capitals has its name.
    """
    names = header(path, shown, problems)
    if names is None:
        return None
    first, *others = names
    return known_as([*_inside(first), *others], known)


def known_as(names: Sequence[str], known: Collection[str]) -> list[str]:
    """Return names of columns, those that spell one of the `known` in another way as it is known.

    Two that are spelled alike, there or here, may be two columns.

    >>> known_as(["Tranche d\u2019âge", "SEXE", "Lieu"], ["Sexe", "Tranche d'âge", "lieu", "LIEU"])
    ["Tranche d'âge", 'Sexe', 'Lieu']
    """
    left, own = {*known}.difference(names), [plain(name) for name in names]
    spelled = {plain(name): name for name in left}
    unsure = {text for texts in (own, [*map(plain, left)]) for text, times in Counter(texts).items() if times > 1}
    pairs = zip(names, own, strict=True)
    return [name if text in unsure or name in known else spelled.get(text, name) for name, text in pairs]


def read_count_table(
    path: Path, shown: str, columns: Sequence[str], problems: Problems, once: Sequence[str] = ()
) -> Table | None:
    """Return columns of a file without the notes below it; None after noting why it cannot be read.

    The labels of the columns `once` are written once, above blanks.
    """
    table = _read_columns(path, shown, columns, problems)
    names = [name for name in columns if name in once]
    if table is None or not names:
        return table
    filled, unclear = filled_down([table.texts(name) for name in names])
    others = [table.texts(name) for name in columns if name not in once]
    is_blank = [not any(row) for row in zip(*others, *(table.texts(name) for name in names), strict=True)]
    for name, texts, rows in zip(names, filled, unclear, strict=True):
        what = say("the label is blank, and it is not certain that it is that of the row above")
        wrong = np.array(rows) & ~np.array(is_blank)
        table.note_first(wrong, name, what, say("write the label in each row"), problems)
        kept = ("" if blank else text for text, blank in zip(texts, is_blank, strict=True))
        table = table.with_column(name, column_of(kept).dictionary_encode())
    return table


def filled_down(columns: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[list[bool]]]:
    """Return columns with each label in the blanks below it, and by column which cells it is not certain in.

    No label is above them, or another column further left has a new one.

    >>> filled_down([["A", "", "B", ""], ["f", "", "", "m"]])
    ([['A', 'A', 'B', 'B'], ['f', 'f', 'f', 'm']], [[False, False, False, False], [False, False, True, False]])
    """
    filled, unclear = list[list[str]](), list[list[bool]]()
    for place, texts in enumerate(columns):
        new = [any(column[row] for column in columns[:place]) for row in range(len(texts))]
        known = list[str]()
        for text in texts:
            known.append(text or (known[-1] if known else ""))
        filled.append(known)
        unclear.append([not text and (begins or not own) for text, begins, own in zip(texts, new, known, strict=True)])
    return filled, unclear


def _read_columns(path: Path, shown: str, columns: Sequence[str], problems: Problems) -> Table | None:
    names = header(path, shown, problems)
    if names is None:
        return None
    inside, below = _inside(next(iter(names))), below_table(path)
    found = known_as([*inside, *[*names][1:]], columns)
    if len(inside) == 1:
        spelled = dict(zip(found, names, strict=True))
        table = read_table(path, shown, [spelled.get(column, column) for column in columns], problems)
        return None if table is None else table.renamed(dict(zip(names, found, strict=True)))
    if any(column not in found for column in columns):
        note_absent(path, shown, found, columns, problems)
        return None
    lines = list(records(path))
    rows = [(line, [*_split(cells, len(inside)), *cells[1:]]) for line, cells in lines[1 : len(lines) - below.rows]]
    if any(len(cells) != len(found) for _, cells in rows):
        note_unreadable(path, shown, ValueError(), problems)
        return None
    arrays = {name: column_of(cells[found.index(name)] for _, cells in rows).dictionary_encode() for name in columns}
    return Table(path, shown, len(rows), arrays, _lines=[lines[0][0], *(line for line, _ in rows)])


def _inside(name: str) -> list[str]:
    r"""Return the columns that share a column of this name.

    >>> _inside("freq,sex,geo\\TIME_PERIOD"), _inside("area")
    (['freq', 'sex', 'geo'], ['area'])
    """
    found = _SEVERAL.fullmatch(name)
    return [each.strip() for each in found[1].split(",")] if found else [name]


def _split(cells: Sequence[str], many: int) -> list[str]:
    return [cells[0]] if many == 1 else cells[0].split(",")


def refuse_lone_row(path: Path, shown: str, known: Container[str], problems: Problems) -> None:
    """Note that a file's last row may be a note, unless its text is a `known` label; it would be read as a count."""
    line, text = below_table(path).lone or (0, "")
    if line and text not in known:
        what = say("only the first cell of this row has a text")
        remedy = say("delete it if it is a note below the table, else move it above other rows")
        problems.add(shown, what, remedy, line=line)


NAME = microdata.NAME


@dataclass(frozen=True)
class TableFile:
    """A file of counts.

    Attributes:
        path, shown: the file, and its name in messages.
        only: the column, and its text, that select the rows of the release; None if all rows belong to it.
    """

    path: Path
    shown: str
    only: tuple[str, str] | None = None


@dataclass(frozen=True)
class TableRelease(microdata.TaggedRelease):
    """One release: one table or several."""

    tables: tuple[TableFile, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of its tables."""
        return tuple(table.path for table in self.tables)


@dataclass(frozen=True)
class TableManifest(microdata.SeriesManifest[TableRelease]):
    """The contents of the manifest of a series of count tables.

    Attributes:
        dimensions: the columns that describe what a number counts.
        value: the column with the published counts; the first one if there are several `values` or `wide` columns.
        values: the columns with counts, each one a statistic, if there are several.
        wide: the dimension whose labels are columns of counts; None if there is none.
        part_of: the statistic of which each statistic is part; an empty text if it is part of none.
        change: the column with the change of a count since an earlier release; None if there is none.
        measure: the column that names statistics; None if there is none.
        measures: the statistics that are counts; empty if all are.
        totals: the label that covers all people, by dimension; of a column of a nested one, all in the label around it.
        categories: the file that lists the atoms of each label, by dimension.
        codes: dimensions whose labels are codes: a code lies inside each code that it begins with.
        nested: the columns of each nested dimension, the coarsest first; blank, or the name that `totals` gives, means
            the total.
        breakdown: the column that names the dimensions of a row, such as `Region; Age`; None if there is none.
        levels: the columns with the labels of these dimensions.
        once: the columns whose labels are written once, above the blanks that repeat them.
        not_published: the texts that count as an empty cell.
        flags: letters and signs after a number (`()` around it) that do not change it, such as `p` (provisional).
        no_total: the dimensions that have no label for all people, as the manifest says.
        open: the dimensions whose labels need not cover all people.
        markers: the least and the greatest count that each marker, a text in place of a count, can stand for.
        status: the column in which markers stand beside the value; None if there is none.
        status_hides: whether the number beside such a marker counts as not published, although the file contains it.
        threshold: counts from 1 to `threshold` - 1 are always published as a marker.
        threshold_is_said: whether the manifest says which counts always are; a threshold of 1 says that none is.
        perturbation: by how much counts may have been changed at most before rounding.
        rounding: how counts were rounded; None if they were not.
        exact: the releases, tables, columns of counts and statistics whose numbers were neither rounded nor perturbed.
        rates: the rates that are published beside the counts.
        over_time: the relation between the counts of a cell in several releases.
        stock: whether releases count those who are there at several dates, many of whom are the same people.
        absent_is_zero: whether a missing row means 0.
        absent_is_said: whether the manifest says what a missing row means.
        releases_by: the column whose texts are releases; None if there is none.
        not_counts: the columns and statistics whose numbers disclose nothing about the counts.
        sensitive: the dimensions in which the people of a cell must not all have one label.
        harmless: the labels that all people of a cell may have, by sensitive dimension.
        with_rest: the nested dimensions in which a label may have people outside all labels inside it.
        hiding: the cells that `next` and `repair` must not hide, and the cost of hiding others.
    """

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
    once: tuple[str, ...] = ()
    not_published: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    no_total: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    markers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    status: str | None = None
    status_hides: bool = False
    threshold: int | None = None
    threshold_is_said: bool = False
    perturbation: int = 0
    rounding: Rounding | None = None
    exact: frozenset[str] = frozenset()
    rates: tuple[Rates, ...] = ()
    values: tuple[str, ...] = ()
    wide: Wide | None = None
    part_of: Mapping[str, str] = field(default_factory=dict)
    change: ChangeColumn | None = None
    over_time: OverTime = "independent"
    stock: bool = False
    absent_is_zero: bool = False
    absent_is_said: bool = False
    releases_by: str | None = None
    not_counts: frozenset[str] = frozenset()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    with_rest: frozenset[str] = frozenset()
    hiding: tuple[HidingRule, ...] = ()

    @property
    def relates_releases(self) -> bool:
        """Whether one release can say more about the counts of another one."""
        return self.over_time != "independent" or self.change is not None

    @property
    def blank_is_zero(self) -> bool:
        """Whether an empty cell means 0, as a missing row does; in exact tables it is not published."""
        return self.absent_is_zero and not self.is_exact

    @property
    def least_unmarked(self) -> int:
        """The least count above those that markers name; 0 if none does."""
        return max((most + 1 for _, most in self.markers.values() if 0 < most < UNBOUNDED), default=0)

    @property
    def beside(self) -> frozenset[str]:
        """The columns with numbers about the counts of the same row: rates and changes."""
        rates = (each.column for each in self.rates if not each.is_statistic)
        return frozenset([*rates, *([] if self.change is None else [self.change.column])])

    @property
    def denominators(self) -> frozenset[str]:
        """The columns with the denominators of rates."""
        return frozenset(each.denominator for each in self.rates if each.has_column)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that have a meaning."""
        nested = (column for columns in self.nested.values() for column in columns)
        several = {*self.dimensions, *nested, *self.levels, *(each.column for each in self.views), *self.not_counts}
        named = (self.measure, self.status, self.breakdown, self.releases_by)
        return self.beside | self.denominators | several | {each for each in named if each is not None}

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

    def hides(self, text: str) -> bool:
        """Return whether a text is a marker that can stand for several counts."""
        least, most = self.markers.get(text, (0, 0))
        return least < most

    @property
    def is_exact(self) -> bool:
        """Whether published numbers are the counts, in all tables."""
        return self.rounding is None and not self.perturbation

    def for_exact(self) -> TableManifest:
        """Return the manifest as it holds for what `exact` names."""
        return replace(self, rounding=None, perturbation=0)

    def files(self) -> list[Path]:
        """Return the manifest itself and all files that it names."""
        tables = dict.fromkeys(path for release in self.releases for path in release.paths)
        return [self.folder / NAME, *tables, *(self.folder / name for name in self.categories.values())]

    @property
    def are_folders(self) -> bool:
        """Whether each release is a folder of its name."""
        return all(path.parent.name == release.tag for release in self.releases for path in release.paths)

    @property
    def homes(self) -> list[Path]:
        """The folders in the series where tables may lie; where each release is one, those beside them, too."""
        inside = real_path(self.folder)
        own = {path for path in super().homes if inside in real_path(path).parents}
        beside = {near for path in own for near in path.parent.glob("[!.]*/") if self.are_folders}
        return [self.folder, *sorted(own | beside - {self.folder / microdata.PRIVATE})]

    def tag_of(self, path: Path) -> str:
        """Return the tag of a file's release, which is its folder's name if each release is a folder."""
        is_own = self.are_folders and path.parent != self.folder
        return path.resolve().parent.name if is_own else release_tag(path.name)

    def unread_sheets(self) -> dict[str, list[str]]:
        """Return each sheet of a workbook that may be one more table and is not in `not_counts`, and its files."""
        found = dict[str, list[str]]()
        for table in dict.fromkeys(replace(each, only=None) for release in self.releases for each in release.tables):
            book = read_foreign(table.path) if is_foreign(table.path) else None
            for name in () if book is None else (*book.tables_left, *book.like_tables):
                if name not in self.not_counts:
                    found.setdefault(name, []).append(table.shown)
        return found

    def limits(self, given: Mapping[str, float]) -> dict[str, int]:
        """Return the limits by clause: those given, else those of the manifest, else those that the rules imply.

        Raises:
            InputError: `min_count` is neither given nor implied.
        """
        ends = [high for _, high in self.markers.values() if high < UNBOUNDED]
        implied = self.threshold or (max(ends) + 1 if ends else None)
        limits = {name: clause.default for name, clause in COUNT_CLAUSES.items()} | {"min_count": implied}
        limits |= {**self.policy, **given}
        if limits["min_count"] is None:
            what = say("`min_count` is not given, and neither a threshold nor a marker with an upper end implies it")
            raise InputError([Problem(NAME, what, say("write, for example, min_count = 6 under [policy]"))])
        asked = (name for name, clause in COUNT_CLAUSES.items() if not clause.needs or getattr(self, clause.needs))
        return {name: int(limits[name] or 0) for name in asked}


def read_table_manifest(path: str | os.PathLike[str]) -> TableManifest:
    """Read the manifest of the series of count tables in a folder.

    Raises:
        InputError: it is faulty; the error lists all problems.
    """
    folder, problems = microdata.folder_of(path), Problems()
    text = problems.checked(microdata.manifest_text(folder, problems))
    return problems.checked(parse_table_manifest(folder, text, problems))


def parse_table_manifest(folder: Path, text: str, problems: Problems) -> TableManifest | None:
    """Return the manifest in a text, for the files in a folder; note problems; None if it is not TOML."""
    reader = _TableManifestReader.of(folder, text, problems)
    return None if reader is None else reader.manifest()


class _TableManifestReader(microdata.SeriesReader[TableRelease]):
    """Turns the TOML document into a `TableManifest`, and notes each problem with its line."""

    of_tables = True
    size = 'size = { kind = "narrowed", values = 4, seal = "…" }'
    sections: Mapping[str, Collection[str] | None] = {
        "series": {
            **dict.fromkeys(("name", "releases_by"), Reader.text),
            **dict.fromkeys(("kind", "releases"), Reader.value),
        },
        "table": TABLE_KEYS,
        "policy": COUNT_CLAUSES,
        UNCONFIRMED: {"keys"},
        "waiver": {"finding", "reason", "expires", "size"},
        "hiding": {"cell", "keep", "cost"},
    }

    def manifest(self) -> TableManifest:
        """Return the manifest as far as it was understood."""
        series, read = self.read("series"), self.read("table")
        wide, values, part_of = read["wide"], read["values"], read["part_of"]
        counts = values or read["measures"]
        columns = values if wide is None else tuple(wide.columns.values())
        if (wide or values) and len([each for each in (wide, values, read["measure"], read["value"]) if each]) > 1:
            self.note(
                "values", say("several keys say which columns are counts"), say("keep one of value, values, wide")
            )
        if not self.is_part_of(part_of, counts):
            read["part_of"] = part_of = {}
        parted = any(part_of.values())
        more = [*([] if wide is None else [wide.dimension]), *([STATISTIC] if parted else [])]
        read["dimensions"] = tuple(dict.fromkeys([*read["dimensions"], *more]))
        read["value"] = read["value"] or next(iter(columns), "")
        for key, what, example in (
            ("dimensions", say("no dimension is named"), 'dimensions = ["area", "sex"]'),
            ("value", say("the column with the counts is not named"), 'value = "count"'),
        ):
            if not read[key]:
                self.note(key, what, say("write {example} under [table]", example=example))
        totals = {name: unicodedata.normalize("NFC", text.strip()) for name, text in read["totals"].items()}
        # A blank cell of a nested dimension means its total, whether or not a row has one; a named total does, too.
        read["totals"] = dict.fromkeys(read["nested"] or (), WHOLE) | {
            name: label for name, label in totals.items() if label
        }
        read["perturbation"] = read["perturbation"] or 0
        threshold = read.pop("threshold")
        found = TableManifest(
            **self.common(series),
            releases_by=series["releases_by"],
            no_total=frozenset(name for name, label in totals.items() if not label),
            threshold=None if threshold == 1 else threshold,
            threshold_is_said=threshold is not None,
            absent_is_said=bool(read["absent"]),
            absent_is_zero=read.pop("absent") == "zero",
            hiding=HIDING(self, self.document, "hiding"),
            **read,
        )
        self.check_read(found, counts or columns)
        self.check_exact(found)
        if parted:
            whole = set(roots(counts, part_of).values())
            total = next(iter(whole)) if len(whole) == 1 else WHOLE
            found = replace(found, totals={**found.totals, STATISTIC: total}, open=found.open | {STATISTIC})
        inexact = (
            {} if found.is_exact else {view.column: view for view in found.views if view.column not in found.exact}
        )
        rates = (
            each.beside(inexact[each.denominator], found.totals)
            if each.has_column and each.denominator in inexact and not each.of_published
            else each
            for each in found.rates
        )
        return replace(found, rates=tuple(rates))

    def check_exact(self, found: TableManifest) -> None:
        """Note names of exact tables that the series lacks, or that mean two things."""
        tables = dict.fromkeys(table.shown for release in found.releases for table in release.tables)
        kinds = {*found.tags}, {*tables}, {each.column for each in found.views}, {*found.measures}
        names = joined(
            [f'"{printable(each)}"' for each in dict.fromkeys([*found.tags, *tables, *kinds[2], *found.measures])]
        )
        for name in sorted(found.exact):
            meant = sum(name in some for some in kinds)
            if not meant:
                what = say('"{name}" is no release, table, column or statistic of the series', name=name)
                self.note("exact", what, say("name what is exact; there are {names}", names=names))
            if meant > 1:
                what = say('"{name}" names more than one release, table, column or statistic', name=name)
                self.note("exact", what, say("name the tables of the release, or give the release another tag"))

    def is_part_of(self, part_of: Mapping[str, str], counts: tuple[str, ...]) -> bool:
        """Return whether the statistics of `part_of` can be parts of each other; note why they cannot."""
        names = {*part_of, *(whole for whole in part_of.values() if whole)}
        faults = [say('"{name}" is not one of the counts', name=name) for name in sorted(names - set(counts))]
        faults += [
            say('"{name}" is part of itself', name=name)
            for name, root in roots(counts, part_of).items()
            if part_of.get(root)
        ][:1]
        many = Counter(root for name, root in roots(counts, part_of).items() if root != name)
        if many and max(many.values()) > MOST_PARTS:
            what = say("a count has more than {most} parts, which may overlap in too many ways", most=MOST_PARTS)
            self.note("part_of", what, say("write a row for each count, with its labels in columns"))
            return False
        for what in faults:
            self.note("part_of", what, say('write part_of = {{ deaths = "cases" }}, both of them in values'))
        return not faults

    def check_read(self, found: TableManifest, counts: Sequence[str]) -> None:
        """Note names that are not dimensions, and keys without effect, on which their author would rely."""
        for key in ("totals", "categories", "nested", "open", "codes", "sensitive", "hiding"):
            named = {name for rule in found.hiding for name in rule.cell} if key == "hiding" else getattr(found, key)
            # A column of a nested dimension may have a name of its own for the total.
            named = {*named}.difference(*found.nested.values()) | found.no_total if key == "totals" else {*named}
            for name in sorted(named - {*found.dimensions}):
                self.note(key, say('"{name}" is not a dimension', name=name), say("name one of the dimensions"))
        own = () if found.wide is None else counts  # columns of counts that have their rates in their cells
        named = [("rates", each.counts) for each in found.rates if each.counts or each.column not in own]
        named += [] if found.change is None else [("change", found.change.counts)]
        for key, of in named:
            if (of and of not in counts) or (not of and len(counts) > 1):
                what = say("the manifest does not say which counts these are rates or changes of")
                self.note(key, what, say('write counts = "{count}"', count=(*counts, "n")[0]))
        labels = {*found.dimensions, *found.levels, found.breakdown, found.measure, found.releases_by}
        for name in sorted({*found.once}.difference(labels, *found.nested.values())):
            what = say('"{name}" is not a column of labels', name=name)
            self.note("once", what, say("leave it out, or name it in dimensions, too"))
        for key, needed, unmet in (
            ("exact", "rounding", found.exact and found.is_exact),
            ("measures", "measure", found.measures and found.measure is None),
            ("rates", "measure", found.measure is None and any(each.is_statistic for each in found.rates)),
            ("levels", "breakdown", found.levels and found.breakdown is None),
            ("breakdown", "levels", found.breakdown is not None and not found.levels),
            ("status", "markers", found.status is not None and not found.markers),
            ("status_hides", "status", found.status_hides and found.status is None),
            ("stock", 'over_time = "independent"', found.stock and found.over_time != "independent"),
            *(
                (name, clause.needs, name in found.policy and clause.needs and not getattr(found, clause.needs))
                for name, clause in COUNT_CLAUSES.items()
            ),
        ):
            if unmet:
                self.note(
                    key,
                    say("it has no effect without {needed}", needed=needed),
                    say("write {needed} under [table], or leave it out", needed=needed),
                )
        columns, files = {*found.nested}, {*found.categories}
        for key, names, why in (
            ("categories", columns & files, say("its columns say which label is inside of which")),
            ("codes", found.codes & (columns | files), say("its categories or columns say what its labels cover")),
            ("totals", found.no_total & (columns | files | found.codes), say("its labels are already explained")),
            ("harmless", {*found.harmless} - {*found.sensitive}, say("it is not sensitive")),
        ):
            for name in sorted(names):
                self.note(
                    key,
                    say('the entry for "{name}" has no effect: {why}', name=name, why=why),
                    say("leave this entry out"),
                )

    def entry(self, entry: object) -> Iterator[TableRelease]:
        if isinstance(entry, str) and entry.endswith("results.json"):
            if self.inside("releases", entry):
                yield self.release((self.folder / entry).resolve().parent.name, entry)
        elif isinstance(entry, str):
            yield from (self.release(release_tag(name), name) for name in self.tables("releases", entry))
        elif isinstance(entry, dict) and {str(k) for k in entry} == {"tag", "tables"}:
            tag = self.text(entry, "tag")
            names = [name for pattern in self.texts(entry, "tables") for name in self.tables("tables", pattern)]
            if tag is None or not names:
                self.note("releases", say("a release of several tables lacks its tag or its tables"), say("give both"))
            else:
                yield self.release(tag, *names)
        else:
            what = say('write a path, or {{ tag = "2024", tables = ["a.csv", "b.csv"] }}')
            self.note("releases", say("an entry is neither a path nor a tag with its tables"), what)

    def about_one_tag(self) -> str:
        return say(
            "rename one of the files, or, if they are tables of one release, write "
            '{{ tag = "2024", tables = ["a.csv", "b.csv"] }} for both'
        )

    def release(self, tag: str, *names: str) -> TableRelease:
        return TableRelease(tag, tuple(TableFile(self.folder / name, name) for name in names))

    def divided(self, found: list[TableRelease], by: str) -> list[TableRelease]:
        tables: dict[str, list[TableFile]] = {}
        for file in (table for release in found for table in release.tables):
            once = self.table("table").get("once", ())
            read = read_count_table(file.path, file.shown, [by], self.problems, once)
            for text in () if read is None else read.distinct(by):
                tables.setdefault(text, []).append(replace(file, only=(by, text)))
        return [TableRelease(text, tuple(tables[text])) for text in self.tags_in(by, tables)]

    def size_of(self, ident: str, given: object) -> CountSize | SealedCount | None:
        """Return how precise knowledge of a count is accepted; None if a value does not say so.

        Earlier versions wrote the least and the greatest count.
        """
        kind = given.get("kind") if isinstance(given, dict) else None
        if not isinstance(given, dict) or kind not in WORSE:
            return None
        values, sealed, lower, upper = (given.get(key) for key in ("values", "seal", "lower", "upper"))
        if set(given) == {"kind", "values", "seal"} and type(values) is int and type(sealed) is str:
            return SealedCount(ident, kind, values, sealed)
        is_interval = set(given) == {"kind", "lower", "upper"} and type(lower) is type(upper) is int
        return CountSize(kind, int(str(lower)), int(str(upper))) if is_interval else None
