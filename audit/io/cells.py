"""The algebra of generalized cells: what each notation means, which values it covers, what two cells share.

A cell is a set of exact values. Numbers are exact fractions on the real line, so `[21, 22[` covers 21.5.
Cells are canonical: two numeric cells that cover the same numbers are equal and hash alike. Each distinct
text is parsed once; nothing here runs per row. Messages never quote a text, which may be private.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from audit.io.hierarchies import Hierarchy

_LONGEST_NUMBER = 40  # longer texts are not numbers, and exponents beyond the next line neither:
_LARGEST_EXPONENT = 300  # an exact fraction of `1e999999999` would fill the memory
_LONGEST_RANGE = 3 * _LONGEST_NUMBER
_NOTHING: frozenset[str] = frozenset()
_SIGNS = str.maketrans({"–": "-", "−": "-", "≥": ">=", "≤": "<="})
_N = r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_NUMBER = re.compile(_N)
_RANGE = re.compile(rf"([\[\](]?)\s*{_N}\s*([,-])\s*{_N}\s*([\])\[]?)")
_COMPARISON = re.compile(rf"([<>])(=?)\s*{_N}")
_DIGIT_MASK = re.compile(r"([0-9]+)(\*+)")


class Kind(Enum):
    """How a column's values compare: as numbers or as texts."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class CellError(ValueError):
    """A text is no cell, or no exact value, of its column; `what` is wrong and its `remedy`."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}"


@dataclass(frozen=True, slots=True)
class Anything:
    """Every value."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`, None where unbounded; a single number has `low == high`."""

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


def infer_kind(texts: Iterable[str], hierarchy: Hierarchy | None, missing: frozenset[str] = _NOTHING) -> Kind:
    """Return NUMERIC when every unmasked cell has the form of numbers, there is one, and no hierarchy.

    A reversed or empty interval has the form of a numeric range: `parse` then says what is wrong with it.
    """
    if hierarchy is not None:
        return Kind.CATEGORICAL
    unmasked = False
    for text in map(str.strip, texts):
        if _is_unknown(text, missing) or _read_digit_mask(text) is not None:
            continue
        if not _looks_numeric(text, missing):
            return Kind.CATEGORICAL
        unmasked = True
    return Kind.NUMERIC if unmasked else Kind.CATEGORICAL


def parse(text: str, kind: Kind, hierarchy: Hierarchy | None = None, missing: frozenset[str] = _NOTHING) -> Cell:
    """Return the cell that `text` denotes in a column of this kind; raise `CellError` when it denotes none.

    >>> parse("21-22", Kind.NUMERIC) == parse("[21.0, 22]", Kind.NUMERIC)
    True
    >>> parse("204**", Kind.CATEGORICAL)
    Masked(prefix='204', length=5)
    """
    text = text.strip()
    if _is_unknown(text, missing):
        return Anything()
    if not text:
        raise CellError("the cell is empty", "write `*` where nothing is said, or declare it as `missing`")
    if kind is Kind.CATEGORICAL:
        return _parse_text(text, hierarchy, missing)
    cell = _read_numeric(text, hierarchy, missing) or _read_digit_mask(text)
    if cell is None:
        remedy = "write it as 21, [21, 22], >=65 or {21, 25}, or declare the column categorical"
        raise CellError("the cell is neither a number nor a range or set of numbers", remedy)
    return cell


def parse_value(text: str, kind: Kind, missing: frozenset[str] = _NOTHING) -> Fraction | str | None:
    """Return the exact value that `text` denotes, or None when it is unknown (empty, `*` or missing)."""
    return _parse_number(text, missing) if kind is Kind.NUMERIC else _strip_value(text, missing)


def covers(
    cells: Sequence[Cell], values: Sequence[str], kind: Kind, missing: frozenset[str] = _NOTHING
) -> NDArray[np.bool_]:
    """Return, as booleans of shape (cells, values), whether each cell covers each exact value.

    An unknown value is covered by every cell. Raises `CellError` when a numeric column's value is no number.
    """
    if kind is Kind.NUMERIC:
        return _cover_numbers(cells, [_parse_number(value, missing) for value in values])
    return _cover_texts(cells, [_strip_value(value, missing) for value in values])


