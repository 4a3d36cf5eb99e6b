"""Which counts a published text can stand for: rounding, markers, rates, thresholds; docs/tables.md defines them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from audit.count_tables.manifest import TableManifest
from audit.count_tables.number_texts import Interval, decimal_of, is_too_large, number_of
from audit.count_tables.table_rules import Rates
from audit.model.count_report import Rounding
from audit.model.json_types import UNBOUNDED

ANYTHING: Interval = (0, UNBOUNDED)
_MOST_DENOMINATORS = 10_000


def rounded_interval(number: int, rounding: Rounding | None) -> Interval | None:
    """Return the counts that are published as a number; None where no count is.

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
    ends = {
        "nearest": (number - half, number + to - half - 1),
        "even": (number - half, number + (half if to % 2 == 0 else to - half - 1)),
        "down": (number, number + to - 1),
        "up": (number - to + 1, number),
        "random": (number - to + 1, number + to - 1),
    }[rounding.how]
    return max(0, ends[0]), ends[1]


def widened(interval: Interval, perturbation: int) -> Interval:
    """Return the counts that are off by so much at most from those of an interval.

    >>> widened((1, 3), 2)
    (0, 5)
    """
    return max(0, interval[0] - perturbation), min(UNBOUNDED, interval[1] + perturbation)


def with_threshold(number: int, interval: Interval, threshold: int | None) -> Interval:
    """Return what a threshold leaves of the counts that a published number stands for.

    >>> with_threshold(5, (3, 7), 4), with_threshold(0, (0, 2), 4)
    ((4, 7), (0, 0))
    """
    low, high = interval
    if threshold is None:
        return interval
    if number > 0 or low >= 1:
        return max(low, threshold), high
    return (low, 0) if high < threshold else interval


def rate_interval(rate: Fraction, denominator: Fraction, rates: Rates) -> Interval:
    """Return the counts whose rate is published as a number."""
    half = Fraction(1, 2 * 10**rates.decimals)
    return (
        max(0, ceil((rate - half) * denominator / rates.per)),
        floor((rate + half) * denominator / rates.per),
    )


def published_rate_interval(counts: Interval, rounding: Rounding | None) -> Interval:
    """Return the counts that are published as numbers in an interval, of which a rate was computed."""
    to = 1 if rounding is None else rounding.to
    offset = to // 2 if rounding is not None and rounding.how == "midpoint" else 0
    least = -((offset - counts[0]) // to) * to + offset if counts[0] > 0 else 0
    most = (counts[1] - offset) // to * to + offset
    first, last = rounded_interval(max(least, 0), rounding), rounded_interval(max(most, 0), rounding)
    return ANYTHING if first is None or last is None else (first[0], last[1])


class Interpreter:
    """Turns published texts into intervals, each distinct one once.

    Attributes:
        point: whether a point parts thousands in the texts at hand.
    """

    def __init__(self, manifest: TableManifest) -> None:
        self.manifest = manifest
        self.point = False
        self._rates: dict[tuple[str, str, str], Interval] = {}

    def fault(self, text: str) -> str | None:
        """Return what is wrong with a published value, or None."""
        if not text or text in self.manifest.markers:
            return None
        number = number_of(text, point=self.point)
        if number is None:
            too_large = is_too_large(text)
            return "this is larger than any count" if too_large else "this is neither a whole number nor a marker"
        rounding = self.manifest.rounding
        if rounding is not None and rounded_interval(number, rounding) is None:
            if rounding.how == "midpoint":
                return f"this is not a number that midpoint rounding to {rounding.to} gives"
            return f"this is not a multiple of {rounding.to}, to which counts are rounded"
        return None

    def is_hidden(self, text: str) -> bool:
        """Return whether a value is a marker that leaves several counts."""
        ends = self.manifest.markers.get(text)
        return ends is not None and ends[0] < ends[1]

    def is_number(self, text: str) -> bool:
        """Return whether a value is a number, or a marker that stands for one count only."""
        return bool(text) and not self.is_hidden(text)

    def interval(self, text: str, *beside: tuple[Rates, str, str]) -> Interval:
        """Return the counts that a published value can stand for, with the rates and denominators beside it."""
        return self.beside_rates(text, *beside)[0]

    def beside_rates(self, text: str, *beside: tuple[Rates, str, str]) -> tuple[Interval, int]:
        """Return the counts that a published value can stand for with the rates beside it, and what they hide.

        That is how many values a hidden denominator can have: `UNBOUNDED` where none is hidden, 0 where it can have too
        many to try them all, though a count depends on it.
        """
        (low, high), number = self._alone(text)
        hidden = UNBOUNDED
        for rates, rate, denominator in beside:
            # A rate of the published numbers says nothing new where the number itself is published.
            if not rate or (number is not None and rates.of_published):
                continue
            ends = self.manifest.markers.get(denominator) if denominator else (1, UNBOUNDED)
            if ends is None:
                least, most = self._rate(rates, rate, denominator)
                low, high = max(low, least), min(high, most)
            elif decimal_of(rate) is not None and (denominator or low < high):
                (low, high), left = self._tried(rates, rate, ends, (low, high))
                hidden = min(hidden, left)
        return ((low, high) if number is None else with_threshold(number, (low, high), self.manifest.threshold)), hidden

    def _alone(self, text: str) -> tuple[Interval, int | None]:
        """Return the counts that a value can stand for by itself, and the number that it is, None for a marker."""
        if text in self.manifest.markers:
            return self.manifest.markers[text], None
        number = number_of(text, point=self.point)
        if number is None:
            return ANYTHING, None
        ends = rounded_interval(number, self.manifest.rounding) or ANYTHING
        return widened(ends, self.manifest.perturbation), number

    def _tried(self, rates: Rates, rate: str, denominators: Interval, counts: Interval) -> tuple[Interval, int]:
        """Return the counts that go with any denominator in an interval, and how many denominators go with a count."""
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
