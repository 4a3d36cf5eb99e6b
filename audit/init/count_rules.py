"""The rules of a series of count tables as far as its numbers show them: totals, markers, rounding, least count.

A rule is certain if no other reading fits the files: a label that is the sum of the others wherever all numbers are
shown, or a marker that names its range. Everything else is a guess, such as which tables or columns were rounded or
perturbed, and which are exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import gcd, inf
from pathlib import Path, PurePath
from typing import Self, TypeAlias

import numpy as np

from audit.count_tables.note_numbers import ALSO_OTHERS, noted_rounding, range_within
from audit.count_tables.published_counts import PublishedCounts, sums_along
from audit.count_tables.published_texts import (
    NOT_APPLICABLE,
    Interval,
    number_of,
    points_part_thousands,
    rounded_interval,
    said_range,
    total_of,
)
from audit.count_tables.table_shapes import FileRows
from audit.init.count_columns import CountFiles, is_sign, total_within
from audit.init.guesses import Guesses
from audit.io.naming import most_like
from audit.io.notations import words_in
from audit.io.table_forms import lines_beside
from audit.io.toml import Toml, toml_key
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import Rounding
from audit.model.errors import InputError, Problem
from audit.runtime.phrases import joined, printable, say, say_count

NOT_COUNTED = NOT_APPLICABLE | {"..", ":", ": u", ": z", "na", "-", "."}
"""Markers for what is not applicable or not available; they may stand for any count."""

_UNSURE = re.compile(
    r"(?:nicht|un)[ -]?(?:\w+ )?(?:sicher|zuverlässig|verlässlich|aussagekräftig)|"
    r"(?:not|un|in|too) ?(?:\w+ )?(?:reliab|certain|precise)\w*|(?:pas|peu|non|no|poco) (?:\w+ )?fiab",
    re.IGNORECASE,
)
"""Words of a note on a sign for numbers that are too unreliable to be shown, whatever their size."""
_NOTHING = re.compile(
    r"nichts vorhanden(?: \(genau null\))?|(?:genau )?(?:null|0)|nil|néant|(?:exactly |true |real )?(?:zero|0)|cero",
    re.IGNORECASE,
)
_NO_COUNT = re.compile(
    r"not (?:applicable|available)|nicht (?:sinnvoll|verfügbar|anwendbar)|entfällt|non (?:applicable|disponible)"
    r"|sans objet|no (?:aplicable|disponible|procede)",
    re.IGNORECASE,
)
_HIDES = re.compile(
    r"suppress|withh|hidden|conceal|geheim|gesperrt|datenschutz|secret|masqu|supprim|confiden|ocult|suprim",
    re.IGNORECASE,
)
_BASES = (3, 5, 6, 10, 20, 50, 100)
_CHANCE = 0.001
_NEAR, _FAR = 2, 100  # a smallest number between them is the least count shown
_LEAST = 10


@dataclass
class TableGuesses(Guesses):
    """The guessed manifest of a series of count tables.

    Attributes:
        shape: what was recognised.
        texts: the published texts, with their frequency.
        legend: the notes beside the tables on markers, by marker.
        hidden_below: the limits below which notes say that counts are hidden.
        nearly: for each column that holds no rate in all rows, but in most, a sentence that says so.
        said: keys that a file beside the tables states.
    """

    shape: str = ""
    texts: Counter[str] = field(default_factory=Counter)
    legend: dict[str, str] = field(default_factory=dict)
    hidden_below: set[int] = field(default_factory=set)
    nearly: dict[str, str] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, shape: str, releases: Sequence[Toml], dimensions: list[str], value: str) -> Self:
        """Return the guesses for tables with these dimensions and a column of counts."""
        head = say(
            "Guessed by `audit init`: {shape}. Correct what is wrong; see the manual's page on count tables.",
            shape=shape,
        )
        found = cls(head, shape=shape)
        found.document["series"] = {"kind": "tables", "releases": releases}
        found.document["table"] = {"dimensions": dimensions, "value": value, "totals": {}, "markers": {}}
        found.table["over_time"] = "independent"
        return found

    @property
    def table(self) -> dict[str, Toml]:
        """The `[table]` part of the manifest."""
        return self.document["table"]

    @property
    def totals(self) -> dict[str, str]:
        """The labels that stand for all people, by dimension."""
        return {name: label for name, label in self.table["totals"].items() if label}

    @property
    def periods(self) -> list[str]:
        """The column whose texts name releases, if there is one."""
        return [self.document["series"][key] for key in ("releases_by",) if key in self.document["series"]]

    def note_on(self, marker: str) -> str:
        """Return a sentence with the note beside the tables on a marker; an empty text if there is none."""
        note = self.legend.get(marker)
        return "" if note is None else say('A note says of "{text}": "{note}".', text=marker, note=note)

    def assume(self, key: str, value: Toml, why: str) -> None:
        """State an entry as a guess, in place of what was under its key."""
        self.table[key] = value
        self.doubt(f"table.{key}", why)

    def assume_marker(self, marker: str, ends: tuple[int, float], why: str) -> None:
        """Let a marker stand for some counts, as a guess."""
        self.table["markers"][marker] = ends
        self.doubt(f"table.markers.{toml_key(marker)}", why)

    def widen(self, marker: str, ends: tuple[int, float], why: str) -> None:
        """Let a guessed marker stand for more counts than before, for another reason."""
        self.forget_why(f"table.markers.{toml_key(marker)}")
        stands = say('"{text}" is assumed to stand for {counts}: {why}', text=marker, counts=in_words(*ends), why=why)
        self.assume_marker(marker, ends, _sentences(self.note_on(marker), stands))

    def add(self, key: str, texts: list[str], why: str = "") -> None:
        """Add texts to the list under a key, if there are any; with a reason, as a guess."""
        if texts:
            self.state(f"table.{key}", texts)
        if why:
            before = self.why.pop(f"table.{key}", "")
            self.doubt(f"table.{key}", why)
            self.why[f"table.{key}"] = f"{before} {why}".strip()  # texts are confirmed together


def in_words(least: int, most: float) -> str:
    """Return the counts that a marker stands for, in words that `said_range` and `number_of` read in every language."""
    if least == most:
        return str(least)
    if most == inf:
        return say("{low} or more", low=str(least))
    return say("{low} to {high}", low=str(least), high=str(most))


def rules_of(shape: str, files: CountFiles, labels: list[str], value: str) -> TableGuesses:
    """Return the rules of files with these dimensions and counts; totals are recognised by their words."""
    found = TableGuesses.of(shape, files.releases, labels, value)
    totals = {name: total_of(files.columns[name]) or total_within(files.columns[name]) for name in labels}
    found.table["totals"] = {name: total for name, total in totals.items() if total is not None}
    if files.once:
        found.table["once"] = [*files.once]
        why = say("A label of {names} is taken to be that of the blanks below it, too.", names=joined(files.once))
        found.doubt("table.once", why)
    return found


def guess_numbers(rules: TableGuesses) -> None:
    """Guess rounding, markers and the least count from the published texts."""
    point = points_part_thousands(rules.texts)
    numbers = Counter(
        {n: times for text, times in rules.texts.items() if (n := number_of(text, point=point)) is not None}
    )
    positive = {number: times for number, times in numbers.items() if number > 0}
    if "table.rounding" not in rules.said and (rounding := rounding_of(positive)) is not None:
        to, how = rounding
        if how == "midpoint":
            why = say("All numbers are midpoints of ranges of {to}; they are read as rounded to midpoints.", to=to)
        else:
            why = multiples_of(to, how)
        rules.assume("rounding", {"to": to, "how": how}, why)
    _guess_not_applicable(rules, [text for text in rules.texts if text and number_of(text, point=point) is None])
    base, least = rules.table.get("rounding", {}).get("to", 1), min(positive, default=_LEAST)
    marks = {
        text
        for text in rules.texts
        if text and number_of(text, point=point) is None and text not in rules.table.get("not_published", ())
    }
    said = {text: rules.legend.get(text, "") for text in marks}
    named = {t: (0, 0) if _NOTHING.fullmatch(note) else said_range(t) or range_within(note) for t, note in said.items()}
    small = max((ends[1] for ends in named.values() if ends and ends[0] <= 1 and ends[1] < UNBOUNDED), default=0)
    zeros = [text for text in rules.texts if number_of(text, point=point) == 0 or named.get(text) == (0, 0)]
    in_order = [*(text for text in rules.legend if text in marks), *sorted(marks - rules.legend.keys())]
    for text in (text for text in in_order if text not in rules.table["markers"]):
        found = _stands_for(text, rules, zeros, max(2, least - base // 2), named[text], small)
        rules.table["markers"][text] = found
    _guess_least_count(rules, min(least, small + 1) if small else least, base, max(_LEAST, small + 1))
    is_rounded = "rounding" in rules.table  # which says what a 0 stands for
    if not (marks or is_rounded) and 0 in numbers and least >= 5 <= len(numbers) and numbers.total() >= 10:
        rules.assume_marker(
            "0",
            (0, 0),
            say(
                "0 may stand for small counts, as no number from 1 to {most} is published; if so, it is a marker.",
                most=least - 1,
            ),
        )


def _guess_not_applicable(rules: TableGuesses, signs: Sequence[str]) -> None:
    """Take signs such as `z` for what is not applicable if a note says so, or if another sign can hide counts."""
    found = [text for text in signs if text.casefold() in NOT_APPLICABLE and text not in rules.table["markers"]]
    found = [text for text in found if text not in rules.table.get("not_published", ())]
    sure = [text for text in found if _NO_COUNT.search(rules.legend.get(text, ""))]
    guessed = [text for text in found if text not in rules.legend and {*signs} - {*found}]
    rules.add("not_published", sure + guessed)
    if guessed:
        why = say_count(
            '{signs} [is|are] taken for "not applicable", beside the other signs: no count is hidden there.',
            len(guessed),
            signs=joined([f'"{text}"' for text in guessed]),
        )
        rules.doubt("table.not_published", why)


def rounding_of(positive: Mapping[int, int], tables: int = 1) -> tuple[int, str] | None:
    """Return the base and the kind of rounding that all numbers fit other than by chance; None if there is none.

    Of many tables, one fits by chance more easily.
    """
    many = sum(positive.values())
    base = gcd(*positive) if positive else 1
    for to in reversed(_BASES):
        if to % 2 == 0 and to > 2 and many >= 5 and all(number % to == to // 2 for number in positive):
            return (to, "midpoint")
    fitting = next((to for to in reversed(_BASES) if base % to == 0 and tables * to ** -float(many) <= _CHANCE), None)
    if fitting is None or fitting == 6:
        return None if fitting is None else (3, "random")
    return (fitting, "random" if fitting == 3 else "nearest")


def multiples_of(to: int, how: str) -> str:
    """Return why numbers are taken to be rounded."""
    return say("All numbers are multiples of {to}; state how they were rounded ({how}?).", to=to, how=f'how = "{how}"')


def limit_within(note: str) -> int:
    """Return the limit below which a note says that counts are hidden; 0 if it names none.

    >>> (
    ...     limit_within("Counts of 1 to 4 are suppressed"),
    ...     limit_within("Fallzahlen unter 3 sind geheim"),
    ...     limit_within("1 to 4"),
    ... )
    (5, 3, 0)
    >>> limit_within("Werte unter 5 und Gegensperrungen sind durch . ersetzt")
    5
    """
    ends = range_within(note) if _HIDES.search(note) or ALSO_OTHERS.search(note) else None
    return ends[1] + 1 if ends is not None and ends[0] <= 1 <= ends[1] <= _FAR else 0


def _stands_for(
    text: str, rules: TableGuesses, zeros: Sequence[str], threshold: int, named: Interval | None, small: int
) -> tuple[int, float]:
    """Return the counts that a marker is assumed to stand for, and note guesses.

    `zeros` are the texts that show a zero: by the reading that reveals most, a marker for any
    count then excludes it. `named` is the range that the marker, or a note on it, names. Counts up to `small` have a
    marker that names its range, so by the same reading, any other marker excludes these counts. Each release may have
    its own markers.
    """
    said, key = said_range(text), f"table.markers.{toml_key(text)}"
    words = rules.note_on(text)
    also_zero = say('"{text}" may stand for 0 too, because no 0 is published; state what it covers.', text=text)
    if said is not None:
        if said[0] == 0 and said[1] > 0 and not text.startswith("0"):
            if not zeros:
                rules.doubt(key, also_zero)
            return (1, said[1] if said[1] < UNBOUNDED else inf)
        return said if said[1] < UNBOUNDED else (said[0], inf)
    further = small and (words or len(rules.document["series"]["releases"]) == 1)
    others = ALSO_OTHERS.search(words) is not None
    if named is not None or others or (further and not _not_counted(text, rules)):
        low, high = named or (small + 1, UNBOUNDED)
        words = _sentences(words, also_zero if low == 0 < high and not zeros else "")
        low = low if high == UNBOUNDED else max(low, min(1, high))
        ends = (low, high if high < UNBOUNDED and not others else inf)
    elif _not_counted(text, rules) or not _NEAR < threshold <= _FAR:
        shown = next((sign for sign in zeros if sign != text), None)
        ends = (0 if shown is None else 1, inf)
        if shown is not None:
            words = _sentences(words, say('A zero is shown as "{sign}".', sign=shown))
    elif text.casefold() == "low" and "rounding" in rules.table:
        words, ends = "", (1, max(1, rules.table["rounding"]["to"] // 2))
    else:
        words = words or ("" if is_sign(text) else say('"{text}" is not a marker that offices use.', text=text))
        ends = (1, threshold - 1)
        words = _sentences(words, say("No count from 1 to {most} is published.", most=threshold - 1))
    rules.doubt(key, _sentences(words, stands_for(text, ends)))
    return ends


def stands_for(marker: str, ends: tuple[int, float]) -> str:
    """Return what a marker is assumed to stand for, and what to do."""
    return say(
        '"{text}" is assumed to stand for {counts}; state which counts it stands for, and whether it also hides other '
        "counts.",
        text=marker,
        counts=in_words(*ends),
    )


def _not_counted(text: str, rules: TableGuesses) -> bool:
    """Return whether a marker, or a note on it, means that there is no count or that it is too unreliable to be shown.

    The marker does not if a note says the same of it as of other markers.
    """
    if _UNSURE.search(rules.legend.get(text, "")):
        return True
    alike = (other for other, note in rules.legend.items() if note == rules.legend.get(text))
    return text.casefold() in NOT_COUNTED and all(other.casefold() in NOT_COUNTED for other in alike)


def _sentences(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _guess_least_count(rules: TableGuesses, least: int, base: int, most: int) -> None:
    """Guess the least count that may be known: above what markers or notes name, else the smallest number to `most`.

    `most` is 10, or above the range that notes on markers name.
    """
    if "policy" in rules.document:
        return
    said = [ends for text, ends in rules.table["markers"].items() if said_range(text) and ends[1] < inf]
    small = [most for low, most in said if low <= 1]
    lowest = max(2, min(small) + 1) if small else max(rules.hidden_below, default=max(2, min(max(least, base), most)))
    rules.state("policy.min_count", lowest)
    if small and not any(1 < low < most for low, most in said):  # else ranges are published in place of all counts
        return
    why = say("Counts below {lowest} are assumed to be those that nobody may know; state the limit.", lowest=lowest)
    rules.doubt("policy.min_count", why)


# -- statistics in the rows of a file


def keep_counts(rules: TableGuesses, files: CountFiles, measure: str | None) -> None:
    """Keep the texts of statistics that are counts, that is without decimals."""
    values = files.columns[rules.table["value"]]
    kept = [True] * len(values)
    if measure is not None and files.varies(measure):
        counts = counts_of(files.columns[measure], values)
        rules.table.update({"measure": measure, "measures": counts})
        kept = [text in counts for text in files.columns[measure]]
        why = say("Statistics whose values are all whole numbers are read as counts: {names}.", names=", ".join(counts))
        rules.doubts.append(why)
    rules.texts.update(text for text, keep in zip(values, kept, strict=True) if keep)


def counts_of(measures: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the statistics without decimals."""
    fractional = {m for m, v in zip(measures, values, strict=True) if number_of(v) is None and v[:1].isdigit()}
    return [name for name in dict.fromkeys(measures) if name and name not in fractional]


