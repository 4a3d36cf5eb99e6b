"""Irregularities in the files of a series: no rule forbids them, but they may change what a verdict means.

A separate pass over the files looks for them; it skips the identifiers of a large series. Warnings give file and line,
and quote identifiers and quasi-identifiers only on request.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from math import gcd

import numpy as np

from audit.io.adjustments import Adjustments, readable
from audit.io.background_knowledge import TRANSITION_COLUMNS
from audit.io.cell_reading import infer_kind
from audit.io.cells import Kind
from audit.io.dialect import UTF_8
from audit.io.encoding import COUNTERFEIT
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.manifest import ReleaseFiles
from audit.io.notations import read_number
from audit.io.notes_below import below_table
from audit.io.roles import VALUE_COUNT
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rows import SeveralRows, is_total, read_as_people
from audit.io.rules.rule import Columns, Hint
from audit.io.rules.spelling import (
    INDIVIDUAL,
    Decimal,
    Fold,
    nearly_respelled,
    nearly_respelled_ids,
    respelled,
    respelled_cells,
)
from audit.io.series import Series
from audit.io.tables import Table, header, text_codes
from audit.model.arrays import Codes, Counts, combine
from audit.model.errors import Problems, printable
from audit.model.report import MisreadWarning, ReportWarning, WarningKind
from audit.runtime.phrases import Noun, say, say_count

MOST_ROWS = 500_000  # of a series whose identifiers are compared as texts
_SHOWN = 3  # examples of a warning
_COLUMNS_WITH_NOTES = 3  # with fewer columns, a row with a single filled cell need not be a note
_FEW = 20  # one in this many is few, of distinct cells or of people
_PARTS = re.compile(r"[0-9]+|[^\W\d_]+")
_NOTHING, _TO_SIGN, _LETTERS = re.compile(""), re.compile(r"(?:.*[\W_])?"), re.compile(r"[^\W\d_]*")
_FINEST = 10**9  # identifiers that are numbers have no more decimals
_MANY = 20  # if two releases with this many identifiers share none, that is no accident


class SeriesTexts:
    """The distinct texts of the columns with a role, over all releases, and the first place of each.

    The identifiers of a large series are left out.
    """

    def __init__(self, series: Series) -> None:
        self.series = series
        self.columns: Columns = series.manifest.columns
        self.ignored: dict[int, int] = {}
        self.encodings: dict[str, str] = {}
        self.rows_like_notes: list[str] = []
        self.notes = [text for _, _, text in _notes_of(series)]
        self.texts: dict[str, dict[str, tuple[int, int]]] = {}
        self.identifiers: dict[str | None, list[set[str]]] = {self.columns.individual: [], self.columns.record: []}
        self.sums: dict[str, dict[str, bool]] = {name: {} for name in self.columns.sensitive}
        columns = self.columns
        self._again = cache(self._column)
        self._ids = [name for name in (columns.individual, columns.record, columns.group) if name is not None]
        names = [*columns.sensitive, *columns.quasi_identifiers, *self._ids]
        self.texts = {name: {} for name in names if name not in self._ids or series.about_rows <= MOST_ROWS}
        for position, files in enumerate(series.manifest.releases):
            self._read(position, files)

    def kind(self, column: str) -> Kind | None:
        """Return how a quasi-identifier's cells are read; None of any other column."""
        return self.series.attributes[column].kind if column in self.columns.quasi_identifiers else None

    def _read(self, position: int, files: ReleaseFiles) -> None:
        bare = self._bare(files.tag)
        for path, shown in files.halves:
            count = self.columns.count or (VALUE_COUNT if files.values == path else None)
            names = dict.fromkeys([*self.texts, *self._ids])
            table = readable(path, shown, [*names, *filter(None, [count])], bare, distinct=self._ids)
            if table is None:
                continue
            if table.kept is not None and bare.by is None:  # without the rows of other releases
                self.ignored[position] = table.in_file - table.rows
            if table.dialect is not None and table.dialect.encoding != UTF_8 and not bare.declared.encoding:
                self.encodings[shown] = table.dialect.encoding
            coded = {name: text_codes(table.arrow(name)) for name in self.texts if name in table}
            self.rows_like_notes += [f"{shown}:{table.line(row)}" for row in last_rows_of_a_cell(table, names)]
            for name, (codes, texts) in coded.items():
                self._add(position, name, codes, texts)
            if count is not None and count in table and not self.series.keyed:
                counts = table.whole_numbers(count)
                for name in (name for name in self.columns.sensitive if name in coded):
                    sums = sums_of_others(coded, name, counts)
                    self.sums[name] |= {
                        text: text in sums and self.sums[name].get(text, True) for text in coded[name][1]
                    }

    def _bare(self, tag: str) -> Adjustments:
        """Return the rules of a release without those that respell numbers or cases: texts stay as in the file."""
        adjustments = self.series.adjustments(tag)
        return replace(adjustments, rules=adjustments.rules.without(Decimal, Fold), unpublished=frozenset())

    def _add(self, position: int, name: str, codes: Codes, texts: list[str]) -> None:
        row = np.full(len(texts), -1, dtype=np.int64)
        row[codes[::-1]] = np.arange(len(codes))[::-1]
        first = self.texts[name]
        for text, place in zip(texts, row.tolist(), strict=True):
            if text and place >= 0:
                first.setdefault(text, (position, place))
        if name in self.identifiers:
            self.identifiers[name].append(_of_people(texts))

    def together(self, column: str, texts: Collection[str]) -> bool:
        """Return whether each two identifiers occur together in a release, and so belong to different people."""
        return self.columns.rules[SeveralRows].choice is None and _together(texts, self.identifiers[column])

    def place(self, name: str, text: str) -> str:
        """Return the file and the line of a text's first occurrence."""
        position, row = self.texts[name][text]
        table = self._again(position, name)
        return "" if table is None else f"{table.shown}:{table.line(row)}"

    def _column(self, position: int, name: str) -> Table | None:
        """Read a column of a release again, for the lines of its cells."""
        files = self.series.manifest.releases[position]
        tables = (readable(path, shown, [name], self._bare(files.tag)) for path, shown in files.halves)
        return next((table for table in tables if table is not None and name in table), None)

    def example(self, name: str, texts: Iterable[str], *, quoted: bool) -> str:
        """Return the first places of texts, and the texts if they may be quoted."""
        shown = []
        for text in texts:
            place, said = self.place(name, text), f'"{printable(text)}"'
            shown.append(f"{said} ({place})" if quoted else place)
        return ", ".join(shown)


