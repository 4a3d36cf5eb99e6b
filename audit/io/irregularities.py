"""Irregularities of a series' files that no rule forbids and that may change what a verdict means.

They are looked for in series of moderate size, in a pass of its own; in larger ones in the sensitive values alone.
Identifiers and quasi-identifiers are quoted only where that is asked for; lines say where they stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
from audit.io.respelling import fold, with_decimal_point
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.spelling import Decimal, Fold
from audit.io.series import Series
from audit.io.tables import Table, is_table, text_codes
from audit.model.errors import Problems, printable
from audit.model.report import ReportWarning
from audit.runtime.phrases import say, say_count

_MOST_ROWS = 500_000
_SHOWN = 3
_FEW = 20  # one in so many distinct cells at most is astray
_FOLDED = re.compile(r"[a-z][a-z0-9]*|0|[1-9][0-9]*")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_TOTALS = frozenset(
    {
        "total",
        "totals",
        "grand total",
        "subtotal",
        "sum",
        "gesamt",
        "gesamtsumme",
        "insgesamt",
        "summe",
        "zwischensumme",
    }
    | {"zwischensumme", "somme", "ensemble", "totale", "totaal", "suma", "razem", "celkem"}
)


def is_total(text: str) -> bool:
    """Return whether a cell says that its row is a sum of others.

    >>> is_total("Total:"), is_total("INSGESAMT"), is_total("Totenkirchl")
    (True, True, False)
    """
    return fold(text).strip(" :.=") in _TOTALS


@dataclass
class ColumnTexts:
    """The distinct texts of one column, each with the place where it stands first.

    Attributes:
        first: the release, counted from 0, and the row.
    """

    first: dict[str, tuple[int, int]] = field(default_factory=dict)

    def respelled(self) -> list[list[str]]:
        """Return the texts that differ in spelling alone, those that share one together."""
        spellings: dict[str, list[str]] = defaultdict(list)
        for text in self.first:
            if not _FOLDED.fullmatch(text):
                spellings[fold(text)].append(text)
        for key, texts in spellings.items():
            if key in self.first and key not in texts:
                texts.insert(0, key)
        found = spellings.values()
        return [texts for texts in found if len(texts) > 1]

    def astray(self, missing: frozenset[str]) -> list[str]:
        """Return the few texts but for which the column would be one of numbers; none where it is or is far from it."""
        texts = [text for text in self.first if text not in missing and text.strip("*")]
        stray = [text for text in texts if infer_kind([text], None) is not Kind.NUMERIC and not _is_mask(text)]
        return stray if 0 < len(stray) <= len(texts) / _FEW or len(stray) == 1 < len(texts) / 4 else []


def _is_mask(text: str) -> bool:
    return text.rstrip("*").isdigit()


class SeriesTexts:
    """The distinct texts of the columns that have a meaning, over all releases, and where each stands first."""

    def __init__(self, series: Series) -> None:
        self.series = series
        columns = series.manifest.columns
        single = [name for name in (columns.individual, columns.record, columns.group) if name is not None]
        self.names = list(dict.fromkeys([*columns.sensitive, *columns.quasi_identifiers, *single]))
        self.columns = {name: ColumnTexts() for name in self.names}
        self.ignored: dict[int, int] = {}
        self.encodings: dict[str, str] = {}
        self._tables: dict[int, Table] = {}
        for position, files in enumerate(series.manifest.releases):
            self._read(position, files)

    def _read(self, position: int, files: ReleaseFiles) -> None:
        adjustments = self.series.adjustments(files.tag)
        # As the file spells them, but for values that are declared to be others.
        bare = replace(adjustments, rules=adjustments.rules.without(Decimal, Fold), unpublished=frozenset())
        for path, shown in files.halves:
            table = _readable(path, shown, self.names, bare)
            if table is None:
                continue
            if table.kept is not None:
                self.ignored[position] = table.in_file - table.rows
            if table.dialect is not None and table.dialect.encoding != UTF_8 and not adjustments.declared.encoding:
                self.encodings[shown] = table.dialect.encoding
            self._tables.setdefault(position, table)
            for name in self.names:
                if name in table and not table.is_whole(name):
                    self._add(position, table, name)

    def _add(self, position: int, table: Table, name: str) -> None:
        codes, texts = text_codes(table.arrow(name))
        row = np.full(len(texts), -1, dtype=np.int64)
        row[codes[::-1]] = np.arange(len(codes))[::-1]
        first = self.columns[name].first
        for text, place in zip(texts, row.tolist(), strict=True):
            if text and place >= 0:
                first.setdefault(text, (position, place))

    def place(self, name: str, text: str) -> str:
        """Return the file and the line where a text stands first."""
        position, row = self.columns[name].first[text]
        files = self.series.manifest.releases[position]
        table = self._tables[position]
        if name not in table and files.values is not None:
            headings = self.series.manifest.headings(files.tag)
            other = _readable(files.values, files.values_shown, [name], headings)
            table = table if other is None else other
        return f"{table.shown}:{table.line(row)}"


def _readable(path: Path, shown: str, names: Iterable[str], adjustments: Adjustments) -> Table | None:
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
    ]
    if series.about_rows <= _MOST_ROWS:
        found += _unread_sheets(series)
        texts = SeriesTexts(series)
        found += [
            *_encodings(texts),
            *_respellings(texts, reveal=reveal),
            *_strays(texts, reveal=reveal),
            *_totals(texts),
        ]
    else:
        columns = {name: vocabulary.names for name, vocabulary in series.vocabularies.items()}
        found += _respelled_values(columns, series)
    return tuple(found)


def _respelled_values(columns: Mapping[str, Iterable[str]], series: Series) -> Iterator[ReportWarning]:
    for name, names in columns.items():
        groups = ColumnTexts(dict.fromkeys(names, (0, 0))).respelled()
        if groups and not series.manifest.columns.rules[Fold].folds(name):
            yield _spelling(name, groups, [", ".join(f'"{printable(text)}"' for text in texts) for texts in groups])


def _respellings(texts: SeriesTexts, *, reveal: bool) -> Iterator[ReportWarning]:
    columns = texts.series.manifest.columns
    for name in texts.names:
        groups = [] if columns.rules[Fold].folds(name) else texts.columns[name].respelled()
        if name in texts.series.manifest.columns.quasi_identifiers:
            kind = texts.series.attributes[name].kind
            groups = groups if kind is Kind.CATEGORICAL else []
        if not groups:
            continue
        quoted = reveal or name in columns.sensitive
        examples = [", ".join(_quoted(texts, name, text, quoted=quoted) for text in group) for group in groups[:_SHOWN]]
        yield _spelling(name if name != columns.individual else "individual", groups, examples)


def _spelling(name: str, groups: list[list[str]], examples: list[str]) -> ReportWarning:
    what = say_count(
        '{count} cell of "{column}" differs from another only in spelling, and is read as a different '
        'value; if they are the same, write fold = ["{column}"] under [columns]',
        '{count} cells of "{column}" differ from others only in spelling, and are read as different '
        'values; if they are the same, write fold = ["{column}"] under [columns]',
        sum(map(len, groups)) - len(groups),
        column=printable(name),
    )
    return ReportWarning("spelling", what, tuple(examples[:_SHOWN]))


def _quoted(texts: SeriesTexts, name: str, text: str, *, quoted: bool) -> str:
    place = texts.place(name, text)
    return f'"{printable(text)}" ({place})' if quoted else place


def _strays(texts: SeriesTexts, *, reveal: bool) -> Iterator[ReportWarning]:
    columns = texts.series.manifest.columns
    for name in columns.quasi_identifiers:
        column = texts.columns[name]
        commas = decimal_commas(texts, name)
        if commas:
            what = say(
                '"{column}" looks like numbers with decimal commas, and is read as sets of values; if so, write '
                'decimal = "," under [columns]',
                column=printable(name),
            )
            examples = tuple(_quoted(texts, name, text, quoted=reveal) for text in commas[:_SHOWN])
            yield ReportWarning("stray-cells", what, examples)
            continue
        declared = {*columns.rules[ColumnTypes].kinds, *columns.rules[Hierarchies].names}
        stray = [] if name in declared else column.astray(columns.rules[Missing].texts)
        if stray:
            what = say(
                '"{column}" would be numeric except for {count} distinct cells, and is read as text; correct '
                "these cells, or, only where they mean that the value is not known, list them under missing",
                column=printable(name),
                count=len(stray),
            )
            examples = tuple(_quoted(texts, name, text, quoted=reveal) for text in stray[:_SHOWN])
            yield ReportWarning("stray-cells", what, examples)


def decimal_commas(texts: SeriesTexts, name: str) -> list[str]:
    """Return the cells with decimal commas of a column that would be numeric but for them; none of any other."""
    column, columns = texts.columns[name], texts.series.manifest.columns
    commas = [text for text in column.first if _DECIMAL_COMMA.fullmatch(text)]
    missing = columns.rules[Missing].texts
    would = commas and columns.rules[Decimal].sign != "," and _would_be_numbers(column, missing)
    return commas if would else []


def _would_be_numbers(column: ColumnTexts, missing: frozenset[str]) -> bool:
    return infer_kind(map(with_decimal_point, column.first), None, missing) is Kind.NUMERIC


def _totals(texts: SeriesTexts) -> Iterator[ReportWarning]:
    columns = texts.series.manifest.columns
    # A place or an age may be called "Total"; a person or a record is not.
    for name in dict.fromkeys(name for name in (columns.individual, columns.record) if name is not None):
        found = [text for text in texts.columns[name].first if is_total(text)]
        if found:
            listed = ", ".join(f'"{printable(text)}"' for text in found)
            what = say(
                'rows with {texts} in "{column}" look like totals, and are read as people; if they are totals, write '
                "ignore_rows = {{ {column} = [{texts}] }} under [columns]",
                texts=listed,
                column=printable(name),
            )
            yield ReportWarning("total-row", what, tuple(texts.place(name, text) for text in found))
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
    """Tell of sheets of workbooks that are not read."""
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
    """Tell of tables that lie beside the releases and are not named."""
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
