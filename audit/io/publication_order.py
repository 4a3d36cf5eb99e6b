"""The order in which releases were published, as far as their names show it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from operator import eq

_MONTHS = (
    "january januar janvier enero jan jaenner janner ene",
    "february februar fevrier febrero feb fev",
    "march maerz marz mars marzo mar mrz",
    "april avril abril apr avr abr",
    "may mai mayo",
    "june juni juin junio jun",
    "july juli juillet julio jul",
    "august aout agosto aug ago",
    "september septembre septiembre sep sept",
    "october oktober octobre octubre oct okt",
    "november novembre noviembre nov",
    "december dezember decembre diciembre dec dez dic",
)
_ORDINALS = (
    "first erste erster erstes premier premiere primera primer primero i one eins un uno una winter hiver invierno",
    "second zweite zweiter zweites deuxieme seconde segunda segundo ii two zwei deux dos spring fruehling fruhling "
    "fruhjahr printemps primavera",
    "third dritte dritter drittes troisieme tercera tercer tercero iii three drei trois tres summer sommer ete verano",
    "fourth vierte vierter viertes quatrieme cuarta cuarto iv four vier quatre cuatro autumn fall herbst automne otono",
    "fifth fuenfte funfte funfter funftes cinquieme quinta quinto v five funf cinq cinco",
    "sixth sechste sechster sechstes sixieme sexta sexto vi six sechs seis",
    "seventh siebte siebter siebtes septieme septima septimo vii seven sieben siete",
    "eighth achte achter achtes huitieme octava octavo viii eight acht huit ocho",
    "ninth neunte neunter neuntes neuvieme novena noveno ix nine neun neuf nueve",
    "tenth zehnte zehnter zehntes dixieme decima decimo x ten zehn dix diez",
)
_NUMBERS = {word: at for words in (_ORDINALS, _MONTHS) for at, line in enumerate(words, 1) for word in line.split()}
MONTHS = frozenset(word for line in _MONTHS for word in line.split())
"""The names of months in four languages, without accents."""
_PARTS = re.compile(r"([0-9]+)(?:st|nd|rd|th|ere?|eme|e|o|a)?(?![a-z0-9])|([0-9]+)|([a-z]+)")
_MONTH_AND_YEAR = re.compile(r"(?<![0-9])(0[1-9]|1[0-2])((?:19|20)[0-9]{2})(?![0-9])")
_YEARS = range(1900, 2100)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that orders numbers inside names by value.

    >>> sorted(["r10.csv", "r2.csv"], key=natural)
    ['r2.csv', 'r10.csv']
    """
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]+", name)
    return [(0, int(p), "") if p.isascii() and p.isdigit() and len(p) < 19 else (1, 0, p) for p in parts]


def in_time(names: Iterable[str]) -> tuple[list[str], bool]:
    """Return names of releases in the order of publication, and whether they show this order.

    Numbers and names of months show it where the names are alike otherwise, or if each has another year. Seasons and
    ordinals in words may do so, as may days before or behind months.

    >>> in_time(["2023-10", "2023-2"]), in_time(["11/2022", "02/2023"]), in_time(["April 2023", "Januar 2023"])
    ((['2023-2', '2023-10'], True), (['11/2022', '02/2023'], True), (['Januar 2023', 'April 2023'], True))
    >>> in_time(["autumn", "spring", "summer"]), in_time(["VIII", "IX"]), in_time(["klinik_2", "hospital_1"])
    ((['spring', 'summer', 'autumn'], False), (['VIII', 'IX'], False), (['hospital_1', 'klinik_2'], False))
    """
    read = {name: _read(name) for name in names}
    order, other = (sorted(read, key=lambda name: (_readings(read[name][0])[at], natural(name))) for at in (0, 1))
    years = [[number for number in numbers if number in _YEARS] for numbers, _, _ in read.values()]
    is_yearly = all(len(each) == 1 for each in years) and len({each[0] for each in years}) == len(read)
    is_alike = len({rest for _, rest, _ in read.values()}) == 1 and all(clear for _, _, clear in read.values())
    return order, len(read) < 2 or is_yearly or (is_alike and order == other)


def named_like(name: str, others: Iterable[str]) -> bool:
    """Return whether a name differs from one of the others by its numbers or months alone.

    >>> named_like("taxes_2023", ["taxes_2021", "taxes_2022"]), named_like("roll_2023", ["taxes_2021"])
    (True, False)
    """
    return any(_read(name)[1] == _read(other)[1] for other in others)


def most_like(name: str, others: Iterable[str]) -> str | None:
    """Return the last of the names that differ from one by the fewest numbers or months, and by nothing else.

    >>> most_like("t1_2024", ["t1_2022", "t1_2023", "t2_2023"]), most_like("roll_2024", ["t1_2023"])
    ('t1_2023', None)
    """
    numbers, rest, _ = _read(name)
    alike = {other: read[0] for other in others if (read := _read(other))[1] == rest}
    return max(reversed(alike), key=lambda other: sum(map(eq, alike[other], numbers)), default=None)


def are_a_year(names: Sequence[str]) -> bool:
    """Return whether the last name completes the quarters, or the months, of its year.

    >>> are_a_year(["2024-Q4", *(f"2025-Q{n}" for n in (1, 2, 3, 4))]), are_a_year(["2025-Q1", "2025-Q2"])
    (True, False)
    """
    read = [_read(name)[:2] for name in names]
    year = next((number for number in read[-1][0] if number in _YEARS), None)
    parts = [sorted({*numbers} - {year}) for numbers, rest in read if year in numbers and rest == read[-1][1]]
    return sorted(parts) in ([[part] for part in range(1, most + 1)] for most in (4, 12))


def _read(name: str) -> tuple[tuple[int, ...], str, bool]:
    """Return the numbers in a name, what it has beside them, and whether no number is a word other than a month."""
    text = without_accents(_MONTH_AND_YEAR.sub(r"\1 \2", name))
    numbers, rest, is_clear, end = list[int](), list[str](), True, 0
    for part in _PARTS.finditer(text):
        ordinal, digits, word = part.groups()
        is_prefix = word is not None and len(word) == 1 and text[part.end() : part.end() + 1].isdigit()
        number = int(ordinal or digits) if word is None else None if is_prefix else _NUMBERS.get(word)
        rest += [text[end : part.start()], word if number is None else "0"]
        if number is not None:
            numbers.append(number)
            is_clear &= not word or word in MONTHS
        end = part.end()
    return tuple(numbers), "".join([*rest, text[end:]]), is_clear


def without_accents(name: str) -> str:
    """Return a name in lower case without accents."""
    return "".join(each for each in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(each))


def _readings(numbers: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two ways to sort, the likelier first: from the year on; behind it days, months or both in either order."""
    at = next((at for at, number in enumerate(numbers) if number in _YEARS), None)
    if at == 0:
        return numbers, numbers
    if at is None:
        return numbers, numbers[::-1]
    beside = numbers[:at] + numbers[at + 1 :]
    return (numbers[at], *beside[::-1]), (numbers[at], *beside)
