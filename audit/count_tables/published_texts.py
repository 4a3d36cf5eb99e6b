"""Published texts: return the counts that a number, a range, a marker, a rounded value or a rate can stand for.

The rules are in docs/tables.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from fractions import Fraction
from html import unescape
from math import ceil, floor

from audit.count_tables.manifest import TableManifest
from audit.count_tables.table_rules import Rates
from audit.io.notations import DIGIT, interval_in, words_in
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import Rounding
from audit.runtime.phrases import say

Interval = tuple[int, int]

_GAPS = " \u00a0\u2009\u202f'\u2019"
_PARTED = rf"[0-9]{{1,3}}(?:[,{_GAPS}][0-9]{{3}})+"
_NUMBER = re.compile(rf"({_PARTED}|[0-9]+)(\.0*)?")
_DECIMAL = re.compile(rf"({_PARTED}|[0-9]+)(\.[0-9]*)?")
_POINTED = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+")
_LIKE_NUMBER = re.compile(rf"[(+\-\u2212\u00b1]*\s*[0-9][0-9.,{_GAPS}]*(e[+-]?[0-9]+)?\s*[%)\u2030a-z]?", re.IGNORECASE)
_MOST = UNBOUNDED // 10


_TOTALS = (
    "total", "totals", "grand total", "overall", "all", "any", "t", "_t", "tot", "sum", "everyone", "everybody", "both",
    "both sexes", "persons", "people", "all persons", "all people", "all ages", "all areas", "all categories",
    "all groups", "all sexes", "national", "england", "united kingdom", "gesamt", "insgesamt", "summe", "zusammen",
    "total nacional", "todas las edades", "tous âges", "tous les âges", "alle altersgruppen",
    "alle", "deutschland", "bund", "ensemble", "tous", "toutes", "tous sexes", "total général", "france",
    "france entière", "somme", "total general", "ambos sexos", "todos", "todas", "nacional", "suma", "españa", "totale",
    "totaal", "insg.",
    "i alt", "totalt", "razem", "ogółem",
)  # fmt: skip
"""Labels that offices give to all people, the surest first."""

_CODED = re.compile(r"\w+: (.+)")
_ALL_OF_A_KIND = re.compile(
    r"(?:all|alle|tous les|toutes les|todos los|todas las|ensemble (?:des|du|de la))"
    r"(?! (?:others?|else|remaining|saints|souls|under|over|aged|from|with|without|except|but|in|übrigen?|andere[nr]?|"
    r"sonstigen?|restlichen?|ab|unter|über|mit|ohne|außer|bis|autres|demás|otr[oa]s|restantes)\b)(?: [^\W\d_]+){1,3}"
)
"""Labels such as `All schools`, but not `All other schools` or `All under 18`."""


def _word(text: str) -> str:
    """Return a label in lower case, without the code that SDMX may write before it."""
    found = _CODED.fullmatch(text.strip())
    return (found[1] if found else text.strip()).casefold()


def is_total_word(text: str) -> bool:
    """Return whether a text is a label that offices give to all people.

    >>> is_total_word("Insgesamt"), is_total_word("_T: Total"), is_total_word("All schools"), is_total_word("All other")
    (True, True, True, False)
    """
    return _word(text) in _TOTALS or _ALL_OF_A_KIND.fullmatch(_word(text)) is not None


_WITHIN = frozenset(("total", "insgesamt", "gesamt", "zusammen", "ensemble", "overall", "totale"))


def sounds_like_total(text: str) -> bool:
    """Return whether a label has a word for all people, such as those of a region.

    >>> sounds_like_total("North total"), sounds_like_total("Alle"), sounds_like_total("Nord")
    (True, True, False)
    """
    return is_total_word(text) or not _WITHIN.isdisjoint(words_in(text))


def total_of(texts: Iterable[str]) -> str | None:
    """Return the label that most surely covers all people, judged by its text; None if there is none.

    >>> total_of(["Bury", "All districts"]), total_of(["All girls", "All boys"]), total_of(["All girls", "All"])
    ('All districts', None, 'All')
    """
    found = dict.fromkeys(text for text in texts if is_total_word(text))
    sure = [text for text in found if _word(text) in _TOTALS]
    if sure:
        return min(sure, key=lambda text: _TOTALS.index(_word(text)))
    return next(iter(found)) if len(found) == 1 else None


def number_of(text: str, *, point: bool = False) -> int | None:
    """Return the whole number that a text shows, with or without separators and `.0`; None for any other text.

    `point`: a point separates thousands.

    >>> number_of("1,234"), number_of("12.0"), number_of("12.5"), number_of("*"), number_of("1.234", point=True)
    (1234, 12, None, None, 1234)
    """
    if point and _POINTED.fullmatch(text):
        text = text.replace(".", "")
    found = _NUMBER.fullmatch(text)
    number = int(_joined(found[1])) if found else None
    return number if number is not None and number < _MOST else None


def decimal_of(text: str) -> Fraction | None:
    """Return the number that a text shows, with or without separators and decimals; None for other texts."""
    found = _DECIMAL.fullmatch(text)
    return Fraction(_joined(text).rstrip(".")) if found else None


def is_too_large(text: str) -> bool:
    """Return whether a text is a number larger than any count."""
    number = decimal_of(text)
    return number is not None and number >= _MOST


def _joined(text: str) -> str:
    return re.sub(f"[,{_GAPS}]", "", text)


def points_part_thousands(texts: Iterable[str]) -> bool:
    """Return whether points separate thousands in a column: three digits follow each, not all zeros; no 0 precedes.

    Flags after numbers do not matter.

    >>> [
    ...     *map(
    ...         points_part_thousands,
    ...         (["1.234", "17", "*"], ["1.000", "2.000"], ["1.000", "0.787"], ["1.234", "1.060 r"]),
    ...     )
    ... ]
    [True, False, False, True]
    """
    pointed = [flag_of(text)[0] for text in texts if "." in text and text[:1].isdigit()]
    return all(map(_POINTED.fullmatch, pointed)) and not all(text.endswith(".000") for text in pointed)


_DECIMAL_COMMA = re.compile(rf"(?:[0-9]+|[0-9]{{1,3}}(?:[.{_GAPS}][0-9]{{3}})+),[0-9]+")
_SIGN_BEHIND = r"\*{1,3}|[\u2020\u2021]|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+\u207e?|(?<=\s)[0-9]\)|[a-z]\)"
_FLAGGED = re.compile(rf"([0-9].*?)\s*(\(?[a-z]{{1,2}}\)?|{_SIGN_BEHIND})", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\(\s*([0-9][^()]*)\)")


def commas_are_decimal(texts: Iterable[str]) -> bool:
    """Return whether commas are decimal in a column: not three digits follow one of them, or only a 0 precedes one.

    >>> [*map(commas_are_decimal, (["22,5", "1.234,0", "2 681,19", "*"], ["1,234", "12"], ["a, b"]))]
    [True, False, False]
    """
    with_comma = [text.rstrip("% ") for text in texts if "," in text]
    if not with_comma or not all(map(_DECIMAL_COMMA.fullmatch, with_comma)):
        return False
    return any(len(text.rpartition(",")[2]) != 3 or text.startswith("0,") for text in with_comma)


def with_decimal_point(text: str) -> str:
    """Return a number with a decimal comma as one with a decimal point; other texts unchanged.

    >>> with_decimal_point("1.234,5"), with_decimal_point("12"), with_decimal_point("2 681,19")
    ('1234.5', '12', '2 681.19')
    """
    found = _DECIMAL_COMMA.match(text)
    return found[0].replace(".", "").replace(",", ".") + text[found.end() :] if found else text


def flag_of(text: str) -> tuple[str, str]:
    """Return a number and the flag that follows it, or `()` around it; an empty flag if there is none.

    >>> flag_of("1,234 p"), flag_of("12(r)"), flag_of("12 1)"), flag_of("(12)"), flag_of("12")
    (('1,234', 'p'), ('12', '(r)'), ('12', '1)'), ('12', '()'), ('12', ''))
    """
    found = _FLAGGED.fullmatch(text) or _IN_BRACKETS.fullmatch(text)
    if found is None or decimal_of(found[1].strip()) is None:
        return text, ""
    return found[1].strip(), found[2] if found.re is _FLAGGED else "()"


def is_like_a_number(text: str) -> bool:
    """Return whether a text is a number in some notation: with a sign, decimals, an exponent, or a unit.

    >>> [is_like_a_number(text) for text in ("-2", "34.5%", "1,5", "2024-01", "E92", "")]
    [True, True, True, False, False, False]
    """
    return _LIKE_NUMBER.fullmatch(text) is not None


_EITHER = re.compile(r"([0-9]{1,6}) (?:or|oder|ou|o) ([0-9]{1,6})", re.IGNORECASE)
_WRAPPED = re.compile(r"[\[({*\s\"']*(.*?)[\])}*\s\"']*")
_PARTED_BY_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9]{3})")
_WORD_END = re.compile(r"(?<=[^\W\d_])(?=[0-9])|(?<=[0-9])(?=[^\W\d_])")


def said_range(text: str) -> Interval | None:
    """Return the least and the greatest count that the text of a marker says, in four languages; None if it says none.

    >>> [*map(said_range, ("1-9", "<=5", "fewer than 5", "5 oder weniger", "(1 ou 2)", "100+", "*", "12.5", "1-4 %"))]
    [(1, 9), (0, 5), (0, 4), (0, 5), (1, 2), (100, 1000000000000), None, None, None]
    """
    if not DIGIT.search(text):
        return None
    pair = _EITHER.fullmatch(text.strip(" ()[]"))
    if pair and int(pair[2]) == int(pair[1]) + 1:
        return int(pair[1]), int(pair[2])
    found = _WRAPPED.fullmatch(unescape(text).replace("=<", "<=").replace("=>", ">="))
    bare = _WORD_END.sub(" ", _PARTED_BY_COMMA.sub("", found[1] if found else ""))
    read = interval_in(bare)
    if read is None or read.interval is None or read.is_point or read.unit is not None:
        return None
    low = 0 if read.interval.low is None else read.interval.low + read.interval.low_open
    high = _MOST if read.interval.high is None else read.interval.high - read.interval.high_open
    if not 0 <= low <= high <= _MOST or low == _MOST or high.denominator != 1 or low.denominator != 1:
        return None
    return int(low), UNBOUNDED if read.interval.high is None else int(high)


ANYTHING: Interval = (0, UNBOUNDED)
NOT_APPLICABLE = frozenset(("z", "x", "[z]", "[x]", "n/a"))
"""Signs for a cell in which there is no count; offices may hide counts by them, but readers do not expect it."""
_MOST_DENOMINATORS = 10_000
_BASES, _ENOUGH = (1000, 500, 100, 50, 10, 5), 5  # to which populations are rounded; numbers that show it
_NOISE = Fraction(1, 10**12)  # of floating-point numbers


def rounded_interval(number: int, rounding: Rounding | None) -> Interval | None:
    """Return the counts that rounding publishes as this number; None if there are none.

    >>> rounded_interval(10, Rounding(5, "nearest")), rounded_interval(3, Rounding(6, "midpoint"))
    ((8, 12), (1, 6))
    """
    if rounding is None:
        return number, number
    to, half = rounding.to, rounding.to // 2
    if rounding.how == "midpoint":
        if number and number % to != half:
            return None
        return (0, 0) if number == 0 else (number - half + 1, number + half)
    if number % to:
        return None
    to_even = half - number // to % 2 if to % 2 == 0 else half  # a half goes to the even multiple
    ends = {
        "nearest": (number - half, number + to - half - 1),
        "even": (number - to_even, number + to_even),
        "down": (number, number + to - 1),
        "up": (number - to + 1, number),
        "random": (number - to + 1, number + to - 1),
    }[rounding.how]
    return max(0, ends[0]), ends[1]


def widened(interval: Interval, perturbation: int) -> Interval:
    """Return the counts that differ from some count of an interval by at most the perturbation.

    >>> widened((1, 3), 2)
    (0, 5)
    """
    return max(0, interval[0] - perturbation), min(UNBOUNDED, interval[1] + perturbation)


def with_threshold(number: int, interval: Interval, threshold: int | None) -> Interval:
    """Return those counts of an interval that a published number can stand for, given the threshold.

    >>> with_threshold(5, (3, 7), 4), with_threshold(0, (0, 2), 4)
    ((4, 7), (0, 0))
    """
    low, high = interval
    if threshold is None:
        return interval
    if number > 0 or low >= 1:
        return max(low, threshold), high
    return (low, 0) if high < threshold else interval


def rate_ends(rate: Fraction, rates: Rates) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest count per denominator that are published as this rate.

    A rate that has more decimals than the manifest says is read with its own; those of floating-point noise are not.

    >>> percent = Rates("percent", 100, 1, "people")
    >>> ends = (rate_ends(Fraction(text), percent) for text in ("2.5", "2.52", "2.50000000000000004"))
    >>> [float(most - least) for least, most in ends]
    [0.001, 0.0001, 0.001]
    """
    decimals = rates.decimals
    while abs(round(rate, decimals) - rate) > _NOISE:
        decimals += 1
    half = Fraction(1, 2 * 10**decimals)
    return (rate - half) / rates.per, (rate + half) / rates.per


