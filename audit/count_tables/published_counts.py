"""What a series of count tables published: all rows of all releases as integer columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.categories import Dimension, build_dimension, composed, read_categories
from audit.count_tables.intervals import Interpreter
from audit.count_tables.manifest import NAME, TableFile, TableManifest
from audit.count_tables.number_texts import decimal_of, is_too_large, points_part_thousands
from audit.count_tables.table_shapes import (
    SESSION,
    NestedLabels,
    breakdown_labels,
    nested_dimension,
    nested_labels,
    session_tables,
)
from audit.io.tables import Coded, Table, header, note_absent, read_table
from audit.model.count_tables import UNBOUNDED, Counts, Flags
from audit.model.errors import Problems

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PublishedCounts:
    """All rows, in the order of releases, files and lines.

    Attributes:
        manifest: the rules.
        dimensions: each with its labels.
        measures: names of the statistics; one, None, where there is no such column.
        release, measure: shape (rows,), int32.
        label: shape (rows, dimensions), int32; labels of the dimensions.
        lower, upper: shape (rows,), int64; the counts that each row can stand for.
        hidden: shape (rows,); whether the row shows a marker that leaves several counts.
        number: shape (rows,); whether it shows a number, or a marker that stands for one.
        text: shape (rows,), int32; what is shown, as a place in `texts`.
        file, row: shape (rows,), int32; where it stands: a place in `files`, and the row there.
        files: the tables.
        nested: dimensions of nested labels, and each file's paths of labels.
        tables: the same as they were read, which know on which line a row stands.
        rows_of: how many rows each table has.
    """

    manifest: TableManifest
    dimensions: tuple[Dimension, ...]
    measures: tuple[str | None, ...]
    release: Codes
    measure: Codes
    label: Codes
    lower: Counts
    upper: Counts
    hidden: Flags
    number: Flags
    text: Codes
    texts: tuple[str, ...]
    file: Codes
    row: Codes
    files: tuple[TableFile, ...]
    tables: tuple[Table, ...]
    rows_of: tuple[int, ...]
    nested: Mapping[str, tuple[NestedLabels, ...]] = field(default_factory=dict)

    @property
    def shown(self) -> Flags:
        """Return which rows show something; an empty cell counts as not published. Shape (rows,)."""
        return self.hidden | self.number

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and the line of a row."""
        file = int(self.file[row])
        return self.files[file].shown, self.tables[file].line(int(self.row[row]))


@dataclass
class _FileRows:
    """One file's rows, labels not yet shared with the others."""

    release: int
    file: TableFile
    table: Table
    labels: dict[str, Coded]
    measure: Coded | None
    nested: dict[str, NestedLabels] = field(default_factory=dict)


def read_counts(manifest: TableManifest) -> PublishedCounts:
    """Read all releases.

    Raises:
        InputError: something is wrong with some files; all of it is told.
    """
    problems = Problems()
    categories = read_categories(manifest, problems)
    parts = [
        part
        for place, release in enumerate(manifest.releases)
        for file in release.tables
        for part in _read_file(manifest, place, file, problems)
    ]
    problems.check()
    counts = _Assembler(manifest, parts, categories, problems).assembled()
    problems.check()
    return counts


def _read_file(manifest: TableManifest, release: int, file: TableFile, problems: Problems) -> Iterator[_FileRows]:
    """Yield the rows of a file, or of each table of a session."""
    if file.path.name == SESSION:
        for part, each in session_tables(manifest, file, problems):
            yield _FileRows(release, part, each, {d: each.coded(d) for d in manifest.dimensions if d in each}, None)
        return
    names = header(file.path, file.shown, problems)
    if names is None:
        return
    rates = [] if manifest.rates is None else [manifest.rates.column, manifest.rates.denominator]
    wanted = [c for c in (manifest.value, manifest.measure, manifest.status, manifest.breakdown) if c is not None]
    wanted += [c for columns in manifest.nested.values() for c in columns] + list(manifest.levels)
    others = [d for d in manifest.dimensions if d not in manifest.nested]
    wanted += [d for d in others if d in names or (d not in manifest.totals and manifest.breakdown is None)]
    if any(column not in names for column in wanted):
        note_absent(file.path, file.shown, list(names), wanted, problems)
        return
    only = [] if file.only is None else [file.only[0]]
    table = read_table(file.path, file.shown, [*wanted, *only, *(c for c in rates if c in names)], problems)
    if table is None:
        return
    if file.only is not None:
        releases = table.coded(file.only[0])
        table = table.without(releases.codes != [releases.name(c) for c in range(releases.size)].index(file.only[1]))
    nested = {name: nested_labels(table, columns) for name, columns in manifest.nested.items()}
    labels = {d: table.coded(d) for d in others if d in table} | breakdown_labels(manifest, table)
    measure = None if manifest.measure is None else table.coded(manifest.measure)
    yield _FileRows(release, file, table, labels, measure, nested)


