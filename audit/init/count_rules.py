"""The rules of a series of count tables, as far as its numbers say them: totals, markers, rounding, the least count.

Sure is what no other reading of the files satisfies: a label that is the sum of the others wherever all numbers are
shown, a marker that names its range. Everything else is written down as a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import gcd

from audit.count_tables.number_texts import Interval, number_of, points_part_thousands, said_range
from audit.init.count_columns import CountFiles, is_sign, total_of
from audit.io.toml import toml_key
from audit.model.json_types import UNBOUNDED

NOT_COUNTED = frozenset(("z", "x", "[z]", "[x]", "..", ":", ": u", ": z", "n/a", "na", "-", "."))
"""Signs of what is not applicable or not available; they may stand for any count."""

_BASES = (3, 5, 6, 10, 20, 50, 100)
_CHANCE = 0.01
_NEAR, _FAR = 2, 100  # a smallest number between them says from where on counts are shown
_LEAST = 10


@dataclass
class RuleGuesses:
    """What was guessed, key by key.

    Attributes:
        shape: what was recognised.
        releases: the files, or other entries of the manifest.
        dimensions, value: columns.
        extra: further keys of `[table]`, as TOML.
        series: further keys of `[series]`, as TOML.
        totals, no_total, not_published, not_counts, open, codes, over_time: as in the manifest.
        markers: what each marker stands for.
        rounding: base and way.
        min_count: the least count that may be known; None where markers or a threshold say it.
        unconfirmed: keys that are guesses.
        doubts: sentences on what to check first.
        texts: what was published, with how often.
        said: keys that a file beside the tables says.
    """

    shape: str
    releases: list[str]
    dimensions: list[str]
    value: str
    extra: dict[str, str] = field(default_factory=dict)
    series: dict[str, str] = field(default_factory=dict)
    totals: dict[str, str] = field(default_factory=dict)
    no_total: list[str] = field(default_factory=list)
    not_published: list[str] = field(default_factory=list)
    not_counts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    over_time: str = "independent"
    markers: dict[str, Interval] = field(default_factory=dict)
    rounding: tuple[int, str] | None = None
    min_count: int | None = None
    unconfirmed: dict[str, None] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    texts: Counter[str] = field(default_factory=Counter)
    said: set[str] = field(default_factory=set)

    def doubt(self, key: str, why: str) -> None:
        """Note that a key is a guess, and why."""
        self.unconfirmed[key] = None
        if why not in self.doubts:
            self.doubts.append(why)


def rules_of(shape: str, files: CountFiles, labels: list[str], value: str) -> RuleGuesses:
    """Return the rules of files with some dimensions and counts; totals are those that words say."""
    totals = {name: total for name in labels if (total := total_of(files.columns[name])) is not None}
    return RuleGuesses(shape, files.shown, labels, value, totals=totals)


def guess_numbers(rules: RuleGuesses) -> None:
    """Guess rounding, markers and the least count from what was published."""
    point = points_part_thousands(rules.texts)
    numbers = Counter(
        {n: times for text, times in rules.texts.items() if (n := number_of(text, point=point)) is not None}
    )
    positive = {number: times for number, times in numbers.items() if number > 0}
    said = "table.rounding" in rules.said
    if not said:
        rules.rounding = _rounding(positive)
    base = rules.rounding[0] if rules.rounding else 1
    least = min(positive, default=_LEAST)
    if rules.rounding and not said:
        to, how = rules.rounding
        rules.doubt(
            "table.rounding",
            f"All {sum(positive.values())} numbers are multiples of {to}; say how they were rounded ({how}?).",
        )
        if how == "midpoint":
            rules.doubts[-1] = f"All numbers are the middle of ranges of {to}; this is taken for midpoint rounding."
    marks = [
        text
        for text in rules.texts
        if text and number_of(text, point=point) is None and text not in rules.not_published
    ]
    for text in sorted(set(marks) - set(rules.markers)):
        rules.markers[text] = _stands_for(text, rules, 0 in numbers, max(2, least - base // 2))
    _guess_least_count(rules, least, base)
    if not marks and 0 in numbers and least >= 5 and len(numbers) >= 5 and sum(numbers.values()) >= 10:
        rules.markers["0"] = (0, 0)
        rules.doubt(
            "table.markers.0",
            f"0 may stand for small counts, for no number from 1 to {least - 1} is published; if so, it is a marker.",
        )


def _rounding(positive: Mapping[int, int]) -> tuple[int, str] | None:
    """Return the base and the way of rounding that all numbers fit and chance would not explain."""
    many = sum(positive.values())
    base = gcd(*positive) if positive else 1
    for to in reversed(_BASES):
        if to % 2 == 0 and to > 2 and many >= 5 and all(number % to == to // 2 for number in positive):
            return (to, "midpoint")
    fitting = next((to for to in reversed(_BASES) if base % to == 0 and to ** -float(many) <= _CHANCE), None)
    if fitting is None or fitting == 6:
        return None if fitting is None else (3, "random")
    return (fitting, "random" if fitting == 3 else "nearest")


def _stands_for(text: str, rules: RuleGuesses, zero_shown: bool, threshold: int) -> Interval:
    """Return the counts that a marker is taken to stand for, noting where that is a guess."""
    said, key = said_range(text), f"table.markers.{toml_key(text)}"
    if said is not None:
        if said[0] == 0 and said[1] > 0 and not text.startswith("0"):
            if not zero_shown:
                rules.doubt(
                    key,
                    f'"{text}" may stand for 0 too, for no 0 is published; say what it covers.',
                )
            return (1, said[1])
        return said
    if text.casefold() in NOT_COUNTED or not _NEAR < threshold <= _FAR:
        rules.doubt(key, f'"{text}" is taken to stand for any count; say which it can stand for.')
        return (0, UNBOUNDED)
    if text.casefold() == "low" and rules.rounding:
        rules.doubt(key, '"low" is taken to round to 0; say which counts it stands for.')
        return (1, max(1, rules.rounding[0] // 2))
    known = "" if is_sign(text) else f'"{text}" is no marker that offices use. '
    why = f'{known}"{text}" is taken to stand for 1 to {threshold - 1}, for about {threshold} is the smallest number'
    rules.doubt(
        key,
        f"{why}; say which counts it stands for, and whether it also hides others beside them.",
    )
    return (1, threshold - 1)


def _guess_least_count(rules: RuleGuesses, least: int, base: int) -> None:
    """Guess the least count that may be known: the end of the range that markers name, else the smallest number."""
    if rules.min_count is not None:
        return
    said = [
        ends[1] for text, ends in rules.markers.items() if said_range(text) and ends[0] <= 1 and ends[1] < UNBOUNDED
    ]
    if said:
        rules.min_count = max(2, min(said) + 1)
        return
    rules.min_count = max(2, min(max(least, base), _LEAST))
    rules.doubt(
        "policy.min_count",
        f"Counts below {rules.min_count} are taken to be those that nobody may know; write which they are.",
    )
