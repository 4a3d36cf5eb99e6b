"""The rules of a series of count tables, as far as its numbers say them: totals, markers, rounding, the least count.

Sure is what no other reading of the files satisfies: a label that is the sum of the others wherever all numbers are
shown, a marker that names its range. Everything else is written down as a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd

from audit.count_tables.number_texts import Interval, number_of, points_part_thousands, said_range
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.sums import LINES, Line, lines_along, totals_by_sums
from audit.count_tables.table_rules import STATISTIC
from audit.init.count_columns import is_sign, is_total_word
from audit.io.toml import toml_key
from audit.model.count_tables import UNBOUNDED

NOT_COUNTED = frozenset(("z", "x", "[z]", "[x]", "..", ":", "n/a", "na", "-", "."))
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
        totals, no_total, not_published, not_counts, open, over_time: as in the manifest.
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


# -- what sums say ------------------------------------------------------------------------------------------------


def guess_totals(rules: RuleGuesses, counts: PublishedCounts) -> bool:
    """Settle totals by their sums; return whether a rule changed, so that the files are to be read again."""
    changed = False
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name == STATISTIC:
            continue
        if name not in rules.totals:
            found = totals_by_sums(lines_along(counts, place))
            by_word = [label for label in found if is_total_word(label)]
            if len(found) == 1 or len(by_word) == 1:
                rules.totals[name] = (by_word or found)[0]
                rules.no_total = [each for each in rules.no_total if each != name]
                changed = True
            else:
                _note_no_total(rules, counts, place, name)
            continue
        if name in counts.nested:
            _check_nested(rules, name, list(_coarse_lines(counts, place)))
        else:
            _check_total(rules, name, list(_total_lines(counts, place)))
    return changed


def _note_no_total(rules: RuleGuesses, counts: PublishedCounts, place: int, name: str) -> None:
    several = dimension_labels(counts, place) > 1
    if several:
        rules.no_total = sorted({*rules.no_total, name})
    if several and (counts.hidden.any() or not counts.shown.all()):
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"{name} has no label that is known to stand for everybody; name it in totals, if there is one.",
        )


def dimension_labels(counts: PublishedCounts, place: int) -> int:
    """Return how many labels of a dimension were published."""
    return len(set(counts.label[:, place].tolist()))


def _total_lines(counts: PublishedCounts, place: int) -> Iterator[Line]:
    """Yield the lines of a dimension as the total, called "", and the atoms that it covers."""
    dimension = counts.dimensions[place]
    total = dimension.labels[dimension.total]
    atoms = {dimension.labels[one] for one in dimension.atom_label.tolist()} - {total}
    for line in lines_along(counts, place):
        if total in line and len(atoms) > 1:
            yield {"": line[total]} | {atom: line.get(atom) for atom in atoms if atom in line or atom != "(rest)"}


def _coarse_lines(counts: PublishedCounts, place: int) -> Iterator[Line]:
    """Yield for each label of a dimension that covers several atoms its lines: itself, called "", and these atoms."""
    dimension = counts.dimensions[place]
    members = dimension.axis.members
    atoms = [dimension.labels[one] for one in dimension.atom_label.tolist()]
    covers = {label: members[at] for label, at in zip(dimension.labels, dimension.set_of.tolist(), strict=True)}
    for line in lines_along(counts, place):
        for label, ends in line.items():
            if len(covers[label]) > 1:
                yield {"": ends} | {atoms[atom]: line.get(atoms[atom]) for atom in covers[label].tolist()}


def _check_nested(rules: RuleGuesses, name: str, lines: list[Line]) -> None:
    """Note whether the sums of nested labels show that they make up those around them."""
    shown, unequal = 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is not None and all(ends is not None for ends in parts):
            low, high = (sum(ends[side] for ends in parts if ends is not None) for side in (0, 1))
            unequal += low > total[1] or high < total[0]
            shown += total[0] > 0
    if unequal or shown < LINES:
        rules.doubt(
            "table.nested",
            f"That the labels of {name} make up those around them holds in {shown - unequal} of {shown} whole lines.",
        )


def _check_total(rules: RuleGuesses, name: str, lines: list[Line]) -> None:
    """Note whether the sums of a dimension's labels show that its total is one."""
    shown, above, below = 0, 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is None:
            continue
        known = [ends for ends in parts if ends is not None]
        below += sum(ends[0] for ends in known) > total[1]
        if len(known) == len(parts):
            above += sum(ends[1] for ends in known) < total[0]
            shown += total[0] > 0
    if below:
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"The labels of {name} add up to more than its total in {below} lines: some overlap; write categories.",
        )
    elif above and _zeros_hide(rules, lines):
        pass
    elif above:
        rules.open = sorted({*rules.open, name})
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"The labels of {name} add up to less than its total in {above} of {shown} lines, so that it is open.",
        )
    elif shown < LINES and f"table.totals.{toml_key(name)}" not in rules.said:
        rules.doubt(
            f"table.totals.{toml_key(name)}",
            f"That the labels of {name} make up {rules.totals[name]} is shown by {shown} whole lines only.",
        )


def _zeros_hide(rules: RuleGuesses, lines: list[Line]) -> bool:
    """Take 0 for a marker where lines lack people just where they show a 0; return whether it is taken for one."""
    short, whole = 0, 0
    for line in lines:
        total, parts = line[""], [ends for label, ends in line.items() if label != ""]
        if total is None or any(ends is None for ends in parts):
            continue
        lacking = sum(ends[1] for ends in parts if ends is not None) < total[0]
        zero = any(ends == (0, 0) for ends in parts)
        if lacking and not zero:
            return False
        short += lacking
        whole += not lacking and not zero
    if not short:
        return False
    positive = [n for text in rules.texts if (n := number_of(text)) is not None and n > 0]
    rules.markers["0"] = (0, max(1, min(positive, default=2) - 1))
    rules.doubt(
        "table.markers.0",
        "Totals are larger than the sums of their labels only where a 0 is shown: 0 is taken to hide small counts.",
    )
    return True


def widen_refuted(rules: RuleGuesses, counts: PublishedCounts) -> bool:
    """Widen guessed markers that some line refutes; return whether one was."""
    guessed = {text for text, ends in rules.markers.items() if said_range(text) is None and ends[1] < UNBOUNDED}
    if not guessed:
        return False
    for place, dimension in enumerate(counts.dimensions):
        if dimension.total < 0:
            continue
        total = dimension.labels[dimension.total]
        atoms = {dimension.labels[one] for one in dimension.atom_label.tolist()}
        for line in lines_along(counts, place, hidden=True):
            ends = line.get(total)
            parts = [line.get(atom) for atom in atoms]
            if (
                ends is not None
                and dimension.rest < 0
                and all(parts)
                and sum(each[1] for each in parts if each) < ends[0]
            ):
                for text in guessed:
                    rules.markers[text] = (rules.markers[text][0], UNBOUNDED)
                signs = ", ".join(f'"{text}"' for text in sorted(guessed))
                rules.doubts.append(
                    f"{signs} also hides large counts, for small ones do not add up to {total}; any count is assumed."
                )
                return True
    return False
