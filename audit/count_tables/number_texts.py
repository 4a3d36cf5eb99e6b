"""What a published text says by itself: a number, or the range that a marker names in signs or in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from audit.model.json_types import UNBOUNDED

Interval = tuple[int, int]

_GAPS = " \u00a0\u202f'\u2019"
_PARTED = rf"[0-9]{{1,3}}(?:[,{_GAPS}][0-9]{{3}})+"
_NUMBER = re.compile(rf"({_PARTED}|[0-9]+)(\.0*)?")
_DECIMAL = re.compile(rf"({_PARTED}|[0-9]+)(\.[0-9]*)?")
_POINTED = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+")
_LIKE_NUMBER = re.compile(rf"[(+\-\u2212\u00b1]*\s*[0-9][0-9.,{_GAPS}]*(e[+-]?[0-9]+)?\s*[%)\u2030a-z]?", re.IGNORECASE)
_MOST = UNBOUNDED // 10


def number_of(text: str, *, point: bool = False) -> int | None:
    """Return the whole number that a text is, thousands parted or not, with `.0` or without; None for any other text.

    `point` says that a point parts thousands.

    >>> number_of("1,234"), number_of("12.0"), number_of("12.5"), number_of("*"), number_of("1.234", point=True)
    (1234, 12, None, None, 1234)
    """
    if point and _POINTED.fullmatch(text):
        text = text.replace(".", "")
    found = _NUMBER.fullmatch(text)
    number = int(_joined(found[1])) if found else None
    return number if number is not None and number < _MOST else None


def decimal_of(text: str) -> Fraction | None:
    """Return the number that a text is, thousands parted or not, with decimals or without; None for any other text."""
    found = _DECIMAL.fullmatch(text)
    return Fraction(_joined(text).rstrip(".")) if found else None


def is_too_large(text: str) -> bool:
    """Return whether a text is a number that no count reaches."""
    number = decimal_of(text)
    return number is not None and number >= _MOST


def _joined(text: str) -> str:
    return re.sub(f"[,{_GAPS}]", "", text)


def points_part_thousands(texts: Iterable[str]) -> bool:
    """Return whether a point parts thousands in a column: three digits follow each one, and not all of them are zeros.

    >>> points_part_thousands(["1.234", "17", "*"]), points_part_thousands(["1.000", "2.000"])
    (True, False)
    """
    pointed = [text for text in texts if "." in text and text[:1].isdigit()]
    return all(map(_POINTED.fullmatch, pointed)) and not all(text.endswith(".000") for text in pointed)


_DECIMAL_COMMA = re.compile(r"(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
_FLAGGED = re.compile(r"([0-9].*?)\s*(\(?[a-z]{1,2}\)?)", re.IGNORECASE)


def commas_are_decimal(texts: Iterable[str]) -> bool:
    """Return whether a comma stands before decimals in a column: not three digits follow each, or a 0 is before one.

    >>> commas_are_decimal(["22,5", "1.234,0", "*"]), commas_are_decimal(["1,234", "12"]), commas_are_decimal(["a, b"])
    (True, False, False)
    """
    with_comma = [text.rstrip("% ") for text in texts if "," in text]
    if not with_comma or not all(map(_DECIMAL_COMMA.fullmatch, with_comma)):
        return False
    return any(len(text.rpartition(",")[2]) != 3 or text.startswith("0,") for text in with_comma)


def with_decimal_point(text: str) -> str:
    """Return a number with a decimal comma as one with a decimal point; any other text as it is.

    >>> with_decimal_point("1.234,5"), with_decimal_point("12")
    ('1234.5', '12')
    """
    found = _DECIMAL_COMMA.match(text)
    return found[0].replace(".", "").replace(",", ".") + text[found.end() :] if found else text


def flag_of(text: str) -> tuple[str, str]:
    """Return a number and the letters behind it that say something about it; none for any other text.

    >>> flag_of("1,234 p"), flag_of("12(r)"), flag_of("12")
    (('1,234', 'p'), ('12', '(r)'), ('12', ''))
    """
    found = _FLAGGED.fullmatch(text)
    return (found[1], found[2]) if found and decimal_of(found[1]) is not None else (text, "")


def is_like_a_number(text: str) -> bool:
    """Return whether a text is a number in some notation: with a sign, decimals, an exponent, or a unit.

    >>> [is_like_a_number(text) for text in ("-2", "34.5%", "1,5", "2024-01", "E92", "")]
    [True, True, True, False, False, False]
    """
    return _LIKE_NUMBER.fullmatch(text) is not None


# -- ranges -------------------------------------------------------------------------------------------------------

_N = r"([0-9][0-9,]*)"
_RANGES = (
    rf"{_N}\s*(?:-|\u2013|\u2014|\.\.|\u2026|~|to|bis|\u00e0|a|and|und|et|y)\s*{_N}",
    rf"(?:between|zwischen|entre|from|von|de)\s+{_N}\s+(?:to|and|und|bis|et|y|\u00e0|a)\s+{_N}",
)
_BELOW = (
    rf"(?:<|fewer than|less than|lower than|under|below|weniger als|unter|kleiner als|moins de|inf\u00e9rieur \u00e0|"
    rf"menos de|menor que|inferior a)\s*{_N}",
)
_AT_MOST = (
    rf"(?:<=|=<|\u2264|at most|up to|not more than|no more than|h\u00f6chstens|bis zu|bis|au plus|jusqu'\u00e0|"
    rf"como m\u00e1ximo|hasta|m\u00e1ximo)\s*{_N}",
    rf"{_N}\s+(?:or fewer|or less|or under|or below|oder weniger|und weniger|ou moins|et moins|o menos|y menos)",
)
_ABOVE = (rf"(?:>|more than|over|above|greater than|mehr als|\u00fcber|plus de|m\u00e1s de)\s*{_N}",)
_AT_LEAST = (
    rf"(?:>=|=>|\u2265|at least|mindestens|au moins|al menos|como m\u00ednimo)\s*{_N}",
    rf"{_N}\s*\+",
    rf"{_N}\s+(?:or more|or over|and over|oder mehr|und mehr|ou plus|et plus|o m\u00e1s|y m\u00e1s)",
)
_READ = [
    (re.compile(pattern), kind)
    for kind, patterns in enumerate((_RANGES, _BELOW, _AT_MOST, _ABOVE, _AT_LEAST))
    for pattern in patterns
]
_WRAPPED = re.compile(r"[\[({*\s\"']*(.*?)[\])}*\s\"']*")


def said_range(text: str) -> Interval | None:
    """Return the least and the greatest count that a marker names itself, in four languages; None where it names none.

    >>> [said_range(text) for text in ("1-9", "<=5", "fewer than 5", "5 oder weniger", "1 to 4", "100+", "*", "12.5")]
    [(1, 9), (0, 5), (0, 4), (0, 5), (1, 4), (100, 1000000000000), None, None]
    """
    found = _WRAPPED.fullmatch(text.casefold().replace("&lt;", "<").replace("&gt;", ">"))
    bare = found[1] if found else ""
    for pattern, kind in _READ:
        match = pattern.fullmatch(bare)
        if match:
            ends = [int(one.replace(",", "")) for one in match.groups()]
            number = ends[0]
            said = ((number, ends[-1]), (0, number - 1), (0, number), (number + 1, UNBOUNDED), (number, UNBOUNDED))[
                kind
            ]
            return said if said[0] <= said[1] < _MOST or (said[1] == UNBOUNDED and said[0] < _MOST) else None
    return None
