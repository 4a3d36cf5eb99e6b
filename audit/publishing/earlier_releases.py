"""Earlier releases: the cells of the last one in the scales of the next snapshot, and who keeps an identity.

These are counterfeits, whose names only the key holds, and records with published random ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Cell, CellError, Interval, Kind, ValueSet, contains, cover_ranges
from audit.io.encoding import COUNTERFEIT as MARK
from audit.io.encoding import IdentifierEncoder
from audit.io.microdata import ReadSnapshot
from audit.io.publication_order import natural
from audit.io.releases import KeyedRelease
from audit.io.tables import Coded
from audit.io.texts import arrow, column_of, hexadecimal
from audit.model.anonymizer import COUNTERFEIT, CellRanges, Draft
from audit.model.arrays import NOBODY, Codes, Flags, Numbers, Places, distinct, numbered
from audit.model.errors import UsageError

Value: TypeAlias = Fraction | str
_NAME = re.compile(re.escape(MARK) + r"c([0-9]{1,15})")


class Counterfeits:
    """The counterfeits with an identity in the last release of a series.

    Attributes:
        codes: their codes, ascending; int32.
        cells: their cells, as numbers of the attributes; shape (len(codes), attributes), int32.
    """

    def __init__(self, people: IdentifierEncoder, attributes: Sequence[QuasiIdentifier]) -> None:
        self._people = people
        self._attributes = tuple(attributes)
        self.codes: Codes = np.zeros(0, dtype=np.int32)
        self.cells: Codes = np.zeros((0, len(self._attributes)), dtype=np.int32)

    def learn(self, release: KeyedRelease) -> None:
        """Take the counterfeits of the last release."""
        if release.person is None or not self._people.has_counterfeits:
            return
        rows = np.flatnonzero(self._people.counterfeits(release.person))
        rows = rows[np.argsort(release.person[rows])]
        self.codes = release.person[rows]
        columns = [release.cells[attribute.name][rows] for attribute in self._attributes]
        self.cells = np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), dtype=np.int32)

    def create(self, number: int) -> Codes:
        """Return the codes of new counterfeits, which are named `~c1` and so on after the last number used."""
        names = (self._people.name(code) for code in np.flatnonzero(self._people.is_counterfeit()).tolist())
        last = max((int(found[1]) for name in names if (found := _NAME.fullmatch(name))), default=0)
        return self._people.number([f"{MARK}c{last + place}" for place in range(1, number + 1)])

    def cells_of(self, codes: Codes) -> Codes:
        """Return the cells of counterfeits of the last release; shape (len(codes), attributes)."""
        return self.cells[np.searchsorted(self.codes, codes)]


def exact_columns(
    draft: Draft,
    read: ReadSnapshot,
    attributes: Sequence[QuasiIdentifier],
    listed: frozenset[str],
    counterfeits: Counterfeits,
    rng: np.random.Generator,
) -> list[tuple[Codes, list[str]]]:
    """Return the quasi-identifiers of a draft's rows, column by column: each row's place among texts, and the texts.

    A new counterfeit copies those of a published person; an older one keeps its own. `listed` names the attributes
    whose domain declares the order of values.
    """
    row, fake = draft.row.copy(), draft.row == COUNTERFEIT
    # Copy each person once before any twice: equal rows would show that they are not people.
    real = rng.permutation(draft.row[~fake])
    row[fake] = np.resize(real, np.count_nonzero(fake))
    point = read.snapshot.point[row]
    identity = np.full_like(row, COUNTERFEIT) if draft.identity is None else draft.identity
    old = np.flatnonzero(fake & (identity != COUNTERFEIT))
    if not len(old):
        return [(point[:, column], read.texts[column]) for column in range(len(attributes))]
    cells, columns = counterfeits.cells_of(identity[old]), []
    for column, attribute in enumerate(attributes):
        texts, moved, place = _extended(attribute, read, column, cells[:, column], listed=attribute.name in listed)
        codes = moved[point[:, column]]
        codes[old] = place
        columns.append((codes, texts))
    return columns


def _extended(
    attribute: QuasiIdentifier, read: ReadSnapshot, column: int, cells: Codes, *, listed: bool
) -> tuple[list[str], Codes, Codes]:
    """Add the values of older cells to a snapshot's scale.

    Args:
        attribute: the attribute of the scale.
        read: the snapshot.
        column: the attribute's place.
        cells: exact values, as numbers of the attribute.
        listed: whether the domain declares the order; values that it does not list are put at the end.

    Returns:
        The texts of all values in order, the place of each of the snapshot's values, and the place of each cell's.
    """
    own: list[Value] = [*(read.numbers[column] or read.texts[column])]
    text_of = dict(zip(own, read.texts[column], strict=True))
    older = [_exact(attribute.cells[cell], attribute.texts[cell]) for cell in cells.tolist()]
    new = {value: attribute.texts[cell] for value, cell in zip(older, cells.tolist(), strict=True)}
    for value in text_of.keys() & new.keys():
        del new[value]
    text_of |= new
    values = own + sorted(new, key=_rank) if listed or not new else sorted(text_of, key=_rank)
    place = {value: number for number, value in enumerate(values)}
    own_places, cell_places = (np.array([place[value] for value in each], dtype=np.int32) for each in (own, older))
    return [text_of[value] for value in values], own_places, cell_places


def _exact(cell: Cell, text: str) -> Value:
    """Return the only value that a cell covers; its text if it covers several."""
    if isinstance(cell, Interval) and cell.low is not None and cell.low == cell.high:
        return cell.low
    return next(iter(cell.members)) if isinstance(cell, ValueSet) and len(cell.members) == 1 else text


def _rank(value: Value) -> tuple[bool, Any]:
    """Return a sort key: numbers first, then texts in natural order."""
    return (False, value) if isinstance(value, Fraction) else (True, (natural(value), value))


_BYTES = 5  # of the numbers in record ids, which are written in hexadecimal digits after an `r`


class RecordIds:
    """The published record ids of a series: known people keep theirs, new people and counterfeits get random ones."""

    def __init__(self) -> None:
        # Numbers must not be their own codes: only published ids have a code.
        self._ids = IdentifierEncoder(0)
        self._of = np.full(0, -1, dtype=np.int32)

    def learn(self, person: Codes, records: Coded) -> None:
        """Take the record ids of a release's people; later ones replace earlier ones."""
        size = int(person.max(initial=-1)) + 1
        if size > len(self._of):
            self._of = np.concatenate([self._of, np.full(size - len(self._of), -1, dtype=np.int32)])
        codes = self._ids.encode_coded(records)
        real = person != NOBODY
        self._of[person[real]] = codes[real]

    def of(self, person: Codes, rng: np.random.Generator) -> pa.Array:
        """Return the record id of each row, as Arrow text."""
        size = len(self._of)
        known = np.where((person >= 0) & (person < size), np.append(self._of, -1)[np.minimum(person, size)], -1)
        missing = known < 0
        drawn = _texts(self._draw(int(np.count_nonzero(missing)), rng))
        return pc.replace_with_mask(self._ids.names(known), arrow(missing), drawn)

    def _draw(self, count: int, rng: np.random.Generator) -> Numbers:
        """Return distinct numbers of unused record ids; shape (count,)."""
        drawn = np.zeros(0, dtype=np.int64)
        while len(drawn) < count:
            more = rng.integers(0, 1 << 8 * _BYTES, count - len(drawn))
            drawn = np.concatenate([drawn, more[self._ids.codes(_texts(more)) < 0]])
            drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        return drawn


