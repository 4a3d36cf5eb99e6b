"""Read count tables: the published values of all releases as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.acro_sessions import SESSION, session_tables
from audit.count_tables.label_sets import Dimension, build_dimension
from audit.count_tables.manifest import (
    NAME,
    TableFile,
    TableManifest,
    TableRelease,
    column_names,
    read_count_table,
    refuse_lone_row,
)
from audit.count_tables.published_counts import PublishedCounts, related
from audit.count_tables.published_texts import decimal_of, is_total_word, likely_base
from audit.count_tables.published_values import COUNTS, ValueReader, Values
from audit.count_tables.table_rules import STATISTIC, Rates, part_atoms, roots
from audit.count_tables.table_shapes import (
    FileRows,
    breakdown_labels,
    composed,
    nested_dimension,
    nested_labels,
    plain_numbers,
    read_categories,
    split_rates,
)
from audit.io.notations import skeleton
from audit.io.table_forms import below_table
from audit.io.tables import Table, note_absent
from audit.io.toml import refuse_keys, toml_key, toml_text
from audit.model.arrays import UNBOUNDED, Codes
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, say

_SIGNS = (
    ("\u00a0\u202f\u2007", " ", Phrase('"{label}" differs from {like} by a no-break space alone')),
    ("\u2019\u2018\u02bc\u00b4`", "'", Phrase('"{label}" differs from {like} by its apostrophe alone')),
)
"""Signs that are written for a plain one, and what to say where two labels differ in them."""


def read_counts(manifest: TableManifest) -> PublishedCounts:
    """Read all releases of a series.

    Raises:
        InputError: files are faulty; the error lists all problems.
    """
    problems = Problems()
    categories = read_categories(manifest, problems)
    parts = [
        part
        for place, release in enumerate(manifest.releases)
        for file in release.tables
        for part in _read_file(manifest, place, file, problems)
    ]
    _refuse_lone_rows(manifest, parts, categories, problems)
    _refuse_total_releases(manifest)
    problems.check()
    manifest = _with_bases(manifest, parts)
    counts = _Assembler(manifest, parts, categories, problems).assembled()
    problems.check()
    return counts


def _with_bases(manifest: TableManifest, parts: Sequence[FileRows]) -> TableManifest:
    """Return the manifest with the bases to which denominators seem to be rounded, if it says nothing of that."""
    rates = list[Rates]()
    for each in manifest.rates:
        seems = 1
        if each.has_column and not (each.base or each.of_published):
            tables = [part.table for part in parts if each.denominator in part.table]
            texts = {text for table in tables for text in table.distinct(each.denominator)}
            seems = likely_base([*filter(None, map(decimal_of, texts))])
        rates.append(replace(each, seems=seems))
    return replace(manifest, rates=tuple(rates))


def _refuse_lone_rows(
    manifest: TableManifest, parts: Sequence[FileRows], categories: dict[str, dict[str, list[str]]], problems: Problems
) -> None:
    """Note files whose last row may be a note: its label is not the total, in no categories, and in no other file.

    The last rows of other files that may be notes do not count: a note may stand below each table.
    """
    known = {*manifest.totals.values(), *(label for some in categories.values() for label in some)}
    read = {part.file.path for part in parts}
    listed = (file for release in manifest.releases for file in release.tables if file.path in read)
    for file in (file for file in listed if below_table(file.path).lone):
        elsewhere = set[str]()
        for part in (part for part in parts if part.file.path != file.path):
            own = (below_table(part.file.path).lone or (0, ""))[1]
            for texts in part.labels.values():
                elsewhere.update(text for text in texts if text != own or texts.count(own) > 1)
        refuse_lone_row(file.path, file.shown, known | elsewhere, problems)


def _refuse_total_releases(manifest: TableManifest) -> None:
    """Refuse a release that the column of releases names like a total: it would count people after all others.

    Raises:
        InputError: there is such a release.
    """
    by, totals = manifest.releases_by, [*filter(is_total_word, manifest.tags)]
    if by is None or not totals or len(manifest.tags) < 2:
        return
    what = say('"{label}" of {dimension} sounds like the total of the other releases', label=totals[0], dimension=by)
    remedy = say(
        "if it is, delete releases_by, and write {dimension} into dimensions, {total} and {same}; else give it another "
        "name",
        dimension=by,
        total=f"totals.{toml_key(by)} = {toml_text(totals[0])}",
        same='over_time = "same"',
    )
    refuse_keys(manifest.folder, NAME, [("releases_by", what, remedy)])


def _read_file(manifest: TableManifest, release: int, file: TableFile, problems: Problems) -> Iterator[FileRows]:
    """Yield the rows of a file, or of each table of a session."""
    if file.path.name == SESSION:
        for part, each in session_tables(manifest, file, problems):
            yield from _rows_of(manifest, release, part, each)
        return
    table = _read_columns(manifest, manifest.releases[release], file, problems)
    if table is not None:
        numbers = [view.column for view in manifest.views]
        numbers += [name for each in manifest.rates for name in (each.column, each.denominator)]
        table = plain_numbers(manifest, split_rates(manifest, table), dict.fromkeys(numbers))
        yield from _rows_of(manifest, release, file, table)


def _rows_of(manifest: TableManifest, release: int, file: TableFile, table: Table) -> Iterator[FileRows]:
    """Yield the rows of a table, once for each of its columns of counts; those of exact statistics by themselves."""
    texts = [] if manifest.measure is None else table.texts(manifest.measure)
    is_of_exact = np.array([text in manifest.exact for text in texts], dtype=np.bool_)
    if is_of_exact.any() and not is_of_exact.all():
        for dropped in (is_of_exact, ~is_of_exact):
            yield from _rows_of(manifest, release, file, table.without(dropped))
        return
    tag = manifest.tags[release]
    nested = {
        name: nested_labels(table, columns, manifest.totals[name], manifest.totals)
        for name, columns in manifest.nested.items()
    }
    labels = {d: table.texts(d) for d in manifest.dimensions if d not in manifest.nested and d in table}
    labels |= breakdown_labels(manifest, table)
    measure = None if manifest.measure is None else table.texts(manifest.measure)
    if measure is not None and STATISTIC in manifest.dimensions and manifest.part_of:
        whole = roots(manifest.measures, manifest.part_of)
        labels[STATISTIC] = [text if whole.get(text, text) != text else "" for text in measure]
    given = [view for view in manifest.views if view.column in table] if manifest.wide is not None else []
    for view in given or manifest.views:
        own = {name: [text] * table.rows for name, text in view.labels.items()}
        is_exact = manifest.is_exact or not manifest.exact.isdisjoint((tag, file.shown, view.column, *texts))
        yield FileRows(release, file, table, labels | own, measure, view, nested, is_exact)


def _read_columns(manifest: TableManifest, release: TableRelease, file: TableFile, problems: Problems) -> Table | None:
    """Return the columns of a file that the manifest names, and the rows that belong to the release."""
    names = column_names(file.path, file.shown, problems, manifest.columns)
    if names is None:
        return None
    beside = manifest.beside | manifest.denominators
    counts = [view.column for view in manifest.views]
    if manifest.wide is not None:  # a table has its own labels, such as the quarters of its year
        counts = [column for column in counts if column in names] or counts
    rates = beside | (manifest.not_counts if len(release.tables) > 1 else frozenset())
    shares_only = {*counts}.isdisjoint(names) and not rates.isdisjoint(names)  # of counts in other tables
    needed = (manifest.measure, manifest.breakdown, None if shares_only else manifest.status)
    wanted = ([] if shares_only else counts) + [c for c in needed if c is not None]
    wanted += [c for columns in manifest.nested.values() for c in columns] + list(manifest.levels)
    given = {name for view in manifest.views for name in view.labels}
    for name in sorted(given.intersection(names)):
        what = say("this column has the name of the dimension whose labels are columns of counts")
        problems.add(file.shown, what, say("give this dimension, or the column, another name"), column=name)
    others = [d for d in manifest.dimensions if d not in manifest.nested and d not in given]
    wanted += [d for d in others if d in names or (d not in manifest.totals and manifest.breakdown is None)]
    if any(column not in names for column in wanted):
        otherwise = say("name its rates of counts in other tables under rates") if {*counts}.isdisjoint(names) else None
        note_absent(file.path, file.shown, names, wanted, problems, otherwise=otherwise)
        return None
    only = [] if file.only is None else [file.only[0]]
    columns = [*wanted, *only, *(c for c in sorted(beside) if c in names)]
    table = read_count_table(file.path, file.shown, columns, problems, manifest.once)
    if table is None or file.only is None:
        return table
    return table.without(np.array([text != file.only[1] for text in table.texts(file.only[0])]))


class _Assembler:
    """Joins the rows of all files, and notes what is wrong with them."""

    def __init__(
        self,
        manifest: TableManifest,
        parts: Sequence[FileRows],
        categories: dict[str, dict[str, list[str]]],
        problems: Problems,
    ) -> None:
        self.manifest, self.parts, self.problems = manifest, parts, problems
        self.nested = {
            name: nested_dimension([part.nested[name] for part in parts], with_rest=name in manifest.with_rest)
            for name in manifest.nested
        }
        self.categories = categories | {name: dict(each.atoms) for name, each in self.nested.items()}
        if STATISTIC in manifest.dimensions and manifest.part_of:
            self.categories[STATISTIC] = part_atoms(manifest.values or manifest.measures, manifest.part_of)
        self.values = ValueReader(manifest, problems)

    def assembled(self) -> PublishedCounts:
        dimensions, codes = self._dimensions()
        measures, measure = self._measures()
        values = self._values(codes, measure)
        rows = [part.table.rows for part in self.parts]
        kept = np.concatenate([np.zeros(0, dtype=np.int64), *measure]) >= 0

        def joined(columns: Iterable[npt.NDArray[np.generic]], kind: type) -> npt.NDArray[Any]:
            return np.concatenate([np.zeros(0, dtype=kind), *columns]).astype(kind)[kept]

        text = joined((each.text for each in values), object)
        hidden = np.array([self.manifest.hides(each) for each in text], dtype=np.bool_)
        most = {marker: ends[1] for marker, ends in self.manifest.markers.items()}
        counts = PublishedCounts(
            manifest=self.manifest,
            dimensions=dimensions,
            measures=measures,
            release=joined((np.full(part.table.rows, part.release) for part in self.parts), np.int32),
            measure=joined(measure, np.int32),
            label=np.stack([joined(column, np.int32) for column in codes], axis=1),
            lower=joined((each.lower for each in values), np.int64),
            upper=joined((each.upper for each in values), np.int64),
            denominators=joined((each.denominators for each in values), np.int64),
            hidden=hidden,
            said_most=np.array([most.get(each, UNBOUNDED) for each in text], dtype=np.int64),
            number=(text != "").astype(np.bool_) & ~hidden,
            text=text,
            file=joined((np.full(n, place) for place, n in enumerate(rows)), np.int32),
            row=joined(map(np.arange, rows), np.int32),
            parts=tuple(self.parts),
            earlier=np.full(int(kept.sum()), -1),
        )
        if self.problems.found:
            return counts
        texts = {name: joined((each.beside[name] for each in values), object) for name in self.values.beside}
        return related(counts, texts, self.problems)

    def _values(self, codes: Sequence[Sequence[Codes]], measure: Sequence[Codes]) -> list[Values]:
        """Return the values of each part; rates in a table without counts are of those of the same cells elsewhere."""
        read = [self.values.read(part) if part.has_counts else None for part in self.parts]
        cells = [
            [
                *zip(
                    [part.release] * part.table.rows,
                    *(column[at].tolist() for column in (measure, *codes)),
                    strict=True,
                )
            ]
            for at, part in enumerate(self.parts if None in read else ())
        ]
        elsewhere: dict[str, dict[tuple[int, ...], str]] = {}
        for part, values, own in zip(self.parts, read, cells, strict=bool(cells)):
            columns = {name: part.table.texts(name) for name in self.manifest.denominators & {*part.table.names}}
            columns |= {} if values is None else {COUNTS: self.values.plain(part, values.text.tolist())}
            for name, texts in columns.items():
                known = {cell: text for cell, text in zip(own, texts, strict=True) if self.values.is_known(text)}
                elsewhere[name] = known | elsewhere.get(name, {})
        return [
            values
            or self.values.beyond(
                part, {name: [known.get(cell, "") for cell in own] for name, known in elsewhere.items()}
            )
            for part, values, own in zip(self.parts, read, cells or [[]] * len(read), strict=True)
        ]

    def _dimensions(self) -> tuple[tuple[Dimension, ...], list[list[Codes]]]:
        dimensions, columns = [], []
        for name in self.manifest.dimensions:
            total, known = self.manifest.totals.get(name), self.categories.get(name)
            local = [self._local_labels(part, name, total, known) for part in self.parts]
            self._note_other_capitals(name, total, local)
            published = filter(None, dict.fromkeys(text for texts in local for text in texts))
            dimension = build_dimension(name, published, total, known, is_open=name in self.manifest.open)
            number = {label: code for code, label in enumerate(dimension.labels)}
            columns.append([np.array([number.get(text, 0) for text in texts], dtype=np.int32) for texts in local])
            dimensions.append(dimension)
        return tuple(dimensions), columns

    def _local_labels(
        self, part: FileRows, name: str, total: str | None, known: Mapping[str, list[str]] | None
    ) -> list[str]:
        """Return a file's labels of a dimension; unknown labels are noted and become empty."""
        texts = part.labels.get(name)
        if name in self.nested:
            texts = [self.nested[name].names[path] for path in part.nested[name]]
        if texts is None:
            return [str(total)] * part.table.rows
        texts = [composed(text) or total or "" for text in texts]
        fine = {text for text in dict.fromkeys(texts) if text and (known is None or text == total or text in known)}
        unknown = next((text for text in texts if text not in fine), None)
        if unknown is not None:
            part.note(name, texts, {*texts} - fine, *_unknown(unknown, known), self.problems)
        return [text if text in fine else "" for text in texts]

    def _note_other_capitals(self, name: str, total: str | None, local: Sequence[Sequence[str]]) -> None:
        """Refuse labels that differ only in spelling from the total, or from each other.

        If they were taken as different labels, sums and relations between tables would be missed. A table that has two
        spellings beside the same labels of the other dimensions, neither of them the total's, means two labels.
        """
        spelled: dict[str, dict[str, int]] = {}
        meant = set[str]()
        for at, texts in enumerate(local):
            here: dict[str, str] = {}
            for text in filter(None, dict.fromkeys(texts)):
                folded = skeleton(text)
                spelled.setdefault(folded, {}).setdefault(text, at)
                both = {here.setdefault(folded, text), text}
                if len(both) > 1 and self._stand_together(at, name, texts, both):
                    meant.add(folded)
        for folded, spellings in spelled.items():
            (first, before), *others = spellings.items()
            like = say('"{label}" in {file}', label=first, file=self.parts[before].file.shown)
            if total is not None and folded == skeleton(total):
                like = say('the total "{total}"', total=total)
                others = [each for each in spellings.items() if each[0] != total]
            elif folded in meant:
                continue
            for spelling, at in others[:1]:
                what = _differs(spelling, like, total if total is not None and folded == skeleton(total) else first)
                self.parts[at].note(name, local[at], [spelling], what, say("write both alike"), self.problems)

    def _stand_together(self, at: int, name: str, texts: Sequence[str], spellings: set[str]) -> bool:
        """Return whether a table has labels of a dimension, `texts`, in two spellings beside the same other labels."""
        beside = [own for other, own in self.parts[at].labels.items() if other != name]
        rows = {(text, *others) for text, *others in zip(texts, *beside, strict=True) if text in spellings}
        return len({row[1:] for row in rows}) < len(rows)

    def _measures(self) -> tuple[tuple[str | None, ...], list[Codes]]:
        """Return the statistics that are counts, and the statistic of each row, -1 for other statistics."""
        if self.manifest.measure is None:
            views = dict.fromkeys(part.view.measure for part in self.parts)
            number = {name: place for place, name in enumerate(views)}
            rows = [np.full(part.table.rows, number[part.view.measure], dtype=np.int32) for part in self.parts]
            return tuple(number) or (None,), rows
        counted = self.manifest.measures
        whole = roots(counted, self.manifest.part_of)
        names: dict[str, int] = {name: place for place, name in enumerate(dict.fromkeys(whole.values()))}
        rates = {each.column: each.counts for each in self.manifest.rates if each.is_statistic}
        columns = []
        for part in self.parts:
            texts = part.measure or []
            for text in dict.fromkeys(texts) if not counted else ():
                if text not in rates:
                    names.setdefault(text, len(names))
            of = {text: base or next(iter(names), "") for text, base in rates.items()}
            of |= {text: root for text, root in whole.items() if root != text}
            columns.append(np.array([names.get(of.get(text, text), -1) for text in texts], dtype=np.int32))
        return tuple(names), columns


def _unknown(label: str, known: Mapping[str, list[str]] | None) -> tuple[str, str]:
    """Return what is wrong with a label that is empty, or that the categories lack, and what to do."""
    if known is None:
        return say("the cell is empty, and the dimension has no total"), say("name its total in [table] totals")
    bare = skeleton(label)
    for other in known if label else ():
        if skeleton(other) == bare:
            like = say('"{label}" in the categories', label=other)
            return _differs(label, like, other), say("write both alike")
    what = say('the label "{label}" is in no line of the categories', label=label)
    return what, say("add a line for each atom that it covers")


def _differs(label: str, like: str, other: str) -> str:
    """Return that a label differs from another one, which `like` names, in spelling alone, and in which sign."""
    for signs, plain, differs in _SIGNS:
        one, another = (text.translate(dict.fromkeys(map(ord, signs), plain)) for text in (label, other))
        if one == another:
            return differs.filled(label=label, like=like)
    return say('"{spelling}" differs from {like} by its spelling alone', spelling=label, like=like)