def parts_rates(files: CountFiles, name: str, value: str) -> bool:
    """Return whether a column separates statistics with decimals from statistics of whole numbers."""
    values = files.columns[value]
    if not any(number_of(text) is None and text[:1].isdigit() for text in values):
        return False
    found = counts_of(files.columns[name], values)
    return 0 < len(found) < len(set(files.columns[name])) and is_measure(name)


_WORDS = frozenset(
    ["measure", "measures", "measurement", "statistic", "metric", "indicator", "unit", "statistik", "mesure", "medida"]
)


def is_measure(name: str) -> bool:
    """Return whether a column's name suggests that it names the statistic of a row."""
    return not _WORDS.isdisjoint(words_in(name))


_LEAST_PERTURBED, _MOST_PERTURBED = 2, 5
_LONGEST_NOTES = 1 << 16  # bytes of a file of notes
Numbers: TypeAlias = Counter[int]
"""How often a table shows each positive number."""


def take_rounding(rules: TableGuesses, counts: PublishedCounts) -> bool:
    """If the numbers of some tables or columns are rounded, state how, and which others are exact; return whether.

    The numbers show it, or those of a table fit what a line beside it says.

    Raises:
        InputError: tables are rounded to bases of which none divides the others.
    """
    if "rounding" in rules.table or "table.rounding" in rules.said:
        return False
    units = counts.units()
    parts, numbers = [counts.parts[unit[0]] for unit in units], [_numbers(counts, unit) for unit in units]
    noted = {at: note for at, part in enumerate(parts) if (note := _fitting_note(part, numbers[at])) is not None}
    found = {at: way for at, some in enumerate(numbers) if (way := rounding_of(some, len(units))) is not None}
    found |= {at: (to, how) for at, (to, how, _) in noted.items()}
    if not found:
        return False
    to, how = min(found.values())
    if any(base % to for base, _ in found.values()):
        bases = ", ".join(f"{parts[at].file.shown}: {base}" for at, (base, _) in found.items())
        what = say("the tables are rounded to different bases ({bases})", bases=bases)
        remedy = say("audit them in folders of their own: a series has one rounding, beside exact tables")
        raise InputError([Problem(parts[-1].file.shown, what, remedy)])
    is_exact = _exact(parts, numbers, found, Rounding(to, how))
    exact = [*chain(*(unit for unit, other in zip(units, is_exact, strict=True) if other))]
    named, rounded = _names_of(counts, exact), [at for unit in units for at in unit if at not in exact]
    if exact and not named:
        return False
    why = multiples_of(to, how)
    if exact:
        why = say(
            "All numbers of {rounded} are multiples of {to}, but not those of {exact}; state how they were rounded "
            "({how}?).",
            rounded=joined(_names_of(counts, rounded) or [parts[at].file.shown for at in found], most=8),
            exact=joined(named, most=8),
            to=to,
            how=f'how = "{how}"',
        )
    said = (say('A note says: "{note}".', note=printable(note, 200)) for *_, note in [*noted.values()][:1])
    rules.state("table.rounding", {"to": to, "how": how})
    rules.add("exact", named)
    rules.doubt("table.rounding", " ".join([*said, why]))
    return True