def _texts(numbers: Numbers) -> pa.Array:
    """Return numbers as record ids, as Arrow text."""
    data = np.ascontiguousarray(numbers.astype(">i8").view(np.uint8).reshape(-1, 8)[:, -_BYTES:])
    cells = pa.Array.from_buffers(pa.binary(_BYTES), len(numbers), [None, pa.py_buffer(data)])
    letter, nothing = column_of(["r", ""]).cast(pa.large_string())
    return pc.binary_join_element_wise(letter, hexadecimal(cells), nothing)


def covers_itself(text: str, attribute: QuasiIdentifier) -> bool:
    """Return whether an exact value, written as a cell, is read as a cell that covers it; true for all numbers."""
    if attribute.kind is not Kind.CATEGORICAL:
        return True
    try:
        cell = attribute.parse(text)
    except CellError:
        return False
    return contains(cell, ValueSet(frozenset([text])))


@dataclass(frozen=True)
class GroupCells:
    """The cells of each group of a release, as numbers of the attributes; `cell` has shape (groups, attributes)."""

    attributes: tuple[QuasiIdentifier, ...]
    cell: Codes
    uniform: Flags

    @classmethod
    def of(cls, release: KeyedRelease, attributes: tuple[QuasiIdentifier, ...]) -> GroupCells:
        """Return the cells of a release's groups; `uniform` is false for a group whose rows have different cells."""
        groups = release.group.codes
        cell = np.zeros((release.group.size, len(attributes)), dtype=np.int32)
        uniform = np.ones(release.group.size, dtype=np.bool_)
        for column, attribute in enumerate(attributes):
            codes = release.cells[attribute.name]
            cell[groups, column] = codes
            uniform[groups[cell[groups, column] != codes]] = False
        return cls(attributes, cell, uniform)


