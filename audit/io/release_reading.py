"""Release reading: read the columns of one release, then, once the kinds of columns are known, their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from audit.io.cells import Kind
from audit.io.manifest import KEY_COLUMNS, key_name
from audit.io.notations import kind_of_days, single_day
from audit.io.paths import is_there
from audit.io.releases import CodedColumn, KeyedRelease, RowClasses, a_row_of_each, varies
from audit.io.rules.cell_meaning import ColumnTypes, Missing
from audit.io.rules.rows_and_values import EPISODES, LATEST, OF_PEOPLE, Date, SeveralRows, Unnamed
from audit.io.rules.spelling import Crosswalk
from audit.io.series import Series
from audit.io.tables import TOGETHER, Coded, Table, read_table, text_codes, whole_number
from audit.io.toml import toml_key, toml_line
from audit.model.arrays import NOBODY, Codes, Counts, Flags, Integers, Numbers, combine, numbered, row_ranks, tally
from audit.model.errors import InputError, Problems
from audit.model.report import ColumnShare
from audit.runtime.phrases import Phrase, printable, say, typed

SEVERAL_ROWS = Phrase(
    "keep one row for each person and release, or write under [columns] how several rows are judged: rows = "
    '"episodes" (each release and row is judged by itself), or rows = "latest" or "first" with date = "…"'
)


WRITE_DATES = Phrase("write dates as 2024-03-17, 17.03.2024 or 20240317, or all of them as months (2024-03 or 03/2024)")


class ReleaseReading:
    """The reading of one release of a series; every problem is noted in `problems`.

    Attributes:
        attributes: the quasi-identifiers whose cells are read.
        key: whether the person of each row is read.
        record: the column of published record ids; None if these are not read.
        own: the value of each row of an Anatomy pair in its key file, by attribute: codes, and their texts.
        texts: the texts of each quasi-identifier: codes by row, and the text of each code.
        renamed: where a crosswalk renames cells of a quasi-identifier, the texts that it renames, 0 for other cells.
        strangers: which rows belong to unknown people, shape (rows,); None if there are none.
        identifiers: the identifiers of the rows, or of the lines of the key file; None if there are none to read.
        people: their codes, once all columns of identifiers are read; shape of `identifiers`.
    """

    def __init__(
        self,
        series: Series,
        position: int,
        attributes: Sequence[str],
        problems: Problems,
        *,
        key: bool,
        records: bool,
    ) -> None:
        self.series, self.position, self.problems = series, position, problems
        self.columns = series.manifest.columns
        self.files = series.manifest.releases[position]
        episodes = self.columns.rules[SeveralRows].choice == EPISODES
        self.key = key and (series.has_key(self.files) if episodes else series.keyed)
        self.record = self.columns.record if records else None
        # Without a group column, equal cells form the groups.
        self.attributes = attributes if self.columns.group else self.columns.quasi_identifiers
        self.own: dict[str, tuple[Codes, Sequence[str]]] = {}
        self.texts: dict[str, tuple[Integers, Sequence[str]]] = {}
        self.renamed: dict[str, CodedColumn] = {}
        self.strangers: Flags | None = None
        self.people: Codes | None = None
        self._key_file: Table | None = None
        self._columns_read = self._begin()
        self.identifiers = (
            self._identifiers(self._columns_read) if self.key and self._columns_read is not None else None
        )

    def _begin(self) -> Table | None:
        """Read the columns; keep the quasi-identifiers in `texts`, and return the others."""
        table = self._table()
        if table is None:
            return None
        for name in self.columns.quasi_identifiers:
            codes, texts = text_codes(table.arrow(name))
            self.texts[name] = codes.astype(np.min_scalar_type(len(texts))), texts
        self.series.note_texts(self.position, {name: texts for name, (_, texts) in self.texts.items()})
        return table.less({*self.columns.quasi_identifiers} - {self.columns.rules[Date].column})

    def release(self) -> KeyedRelease | None:
        """Return the release; None after noting faults that prevent it."""
        table = self._columns_read
        if table is None:
            return None
        if table.rows == 0:
            line = None if table.path.name.endswith(".parquet") else 2
            self.problems.add(
                self.files.shown, say("the release has no rows"), say("drop it from the series"), line=line
            )
            return None
        cells = {name: self._cells(table, name) for name in self.attributes}
        group = self._group(table, cells)
        counts = self._counts(table)
        suppressed = self._suppressed(group, cells)
        columns, classes = self._classes(table, group, cells)
        people = counts
        if suppressed is not None:
            people = np.where(group.codes == suppressed, 0, np.int64(1) if counts is None else counts)
        few = table.rows <= MOST_ROWS and bool(columns)
        total = table.rows if counts is None else int(counts.sum())
        singling = singling_columns(self.columns.quasi_identifiers, columns, people, classes, total) if few else ()
        person = self._person(table) if self.key else None
        explained = self.files.tag in self.series.manifest.counterfeits
        of_people = self.columns.rules[Unnamed].choice == OF_PEOPLE and not explained
        if person is not None and of_people and (person == NOBODY).any():
            self.strangers = person == NOBODY
        owner, several = None, self.columns.rules[SeveralRows]
        if person is not None and several.several:
            owner, person = person, self._one_row_each(table, person) if several.one_counts else None
        anatomy = self.files.values is not None
        entries = self._pair(table, group) if anatomy else (group.codes, self._values(table), counts)
        if entries is None:
            return None
        release = KeyedRelease(
            tag=self.files.tag,
            group=group,
            classes=classes,
            person=person,
            entry_group=entries[0],
            entry_value=entries[1],
            entry_count=entries[2],
            counts=counts,
            values_by_row=not anatomy,
            cells=cells,
            records=None if self.record is None else self._records(table, self.record),
            suppressed=suppressed,
            singling=singling,
            strangers=self.strangers,
            owner=owner,
            own=self.own,
            texts=self.texts,
            renamed=self.renamed,
        )
        release = replace(release, counterfeits=self._counterfeits(release))
        if not release.counterfeits and release.nameless:
            self.series.unnamed[release.tag] = release.nameless
        return release

    def _table(self) -> Table | None:
        c, by_file = self.columns, is_there(self.series.manifest.key_path(self.files))
        wanted = [*c.quasi_identifiers, c.group, self.record]
        if self.files.values is None:
            wanted += [c.count, *c.sensitive]
        if self.key and not by_file:
            wanted.append(c.individual)
        if self.key and c.rules[SeveralRows].one_counts:
            wanted.append(c.rules[Date].column)
        names = list(dict.fromkeys(name for name in wanted if name))
        return self._read(self.files.rows, self.files.shown, names)

    def _one_row_each(self, table: Table, person: Codes) -> Codes:
        """Return the person of each row; rows of a person other than the latest (or first) become rows of strangers."""
        date = self.columns.rules[Date].column
        codes, texts = text_codes(table.arrow(str(date)))
        quasi = self.series.attributes.get(str(date)) if date in self.columns.quasi_identifiers else None
        declared = self.columns.rules[ColumnTypes].kinds.get(str(date))
        kind = quasi.kind if quasi is not None else Kind(declared) if declared is not None else kind_of_days(texts)
        rank, wrong = ranked_dates(texts, kind)
        if wrong is not None:
            row = int(np.flatnonzero(codes == wrong)[0])
            what = say("the cell is not a date")
            remedy = str(WRITE_DATES)
            day_first, month_first = Kind.DAY_FIRST, Kind.MONTH_FIRST
            if None not in (single_day(texts[wrong], day_first), single_day(texts[wrong], month_first)):
                what = say("the column does not show which number is the day and which the month")
                line = f'types = {{ {toml_key(printable(str(date)))} = "{day_first.value}" }}'
                remedy = say('write {line} under [columns], or "{other}" there', line=line, other=month_first.value)
            self._note(table, row, date, what, remedy)
            return person
        further = further_rows(person, rank[codes], latest=self.columns.rules[SeveralRows].choice == LATEST)
        if further.any():
            self.strangers = further if self.strangers is None else self.strangers | further
        return np.where(further, NOBODY, person).astype(np.int32)

    def _read(self, path: Path, shown: str, names: Sequence[str]) -> Table | None:
        distinct, adjustments = (self.columns.individual, self.columns.record), self.series.adjustments(self.files.tag)
        # Warnings need the identifiers, which are dropped once their texts are recorded.
        further = adjustments.named_there(path, shown, filter(None, distinct)) or []
        every = list(dict.fromkeys([*names, *further]))
        table = adjustments.read_written(path, shown, every, self.problems, distinct=distinct)
        if table is None:
            return None
        self.series.record(self.position, table)
        adjusted = adjustments.adjusted(table.less({*further} - {*names}), names)
        rules = adjustments.rules
        for name in filter(table.__contains__, self.columns.quasi_identifiers):
            if rules[Crosswalk].respelling(name, adjustments.tag, str) is not None:
                written = rules.without(Crosswalk).respelled(table, {name: name}, adjustments.tag)
                self.renamed[name] = _renamed(written.arrow(name), adjusted.arrow(name))
        return adjusted

    def _note(self, table: Table, row: int, column: str | None, what: str, remedy: str) -> None:
        self.problems.add(table.shown, what, remedy, line=table.line(row), column=column)

    def _filled(self, table: Table, column: str, coded: Coded, what: str, remedy: str) -> None:
        """Note the first empty cell of a column that must not have any."""
        if "" in coded.names:
            table.note_first(coded.codes == list(coded.names).index(""), column, what, remedy, self.problems)

    def _cells(self, table: Table, name: str) -> Codes:
        """Return the numbers of a quasi-identifier's cells by row, and note the cells that cannot be read."""
        codes, names = self.texts[name]
        numbers, errors = self.series.attributes[name].numbers(names)
        for place, error in errors:
            rows = np.flatnonzero(codes == place)
            if len(rows):
                self._note(table, int(rows[0]), name, error.what, error.remedy)
        return numbers[codes]

    def _suppressed(self, group: Coded, cells: Mapping[str, Codes]) -> int | None:
        """Return the group of the rows with `*` in all quasi-identifiers; None without such rows, or without others."""
        if self.columns.group is not None or self.columns.record is not None or not cells:
            return None
        stars = np.logical_and.reduce([codes == self.series.attributes[name].anything for name, codes in cells.items()])
        return int(group.codes[stars.argmax()]) if stars.any() and not stars.all() else None

    def _classes(self, table: Table, group: Coded, cells: dict[str, Codes]) -> tuple[list[CodedColumn], RowClasses]:
        """Return the quasi-identifiers as codes, and the classes of rows with equal cells.

        Columns are compared by their texts. But in a plain table, those in which rows of one group differ are added to
        `cells`, and compared by the meaning of their cells. Cells that a crosswalk makes equal differ in the file.
        """
        rows = a_row_of_each(group)
        varying = [
            name
            for name, (codes, _) in self.texts.items()
            if varies(group, rows, codes) or (name in self.renamed and varies(group, rows, self.renamed[name][0]))
        ]
        for name in varying if self.files.values is None else ():
            if name not in cells:
                cells[name] = self._cells(table, name)
        columns: dict[str, CodedColumn] = {}
        for name, (codes, texts) in self.texts.items():
            if name not in cells and "" in texts and (empty := codes == texts.index("")).any():
                for _, error in self.series.attributes[name].numbers([""])[1]:
                    self._note(table, int(empty.argmax()), name, error.what, error.remedy)
            read = name in cells
            columns[name] = (cells[name], len(self.series.attributes[name].cells)) if read else (codes, len(texts))
            if name in self.renamed:
                columns[name] = combine([columns[name], self.renamed[name]], table.rows)
        several = [columns[name] for name in varying if varies(group, rows, columns[name][0])]
        return [*columns.values()], RowClasses.of(group, rows, [*columns.values()], several)

    def _group(self, table: Table, cells: dict[str, Codes]) -> Coded:
        """Return the group of each row; without a group column, the rows with equal published cells form a group."""
        name = self.columns.group
        if name is not None:
            coded = table.coded(name)
            self._filled(table, name, coded, say("the row belongs to no group"), say("write the row's group"))
            return coded
        bounds = [(codes, len(self.series.attributes[name].cells)) for name, codes in cells.items()]
        key, _ = combine([*bounds, *self.renamed.values()], table.rows)
        _, first, groups = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        names = [str(place + 1) for place in range(len(first))]
        return Coded(order[groups].astype(np.int32), len(first), names)

    def _counts(self, table: Table) -> Counts | None:
        name = self.columns.count
        return self._whole_numbers(table, name) if name is not None and name in table else None

    def _whole_numbers(self, table: Table, column: str) -> Counts:
        """Return a column of counts, and note the first cell that is not a whole number."""
        counts = table.whole_numbers(column)
        wrong = np.flatnonzero(counts < 1)
        if len(wrong):
            remedy = say("write a whole number from 1")
            self._note(table, int(wrong[0]), column, say("the cell is not a number of people"), remedy)
            counts = np.maximum(counts, 1)  # so that reading goes on, and notes other faults, too
        return counts

    def _identifiers(self, table: Table) -> pa.Array | None:
        """Return the identifiers of the rows, or of the lines of the key file; None after noting a problem."""
        path, name = self.series.manifest.key_path(self.files), self.columns.individual
        shown = self.series.manifest.shown(path)
        if not is_there(path):
            if name is None or name not in table:
                what = say("the key file has disappeared")
                self.problems.add(shown, what, say("put it back, and run the audit again"))
                return None
            return table.arrow(name)
        own = [each for each in self.columns.sensitive if self.files.values and each not in KEY_COLUMNS]
        key = read_table(path, shown, KEY_COLUMNS, self.problems, optional=own, distinct=KEY_COLUMNS)
        self._key_file = None if key is None else self.columns.rules.respelled(key)
        return None if self._key_file is None else self._key_file.arrow("individual")

    def _person(self, table: Table) -> Codes | None:
        people, self.people, key = self.people, None, self._key_file
        if people is None:
            return None
        if key is None:
            self._distinct(table, people, str(self.columns.individual))
            return people
        rows = key.whole_numbers("row")
        if table.kept is not None:  # ignored rows are counted in the key, but the key's lines about them are dropped
            inside = (rows >= 0) & (rows < table.in_file)
            own = key.path.name == key_name(self.files.tag)  # else it may be about all rows of the file
            if own and table.of_release is not None and (elsewhere := inside & ~np.isin(rows, table.of_release)).any():
                what = say(
                    'the row of {file} with this number, counted from 0, is not one of release "{tag}"',
                    file=table.shown,
                    tag=printable(self.files.tag),
                )
                remedy = say("count the rows of the whole file, those of the other releases as well")
                key.note_first(elsewhere, "row", what, remedy, self.problems)
                return None
            place = numbered(table.kept, table.in_file)
            rows = np.where(inside, place[np.where(inside, rows, 0)], rows)
            ignored = inside & (rows == NOBODY)
            key, rows, people = key.without(ignored), rows[~ignored], people[~ignored]
        return self._placed(table, key, rows, people)

    def _placed(self, table: Table, key: Table, rows: Counts, people: Codes) -> Codes | None:
        """Return the person of each row by a key file, and keep its values in `own`.

        A row without a line in the key belongs to a stranger.
        """
        outside = np.flatnonzero((rows < 0) | (rows >= table.rows))
        if len(outside):
            what = say(
                "there is no such row in {file}, which has {rows}, counted from 0",
                file=table.shown,
                rows=table.in_file or table.rows,
            )
            remedy = say("write the key file again from the release")
            if rows.min() == 1:
                remedy = say("count the rows from 0: the first row is 0")
            self._note(key, int(outside[0]), "row", what, remedy)
            return None
        lines = np.bincount(rows, minlength=table.rows)
        wrong = np.flatnonzero(lines > 1)
        if len(wrong):
            what = say(
                "row {row} of {file}, counted from 0, has {lines} lines in the key",
                row=str(wrong[0]),
                file=table.shown,
                lines=int(lines[wrong[0]]),
            )
            line = key.line(int(np.flatnonzero(rows == wrong[0])[-1]))
            self.problems.add(key.shown, what, say("write one line for each row"), line=line, column="row")
            return None
        self.strangers = None if lines.all() else lines == 0
        self._distinct(key, people, "individual")

        def at_rows(codes: Codes, elsewhere: int) -> Codes:
            found = np.full(table.rows, elsewhere, dtype=np.int32)
            found[rows] = codes
            return found

        for name in key.less(KEY_COLUMNS).names:
            codes, texts = text_codes(key.arrow(name))
            self.own[name] = at_rows(codes, len(texts)), [*texts, ""]
        return at_rows(people, NOBODY)

    def _records(self, table: Table, column: str) -> Coded:
        """Return the record id of each row; note the first row without one, and the first that repeats one."""
        coded = table.coded(column)
        self._filled(table, column, coded, say("the row has no record id"), say("write its record's id"))
        place = numbered(coded.codes, coded.size)
        empty = list(coded.names).index("") if "" in coded.names else NOBODY
        again = np.flatnonzero((place[coded.codes] != np.arange(table.rows)) & (coded.codes != empty))
        if len(again):
            what = say(
                "this record has another row in line {line}", line=str(table.line(int(place[coded.codes[again[0]]])))
            )
            remedy = say(
                "keep one row for each record and release; a column that several people share, as a household's "
                "number, is no record id: let `{command}` ask again, or write {example} with the column that counts "
                "these people",
                command=typed("audit init SERIES --confirm"),
                example=f"record = {toml_line([*printable(column).split(TOGETHER), '…'])}",
            )
            self._note(table, int(again[0]), column, what, remedy)
        return coded

    def _distinct(self, table: Table, people: Codes, column: str) -> None:
        """Note the first person with several rows, unless a rule says how these are judged."""
        rows, last = self.series.people.repeated(people)
        if len(rows) and not self.columns.rules[SeveralRows].several:
            many, extra = len(np.unique(people[rows])), len(rows)
            where = say("this person has another row in line {line}", line=str(table.line(int(last[0]))))
            if many > 1:
                where += say(" ({many} people have several rows here, {extra} rows too many)", many=many, extra=extra)
            self._note(table, int(rows[0]), column, where, str(SEVERAL_ROWS))

    def _value_codes(self, table: Table, name: str) -> Codes:
        codes, names = text_codes(table.arrow(name))
        if "" not in self.columns.rules[Missing].texts:
            self._filled(
                table, name, Coded(codes, len(names), names), say("the row has no value"), say("write its value")
            )
        for rule in self.series.adjustments(self.files.tag).rules:
            for place, what, remedy in rule.wrong_values(name, names):
                table.note_first(codes == place, name, what, remedy, self.problems)
        number = self.series.vocabularies[name].add(names)
        return codes if np.array_equal(number, np.arange(len(names))) else number.take(codes)

    def _values(self, table: Table) -> dict[str, Codes]:
        return {name: self._value_codes(table, name) for name in self.columns.sensitive}

    def _pair(self, rows: Table, group: Coded) -> tuple[Codes, dict[str, Codes], Counts | None] | None:
        """Read the values of an Anatomy pair, and check that each group has as many values as rows."""
        group_column, count = str(self.columns.group), self.columns.count or "count"
        wanted = [group_column, *self.columns.sensitive, count]
        table = self._read(self.files.values or Path(), self.files.values_shown, wanted)
        if table is None:
            return None
        counts = self._whole_numbers(table, count)
        groups = table.coded(group_column)
        number = group.by_name()
        codes = np.array([number.get(name, NOBODY) for name in groups.names], dtype=np.int32)[groups.codes]
        strays = np.flatnonzero(codes == NOBODY)
        if len(strays):
            what = say("no row of {file} is in this group", file=rows.shown)
            self._note(table, int(strays[0]), group_column, what, say("use the same groups in both files of the pair"))
            return None
        have = np.bincount(codes, weights=counts, minlength=group.size).astype(np.int64)
        need = np.bincount(group.codes, minlength=group.size)
        wrong = np.flatnonzero(have != need)
        if len(wrong):
            place = int(np.flatnonzero(group.codes == wrong[0])[0])
            what = say(
                "this row's group has {rows} rows but {values} values in {file}",
                rows=int(need[wrong[0]]),
                values=int(have[wrong[0]]),
                file=table.shown,
            )
            self._note(rows, place, group_column, what, say("publish one value for each row"))
            return None
        return codes, self._values(table), None if (counts == 1).all() else counts

    def _counterfeits(self, release: KeyedRelease) -> dict[int, int]:
        """Return the published number of counterfeits by group code; note what contradicts the groups or the key."""
        name = self.series.manifest.counterfeits.get(self.files.tag)
        if name is None:
            return {}
        if self.columns.group is None:
            what = say("counterfeits are counted by group, and the series has no group column")
            self.problems.add(name, what, say("name the group column in the manifest"))
            return {}
        table = self.series.side_table(name, [self.columns.group, "Count"], self.problems)
        if table is None:
            return {}
        number, size = release.group.by_name(), release.group_people()
        found: dict[int, int] = {}
        for row, (label, text) in enumerate(zip(table.texts(self.columns.group), table.texts("Count"), strict=True)):
            count, code = whole_number(text), number.get(label, NOBODY)
            if code == NOBODY or code in found:
                what = say("the group is not in the release") if code == NOBODY else say("the group is on two lines")
                self._note(table, row, self.columns.group, what, say("write each group of the release at most once"))
            elif not 0 <= count <= size[code]:
                what = say("the cell is not a count") if count < 0 else say("the group has fewer rows than that")
                self._note(table, row, "Count", what, say("write how many of the group's rows are counterfeits"))
            else:
                found[code] = count
        self._agree(table, release, found)
        return found

    def _agree(self, table: Table, release: KeyedRelease, found: dict[int, int]) -> None:
        """Note the first group whose published number of counterfeits differs from the key's."""
        fake = release.counterfeit_rows(self.series.people)
        if fake is None or self.problems.found:
            return
        keyed = np.bincount(release.group.codes[fake], minlength=release.group.size)
        for name, code in release.group.by_name().items():
            if keyed[code] != found.get(code, 0):
                what = say(
                    'group "{group}" has {here} counterfeits here but {keyed} in the key of {file}',
                    group=name,
                    here=found.get(code, 0),
                    keyed=int(keyed[code]),
                    file=self.files.shown,
                )
                self.problems.add(table.shown, what, say("correct the count or the key"), column="Count")
                return


