"""Coarser cells: widen cells along a hierarchy, by masking codes, or by a grid of round numbers.

The grid does not depend on the data, so that it reveals nothing about them.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import count
from math import floor, log10

import numpy as np
import numpy.typing as npt

from audit.io.cells import Anything, Cell, Interval, Kind, Masked, NumberSet, ValueSet
from audit.io.hierarchies import Hierarchy

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