@dataclass(frozen=True)
class LastReleaseCells:
    """The last release's cells, its snapshot, and the next snapshot."""

    cells: GroupCells
    before: ReadSnapshot
    now: ReadSnapshot

    def ranges(self) -> CellRanges:
        """Return the cells of the last release's groups in the snapshot's scales.

        Raises:
            UsageError: the rows of a group differ in their cells.
        """
        if not self.cells.uniform.all():
            raise UsageError.say(
                "a group of the last release has rows with different cells; this method continues only series "
                "in which all rows of a group have the same cells; begin a new series"
            )
        low, high = np.zeros_like(self.cells.cell), np.zeros_like(self.cells.cell)
        exact = np.ones(len(low), dtype=np.bool_)
        for column, attribute in enumerate(self.cells.attributes):
            cells = self.cells.cell[:, column]
            example, place = distinct(cells.astype(np.int64), len(attribute.cells))
            first, after, fits = self._spans(attribute, column, cells[example])
            low[:, column], high[:, column] = first[place], after[place] - 1
            exact &= fits[place]
        return CellRanges(low, high, exact)

    def covers(self, group: Codes, row: Codes) -> Flags:
        """Return whether the cells of groups cover rows of the snapshot, pair by pair."""
        covered = np.ones(len(group), dtype=np.bool_)
        covered[uncovered(self.cells.cell[group].T, self.cells.attributes, self.now, row)] = False
        return covered

    def moved(self) -> Codes:
        """Return the rows of people whose exact quasi-identifiers differ from those in the snapshot before."""
        old, new = self.before.snapshot, self.now.snapshot
        row_now = numbered(new.person, int(max(old.person.max(initial=-1), new.person.max(initial=-1))) + 1)
        rows, point = row_now[old.person], self._point_before()
        present = rows >= 0
        if not present.all():
            rows, point = rows[present], point[present]
        differs = new.point.take(rows, axis=0) != point
        # `differs.any()` is much faster than `any(axis=1)`, and mostly there are no differences.
        return np.sort(rows[differs.any(axis=1)]) if differs.any() else rows[:0]

    def _point_before(self) -> Codes:
        """Return the points of the snapshot before in the next one's scales, -1 for values that these lack."""
        point = self.before.snapshot.point
        for column in range(len(self.cells.attributes)):
            place_now = {value: place for place, value in enumerate(_values(self.now, column))}
            carried = [place_now.get(value, -1) for value in _values(self.before, column)]
            if carried == list(range(len(carried))):
                continue
            if point is self.before.snapshot.point:
                point = point.copy()
            point[:, column] = np.array(carried, dtype=np.int32)[point[:, column]]
        return point

    def _spans(self, attribute: QuasiIdentifier, column: int, used: Codes) -> tuple[Codes, Codes, Flags]:
        """Return the first place that each cell covers, the place after the last, and whether it covers all between."""
        if attribute.kind is not Kind.CATEGORICAL:
            return cover_ranges([attribute.cells[cell] for cell in used], self.now.numbers[column])
        grid = attribute.covers(used, self.now.texts[column])
        covered = grid.sum(axis=1)
        first = np.where(covered > 0, grid.argmax(axis=1), 0)
        after = np.where(covered > 0, grid.shape[1] - grid[:, ::-1].argmax(axis=1), 0)
        return first.astype(np.int32), after.astype(np.int32), after - first == covered


def _values(read: ReadSnapshot, column: int) -> list[object]:
    return list(read.numbers[column] or read.texts[column])


def uncovered(
    cells: Sequence[Codes] | Codes, attributes: Sequence[QuasiIdentifier], read: ReadSnapshot, row: Codes
) -> Places:
    """Return the places in `row`, rows of the snapshot, whose exact values their published cells do not cover.

    `cells` holds the published cells of each attribute, as numbers of the attribute; shape (len(row),) each.
    """
    wrong = np.zeros(len(row), dtype=np.bool_)
    for column, attribute in enumerate(attributes):
        first, place = distinct(cells[column].astype(np.int64), len(attribute.cells))
        used, points = cells[column][first], read.snapshot.point[row, column]
        if attribute.kind is Kind.CATEGORICAL:
            wrong |= ~attribute.covers(used, read.texts[column])[place, points]
            continue
        numbers = read.numbers[column]
        low, high, exact = cover_ranges([attribute.cells[cell] for cell in used], numbers)
        fits = (low[place] <= points) & (points < high[place])
        for at in np.flatnonzero(~exact[place]).tolist():
            number = numbers[points[at]]
            fits[at] = contains(attribute.cells[used[place[at]]], Interval(number, number))
        wrong |= ~fits
    return np.flatnonzero(wrong)
