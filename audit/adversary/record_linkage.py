"""Records that a published id links over the releases, and what their generalized cells contain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from audit.adversary.held_series import HeldSeries
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import without_whole
from audit.io.cell_text import show
from audit.io.cells import Anything, Cell, Interval, Kind, Masked, NumberSet, ValueSet, intersect
from audit.io.releases import Release
from audit.io.tables import Table
from audit.model.arrays import Codes
from audit.model.errors import InputError, Problem, printable
from audit.model.evidence import PublishedRows, Records


class RecordContents:
    """The distinct contents of one quasi-identifier's cells, numbered: published ones, and what these share.

    Two ways to write the same values have one number. Where a hierarchy lists all values, `*` is that list, and a
    masked prefix the values that it fits; a text with commas is the list of its parts.
    """

    def __init__(self, attribute: QuasiIdentifier) -> None:
        self._attribute = attribute
        listed = attribute.hierarchy if attribute.kind is Kind.CATEGORICAL else None
        self._leaves = None if listed is None else frozenset(listed.levels[0])
        self._cells: list[Cell] = []
        self._number: dict[Cell, int] = {}
        self._texts: dict[int, str] = {}
        self._of = np.zeros(0, dtype=np.int32)
        self._shared: dict[tuple[int, int], int] = {}

    def numbers(self, cells: Codes) -> Codes:
        """Return the contents of published cells, given as the attribute's numbers."""
        known, size = len(self._of), len(self._attribute.cells)
        if known < size:
            new = [self.add(self._plain(cell)) for cell in self._attribute.cells[known:size]]
            for number, text in zip(new, self._attribute.texts[known:size], strict=True):
                self._texts.setdefault(number, text)
            self._of = np.concatenate([self._of, np.array(new, dtype=np.int32)])
        return self._of[cells]

    def shared(self, left: Codes, right: Codes) -> Codes:
        """Return what pairs of contents have in common, -1 where nothing."""
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
        """Return contents as they were published first, or as text where no single cell was published for them."""
        return self._texts.get(number) or show(self._cells[number], self._attribute.kind)

    def add(self, cell: Cell) -> int:
        """Return the number of a cell."""
        number = self._number.setdefault(cell, len(self._cells))
        if number == len(self._cells):
            self._cells.append(cell)
        return number

    def _plain(self, cell: Cell) -> Cell:
        """Return the one cell that stands for all that have the same contents."""
        if self._leaves is None:
            return without_whole(cell) if isinstance(cell, ValueSet) else cell
        if isinstance(cell, Masked):
            fitting = intersect(cell, ValueSet(self._leaves))
            cell = cell if fitting is None else fitting
        return Anything() if cell == ValueSet(self._leaves) else cell


