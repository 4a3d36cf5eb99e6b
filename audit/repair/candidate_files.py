"""Candidate files: write a changed candidate with its key and its counts of counterfeits, in the original form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from audit.io.dialect import UTF_8, Declared, Dialect, text_above
from audit.io.foreign_files import writable_name
from audit.io.manifest import as_file_name, key_name
from audit.io.paths import is_there
from audit.io.rules.rule import Renamed
from audit.io.table_forms import text_below
from audit.io.table_writer import write_table
from audit.io.tables import Table, header, read_table
from audit.model.arrays import NOBODY
from audit.model.errors import Problems, UsageError
from audit.repair.candidate_rows import CandidateRows, RepairPlan

_COUNT = "Count"


class CandidateFiles:
    """A candidate with the changes of a plan, ready to be written."""

    def __init__(self, rows: CandidateRows, plan: RepairPlan) -> None:
        self._rows, self._plan, self._files = rows, plan, rows.series.manifest.releases[-1]
        self._source = rows.order_of(plan)

    @property
    def _own_names(self) -> dict[str, str]:
        """The names that columns have in the candidate, by those in the series, where they differ."""
        called = self._rows.series.rules[Renamed].names.get(self._files.tag, {})
        return {name: old for old, name in called.items()}

    @property
    def key_column(self) -> str | None:
        """The name in the candidate of the column that says whose row it is; None without such a column."""
        column = self._rows.series.manifest.columns.individual
        return None if column not in self._rows.table.names else self._own_names.get(str(column), column)

    def write(self, folder: Path) -> list[Path]:
        """Write the changed candidate, with its key if that is a file, and return its tables.

        Each file has the delimiter and encoding of the original, its title and its notes below the table; workbooks and
        files of SAS, SPSS and Stata become CSV.

        The tables keep the names of the candidate's files. The key is `private/TAG.key.csv`. A register without the
        people of withheld rows is `private/TAG.register.csv`. Counterfeits are counted in `counterfeits/TAG.csv` if the
        series publishes that. The order of rows does not reveal the former groups.
        """
        rewritten, table = self._rewritten(), self._rows.table
        declared = self._rows.series.adjustments(self._files.tag).declared
        encoding = declared.encoding
        try:
            for text in (text for column in rewritten.values() for text in column.unique().to_pylist()):
                text.encode(encoding or UTF_8)
        except UnicodeEncodeError:
            what = f"{self._files.shown}: {encoding}, as is declared, lacks a letter of the changed cells"
            raise UsageError(f"{what}; write the candidate in UTF-8 first") from None
        own = self._own_names
        columns = {
            name: rewritten[name] if name in rewritten else table.arrow(name).take(pa.array(self._source))
            for name in table.names
        }
        written = [folder / writable_name(self._files.rows)]
        _write_as(self._files.rows, declared, _called(pa.table(columns), own), table.dialect, written[0])
        if self._files.values is not None:
            written.append(folder / writable_name(self._files.values))
            values = self._rows.read(self._files.values, self._files.values_shown)
            _write_as(self._files.values, declared, _called(self._values(values), own), values.dialect, written[1])
        self._write_key(folder)
        self._write_register(folder)
        self._write_counterfeits(folder)
        return written

    def _rewritten(self) -> dict[str, pa.Array]:
        """Return the changed columns, with rows in the order of writing."""
        rows, plan, source = self._rows, self._plan, self._source
        new: dict[str, pa.Array] = {}
        columns = rows.series.manifest.columns
        if columns.group is not None and (plan.group != rows.group).any():
            texts = np.array(rows.names, dtype=object)[plan.group[source]]
            new[columns.group] = pa.array(texts.tolist(), pa.string())
        for name, each, codes in zip(rows.attributes, rows.columns, rows.cells(plan), strict=True):
            if (codes != each.codes).any():
                used, place = np.unique(codes[source], return_inverse=True)
                known = np.array([rows.in_file(name, each.texts[code]) for code in used.tolist()], dtype=object)
                new[name] = pa.array(known[place].tolist(), pa.string())
        if plan.redrawn and columns.record is not None:
            new[columns.record] = pa.array(map(str, rows.new_ids[source].tolist()), pa.string())
        for name, first in self._numbering.items():
            new[name] = pa.array(map(str, range(first, first + len(source))), pa.string())
        return new

    @cached_property
    def _numbering(self) -> dict[str, int]:
        """The columns that number all rows, with the first number: gaps would show which rows are withheld."""
        columns, table, first = self._rows.series.manifest.columns, self._rows.table, dict[str, int]()
        for name in table.names if not np.array_equal(self._source, np.arange(table.rows)) else ():
            numbers = np.sort(table.whole_numbers(name))
            if name not in {*columns.named, columns.count} and numbers[0] >= 0 and (np.diff(numbers) == 1).all():
                first[name] = int(numbers[0])
        return first

    @property
    def numbered(self) -> tuple[str, ...]:
        """The names in the candidate of the columns that number its rows anew."""
        return tuple(self._own_names.get(name, name) for name in self._numbering)

    def _values(self, table: Table) -> pa.Table:
        """Return a pair's table of values, one line for each group and value, without withheld groups."""
        rows, plan = self._rows, self._plan
        columns = rows.series.manifest.columns
        texts = {name: table.texts(name) for name in table.names}
        if columns.group is None:
            raise UsageError("a pair without a group column cannot be repaired; name the column in the manifest")
        code = {name: code for code, name in enumerate(rows.names)}
        published = np.array([code[name] for name in texts[columns.group]], dtype=np.intp)
        texts[columns.group] = [rows.names[root] for root in plan.part[published].tolist()]
        count = columns.count or "count"
        key = [name for name in table.names if name != count]
        total: Counter[tuple[str, ...]] = Counter()
        held = np.bincount(rows.group[~plan.withheld], minlength=rows.groups) > 0
        for line in np.flatnonzero(held[published]).tolist():
            total[tuple(texts[name][line] for name in key)] += int(texts[count][line]) if count in texts else 1
        # Sorted if groups are changed, like the rows.
        lines = sorted(total) if (plan.group != rows.group).any() else list(total)
        if count not in texts:
            lines = [each for each in lines for _ in range(total[each])]
        found = {name: [each[place] for each in lines] for place, name in enumerate(key)}
        found[count] = [str(total[each]) for each in lines]
        return pa.table({name: pa.array(found[name], pa.string()) for name in table.names})

    def _write_key(self, folder: Path) -> None:
        """Write the key of the written rows, if the candidate has a key file."""
        rows, path = self._rows, self._files.key
        if path is None or not is_there(path):
            return
        shown, problems = rows.series.manifest.shown(path), Problems()
        names = problems.checked(header(path, shown, problems))
        key = problems.checked(read_table(path, shown, [*names], problems))
        in_file = self._source if rows.table.kept is None else rows.table.kept[self._source]
        columns = {"row": pa.array(np.arange(len(self._source)))}
        for name in key.less(["row"]).names:
            of_row = dict(zip(key.texts("row"), key.texts(name), strict=True))
            columns[name] = pa.array([of_row.get(str(row), "") for row in in_file.tolist()], pa.string())
        table = pa.table(columns)
        write_table(table, _private(folder) / key_name(rows.tag), mode=0o600, dialect=key.dialect)

    def register_in(self, folder: Path) -> Path | None:
        """Return the path of the written register; None if there is none or it is that of the series."""
        register = self._rows.register
        if register is None or not (
            register.came_with_candidate or (register.names_releases and self._plan.withheld.any())
        ):
            return None
        return folder / "private" / f"{as_file_name(self._rows.tag)}.register.csv"

    def _write_register(self, folder: Path) -> None:
        """Write the register that agrees with the written rows."""
        person, path = self._rows.person, self.register_in(folder)
        if self._rows.register is not None and path is not None:
            gone = np.zeros(0, dtype=np.int32) if person is None else person[self._plan.withheld]
            _private(folder)
            register = self._rows.register
            write_table(register.without(gone), path, mode=0o600, dialect=register.dialect)

    def _write_counterfeits(self, folder: Path) -> None:
        """Write the number of counterfeits of each group, if the series or the candidate publishes it."""
        rows, source = self._rows, self._source
        column, published = rows.series.manifest.columns.group, rows.series.manifest.counterfeits
        if column is None or not published or rows.person is None:
            return
        fake = (rows.person == NOBODY) | rows.series.people.counterfeits(rows.person)
        groups, counts = np.unique(self._plan.group[source[fake[source]]], return_counts=True)
        if not len(groups):
            return
        beside = folder / "counterfeits"
        beside.mkdir(exist_ok=True)
        names = pa.array([rows.names[group] for group in groups.tolist()], pa.string())
        write_table(pa.table({column: names, _COUNT: pa.array(counts)}), beside / f"{rows.tag}.csv")


def _write_as(original: Path, declared: Declared, table: pa.Table, dialect: Dialect | None, path: Path) -> None:
    """Write a table with the lines above and below that of the original file, if it is a text file."""
    above, below = ("", "") if dialect is None else (text_above(original, dialect), text_below(original, declared))
    write_table(table, path, dialect=dialect, above=above, below=below)


def _called(table: pa.Table, own: Mapping[str, str]) -> pa.Table:
    """Return a table with the names that its columns have in the file."""
    return table.rename_columns([own.get(name, name) for name in table.column_names])


def _private(folder: Path) -> Path:
    """Return the folder for private files; create it if necessary."""
    private = folder / "private"
    private.mkdir(mode=0o700, exist_ok=True)
    return private
