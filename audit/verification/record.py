"""Certificates about records checked again, by following published rows with plain dictionaries.

Nothing is shared with the attack's kernel: cells are taken as the releases have them and made into sets of values (or
cells in the algebra of `audit.io.cells`, where values cannot be listed), descriptions are tuples, and classes are
counted record by record. Of a large series only the records are followed that may share a description which is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeAlias

import numpy as np

from audit.adversary.record_linkage import FollowedRecords
from audit.adversary.view import View
from audit.findings.narrowed import Cause, Narrowed, NarrowedRecords, RecordStep
from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Cell, Kind, ValueSet, contains, intersect
from audit.io.releases import Release
from audit.model.arrays import Codes, Flags, Places
from audit.verification.disclosure import BrokenCertificateError, Check, check_fields

Values: TypeAlias = frozenset[str] | Cell
Description: TypeAlias = tuple[int, ...]
_FEW = 100


class _Column:
    """The values that cells of one quasi-identifier stand for, numbered as they are met."""

    def __init__(self, attribute: QuasiIdentifier) -> None:
        self._attribute = attribute
        listed = attribute.hierarchy if attribute.kind is Kind.CATEGORICAL else None
        self._all = None if listed is None else list(listed.levels[0])
        self._values: list[Values] = []
        self._numbers: dict[Values, int] = {}
        self._of_cell: dict[int, int] = {}
        self._both: dict[tuple[int, int], int] = {}
        self._covering: dict[int, Flags] = {}

    def of_cell(self, cell: int) -> int:
        """Return the values of a published cell, given as the attribute's number."""
        if cell not in self._of_cell:
            self._of_cell[cell] = self.number(self._attribute.cells[cell])
        return self._of_cell[cell]

    def number(self, cell: Cell) -> int:
        """Return the number of a cell's values."""
        values: Values = cell
        if self._all is not None:
            values = frozenset(text for text in self._all if contains(cell, ValueSet(frozenset({text})))) or cell
        elif isinstance(cell, ValueSet):
            # A text with commas was read as its parts, and as one value too, which it may be.
            values = frozenset(text for text in cell.members if "," not in text) or cell.members
        return self._number(values)

    def both(self, left: int, right: int) -> int:
        """Return what two numbers' values have in common.

        Raises:
            BrokenCertificateError: nothing; the attack would have refused the series.
        """
        if (left, right) not in self._both:
            common = _common(self._values[left], self._values[right])
            if common is None:
                raise BrokenCertificateError("a record's cells have nothing in common")
            self._both[left, right] = self._number(common)
        return self._both[left, right]

    def covering(self, number: int) -> Flags:
        """Return which of the attribute's cells stand for all of a number's values."""
        if number not in self._covering:
            inner, outer = self._values[number], [self._values[self.of_cell(cell)] for cell in self._cells()]
            self._covering[number] = np.array([_common(values, inner) == inner for values in outer], dtype=np.bool_)
        return self._covering[number]

    def equal(self, number: int) -> Flags:
        """Return which of the attribute's cells stand for just a number's values."""
        return np.array([self.of_cell(cell) == number for cell in self._cells()], dtype=np.bool_)

    def _cells(self) -> range:
        return range(len(self._attribute.cells))

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


class _Row(NamedTuple):
    """One row: its group, its cells' values, and whether it is a person's as far as the key tells."""

    group: str
    cells: Description
    real: bool


