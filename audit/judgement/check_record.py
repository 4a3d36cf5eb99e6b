"""Check claims about records and about classes of rows, by counting the rows again.

The check shares nothing with the attack's kernel. It takes cells from the releases and turns them into sets of values
(or cells of the algebra in `audit.io.cells`, if values cannot be listed), and counts the rows with equal cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from audit.adversary.held_series import HeldSeries, record_of
from audit.adversary.view import View
from audit.findings.close_numbers import KnownNearly
from audit.findings.rows import Cause, HomogeneousClass, HomogeneousClasses, Narrowed, NarrowedRecords, RecordStep
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import without_whole
from audit.io.cells import Anything, Cell, Kind, ValueSet, contains, intersect
from audit.io.releases import Release
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.model.arrays import Codes, Flags, Places, numbered
from audit.model.finding import Check

Values: TypeAlias = frozenset[str] | Cell


class EqualRows:
    """The rows of a table of codes from -1 up that are equal in all columns; table: shape (rows, columns), int32."""

    def __init__(self, table: Codes) -> None:
        label = np.zeros(len(table), dtype=np.int64)
        for column in table.T:
            label = np.unique(label * (int(column.max(initial=0)) + 2) + column, return_inverse=True)[1]
        self._label, self._order = label, np.argsort(label, kind="stable")
        self._end = np.cumsum(np.bincount(label))

    def like(self, row: int) -> Places:
        """Return the indices of all rows that equal a row, ascending; shape (n,)."""
        label = int(self._label[row])
        return self._order[self._end[label - 1] if label else 0 : self._end[label]]


class _Column:
    """The values that cells of one quasi-identifier stand for, numbered in the order of their occurrence."""

    def __init__(self, attribute: QuasiIdentifier) -> None:
        self._attribute = attribute
        listed = attribute.hierarchy if attribute.kind is Kind.CATEGORICAL else None
        self._all = None if listed is None else list(listed.levels[0])
        self._values: list[Values] = []
        self._numbers: dict[Values, int] = {}
        self._of_cell: list[int] = []

    def of_cells(self, cells: Codes) -> Codes:
        """Return the values of published cells, given as the attribute's numbers."""
        self._of_cell += map(self.number, self._attribute.cells[len(self._of_cell) :])
        return np.array(self._of_cell, dtype=np.int32)[cells]

    def number(self, cell: Cell) -> int:
        """Return the number of the values of a cell."""
        values: Values = cell
        if self._all is not None:
            values = frozenset(text for text in self._all if contains(cell, ValueSet(frozenset({text})))) or cell
        elif isinstance(cell, ValueSet):
            values = without_whole(cell).members  # a list may also be a single value, but not both at once
        return self._number(values)

    def both(self, left: Codes, right: Codes) -> Codes:
        """Return the intersection of the values with two numbers, for each of some pairs.

        Raises:
            BrokenCertificateError: it is empty; the attack would have refused the series.
        """
        pairs, at = np.unique((left.astype(np.int64) << 32) | right, return_inverse=True)
        return np.array([self._both(int(pair >> 32), int(pair & 0xFFFFFFFF)) for pair in pairs], dtype=np.int32)[at]

    def _both(self, left: int, right: int) -> int:
        common = _common(self._values[left], self._values[right])
        if common is None:
            raise BrokenCertificateError("a record's cells have nothing in common")
        return self._number(common)

    def _number(self, values: Values) -> int:
        number = self._numbers.setdefault(values, len(self._values))
        if number == len(self._values):
            self._values.append(values)
        return number


def _common(left: Values, right: Values) -> Values | None:
    if isinstance(left, frozenset) and isinstance(right, frozenset):
        return left & right or None
    one = ValueSet(left) if isinstance(left, frozenset) else left
    other = ValueSet(right) if isinstance(right, frozenset) else right
    common = intersect(one, other)
    return common.members if isinstance(common, ValueSet) else common


@dataclass(frozen=True)
class ReleaseRecords:
    """The rows of a release.

    Attributes:
        release, record, cells: the release, and the record and the values of the cells of each row.
        real: which rows are people's, as far as the key shows.
        row: the row of each record, -1 for a record without a row; by record.
    """

    release: Release
    record: Codes
    cells: Codes
    real: Flags
    row: Codes

    @cached_property
    def equal(self) -> EqualRows:
        """The rows with equal cells."""
        return EqualRows(self.cells)

    def group(self, row: int) -> str:
        """Return the name of a row's group."""
        return self.release.group.name(int(self.release.group.codes[row]))


