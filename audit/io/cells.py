"""Cells: the algebra of generalized cells: the values that they cover, their intersections, and their texts.

A cell is a set of exact values. Numbers are exact fractions on the real line, so `[21, 22[` covers 21.5; days are whole
numbers. Cells are canonical: two cells that cover the same numbers are equal and have the same hash.
`audit.io.cell_reading` reads cells from texts.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray


class Kind(Enum):
    """How the values of a column compare: as numbers, texts or days; dates with slashes have one of two orders."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    DATE = "date"
    DAY_FIRST = "day/month/year"
    MONTH_FIRST = "month/day/year"

    @property
    def is_date(self) -> bool:
        """Whether values are days; their cells are intervals of day numbers."""
        return self not in (Kind.NUMERIC, Kind.CATEGORICAL)


class Fault(ValueError):
    """A reading error, with what is wrong and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what, self.remedy = what, remedy

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}"


class CellError(Fault):
    """A text is not a cell, or not an exact value, of its column."""


@dataclass(frozen=True, slots=True)
class Anything:
    """The cell `*`, which covers every value."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`; an unbounded end is None, an open end is excluded; one number is both ends."""

    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        unbounded = self.low is None and self.high is None
        if unbounded or (self.low is None and self.low_open) or (self.high is None and self.high_open):
            raise ValueError("not canonical: `Anything` has no ends, and a missing end is not open")
        if _empty(self.low, self.high, self.low_open or self.high_open):
            raise ValueError("an interval covers at least one number")


@dataclass(frozen=True, slots=True)
class NumberSet:
    """Two or more numbers; a single number is an `Interval`."""

    members: frozenset[Fraction]


@dataclass(frozen=True, slots=True)
class ValueSet:
    """One or more texts."""

    members: frozenset[str]


@dataclass(frozen=True, slots=True)
class Masked:
    """The texts of `length` characters that start with `prefix`, which is shorter and not empty."""

    prefix: str
    length: int


Cell: TypeAlias = Anything | Interval | NumberSet | ValueSet | Masked


