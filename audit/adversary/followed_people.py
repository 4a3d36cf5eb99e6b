"""People followed by published record ids: the series as one release, whose rows are its records.

The id of a record is one more attribute of its rows, and it never changes. A person who is known to be in some
releases, in known row classes (`linked`) or with known exact quasi-identifiers (`register`), is a record in the same
releases and in matching row classes; no two people are the same record. Records that are in the same row classes in all
releases form a class. Values never change, so a record has one combination of values. So the whole knowledge has the
form of one release: classes of records with their values, and the people who may be in each. The id itself discloses
nothing; the common part of the possible values does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from audit.adversary.held_series import (
    ABSENT,
    CombinedVocabulary,
    HeldSeries,
    SeenRelease,
    TooManyRecordsError,
    fitting_pairs,
    kinds_of_rows,
    record_of,
)
from audit.adversary.known_groups import KnownGroups
from audit.io import manifest as manifests
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import without_whole
from audit.io.cells import Anything, Cell, Interval, Kind, Masked, NumberSet, ValueSet, intersect, show
from audit.io.release_reading import read_release
from audit.io.rules.cell_meaning import Changing
from audit.io.tables import Coded
from audit.io.toml import toml_key, toml_text
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Counts, Flags, Places, ragged, starts
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.evidence import (
    CandidateGroups,
    CandidatePools,
    Members,
    PublishedRows,
    Records,
    ValueCounts,
    WrongCellError,
)
from audit.runtime.phrases import Reason, ReasonKind, printable, say, say_count

# -- records ----------------------------------------------------------------------------------------------------------


class RecordContents:
    """The distinct contents of one quasi-identifier's cells, numbered: of published cells, and of intersections.

    Two cells that cover the same values have one number. If a hierarchy lists all values, `*` is that list, and a
    masked prefix is the list of values that match; a text with commas is the list of its parts.

    Attributes:
        attribute: the quasi-identifier.
        release: the only release that says anything about it, where it changes with time; None for all.
        name: its name; where it changes, with the tag of the release.
    """

    def __init__(self, attribute: QuasiIdentifier, release: int | None = None, tag: str = "") -> None:
        self.attribute, self.release = attribute, release
        self.name = attribute.name if release is None else f"{attribute.name} ({tag})"
        listed = attribute.hierarchy if attribute.kind is Kind.CATEGORICAL else None
        self._leaves = None if listed is None else frozenset(listed.levels[0])
        self._cells: list[Cell] = []
        self._number: dict[Cell, int] = {}
        self._texts: dict[int, str] = {}
        self._of = np.zeros(0, dtype=np.int32)
        self._shared: dict[tuple[int, int], int] = {}

    def says(self, release: int) -> bool:
        """Return whether a release says anything about the quasi-identifier; where not, it may have any value."""
        return self.release in (None, release)

    def anything(self, rows: int) -> Codes:
        """Return the contents of `*`, for some rows; shape (rows,), int32."""
        return np.full(rows, self.add(Anything()), dtype=np.int32)

    def numbers(self, cells: Codes) -> Codes:
        """Return the contents of published cells, given as the attribute's numbers; of their shape, int32."""
        known, size = len(self._of), len(self.attribute.cells)
        if known < size:
            new = [self.add(self._plain(cell)) for cell in self.attribute.cells[known:size]]
            for number, text in zip(new, self.attribute.texts[known:size], strict=True):
                self._texts.setdefault(number, text)
            self._of = np.concatenate([self._of, np.array(new, dtype=np.int32)])
        return self._of[cells]

    def shared(self, left: Codes, right: Codes) -> Codes:
        """Return the intersections of pairs of contents, -1 if empty; shape (pairs,), int32."""
        found = np.empty(len(left), dtype=np.int32)
        for place, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            known = self._shared.get(pair)
            if known is None:
                cell = intersect(self._cells[pair[0]], self._cells[pair[1]])
                known = self._shared[pair] = -1 if cell is None else self.add(cell)
            found[place] = known
        return found

    def cell(self, number: int) -> Cell:
        """Return contents as a cell."""
        return self._cells[number]

    def text(self, number: int) -> str:
        """Return the first published text of contents, or a new text if no single cell was published for them."""
        return self._texts.get(number) or show(self._cells[number], self.attribute.kind)

    def add(self, cell: Cell) -> int:
        """Return the number of a cell."""
        number = self._number.setdefault(cell, len(self._cells))
        if number == len(self._cells):
            self._cells.append(cell)
        return number

    def _plain(self, cell: Cell) -> Cell:
        """Return the single cell that represents all cells with the same contents."""
        if self._leaves is None:
            return without_whole(cell) if isinstance(cell, ValueSet) else cell
        if isinstance(cell, Masked):
            fitting = intersect(cell, ValueSet(self._leaves))
            cell = cell if fitting is None else fitting
        return Anything() if cell == ValueSet(self._leaves) else cell


