"""Guess which tables of counts, or which of their columns, were rounded or perturbed, and which are exact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path, PurePath
from typing import TypeAlias

import numpy as np

from audit.count_tables.note_numbers import noted_rounding
from audit.count_tables.published_counts import PublishedCounts, sums_along
from audit.count_tables.published_texts import rounded_interval
from audit.count_tables.table_shapes import FileRows
from audit.init.count_rules import TableGuesses, multiples_of, rounding_of
from audit.io.naming import most_like
from audit.io.table_forms import lines_beside
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import Rounding
from audit.model.errors import InputError, Problem
from audit.runtime.phrases import joined, printable, say

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
