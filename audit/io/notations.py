"""Notations: which texts mean the same: numbers and days, alone, as ranges, open or with a unit, and other spellings.

One table says what each notation of ordered cells means. It does not say how numbers and days are written, so that
`20 to 39` and `2024-03 to 2024-05` are one line of it. Words may be English, German, French or Spanish. Texts that
differ only in spelling, in folded columns and in numbers with a decimal comma, get one spelling.
"""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from audit.io.cells import CellError, Interval, Kind, decimal, members_in, quoted

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


# -- spellings --------------------------------------------------------------------------------------------------------


RAISED = "¹²³⁰⁴-⁹ʰ-ʸᴬ-ᵡᶛ-ᶿ"
"""Raised figures and letters, which mark notes, as part of a class of a regular expression."""
REMARK = (
    "[\\s\u00a0]*[\\[(][^\\W\\d]{3,}\\.?[\\])]$|,?\\s+(?:nos|n\\s?=\\s?[0-9]+)$"
    r"|\s(?:#|//|--|/\*|<!--)\s.*$|[^\w\s]*\s[\W_]*(?:end|ende|fin|eof)(?: (?:of|du|der) \w+)?[\W_]*$"
)
"""A remark, a word in brackets or a comment behind a cell that may mean the same without it."""
_WITH_ZEROS = re.compile(r"([+-]?)0*([0-9]+)(?:\.([0-9]*))?")
_COMMAS = re.compile(r"[+-]?[0-9.]+(?:,[0-9]+)+")
_PARTS = re.compile(r"([{},])")
_GERMAN = r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?"
_NUMBERS = re.compile(rf"(?<![0-9])(?<![0-9][.,]){_GERMAN}(?![.,]?[0-9])")
_SET = re.compile(rf"{{\s*{_GERMAN}(?:\s*;\s*{_GERMAN})*\s*}}")
_SIGN_BETWEEN = "[-\u2010-\u2015._/ ]"
_ORNAMENT = re.compile(
    r"(?<=[^\W\d_])[-\u2010-\u2015.,;:'’/()_ ]+(?=[^\W\d_])|(?<=[^\W\d_])[.,;:'’/()]+(?=\W|$)"
    r"|^[-\u2010-\u2015\u2022\u2026.*#_\[( ]+(?=[^\W\d_])|^[~=\"']+(?=[0-9])|(?<=[^\W\d_])[]#_|]+$"
    rf"|(?<=[^\W\d_]){_SIGN_BETWEEN}(?=[0-9])|(?<=[0-9]){_SIGN_BETWEEN}(?=[^\W\d_])|(?<=[0-9])[.,;:)|]+$| +(?=[-+]+$)"
    r"|(?<=^[a-z][0-9][0-9])\.(?=[0-9])|(?<=^[a-z][ -][0-9][0-9])\.(?=[0-9])"
)
_SEMICOLON = re.compile(r"\s*;\s*")
_AND = re.compile(r"(?<=[^\W\d_])(?:\s*&\s*|\s+(?:and|et|und|y)\s+)(?=[^\W\d_])")
_LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοα", "abekmhopctyxijsoa")  # Cyrillic and Greek letters typed by mistake
_LIKE_DIGITS = str.maketrans("oil", "011")
_TWICE = re.compile(r"^(\w.*?)[\s,;/|&+]+\1$", re.IGNORECASE)
_GROWING = (
    "age ages alter lebensalter altersgruppe altersklasse edad edat idade eta leeftijd yeargroup ncyear schoolyear "
    "class grade klasse klassenstufe jahrgangsstufe schulstufe schulklasse schuljahr schuljahrgang classe niveau curso "
    "grado semester fachsemester studienjahr lehrjahr ausbildungsjahr seniority tenure dienstalter dienstjahre "
    "anciennete antiguedad"
)
_BESIDE_YEAR = frozenset({"group", "nc", "school", "study", "curriculum"})
_OLDER = re.compile("\u00e4lter", re.IGNORECASE)  # which is not the German word for age
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae", "œ": "oe"})


def words_in(name: str) -> list[str]:
    """Split a name into words without case and accents.

    >>> words_in("eqClass-ID"), words_in("Código postal"), words_in("65 und älter")
    (['eq', 'class', 'id'], ['codigo', 'postal'], ['65', 'und', 'aelter'])
    """
    name = _OLDER.sub("aelter", unicodedata.normalize("NFC", name))
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return [word.casefold() for word in re.findall(r"[^\W\d_]*?[a-z](?=[A-Z])|[^\W_]+", bare)]