def _numbers(counts: PublishedCounts, unit: Sequence[int]) -> Numbers:
    shown = Counter(counts.lower[counts.number & np.isin(counts.file, unit)].tolist())
    return Counter({number: many for number, many in shown.items() if number > 0})


def _fitting_note(part: FileRows, numbers: Numbers) -> tuple[int, str, str] | None:
    """Return the rounding that a line beside a table or in a text file states, and its text, if all numbers fit it."""
    noted = noted_rounding(said_beside(part.file.path, part.file.shown))
    return noted if noted is not None and numbers and all(number % noted[0] == 0 for number in numbers) else None


def said_beside(path: Path, shown: str) -> list[str]:
    """Return the lines beside a table, and those of text files in its folders, without the numbers before them.

    The folders are those of `shown`, the name of the table in the series, and that of the series itself.
    """
    folders = path.parents[: len(Path(shown).parts)]
    files = (each for folder in folders for each in sorted(folder.glob("*.txt")) if each.is_file())
    short = (each for each in files if each.stat().st_size < _LONGEST_NOTES)
    lines = chain(*(each.read_text("utf-8-sig", errors="replace").splitlines() for each in short))
    return [
        *(text for _, text in lines_beside(path)),
        *(re.sub(r"^\s*\(?[0-9]{1,2}[.)]\s+", "", line) for line in lines),
    ]