def likely_base(numbers: Collection[Fraction]) -> int:
    """Return the largest usual base of which all numbers are multiples, if they are five or more; else 1.

    >>> likely_base([*map(Fraction, (1200, 900, 400, 5500, 300))]), likely_base([Fraction(100)])
    (100, 1)
    """
    positive = {number for number in numbers if number > 0}
    return next((base for base in _BASES if len(positive) >= _ENOUGH and not any(n % base for n in positive)), 1)


def rate_interval(rate: Fraction, denominator: Fraction, rates: Rates) -> Interval:
    """Return the counts whose rate of a denominator is published as this rate; the denominator may be rounded."""
    (least, most), half = rate_ends(rate, rates), (rates.base or rates.seems) // 2
    return max(0, ceil(least * (denominator - half))), floor(most * (denominator + half))


def published_rate_interval(counts: Interval, rounding: Rounding | None) -> Interval:
    """Return the true counts whose published number lies in an interval; any count if none is published so."""
    to = 1 if rounding is None else rounding.to
    offset = to // 2 if rounding is not None and rounding.how == "midpoint" else 0
    least = -((offset - counts[0]) // to) * to + offset if counts[0] > 0 else 0
    most = (counts[1] - offset) // to * to + offset
    first, last = rounded_interval(max(least, 0), rounding), rounded_interval(max(most, 0), rounding)
    return ANYTHING if first is None or last is None else (first[0], last[1])


class Interpreter:
    """Turns published texts into intervals; each distinct text is parsed once.

    Attributes:
        point: whether a point separates thousands in the current texts.
    """

    def __init__(self, manifest: TableManifest) -> None:
        self.manifest = manifest
        self.point = False
        self._rates: dict[tuple[str, str, str], Interval] = {}

    def fault(self, text: str) -> str | None:
        """Return what is wrong with a published value; None for a valid one."""
        if not text or text in self.manifest.markers:
            return None
        number = number_of(text, point=self.point)
        if number is None:
            too_large = is_too_large(text)
            neither = say("this is neither a whole number nor a marker")
            return say("this is larger than any count") if too_large else neither
        rounding = self.manifest.rounding
        if rounding is not None and rounded_interval(number, rounding) is None:
            if rounding.how == "midpoint":
                return say("this is not a number that midpoint rounding to {base} gives", base=rounding.to)
            return say(
                "this is not a multiple of {base}, to which counts are rounded (a release, table or column with exact "
                "numbers is named under exact)",
                base=rounding.to,
            )
        return None

    def interval(self, text: str, *beside: tuple[Rates, str, str]) -> Interval:
        """Return the counts that a published value can stand for, given the rates and denominators beside it."""
        return self.beside_rates(text, *beside)[0]

    def beside_rates(self, text: str, *beside: tuple[Rates, str, str]) -> tuple[Interval, int]:
        """Return the counts that a published value can stand for, given its rates, and what is open of denominators.

        The latter is the number of values that a hidden denominator can have: `UNBOUNDED` if none is hidden, 0 if there
        are too many to try them all.
        """
        (low, high), number = self._alone(text)
        hidden = UNBOUNDED
        for rates, rate, denominator in beside:
            ends = self.manifest.markers.get(denominator) if denominator else (1, UNBOUNDED)
            # Of two published numbers, or of one and a number that is not in the table, a rate reveals nothing more.
            is_known = number is not None and (ends is None or not denominator)
            if not rate or (is_known and rates.of_published and not self.manifest.is_exact):
                continue
            if ends is None:
                least, most = self._rate(rates, rate, denominator)
                low, high = max(low, least), min(high, most)
            elif decimal_of(rate) is not None and (denominator or low < high):
                (low, high), left = self._tried(rates, rate, ends, (low, high))
                hidden = min(hidden, left)
        return ((low, high) if number is None else with_threshold(number, (low, high), self.manifest.threshold)), hidden

    def _alone(self, text: str) -> tuple[Interval, int | None]:
        """Return the counts that a value can stand for, without rates, and its number; None for a marker."""
        if text in self.manifest.markers:
            return self.manifest.markers[text], None
        number = number_of(text, point=self.point)
        if number is None:
            return ANYTHING, None
        ends = rounded_interval(number, self.manifest.rounding) or ANYTHING
        return widened(ends, self.manifest.perturbation), number

    def _tried(self, rates: Rates, rate: str, denominators: Interval, counts: Interval) -> tuple[Interval, int]:
        """Return the counts consistent with some denominator in an interval, and the number of such denominators.

        The number is `UNBOUNDED` for a single denominator, and 0 if there are too many to try.
        """
        first, last = denominators
        if last - first >= _MOST_DENOMINATORS:
            return counts, 0
        found = []
        for one in range(first, last + 1):
            least, most = self._rate(rates, rate, str(one))
            low, high = max(counts[0], least), min(counts[1], most)
            found += [(low, high)] if low <= high else []
        if not found:
            return (1, 0), UNBOUNDED
        hidden = len(found) if first < last else UNBOUNDED
        return (min(low for low, _ in found), max(high for _, high in found)), hidden

    def _rate(self, rates: Rates, rate: str, denominator: str) -> Interval:
        key = rates.column, rate, denominator
        if key not in self._rates:
            numbers = decimal_of(rate), decimal_of(denominator)
            if numbers[0] is None or numbers[1] is None:
                self._rates[key] = ANYTHING
            else:
                counts = rate_interval(numbers[0], numbers[1], rates)
                if rates.of_published:
                    published = published_rate_interval(counts, self.manifest.rounding)
                    counts = widened(published, self.manifest.perturbation)
                self._rates[key] = counts
        return self._rates[key]
