"""Cells of merged groups: the narrowest published notation that covers several cells, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from audit.io.attributes import QuasiIdentifier, coarser, common_prefix, grid, widths
from audit.io.cell_reading import Hierarchy, list_sign
from audit.io.cells import (
    ANYTHING,
    Anything,
    Cell,
    CellError,
    Interval,
    Masked,
    NumberSet,
    ValueSet,
    contains,
    intersect,
    show,
)

_RANGE = re.compile(r"(\D*)\d+(\D+)\d+(\D*)")
_YEAR = 4  # digits
_FEWER = 2 / 3  # of its cells has a column after each recoding
_LEAST, _LEAST_WHOLE = Fraction(1, 1000), Fraction(5)  # widths of blocks in place of numbers
_LISTED = 8
"""Longer lists of values are not written: no reader could use such a cell."""


def merged_text(cells: Mapping[str, Cell], attribute: QuasiIdentifier, texts: Iterable[str] = ()) -> str:
    """Return the text of the narrowest cell that covers some cells, given by their texts.

    Numbers become an interval, in the notation of the first of some other texts; labels their lowest common ancestor in
    the hierarchy; codes of one length, such as postcodes, their common prefix; other texts a list, and `*` if it
    would be long.
    """
    if len(cells) == 1:
        return next(iter(cells))
    if any(isinstance(cell, Anything) for cell in cells.values()):
        return ANYTHING
    numbers = [cell for cell in cells.values() if isinstance(cell, Interval | NumberSet)]
    hull = _hull(numbers) if len(numbers) == len(cells) else None
    for text, cell in cells.items():
        # Only an interval from the least to the greatest number can cover all; this saves most comparisons.
        if hull is not None and isinstance(cell, Interval | NumberSet) and _hull([cell]) != hull:
            continue
        if isinstance(cell, ValueSet) and text[0] not in "{[" and list_sign(text) is not None:
            continue  # it may be one value, and looks like one to readers
        if all(contains(cell, each) for each in cells.values()):
            return text
    if hull is not None:
        return as_written(hull, attribute, texts)
    return _merged_labels(list(cells.values()), attribute)


def as_written(cell: Cell, attribute: QuasiIdentifier, texts: Iterable[str]) -> str:
    """Return the text of a cell, in the notation of the first range of whole numbers or years among some texts."""
    shown = attribute.shown(cell) or ANYTHING
    form = next(filter(None, map(_RANGE.fullmatch, texts)), None)
    if form is None or not isinstance(cell, Interval) or cell.low is None or cell.high is None:
        return shown
    before, between, behind = form.groups()
    low, high = (show(Interval(end, end), attribute.kind) for end in (cell.low, cell.high))
    for size in (_YEAR, len(shown)):
        text = f"{before}{low[:size]}{between}{high[:size]}{behind}"
        with suppress(CellError):
            if attribute.parse(text) == cell:
                return text
    return shown


def _hull(cells: Sequence[Interval | NumberSet]) -> Cell:
    """Return the interval from the least to the greatest number of some cells."""
    ends = [_ends(cell) for cell in cells]
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    low = None if any(number is None for number, _ in lows) else min((n, o) for n, o in lows if n is not None)
    high = None if any(number is None for number, _ in highs) else max((n, not o) for n, o in highs if n is not None)
    if low is None and high is None:
        return Anything()
    return Interval(
        None if low is None else low[0],
        None if high is None else high[0],
        low_open=low is not None and low[1],
        high_open=high is not None and not high[1],
    )


def _ends(cell: Interval | NumberSet) -> tuple[tuple[Fraction | None, bool], tuple[Fraction | None, bool]]:
    if isinstance(cell, NumberSet):
        return (min(cell.members), False), (max(cell.members), False)
    return (cell.low, cell.low_open), (cell.high, cell.high_open)


def _merged_labels(cells: Sequence[Cell], attribute: QuasiIdentifier) -> str:
    """Return the text of the narrowest cell of texts that covers some cells of texts."""
    members = {value for cell in cells if isinstance(cell, ValueSet) for value in cell.members}
    masks = [cell for cell in cells if isinstance(cell, Masked)]
    hierarchy = attribute.hierarchy
    if hierarchy is not None and not masks:
        above = [
            (len(leaves), -level, label)
            for level, labels in enumerate(hierarchy.levels)
            for label in dict.fromkeys(labels)
            if (leaves := hierarchy.leaves_of(label)) is not None and members <= leaves
        ]
        if above:
            return min(above)[2]
    lengths = {len(value) for value in members} | {mask.length for mask in masks}
    prefix = common_prefix([*members, *(mask.prefix for mask in masks)])
    if len(lengths) == 1 and prefix and hierarchy is None and _are_codes(members, masks) and not attribute.spelled:
        return show(Masked(prefix, lengths.pop()))
    if masks or len(members) > _LISTED:
        return ANYTHING
    return attribute.shown(ValueSet(frozenset(members))) or ANYTHING


def _are_codes(members: Iterable[str], masks: Iterable[Masked]) -> bool:
    """Return whether texts are codes that may be masked: each has a digit, so that no word becomes a prefix."""
    return all(any(c.isdigit() for c in text) for text in [*members, *(mask.prefix for mask in masks)])


class AttributeCells:
    """The cells of one quasi-identifier of a candidate, as numbers of their texts, and the cost of each.

    The cost of a cell is the share of the attribute's domain that it covers: 0 for one value, 1 for `*`. The domain is
    spanned by the candidate's own cells, among which a mask that covers no other counts as one value; an open interval
    ends where the domain does. This is the
    normalized certainty penalty of one cell (Xu et al., KDD 2006).

    Attributes:
        texts: each distinct text, those of the candidate first.
        codes: the text of each row, as published; shape (rows,), intp.
    """

    def __init__(self, attribute: QuasiIdentifier, codes: npt.NDArray[np.integer], texts: Sequence[str]) -> None:
        self.attribute, self.codes = attribute, codes.astype(np.intp)
        self.texts, self._cells, self._costs = list[str](), list[Cell](), list[float]()
        self._of_text, self._merged, self._coarser = dict[str, int](), dict[tuple[int, ...], int](), dict[int, int]()
        cells = [attribute.parse(text) for text in texts]
        ends = [end for cell in cells if isinstance(cell, Interval | NumberSet) for end, _ in _ends(cell)]
        numbers = [end for end in ends if end is not None]
        self._domain = (min(numbers), max(numbers)) if numbers else (None, None)
        self._length = float(max(numbers) - min(numbers)) if numbers else 0.0
        self._whole = all(end.denominator == 1 for end in numbers)
        self._codes = _narrowest(cells)
        for text in texts:
            self._number(text)

    def _number(self, text: str) -> int:
        """Return the number of a text; a new one is parsed."""
        found = self._of_text.setdefault(text, len(self.texts))
        if found == len(self.texts):
            cell = self.attribute.parse(text)
            self.texts.append(text)
            self._cells.append(cell)
            self._costs.append(self._cost(cell))
        return found

    def _cost(self, cell: Cell) -> float:
        others = max(1, len(self._codes) - 1)
        if isinstance(cell, Interval | NumberSet):
            low, high = (
                end if end is not None else last for (end, _), last in zip(_ends(cell), self._domain, strict=True)
            )
            if low is None or high is None:
                return 1.0
            return min(1.0, float(high - low) / self._length) if self._length else float(low != high)
        if isinstance(cell, ValueSet):
            return min(1.0, (len(cell.members) - 1) / others)
        if isinstance(cell, Masked):
            if (cell.length, cell.prefix) in self._codes:
                return 0.0
            below = sum(length == cell.length and text.startswith(cell.prefix) for length, text in self._codes)
            return min(1.0, max(below - 1, 1) / others)
        return 1.0

    def cost(self, code: int) -> float:
        """Return the cost of a cell, in [0, 1]."""
        return self._costs[code]

    def costs(self) -> npt.NDArray[np.float64]:
        """Return the cost of each cell known so far."""
        return np.array(self._costs)

    def merged(self, codes: Iterable[int]) -> int:
        """Return the narrowest cell that covers some."""
        key = tuple(sorted(set(codes)))
        if len(key) == 1:
            return key[0]
        if key not in self._merged:
            cells = {self.texts[code]: self._cells[code] for code in key}
            self._merged[key] = self._number(merged_text(cells, self.attribute, self.texts))
        return self._merged[key]

    def coarser(self, code: int, steps: int = 1) -> int:
        """Return the cell that is some steps up the hierarchy or grid; `*` if it would cover the whole domain."""
        for _ in range(steps):
            if code not in self._coarser:
                cell, one = self._cells[code], self.attribute
                cell = coarser(cell, one.hierarchy, whole=self._whole, kind=one.kind)
                label = None if one.hierarchy is None else _label(cell, one.hierarchy)
                text = label or as_written(cell, one, self.texts)
                self._coarser[code] = self._number(ANYTHING if self._cost(one.parse(text)) >= 1 else text)
            code = self._coarser[code]
        return code

    @cached_property
    def recodings(self) -> tuple[npt.NDArray[np.intp], ...]:
        """The cell in place of each published one if all rows get coarser ones: first the same, then fewer, last `*`.

        Numbers go to the blocks of a grid; two ranges side by side become one, if none overlap; other cells go up their
        hierarchy or lose a digit. Shape of each: (published cells,).
        """
        number = np.bincount(self.codes).size
        found, finest = [np.arange(number)], dict(enumerate(self._cells[:number]))
        for recoded in self._recodings(finest):
            if len({*recoded}) <= _FEWER * len(np.unique(found[-1])):
                anything = self._number(ANYTHING)
                found.append(np.array([code if self._costs[code] < 1 else anything for code in recoded]))
        if not all(map(self.is_top, found[-1].tolist())):
            found.append(np.full(number, self._number(ANYTHING)))
        return tuple(found)

    def _recodings(self, cells: Mapping[int, Cell]) -> Iterator[list[int]]:
        """Yield coarser and coarser cells in place of some, until one is left or all are `*`."""
        ends = {code: _ends(cell) for code, cell in cells.items() if isinstance(cell, Interval | NumberSet)}
        order = sorted(ends, key=lambda code: (ends[code][0][0] is not None, ends[code][0][0] or 0))
        points, finest, hierarchy = all(low == high for low, high in ends.values()), [*cells], self.attribute.hierarchy
        if hierarchy is not None:
            for level in hierarchy.levels[1:]:
                yield [self._labelled(code, hierarchy, level) for code in cells]
        elif (
            not ends
            or self.attribute.kind.is_date
            or any(intersect(cells[one], cells[other]) is not None for one, other in pairwise(order))
        ):
            while not all(map(self.is_top, finest)):
                finest = [self.coarser(code) for code in finest]
                yield finest
        elif points:
            for width in widths(_LEAST_WHOLE if self._whole else _LEAST):
                blocks = {code: grid(width, ends[code][0][0] or Fraction(), whole=self._whole) for code in order}
                yield [
                    self._number(as_written(blocks[c], self.attribute, self.texts)) if c in blocks else c for c in cells
                ]
                if width > 2 * self._length:
                    return
        else:
            for size in (2**n for n in range(1, len(order).bit_length() + 1)):
                joined = {code: order[at - at % size : at - at % size + size] for at, code in enumerate(order)}
                yield [self.merged(joined[code]) if code in joined else code for code in cells]

    def _labelled(self, code: int, hierarchy: Hierarchy, labels: Iterable[str]) -> int:
        """Return the first of some labels that covers a cell and more; the cell if none does."""
        cell = self._cells[code]
        below = {label: hierarchy.leaves_of(label) or frozenset() for label in dict.fromkeys(labels)}
        wider = (label for label, leaves in below.items() if isinstance(cell, ValueSet) and cell.members < leaves)
        return next(map(self._number, wider), code)

    def is_top(self, code: int) -> bool:
        """Return whether a cell discloses nothing."""
        return self.texts[code] == ANYTHING


def _narrowest(cells: Iterable[Cell]) -> set[tuple[int, str]]:
    """Return the length and the known beginning of each text and mask of some cells that covers no other of them."""
    found = {(len(text), text) for cell in cells if isinstance(cell, ValueSet) for text in cell.members}
    found |= {(cell.length, cell.prefix) for cell in cells if isinstance(cell, Masked)}
    # What begins with a text follows it in the order of texts.
    ordered = sorted(found)
    wide = {a for a, b in pairwise(ordered) if a[0] == b[0] and b[1].startswith(a[1])}
    return found - wide


def _label(cell: Cell, hierarchy: Hierarchy) -> str | None:
    """Return the label of a hierarchy for a cell; None if there is none."""
    return hierarchy.label_of(cell.members) if isinstance(cell, ValueSet) else None