def grows(name: str) -> bool:
    """Return whether a name is that of a column that changes with time, as an age or a school year does.

    >>> grows("Tranche d'âge"), grows("Edad (años)"), grows("Age at admission"), grows("village")
    (True, True, True, False)
    >>> grows("NC year group"), grows("Klassenstufe"), grows("Classe"), grows("Year of birth"), grows("Risikoklasse")
    (True, True, True, False, False)
    """
    found = {*words_in(name)}
    return not found.isdisjoint(_GROWING.split()) or ("year" in found and not _BESIDE_YEAR.isdisjoint(found))


def fold(text: str) -> str:
    """Return the common spelling of all texts that differ only in form, case, blanks, zeros or invisible marks.

    Each member of a set is folded separately. Numbers with commas keep their zeros: they may be decimal commas.

    >>> fold(" Ｆlu  A"), fold("01"), fold("+1.50"), fold("{Flu, COLD}"), fold("5,09")
    ('flu a', '1', '1.5', '{flu, cold}', '5,09')
    """
    bare = text.strip()
    if bare[:1] + bare[-1:] == "{}":
        return "{" + ", ".join(quoted(fold(member), always=mark) for member, mark in members_in(bare[1:-1])) + "}"
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not plain.isprintable():  # invisible marks, such as a soft hyphen
        plain = "".join(each for each in plain if unicodedata.category(each) != "Cf")
    plain = " ".join(plain.split())
    if "," not in plain and "{" not in plain:
        return _without_zeros(plain)
    if _COMMAS.fullmatch(plain):
        return plain
    parts = [part if part in "{}," else _without_zeros(part.strip()) for part in _PARTS.split(plain)]
    return "".join(parts).replace(",", ", ").strip()


def skeleton(text: str) -> str:
    """Return what texts that look alike have in common: letters without accents, and digits.

    Signs next to letters are removed, except those that may distinguish values, such as + or the point of a number. So
    are the point of a code of diseases, and the sign between a word and a number; a word for `&` becomes `&`.

    >>> [skeleton(text) for text in ("Épilepsie", "HIV-positive", "hiv.", "HIV -", "1.5", "J 10.1", "a, b (c)")]
    ['epilepsie', 'hivpositive', 'hiv', 'hiv-', '1.5', 'j101', 'abc']
    >>> [skeleton(text) for text in ("COVID-19", "Covid 19", "10 mg", "stage -1", "HIV-1/2", "1-2")]
    ['covid19', 'covid19', '10mg', 'stage -1', 'hiv1/2', '1-2']
    >>> [skeleton(text) for text in ("[flu]", "\u2022 flu", "flu,", "\u0441old", "co\u00adld", "[1, 2[", "~\u0667")]
    ['flu', 'flu', 'flu', 'cold', 'cold', '[1, 2[', '7']
    >>> [skeleton(text) for text in ("Haut und Haar", "Haut&Haar", "toux et fièvre", "band", "1 & 2")]
    ['haut&haar', 'haut&haar', 'toux&fievre', 'band', '1 & 2']
    """
    plain = fold(text if text.isascii() else _decoded(text))
    if not plain.isascii():
        plain = "".join(each for each in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(each))
        plain = "".join(str(int(each)) if each.isdecimal() else each for each in plain)
    return _without_zeros(_ORNAMENT.sub("", _AND.sub("&", plain.translate(_LOOK_ALIKE).strip("'\"’‘“”„«»"))))


def _decoded(text: str) -> str:
    """Return a text whose bytes in UTF-8 were read in a Western encoding, perhaps repeatedly, as it was.

    >>> _decoded("MÃ¼digkeit"), _decoded("MÃƒÂ¼digkeit"), _decoded("Müdigkeit")
    ('Müdigkeit', 'Müdigkeit', 'Müdigkeit')
    """
    for encoding in ("cp1252", "latin-1"):
        with suppress(UnicodeError):
            read = text.encode(encoding).decode()
            return read if read.isascii() else _decoded(read)
    return text


def once(text: str) -> str:
    """Return a text without its second half if that repeats the first behind a blank or a sign.

    >>> once("Bob Bob"), once("Bob, Bob"), once("Bob Bo"), once("11")
    ('Bob', 'Bob', 'Bob Bo', '11')
    """
    return _TWICE.sub(r"\1", text)