def irregularities(series: Series, *, reveal: bool) -> tuple[ReportWarning, ...]:
    """Return the irregularities in the files of a series that was read; `reveal` quotes cells."""
    found = [
        *(warning for rule in series.columns.rules for warning in rule.warnings(series)),
        *_noticed("unpublished-column", _LACKING, _unpublished(series)),
        *_beside_transitions(series),
        *_noticed("total-row", _LEFT_OUT, (f"{shown}:{line}" for shown, line, _ in _notes_of(series))),
        *_noticed("dropped-file", _UNNAMED, map(series.manifest.shown, series.manifest.unlisted())),
        *_respelled_people(series),
        *_unread_sheets(series),
    ]
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
    found += [*_encodings(texts), *_noticed("total-row", _LIKE_NOTES, texts.rows_like_notes, MisreadWarning)]
    found += [*_strangers(series, texts), *_sums(texts)]
    return (*found, *sorted(hints, key=lambda each: each.kind))


_LACKING = Noun(
    "{count} release lacks a quasi-identifier that others publish, which is read as * there; if the column has another "
    "name in it, write renamed under [columns]",
    "{count} releases lack a quasi-identifier that others publish, which is read as * there; if the column has another "
    "name in them, write renamed under [columns]",
)
_LEFT_OUT = Noun(
    "{count} line below a table is a note, and is not read", "{count} lines below tables are notes, and are not read"
)
_UNNAMED = Noun(
    "{count} table lies beside the releases and is not part of the series, as the manifest does not name it; if "
    "published, name it under releases",
    "{count} tables lie beside the releases and are not part of the series, as the manifest does not name them; if "
    "published, name them under releases",
)
_SHEETS = Noun(
    "a workbook has sheets that are not read; if they were published, save each one as a separate file",
    "{count} workbooks have sheets that are not read; if they were published, save each one as a separate file",
)
_LIKE_NOTES = Noun(
    "{count} row at the end of a table has at most one filled cell, like a note below it, but is read as a person; if "
    "it is a note, delete the line, else write * into its empty cells",
    "{count} rows at the end of tables have at most one filled cell, like notes below them, but are read as people; if "
    "they are notes, delete the lines, else write * into their empty cells",
)