class _Assembler:
    """Puts the rows of all files together, noting what is wrong with them."""

    def __init__(
        self,
        manifest: TableManifest,
        parts: Sequence[_FileRows],
        categories: dict[str, dict[str, list[str]]],
        problems: Problems,
    ) -> None:
        self.manifest, self.parts, self.problems = manifest, parts, problems
        self.nested = {
            name: nested_dimension([part.nested[name] for part in parts], loose=name in manifest.loose)
            for name in manifest.nested
        }
        self.categories = categories | {name: dict(each.atoms) for name, each in self.nested.items()}
        self.interpreter = Interpreter(manifest)
        self.texts: dict[str, int] = {}

    def assembled(self) -> PublishedCounts:
        dimensions, codes = self._dimensions()
        measures, measure = self._measures()
        values = [self._values(part) for part in self.parts]
        rows = [part.table.rows for part in self.parts]
        kept = np.concatenate([np.zeros(0, dtype=np.int64), *measure]) >= 0

        def joined(columns: Sequence[npt.NDArray[np.generic]], kind: type) -> npt.NDArray[Any]:
            return np.concatenate([np.zeros(0, dtype=kind), *columns]).astype(kind)[kept]

        return PublishedCounts(
            manifest=self.manifest,
            dimensions=dimensions,
            measures=measures,
            release=joined([np.full(n, part.release) for n, part in zip(rows, self.parts, strict=True)], np.int32),
            measure=joined(measure, np.int32),
            label=np.stack([joined(column, np.int32) for column in codes], axis=1),
            lower=joined([each[1] for each in values], np.int64),
            upper=joined([each[2] for each in values], np.int64),
            hidden=joined([each[3] for each in values], np.bool_),
            number=joined([each[4] for each in values], np.bool_),
            text=joined([each[0] for each in values], np.int32),
            texts=tuple(self.texts),
            file=joined([np.full(n, place) for place, n in enumerate(rows)], np.int32),
            row=joined([np.arange(n) for n in rows], np.int32),
            files=tuple(part.file for part in self.parts),
            tables=tuple(part.table for part in self.parts),
            rows_of=tuple(rows),
            nested={name: tuple(part.nested[name] for part in self.parts) for name in self.nested},
        )

    def _dimensions(self) -> tuple[tuple[Dimension, ...], list[list[Codes]]]:
        dimensions, columns = [], []
        for place, name in enumerate(self.manifest.dimensions):
            total = self.manifest.totals.get(name)
            texts: dict[str, int] = {}
            local = [self._local_labels(part, place, total, texts) for part in self.parts]
            self._note_other_capitals_elsewhere(name, list(texts), local)
            known = self.categories.get(name)
            dimension = build_dimension(name, texts, total, known, is_open=name in self.manifest.open)
            number = {label: code for code, label in enumerate(dimension.labels)}
            lookup = np.array([number[text] for text in texts] or [0], dtype=np.int32)
            columns.append([lookup[codes] for codes in local])
            dimensions.append(dimension)
        return tuple(dimensions), columns

    def _local_labels(self, part: _FileRows, place: int, total: str | None, texts: dict[str, int]) -> Codes:
        """Return a file's labels of a dimension as places in `texts`, noting labels that are not known."""
        name = self.manifest.dimensions[place]
        coded = part.labels.get(name)
        if name in self.nested:
            coded = part.nested[name].coded(self.nested[name].names)
        if coded is None:
            return np.full(part.table.rows, texts.setdefault(str(total), len(texts)), dtype=np.int32)
        known = self.categories.get(name)
        wrong, lookup = [], []
        used = np.zeros(coded.size, dtype=np.bool_)
        used[coded.codes] = True
        for code in range(coded.size):
            text = composed(coded.name(code)) if used[code] else (total or "")
            text = text or total or ""
            unknown = known is not None and text != total and text not in known
            if used[code] and (not text or unknown):
                wrong.append(code)
                lookup.append(0)
            else:
                lookup.append(texts.setdefault(text, len(texts)) if used[code] else 0)
        self._note_other_capitals(part, coded, used, name)
        if wrong:
            what, remedy = (
                ("the label is in no line of the categories", "add a line for each atom that it covers")
                if known is not None
                else ("the cell is empty, and the dimension has no total", "name its total in [table] totals")
            )
            part.table.note_first(np.isin(coded.codes, wrong), name, what, remedy, self.problems)
        return np.array(lookup or [0], dtype=np.int32)[coded.codes]

    def _note_other_capitals(self, part: _FileRows, coded: Coded, used: Flags, name: str) -> None:
        """Refuse a label that only capitals keep from being the total: taken for a part, its sums would be missed."""
        total = self.manifest.totals.get(name)
        labels = [composed(coded.name(code)) if used[code] else "" for code in range(coded.size)]
        alike = (
            []
            if total is None
            else [c for c, t in enumerate(labels) if t != total and t.casefold() == total.casefold()]
        )
        if alike:
            what = f'"{labels[alike[0]]}" differs from the total "{total}" by capitals alone'
            part.table.note_first(np.isin(coded.codes, alike), name, what, "write both alike", self.problems)

    def _note_other_capitals_elsewhere(self, name: str, texts: Sequence[str], local: Sequence[Codes]) -> None:
        """Refuse labels that are one in other capitals in another table: what ties the two would be missed.

        A table that has both spellings means two labels.
        """
        spelled: dict[str, dict[int, int]] = {}
        meant = set[str]()
        for at, codes in enumerate(local):
            here: dict[str, int] = {}
            for code in np.unique(codes).tolist():
                folded = texts[code].casefold()
                spelled.setdefault(folded, {}).setdefault(code, at)
                if here.setdefault(folded, code) != code:
                    meant.add(folded)
        for folded, spellings in spelled.items():
            if len(spellings) > 1 and folded not in meant:
                (first, before), (code, at) = list(spellings.items())[:2]
                where = self.parts[before].file.shown
                what = f'"{texts[code]}" differs from "{texts[first]}" in {where} by capitals alone'
                self.parts[at].table.note_first(local[at] == code, name, what, "write both alike", self.problems)

    def _measures(self) -> tuple[tuple[str | None, ...], list[Codes]]:
        """Return the statistics that are counts, and each row's, -1 for those that are none."""
        if self.manifest.measure is None:
            return (None,), [np.zeros(part.table.rows, dtype=np.int32) for part in self.parts]
        names: dict[str, int] = {name: place for place, name in enumerate(self.manifest.measures)}
        columns = []
        for part in self.parts:
            coded = part.measure
            if coded is None:
                continue
            texts = [coded.name(code) for code in range(coded.size)]
            if not self.manifest.measures:
                for text in texts:
                    names.setdefault(text, len(names))
            lookup = np.array([names.get(text, -1) for text in texts] or [0], dtype=np.int32)
            columns.append(lookup[coded.codes])
        return tuple(names), columns

    def _values(self, part: _FileRows) -> tuple[Codes, Counts, Counts, Flags, Flags]:
        """Return a file's texts, intervals, and which rows are hidden and which are numbers."""
        coded = part.table.coded(self.manifest.value)
        texts = [coded.name(code) for code in range(coded.size)]
        texts = ["" if text in self.manifest.not_published else text for text in texts]
        codes = coded.codes
        if self.manifest.status is not None:
            codes, texts = self._with_status(part, codes, texts)
        codes, texts = self._counted_only(part, codes, texts)
        interpreter = self.interpreter
        interpreter.point = points_part_thousands(texts)
        for what in dict.fromkeys(fault for text in texts if (fault := interpreter.fault(text))):
            wrong = np.array([interpreter.fault(text) == what for text in texts])[codes]
            first = texts[codes[int(np.flatnonzero(wrong)[0])]] if wrong.any() else ""
            remedy = "write a whole number, or name the marker in [table] markers"
            part.table.note_first(wrong, self.manifest.value, f'"{first}": {what}', remedy, self.problems)
        ends = np.array([interpreter.interval(text) for text in texts] or [(0, 0)], dtype=np.int64)
        lower, upper = ends[codes, 0], ends[codes, 1]
        self._apply_rates(part, codes, texts, lower, upper)
        hidden = np.array([interpreter.is_hidden(text) for text in texts] or [False])
        number = np.array([interpreter.is_number(text) for text in texts] or [False])
        shared = np.array([self.texts.setdefault(text, len(self.texts)) for text in texts] or [0], dtype=np.int32)
        return shared[codes], lower, upper, hidden[codes], number[codes]

    def _with_status(self, part: _FileRows, codes: Codes, texts: list[str]) -> tuple[Codes, list[str]]:
        """Return the values, the status where that is a marker and the value is none itself."""
        status = part.table.coded(str(self.manifest.status))
        marked = [status.name(code) for code in range(status.size)]
        place = {text: code for code, text in enumerate(texts)}
        added = [*texts]
        lookup = np.full(len(marked), -1, dtype=np.int32)
        for code, text in enumerate(marked):
            if text in self.manifest.markers:
                lookup[code] = place.setdefault(text, len(added))
                if lookup[code] == len(added):
                    added.append(text)
        numbers = np.array([text != "" and number_like(text) for text in texts] or [False])
        wanted = lookup[status.codes]
        return np.where((wanted >= 0) & ~numbers[codes], wanted, codes).astype(np.int32), added

    def _counted_only(self, part: _FileRows, codes: Codes, texts: list[str]) -> tuple[Codes, list[str]]:
        """Return the values, those of measures that are no counts taken as empty."""
        if not self.manifest.measures or part.measure is None:
            return codes, texts
        counts = np.array([part.measure.name(code) in self.manifest.measures for code in range(part.measure.size)])
        return np.where(counts[part.measure.codes], codes, len(texts)).astype(np.int32), [*texts, ""]

    def _apply_rates(self, part: _FileRows, codes: Codes, texts: list[str], lower: Counts, upper: Counts) -> None:
        rates = self.manifest.rates
        if rates is None or rates.column not in part.table or rates.denominator not in part.table:
            return
        rate, denominator = part.table.coded(rates.column), part.table.coded(rates.denominator)
        for name, coded in ((rates.column, rate), (rates.denominator, denominator)):
            unknown = [code for code in range(coded.size) if not self._is_rate(coded.name(code))]
            what = "this is neither a number nor a marker"
            remedy = "write a number, or name the text in [table] markers or not_published"
            part.table.note_first(np.isin(coded.codes, unknown), name, what, remedy, self.problems)
            large = [code for code in range(coded.size) if is_too_large(coded.name(code))]
            what, remedy = f"this is {UNBOUNDED // 10:,} or more, larger than any count", "correct the number"
            part.table.note_first(np.isin(coded.codes, large), name, what, remedy, self.problems)
        if self.problems.found:
            return
        rows = np.stack([codes, rate.codes, denominator.codes], axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        ends = [
            self.interpreter.interval(texts[value], self._number(rate.name(one)), self._number(denominator.name(other)))
            for value, one, other in distinct.tolist()
        ]
        if ends:
            bounded = [(min(low, UNBOUNDED), min(high, UNBOUNDED)) for low, high in ends]
            lower[:], upper[:] = np.array(bounded, dtype=np.int64)[where.ravel()].T

    def _number(self, text: str) -> str:
        """Return a rate, empty where it is a marker."""
        return "" if text in self.manifest.markers or text in self.manifest.not_published else text

    def _is_rate(self, text: str) -> bool:
        """Tell whether a text may stand as a rate or its denominator."""
        known = not text or text in self.manifest.markers or text in self.manifest.not_published
        return known or decimal_of(text) is not None


def number_like(text: str) -> bool:
    """Tell whether a text is a number, whole or not."""
    return decimal_of(text) is not None


def check_audited(counts: PublishedCounts) -> None:
    """Refuse a series that publishes nothing, or counts of more than can be added up.

    Raises:
        InputError: it is one.
    """
    problems = Problems()
    if not counts.shown.any():
        problems.add(NAME, "no release has a number or a marker", "name the column with the counts as value")
    if counts.lower.sum() >= UNBOUNDED:
        problems.add(
            NAME, f"the counts add up to {UNBOUNDED:,} or more", "count in thousands, say, or audit fewer tables"
        )
    problems.check()
