"""Attributes: the quasi-identifiers of a series, with their distinct generalized cells, numbered, and coarser cells.

The grid of coarser numbers does not depend on the data, so that it reveals nothing about them.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from math import floor, log10

import numpy as np
import numpy.typing as npt

from audit.io.cell_reading import Hierarchy, covers, exact_text, parse, parse_point, parse_value, unit_of
from audit.io.cells import Anything, Cell, CellError, Interval, Kind, Masked, NumberSet, ValueSet, set_text, show
from audit.model.arrays import Codes, Flags, Integers
from audit.runtime.phrases import say

_FEW = 3  # at most one in so many texts is in other releases


@dataclass
class QuasiIdentifier:
    """One quasi-identifier; equal cells, however they are written, get the same number.

    But readers see which values were suppressed and which were recorded as unknown: each text of `missing` is a cell of
    its own.

    Attributes:
        name: the column.
        kind: how its values compare.
        hierarchy: the hierarchy of its labels; None if there is none.
        missing: the texts that mean an unknown value.
        cells: the distinct cells, by number.
        texts: the first text of each cell, by number.
        spelled: whether all texts are exact values, even if they look like ranges.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy | None
    missing: frozenset[str]
    cells: list[Cell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    spelled: bool = False
    _of_text: dict[str, int] = field(default_factory=dict)
    _of_cell: dict[tuple[Cell, str | None], int] = field(default_factory=dict)
    _unit: str | None = None

    @property
    def anything(self) -> int:
        """The number of the cell `*`, or if no cell is `*`, of the first unknown value; -1 without either."""
        unknown = (number for (cell, _), number in self._of_cell.items() if isinstance(cell, Anything))
        return self._of_cell.get((Anything(), None), next(unknown, -1))

    def recodes(self, before: Codes, now: Codes) -> bool:
        """Return whether hardly a text of a release (`now`) is in earlier ones (`before`), as with other codes."""
        old, new = (
            {number for number in np.unique(each).tolist() if number >= 0 and self.cells[number] != Anything()}
            for each in (before, now)
        )
        return self.kind is Kind.CATEGORICAL and have_other_codes(old, new)

    def number(self, text: str) -> int:
        """Return the number of the cell that a text means.

        Raises:
            CellError: the text is not a cell of this attribute.
        """
        known = self._of_text.get(text)
        if known is None:
            cell = self.parse(text)
            mark = text if isinstance(cell, Anything) and (not text or text.strip("*")) else None
            known = self._of_text[text] = self._of_cell.setdefault((cell, mark), len(self.cells))
            if known == len(self.cells):
                self.texts.append(text)
                self.cells.append(cell)
        return known

    def parse(self, text: str) -> Cell:
        """Return the cell of a text.

        Raises:
            CellError: the text is not a cell of this attribute.
        """
        if self.spelled:
            return exact_text(text, self.missing)
        cell = parse(text, self.kind, self.hierarchy, self.missing)
        self._check_unit(text)
        return cell

    def shown(self, cell: Cell, *, block: bool = False) -> str | None:
        """Return a text that the column reads as this cell, or None if there is none.

        A set of leaves with a label in the hierarchy is written as the label, and a `block` of a grid as `20-29`.
        """
        texts: list[str | None] = [show(cell, self.kind)]
        if isinstance(cell, ValueSet):
            label = None if self.hierarchy is None else self.hierarchy.label_of(cell.members)
            texts = [label, *texts, set_text(cell.members), set_text(cell.members, every=True)]
        block = block and self.kind is Kind.NUMERIC
        if block and isinstance(cell, Interval) and cell.low is not None and cell.high is not None:
            ends = cell.low, cell.high
            if cell.low >= 0 and not (cell.low_open or cell.high_open) and all(end.denominator == 1 for end in ends):
                texts = [f"{ends[0]}-{ends[1]}"]
        return next((text for text in texts if text is not None and self._reads(text, cell)), None)

    def _reads(self, text: str, cell: Cell) -> bool:
        try:
            return self.parse(text) == cell
        except CellError:
            return False

    def check_exact(self, text: str) -> None:
        """Refuse a text that is not an exact number or day, in a column of these.

        Raises:
            CellError: the text is neither, or its unit differs from that of earlier cells.
        """
        if self.kind is not Kind.CATEGORICAL:
            parse_point(text, self.kind, self.missing)
            self._check_unit(text)

    def rank(self, text: str) -> tuple[Fraction | str | None, ...]:
        """Return a sort key for an exact value; an empty one for an unknown value.

        Raises:
            CellError: the text is not an exact value of this attribute.
        """
        if self.kind is Kind.CATEGORICAL:
            value = parse_value(text, self.kind, self.missing)
            return () if value is None else (value,)
        point = parse_point(text, self.kind, self.missing)
        return () if point is None else (point.low, point.high)

    def _check_unit(self, text: str) -> None:
        unit = unit_of(text) if self.kind is Kind.NUMERIC else None
        if unit is not None and self._unit not in (None, unit):
            raise CellError(
                say("the cell's unit differs from others"), say("write all cells of the column in one unit")
            )
        self._unit = unit or self._unit

    def numbers(self, names: Sequence[str]) -> tuple[Codes, list[tuple[int, CellError]]]:
        """Return the numbers of texts, and the index and the error of each text that is not a cell.

        The numbers have shape (len(names),), int32; 0 where the text is not a cell.
        """
        errors = []
        for index, name in enumerate(names):
            if name not in self._of_text:
                try:
                    self.number(name)
                except CellError as error:
                    errors.append((index, error))
        return np.array([self._of_text.get(name, 0) for name in names], dtype=np.int32), errors

    def covers(self, cells: Integers, values: Sequence[str]) -> Flags:
        """Return which cells, given by number, cover which exact values; shape (len(cells), len(values)), bool.

        Raises:
            CellError: a value is not a number or a day, in a column of these.
        """
        return covers([self.cells[c] for c in cells], values, self.kind, self.missing)


def have_other_codes(old: Set[object], new: Set[object]) -> bool:
    """Return whether hardly a text is in both of two sets, as where tables have other codes for the same values.

    >>> have_other_codes({"F", "M", "9"}, {"1", "2", "9"}), have_other_codes({"F", "M"}, {"F", "M", "D"})
    (True, False)
    """
    return _FEW * len(old & new) <= min(len(old), len(new)) > 0


# -- coarser cells ----------------------------------------------------------------------------------------------------


_ROUND = (1, 2, 5)
_LEAST_WHOLE = 5
_WIDEST = Fraction(10) ** 12


def coarser(cell: Cell, hierarchy: Hierarchy | None = None, *, whole: bool = True, kind: Kind = Kind.NUMERIC) -> Cell:
    """Return the next coarser cell of a column of this kind; `Anything` at the top.

    Labels go up their hierarchy; codes lose a digit; numbers go to the next wider block of a grid of 5, 10, 20, 50, …
    (of whole numbers if `whole`), days to their month, quarter, year or decade; other texts become `*`.

    >>> coarser(Interval(Fraction(21), Fraction(22)))
    Interval(low=Fraction(20, 1), high=Fraction(24, 1), low_open=False, high_open=False)
    >>> coarser(Masked("481", 5))
    Masked(prefix='48', length=5)
    """
    if kind.is_date and isinstance(cell, Interval | NumberSet):
        ends = (min(cell.members), max(cell.members)) if isinstance(cell, NumberSet) else (cell.low, cell.high)
        return _period(*ends)
    if isinstance(cell, Interval):
        return _block(cell.low, cell.high, whole=whole)
    if isinstance(cell, NumberSet):
        return _block(min(cell.members), max(cell.members), whole=whole)
    if isinstance(cell, ValueSet):
        if hierarchy is None:
            return shortened(cell.members)
        return _label(hierarchy, [leaves for leaves in _below(hierarchy) if cell.members < leaves])
    return Masked(cell.prefix[:-1], cell.length) if isinstance(cell, Masked) and len(cell.prefix) > 1 else Anything()


def grid(width: Fraction, low: Fraction, *, whole: bool) -> Interval:
    """Return the block of this width that contains a number; the blocks of a grid begin at multiples of the width."""
    start = Fraction(floor(low / width)) * width
    end = start + width
    return Interval(start, end - 1) if whole else Interval(start, end, high_open=True)


def last_of_block(numbers: Sequence[Fraction], width: Fraction) -> npt.NDArray[np.int32]:
    """Return the index of the last of the ascending numbers in the block of each number; shape (numbers,), int32.

    >>> last_of_block([Fraction(n) for n in (20, 21, 24, 31)], Fraction(5)).tolist()
    [2, 2, 2, 3]
    """
    blocks = [floor(number / width) for number in numbers]
    ends = [place for place, block in enumerate(blocks) if blocks[place + 1 : place + 2] != [block]]
    return np.repeat(np.array(ends, dtype=np.int32), np.diff(ends, prepend=-1))


def widths(least: Fraction) -> Iterator[Fraction]:
    """Yield the widths of grids from `least` on, ascending: 1, 2 and 5 times the powers of ten."""
    power = floor(log10(least)) if least > 0 else 0
    for place in count(power):
        for times in _ROUND:
            width = Fraction(10) ** place * times
            if width >= least:
                yield width


def _block(low: Fraction | None, high: Fraction | None, *, whole: bool) -> Cell:
    if low is None or high is None:
        return Anything()
    length = high - low + whole
    for width in widths(max(length, Fraction(_LEAST_WHOLE)) if whole else max(length, Fraction(1, 1000))):
        if width > _WIDEST:
            return Anything()
        found = grid(width, low, whole=whole)
        inside = found.high is not None and (high <= found.high if whole else high < found.high)
        if width > length and inside:
            return found
    return Anything()


def _period(low: Fraction | None, high: Fraction | None) -> Cell:
    """Return the smallest month, quarter, year or decade that contains all days from `low` to `high`, and more."""
    if low is None or high is None:
        return Anything()
    first = datetime.date.fromordinal(int(low))
    for months in (1, 3, 12, 120):
        place = (first.year * 12 + first.month - 1) // months * months
        begin, end = (datetime.date(at // 12, at % 12 + 1, 1).toordinal() for at in (place, place + months))
        if high < end and end - begin > high - low + 1:
            return Interval(Fraction(begin), Fraction(end - 1))
    return Anything()


def narrowest(members: frozenset[str], hierarchy: Hierarchy) -> Cell:
    """Return the narrowest label of a hierarchy that covers the members; `Anything` if only the root does."""
    return _label(hierarchy, [leaves for leaves in _below(hierarchy) if members <= leaves])


def _below(hierarchy: Hierarchy) -> list[frozenset[str]]:
    labels = dict.fromkeys(label for level in hierarchy.levels for label in level)
    return [leaves for label in labels if (leaves := hierarchy.leaves_of(label)) is not None]


def _label(hierarchy: Hierarchy, found: Sequence[frozenset[str]]) -> Cell:
    if not found:
        return Anything()
    least = min(found, key=lambda leaves: (len(leaves), sorted(leaves)))
    return Anything() if len(least) == len(set(hierarchy.levels[0])) > 1 else ValueSet(least)


def shortened(members: frozenset[str]) -> Cell:
    """Return the common prefix of codes of one length, masked; for a single code, all but its last character.

    `Anything` for other texts, and for codes without a common prefix.

    >>> shortened(frozenset(["48151", "48199"]))
    Masked(prefix='481', length=5)
    """
    length = len(min(members))
    prefix = common_prefix(members)[: length - 1]
    return Masked(prefix, length) if prefix and are_codes(members) else Anything()


def common_prefix(texts: Collection[str]) -> str:
    """Return the longest common prefix of some texts.

    >>> common_prefix(["20431", "20437"])
    '2043'
    """
    first, last = min(texts), max(texts)
    shared = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:shared]


def are_codes(members: frozenset[str]) -> bool:
    """Return whether texts are codes that can be masked: all of one length, with a digit and without a star."""
    return len({len(text) for text in members}) == 1 and all(
        any(letter.isdigit() for letter in text) and "*" not in text for text in members
    )