@dataclass(frozen=True)
class SeenRows:
    """The rows of releases, and the intersections of their cells.

    Attributes:
        contents: of each quasi-identifier, its cells' contents, as numbers common to all releases.
        releases: the releases as the adversary sees them.
    """

    contents: Sequence[RecordContents]
    releases: tuple[SeenRelease, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(each.name for each in self.contents)

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return the intersections of pairs of cells of an attribute, -1 if empty; shape (pairs,), int32.

        Each pair should be given once.
        """
        return self.contents[attribute].shared(left, right)

    def text(self, attribute: int, cell: int) -> str:
        """Return a cell as text."""
        return self.contents[attribute].text(cell)

    def cell(self, attribute: int, number: int) -> Cell:
        """Return the cell of an attribute with a number."""
        return self.contents[attribute].cell(number)

    def is_absent(self, attribute: int, number: int) -> bool:
        """Return whether a cell is `*` of an attribute that only one release says anything about."""
        return self.contents[attribute].release is not None and self.cell(attribute, number) == Anything()

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases[position].release.group
        return [group.name(int(code)) for code in groups]


@dataclass(frozen=True)
class FollowedRecords(SeenRows):
    """The rows of the releases, followed by the published record id; `size` is one more than the largest record."""

    size: int

    def rows(self, position: int) -> Records:
        """Return the rows of a release, counted from 0."""
        read = self.releases[position]
        if read.record is None:
            raise TypeError("this evidence was gathered without records")
        cells = tuple(
            each.numbers(read.release.cells[each.attribute.name])
            if each.says(position)
            else each.anything(len(read.record))
            for each in self.contents
        )
        hidden = sum(read.release.counterfeits.values()) if read.fakes is None else 0
        return Records(read.record, cells, read.real, self.size, hidden, read.judged)

    def groups(self, position: int, rows: Places) -> list[str]:
        """Return the names of the groups of some rows of a release."""
        return self.group_names(position, self.releases[position].release.group.codes[rows])


_ELSEWHERE = "any other value"


@dataclass(frozen=True)
class RowContents(SeenRows):
    """The rows of the releases with their cells and their values of the attribute `sensitive`."""

    sensitive: str

    def rows(self, position: int) -> PublishedRows:
        """Return the rows of a release, counted from 0.

        Raises:
            WrongCellError: a cell cannot be read.
        """
        read = self.releases[position]
        release, cells = read.release, []
        for contents in self.contents:
            if not contents.says(position):
                cells.append(contents.anything(release.rows))
                continue
            codes, texts = release.texts[contents.attribute.name]
            numbers, errors = contents.attribute.numbers(texts)
            if errors:
                raise WrongCellError(position)
            cells.append(contents.numbers(numbers)[codes])
        table = np.stack(cells, axis=1) if cells else np.zeros((release.rows, 0), dtype=np.int32)
        value = release.entry_value[self.sensitive] if release.values_by_row and release.counts is None else None
        hidden = sum(release.counterfeits.values())
        return PublishedRows(table, value, release.group.codes, read.row_members(), hidden)

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, Flags]:
        """Return points of an attribute that distinguish some cells, and which cells cover each; (points, cells)."""
        contents = self.contents[attribute]
        known = [contents.cell(number) for number in cells.tolist()]
        points = _points(known, contents.attribute)
        table = np.array([[intersect(cell, point) == point for cell in known] for point in points], dtype=np.bool_)
        kinds, first = np.unique(table.reshape(len(points), len(known)), axis=0, return_index=True)
        kept = np.flatnonzero(kinds.any(axis=1))
        kept = kept[np.argsort(first[kept])]  # independent of the numbers of cells, which depend on the order of rows
        numbers = [contents.add(points[at]) for at in first[kept].tolist()]
        return np.array(numbers, dtype=np.int32), kinds[kept]


def wrong_cell(held: HeldSeries, error: WrongCellError) -> InputError:
    """Return the error for a cell, with its place in the file."""
    series, position = held.series, error.release
    if error.row is None:
        read_release(series, position, series.columns.quasi_identifiers, key=False)  # raises an error with the place
        raise AssertionError("a cell that cannot be read is in no column of the file")
    files, record = series.manifest.releases[position], held.seen[position].record
    name = "" if record is None else held.names.name(int(record[error.row]))
    what = say('the cells of record "{record}" contradict those of earlier releases', record=printable(name))
    own, problems = [str(series.columns.record)], Problems()
    read = series.adjustments(files.tag).read(files.rows, files.shown, own, problems)
    line = problems.checked(read).line(error.row)
    changing = ", ".join(map(toml_text, [*series.columns.rules[Changing].columns, *error.attributes]))
    remedy = say(
        "correct the cell; if it changes with time, as a place of residence does, write changing = [{columns}] under "
        "[columns] of {file}",
        columns=changing,
        file=manifests.NAME,
    )
    column = error.attributes[0]
    *earlier, now = (cells[column] for seen in held.seen[: position + 1] if column in (cells := seen.release.cells))
    if series.attributes[column].recodes(np.concatenate(earlier), now):
        remedy = say(
            "if this release has other codes for the same values than earlier ones, say in a file with the columns "
            "release, from and to what each means, and write crosswalk = {{ {column} }} under [columns] of {file}; "
            "if the values change with time, write changing = [{columns}]",
            column=f'{toml_key(printable(column))} = "crosswalk.csv"',
            columns=changing,
            file=manifests.NAME,
        )
    if all(_number_rows(held, seen) for seen in held.seen[: position + 1]):
        remedy = say(
            'as "{record}" numbers the rows of each file, it may say nothing of whose row it is: then delete '
            "{line} under [columns] of {file}, and write unlinkable = {{ {entry} }} there; if not, {remedy}",
            record=printable(own[0]),
            line=f"record = {toml_text(own[0])}",
            file=manifests.NAME,
            entry=f"{toml_key(printable(own[0]))} = {toml_text(say('it numbers the rows of each file'))}",
            remedy=remedy,
        )
    return InputError([Problem(files.shown, what, remedy, line, column)])


def _number_rows(held: HeldSeries, seen: SeenRelease) -> bool:
    """Return whether the record ids of a release are the numbers of its rows, from 0 or from 1."""
    names = set() if seen.record is None else {*map(held.names.name, seen.record.tolist())}
    return any(names == {*map(str, range(start, start + len(names)))} for start in (0, 1))


def _points(cells: Sequence[Cell], attribute: QuasiIdentifier) -> list[Cell]:
    """Return points such that every maximal set of cells with a common point contains one of the points in all."""
    if attribute.kind is not Kind.CATEGORICAL:
        return [Interval(number, number) for number in _numbers(cells, days=attribute.kind.is_date)]
    leaves = set() if attribute.hierarchy is None else set(attribute.hierarchy.levels[0])
    texts = leaves.union(*(cell.members for cell in cells if isinstance(cell, ValueSet)))
    for cell in cells:
        if isinstance(cell, Masked):
            texts.add(cell.prefix.ljust(cell.length, "\uffff"))
    if not leaves:
        texts.add(_ELSEWHERE)
    return [ValueSet(frozenset([text])) for text in sorted(texts)]


def _numbers(cells: Sequence[Cell], *, days: bool) -> list[Fraction]:
    """Return all ends of intervals and members of sets, a number between each two, and one on either side.

    Between days there are only days: the one before and the one after each end.
    """
    ends: set[Fraction] = set()
    for cell in cells:
        if isinstance(cell, Interval):
            ends |= {end for end in (cell.low, cell.high) if end is not None}
        elif isinstance(cell, NumberSet):
            ends |= cell.members
    known = sorted(ends) or [Fraction(0)]
    if days:
        return sorted({end + step for end in known for step in (-1, 0, 1)})
    between = [(one + other) / 2 for one, other in pairwise(known)]
    return sorted({*known, *between, known[0] - 1, known[-1] + 1})


# -- people -----------------------------------------------------------------------------------------------------------


_BETWEEN = "/"
_NOWHERE = "-"


class UnfollowedError(Exception):
    """People cannot be followed by the record ids; `reason` is the cause."""

    def __init__(self, text: str, kind: ReasonKind = ReasonKind.UNFIT) -> None:
        super().__init__(text)
        self.reason = Reason(text, kind)


@dataclass(frozen=True)
class RecordClasses:
    """Records that are in the same row classes in all releases.

    Attributes:
        code: the code of each record; shape (records,).
        of_record: the class of each record; shape (records,), int32.
        rows: the row class of each class in each release, -1 without a row; shape (classes, releases), int32.
        value: the combination of values of each record; shape (records,), int32.
    """

    code: Places
    of_record: Codes
    rows: Codes
    value: Codes

    @property
    def contents(self) -> ValueCounts:
        """The values of the classes."""
        return ValueCounts(self.of_record, self.value, None)


@dataclass(frozen=True)
class RecordChoices:
    """The classes of records that each person may belong to.

    Attributes:
        person: all people known to be in some release, ascending; shape (n,), int32.
        kind: equal numbers for people with the same known facts; shape (n,), int32.
        start: the first index of each kind in `record_class`; shape (kinds + 1,).
        record_class: these, ascending for each kind; shape (pairs,), int32.
    """

    person: Codes
    kind: Codes
    start: Counts
    record_class: Codes

    @property
    def settled(self) -> bool:
        """Whether each person may be in one class only, so that the class of every person is known."""
        return bool((np.diff(self.start) == 1).all())


@dataclass(frozen=True)
class FollowedPeople(KnownGroups):
    """The knowledge of people whose rows are followed by record ids, too: one release, which holds all records.

    Attributes:
        plain: the knowledge of them release by release.
        count: the number of followed releases.
        combined: the combinations of values.
        group: the groups of each release.
        records: the records.
        placed: the people, ascending, -1 for each record of an unknown person, and the class of records of each; None
            if the adversary does not know it.
        choices: the classes of records that may hold each person.
    """

    plain: KnownGroups
    count: int
    combined: CombinedVocabulary
    group: tuple[Coded, ...]
    records: RecordClasses
    placed: tuple[Codes, Codes] | None
    choices: RecordChoices

    def present(self, position: int) -> Codes:
        """Return all people, without counterfeits, who are known to be in some release; shape (n,), int32."""
        return self.choices.person[self.individual[self.choices.person]]

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the classes of records that may hold each of some people."""
        choices, found = self.choices, []
        for place in np.searchsorted(choices.person, people).tolist():
            kind = choices.kind[place]
            mine = choices.record_class[choices.start[kind] : choices.start[kind + 1]]
            found.append(tuple(self.group_names(position, mine)))
        return found

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some classes of records, made of their groups in all releases."""
        rows = self.records.rows[groups].tolist()
        return [
            self.named_by([None if c == ABSENT else g.name(c) for g, c in zip(self.group, row, strict=True)])
            for row in rows
        ]

    def named_by(self, names: Sequence[str | None]) -> str:
        """Return the name of a class of records, given that of its row class in each release, None without a row."""
        between, nowhere = self._marks
        return f" {between} ".join(nowhere if name is None else name for name in names)

    @cached_property
    def _marks(self) -> tuple[str, str]:
        """The separator of names, and the text for a missing row; neither occurs in a name."""
        names = {name for group in self.group for name in group.names}
        between, nowhere = _BETWEEN, _NOWHERE
        while any(between in name for name in names):
            between += _BETWEEN
        while nowhere in names:
            nowhere += _NOWHERE
        return between, nowhere

    def members(self, position: int) -> Members:
        """Return the people of each class of records.

        Raises:
            UsageError: the adversary does not know it.
        """
        if self.placed is None:
            raise UsageError("only the adversary `linked` knows the person of a record")
        classes = len(self.records.rows)
        return Members(*self.placed, classes, self.records.contents, self.individual, self.values)

    def candidate_groups(self, position: int) -> CandidateGroups:
        """Return all records, and which classes of them may hold each person."""
        choices, classes = self.choices, np.arange(len(self.records.rows), dtype=np.int32)
        rows = np.bincount(self.records.of_record, minlength=len(classes)).astype(np.int64)
        size = np.diff(choices.start)[choices.kind]
        candidates = starts(size), choices.record_class[ragged(choices.start[choices.kind], size)]
        return self._hosts(position, choices.person, candidates, (classes, classes, rows), rows)

    def entries(self, position: int) -> ValueCounts:
        """Return the values of the classes of records."""
        return self.records.contents


def follow(plain: KnownGroups, held: HeldSeries, count: int) -> tuple[FollowedPeople, Codes]:
    """Return the evidence about people followed through the first `count` releases, and each person's record.

    Raises:
        UnfollowedError: people cannot be followed.
    """
    combined, group = CombinedVocabulary(held.series.vocabularies), tuple(each.pool for each in held.seen[:count])
    records = _records(held, combined, count)
    owner = _owners(held, records, count)
    choices = _choices(plain, records, count)
    values, individual = len(combined), plain.individual
    order = np.lexsort((records.of_record, owner))
    knows = (owner[order], records.of_record[order]) if held.adversary.knows_groups and choices.settled else None
    pooled = (_pools(records, choices, individual, values),)
    followed = FollowedPeople(
        *((), combined.name, values, individual, True, (None,), pooled),
        *(plain, count, combined, group, records, knows, choices),
    )
    return followed, owner


def _records(held: HeldSeries, combined: CombinedVocabulary, count: int) -> RecordClasses:
    """Return all records with their row classes and values; codes of unused ids are dropped."""
    table = np.full((held.names.size, count), ABSENT, dtype=np.int32)
    value = np.full(held.names.size, UNKNOWN, dtype=np.int32)
    for position, read in enumerate(held.seen[:count]):
        record = record_of(read)
        _check_fit(read, held)
        codes = combined.add(read.release)
        if ((value[record] != UNKNOWN) & (value[record] != codes)).any():
            raise UnfollowedError(say("the values of records change, although they must not"))
        value[record], table[record, position] = codes, read.pool.codes
    there = np.flatnonzero(value != UNKNOWN)
    first, of_record = kinds_of_rows(table[there])
    return RecordClasses(there, of_record, table[there][first], value[there])


def _check_fit(read: SeenRelease, held: HeldSeries) -> None:
    release = read.release
    if not release.values_by_row or release.counts is not None:
        raise UnfollowedError(say("values are published apart from their rows, or one row counts several people"))
    if release.counterfeits and not held.adversary.knows_groups:
        raise UnfollowedError(say("counterfeits are published, and nothing shows which records they are"))


def _owners(held: HeldSeries, records: RecordClasses, count: int) -> Codes:
    """Return the person of each record by the key, -1 if unknown.

    Raises:
        UnfollowedError: a person has several records.
    """
    record_of_person = np.full(held.series.people.size, UNKNOWN, dtype=np.int32)
    for read, keyed in zip(held.seen[:count], held.keyed, strict=False):
        if keyed.person is not None:
            rows = np.flatnonzero(keyed.person != NOBODY)
            person, now = keyed.person[rows], record_of(read)[rows]
            before = record_of_person[person]
            if ((before != UNKNOWN) & (before != now)).any():
                raise UnfollowedError(say("people have several record ids, so that an id does not stand for a person"))
            record_of_person[person] = now
    owner = np.full(held.names.size, NOBODY, dtype=np.int32)
    people = np.flatnonzero(record_of_person != UNKNOWN)
    owner[record_of_person[people]] = people
    return owner[records.code]


def _choices(plain: KnownGroups, records: RecordClasses, count: int) -> RecordChoices:
    """Return which classes of records may hold each person."""
    table, fitting = np.full((len(plain.individual), count), ABSENT, dtype=np.int32), []
    for position in range(count):
        person, label, fits = plain.known_in(position)
        table[person, position] = label
        fitting.append(fits)
    people = np.flatnonzero((table != ABSENT).any(axis=1))
    first, kind = kinds_of_rows(table[people])
    try:
        pairs, record_class = fitting_pairs(table[people[first]], records.rows, fitting)
    except TooManyRecordsError:
        raise UnfollowedError(say("too many records may belong to one person"), ReasonKind.TOO_HARD) from None
    start = np.searchsorted(pairs, np.arange(len(first) + 1)).astype(np.int64)
    without = int(np.count_nonzero((np.diff(start) == 0)[kind]))
    if without:
        raise UnfollowedError(
            say_count("{count} [person fits|people fit] no record that is in the same releases", without),
            ReasonKind.CONTRADICTION,
        )
    return RecordChoices(people.astype(np.int32), kind, start, record_class)


def _pools(records: RecordClasses, choices: RecordChoices, individual: Flags, values: int) -> CandidatePools:
    """Return the pools: people with the same known facts have the same pool."""
    real, kinds = individual[choices.person], len(choices.start) - 1
    pool = np.repeat(np.arange(kinds), np.diff(choices.start))
    table = records.contents.tabled(len(records.rows), values)
    bag, value = np.nonzero(table)
    first, last = np.searchsorted(bag, [choices.record_class, choices.record_class + 1])
    at = ragged(first, last - first)
    key, place = np.unique(np.repeat(pool, last - first) * values + value[at], return_inverse=True)
    count = np.zeros(len(key), dtype=np.int64)
    np.add.at(count, place, table[bag, value][at])
    contents = ValueCounts((key // values).astype(np.int32), (key % values).astype(np.int32), count)
    return CandidatePools(
        choices.person[real], choices.kind[real], kinds, contents, None, None, len(individual), values
    )