class RecordFollower:
    """Records followed through the releases.

    Attributes:
        table: what each record's cells have in common so far.
        persons: the records that are people's as far as the key tells.
    """

    def __init__(self, source: FollowedRecords) -> None:
        self._source = source
        self._series = source.releases.series
        self._columns = [_Column(self._series.attributes[name]) for name in source.attributes]
        self.table: dict[int, Description] = {}
        self.persons: set[int] = set()

    @property
    def records(self) -> int:
        """One more than the largest record code so far."""
        return self._source.releases.names.size

    def follow(self, rows: Mapping[int, _Row]) -> None:
        """Take the rows of a release into account, given by record."""
        for record, row in rows.items():
            known = self.table.get(record)
            if known is not None:
                known = tuple(c.both(one, other) for c, one, other in zip(self._columns, known, row.cells, strict=True))
            self.table[record] = row.cells if known is None else known
            if row.real:
                self.persons.add(record)

    def _read(self, release: int) -> tuple[Release, Codes]:
        """Return a release and the record of each row."""
        read = self._source.releases.get(release)
        if read.record is None:
            raise BrokenCertificateError("no records are followed")
        return read.release, read.record

    def rows(self, release: int, relevant: Flags | None) -> dict[int, _Row]:
        """Return the rows of the relevant records in a release, by record; those of all when None."""
        read, record = self._read(release)
        places = np.arange(len(record)) if relevant is None else np.flatnonzero(relevant[record])
        fake = read.counterfeit_rows(self._series.people)
        real = np.ones(len(places), dtype=np.bool_) if fake is None else ~fake[places]
        cells = [
            [column.of_cell(cell) for cell in read.cells[name][places].tolist()]
            for column, name in zip(self._columns, self._source.attributes, strict=True)
        ]
        groups = [read.group.name(code) for code in read.group.codes[places].tolist()]
        rows = map(_Row, groups, zip(*cells, strict=True), real.tolist())
        return dict(zip(record[places].tolist(), rows, strict=True))

    def covering(self, description: Description, until: int) -> Flags:
        """Return which records, by code, have cells that stand for all of a description in each release up to one.

        Only they can have this description then.
        """
        seen, excluded = np.zeros((2, self.records), dtype=np.bool_)
        for release in range(until + 1):
            read, record = self._read(release)
            seen[record] = True
            excluded[record[~self._where(read, _Column.covering, description)]] = True
        return seen & ~excluded

    def _where(self, read: Release, test: Callable[[_Column, int], Flags], wanted: Description) -> Flags:
        """Return which rows of a release pass a test on every quasi-identifier."""
        cells = [read.cells[name] for name in self._source.attributes]
        passed = [test(c, number)[codes] for c, number, codes in zip(self._columns, wanted, cells, strict=True)]
        return np.all(passed, axis=0)


def records_of(seen: View) -> FollowedRecords:
    """Return where the records of some evidence come from.

    Raises:
        TypeError: it has none.
    """
    if seen.records is None:
        raise TypeError("this evidence has no records")
    return seen.records


def check_records(seen: View, claims: NarrowedRecords) -> Check:
    """Return what checks narrowed records."""

    def checked(places: Places) -> list[Narrowed[int]]:
        findings = claims.certify(places)
        Recounter(records_of(seen), claims.k).check(findings)
        return findings

    return checked


