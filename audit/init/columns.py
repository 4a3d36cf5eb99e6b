"""The first rows of a series' tables by column, and the notation of a column's cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from audit.io.cell_reading import MARKERS, Hierarchy, infer_kind, may_be_unknown, parse, unknown_among
from audit.io.cells import CellError, Interval, Kind, NumberSet, ValueSet
from audit.io.microdata import frequent_value
from audit.io.naming import names_people
from audit.io.notations import SHORT_DAY
from audit.io.releases import Vocabulary
from audit.io.rules.rows_and_values import is_total
from audit.io.tables import first_rows, text_codes
from audit.model.arrays import Codes, Numbers, combine
from audit.model.errors import Problems
from audit.runtime.phrases import Phrase, joined

_DATE = re.compile(r"(19|20)\d\d-[01]?\d-[0-3]?\d\b|[0-3]?\d\.[01]?\d\.(19|20)\d\d\b|[0-3]?\d/[0-3]?\d/(19|20)\d\d\b")
_MEASURE = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}([., '\u00a0\u202f][0-9]{3})+)([.,][0-9]+)?")
_MEASURED = 20  # fewer distinct numbers are classes, codes or counts
_COLUMNS_WITH_TOTALS = 3  # with fewer, a row with a blank cell may be a person's
_TEXTS = 2_000  # distinct cells of a column that are parsed


@dataclass(frozen=True, eq=False)
class Column:
    """A column that all releases have, with the rows of all releases in order.

    Attributes:
        name, texts: as in the header, stripped; the distinct cells.
        codes, release: of each row, the cell as an index into `texts`, and the release, from 0; shape (rows,).
        whole: whether it holds all rows, not only the first rows of some release.
    """

    name: str
    texts: list[str]
    codes: Codes
    release: Codes
    whole: bool

    @cached_property
    def some(self) -> list[str]:
        """Some of the texts, without the empty one."""
        return [text for text in self.texts[:: len(self.texts) // _TEXTS + 1] if text]

    @cached_property
    def markers(self) -> frozenset[str]:
        """The texts of unknown values, and those that may be such."""
        return MARKERS | {*filter(may_be_unknown, self.texts)}

    @cached_property
    def _places(self) -> tuple[Numbers, Numbers]:
        """The pairs of release and cell, as release * len(texts) + code, and how often each occurs."""
        filled = self.codes != self.texts.index("") if "" in self.texts else slice(None)
        pairs = self.release.astype(np.int64) * len(self.texts) + self.codes
        return np.unique(pairs[filled], return_counts=True)

    @cached_property
    def unique(self) -> bool:
        """Whether no nonempty cell occurs twice in a release."""
        return len(self.codes) > 0 and bool((self._places[1] == 1).all())

    @cached_property
    def repeated(self) -> int:
        """The number of nonempty cells that occur several times in a release."""
        pairs, times = self._places
        return len(np.unique(pairs[times > 1] % len(self.texts)))

    @property
    def first_repeated(self) -> tuple[int, str]:
        """The first nonempty cell that occurs several times in a release, with the index of that release."""
        pairs, times = self._places
        release, code = divmod(int(pairs[times > 1][0]), len(self.texts))
        return release, self.texts[code]

    @cached_property
    def are_dates(self) -> bool:
        """Whether most nonempty cells looked at are dates; of others, only the year may be known."""
        return 2 * sum(bool(_DATE.match(text)) for text in self.some) > len(self.some)

    @cached_property
    def is_measured(self) -> bool:
        """Whether the cells are exact numbers, many and different enough to be measurements."""
        distinct, rows = len(self.some), len(self.codes) / (int(self.release.max(initial=0)) + 1)
        if distinct < _MEASURED or distinct < rows / 5 or self.row_numbers:
            return False
        return self.are_numbers and infer_kind(self.some, self.markers) in (Kind.NUMERIC, Kind.CATEGORICAL)

    @cached_property
    def are_numbers(self) -> bool:
        """Whether some cells, those of unknown values aside, are all numbers, with any separators."""
        return all(_MEASURE.fullmatch(text) for text in self.some if text not in self.markers)

    @cached_property
    def is_free_text(self) -> bool:
        """Whether most nonempty cells are texts of several words that occur only once."""
        times = np.bincount(self.codes, minlength=len(self.texts))
        once = [text for text, many in zip(self.texts, times.tolist(), strict=True) if many == 1 and text]
        return 2 * sum(" " in text for text in once) > len(self.some) >= _MEASURED

    @cached_property
    def are_days(self) -> bool:
        """Whether all nonempty cells looked at are single days, perhaps with years of two digits."""
        return bool(self.some) and all(_DATE.match(text) or SHORT_DAY.fullmatch(text) for text in self.some)

    @cached_property
    def holds_names(self) -> bool:
        """Whether it holds the names of people, as its own name says."""
        return names_people(self.name) and not self.are_numbers and self.form is None

    @cached_property
    def nearly_unique(self) -> bool:
        """Whether it holds texts, at least twenty, that are different in nearly all rows."""
        distinct, filled = len({*self.texts} - {""}), int(self._places[1].sum())
        return 10 * distinct > 9 * filled >= 9 * _MEASURED and not self.are_numbers

    @cached_property
    def recurs(self) -> bool:
        """Whether some cell occurs in a release and in the next."""
        return bool(np.isin(self._places[0] + len(self.texts), self._places[0]).any())

    @cached_property
    def row_numbers(self) -> bool:
        """Whether the cells number the rows of each release, from 0 or from 1."""
        numbers = np.array([int(text) if re.fullmatch("[0-9]{1,9}", text) else -1 for text in self.texts])
        place = np.arange(len(self.codes)) - np.searchsorted(self.release, self.release)
        return len(self.codes) > 0 and any((numbers[self.codes] == place + start).all() for start in (0, 1))

    def matches(self, pattern: str) -> bool:
        """Return whether all nonempty cells looked at match a pattern."""
        return all(re.fullmatch(pattern, text) for text in self.some)

    def parses(self, kind: Kind, hierarchy: Hierarchy | None = None) -> bool:
        """Return whether all nonempty cells looked at can be read in a column of this kind."""
        try:
            for text in self.some:
                parse(text, kind, hierarchy, self.markers)
        except CellError:
            return False
        return True

    @cached_property
    def form(self) -> str | None:
        """How the cells are generalized; None if they are not."""
        forms = Counter(map(_form, self.some))
        exact = forms.pop(None, 0)
        if set(forms) == {"intervals"} and forms["intervals"] < 4 * exact:
            # Beside other texts, `>30` is a class such as `no` is; beside numbers it is an interval.
            return str(_FORMS["intervals"]) if infer_kind(self.some, self.markers) is Kind.NUMERIC else None
        lists = not self.are_numbers and _are_lists(self.some)
        found = sorted(each for each in forms if each is not None) or ["sets"] * lists
        return joined([str(_FORMS[each]) for each in found]) if found else None


_FORMS = {"intervals": Phrase("intervals"), "masks": Phrase("masks"), "sets": Phrase("sets")}


def perhaps_harmless(sensitive: Column) -> list[str]:
    """Return the sensitive values that may be known of every person: that of most rows, and those that say nothing."""
    frequent = frequent_value(sensitive.codes, sensitive.texts)
    most = [] if frequent is None else [frequent[0]]
    return [*dict.fromkeys([*most, *unknown_among(sensitive.texts)])]


def _form(text: str) -> str | None:
    """Return how a cell is generalized; None if it may be exact."""
    for kind in (Kind.NUMERIC, Kind.CATEGORICAL):
        try:
            cell = parse(text, kind)
        except CellError:
            continue
        match cell:
            case Interval(low, high) if not text.endswith("*"):
                return "intervals" if low != high else None
            case ValueSet() if not text.startswith("{"):
                return None
            case NumberSet() | ValueSet():
                return "sets"
        return "masks"
    return None


def _are_lists(texts: Iterable[str]) -> bool:
    """Return whether the texts with commas are sets: most of their members also occur in other cells."""
    sets = [{member.strip() for member in text.split(",")} for text in texts]
    places = Counter(member for members in sets for member in members)
    inside = [member for members in sets if len(members) > 1 for member in members]
    return len(inside) > 1 and sum(places[member] > 1 for member in inside) > 0.6 * len(inside)


Renamed = Sequence[Mapping[str, str]]
"""For each table, the names that columns of its file have in the series."""


def read_columns(files: Sequence[tuple[Path, str]], renamed: Renamed = ()) -> dict[str, Column]:
    """Return the columns that all tables have, in the order of the first table, without columns of lists and bytes.

    Raises:
        InputError: a file is damaged.
    """
    limit = max(1_000, min(50_000, 300_000 // len(files)))
    problems = Problems()
    found = [first for path, shown in files if (first := first_rows(path, shown, limit, problems)) is not None]
    problems.check()
    names: Renamed = renamed or [{}] * len(found)
    tables = [table.renamed(own) for (table, _), own in zip(found, names, strict=True)]
    whole = all(whole for _, whole in found)
    release = np.repeat(np.arange(len(tables), dtype=np.int32), [table.rows for table in tables])
    shared = [name for name in tables[0].names if name and all(name in table for table in tables)]
    columns = {}
    for name in shared:
        vocabulary = Vocabulary()
        coded = [text_codes(table.arrow(name)) for table in tables]
        joined = np.concatenate([vocabulary.add(texts)[codes] if len(texts) else codes for codes, texts in coded])
        columns[name] = Column(name, [*vocabulary.names], joined, release, whole)
    return columns


def total_rows(columns: Mapping[str, Column]) -> dict[int, tuple[str, str]]:
    """Return the last rows of releases that look like totals, each with the column and the text that mark it.

    A cell of such a row says so, or several of its cells are blank in columns that have no other blank; and one of its
    other cells has a text that no other row has.
    """
    found, own = dict[int, tuple[str, str]](), [column for column in columns.values() if column.whole]
    if len(own) < _COLUMNS_WITH_TOTALS or not len(own[0].release):
        return found
    last = np.flatnonzero(np.append(np.diff(own[0].release) != 0, True))
    above = np.ones(len(own[0].release), dtype=np.bool_)
    above[last] = False
    often = {column.name: np.bincount(column.codes[above], minlength=len(column.texts)) for column in own}
    for row in last.tolist():
        cells = {column.name: column.texts[column.codes[row]] for column in own}
        new = [name for name, text in cells.items() if text and not often[name][columns[name].codes[row]]]
        blank = [name for name, text in cells.items() if not text]
        unlike = all(not often[name][columns[name].codes[row]] for name in blank)
        says = [name for name in new if is_total(cells[name])]
        labels = [name for name in new if not _MEASURE.fullmatch(cells[name])]  # a person may have any number later
        if says or (labels and unlike and 3 * len(blank) >= len(own) and len(blank) > 1):
            mark = (says or labels)[0]
            found[row] = mark, cells[mark]
    return found


def without_rows(columns: Mapping[str, Column], rows: Iterable[int]) -> dict[str, Column]:
    """Return the columns without some rows, and without the texts of these rows alone."""
    if not (dropped := [*rows]):
        return {**columns}
    kept = {}
    for name, column in columns.items():
        used, codes = np.unique(np.delete(column.codes, dropped), return_inverse=True)
        texts = [column.texts[code] for code in used.tolist()]
        kept[name] = replace(
            column, texts=texts, codes=codes.astype(np.int32), release=np.delete(column.release, dropped)
        )
    return kept


def partition(columns: Sequence[Column]) -> Numbers:
    """Return for each row the number, from 0, of its combination of release and cells; shape (rows,)."""
    release = columns[0].release
    bounds = [(release, int(release.max(initial=0)) + 1), *((c.codes, len(c.texts)) for c in columns)]
    return np.unique(combine(bounds, len(release))[0], return_inverse=True)[1]


def steadiness(columns: Sequence[Column], by: Sequence[Column]) -> float:
    """Return the share of groups of several rows, formed by some columns, in which other columns are constant."""
    group, fine = partition(by), partition([*by, *columns])
    group_of = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    group_of[fine] = group
    large = np.bincount(group) > 1
    return float((np.bincount(group_of)[large] == 1).mean()) if large.any() else 0.0