def like_digits(text: str) -> str:
    """Return a text of the letters o, i and l as the digits that they look like; other texts unchanged.

    >>> like_digits("oo"), like_digits("l"), like_digits("pol")
    ('00', '1', 'pol')
    """
    return text.translate(_LIKE_DIGITS) if {*text} <= {*"oil"} else text


def skeletons(text: str) -> set[str]:
    """Return the skeletons of a text: one, or a second one with umlauts written as two letters.

    >>> sorted(skeletons("Müdigkeit")), skeletons("Muedigkeit")
    (['mudigkeit', 'muedigkeit'], {'muedigkeit'})
    """
    return {skeleton(text)} if text.isascii() else {skeleton(text), skeleton(fold(text).translate(_DIGRAPHS))}


def _without_zeros(text: str) -> str:
    """Return a number without unnecessary zeros; other texts unchanged."""
    if (found := _WITH_ZEROS.fullmatch(text)) is None:
        return text
    sign, whole, places = found[1], found[2], (found[3] or "").rstrip("0")
    number = f"{whole}.{places}" if places else whole
    return f"-{number}" if sign == "-" and number.strip("0.") else number


def with_decimal_point(text: str) -> str:
    """Return a cell of numbers with decimal points instead of decimal commas; other cells unchanged.

    A comma followed by a blank, or a semicolon, separates two numbers, and so does the only comma in brackets.

    >>> [with_decimal_point(text) for text in ("1.234,5", "[1,5; 2]", "[20,30]", "ab 2,5 Jahre", "{1,5; 2}", "a,b")]
    ['1234.5', '[1.5, 2]', '[20,30]', 'ab 2.5 Jahre', '{1.5, 2}', 'a,b']
    """
    text = text.strip()
    if _SET.fullmatch(text):
        return "{" + ", ".join(_point(member.strip()) for member in text[1:-1].split(";")) + "}"
    spelled = _SEMICOLON.sub(", ", text) if text[:1] in {"[", "]", "("} else text
    spelled = _NUMBERS.sub(lambda number: _point(number[0]), spelled)
    try:
        return text if read_interval(spelled, Kind.NUMERIC) is None else spelled
    except CellError:
        return spelled  # an interval with reversed ends, which is refused when it is read


def ungrouped(text: str, signs: str = "") -> str:
    """Return a number without the blanks, apostrophes or further `signs` that group its thousands; others unchanged.

    It may have a unit.

    >>> ungrouped("12 649,5"), ungrouped("1'200"), ungrouped("12,649"), ungrouped("12,649", ","), ungrouped("075 016")
    ('12649,5', '1200', '12,649', '12649', '075 016')
    >>> ungrouped("12 649,5 €"), ungrouped("$1,234", ","), ungrouped("12 649 Bern")
    ('12649,5 €', '$1234', '12 649 Bern')
    """
    decimal_signs = ".,".strip(signs)
    grouped = rf"[+\u2212-]?[1-9][0-9]{{0,2}}((?:[\s'’{signs}][0-9]{{3}})+)"
    found = re.fullmatch(
        rf"(?:[+\u2212-]?[$€£]\s?)?{grouped}(?:[{decimal_signs}][0-9]*)?(?:\s?{UNIT})?", text.strip(), re.IGNORECASE
    )
    return text if found is None else found[0].replace(found[1], re.sub("[^0-9]", "", found[1]))


def with_plain_point(text: str) -> str:
    """Return a cell of amounts as `with_decimal_point` does, without the signs that group the thousands of a number.

    >>> [with_plain_point(text) for text in ("3 414,69", "3'414.69", "-1.234.567,5", "900,5", "flu")]
    ['3414.69', '3414.69', '-1234567.5', '900.5', 'flu']
    """
    return with_decimal_point(ungrouped(text))


def as_plain_number(text: str) -> str:
    """Return a number, perhaps with a unit, in its single normal spelling; other texts unchanged.

    >>> [as_plain_number(text) for text in ("5.0", "+05", "1e1", "0.50", "-0", "flu", "12 649", "€ 5.0", "-€5")]
    ['5', '5', '10', '0.5', '0', 'flu', '12649', '5 EUR', '-5 EUR']
    """
    read = interval_in(ungrouped(text).strip())
    if read is None or not read.is_point or read.interval is None or read.interval.low is None:
        return text
    return " ".join(filter(None, (decimal(read.interval.low), read.unit)))


def _point(number: str) -> str:
    return number.replace(".", "").replace(",", ".")