def cover_ranges(
    cells: Sequence[Cell], numbers: Sequence[Fraction]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Return `low`, `high`, `exact`: cell i covers exactly `numbers[low[i]:high[i]]`, which ascend.

    Where `exact` is false it is a `NumberSet`, told by the range around it. Raises `TypeError` on a cell of texts.
    """
    keys = [_comparable(number) for number in numbers]
    spans = np.array([_span(_hull(cell), keys) for cell in cells], dtype=np.int32).reshape(-1, 2)
    exact = np.array([not isinstance(cell, NumberSet) for cell in cells], dtype=np.bool_)
    return spans[:, 0], spans[:, 1], exact


def intersect(left: Cell, right: Cell) -> Cell | None:
    """Return what two cells of one column share, or None when they share nothing."""
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
    """Return whether `outer` covers all that `inner` covers, for cells of one column."""
    return intersect(outer, inner) == inner


def _is_unknown(text: str, missing: frozenset[str]) -> bool:
    return text in missing or (text != "" and not text.strip("*"))


def _is_label(text: str, hierarchy: Hierarchy | None) -> bool:
    return hierarchy is not None and hierarchy.leaves_of(text) is not None


def _leaves(texts: Iterable[str], hierarchy: Hierarchy | None) -> set[str]:
    """Return the leaves below labels, and all other texts as they are."""
    below = hierarchy.leaves_of if hierarchy is not None else lambda _: None
    return {leaf for text in texts for leaf in below(text) or (text,)}


def _braced(text: str) -> list[str] | None:
    """Return the members of a set in braces, blank ones too, or None when the text is no such set."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    members = [member.strip() for member in text[1:-1].split(",")]
    if not any(members):
        raise CellError("the set is empty", "write its members as {a, b}, or `*` where nothing is said")
    return members


def _strip_value(text: str, missing: frozenset[str]) -> str | None:
    text = text.strip()
    return None if not text or _is_unknown(text, missing) else text


def _parse_number(text: str, missing: frozenset[str]) -> Fraction | None:
    known = _strip_value(text, missing)
    if known is None:
        return None
    number = _read_number(known)
    if number is None:
        remedy = "write a decimal number of at most 40 characters, or declare the column categorical"
        raise CellError("the value is not a number", remedy)
    return number


def _read_number(text: str) -> Fraction | None:
    text = text.translate(_SIGNS) if len(text) <= _LONGEST_NUMBER else ""
    if not _NUMBER.fullmatch(text):
        return None
    exponent = text.lower().partition("e")[2]
    return Fraction(text) if abs(int(exponent or 0)) <= _LARGEST_EXPONENT else None


def _read_range(text: str) -> Interval | None:
    """Return the interval that a number, a comparison or a range denotes."""
    if len(text) > _LONGEST_RANGE:
        return None
    if (number := _read_number(text)) is not None:
        return Interval(number, number)
    text = text.translate(_SIGNS)
    if (compared := _COMPARISON.fullmatch(text)) is None:
        return _read_ends(text)
    bound, is_open = _read_number(compared[3]), not compared[2]
    if bound is None:
        return None
    return Interval(bound, None, is_open) if compared[1] == ">" else Interval(None, bound, False, is_open)


def _read_ends(text: str) -> Interval | None:
    """Return the interval between two numbers; raise `CellError` when it is empty."""
    if (found := _RANGE.fullmatch(text)) is None:
        return None
    opening, first, separator, last, closing = found.groups()
    low, high = _read_number(first), _read_number(last)
    if low is None or high is None or bool(opening) != bool(closing) or (separator == "," and not opening):
        return None
    low_open, high_open = opening in {"(", "]"}, closing in {")", "["}
    if _empty(low, high, low_open or high_open):
        raise CellError("the interval covers no number", "write its lower end first, and close equal ends")
    return Interval(low, high, low_open, high_open)


def _read_digit_mask(text: str) -> Interval | None:
    """Return the interval that masked digits denote: `204**` is 20400 to 20499."""
    found = _DIGIT_MASK.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    if found is None:
        return None
    step = 10 ** len(found[2])
    low = Fraction(int(found[1]) * step)
    return Interval(low, low + step - 1)


def _looks_numeric(text: str, missing: frozenset[str]) -> bool:
    try:
        return _read_numeric(text, None, missing) is not None
    except CellError:
        return True


def _read_numeric(text: str, hierarchy: Hierarchy | None, missing: frozenset[str]) -> Cell | None:
    """Return the cell of a label, set, number or range, or None when the text has no such form."""
    members = [text] if _is_label(text, hierarchy) else _braced(text)
    if members is None:
        return _read_range(text)
    if any(_is_unknown(member, missing) for member in members):
        return Anything()
    numbers = {_read_number(leaf) for leaf in _leaves(filter(None, members), hierarchy)}
    known = frozenset(number for number in numbers if number is not None)
    return _number_cell(known) if len(known) == len(numbers) else None


def _parse_text(text: str, hierarchy: Hierarchy | None, missing: frozenset[str]) -> Cell:
    """Return the cell of a label, set, list, masked prefix or, without hierarchy, of any text."""
    if _is_label(text, hierarchy):
        return ValueSet(frozenset(_leaves([text], hierarchy)))
    members = _braced(text) or _listed(text, hierarchy)
    if members == [text] and text.endswith("*"):
        return Masked(text.rstrip("*"), len(text))
    if any(_is_unknown(member, missing) for member in members):
        return Anything()
    members = [member for member in members if member]
    strange = [member for member in members if not _is_label(member, hierarchy)]
    if any(member.endswith("*") for member in strange):
        raise CellError("a member of the set is masked", "write the set as one masked prefix, or spell it out")
    if hierarchy is not None and (strange or not members):
        raise CellError("the cell is no label of the column's hierarchy", "add the label to the hierarchy file")
    return ValueSet(frozenset(_leaves(members, hierarchy)))


def _listed(text: str, hierarchy: Hierarchy | None) -> list[str]:
    """Split at commas, those of an interval aside; unless a hierarchy tells, the whole may also be one value."""
    if "," not in text or (
        text[0] in "[(]" and len(text) <= _LONGEST_RANGE and _RANGE.fullmatch(text.translate(_SIGNS))
    ):
        return [text]
    members = [member.strip() for member in text.split(",")]
    return members if hierarchy is not None else [*members, text]


def _empty(low: Fraction | None, high: Fraction | None, is_open: bool) -> bool:
    return low is not None and high is not None and (low, is_open) > (high, False)


def _number_cell(numbers: frozenset[Fraction]) -> Interval | NumberSet | None:
    if len(numbers) > 1:
        return NumberSet(numbers)
    return next((Interval(number, number) for number in numbers), None)


def _intersect_numbers(left: Interval | NumberSet, right: Interval | NumberSet) -> Interval | NumberSet | None:
    if isinstance(left, NumberSet):
        return _number_cell(frozenset(number for number in left.members if _holds(right, number)))
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


def _ranked(values: Sequence[Fraction | None]) -> tuple[list[int], list[Fraction]]:
    """Return the places of the known values, ascending by value, and those values."""
    known = [(number, place) for place, number in enumerate(values) if number is not None]
    known.sort(key=itemgetter(0))
    return [place for _, place in known], [number for number, _ in known]


def _hull(cell: Cell) -> Cell:
    return Interval(min(cell.members), max(cell.members)) if isinstance(cell, NumberSet) else cell


def _comparable(number: Fraction) -> Fraction | int:
    """Return an equal number that compares fast: a whole one as an integer."""
    return number.numerator if number.denominator == 1 else number


def _span(cell: Cell, keys: Sequence[Fraction | int]) -> tuple[int, int]:
    """Return the half-open range of the sorted `keys` that lie in an interval."""
    if isinstance(cell, Anything):
        return 0, len(keys)
    if not isinstance(cell, Interval):
        raise TypeError("only an interval or `*` covers a range of numbers")
    low, high = 0, len(keys)
    if cell.low is not None:
        low = (bisect_right if cell.low_open else bisect_left)(keys, _comparable(cell.low))
    if cell.high is not None:
        high = (bisect_left if cell.high_open else bisect_right)(keys, _comparable(cell.high))
    return low, high


def _cover_numbers(cells: Sequence[Cell], values: Sequence[Fraction | None]) -> NDArray[np.bool_]:
    order, keys = _ranked(values)
    rank = np.full(len(values), -1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    spans = [(0, 0) if isinstance(cell, NumberSet) else _span(cell, keys) for cell in cells]
    low, high = np.array(spans, dtype=np.int32).reshape(-1, 2).T[:, :, None]
    grid: NDArray[np.bool_] = (rank >= low) & (rank < high)
    for row, cell in zip(grid, cells, strict=True):
        if isinstance(cell, NumberSet):
            for number in cell.members:
                row[order[slice(*_span(Interval(number, number), keys))]] = True
    grid[:, rank < 0] = True
    return grid


def _cover_texts(cells: Sequence[Cell], values: Sequence[str | None]) -> NDArray[np.bool_]:
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
