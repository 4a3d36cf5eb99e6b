"""The texts of a series as its files spell them, for warnings; recorded while releases are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import not_
from pathlib import Path
from typing import Self

import numpy as np

from audit.io.adjustments import Adjustments, adjusted, named_there, read_written
from audit.io.cells import Kind
from audit.io.dialect import UTF_8
from audit.io.encoding import COUNTERFEIT
from audit.io.manifest import Manifest
from audit.io.notes_below import below_table
from audit.io.roles import VALUE_COUNT
from audit.io.rules.rows_and_values import SeveralRows
from audit.io.rules.rule import Hint
from audit.io.rules.spelling import Decimal, Fold, OtherReading, rows_like_no_people
from audit.io.tables import Table, text_codes
from audit.model.arrays import Codes, Counts, combine, flagged
from audit.model.errors import Problems
from audit.runtime.phrases import printable

MOST_ROWS = 500_000  # of a series whose identifiers are compared as texts
_COLUMNS_WITH_NOTES = 3  # with fewer columns, a row with a single filled cell need not be a note


class SeriesTexts:
    """The distinct texts of the columns with a role, over all releases, and the first place of each.

    The identifiers of a large series are left out. Texts are spelled as in the files, and recorded when a release is
    read; `whole` reads the other files.

    Attributes:
        kind: returns how a quasi-identifier's cells are read; None of any other column.
        texts: the file, without its columns, and the row of the first place of each text, by column.
        identifiers: the people, or record ids, of each release.
        sums: for each text of a sensitive column, whether its count is the sum of all others wherever it occurs.
        ignored: the number of rows that rules leave out, by release.
        encodings: the encoding of each file that is not UTF-8, if none is declared.
        rows_like_notes: the places of rows that may be notes, or are blank.
        doubtful_rows: the places of rows that need not be people.
        is_large: whether the series is so large that its identifiers are left out.
    """

    def __init__(
        self,
        manifest: Manifest,
        about_rows: int,
        adjustments: Callable[[str], Adjustments],
        kind: Callable[[str], Kind | None],
        *,
        keyed: bool,
    ) -> None:
        self.manifest, self.columns = manifest, manifest.columns
        self.kind = kind
        self._adjustments, self._keyed = adjustments, keyed
        self.ignored: dict[int, int] = {}
        self.encodings: dict[str, str] = {}
        self.rows_like_notes: list[str] = []
        self.doubtful_rows: list[str] = []
        columns = self.columns
        self.identifiers: dict[str | None, list[set[str]]] = {columns.individual: [], columns.record: []}
        self.sums: dict[str, dict[str, bool]] = {name: {} for name in columns.sensitive}
        ids = [name for name in (columns.individual, columns.record, columns.group) if name is not None]
        self._names = [*columns.sensitive, *columns.quasi_identifiers, *ids]
        self.is_large = about_rows > MOST_ROWS
        names = [name for name in self._names if not (self.is_large and name in ids)]
        self.texts: dict[str, dict[str, tuple[Table, int]]] = {name: {} for name in names}
        self._count = columns.count or VALUE_COUNT
        self._recorded: set[tuple[int, Path]] = set()

    @property
    def notes(self) -> Sequence[str]:
        """The notes below the tables."""
        return [text for _, _, text in notes_of(self.manifest)]

    @cached_property
    def hints(self) -> list[Hint]:
        """The rules that the texts suggest, once `whole` has read all of them."""
        return [hint for rule in self.columns.rules for hint in rule.hints(self)]

    def whole(self) -> Self:
        """Return the texts after reading the files that are not recorded yet; files that cannot be read are skipped."""
        distinct = (self.columns.individual, self.columns.record)
        for position, files in enumerate(self.manifest.releases):
            for path, shown in files.halves:
                if (position, path) not in self._recorded:
                    bare = self._bare(files.tag)
                    names = named_there(path, shown, [*self._names, self._count], bare)
                    table = names and read_written(path, shown, names, bare, Problems(), distinct=distinct)
                    if table:
                        self.record(position, table)
        return self

    def record(self, position: int, table: Table) -> None:
        """Record the texts of a file of a release, if all columns with a role were read."""
        files, shown = self.manifest.releases[position], table.shown
        bare = self._bare(files.tag)
        names = named_there(table.path, shown, self._names, bare)
        if names is None or not {*names} <= {*table.names} or (position, table.path) in self._recorded:
            return
        self._recorded.add((position, table.path))
        table = adjusted(table, [*self._names, self._count], bare)
        if table.kept is not None and bare.by is None:  # without the rows of other releases
            self.ignored[position] = table.in_file - table.rows
        if table.dialect is not None and table.dialect.encoding != UTF_8 and not bare.declared.encoding:
            self.encodings[shown] = table.dialect.encoding
        coded = {name: text_codes(table.arrow(name)) for name in self.texts if name in table}
        self.rows_like_notes += [f"{shown}:{table.line(row)}" for row in last_rows_of_a_cell(table, self._names)]
        doubtful = np.flatnonzero(rows_like_no_people(table, OtherReading.unexplained(self.columns))).tolist()
        self.doubtful_rows += [f"{shown}:{table.line(row)}" for row in doubtful]
        in_file = table.less(table.names)
        for name, (codes, texts) in coded.items():
            if new := [at for at, text in enumerate(texts) if text and text not in self.texts[name]]:
                rows = np.flatnonzero(flagged(new, len(texts))[codes])[::-1]
                first = np.full(len(texts), -1)
                first[codes[rows]] = rows  # of several rows, the first is the last
                self.texts[name] |= {texts[at]: (in_file, int(first[at])) for at in new if first[at] >= 0}
            if name in self.identifiers:
                self.identifiers[name].append(of_people(texts))
        counted = self._count in table and (self.columns.count or table.path == files.values)
        if counted and not self._keyed:
            counts = table.whole_numbers(self._count)
            for name in (name for name in self.columns.sensitive if name in coded):
                sums = sums_of_others(coded, name, counts)
                self.sums[name] |= {text: text in sums and self.sums[name].get(text, True) for text in coded[name][1]}

    def _bare(self, tag: str) -> Adjustments:
        """Return the rules of a release without those that respell numbers or cases: texts stay as in the file."""
        adjustments = self._adjustments(tag)
        return replace(adjustments, rules=adjustments.rules.without(Decimal, Fold), unpublished=frozenset())

    def people(self, column: str) -> Sequence[Collection[str]]:
        """Return the identifiers of each release; none if one person may have several in a release."""
        return [] if self.columns.rules[SeveralRows].several else self.identifiers[column]

    def place(self, name: str, text: str) -> str:
        """Return the file and the line of a text's first occurrence."""
        table, row = self.texts[name][text]
        return f"{table.shown}:{table.line(row)}"

    def example(self, name: str, texts: Iterable[str], *, quoted: bool) -> str:
        """Return the first places of texts, and the texts if they may be quoted."""
        shown = []
        for text in texts:
            place, said = self.place(name, text), f'"{printable(text)}"'
            shown.append(f"{said} ({place})" if quoted else place)
        return ", ".join(shown)