SMALL = 5
"""A group of fewer equal rows is small, by a rule of thumb of statistical offices."""
MOST_ROWS = 2_000_000
"""In larger releases columns are not searched for singling out."""

_TOGETHER = 3
"""The most columns that are combined."""


def _renamed(written: pa.Array, read: pa.Array) -> CodedColumn:
    """Return the number of each row's text as written where it is read as another text, and 0 elsewhere."""
    (of_row, texts), (codes, names) = text_codes(written), text_codes(read)
    at = a_row_of_each(Coded(of_row, len(texts), texts))
    changed = [place + 1 if names[codes[at[place]]] != text else 0 for place, text in enumerate(texts)]
    return np.array(changed, dtype=np.int32)[of_row], len(texts) + 1


def singling_columns(
    names: Sequence[str],
    columns: Sequence[tuple[Integers, int]],
    people: Counts | None,
    classes: RowClasses,
    total: int,
) -> tuple[ColumnShare, ...]:
    """Return the effect of each quasi-identifier, then of combinations; nothing if all groups are large.

    A combination starts with the column that makes the most rows unique. While a further column makes more rows unique,
    the one that makes the most is added; a combination has at most three columns, and never all.

    Args:
        names: the names of the columns.
        columns: the cells of each, as codes by row, shape (rows,), and a bound on the codes.
        people: how many people each row stands for; None for one each.
        classes: the classes of rows with equal cells.
        total: the number of people of all rows, suppressed ones included.
    """
    size = _sizes(classes.looks, tally(classes.row.codes, classes.row.size, people))
    if (size >= SMALL).all():
        return ()
    size = size[classes.row.codes]
    people = np.ones(len(size), dtype=np.int64) if people is None else people

    def alike_in(places: Sequence[int]) -> Numbers:
        return _sizes(row_ranks([columns[at] for at in places], len(people)), people)

    def share(of_rows: Flags) -> float:
        return int(people[of_rows].sum()) / total

    def unique(places: Sequence[int]) -> float:
        return share(alike_in(places) == 1)

    def shares(*places: int) -> ColumnShare:
        without = alike_in([at for at in every if at not in places])
        alone, small = share((size == 1) & (without > 1)), share((size < SMALL) & (without >= SMALL))
        return ColumnShare(" + ".join(names[at] for at in places), alone, small, unique(places))

    every = range(len(names))
    found = [shares(at) for at in every]
    together = [max(every, key=lambda at: found[at].by_itself)]
    before = found[together[0]].by_itself
    while len(together) < min(_TOGETHER, len(names) - 1):
        more = {at: unique([*together, at]) for at in every if at not in together}
        added = max(more, key=lambda at: more[at])
        if more[added] <= before:
            break
        together, before = [*together, added], more[added]
        found.append(shares(*together))
    return tuple(found)