def _exact(
    parts: Sequence[FileRows], numbers: Sequence[Numbers], found: Collection[int], rounding: Rounding
) -> list[bool]:
    """Return which tables are exact: their numbers, or those of their kind where they are few, do not fit."""
    unlike = [any(rounded_interval(number, rounding) is None for number in some) for some in numbers]
    kinds = [(each.view.column, PurePath(each.file.shown).name) for each in parts]
    sure = [(*kind, unlike[at]) for at, kind in enumerate(kinds) if unlike[at] or at in found]

    def is_alike(column: str, name: str) -> bool:
        known = {other: is_unlike for of, other, is_unlike in sure if of == column}
        return known.get(most_like(name, known) or "", False)

    return [at not in found and (unlike[at] or is_alike(*kinds[at])) for at in range(len(parts))]


def _names_of(counts: PublishedCounts, places: Collection[int]) -> list[str]:
    """Return the releases, columns and tables that consist of some parts, given their places; none if others do."""
    manifest, names, left = counts.manifest, dict[str, None](), [counts.parts[at] for at in places]
    others = [part for at, part in enumerate(counts.parts) if at not in places and part.has_counts]
    of_both = {view.column for view in manifest.views}.intersection(manifest.tags)
    for place in (0, 1, 2) if manifest.values else (0, 2):
        of = [(manifest.tags[part.release], part.view.column, part.file.shown)[place] for part in left]
        known = {(manifest.tags[part.release], part.view.column, part.file.shown)[place] for part in others} | of_both
        names |= dict.fromkeys(name for name in of if name not in known)
        left = [part for part, name in zip(left, of, strict=True) if name in known]
    return [] if left else [*names]