def of_people(texts: Iterable[str]) -> set[str]:
    """Return the texts of identifiers that are not counterfeits."""
    return {text for text in texts if text and not text.startswith(COUNTERFEIT)}


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


def last_rows_of_a_cell(table: Table, columns: Iterable[str]) -> list[int]:
    """Return the indices of rows without any filled cell, and of the last rows with one, which may be notes.

    Such a last row is left out if its text also occurs above: it may be the value of a person without known
    quasi-identifiers.
    """
    names = [name for name in columns if name in table]
    if len(names) < _COLUMNS_WITH_NOTES or not table.rows:
        return []
    blank = np.ones(table.rows, dtype=np.bool_)
    for name in names:
        blank &= table.where(name, not_) if blank.any() else False
    arrays = [table.arrow(name) for name in names]
    last_row = [array[-1].as_py() for array in arrays]
    if len([cell for cell in last_row if cell is not None and str(cell).strip()]) > 1:
        return np.flatnonzero(blank).tolist()
    coded = [text_codes(array) for array in arrays]
    filled = [np.array([bool(text) for text in texts])[codes] for codes, texts in coded]
    count = np.sum(filled, axis=0)
    last = np.arange(len(count)) > np.flatnonzero(count > 1).max(initial=-1)
    for (codes, texts), full in zip(coded, filled, strict=True):
        elsewhere = np.bincount(codes[~last], minlength=len(texts)) > 0
        last &= ~(full & elsewhere[codes])
    return np.flatnonzero(last | blank).tolist()


def notes_of(manifest: Manifest) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the line and the text of each note below a table, which is not read as a row."""
    declared, releases = manifest.headings("").declared, manifest.releases
    for path, shown in dict.fromkeys(half for files in releases for half in files.halves):
        yield from ((shown, *note) for note in below_table(path, declared).notes)
