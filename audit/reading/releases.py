"""Releases: what one file, or an Anatomy pair, publishes, as integer columns, with its key where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.core.errors import Problems
from audit.core.keys import combine
from audit.reading.faults import is_there
from audit.reading.numbering import NOBODY
from audit.reading.tables import Coded, Table, read_table, text_codes, whole_number

if TYPE_CHECKING:
    from audit.reading.series import Series

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Release:
    """What one release says, and whose rows they are where the publisher's key tells.

    Attributes:
        tag: the release's name.
        group: the QI-group of each row; shape (rows,).
        person: who each row is, -1 for a counterfeit without identity; None without a key.
        entry_group, entry_value, entry_count: the published values: group, code and number of rows of each
            entry, shape (entries,). For a plain table an entry is a row, and `entry_count` None means one each.
        counts: how many people each row stands for, or None for one each.
        values_by_row: whether entry i is the value of row i (false for an Anatomy pair).
        cells: the generalized cells of each quasi-identifier that was asked for, by row, as numbers of the
            series' `Attribute`s.
        records: the published record id of each row, distinct, where it was asked for.
        counterfeits: number of counterfeits by group code, as published; empty when nothing is published.
    """

    tag: str
    group: Coded
    person: Codes | None
    entry_group: Codes
    entry_value: dict[str, Codes]
    entry_count: npt.NDArray[np.int64] | None
    counts: npt.NDArray[np.int64] | None
    values_by_row: bool
    cells: dict[str, Codes]
    records: Coded | None
    counterfeits: dict[int, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows in the file."""
        return len(self.group.codes)

    @property
    def people(self) -> int:
        """Number of people, counterfeits among them, that the rows stand for."""
        return self.rows if self.counts is None else int(self.counts.sum())

    def without(self, rows: npt.NDArray[np.intp]) -> Release:
        """Return the release less some rows, each with its person and its value.

        Raises:
            ValueError: values do not stand beside their rows.
        """
        if not self.values_by_row:
            raise ValueError("an Anatomy pair does not tell which value is whose")

        def less(codes: Codes) -> Codes:
            return np.delete(codes, rows)

        def less_coded(coded: Coded) -> Coded:
            return replace(coded, codes=less(coded.codes))

        return replace(
            self,
            group=less_coded(self.group),
            person=None if self.person is None else less(self.person),
            entry_group=less(self.entry_group),
            entry_value={name: less(codes) for name, codes in self.entry_value.items()},
            entry_count=None if self.entry_count is None else np.delete(self.entry_count, rows),
            counts=None if self.counts is None else np.delete(self.counts, rows),
            cells={name: less(codes) for name, codes in self.cells.items()},
            records=None if self.records is None else less_coded(self.records),
        )


def read_release(
    series: Series,
    position: int,
    attributes: Sequence[str],
    problems: Problems,
    *,
    key: bool,
    records: bool,
    checked: bool = False,
) -> Release | None:
    """Read one release of a series, noting every trouble in `problems`; None when too much of it is amiss.

    Its rows' cells are read for the quasi-identifiers named, its key and its record ids when asked for. `checked` says
    that it was read before, and that nobody has two rows in it.
    """
    reading = _Reading(series, position, attributes, key, records, problems)
    reading.checked = checked
    return reading.release()