class RecordFollower:
    """Records followed through the releases.

    Attributes:
        table: the intersection of each record's cells so far, -1 before its first row; by record.
        seen: the records with a row so far.
        persons: the records of people among them, as far as the key shows.
    """

    def __init__(self, view: View) -> None:
        if view.records is None:
            raise TypeError("this evidence has no records")
        self._held, self._source = view.held, view.records
        self.columns = [_Column(each.attribute) for each in self._source.contents]
        self.table = np.full((self._held.names.size, len(self.columns)), -1, dtype=np.int32)
        self.seen, self.persons = np.zeros((2, len(self.table)), dtype=np.bool_)

    def read(self, release: int) -> ReleaseRecords:
        """Return the rows of a release.

        Raises:
            BrokenCertificateError: the release was read without records.
        """
        read = self._held.seen[release]
        if read.record is None:
            raise BrokenCertificateError("no records are followed")
        fake = self._held.keyed[release].counterfeit_rows(self._held.series.people)
        real = np.ones(len(read.record), dtype=np.bool_) if fake is None else ~fake
        cells = np.zeros((len(real), len(self.columns)), dtype=np.int32)
        for place, (column, each) in enumerate(zip(self.columns, self._source.contents, strict=True)):
            published = read.release.cells[each.attribute.name]
            is_another = each.release is not None and each.release != release
            cells[:, place] = column.number(Anything()) if is_another else column.of_cells(published)
        row = numbered(read.record, len(self.table))
        return ReleaseRecords(read.release, read.record, cells, real, row)

    def follow(self, rows: ReleaseRecords) -> None:
        """Add the rows of a release."""
        old = self.seen[rows.record]
        again, cells = rows.record[old], rows.cells[old]
        self.table[rows.record[~old]] = rows.cells[~old]
        for place, column in enumerate(self.columns):
            self.table[again, place] = column.both(self.table[again, place], cells[:, place])
        self.seen[rows.record] = True
        self.persons[rows.record[rows.real]] = True


def check_records(seen: View, claims: NarrowedRecords) -> Check:
    """Return the check of narrowed records."""
    return lambda places: Recounter(seen, claims.k).check(claims.certify(places))


class Recounter(RecordFollower):
    """Follows records through the releases, and compares findings with them; `k` is the least class size."""

    def __init__(self, view: View, k: int) -> None:
        super().__init__(view)
        self._k = k

    def check(self, findings: list[Narrowed[int]]) -> list[Narrowed[int]]:
        """Return findings if all of them are valid.

        Raises:
            BrokenCertificateError: one is not valid.
        """
        self._check_codes(findings)
        releases: dict[int, list[int]] = {finding.record: [] for finding in findings}
        steps = {(finding.record, step.release): step for finding in findings for step in finding.certificate}
        for release in range(max((finding.release for finding in findings), default=-1) + 1):
            rows = self.read(release)
            there = {record: row for record in releases if (row := int(rows.row[record])) >= 0}
            for record, row in there.items():
                releases[record].append(release)
                if (record, release) in steps:
                    self._check_step(steps[record, release], rows, row)
            due = [finding for finding in findings if finding.release == release]
            causes = [self._cause(finding.record, there.get(finding.record), rows) for finding in due]
            self.follow(rows)
            classes = EqualRows(self.table if due else self.table[:0])
            for finding, cause in zip(due, causes, strict=True):
                if [step.release for step in finding.certificate] != releases[finding.record]:
                    raise BrokenCertificateError("the steps are not the releases in which the record is")
                self._check_class(finding, classes)
                if finding.cause != cause:
                    raise BrokenCertificateError("this is not how the record became unsafe")
        return findings

    def _check_codes(self, findings: Sequence[Narrowed[int]]) -> None:
        """Check that findings are about different records, and about existing releases and cells."""
        for finding in findings:
            check_fields(finding)
            if not 0 <= finding.record < self._held.names.size:
                raise BrokenCertificateError("there is no such record")
            if not 0 <= finding.release < len(self._held):
                raise BrokenCertificateError("there is no such release")
            if finding.class_size < 1 or finding.risk != 1 / finding.class_size:
                raise BrokenCertificateError("this is not the share of a record in its class")
            for cells in (finding.description, *(step.cells for step in finding.certificate)):
                self._check_cells(cells)
        if len({finding.record for finding in findings}) < len(findings):
            raise BrokenCertificateError("a record is named twice")

    def _check_cells(self, cells: Mapping[int, int] | None) -> None:
        if cells is None or list(cells) != list(range(len(self.columns))) or min(cells.values(), default=0) < 0:
            raise BrokenCertificateError("there are no such cells")
        try:
            for attribute in range(len(self.columns)):
                self._source.cell(attribute, cells[attribute])
        except IndexError:
            raise BrokenCertificateError("there are no such cells") from None

    def _check_step(self, step: RecordStep[int], rows: ReleaseRecords, row: int) -> None:
        size = np.count_nonzero(rows.real[rows.equal.like(row)])
        if step.group != rows.group(row) or step.size != size or self._numbers(step.cells) != rows.cells[row].tolist():
            raise BrokenCertificateError("the step is not what the release publishes")

    def _check_class(self, finding: Narrowed[int], classes: EqualRows) -> None:
        record = finding.record
        if not self.persons[record] or self._numbers(finding.description) != self.table[record].tolist():
            raise BrokenCertificateError("the description is not what the record's cells have in common")
        alike = classes.like(record)
        if not finding.class_size == np.count_nonzero(self.persons[alike]) < self._k:
            raise BrokenCertificateError("the class is not as small as claimed")

    def _cause(self, record: int, row: int | None, rows: ReleaseRecords) -> Cause:
        """Return how a record becomes unsafe in a release, more widely than in the monotonic paper (Section 4.1).

        Every unsafe record has a cause by them; it explains a finding, and does not make it one.
        """
        if row is None:
            return "group change"
        alike = rows.equal.like(row)
        mates = rows.record[alike[rows.real[alike]]]
        if len(mates) < self._k:
            return "small group"
        if not self.seen[record]:
            return "widow"
        known = mates[self.seen[mates]]
        together = bool((self.table[known] == self.table[record]).all())
        return "subgroup expanding" if together and len(known) < len(mates) else "group change"

    def _numbers(self, cells: Mapping[int, int] | None) -> list[int]:
        """Return the values of cells that the evidence has numbered."""
        found = [self._source.cell(attribute, cell) for attribute, cell in (cells or {}).items()]
        return [column.number(cell) for column, cell in zip(self.columns, found, strict=True)]


