"""One spelling for texts that mean the same: for columns that are folded, and for numbers with a decimal comma."""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(r"([+-]?)0*([0-9]+)(?:\.([0-9]*))?")
_COMMAS = re.compile(r"[+-]?[0-9.]+(?:,[0-9]+)+")
_PARTS = re.compile(r"([{},])")
_GERMAN = r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?"
_ALONE = re.compile(rf"([<>]=?\s*)?({_GERMAN})(?:(\s*[-–]\s*)({_GERMAN}))?")
_ENDS = re.compile(rf"([\[\](])\s*({_GERMAN})(\s*;\s*|,\s+|\s*[-–]\s*)({_GERMAN})\s*([\])\[])")
_SET = re.compile(rf"{{\s*{_GERMAN}(?:\s*;\s*{_GERMAN})*\s*}}")


def fold(text: str) -> str:
    """Return the spelling that a text shares with all that differ from it in form, case, blanks or zeros alone.

    Members of sets are folded each by itself; numbers without braces may have decimal commas, and keep their zeros.

    >>> fold(" Ｆlu  A"), fold("01"), fold("+1.50"), fold("{Flu, COLD}"), fold("5,09")
    ('flu a', '1', '1.5', '{flu, cold}', '5,09')
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = " ".join(plain.split())
    if "," not in plain and "{" not in plain:
        return _number(plain)
    if _COMMAS.fullmatch(plain):
        return plain
    parts = [part if part in "{}," else _number(part.strip()) for part in _PARTS.split(plain)]
    return "".join(parts).replace(",", ", ")


def _number(text: str) -> str:
    """Return a number without needless zeros; other texts as they are."""
    if (found := _NUMBER.fullmatch(text)) is None:
        return text
    sign, whole, places = found[1], found[2], (found[3] or "").rstrip("0")
    number = f"{whole}.{places}" if places else whole
    return f"-{number}" if sign == "-" and number.strip("0.") else number


def with_decimal_point(text: str) -> str:
    """Return a cell of numbers with decimal commas as one with decimal points; other cells as they are.

    A comma with a blank behind it, or a semicolon, stands between two numbers, and so does the only comma in brackets.

    >>> [with_decimal_point(text) for text in ("1.234,5", "[1,5; 2]", "[20,30]", "<2,5", "{1,5; 2}", "a,b")]
    ['1234.5', '[1.5, 2]', '[20,30]', '<2.5', '{1.5, 2}', 'a,b']
    """
    text = text.strip()
    if (alone := _ALONE.fullmatch(text)) is not None:
        return (alone[1] or "") + (alone[3] or "").join(_point(end) for end in (alone[2], alone[4]) if end)
    if (ends := _ENDS.fullmatch(text)) is not None:
        between = "-" if ends[3].strip() in "-–" and ends[3].strip() else ", "
        return f"{ends[1]}{_point(ends[2])}{between}{_point(ends[4])}{ends[5]}"
    if _SET.fullmatch(text):
        return "{" + ", ".join(_point(member.strip()) for member in text[1:-1].split(";")) + "}"
    return text


def _point(number: str) -> str:
    return number.replace(".", "").replace(",", ".")
