"""Notations of ordered cells: numbers and days, alone, as ranges, open at an end, or with a unit.

One table says what each notation means. It does not say how numbers and days are written, so that `20 to 39` and
`2024-03 to 2024-05` are one line of it. Words may be English, German, French or Spanish.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from audit.io.cells import CellError, Interval, Kind

LONGEST_NUMBER = 40  # longer texts are not read as numbers
_LARGEST_EXPONENT = 300  # nor are larger exponents: the exact fraction of `1e999999999` would fill the memory
_LONGEST = 3 * LONGEST_NUMBER
DIGIT = re.compile(r"\d")
"""A text without one is no number, no day and, unless it is without ends, no range of them."""
_INFINITE = r"[+-]?inf(?:inity)?"
_SIGNS = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "…": "...", "≥": ">=", "≤": "<=", "∞": "inf", "’": "'"}
)
_NUMBER = r"(?>[+-]?(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
_A_NUMBER = re.compile(_NUMBER, re.IGNORECASE)
_A_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?")
_DAY = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ t]00:00(?::00(?:\.0+)?)?z?)?|[0-9]{4}/[0-9]{2}/[0-9]{2}"
    r"|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}"
    r"|[0-9]{4}-[0-9]{2}(?:-(?:\*\*|xx|\#\#))?|[0-9]{4}[- ]?q[1-4]|q[1-4][-/ ][0-9]{4}"
    r"|[0-9]{4}(?:-(?:\*\*|xx|\#\#)){0,2}"
)
_UNITS = {
    "years": "years?|yrs?|y|yo|years? old|years? of age|jahren?|jahre|j|ans?|años?",
    "months": "months?|mo|monate?|monaten|mois|mes|meses",
    "weeks": "weeks?|wochen?|semaines?|semanas?",
    "days": "days?|tage?|tagen|jours?|días?",
    "hours": "hours?|hrs?|h|stunden?|heures?|horas?",
    "kg": "kg",
    "g": "g",
    "pounds": "lbs?",
    "cm": "cm",
    "mm": "mm",
    "m": "m",
    "km": "km",
    "percent": "%|percent|prozent",
    "EUR": "€|eur|euros?",
    "USD": r"\$|usd|dollars?",
    "GBP": "£|gbp",
    "CHF": "chf",
}
UNIT = f"(?:{'|'.join(_UNITS.values())})"

# -- the table --------------------------------------------------------------------------------------------------------

_DASH = r" ?(?:-|\.\.\.?|~) ?"
_TO = " (?:to|through|thru|bis|à|a|au|hasta) "
_BELOW_END = "(?: (?:to (?:under|below|less than)|bis unter|à moins de|a menos de) | ?- ?< ?)"
_FROM = "(?:(?:from|von|de|desde) )?"
_OR_MORE = (
    "(?:(?: (?:and|or|und|oder|et|ou|y|o|&))? ?[+]| plus| ff[.]?|ff[.]"
    "| (?:and|or|&) (?:over|older|above|up|upwards|more|greater|higher|later|after)"
    "|(?: und | oder | ?u[.] ?)(?:älter|ä[.]|mehr|m[.]|darüber|höher|später|danach)"
    "| (?:et|ou|&) (?:plus|plus âgée?s?|plus tard|au-delà|après)"
    "| [yo] (?:más|mayor|mayores|superior|después|posterior|posteriores)| onwards?| en adelante)"
)
_OR_LESS = (
    "(?: (?:and|or|&) (?:under|younger|below|less|fewer|lower|earlier|before)"
    "|(?: und | oder | ?u[.] ?)(?:jünger|j[.]|weniger|w[.]|darunter|früher|davor|vorher)"
    "| (?:et|ou|&) (?:moins|plus tôt|avant)| [yo] (?:menos|menor|menores|inferior|antes|anterior|anteriores))"
)
_AT_LEAST = (
    "(?:>= ?|(?:at least|from|since|mindestens|ab|seit|au moins|à partir de|dès|depuis|al menos|a partir de"
    "|desde|como mínimo) )"
)
_AT_MOST = (
    "(?:<= ?|(?:at most|up to|not? more than|until|höchstens|bis|bis zu|au plus|jusqu'à|hasta|como máximo|máximo"
    "|como mucho) )"
)
_OVER = (
    "(?:> ?|(?:over|above|more than|older than|greater than|after|über|mehr als|älter als|grösser als|nach"
    "|plus de|après|más de|mayor(?:es)? (?:de|que)|después de) )"
)
_UNDER = (
    "(?:< ?|(?:under|below|less than|lower than|fewer than|younger than|before|unter|weniger als|jünger als|kleiner als"
    "|vor|moins de|inférieure?s? à|avant|menos de|inferior(?:es)? a|menor(?:es)? (?:de|que)|antes de) )"
)


class CellNotation(NamedTuple):
    """One way to write a cell.

    Attributes:
        form: the regular expression, with `{a}` and `{b}` in place of its ends.
        low, high: the name of each end; None if the cell is unbounded there.
        low_open, high_open: whether the end is excluded.
    """

    form: str
    low: str | None = "a"
    high: str | None = "b"
    low_open: bool = False
    high_open: bool = False


_TABLE = (
    CellNotation("{a}", "a", "a"),
    CellNotation("(?P<opening>[\\[(\\]]) ?{a_inf}(?: ?, ?|" + _DASH + "|" + _TO + ") ?{b_inf} ?(?P<closing>[\\])\\[])"),
    CellNotation("{a}" + _DASH + "{b}"),
    CellNotation(_FROM + "{a}" + _TO + "{b}"),
    CellNotation("(?:between|zwischen|entre) {a} (?:and|und|et|y) {b}"),
    CellNotation(_FROM + "{a}" + _BELOW_END + "{b}", high_open=True),
    CellNotation(_AT_LEAST + "{a}", "a", None),
    CellNotation("{a}" + _OR_MORE + "{unit}", "a", None),
    CellNotation(_AT_MOST + "{a}", None, "a"),
    CellNotation("{a}" + _OR_LESS, None, "a"),
    CellNotation(_OVER + "{a}", "a", None, low_open=True),
    CellNotation(_UNDER + "{a}", None, "a", high_open=True),
    CellNotation("(?P<decade>[1-9]0|[0-9]{{2}}[1-9]0)(?:'?s|er)", "decade", "decade"),
)


@dataclass(frozen=True)
class Reading:
    """The meaning of a text.

    Attributes:
        interval: the numbers, or days; None if it is unbounded at both ends.
        unit: the unit beside the numbers; None if there is none.
        is_point: whether it is one number or one date, even if the date is a whole month or year.
    """

    interval: Interval | None
    unit: str | None = None
    is_point: bool = False


class _Ends(NamedTuple):
    """The meaning of one end: the first and the last number, or day, that it covers."""

    first: Fraction
    last: Fraction


_SIGNED_AMOUNT = re.compile("^([+-])([$€£]) ?")


def plain(text: str) -> str:
    """Return a text in the single spelling in which notations are written.

    >>> plain("20 –  39 Jahre"), plain("≥65"), plain("−€5")
    ('20 - 39 jahre', '>=65', '€-5')
    """
    written = " ".join(unicodedata.normalize("NFC", text).translate(_SIGNS).casefold().split())
    return _SIGNED_AMOUNT.sub(r"\2\1", written)


def is_plain_number(text: str) -> bool:
    """Return whether a text is a number without an exponent."""
    return len(text) <= LONGEST_NUMBER and _A_PLAIN_NUMBER.fullmatch(text) is not None


def read_number(text: str) -> Fraction | None:
    """Return the number that a text is; None for other texts."""
    text = text.translate(_SIGNS) if len(text) <= LONGEST_NUMBER else ""
    if not _A_NUMBER.fullmatch(text):
        return None
    exponent = text.lower().partition("e")[2]
    return Fraction(text) if abs(int(exponent or 0)) <= _LARGEST_EXPONENT else None


@lru_cache(maxsize=1 << 16)  # lists repeat their members
def read_interval(text: str, kind: Kind) -> Reading | None:
    """Return the meaning of a number or day, or of a range of them, in a column of this kind; None for other texts.

    Raises:
        CellError: the range is empty: its ends are reversed, or equal and excluded.

    >>> read_interval("18 bis unter 25 Jahre", Kind.NUMERIC).interval
    Interval(low=Fraction(18, 1), high=Fraction(25, 1), low_open=False, high_open=True)
    >>> read_interval("2024Q1", Kind.DATE).interval == read_interval("[2024-01-01, 31.03.2024]", Kind.DATE).interval
    True
    """
    if kind is Kind.NUMERIC and (number := read_number(text)) is not None:
        return Reading(Interval(number, number), is_point=True)
    if len(text) > _LONGEST or not (DIGIT.search(text) or "inf" in plain(text)):
        return None
    text = plain(text)
    for notation, pattern in _patterns(kind):
        found = pattern.fullmatch(text)
        if found is not None and (read := _reading(notation, found, kind)) is not None:
            return read
    return None


def interval_in(text: str, kind: Kind = Kind.NUMERIC) -> Reading | None:
    """Return the meaning of a text, as `read_interval` does; None also for an empty range."""
    try:
        return read_interval(text, kind)
    except CellError:
        return None


# -- ends -------------------------------------------------------------------------------------------------------------


def read_day(text: str, kind: Kind) -> tuple[datetime.date, datetime.date] | None:
    """Return the first and the last day of a date, month, quarter or year; None if the text is none of these.

    Dates with slashes are only read if the column's kind gives the order of day and month.

    >>> [str(day) for day in read_day("2024-02", Kind.DATE)], read_day("03/04/2024", Kind.DATE)
    (['2024-02-01', '2024-02-29'], None)
    """
    numbers = [int(number) for number in re.findall("[0-9]+", text.partition(" 00:")[0].partition("t00:")[0])]
    if text[0] == "q":
        numbers.reverse()
    elif "/" in text and not re.match("[0-9]{4}", text):
        if kind not in (Kind.DAY_FIRST, Kind.MONTH_FIRST):
            return None
        numbers = numbers[::-1] if kind is Kind.DAY_FIRST else [numbers[2], numbers[0], numbers[1]]
    elif "." in text.partition(" ")[0] and not re.match("[0-9]{4}", text):
        numbers.reverse()
    try:
        return _span(numbers, quarter="q" in text)
    except ValueError:
        return None


def _span(numbers: list[int], *, quarter: bool) -> tuple[datetime.date, datetime.date]:
    """Return the first and the last day of a year, month and day, or of fewer of these, or of a year and quarter."""
    year, *rest = numbers
    if len(rest) > 1:
        day = datetime.date(year, rest[0], rest[1])
        return day, day
    months = 3 if quarter else 1 if rest else 12
    first = (rest[0] - 1) * months + 1 if rest else 1
    begin = datetime.date(year, first, 1)
    last = first + months - 1
    end = datetime.date(year + last // 12, last % 12 + 1, 1) - datetime.timedelta(1)
    return begin, end


def _ends(text: str, kind: Kind) -> _Ends | None:
    if kind is Kind.NUMERIC:
        number = read_number(text)
        return None if number is None else _Ends(number, number)
    days = read_day(text, kind)
    return None if days is None else _Ends(*(Fraction(day.toordinal()) for day in days))


def _decade(text: str, kind: Kind) -> _Ends | None:
    first = int(text)
    if kind is Kind.NUMERIC:
        return _Ends(Fraction(first), Fraction(first + 9))
    if len(text) < len("1990"):
        return None
    days = datetime.date(first, 1, 1), datetime.date(first + 9, 12, 31)
    return _Ends(*(Fraction(day.toordinal()) for day in days))


def _reading(notation: CellNotation, found: re.Match[str], kind: Kind) -> Reading | None:
    """Return the meaning of a text that matches a notation; None if an end is not a number or day, or units differ."""
    parts = found.groupdict()
    units = {_unit(part) for name, part in parts.items() if name.startswith("unit") and part}
    if len(units) > 1:
        return None
    unit = next(iter(units), None)
    opening, closing = parts.get("opening"), parts.get("closing")
    low_open, high_open = notation.low_open or opening in {"(", "]"}, notation.high_open or closing in {")", "["}
    ends: list[_Ends | None] = []
    for name in (notation.low, notation.high):
        text = None if name is None else parts[name]
        if text is None or "inf" in text:
            ends.append(None)
            continue
        end = _decade(text, kind) if name == "decade" else _ends(text, kind)
        if end is None:
            return None
        ends.append(end)
    if not _infinities_fit(notation, parts):
        return None
    interval = _between(ends[0], ends[1], kind, low_open=low_open, high_open=high_open)
    return Reading(interval, unit, notation is _TABLE[0] and "*" not in found[0])


def _infinities_fit(notation: CellNotation, parts: dict[str, str | None]) -> bool:
    """Return whether minus infinity occurs only as a lower end, and infinity only as an upper end."""
    low, high = (None if name is None else parts[name] for name in (notation.low, notation.high))
    return not (low and "inf" in low and low[0] != "-") and not (high and "inf" in high and high[0] == "-")


def _between(low: _Ends | None, high: _Ends | None, kind: Kind, *, low_open: bool, high_open: bool) -> Interval | None:
    """Return the interval between two ends; None if both are unbounded. Days are whole, so both ends are included.

    Raises:
        CellError: the interval is empty.
    """
    if low is None and high is None:
        return None
    first = None if low is None else low.last if low_open else low.first
    last = None if high is None else high.first if high_open else high.last
    low_open, high_open = low_open and low is not None, high_open and high is not None
    if kind is not Kind.NUMERIC:
        first = first + 1 if first is not None and low_open else first
        last = last - 1 if last is not None and high_open else last
        low_open = high_open = False
    if first is not None and last is not None and (first, low_open or high_open) > (last, False):
        raise CellError("the interval is empty", "write the lower end first, and include equal ends")
    return Interval(first, last, low_open, high_open)


@cache
def _unit(text: str) -> str:
    """Return the standard name of a unit."""
    text = text.strip(" .")
    return next(name for name, words in _UNITS.items() if re.fullmatch(words, text))


# -- patterns ---------------------------------------------------------------------------------------------------------


@cache
def _patterns(kind: Kind) -> tuple[tuple[CellNotation, re.Pattern[str]], ...]:
    """Return the table with its patterns for numbers, or for days, compiled on first use."""
    point = _NUMBER if kind is Kind.NUMERIC else _DAY
    unit = rf"(?: ?(?=[^\W\d_]|[%€$£])(?P<unit_{{0}}>{UNIT})(?![^\W\d_])\.?)?" if kind is Kind.NUMERIC else ""
    before = r"(?:(?P<unit_before_{0}>[$€£]) ?)?" if kind is Kind.NUMERIC else ""

    def end(name: str, form: str) -> str:
        return before.format(name) + f"(?P<{name}>{form})" + unit.format(name)

    fields = {
        "a": end("a", point),
        "b": end("b", point),
        "a_inf": end("a", f"{point}|{_INFINITE}"),
        "b_inf": end("b", f"{point}|{_INFINITE}"),
        "unit": unit.format("c"),
    }
    return tuple((each, re.compile(each.form.format(**fields))) for each in _TABLE)


# -- columns ----------------------------------------------------------------------------------------------------------

_SLASHED = re.compile("([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}")


def kind_of_days(texts: Iterable[str]) -> Kind:
    """Return the kind of a column of days; dates with slashes need texts that allow one order of day and month."""
    parts = [pair for text in texts for pair in _SLASHED.findall(text)]
    late = [any(int(pair[place]) > 12 for pair in parts) for place in (0, 1)]
    if late[0] == late[1]:
        return Kind.DATE
    return Kind.DAY_FIRST if late[0] else Kind.MONTH_FIRST


SHORT_DAY = re.compile(r"([0-9]{1,2}([./-])[0-9]{1,2}\2)([0-9]{2})")
"""A day whose year has two digits, which is in no century."""
_COMPACT_DAY = re.compile(r"^([0-9]{4})\.?([0-9]{2})\.?([0-9]{2})$")
_SAME_NUMBERS = re.compile(r"0?([0-9]{1,2})/0?\1/")


def single_day(text: str, kind: Kind = Kind.DATE) -> int | None:
    """Return the number of the day that a text means, perhaps with a time; None for other texts.

    Dates with slashes are only read if the kind orders day and month, or if these are equal; other kinds say nothing.

    >>> single_day("2024-03-17 10:20") == single_day("17.3.2024") == single_day("17/3/2024", Kind.DAY_FIRST)
    True
    >>> single_day("20240301") == single_day("1.3.2024"), single_day("03/04/2024"), single_day("2024-03")
    (True, None, None)
    """
    date = _COMPACT_DAY.sub(r"\1-\2-\3", re.split("[ T]", text.strip(), maxsplit=1)[0])
    order = Kind.DAY_FIRST if _SAME_NUMBERS.match(date) else kind if kind.is_date else Kind.DATE
    read = interval_in(date, order)
    day = None if read is None or not read.is_point else read.interval
    return int(day.low) if day is not None and day.low is not None and day.low == day.high else None


def with_century(text: str, first: int) -> str:
    """Return a day whose year has two digits with the year among the hundred from `first` on; others unchanged.

    >>> with_century("14.03.62", 1926), with_century("14/3/25", 1926), with_century("14.03.1862", 1926)
    ('14.03.1962', '14/3/2025', '14.03.1862')
    """
    found = SHORT_DAY.fullmatch(text)
    return text if found is None else f"{found[1]}{first + (int(found[3]) - first) % 100}"


def kind_of_single_days(texts: Iterable[str]) -> Kind | None:
    """Return the kind of a column of single days, perhaps with years of two digits; None if a text is no day.

    If no text shows the order of day and month, the day comes first.

    >>> kind_of_single_days(["14/03/62", "1/2/1970"]), kind_of_single_days(["1962-03-14"]), kind_of_single_days(["62"])
    (<Kind.DAY_FIRST: 'day/month/year'>, <Kind.DATE: 'date'>, None)
    """
    days = [with_century(text, 1900) for text in texts]
    slashed = any(_SLASHED.fullmatch(day) for day in days)
    kind = Kind.MONTH_FIRST if slashed and kind_of_days(days) is Kind.MONTH_FIRST else Kind.DAY_FIRST
    known = bool(days) and all(single_day(day, kind) is not None for day in days)
    return (kind if slashed else Kind.DATE) if known else None


# -- what looks like more than one value ------------------------------------------------------------------------------

_AN_END = r"[^\w\s]?[0-9][0-9.,:' ]*(?: ?(?!st\b|nd\b|rd\b|th\b)[^\W\d_]{1,7}\.?| ?[%€$£])?"
_A_CODE = r"[a-z]{1,3}[0-9][0-9.]*"
_A_YEAR = r"(?:1[89]|20)[0-9]{2}(?![0-9])"
_AND_OR = r" (?:and|or|und|oder|et|ou|[yo]) [^\W\d]+"
_BETWEEN = rf"(?: ?[^\w\s.,/:']{{1,3}} ?|{_DASH}|{_TO}|{_BELOW_END})"
_RANGES = (
    rf"[\[(\]]?(?:[^\W\d_]+ ){{0,2}}{_AN_END}{_BETWEEN}{_AN_END}[\])\[]?",
    rf"{_A_CODE}(?:{_DASH}|{_TO}){_A_CODE}",
    rf"(?:.*[^0-9])?{_A_YEAR}.*[^0-9]{_A_YEAR}.*",
    rf"(?:{_AT_LEAST}|{_AT_MOST}|{_OVER}|{_UNDER}|[<>]=?) ?.{{0,2}}[0-9].*",
    rf"{_AN_END}(?:{_OR_MORE}|{_OR_LESS}|[+]|{_AND_OR})",
    r"[0-9]+0'?(?:s|er)",
)
_LISTS = (r"\{.*|.*\}|[\[(\]].*[,;|'\"].*[\])\[]",)
_MASKS = (r".*[0-9](?:[#?_]+|x+)|.*[*].*|.*(?:[#]{2,}|[?]{2,}).*",)
_LOOKS_RANGED = re.compile("|".join(_RANGES))
_LOOKS_GENERALIZED = re.compile("|".join((*_RANGES, *_LISTS, *_MASKS)))


def looks_ranged(text: str) -> bool:
    """Return whether a text looks like a range or an open end."""
    return _LOOKS_RANGED.fullmatch(plain(text)) is not None


def looks_generalized(text: str) -> bool:
    """Return whether a text looks like a range, an open end, a set or list in brackets, or a mask.

    >>> [looks_generalized(text) for text in ("20 -> 39", "65 and beyond", "0**1", "<5k", "female", "A-B", "7th-8th")]
    [True, True, True, True, False, False, False]
    """
    return _LOOKS_GENERALIZED.fullmatch(plain(text)) is not None