def cover_ranges(
    cells: Sequence[Cell], numbers: Sequence[Fraction]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the range of ascending numbers that each cell covers.

    Returns:
        `low` and `high`, int32, and `exact`, bool; each of shape (cells,). Cell i covers `numbers[low[i]:high[i]]`; if
        `exact[i]` is false, it is a `NumberSet`, and covers only some of them.

    Raises:
        TypeError: a cell is one of texts.
    """
    keys = [_comparable(number) for number in numbers]
    spans = np.array([_span(_hull(cell), keys, keys) for cell in cells], dtype=np.int32).reshape(-1, 2)
    exact = np.array([not isinstance(cell, NumberSet) for cell in cells], dtype=np.bool_)
    return spans[:, 0], spans[:, 1], exact


def intersect(left: Cell, right: Cell) -> Cell | None:
    """Return the intersection of two cells of one column; None if it is empty.

    Raises:
        TypeError: one is a cell of numbers, the other one of texts.
    """
    match left, right:
        case Anything(), _:
            return right
        case _, Anything():
            return left
        case ((Interval() | NumberSet()), (Interval() | NumberSet())):
            return _intersect_numbers(left, right)
        case ((ValueSet() | Masked()), (ValueSet() | Masked())):
            return _intersect_texts(left, right)
    raise TypeError("a cell of numbers and a cell of texts are not of one column")


def contains(outer: Cell, inner: Cell) -> bool:
    """Return whether `outer` covers everything that `inner` covers, for cells of one column."""
    return intersect(outer, inner) == inner


def cover_numbers(cells: Sequence[Cell], values: Sequence[Interval | None]) -> NDArray[np.bool_]:
    """Return which cells of numbers may cover which values; shape (cells, values), bool.

    A value is a number, or a closed interval that contains it, such as a month: a cell may cover it if they share a
    number. Every cell covers an unknown value, None.
    """
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    begins, lows = _ranked([(value.low, place) for place, value in known], len(values))
    ends, highs = _ranked([(value.high, place) for place, value in known], len(values))
    grid = np.zeros((len(cells), len(values)), dtype=np.bool_)
    for row, cell in zip(grid, cells, strict=True):
        parts = [Interval(each, each) for each in cell.members] if isinstance(cell, NumberSet) else [cell]
        for first, after in (_span(part, lows, highs) for part in parts):
            row[(ends >= first) & (begins < after)] = True
    grid[:, [value is None for value in values]] = True
    return grid


def cover_texts(cells: Sequence[Cell], values: Sequence[str | None]) -> NDArray[np.bool_]:
    """Return which cells of texts cover which values; shape (cells, values), bool.

    Every cell covers an unknown value, None.

    Raises:
        TypeError: a cell is one of numbers.
    """
    known = sorted((text, place) for place, text in enumerate(values) if text is not None)
    texts, order = [text for text, _ in known], np.array([place for _, place in known], dtype=np.intp)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    spans = {text: slice(bisect_left(texts, text), bisect_right(texts, text)) for text in texts}
    grid = np.zeros((len(cells), len(values)), dtype=np.bool_)
    for row, cell in zip(grid, cells, strict=True):
        if isinstance(cell, Masked):
            start, size = bisect_left(texts, cell.prefix), len(cell.prefix)
            stop = bisect_right(texts, cell.prefix, lo=start, key=lambda text: text[:size])
            row[order[start:stop][lengths[start:stop] == cell.length]] = True
        elif isinstance(cell, ValueSet):
            for text in spans.keys() & cell.members:
                row[order[spans[text]]] = True
        elif isinstance(cell, Anything):
            row[:] = True
        else:
            raise TypeError("a column of texts has no cells of numbers")
    grid[:, [text is None for text in values]] = True
    return grid


def _empty(low: Fraction | None, high: Fraction | None, is_open: bool) -> bool:
    return low is not None and high is not None and (low, is_open) > (high, False)


def number_cell(numbers: frozenset[Fraction]) -> Interval | NumberSet | None:
    """Return the cell of a set of numbers; None if it is empty."""
    if len(numbers) > 1:
        return NumberSet(numbers)
    return next((Interval(number, number) for number in numbers), None)


def _intersect_numbers(left: Interval | NumberSet, right: Interval | NumberSet) -> Interval | NumberSet | None:
    if isinstance(left, NumberSet):
        return number_cell(frozenset(number for number in left.members if _holds(right, number)))
    if isinstance(right, NumberSet):
        return _intersect_numbers(right, left)
    lows = [(cell.low, cell.low_open) for cell in (left, right) if cell.low is not None]
    highs = [(cell.high, not cell.high_open) for cell in (left, right) if cell.high is not None]
    low, low_open = max(lows, default=(None, False))
    high, high_closed = min(highs, default=(None, True))
    empty = _empty(low, high, low_open or not high_closed)
    return None if empty else Interval(low, high, low_open, not high_closed)


def _holds(cell: Interval | NumberSet, number: Fraction) -> bool:
    if isinstance(cell, NumberSet):
        return number in cell.members
    above = cell.low is None or cell.low < number or (cell.low == number and not cell.low_open)
    below = cell.high is None or number < cell.high or (cell.high == number and not cell.high_open)
    return above and below


def _intersect_texts(left: ValueSet | Masked, right: ValueSet | Masked) -> ValueSet | Masked | None:
    if isinstance(left, ValueSet):
        shared = frozenset(text for text in left.members if _matches(right, text))
        return ValueSet(shared) if shared else None
    if isinstance(right, ValueSet):
        return _intersect_texts(right, left)
    longer, shorter = (left, right) if len(left.prefix) > len(right.prefix) else (right, left)
    return longer if left.length == right.length and longer.prefix.startswith(shorter.prefix) else None


def _matches(cell: ValueSet | Masked, text: str) -> bool:
    if isinstance(cell, ValueSet):
        return text in cell.members
    return len(text) == cell.length and text.startswith(cell.prefix)


def _hull(cell: Cell) -> Cell:
    return Interval(min(cell.members), max(cell.members)) if isinstance(cell, NumberSet) else cell


def _comparable(number: Fraction) -> Fraction | int:
    """Return an equal number that compares fast: an integer for a whole number."""
    return number.numerator if number.denominator == 1 else number


def _ranked(ends: list[tuple[Fraction | None, int]], size: int) -> tuple[NDArray[np.int64], list[Fraction | int]]:
    """Return the rank of each end at its index, -1 elsewhere, shape (size,); and the sorted ends."""
    keys = sorted((_comparable(end), place) for end, place in ends if end is not None)
    rank = np.full(size, -1, dtype=np.int64)
    rank[[place for _, place in keys]] = np.arange(len(keys))
    return rank, [key for key, _ in keys]


def _span(cell: Cell, lows: Sequence[Fraction | int], highs: Sequence[Fraction | int]) -> tuple[int, int]:
    """Return the index of the first of the sorted `highs` that an interval reaches, and of the first `lows` beyond."""
    if isinstance(cell, Anything):
        return 0, len(lows)
    if not isinstance(cell, Interval):
        raise TypeError("only an interval or `*` covers a range of numbers")
    first, after = 0, len(lows)
    if cell.low is not None:
        first = (bisect_right if cell.low_open else bisect_left)(highs, _comparable(cell.low))
    if cell.high is not None:
        after = (bisect_left if cell.high_open else bisect_right)(lows, _comparable(cell.high))
    return first, after


ANYTHING = "*"
_QUOTES = ("'", '"')
_MEMBER = re.compile(r'(?:\A|,)\s*("(?:[^"]|"")*"(?=\s*(?:,|\Z))|[^,]*)')


def show(cell: Cell, kind: Kind = Kind.NUMERIC) -> str:
    """Return the text of a cell, in a column of this kind.

    >>> show(Interval(Fraction(21), Fraction(22))), show(Interval(Fraction(5, 2), None, low_open=True))
    ('[21, 22]', '>2.5')
    """
    if isinstance(cell, Anything):
        return ANYTHING
    write = day if kind.is_date else decimal
    if isinstance(cell, Interval):
        return _interval(cell, write)
    if isinstance(cell, NumberSet):
        return "{" + ", ".join(map(write, sorted(cell.members))) + "}"
    if isinstance(cell, ValueSet):
        return next(iter(cell.members)) if len(cell.members) == 1 else set_text(cell.members)
    return cell.prefix + "*" * (cell.length - len(cell.prefix))


def set_text(members: Iterable[str], *, every: bool = False) -> str:
    """Return the text of a set, in which texts with a comma or a quote before them, or `every` one, are in quotes.

    >>> set_text(["b", "a, c", "d"])
    '{"a, c", b, d}'
    """
    return "{" + ", ".join(quoted(member, always=every) for member in sorted(members)) + "}"


def quoted(text: str, *, always: bool = False) -> str:
    """Return a text as a member of a set: in double quotes if it has a comma, or begins with a quote, or `always`."""
    return '"{}"'.format(text.replace('"', '""')) if always or "," in text or text.startswith(_QUOTES) else text


def members_in(text: str) -> list[tuple[str, bool]]:
    """Return the members of a set, given without its brackets, and of each whether it was in quotes.

    >>> members_in('"a, c",b, ' + "'d'")
    [('a, c', True), ('b', False), ('d', True)]
    """
    members = [member.strip() for member in _MEMBER.findall(text)]
    in_quotes = [len(member) > 1 and member[0] == member[-1] and member[0] in _QUOTES for member in members]
    return [
        (member[1:-1].replace(2 * member[0], member[0]).strip() if is_quoted else member, is_quoted)
        for member, is_quoted in zip(members, in_quotes, strict=True)
    ]


def day(number: Fraction) -> str:
    """Return the date of a day number; outside the calendar, the first or last date.

    >>> day(Fraction(datetime.date(2024, 3, 17).toordinal()))
    '2024-03-17'
    """
    first, last = (end.toordinal() for end in (datetime.date.min, datetime.date.max))
    return datetime.date.fromordinal(min(max(int(number), first), last)).isoformat()


def decimal(number: Fraction) -> str:
    """Return a number with finitely many decimals as exact text.

    >>> decimal(Fraction(5, 4)), decimal(Fraction(-3))
    ('1.25', '-3')
    """
    if number.denominator == 1:
        return str(number.numerator)
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(number * 10**places))).rjust(places + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _interval(cell: Interval, write: Callable[[Fraction], str]) -> str:
    if cell.low is None or cell.high is None:
        sign, is_open, end = ("<", cell.high_open, cell.high) if cell.low is None else (">", cell.low_open, cell.low)
        return f"{sign}{'' if is_open else '='}{write(end)}" if end is not None else ANYTHING
    if cell.low == cell.high:
        return write(cell.low)
    opening, closing = "(" if cell.low_open else "[", ")" if cell.high_open else "]"
    return f"{opening}{write(cell.low)}, {write(cell.high)}{closing}"