class _Contents:
    """The contents of the cells of all releases, which become numbers when they are asked for."""

    def __init__(self, releases: HeldSeries) -> None:
        self.releases = releases
        self.attributes = releases.series.manifest.columns.quasi_identifiers

    @cached_property
    def _contents(self) -> list[RecordContents]:
        attributes = self.releases.series.attributes
        return [RecordContents(attributes[name]) for name in self.attributes]

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return what pairs of cells of an attribute have in common, -1 where nothing; each pair should stand once."""
        return self._contents[attribute].shared(left, right)

    def text(self, attribute: int, cell: int) -> str:
        """Return a cell as text."""
        return self._contents[attribute].text(cell)


class FollowedRecords(_Contents):
    """The rows of the releases, followed by the published record id."""

    def rows(self, position: int) -> Records:
        """Return the rows of a release, counted from 0."""
        read = self.releases.get(position)
        if read.record is None:
            raise TypeError("this evidence was gathered without records")
        cells = tuple(
            contents.numbers(read.release.cells[name])
            for contents, name in zip(self._contents, self.attributes, strict=True)
        )
        person = read.release.person
        hidden = sum(read.release.counterfeits.values()) if person is None else 0
        real, judged = self._real(read.release), self._judged(read.release)
        return Records(read.record, cells, real, self.releases.names.size, hidden, judged)

    def groups(self, position: int, rows: npt.NDArray[np.intp]) -> list[str]:
        """Return the names of the groups of some rows of a release."""
        group = self.releases.get(position).release.group
        return [group.name(int(code)) for code in group.codes[rows]]

    def name(self, record: int) -> str:
        """Return a record's published id."""
        return self.releases.names.name(record)

    def cell(self, attribute: int, number: int) -> Cell:
        """Return the cell of an attribute that a number stands for."""
        return self._contents[attribute].cell(number)

    def contradiction(self, position: int, row: int, attribute: int) -> InputError:
        """Return the error of a row whose cell has nothing in common with the record's earlier ones."""
        series, read = self.releases.series, self.releases.get(position)
        files = series.manifest.releases[position]
        name = "" if read.record is None else self.name(int(read.record[row]))
        what = f'the cells of record "{printable(name)}" have nothing in common from here on'
        line = Table(files.rows, files.shown, read.release.rows, {}).line(row)
        remedy = "correct the cell, or give another record another id"
        return InputError([Problem(files.shown, what, remedy, line, self.attributes[attribute])])

    def _real(self, release: Release) -> npt.NDArray[np.bool_] | None:
        """Return which rows are people's, or None when all are as far as the key tells."""
        fake = release.counterfeit_rows(self.releases.series.people)
        return None if fake is None or not fake.any() else ~fake

    def _judged(self, release: Release) -> npt.NDArray[np.bool_] | None:
        """Return which rows may be of people whom the adversary does not know to be there; None when all may."""
        if not self.releases.adversary.knows_groups:
            return self._real(release)
        return np.zeros(release.rows, dtype=np.bool_) if release.strangers is None else release.strangers


_ELSEWHERE = "any other value"


class RowContentsSource(_Contents):
    """The rows of the releases and their cells."""

    def __init__(self, releases: HeldSeries, sensitive: str) -> None:
        super().__init__(releases)
        self._sensitive = sensitive

    def rows(self, position: int) -> PublishedRows:
        """Return the rows of a release, counted from 0.

        Raises:
            InputError: a cell cannot be read.
        """
        release, series = self.releases.get(position).release, self.releases.series
        cells = []
        for contents, name in zip(self._contents, self.attributes, strict=True):
            codes, texts = release.texts[name]
            numbers, errors = series.attributes[name].numbers(texts)
            if errors:
                series.read(position, self.attributes, key=False)  # which says where they are
            cells.append(contents.numbers(numbers)[codes])
        table = np.stack(cells, axis=1) if cells else np.zeros((release.rows, 0), dtype=np.int32)
        value = release.entry_value[self._sensitive] if release.values_by_row and release.counts is None else None
        person = release.person if self.releases.adversary.knows_groups else None
        return PublishedRows(table, value, release.group.codes, person, sum(release.counterfeits.values()))

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """Return points of an attribute that some cells tell apart, as cells, and which cover each; (points, cells)."""
        contents = self._contents[attribute]
        known = [contents.cell(number) for number in cells.tolist()]
        points = _points(known, self.releases.series.attributes[self.attributes[attribute]])
        table = np.array([[intersect(cell, point) == point for cell in known] for point in points], dtype=np.bool_)
        kinds, first = np.unique(table.reshape(len(points), len(known)), axis=0, return_index=True)
        kept = kinds.any(axis=1)
        numbers = [contents.add(points[at]) for at in first[kept].tolist()]
        return np.array(numbers, dtype=np.int32), kinds[kept]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases.get(position).release.group
        return [group.name(int(code)) for code in groups]


def _points(cells: Sequence[Cell], attribute: QuasiIdentifier) -> list[Cell]:
    """Return points such that every set of cells that have a point in common without the others covers one of them."""
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
    """Return all ends of intervals and members of sets, numbers between them, and one on either side.

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