def take_perturbation(rules: TableGuesses, counts: PublishedCounts, place: int, exact: Collection[int]) -> bool:
    """If sums are slightly above some totals and below others, assume perturbed numbers; return whether.

    The parts `exact`, whose own sums are right, show nothing.
    """
    dimension = counts.dimensions[place]
    files = [at for at in range(len(counts.parts)) if at not in exact]
    sums = sums_along(counts, place, [dimension.labels[dimension.total]], files=files)
    whole = [each for each in sums if each.is_whole]
    gaps, least = [each.gap for each in whole], min((each.total[0] for each in whole), default=UNBOUNDED)
    most = max((-(-abs(gap) // (len(each.parts) + 1)) for each, gap in zip(whole, gaps, strict=True)), default=0)
    if min(gaps, default=0) >= 0 or max(gaps) <= 0 or most > _MOST_PERTURBED or least < _LEAST_PERTURBED * most:
        return False
    most = max(_LEAST_PERTURBED, most)
    why = say(
        "Sums are slightly above or below totals: numbers are assumed off by up to {most}; state by how much.",
        most=most,
    )
    if named := _names_of(counts, exact):
        rules.add("exact", named)
        why += " " + say("Those of {exact} are assumed exact, as their sums are right.", exact=joined(named, most=8))
    rules.assume("perturbation", most, why)
    return True
