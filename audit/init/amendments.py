"""What a first draft of the manifest lacks, seen once the releases are read with it, and the lines to write for it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from audit.init.column_meanings import Meaning
from audit.io.irregularities import MOST_ROWS, SeriesTexts
from audit.io.series import Series
from audit.model.errors import InputError

_MOST_VALUES = 200
_SHOWN = 3


def amend(series: Series, meaning: Meaning) -> None:
    """State what rules say that the cells of all rows ask for; larger series are left as they are."""
    if series.about_rows > MOST_ROWS:
        return
    texts = SeriesTexts(series)
    for hint in (hint for rule in series.columns.rules for hint in rule.hints(texts)):
        if hint.rule is not None:
            meaning.state(hint.rule, sure=False)
            some = [text for group in hint.texts for text in group][:_SHOWN]
            why = f"{hint.why}, such as {texts.example(hint.column, some, quoted=True)}"
            meaning.written["".join(hint.rule.lines())] = why


def changes(series: Series) -> dict[tuple[str, str], int]:
    """Return how often a person's value was followed by which one, by the keys; nothing where no value changes.

    Values that stand beside nobody's row (Anatomy), or too many of them, tell nothing.
    """
    columns = series.manifest.columns
    if not series.keyed or len(series.tags) < 2 or len(columns.sensitive) > 1 or series.about_rows > MOST_ROWS:
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
