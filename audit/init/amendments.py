"""What a first draft of the manifest lacks, seen once the releases are read with it, and the lines to write for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from audit.init.column_meanings import Meaning
from audit.init.questions import Ask, take_default, yes_or_no
from audit.io.irregularities import SeriesTexts, decimal_commas, is_total
from audit.io.rules.ignored_rows import IgnoreRows
from audit.io.rules.spelling import INDIVIDUAL, Decimal, Fold
from audit.io.series import Series
from audit.model.errors import InputError, printable

_MOST_ROWS = 500_000
_MOST_VALUES = 200


def amend(series: Series, meaning: Meaning, ask: Ask) -> None:
    """Complete the meaning by what the cells of all rows say; larger series are left as they are."""
    if series.about_rows > _MOST_ROWS:
        return
    texts = SeriesTexts(series)
    columns = series.manifest.columns
    commas = [name for name in (*columns.quasi_identifiers, *columns.sensitive) if decimal_commas(texts, name)]
    question = f'"{printable("".join(commas[:1]))}" looks like numbers with decimal commas. Is it?'
    if commas and ask(yes_or_no(question, default=True)) == "yes":
        decimal = Decimal(",")
        meaning.state(decimal, sure=ask is not take_default)
        places = ", ".join(texts.place(name, decimal_commas(texts, name)[0]) for name in commas[:3])
        listed = " and ".join(f'"{printable(name)}"' for name in commas)
        meaning.written["".join(decimal.lines())] = f"numbers of {listed} have decimal commas, such as {places}"
        known = {column.name for column in meaning.quasi}
        meaning.why |= dict.fromkeys(known.intersection(commas), "numbers with decimal commas")
    if marks := dict(_totals(texts, meaning, ask)):
        meaning.state(IgnoreRows(marks), sure=ask is not take_default)
    if folded := tuple(_respelled(texts, meaning, ask)):
        meaning.state(Fold(folded), sure=ask is not take_default)


def _totals(texts: SeriesTexts, meaning: Meaning, ask: Ask) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield by column the cells that mark totals."""
    sensitive = texts.series.manifest.columns.sensitive
    for name in texts.names:
        marks = tuple(text for text in texts.columns[name].first if name not in sensitive and is_total(text))
        if marks:
            places = ", ".join(texts.place(name, text) for text in marks[:3])
            listed = ", ".join(f'"{printable(text)}"' for text in marks)
            text = f'Rows with {listed} in "{printable(name)}" look like totals ({places}). Are they no people?'
            if ask(yes_or_no(text, default=True)) == "yes":
                line = "".join(IgnoreRows({name: marks}).lines())
                meaning.written[line] = f"rows with it look like totals, and are no people ({places})"
                yield name, marks


def _respelled(texts: SeriesTexts, meaning: Meaning, ask: Ask) -> Iterator[str]:
    """Yield the columns in which spelling does not count."""
    columns = texts.series.manifest.columns
    for name in [*columns.sensitive, columns.individual, columns.record]:
        groups = [] if name is None else texts.columns[name].respelled()
        if name is None or not groups:
            continue
        examples = " and ".join(f'"{printable(text)}" ({texts.place(name, text)})' for text in groups[0][:3])
        many, differ = (f"{len(groups):,} cells of", "differ") if len(groups) > 1 else ("A cell of", "differs")
        what = f'{many} "{printable(name)}" {differ} in spelling alone, such as {examples}'
        if ask(yes_or_no(f"{what}. Are they the same?", default=True)) == "yes":
            called = INDIVIDUAL if name == columns.individual else name
            meaning.written["".join(Fold((called,)).lines())] = f"{what}; they are taken for the same"
            yield called


def changes(series: Series) -> dict[tuple[str, str], int]:
    """Return how often a person's value was followed by which one, by the keys; nothing where no value changes.

    Values that stand beside nobody's row (Anatomy), or too many of them, tell nothing.
    """
    columns = series.manifest.columns
    if not series.keyed or len(series.tags) < 2 or len(columns.sensitive) > 1 or series.about_rows > _MOST_ROWS:
        return {}
    sensitive, found = columns.sensitive[0], Counter[tuple[int, int]]()
    before: dict[int, int] = {}
    for position in range(len(series.tags)):
        try:
            release = series.read(position)
        except InputError:
            return {}
        if release.person is None or not release.values_by_row:
            return {}
        rows = np.flatnonzero(release.person >= 0)
        now = dict(zip(release.person[rows].tolist(), release.entry_value[sensitive][rows].tolist(), strict=True))
        found.update((before[who], value) for who, value in now.items() if who in before)
        before |= now
    names = series.vocabularies[sensitive].names
    if all(old == new for old, new in found) or len(names) > _MOST_VALUES:
        return {}
    stays = {(value, value): 0 for value in range(len(names))}
    return {(names[old], names[new]): times for (old, new), times in sorted((stays | found).items())}
