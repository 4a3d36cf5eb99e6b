"""Renderer: turn a draft into the columns of the published files, and into the key, which is not published.

The order of rows reveals nothing: group ids are drawn anew for each release; rows are sorted by group and value (all
rows of a group have the same cells), Anatomy rows by group and quasi-identifiers, and equal rows at random.

A release continues those before it: the cells of their groups, counterfeits with an identity, whose names only the key
holds, and records with published random ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.attributes import QuasiIdentifier, grid, narrowest, shortened
from audit.io.cells import (
    ANYTHING,
    Anything,
    Cell,
    CellError,
    Interval,
    Kind,
    ValueSet,
    contains,
    cover_ranges,
    intersect,
)
from audit.io.microdata import Microdata, ReadSnapshot
from audit.io.naming import natural
from audit.io.releases import COUNTERFEIT as MARK
from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.rules.rows_and_values import Unlinkable
from audit.io.rules.rule import Columns
from audit.io.tables import Coded, text_codes
from audit.io.texts import arrow, column_of, hexadecimal
from audit.model.anonymizer import COUNTERFEIT, OLD_END, Bounds, CellRanges, DomainParts, Draft, Form, RefusalError
from audit.model.arrays import NOBODY, Codes, Flags, Integers, Numbers, Places, distinct, flagged, numbered
from audit.model.errors import UsageError
from audit.runtime.phrases import in_quotes, say

_COUNT = "Count"
_WHOLE_LENGTH = Fraction(2)
_SHARE_OF_DOMAIN = 100


@dataclass(frozen=True)
class Rendered:
    """The tables of one release, ready to be written.

    Attributes:
        rows: the published table, or the rows of an Anatomy pair.
        values: the values of an Anatomy pair; None for a plain table.
        counterfeits: the number of counterfeits by group; None without counterfeits.
        person: the person of each row, -1 for a counterfeit without identity; shape (rows,), int32.
        own_value: the value of each row of an Anatomy pair, counterfeits included; None for a plain table, whose rows
            hold their values; shape (rows,).
        fake: number of counterfeits.
    """

    rows: pa.Table
    values: pa.Table | None
    counterfeits: pa.Table | None
    person: Codes
    own_value: pa.DictionaryArray | None
    fake: int


@dataclass(frozen=True)
class Renderer:
    """Turns drafts of one series into tables.

    Attributes:
        columns: what the columns of the series mean.
        attributes: the published quasi-identifiers.
        microdata: the tables of people, with the declared domains and grids.
        form: generalized cells, or Anatomy pairs.
    """

    columns: Columns
    attributes: tuple[QuasiIdentifier, ...]
    microdata: Microdata
    form: Form
    _texts: dict[tuple[str, Cell], str | None] = field(default_factory=dict)

    def render(
        self,
        draft: Draft,
        read: ReadSnapshot,
        last: GroupCells | None,
        records: RecordIds | None,
        counterfeits: Counterfeits,
        rng: np.random.Generator,
    ) -> Rendered:
        """Return the tables of a release, and name new counterfeits that get an identity.

        Raises:
            RefusalError: a cell cannot be written.
            UsageError: two groups would have equal cells in a series without a group column.
        """
        groups = int(draft.group.max(initial=-1)) + 1
        number = rng.permutation(groups).astype(np.int32) + 1
        real = draft.row != COUNTERFEIT
        person = np.where(real, read.snapshot.person[draft.row], NOBODY).astype(np.int32)
        ids = None if records is None else records.of(person, rng)
        by_text = np.argsort(np.argsort(np.array(read.snapshot.values, dtype=object)))
        chance = rng.permutation(len(draft.row))
        value = draft.value.copy()
        published = number[draft.group]
        if self.form == "anatomy":
            listed = frozenset(name for name, domain in self.microdata.domains.items() if domain.texts)
            exact = exact_columns(draft, read, self.attributes, listed, counterfeits, rng)
            keys: list[Integers] = [places for places, _ in reversed(exact)]
            order = np.lexsort([chance, *keys, published])
            columns, values = self._anatomy(draft, read, exact, order, published, by_text)
        else:
            order = np.lexsort((chance, by_text[draft.value], published))
            columns, values = self._plain(draft, read, last, order), None
        for name in self.columns.rules[Unlinkable].columns:
            if not real.all():
                what = say("it needs counterfeits, and an invented row has no true cell of this column")
                raise RefusalError(what, say("leave the column out, or take another method"), column=name)
            codes, texts = text_codes(read.table.arrow(name).take(arrow(draft.row[order])))
            columns[name] = _coded(codes, texts)
        if self.columns.group is not None:
            columns = {self.columns.group: published[order], **columns}
        if draft.identity is not None:
            person[~real] = draft.identity[~real]
            new = order[~real[order] & (draft.identity[order] == COUNTERFEIT)]
            person[new] = counterfeits.create(len(new))
            # Readers of a series give a group's new counterfeits their values in this order.
            value[new] = value[new[np.lexsort((value[new], published[new]))]]
        if self.columns.record is not None and ids is not None:
            columns = {self.columns.record: ids.take(arrow(order)), **columns}
        return Rendered(
            pa.table(columns),
            values,
            self._counterfeits(published[~real]),
            person[order],
            None if values is None else _coded(value[order], read.snapshot.values),
            int((~real).sum()),
        )

    # -- generalized cells ------------------------------------------------------------------------------------

    def _plain(self, draft: Draft, read: ReadSnapshot, last: GroupCells | None, order: Numbers) -> dict[str, object]:
        """Return the columns of a plain table, with its rows in the given order."""
        cells = []
        for column in range(len(self.attributes)):
            publishable = self._publishable(draft, read, column)
            if isinstance(draft.cells, Bounds):
                cells.append(self._bounds(draft.cells, read, column, publishable))
            else:
                cells.append(self._parts(draft.cells, read, last, column, publishable))
        if self.columns.group is None:
            _check_distinct([codes for codes, _ in cells])
        group = draft.group[order]
        columns: dict[str, object] = {
            attribute.name: _coded(codes[group], texts)
            for attribute, (codes, texts) in zip(self.attributes, cells, strict=True)
        }
        columns[self.columns.sensitive[0]] = _coded(draft.value[order], read.snapshot.values)
        return columns

    def _publishable(self, draft: Draft, read: ReadSnapshot, column: int) -> Flags:
        """Return which values of a scale a set may name: those of a declared domain, else those of published people.

        The values of withheld people would reveal that these people exist.
        """
        if self.attributes[column].name in self.microdata.domains:
            return np.ones(len(read.texts[column]), dtype=np.bool_)
        return flagged(read.snapshot.point[draft.row[draft.row != COUNTERFEIT], column], len(read.texts[column]))

    def _bounds(self, bounds: Bounds, read: ReadSnapshot, column: int, publishable: Flags) -> tuple[Codes, list[str]]:
        """Return the cell of each group as a code, and the codes' texts."""
        size = max(1, len(read.texts[column]))
        reach = bounds.low[:, column].astype(np.int64) * size + bounds.high[:, column]
        first, code = distinct(reach, size * size)
        attribute, whole = self.attributes[column], _whole(read.numbers[column])
        texts = []
        for pair in reach[first].tolist():
            cell = self._widened(pair // size, pair % size, read, column, publishable, whole=whole)
            # A value that no set can name, such as one with a star, is published as `*`.
            texts.append(self._shown(cell, attribute) or ANYTHING)
        return code, texts

    def _shown(self, cell: Cell, attribute: QuasiIdentifier) -> str | None:
        """Return the text of a cell, cached because each release repeats cells."""
        key = attribute.name, cell
        if key not in self._texts:
            self._texts[key] = attribute.shown(cell, block=attribute.name in self.microdata.grids)
        return self._texts[key]

    def _widened(
        self, low: int, high: int, read: ReadSnapshot, column: int, publishable: Flags, *, whole: bool
    ) -> Cell:
        """Return the cell from one place of the scale to another, widened to a fixed grid if it is too short."""
        attribute = self.attributes[column]
        domain = self.microdata.domains.get(attribute.name)
        if attribute.kind is not Kind.CATEGORICAL:
            first, last = read.numbers[column][low], read.numbers[column][high]
            if attribute.name in self.microdata.grids:
                return self._block(first, last, attribute.name, whole=whole)
            alike = len(read.numbers[column]) == 1
            length = Fraction(0) if alike else self._lengths[attribute.name]
            amounts = domain is not None and domain.has_amounts(whole=whole)
            return Interval(*widened(first, last, length, whole=whole, always=amounts))
        texts = read.texts[column]
        if attribute.hierarchy is not None and attribute.name in self.microdata.hierarchies:
            return narrowest(frozenset(texts[low : high + 1]), attribute.hierarchy)
        if attribute.name in self.microdata.codes:
            members = frozenset(texts[low : high + 1])
            return ValueSet(members) if len(members) == 1 else shortened(members)
        if domain is not None and high - low + 1 == len(domain.texts) > 1:
            return Anything()
        return ValueSet(frozenset(texts[place] for place in range(low, high + 1) if publishable[place]))

    @cached_property
    def _lengths(self) -> dict[str, Fraction]:
        """The least length of the intervals of each attribute of numbers."""
        return {each.name: self._length(each.name) for each in self.attributes if each.kind is not Kind.CATEGORICAL}

    def _length(self, name: str) -> Fraction:
        """Return the least length of the intervals of an attribute of numbers.

        It is 2 for whole numbers, as in the paper's example, and a hundredth of the declared domain for amounts and
        other numbers, with as many decimals as they.
        """
        domain, whole = self.microdata.domains.get(name), self.microdata.is_whole(name)
        if whole and not (domain is not None and domain.has_amounts(whole=True)):
            return _WHOLE_LENGTH
        if domain is None or domain.low is None or domain.high is None:
            return Fraction(0)
        unit = Fraction(1, 10 ** self.microdata.decimals(name))
        return -((domain.low - domain.high) / _SHARE_OF_DOMAIN // unit) * unit

    def _block(self, first: Fraction, last: Fraction, name: str, *, whole: bool) -> Cell:
        """Return the narrowest block of an attribute's grids that holds two numbers, or else the domain."""
        for width in self.microdata.grids[name]:
            found = grid(width, first, whole=whole and width.denominator == 1)
            if contains(found, Interval(last, last)):
                return found
        domain = self.microdata.domains.get(name)
        return Anything() if domain is None else Interval(domain.low, domain.high)

    def _parts(
        self, parts: DomainParts, read: ReadSnapshot, last: GroupCells | None, column: int, publishable: Flags
    ) -> tuple[Codes, list[str]]:
        """Return the cell of each group, which is part of an older cell, as a code, and the codes' texts."""
        attribute = self.attributes[column]
        older = np.full(len(parts.of), -1, dtype=np.int64)
        if last is not None and (parts.of >= 0).any():
            older[parts.of >= 0] = last.cell[parts.of[parts.of >= 0], column]
        key = np.stack([older, parts.after[:, column], parts.upto[:, column]], axis=1)
        parted, code = np.unique(key, axis=0, return_inverse=True)
        texts = []
        for of, after, upto in parted.tolist():
            whole = attribute.cells[of] if of >= 0 else self._root(attribute)
            widths = self.microdata.grids.get(attribute.name, ())
            part = _on_grid(read, column, after, upto, widths[0]) if widths else None
            cell = intersect(whole, part or _between(read, column, after, upto, publishable))
            text = None if cell is None else self._shown(cell, attribute)
            if text is None:
                if attribute.kind is not Kind.CATEGORICAL:
                    what = say("some numbers of this column are too long to end an interval")
                    remedy = say("round them, or leave the column out")
                else:
                    members = sorted(cell.members) if isinstance(cell, ValueSet) else []
                    unread = [each for each in members if self._shown(ValueSet(frozenset((each,))), attribute) is None]
                    what = say(
                        "some values of this column cannot be written in a set of values ({values}): they end with "
                        "stars, or mean something else in the series",
                        values=in_quotes(unread or members, most=3),
                    )
                    remedy = say("rename them, or leave the column out")
                raise RefusalError(what, remedy, column=attribute.name)
            texts.append(text)
        return code.reshape(-1).astype(np.int32), texts

    def _root(self, attribute: QuasiIdentifier) -> Cell:
        """Return the declared domain, or else `*`."""
        domain = self.microdata.domains.get(attribute.name)
        if domain is None:
            return Anything()
        return ValueSet(frozenset(domain.texts)) if domain.texts else Interval(domain.low, domain.high)

    # -- Anatomy ----------------------------------------------------------------------------------------------

    def _anatomy(
        self,
        draft: Draft,
        read: ReadSnapshot,
        exact: list[tuple[Codes, list[str]]],
        order: Numbers,
        published: Codes,
        by_text: Numbers,
    ) -> tuple[dict[str, object], pa.Table]:
        for column, attribute in enumerate(self.attributes):
            _check_exact(attribute, read, column)
        columns: dict[str, object] = {
            attribute.name: _coded(codes[order], texts)
            for attribute, (codes, texts) in zip(self.attributes, exact, strict=True)
        }
        size = len(read.snapshot.values)
        pairs, count = np.unique(published.astype(np.int64) * size + by_text[draft.value], return_counts=True)
        names = sorted(read.snapshot.values)
        values: dict[str, object] = {
            str(self.columns.group): (pairs // size).astype(np.int32),
            self.columns.sensitive[0]: _coded((pairs % size).astype(np.int32), names),
            self.columns.count or "count": count,
        }
        return columns, pa.table(values)

    def _counterfeits(self, groups: Codes) -> pa.Table | None:
        if not len(groups):
            return None
        if self.columns.group is None:
            raise UsageError.say("the series has no group column, so counterfeits cannot be counted by group; add one")
        if self.columns.group == _COUNT:
            raise UsageError.say(
                'the group column is called "{column}", as is that of counterfeits; begin a new series',
                column=_COUNT,
            )
        faked, count = np.unique(groups, return_counts=True)
        return pa.table({self.columns.group: faked, _COUNT: count})


def widened(
    first: Fraction, last: Fraction, length: Fraction, *, whole: bool, always: bool = False
) -> tuple[Fraction, Fraction]:
    """Return the ends of an interval, widened to a fixed grid with steps of `length` if it is shorter, or `always`.

    Among whole numbers `[21, 22]` has length 2. The grid does not depend on the data: a short interval around the
    values would reveal them (m-invariance paper, Section 4.1).

    >>> [str(end) for end in widened(Fraction(21), Fraction(21), Fraction(2), whole=True)]
    ['20', '21']
    """
    length = Fraction(ceil(length)) if whole else length
    if last - first + whole >= length and not (always and length):
        return first, last
    return Fraction(first // length * length), Fraction((last // length + 1) * length - whole)


def _whole(numbers: list[Fraction]) -> bool:
    return all(number.denominator == 1 for number in numbers)


def _on_grid(read: ReadSnapshot, column: int, after: int, upto: int, width: Fraction) -> Cell:
    """Return the numbers after the block of one place of a scale, up to the end of the block of another."""
    if after == OLD_END and upto == OLD_END:
        return Anything()
    numbers = read.numbers[column]
    whole = _whole(numbers) and width.denominator == 1
    low = None if after == OLD_END else grid(width, numbers[after], whole=False).high
    last = None if upto == OLD_END else grid(width, numbers[upto], whole=whole)
    return Interval(low, None) if last is None else Interval(low, last.high, high_open=last.high_open)


def _between(read: ReadSnapshot, column: int, after: int, upto: int, publishable: Flags) -> Cell:
    """Return the values after one place of a scale, up to another."""
    if after == OLD_END and upto == OLD_END:
        return Anything()
    numbers = read.numbers[column]
    if numbers:
        low = None if after == OLD_END else numbers[after]
        return Interval(low, None if upto == OLD_END else numbers[upto], low_open=low is not None)
    texts = read.texts[column]
    places = range(after + 1, len(texts) if upto == OLD_END else upto + 1)
    return ValueSet(frozenset(texts[place] for place in places if publishable[place]))


def _check_exact(attribute: QuasiIdentifier, read: ReadSnapshot, column: int) -> None:
    """Refuse exact values that would be read as other cells, such as `{x}`, which is the set of `x`.

    Raises:
        RefusalError: a row has one.
    """
    wrong = np.array([not covers_itself(text, attribute) for text in read.texts[column]], dtype=np.bool_)
    rows = np.flatnonzero(wrong[read.snapshot.point[:, column]])
    if len(rows):
        what = say("some values of this column would be read as sets or labels, not as exact values")
        raise RefusalError(what, say("rename them, or leave the column out"), rows=rows, column=attribute.name)


def _check_distinct(cells: Sequence[Codes]) -> None:
    """Refuse groups with equal cells, which a reader would take for one group.

    Raises:
        UsageError: two groups have equal cells.
    """
    rows = np.stack(cells, axis=1) if cells else np.zeros((1, 0), dtype=np.int32)
    if len(np.unique(rows, axis=0)) < len(rows):
        raise UsageError.say(
            "two groups of the release would have equal cells, and without a group column they would read as one; "
            "begin a new series, which gets a group column"
        )


def _coded(codes: Codes, texts: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(arrow(codes.astype(np.int32)), column_of(texts))


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