def check_classes(seen: View, claims: HomogeneousClasses) -> Check:
    """Return the check of classes, both of the rows of a release and of linked records."""
    return lambda places: check_counts(claims.certify(places), seen)


def check_counts(findings: list[HomogeneousClass[int]], view: View) -> list[HomogeneousClass[int]]:
    """Return findings whose counts agree with the rows of the releases.

    Raises:
        BrokenCertificateError: a class has other rows.
    """
    for finding, values in class_values(findings, view):
        some, rows = values[finding.value], values.total()
        if not some or (some, rows) != (finding.with_value, finding.rows) or finding.risk != some / rows:
            raise BrokenCertificateError(f"release {finding.release}: the rows have this value another number of times")
    return findings


def class_values(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    """Yield each finding about a class with how often its rows have each value.

    Raises:
        BrokenCertificateError: there is no such class.
    """
    for finding in findings:
        check_fields(finding)
    linked = [finding for finding in findings if finding.record >= 0]
    yield from _values_of_rows([finding for finding in findings if finding.record < 0], view)
    yield from linked_values(linked, view) if linked else ()


def _values_of_rows(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    for finding in findings:
        if not 0 <= finding.release < len(view.tags):
            raise BrokenCertificateError("there is no such release")
        if finding.record != -1 or finding.after is not None or finding.there or finding.together:
            raise BrokenCertificateError("a claim about rows of one release names linked records")
    for position in {finding.release for finding in findings}:
        here = [finding for finding in findings if finding.release == position]
        classes = _classes(view.held.seen[position].release, view.sensitive, {finding.group or "" for finding in here})
        for finding in here:
            yield finding, classes[finding.group or ""].get(finding.number, Counter())


def _classes(release: Release, sensitive: str, groups: set[str]) -> dict[str, dict[int, Counter[int]]]:
    """Return the values of each class of some groups of a release, by the class's number in its group."""
    counts = [1] * len(release.entry_group) if release.entry_count is None else release.entry_count.tolist()
    classes = release.classes
    alike = classes.looks[classes.row.codes].tolist() if release.values_by_row else [0] * len(counts)
    name = {code: release.group.name(code) for code in set(release.entry_group.tolist())}
    found: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    values = release.entry_value[sensitive].tolist()
    for code, look, value, count in zip(release.entry_group.tolist(), alike, values, counts, strict=True):
        if name[code] in groups:
            found[name[code], look][value] += count
    listed: dict[str, dict[int, Counter[int]]] = {group: {} for group in groups}
    for group, look in sorted(found):
        listed[group][len(listed[group])] = found[group, look]
    return listed


F = TypeVar("F", HomogeneousClass[int], KnownNearly[int])


def linked_values(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    """Yield each finding about linked records, with the number of equal records that have each value.

    Raises:
        BrokenCertificateError: other records are equal.
    """
    constant = view.transitions is None
    for finding in findings:
        _check_codes(finding, view.held, constant=constant)
    followed, counter = RecordFollower(view), _RecordValues(view.held.names.size, view.sensitive, constant=constant)
    for release in range(max(map(_after, findings), default=-1) + 1):
        rows = followed.read(release)
        followed.follow(rows)
        counter.read(rows)
        due = [finding for finding in findings if _after(finding) == release]
        classes = EqualRows(followed.table if due else followed.table[:0])
        for finding in due:
            yield finding, counter.values(finding, classes)


def _check_codes(finding: HomogeneousClass[int] | KnownNearly[int], held: HeldSeries, *, constant: bool) -> None:
    if not 0 <= finding.release <= _after(finding) < len(held) or finding.number:
        raise BrokenCertificateError("there is no such class")
    if finding.together and not finding.there:
        raise BrokenCertificateError("a claim about records in the same releases is about one of them")
    if not finding.there and not (constant and finding.release == _after(finding)):
        raise BrokenCertificateError("a claim about records of all releases needs values that never change")
    if not 0 <= finding.record < held.names.size:
        raise BrokenCertificateError("there is no such record")


def about_rows(
    findings: Sequence[HomogeneousClass[int] | KnownNearly[int]], view: View, rows: Sequence[Places]
) -> Flags:
    """Return which findings are about a class with one of some rows, or of their records; shape (findings,), bool.

    Args:
        findings: about classes of rows, and of linked records.
        view: the evidence.
        rows: the indices of the rows of each release.
    """
    own = {(at, *name) for at, places in enumerate(rows) for name in _class_names(view, at, places)}
    found = np.array([(each.release, each.group, each.number) in own for each in findings], dtype=np.bool_)
    linked = np.flatnonzero([each.record >= 0 for each in findings])
    found[linked] = False
    if not len(linked):
        return found
    records = [record_of(view.held.seen[at])[places].tolist() for at, places in enumerate(rows)]
    mine, followed = {record for each in records for record in each}, RecordFollower(view)
    for after in range(len(view.tags)):
        followed.follow(followed.read(after))
        classes = EqualRows(followed.table)
        alike = {record: {*classes.like(record).tolist()} for record in mine if followed.seen[record]}
        for place in linked.tolist():
            finding = findings[place]
            there = records[finding.release] if finding.there else mine
            if _after(finding) == after:
                found[place] = any(finding.record in alike.get(record, ()) for record in there)
    return found


def _class_names(view: View, position: int, rows: Places) -> Iterator[tuple[str, int]]:
    """Yield the group, and the number in it, of the class of each of some rows of a release."""
    if not len(rows):
        return
    published = view.source.published(position)
    for place in published.place[rows].tolist():
        [name] = view.source.published_names(position, published.group[place : place + 1])
        yield name, int(place - np.searchsorted(published.group, published.group[place]))


def _after(finding: HomogeneousClass[int] | KnownNearly[int]) -> int:
    """Return the last release over which the records are equal, -1 if the claim is not about several."""
    return -1 if finding.after is None else finding.after


class _RecordValues:
    """The values of records in each release, their first value, and their groups so far; by record, -1 if unknown."""

    def __init__(self, records: int, sensitive: str, *, constant: bool) -> None:
        self._sensitive, self._constant = sensitive, constant
        self._releases: list[ReleaseRecords] = []
        self._of_release: list[Codes] = []
        self._first = np.full(records, -1, dtype=np.int32)
        self._changed = np.zeros(records, dtype=np.bool_)

    def read(self, rows: ReleaseRecords) -> None:
        """Record the values and groups of a release's records.

        Raises:
            BrokenCertificateError: their rows show other numbers.
        """
        if not rows.release.values_by_row or rows.release.counts is not None:
            raise BrokenCertificateError("the values of records are not published")
        values, record = rows.release.entry_value[self._sensitive], rows.record
        before = self._first[record]
        self._changed[record] |= (before >= 0) & (before != values)
        self._first[record] = np.where(before < 0, values, before)
        self._of_release.append(np.full(len(self._first), -1, dtype=np.int32))
        self._of_release[-1][record] = values
        self._releases.append(rows)

    def values(self, finding: HomogeneousClass[int] | KnownNearly[int], classes: EqualRows) -> Counter[int]:
        """Return how many of the records equal to that of a finding have each value.

        Raises:
            BrokenCertificateError: the record does not exist, or a value changes.
        """
        last = next((rows for rows in reversed(self._releases) if rows.row[finding.record] >= 0), None)
        if last is None or last.group(int(last.row[finding.record])) != finding.group:
            raise BrokenCertificateError("there is no such record, or it is in another group")
        values = self._of_release[finding.release] if finding.there else self._first
        records = classes.like(finding.record)
        for rows in self._releases if finding.together else ():
            there = rows.row >= 0
            records = records[there[records] == there[finding.record]]
        if self._constant and self._changed[records].any():
            raise BrokenCertificateError("the value of a record changes")
        alike = values[records]
        if values[finding.record] < 0:
            raise BrokenCertificateError("the record has no value there")
        return Counter(alike[alike >= 0].tolist())