def _sizes(alike: Codes, people: Numbers) -> Numbers:
    """Return, for each row, the number of people with equal cells; shape (rows,)."""
    return np.bincount(alike, weights=people).astype(np.int64)[alike]


def begin(
    series: Series, positions: Iterable[int], attributes: Sequence[str] = (), *, key: bool = True, records: bool = False
) -> list[ReleaseReading]:
    """Read the columns of some releases; `finish` reads the meaning of their cells, and returns the releases.

    Args:
        series: the series.
        positions: the releases, counted from 0.
        attributes: the quasi-identifiers whose cells are read.
        key: whether to read the people of the rows.
        records: whether to read the published record ids.
    """
    readings, problems = list[ReleaseReading](), Problems()
    for position in positions:
        readings.append(ReleaseReading(series, position, attributes, problems, key=key, records=records))
    return readings


def finish(series: Series, readings: list[ReleaseReading]) -> Iterator[KeyedRelease]:
    """Yield the releases that were read, and drop their readings.

    Raises:
        InputError: a file is faulty; the problems of all releases are reported.
    """
    _number_people(series, [each for each in readings if each.identifiers is not None])
    while readings:
        reading = readings.pop(0)
        release, problems = reading.release(), reading.problems
        if release is None or problems.found:
            for each in readings:
                each.release()
            in_order = {files.shown: place for place, files in enumerate(series.manifest.releases)}
            problems.found.sort(key=lambda p: in_order.get(p.file, len(in_order)))
            raise InputError(problems.found)
        yield release