_STRAYS = Noun(
    '"{column}" would be numeric except for {count} cell, and is read as text; correct this cell, or, only '
    "where it means that the value is not known, list it under missing",
    '"{column}" would be numeric except for {count} distinct cells, and is read as text; correct '
    "these cells, or, only where they mean that the value is not known, list them under missing",
)
_ENCODING = Noun(
    "{count} file is not UTF-8, and is read as Western European text ({encoding}); if that is "
    'right, write encoding = "{encoding}" under [columns]',
    "{count} files are not UTF-8, and are read as Western European text ({encoding}); if that is "
    'right, write encoding = "{encoding}" under [columns]',
)


def _noticed(
    kind: WarningKind,
    what: Noun,
    places: Iterable[str],
    warning: type[ReportWarning] = ReportWarning,
    count: int | None = None,
    **values: str,
) -> Iterator[ReportWarning]:
    """Report how many places have an irregularity, and the first of them; `count` if these are not all."""
    if found := tuple(places):
        yield warning(kind, what.counted(len(found) if count is None else count, **values), found[:_SHOWN])


def _of(texts: SeriesTexts, hint: Hint, *, reveal: bool) -> Iterator[ReportWarning]:
    if hint.warning is not None:
        quoted = not hint.names_texts and (reveal or hint.column in texts.columns.sensitive)
        examples = [texts.example(hint.column, group, quoted=quoted) for group in hint.texts[:_SHOWN]]
        yield replace(hint.warning, examples=tuple(examples))


def _respelled_people(series: Series) -> Iterator[ReportWarning]:
    """Report identifiers that differ only in spelling, where `SeriesTexts` lacks them: in a key or a large series."""
    columns = series.columns
    if INDIVIDUAL in columns.rules[Spelled].columns:
        return
    if columns.individual is None or series.about_rows > MOST_ROWS:
        texts, numbers = series.people.alike()
        texts = [text for text in texts if not text.endswith(" ")]  # those are kinds of people (`PossiblePeople`)
        for position in range(len(series.tags) if len(numbers) else 0):
            there = series.read(position).person
            texts += [] if there is None else map(str, np.intersect1d(numbers, there).tolist())
        groups = nearly_respelled({*texts}, remarks=True, ids=True)
        if groups and series.keyed and columns.rules[SeveralRows].choice is None:
            releases = _people(series)
            groups = [each for each in groups if not _together(each, releases)]
        if groups:
            yield MisreadWarning("spelling", nearly_respelled_ids(INDIVIDUAL, groups))
        if not columns.rules[Fold].folds(INDIVIDUAL) and (groups := respelled({*texts})):
            yield MisreadWarning("spelling", respelled_cells(INDIVIDUAL, groups))


def _compared(series: Series) -> range:
    return range(len(series.tags))[: 2 if series.about_rows > MOST_ROWS else None]


def _people_recur(series: Series) -> bool:
    """Return whether consecutive releases share so many people that `are_others` would be false of each pair.

    The codes of people suffice; the identifiers would have to be read again.
    """
    coded = [codes for position in _compared(series) if (codes := series.read(position).person) is not None]
    if len(coded) < len(_compared(series)):
        return False
    is_person = ~series.people.is_counterfeit()  # after all releases are read, which number the people
    present = [is_person & (np.bincount(codes[codes >= 0], minlength=len(is_person)) > 0) for codes in coded]
    return all(_FEW * (old & new).sum() >= min(old.sum(), new.sum()) > 0 for old, new in pairwise(present))


def _people(series: Series) -> list[set[str]]:
    """Return the identifiers of each release; only of the first two if the series is large."""
    files = [series.manifest.releases[position] for position in _compared(series)]
    tables = [table for each in files if (table := series.identifiers(each)) is not None]
    return [_of_people(table.distinct("individual")) for table in tables]


def _of_people(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if text and not text.startswith(COUNTERFEIT)}


def _together(texts: Collection[str], releases: Sequence[set[str]]) -> bool:
    """Return whether each two of the texts occur together in a release."""
    return all(any({*pair} <= people for people in releases) for pair in combinations(texts, 2))


def _strangers(series: Series, texts: SeriesTexts) -> Iterator[ReportWarning]:
    """Report releases with hardly a common identifier, as if each release wrote them in its own way."""
    columns = series.columns
    for column, name in ((INDIVIDUAL, columns.individual), (columns.record, columns.record)):
        releases = texts.identifiers[name] if name is not None else []
        if column == INDIVIDUAL and series.keyed and len(releases) < len(series.tags):
            releases = [] if _people_recur(series) else _people(series)
        if column is None or len(releases) < 2 or {column, name} & {*columns.rules[Spelled].columns}:
            continue
        nobody = min(map(len, releases)) >= _MANY and sum(map(len, releases)) == len(set[str]().union(*releases))
        if nobody or any(are_others(*pair) for pair in pairwise(releases)):
            what = say(
                'the identifiers in "{column}" differ in each release, so each release is read as one of other '
                "people; if the same people occur in several releases, write their identifiers in the same way in all "
                "(without a prefix that changes with the release), else write "
                'spelled = ["{column}"] under [columns]',
                column=printable(column),
            )
            yield MisreadWarning("spelling", what)


