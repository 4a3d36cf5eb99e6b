"""Write generalized cells as texts."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from fractions import Fraction

from audit.io.cells import Anything, Cell, Interval, Kind, NumberSet, ValueSet

ANYTHING = "*"


def show(cell: Cell, kind: Kind = Kind.NUMERIC) -> str:
    """Return a text for a cell of a column of this kind.

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
        members = sorted(cell.members)
        return members[0] if len(members) == 1 else "{" + ", ".join(members) + "}"
    return cell.prefix + "*" * (cell.length - len(cell.prefix))


def day(number: Fraction) -> str:
    """Return the date of a day that is given by its number; outside of the calendar its first or last day.

    >>> day(Fraction(datetime.date(2024, 3, 17).toordinal()))
    '2024-03-17'
    """
    first, last = (end.toordinal() for end in (datetime.date.min, datetime.date.max))
    return datetime.date.fromordinal(min(max(int(number), first), last)).isoformat()


def decimal(number: Fraction) -> str:
    """Return a number whose decimals end, exactly.

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