class _Reading:
    """The reading of one release."""

    def __init__(
        self, series: Series, position: int, attributes: Sequence[str], key: bool, records: bool, problems: Problems
    ) -> None:
        self.series = series
        self.columns = series.manifest.columns
        self.files = series.manifest.releases[position]
        self.key = key and series.keyed
        self.record = self.columns.record if records else None
        # Without a group column the cells make the groups.
        self.attributes = attributes if self.columns.group else self.columns.quasi_identifiers
        self.problems = problems
        self.checked = False

    def release(self) -> Release | None:
        table = self.table()
        if table is None:
            return None
        if table.rows == 0:
            line = None if table.path.name.endswith(".parquet") else 2
            self.problems.add(self.files.shown, "the release has no rows", "drop it from the series", line=line)
            return None
        cells = {name: self.cells(table, name) for name in self.attributes}
        group = self.group(table, cells)
        counts = self.counts(table)
        person = self.person(table) if self.key else None
        anatomy = self.files.values is not None
        entries = self.pair(table, group) if anatomy else self.entries(table, group, counts)
        if entries is None:
            return None
        return Release(
            tag=self.files.tag,
            group=group,
            person=person,
            entry_group=entries[0],
            entry_value=entries[1],
            entry_count=entries[2],
            counts=counts,
            values_by_row=not anatomy,
            cells=cells,
            records=None if self.record is None else self.records(table, self.record),
            counterfeits=self.counterfeits(group, person, entries),
        )

    def table(self) -> Table | None:
        c = self.columns
        wanted = [*self.attributes, c.group, self.record, None if self.files.values else c.count]
        if self.files.values is None:
            wanted += c.sensitive
        if self.key and not is_there(self.series.key_path(self.files)):
            wanted.append(c.individual)
        names = list(dict.fromkeys(name for name in wanted if name))
        return read_table(self.files.rows, self.files.shown, names, self.problems)

    def note(self, table: Table, row: int, column: str | None, what: str, remedy: str) -> None:
        self.problems.add(table.shown, what, remedy, line=table.line(row), column=column)

    def filled(self, table: Table, column: str, coded: Coded, what: str, remedy: str) -> None:
        """Note the first empty cell of a column that may have none."""
        if coded.names is not None and "" in coded.names:
            table.note_first(coded.codes == list(coded.names).index(""), column, what, remedy, self.problems)

    def cells(self, table: Table, name: str) -> Codes:
        """Return the numbers of a quasi-identifier's cells by row, noting the cells that cannot be read."""
        codes, names = text_codes(table.arrow(name))
        numbers, errors = self.series.attributes[name].numbers(names)
        for place, error in errors:
            rows = np.flatnonzero(codes == place)
            if len(rows):
                self.note(table, int(rows[0]), name, error.what, error.remedy)
        return numbers[codes] if names else codes

    def group(self, table: Table, cells: dict[str, Codes]) -> Coded:
        """Return the groups by row; without a group column, rows with equal cells form one."""
        name = self.columns.group
        if name is not None:
            coded = table.coded(name)
            self.filled(table, name, coded, "the row belongs to no group", "write the row's group")
            return coded
        bounds = [(codes, len(self.series.attributes[name].cells)) for name, codes in cells.items()]
        key, _ = combine(bounds, table.rows)
        _, first, groups = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        names = [str(place + 1) for place in range(len(first))]
        return Coded(order[groups].astype(np.int32), len(first), names)

    def counts(self, table: Table) -> npt.NDArray[np.int64] | None:
        name = self.columns.count
        return self.whole_numbers(table, name) if name is not None and name in table else None

    def whole_numbers(self, table: Table, column: str) -> npt.NDArray[np.int64]:
        """Return a column of counts, noting the first cell that is none."""
        counts = table.whole_numbers(column)
        wrong = np.flatnonzero(counts < 1)
        if len(wrong):
            remedy = "write a whole number from 1"
            self.note(table, int(wrong[0]), column, "the cell is no count of people", remedy)
        return counts

    def person(self, table: Table) -> Codes | None:
        path = self.series.key_path(self.files)
        if not is_there(path):
            codes = self.series.people.encode(table.arrow(str(self.columns.individual)))
            self.distinct(table, codes, str(self.columns.individual))
            return codes
        key = read_table(path, self.series.manifest.shown(path), ["row", "individual"], self.problems)
        if key is None:
            return None
        rows = key.whole_numbers("row")
        return self.placed(table, key, rows, self.series.people.encode(key.arrow("individual")))

    def placed(self, table: Table, key: Table, rows: npt.NDArray[np.int64], people: Codes) -> Codes | None:
        """Put a key file's people at their rows; each row of the release has exactly one line in the key."""
        outside = np.flatnonzero((rows < 0) | (rows >= table.rows))
        if len(outside):
            what = f"there is no such row in {table.shown}, which has {table.rows}, counted from 0"
            self.note(key, int(outside[0]), "row", what, "write the key anew from the release")
            return None
        lines = np.bincount(rows, minlength=table.rows)
        wrong = np.flatnonzero(lines != 1)
        if len(wrong):
            times = "no line" if lines[wrong[0]] == 0 else f"{lines[wrong[0]]} lines"
            what = f"row {wrong[0]} of {table.shown}, counted from 0, has {times} in the key"
            places = np.flatnonzero(rows == wrong[0])
            line = key.line(int(places[-1])) if len(places) else None
            self.problems.add(key.shown, what, "write one line for each row", line=line, column="row")
            return None
        self.distinct(key, people, "individual")
        codes = np.full(table.rows, NOBODY, dtype=np.int32)
        codes[rows] = people
        return codes

    def records(self, table: Table, column: str) -> Coded:
        """Return the record ids by row, noting the first row that has none, or that of another row."""
        coded = table.coded(column)
        self.filled(table, column, coded, "the row has no record id", "write its record's id")
        place = np.zeros(coded.size, dtype=np.intp)
        place[coded.codes] = np.arange(table.rows)
        empty = list(coded.names or ()).index("") if "" in (coded.names or ()) else NOBODY
        again = np.flatnonzero((place[coded.codes] != np.arange(table.rows)) & (coded.codes != empty))
        if len(again):
            what = f"this record has another row in line {table.line(int(place[coded.codes[again[0]]]))}"
            self.note(table, int(again[0]), column, what, "keep one row for each record and release")
        return coded

    def distinct(self, table: Table, people: Codes, column: str) -> None:
        """Note the first person who has two rows in this release."""
        if self.checked:
            return
        rows, others = self.series.people.repeated(people)
        if len(rows):
            what = f"this person has another row in line {table.line(int(others[0]))}"
            self.note(table, int(rows[0]), column, what, "keep one row for each person and release")

    def value_codes(self, table: Table, name: str) -> Codes:
        codes, names = text_codes(table.arrow(name))
        if "" not in self.columns.missing:
            self.filled(table, name, Coded(codes, len(names), names), "the row has no value", "write its value")
        number = self.series.vocabularies[name].add(names)
        return codes if np.array_equal(number, np.arange(len(names))) else number.take(codes)

    def entries(
        self, table: Table, group: Coded, counts: npt.NDArray[np.int64] | None
    ) -> tuple[Codes, dict[str, Codes], npt.NDArray[np.int64] | None]:
        values = {name: self.value_codes(table, name) for name in self.columns.sensitive}
        return group.codes, values, counts

    def pair(self, rows: Table, group: Coded) -> tuple[Codes, dict[str, Codes], npt.NDArray[np.int64]] | None:
        """Read the values of an Anatomy pair, and check that each group has as many values as rows."""
        group_column, count = str(self.columns.group), self.columns.count or "count"
        wanted = [group_column, *self.columns.sensitive, count]
        table = read_table(self.files.values or Path(), self.files.values_shown, wanted, self.problems)
        if table is None:
            return None
        counts = self.whole_numbers(table, count)
        groups = table.coded(group_column)
        number = {group.name(code): code for code in np.unique(group.codes)}
        of_code = {code: number.get(groups.name(code), NOBODY) for code in np.unique(groups.codes)}
        codes = np.array([of_code[code] for code in groups.codes], dtype=np.int32)
        strays = np.flatnonzero(codes == NOBODY)
        if len(strays):
            what = f"no row of {rows.shown} is in this group"
            self.note(table, int(strays[0]), group_column, what, "give the pair the same groups")
            return None
        have = np.bincount(codes, weights=counts, minlength=group.size).astype(np.int64)
        need = np.bincount(group.codes, minlength=group.size)
        wrong = np.flatnonzero(have != need)
        if len(wrong):
            place = int(np.flatnonzero(group.codes == wrong[0])[0])
            what = f"this row's group has {need[wrong[0]]} rows but {have[wrong[0]]} values in {table.shown}"
            self.note(rows, place, group_column, what, "publish one value for each row")
            return None
        values = {name: self.value_codes(table, name) for name in self.columns.sensitive}
        return codes, values, counts

    def counterfeits(
        self,
        group: Coded,
        person: Codes | None,
        entries: tuple[Codes, dict[str, Codes], npt.NDArray[np.int64] | None],
    ) -> dict[int, int]:
        """Read the published counterfeit counts, and hold them against the groups and the key."""
        name = self.series.manifest.counterfeits.get(self.files.tag)
        if name is None:
            return {}
        if self.columns.group is None:
            what = "counterfeits are counted by group, and the series has no group column"
            self.problems.add(name, what, "name the group column in the manifest")
            return {}
        table = self.series.side_table(name, [self.columns.group, "Count"], self.problems)
        if table is None:
            return {}
        number = {group.name(code): code for code in np.unique(group.codes)}
        size = np.bincount(entries[0], weights=entries[2], minlength=group.size)
        found: dict[int, int] = {}
        for row, (label, text) in enumerate(zip(table.texts(self.columns.group), table.texts("Count"), strict=True)):
            count, code = whole_number(text), number.get(label, NOBODY)
            if code == NOBODY or code in found:
                what = "the group is not in the release" if code == NOBODY else "the group stands twice"
                self.note(table, row, self.columns.group, what, "write each group of the release at most once")
            elif not 0 <= count <= size[code]:
                what = "the cell is no count" if count < 0 else "the group has not so many rows"
                self.note(table, row, "Count", what, "write how many of the group's rows are counterfeits")
            else:
                found[code] = count
        self.agree(table, group, person, found)
        return found

    def agree(self, table: Table, group: Coded, person: Codes | None, found: dict[int, int]) -> None:
        """Note the first group whose published counterfeits are not those of the key."""
        if person is None or self.problems.found:
            return
        fake = (person == NOBODY) | np.append(self.series.people.is_counterfeit(), False)[person]
        keyed = np.bincount(group.codes[fake], minlength=group.size)
        for code in np.unique(group.codes):
            if keyed[code] != found.get(int(code), 0):
                what = (
                    f'group "{group.name(int(code))}" has {found.get(int(code), 0)} counterfeits here '
                    f"but {keyed[code]} in the key of {self.files.shown}"
                )
                self.problems.add(table.shown, what, "correct the count or the key", column="Count")
                return