def are_others(one: Collection[str], other: Collection[str]) -> bool:
    """Return whether the identifiers of two releases only match without the part that is constant in each release.

    >>> are_others({"Q1-1", "Q1-2", "Q1-17"}, {"Q2-1", "Q2-2", "Q2-17"}), are_others({"a1", "b2", "c"}, {"a3", "b4"})
    (True, False)
    >>> (
    ...     are_others({"007", "008", "012"}, {"00700", "00800", "01200"}),
    ...     are_others({"1", "2", "3"}, {"0.1", "0.2", "0.3"}),
    ... )
    (True, True)
    >>> are_others({"2024001", "2024002", "2024150"}, {"2025001", "2025002", "2025150"})
    True
    >>> (
    ...     are_others({"Ann", "Bo", "Eve"}, {"Ann (1)", "Bo (1)", "Eve (1)"}),
    ...     are_others({"1", "2", "3"}, {"11", "12", "13"}),
    ... )
    (True, False)
    """
    fewest = min(len(one), len(other))
    least = max(_SHOWN, fewest / 2)
    if _FEW * len({*one} & {*other}) >= fewest:
        return False
    if any(len(pair[0] & pair[1]) >= least for pair in product(_without_signs(one), _without_signs(other))):
        return True
    for pieces in (list, _PARTS.findall):
        split = [[pieces(text) for text in some] for some in (one, other)]
        if len({len(each) for some in split for each in some}) == 1:
            columns = zip(*(zip(*some, strict=True) for some in split), strict=True)
            kept = [place for place, pair in enumerate(columns) if any(len({*column}) > 1 for column in pair)]
            cores = [{tuple(each[place] for place in kept) for each in some} for some in split]
            if len(cores[0] & cores[1]) >= least:
                return True
    return False


