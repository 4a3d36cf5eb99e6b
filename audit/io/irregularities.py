"""Irregularities of a series' files that no rule forbids and that may change what a verdict means.

They are looked for in series of moderate size, in a pass of its own; in larger ones in the sensitive values alone.
Identifiers and quasi-identifiers are quoted only where that is asked for; lines say where they stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.io.adjustments import Adjustments, adjusted_names, read_adjusted
from audit.io.cell_reading import infer_kind
from audit.io.cells import Kind
from audit.io.composed_columns import parts_of
from audit.io.dialect import UTF_8
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.manifest import ReleaseFiles
from audit.io.paths import is_remote, real_path
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rule import Columns, Hint
from audit.io.rules.spelling import INDIVIDUAL, Decimal, Fold, respelled, respelled_cells
from audit.io.series import Series
from audit.io.tables import Table, is_table, text_codes
from audit.model.errors import Problems, printable
from audit.model.report import MisreadWarning, ReportWarning
from audit.runtime.phrases import say, say_count

MOST_ROWS = 500_000
_SHOWN = 3
_FEW = 20  # one in so many distinct cells at most is astray


class SeriesTexts:
    """The distinct texts of the columns that have a meaning, over all releases, and where each stands first."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self.columns: Columns = series.manifest.columns
        self.ignored: dict[int, int] = {}
        self.encodings: dict[str, str] = {}
        self.texts: dict[str, dict[str, tuple[int, int]]] = {}
        self._tables: dict[int, Table] = {}
        if series.about_rows > MOST_ROWS:
            self.texts = {name: dict.fromkeys(each.names, (0, 0)) for name, each in series.vocabularies.items()}
            return
        columns = self.columns
        single = [name for name in (columns.individual, columns.record, columns.group) if name is not None]
        self.texts = {name: {} for name in (*columns.sensitive, *columns.quasi_identifiers, *single)}
        for position, files in enumerate(series.manifest.releases):
            self._read(position, files)

    def kind(self, column: str) -> Kind | None:
        """Return how a quasi-identifier's cells are read; None of any other column."""
        return self.series.attributes[column].kind if column in self.columns.quasi_identifiers else None

    def _read(self, position: int, files: ReleaseFiles) -> None:
        adjustments = self.series.adjustments(files.tag)
        # As the file spells them, but for values that are declared to be others.
        bare = replace(adjustments, rules=adjustments.rules.without(Decimal, Fold), unpublished=frozenset())
        for path, shown in files.halves:
            table = readable(path, shown, self.texts, bare)
            if table is None:
                continue
            if table.kept is not None and bare.by is None:  # not the rows of other releases
                self.ignored[position] = table.in_file - table.rows
            if table.dialect is not None and table.dialect.encoding != UTF_8 and not adjustments.declared.encoding:
                self.encodings[shown] = table.dialect.encoding
            self._tables.setdefault(position, table)
            for name in self.texts:
                if name in table:
                    self._add(position, table, name)

    def _add(self, position: int, table: Table, name: str) -> None:
        codes, texts = text_codes(table.arrow(name))
        row = np.full(len(texts), -1, dtype=np.int64)
        row[codes[::-1]] = np.arange(len(codes))[::-1]
        first = self.texts[name]
        for text, place in zip(texts, row.tolist(), strict=True):
            if text and place >= 0:
                first.setdefault(text, (position, place))

    def place(self, name: str, text: str) -> str:
        """Return the file and the line where a text stands first; nothing of series that are too large for it."""
        if not self._tables:
            return ""
        position, row = self.texts[name][text]
        files = self.series.manifest.releases[position]
        table = self._tables[position]
        if name not in table and files.values is not None:
            headings = self.series.manifest.headings(files.tag)
            other = readable(files.values, files.values_shown, [name], headings)
            table = table if other is None else other
        return f"{table.shown}:{table.line(row)}"

    def example(self, name: str, texts: Iterable[str], *, quoted: bool) -> str:
        """Return where texts stand first, with the texts where they may be quoted."""
        shown = []
        for text in texts:
            place, said = self.place(name, text), f'"{printable(text)}"'
            shown.append(place if not quoted else f"{said} ({place})" if place else said)
        return ", ".join(shown)