class Recounter(RecordFollower):
    """Follows records through the releases, and holds findings against what they say; `k` is the least class."""

    def __init__(self, source: FollowedRecords, k: int) -> None:
        super().__init__(source)
        self._k = k

    def check(self, findings: Sequence[Narrowed[int]]) -> None:
        """Return when all findings hold.

        Raises:
            BrokenCertificateError: one does not.
        """
        self._check_codes(findings)
        relevant = self._relevant(findings) if len(findings) <= _FEW else None
        stays: dict[int, list[int]] = {finding.record: [] for finding in findings}
        steps = {(finding.record, step.release): step for finding in findings for step in finding.certificate}
        for release in range(max((finding.release for finding in findings), default=-1) + 1):
            rows = self.rows(release, relevant)
            alike: dict[Description, set[int]] = {}
            for record, row in rows.items():
                if row.real:
                    alike.setdefault(row.cells, set()).add(record)
            for record in stays.keys() & rows.keys():
                stays[record].append(release)
                if (record, release) in steps:
                    self._check_step(steps[record, release], rows[record], len(alike.get(rows[record].cells, ())))
            due = [finding for finding in findings if finding.release == release]
            causes = [self._cause(finding.record, rows, alike) for finding in due]
            self.follow(rows)
            classes = Counter(self.table[record] for record in self.persons) if due else Counter()
            for finding, cause in zip(due, causes, strict=True):
                if [step.release for step in finding.certificate] != stays[finding.record]:
                    raise BrokenCertificateError("the steps are not the releases in which the record is")
                self._check_class(finding, classes)
                if finding.cause != cause:
                    raise BrokenCertificateError("this is not how the record became unsafe")

    def _check_codes(self, findings: Sequence[Narrowed[int]]) -> None:
        """Look whether findings speak of different records, and of releases and cells that there are."""
        for finding in findings:
            check_fields(finding)
            if not 0 <= finding.record < self._source.releases.names.size:
                raise BrokenCertificateError("there is no such record")
            if not 0 <= finding.release < len(self._source.releases):
                raise BrokenCertificateError("there is no such release")
            if finding.class_size < 1 or finding.risk != 1 / finding.class_size:
                raise BrokenCertificateError("this is not the share of a record in its class")
            for cells in (finding.description, *(step.cells for step in finding.certificate)):
                self._check_cells(cells)
        if len({finding.record for finding in findings}) < len(findings):
            raise BrokenCertificateError("a record is named twice")

    def _check_cells(self, cells: Mapping[int, int] | None) -> None:
        if cells is None or list(cells) != list(range(len(self._columns))) or min(cells.values(), default=0) < 0:
            raise BrokenCertificateError("there are no such cells")
        try:
            for attribute in range(len(self._columns)):
                self._source.cell(attribute, cells[attribute])
        except IndexError:
            raise BrokenCertificateError("there are no such cells") from None

    def _check_step(self, step: RecordStep[int], row: _Row, size: int) -> None:
        if step.group != row.group or self._numbers(step.cells) != row.cells or step.size != size:
            raise BrokenCertificateError("the step is not what the release publishes")

    def _check_class(self, finding: Narrowed[int], classes: Counter[Description]) -> None:
        description = self.table.get(finding.record)
        if description is None or self._numbers(finding.description) != description:
            raise BrokenCertificateError("the description is not what the record's cells have in common")
        if finding.record not in self.persons or not finding.class_size == classes[description] < self._k:
            raise BrokenCertificateError("the class is not as small as claimed")

    def _cause(self, record: int, rows: Mapping[int, _Row], alike: Mapping[Description, AbstractSet[int]]) -> Cause:
        """Return how a record becomes unsafe with a release, by the definitions of the monotonic paper, Section 4.1."""
        before = self.table
        if record not in rows:
            return "group change"
        mates = alike.get(rows[record].cells, frozenset())
        if len(mates) < self._k:
            return "small group"
        if record not in before:
            return "widow"
        stayed = all(before[mate] == before[record] for mate in mates if mate in before)
        return "subgroup expanding" if stayed and mates - before.keys() else "group change"

    def _numbers(self, cells: Mapping[int, int] | None) -> Description:
        """Return the values of cells that the evidence has numbered."""
        found = [self._source.cell(attribute, cell) for attribute, cell in (cells or {}).items()]
        return tuple(column.number(cell) for column, cell in zip(self._columns, found, strict=True))

    def _relevant(self, findings: Sequence[Narrowed[int]]) -> Flags:
        """Return which records to follow, by code: all that findings can depend on.

        These are the records whose cells stand for all that a finding's description does, in every release up to the
        finding's, as only they can have this description; and those with cells equal to the record's own in a release.
        """
        relevant = np.zeros(self.records, dtype=np.bool_)
        for finding in findings:
            own = {step.release: self._numbers(step.cells) for step in finding.certificate}
            for release in range(finding.release + 1):
                if release in own:
                    read, record = self._read(release)
                    relevant[record[self._where(read, _Column.equal, own[release])]] = True
            relevant |= self.covering(self._numbers(finding.description), finding.release)
        return relevant
