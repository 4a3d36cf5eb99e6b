"""Check certificates about records again, by following their published rows.

The check shares nothing with the attack's kernel. It takes cells from the releases and turns them into sets of values
(or cells of the algebra in `audit.io.cells`, if values cannot be listed), and counts the rows with equal cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from audit.adversary.view import View
from audit.findings.narrowed import Cause, Narrowed, NarrowedRecords, RecordStep
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