def readable(path: Path, shown: str, names: Iterable[str], adjustments: Adjustments) -> Table | None:
    """Read those of some columns that a table has."""
    problems = Problems()
    own = adjusted_names(path, shown, adjustments, problems)
    if own is None:
        return None
    there = [name for name in names if name in own or parts_of(name, own)]
    return read_adjusted(path, shown, there, adjustments, problems)


def irregularities(series: Series, *, reveal: bool) -> tuple[ReportWarning, ...]:
    """Return what is irregular about the files of a series, which has been read."""
    found = [
        *(warning for rule in series.columns.rules for warning in rule.warnings(series)),
        *_unpublished(series),
        *_dropped(series),
        *_respelled_people(series),
    ]
    if series.about_rows <= MOST_ROWS:
        found += _unread_sheets(series)
    texts = SeriesTexts(series)
    hints = [
        *(
            each
            for rule in series.columns.rules
            for hint in rule.hints(texts)
            for each in _of(texts, hint, reveal=reveal)
        ),
        *_strays(texts, reveal=reveal),
        *_ignored(texts),
    ]
    found += _encodings(texts)
    return (*found, *sorted(hints, key=lambda each: each.kind))


def _of(texts: SeriesTexts, hint: Hint, *, reveal: bool) -> Iterator[ReportWarning]:
    if hint.warning is not None:
        quoted = not hint.names_texts and (reveal or hint.column in texts.columns.sensitive)
        examples = [texts.example(hint.column, group, quoted=quoted) for group in hint.texts[:_SHOWN]]
        yield replace(hint.warning, examples=tuple(examples))


def _respelled_people(series: Series) -> Iterator[ReportWarning]:
    """Report people whose identifiers differ in spelling alone, where `SeriesTexts` does not look at them."""
    columns = series.columns
    if columns.rules[Fold].folds(INDIVIDUAL) or INDIVIDUAL in columns.rules[Spelled].columns:
        return
    if columns.individual is None or series.about_rows > MOST_ROWS:
        texts, numbers = series.people.alike()
        for position in range(len(series.tags) if len(numbers) else 0):
            there = series.read(position).person
            texts += [] if there is None else map(str, np.intersect1d(numbers, there).tolist())
        groups = respelled({*texts})
        if groups:
            yield MisreadWarning("spelling", respelled_cells(INDIVIDUAL, groups))


def _strays(texts: SeriesTexts, *, reveal: bool) -> Iterator[ReportWarning]:
    rules = texts.columns.rules
    declared = {*rules[ColumnTypes].kinds, *rules[Hierarchies].names}
    for name in texts.columns.quasi_identifiers:
        own: Collection[str] = texts.texts.get(name, ())
        stray = [] if name in declared else _astray(own, rules[Missing].texts)
        if stray and not rules[Decimal].commas(texts.columns, name, own):
            what = say(
                '"{column}" would be numeric except for {count} distinct cells, and is read as text; correct '
                "these cells, or, only where they mean that the value is not known, list them under missing",
                column=printable(name),
                count=len(stray),
            )
            examples = tuple(texts.example(name, [text], quoted=reveal) for text in stray[:_SHOWN])
            yield ReportWarning("stray-cells", what, examples)


def _astray(column: Collection[str], missing: frozenset[str]) -> list[str]:
    """Return the few texts but for which a column would be one of numbers; none where it is or is far from it."""
    texts = [text for text in column if text not in missing and text.strip("*")]
    stray = [text for text in texts if infer_kind([text], None) is not Kind.NUMERIC and not _is_mask(text)]
    return stray if 0 < len(stray) <= len(texts) / _FEW or len(stray) == 1 < len(texts) / 4 else []