def _without_signs(texts: Collection[str]) -> Iterator[set[str]]:
    """Yield the texts, then without what all begin and end with: first up to a sign, then letters alone.

    Numbers are also yielded in units of the largest power of ten of which all are multiples.
    """
    before, after = _common_start(texts), _common_start([text[::-1] for text in texts])
    for pattern in (_NOTHING, _TO_SIGN, _LETTERS):
        first, last = (len(next(pattern.finditer(each))[0]) for each in (before, after))
        short = {text[first : len(text) - last] for text in texts}
        yield short
        numbers = [number * _FINEST for number in map(read_number, short) if number is not None]
        if len(numbers) == len(short):
            common = str(gcd(*map(int, numbers)))
            yield {str(number // 10 ** (len(common) - len(common.rstrip("0")))) for number in numbers}


def _common_start(texts: Collection[str]) -> str:
    start, last = min(texts), max(texts)  # a common start of the first and the last text is one of all
    while not last.startswith(start):
        start = start[:-1]
    return start


def sums_of_others(coded: Mapping[str, tuple[Codes, list[str]]], column: str, counts: Counts) -> set[str]:
    """Return the texts of a column whose count is the sum of all others in each class of the other columns.

    The counts of two texts may be equal by chance; with three texts or more, such a text is a total, whatever its name.

    Args:
        coded: codes of rows (n,) and the texts that they index, by column.
        column: the column to search.
        counts: the people of each row, (n,).
    """
    codes, texts = coded[column]
    other_columns = [(own, len(names)) for name, (own, names) in coded.items() if name != column]
    classes = np.unique(combine(other_columns, len(codes))[0], return_inverse=True)[1]
    whole, total = np.bincount(classes, counts), np.bincount(codes, counts, len(texts))
    likely = np.flatnonzero(2 * total == total.sum()).tolist() if len(texts) > 2 else []
    rows = {texts[code]: codes == code for code in likely}
    return {text for text, at in rows.items() if (2 * np.bincount(classes[at], counts[at], len(whole)) == whole).all()}


def _sums(texts: SeriesTexts) -> Iterator[ReportWarning]:
    """Report sensitive values whose counts are totals of the others, but whose names do not say so."""
    for name, sums in texts.sums.items():
        marks = [text for text, is_sum in sums.items() if is_sum and not is_total(text)]
        if marks and name not in texts.columns.rules[Spelled].columns:
            warning = read_as_people(name, marks)
            yield replace(warning, examples=tuple(texts.place(name, text) for text in marks[:_SHOWN]))


def _strays(texts: SeriesTexts, *, reveal: bool) -> Iterator[ReportWarning]:
    rules = texts.columns.rules
    declared = {*rules[ColumnTypes].kinds, *rules[Hierarchies].names}
    for name in texts.columns.quasi_identifiers:
        own: Collection[str] = texts.texts.get(name, ())
        stray = [] if name in declared else _astray(own, rules[Missing].texts)
        if stray and not rules[Decimal].commas(texts.columns, name, own):
            examples = [texts.example(name, [text], quoted=reveal) for text in stray[:_SHOWN]]
            yield from _noticed("stray-cells", _STRAYS, examples, count=len(stray), column=printable(name))


def _astray(column: Collection[str], missing: frozenset[str]) -> list[str]:
    """Return the few texts that keep a column from being numeric; empty if it is numeric, or has many such texts."""
    texts = [text for text in column if text not in missing and text.strip("*")]
    stray = [text for text in texts if infer_kind([text]) is not Kind.NUMERIC and not text.rstrip("*").isdigit()]
    return stray if 0 < len(stray) <= len(texts) / _FEW or len(stray) == 1 < len(texts) / 4 else []


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
        if not encoding.startswith("utf"):
            by_encoding[encoding].append(shown)
    for encoding, files in by_encoding.items():
        yield from _noticed("encoding", _ENCODING, files, encoding=encoding)


def last_rows_of_a_cell(table: Table, columns: Iterable[str]) -> list[int]:
    """Return the indices of the last rows with at most one filled cell, which may be notes below the table.

    A row is left out if its text also occurs above: it may be the value of a person without known quasi-identifiers.
    """
    arrays = [table.arrow(name) for name in columns if name in table]
    if len(arrays) < _COLUMNS_WITH_NOTES or not table.rows:
        return []
    last_row = [array[-1].as_py() for array in arrays]
    if len([cell for cell in last_row if cell is not None and str(cell).strip()]) > 1:
        return []
    coded = [text_codes(array) for array in arrays]
    filled = [np.array([bool(text) for text in texts])[codes] for codes, texts in coded]
    count = np.sum(filled, axis=0)
    last = np.arange(len(count)) > np.flatnonzero(count > 1).max(initial=-1)
    for (codes, texts), full in zip(coded, filled, strict=True):
        elsewhere = np.bincount(codes[~last], minlength=len(texts)) > 0
        last &= ~(full & elsewhere[codes])
    return np.flatnonzero(last).tolist()


def _notes_of(series: Series) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the line and the text of each note below a table, which is not read as a row."""
    declared, releases = series.manifest.headings("").declared, series.manifest.releases
    for path, shown in dict.fromkeys(half for files in releases for half in files.halves):
        yield from ((shown, *note) for note in below_table(path, declared).notes)


def _unpublished(series: Series) -> Iterable[str]:
    """Return the files that lack quasi-identifiers of others, each with these."""
    lacking = ((files.shown, sorted(series.unpublished[files.tag])) for files in series.manifest.releases)
    return dict.fromkeys(f"{shown}: {', '.join(map(printable, names))}" for shown, names in lacking if names)


def _beside_transitions(series: Series) -> Iterator[ReportWarning]:
    """Report columns of the transitions, which are published, that no audit reads: they may count people."""
    name = series.manifest.transitions
    columns = None if name is None else header(series.manifest.folder / name, name, Problems())
    if more := [printable(each) for each in columns or () if each not in TRANSITION_COLUMNS]:
        what = say(
            "the transitions have columns that are not read; as they are published with the series, delete these "
            "columns: counts would tell how many people's values changed, even if it is one person"
        )
        yield ReportWarning("transitions", what, (f"{name}: {', '.join(more[:_SHOWN])}",))


def _unread_sheets(series: Series) -> Iterator[ReportWarning]:
    """Report sheets of workbooks that are not read; some may be a further part of the release."""
    books = {each.shown: read_foreign(each.rows) for each in series.manifest.releases if is_foreign(each.rows)}
    warning = MisreadWarning if any(book.tables_left for book in books.values()) else ReportWarning
    unread = (f"{shown}: {', '.join(book.other_sheets[:_SHOWN])}" for shown, book in books.items() if book.other_sheets)
    return _noticed("dropped-file", _SHEETS, unread, warning)