def _number_people(series: Series, readings: Sequence[ReleaseReading]) -> None:
    """Give codes to the people of releases, in place of their identifiers."""
    codes = series.people.encode_all([each.identifiers for each in readings])
    for each, people in zip(readings, codes, strict=True):
        each.people = series.coded[each.position] = people
        each.identifiers = None


def read_release(
    series: Series, position: int, attributes: Sequence[str] = (), *, key: bool = True, records: bool = False
) -> KeyedRelease:
    """Read one release; the arguments are those of `begin`.

    Raises:
        InputError: the file is faulty.
    """
    return next(finish(series, begin(series, [position], attributes, key=key, records=records)))


def further_rows(person: Codes, rank: Numbers, *, latest: bool) -> Flags:
    """Return which rows are not the latest, or the first, of their person; shape (rows,), bool.

    Of rows with the same rank, the last (or the first) one of the file counts.
    """
    sign, further = 1 if latest else -1, np.ones(len(person), dtype=np.bool_)
    order = np.lexsort((sign * np.arange(len(person)), sign * rank, person))
    further[order[np.append(np.diff(person[order]) != 0, True)]] = False
    return further & (person != NOBODY)


_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[./]([0-9]{4})")


def ranked_dates(texts: Sequence[str], kind: Kind) -> tuple[Numbers, int | None]:
    """Return the rank of each text as a date or a plain number, and the index of the first text that is neither.

    The ranks have shape (len(texts),), int64; an empty text comes first, and times of day count. The index is None if
    all texts are dates, numbers or empty. Months are dates if all texts are months: beside days they have no order.
    """
    if all(map(_MONTH.fullmatch, filter(None, texts))):
        texts = [_MONTH.sub(r"01.\2\3.\1\4", text) for text in texts]
    keys: list[tuple[int, tuple[int, ...]]] = []
    wrong = None
    for place, text in enumerate(texts):
        day = single_day(text, kind)
        if day is None and text.isascii() and text.isdigit() and len(text) < 16:
            day = int(text)
        if day is None and text:
            wrong = place if wrong is None else wrong
        time = re.split("[ T]", text, maxsplit=1)[-1] if ":" in text else ""
        keys.append((-1 if day is None else day, tuple(map(int, re.findall("[0-9]+", time)))))
    order = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([order[key] for key in keys], dtype=np.int64), wrong