def _is_mask(text: str) -> bool:
    return text.rstrip("*").isdigit()


def _ignored(texts: SeriesTexts) -> Iterator[ReportWarning]:
    if texts.ignored:
        files = texts.series.manifest.releases
        examples = tuple(f"{files[place].shown}: {count:,}" for place, count in texts.ignored.items())
        what = say_count(
            "{count} row is left out, as ignore_rows says",
            "{count} rows are left out, as ignore_rows says",
            sum(texts.ignored.values()),
        )
        yield ReportWarning("total-row", what, examples)


def _encodings(texts: SeriesTexts) -> Iterator[ReportWarning]:
    by_encoding: dict[str, list[str]] = defaultdict(list)
    for shown, encoding in texts.encodings.items():
        if encoding != "utf-16":
            by_encoding[encoding].append(shown)
    for encoding, files in by_encoding.items():
        what = say_count(
            "{count} file is not UTF-8, and is read as Western European text ({encoding}); if that is "
            'right, write encoding = "{encoding}" under [columns]',
            "{count} files are not UTF-8, and are read as Western European text ({encoding}); if that is "
            'right, write encoding = "{encoding}" under [columns]',
            len(files),
            encoding=encoding,
        )
        yield ReportWarning("encoding", what, tuple(files[:_SHOWN]))


def _unpublished(series: Series) -> Iterator[ReportWarning]:
    """Report the quasi-identifiers that some releases lack."""
    lacking = {
        shown: sorted(names)
        for shown, names in ((files.shown, series.unpublished[files.tag]) for files in series.manifest.releases)
        if names
    }
    if lacking:
        what = say_count(
            "{count} release lacks a quasi-identifier that others publish, which is read as * there; if the column has "
            "another name in it, write renamed under [columns]",
            "{count} releases lack a quasi-identifier that others publish, which is read as * there; if the column has "
            "another name in them, write renamed under [columns]",
            len(lacking),
        )
        examples = [f"{shown}: {', '.join(map(printable, names))}" for shown, names in lacking.items()]
        yield ReportWarning("unpublished-column", what, tuple(examples[:_SHOWN]))


def _unread_sheets(series: Series) -> Iterator[ReportWarning]:
    """Note sheets of workbooks that are not read."""
    files = [release for release in series.manifest.releases if is_foreign(release.rows)]
    unread = {each.shown: sheets for each in files if (sheets := read_foreign(each.rows).other_sheets)}
    if unread:
        what = say_count(
            "a workbook has sheets that are not read; if they were published, save each one as a separate file",
            "{count} workbooks have sheets that are not read; if they were published, save each one as a separate file",
            len(unread),
        )
        examples = tuple(f"{shown}: {', '.join(sheets[:_SHOWN])}" for shown, sheets in unread.items())
        yield ReportWarning("dropped-file", what, examples[:_SHOWN])


def _dropped(series: Series) -> Iterator[ReportWarning]:
    """Note tables that lie beside the releases and are not named."""
    folder = series.manifest.folder
    if is_remote(folder):
        return
    named = {real_path(path) for path in series.manifest.files() if not is_remote(path)}
    here = [
        release.rows for release in series.manifest.releases if not is_remote(release.rows)
    ]  # a candidate may not be
    places = dict.fromkeys(path.parent for path in here)
    found = []
    for place in places:
        try:
            beside = sorted(path for path in place.iterdir() if is_table(path) and not path.name.startswith("."))
        except OSError:
            continue
        found += [path for path in beside if real_path(path) not in named and not path.name.endswith(".key.csv")]
    if found:
        what = say_count(
            "{count} table lies beside the releases and is not part of the series, as the manifest does not name it; "
            "if published, name it under releases",
            "{count} tables lie beside the releases and are not part of the series, as the manifest does not name "
            "them; if published, name them under releases",
            len(found),
        )
        examples = tuple(series.manifest.shown(path) for path in found[:_SHOWN])
        yield ReportWarning("dropped-file", what, examples)
