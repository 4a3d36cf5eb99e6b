"""Respelling: one spelling for texts with the same meaning, in folded columns and in numbers with a decimal comma."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress

from audit.io.cells import CellError, Kind, decimal, members_in, quoted
from audit.io.notations import UNIT, interval_in, read_interval

RAISED = "¹²³⁰⁴-⁹ʰ-ʸᴬ-ᵡᶛ-ᶿ"
"""Raised figures and letters, which mark notes, as part of a class of a regular expression."""
REMARK = (
    "[\\s\u00a0]*[\\[(][^\\W\\d]{3,}\\.?[\\])]$|,?\\s+(?:nos|n\\s?=\\s?[0-9]+)$"
    r"|\s(?:#|//|--|/\*|<!--)\s.*$|[^\w\s]*\s[\W_]*(?:end|ende|fin|eof)(?: (?:of|du|der) \w+)?[\W_]*$"
)
"""A remark, a word in brackets or a comment behind a cell that may mean the same without it."""
_NUMBER = re.compile(r"([+-]?)0*([0-9]+)(?:\.([0-9]*))?")
_COMMAS = re.compile(r"[+-]?[0-9.]+(?:,[0-9]+)+")
_PARTS = re.compile(r"([{},])")
_GERMAN = r"[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?"
_NUMBERS = re.compile(rf"(?<![0-9])(?<![0-9][.,]){_GERMAN}(?![.,]?[0-9])")
_SET = re.compile(rf"{{\s*{_GERMAN}(?:\s*;\s*{_GERMAN})*\s*}}")
_BETWEEN = "[-\u2010-\u2015._/ ]"
_ORNAMENT = re.compile(
    r"(?<=[^\W\d_])[-\u2010-\u2015.,;:'’/()_ ]+(?=[^\W\d_])|(?<=[^\W\d_])[.,;:'’/()]+(?=\W|$)"
    r"|^[-\u2010-\u2015\u2022\u2026.*#_\[( ]+(?=[^\W\d_])|^[~=\"']+(?=[0-9])|(?<=[^\W\d_])[]#_|]+$"
    rf"|(?<=[^\W\d_]){_BETWEEN}(?=[0-9])|(?<=[0-9]){_BETWEEN}(?=[^\W\d_])|(?<=[0-9])[.,;:)|]+$| +(?=[-+]+$)"
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
        return _number(plain)
    if _COMMAS.fullmatch(plain):
        return plain
    parts = [part if part in "{}," else _number(part.strip()) for part in _PARTS.split(plain)]
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
    return _number(_ORNAMENT.sub("", _AND.sub("&", plain.translate(_LOOK_ALIKE).strip("'\"’‘“”„«»"))))


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


def _number(text: str) -> str:
    """Return a number without unnecessary zeros; other texts unchanged."""
    if (found := _NUMBER.fullmatch(text)) is None:
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
