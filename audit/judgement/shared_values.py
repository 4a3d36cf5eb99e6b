"""Shared values: one sensitive value in all rows with one text of a column, such as the income of a household.

Attacks judge each person by the groups of that person's own rows. Who knows which people belong together also knows
that the value which they share is in the groups of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import lgamma, log

import numpy as np

from audit.adversary.held_series import HeldSeries, SeenRelease
from audit.clauses.registry import ON_VALUES
from audit.io.adjustments import read_there
from audit.io.attributes import QuasiIdentifier
from audit.io.cells import CellError, Interval, ValueSet
from audit.io.rules.disclosure import FEW_OF_ROWS, FEW_TIES, Harmless, Unlinkable
from audit.io.tables import text_codes
from audit.model.arrays import UNKNOWN, Codes, Flags, Places, ragged
from audit.model.errors import Doubt, printable
from audit.runtime.phrases import Reason, ReasonKind, joined, say

_MEMBERS = 20  # rows of one text, on average; more are those of a place or a kind of people, not of a household
_BY_CHANCE = log(0.001)
_SHOWN = 6


def shared_value_doubts(held: HeldSeries) -> Iterator[Doubt]:
    """Yield doubts: rows with one text of a column share their value, and different groups of theirs may show it.

    Not where a quasi-identifier is exact: there all rows of a text are in one group, which attacks judge. The reason of
    an unlinkable column may say that no outsider knows which people share a text; it then names the sensitive one.
    """
    series, rules = held.series, held.series.columns.rules
    unlinkable = rules[Unlinkable].columns
    for column in (*series.columns.quasi_identifiers, *unlinkable):
        texts = _texts(held, column)
        for sensitive in series.columns.sensitive if texts else ():
            known = {*rules[Harmless].values.get(sensitive, ()), *series.missing(sensitive)}
            harmful = np.array([name not in known for name in series.vocabularies[sensitive].names], dtype=np.bool_)
            rows = max(_sharing(seen, text, sensitive, harmful) for seen, text in zip(held.seen, texts, strict=True))
            is_named = re.search(rf"(?<!\w){re.escape(sensitive)}(?!\w)", unlinkable.get(column, ""), re.IGNORECASE)
            if not rows or is_named:
                continue
            tags = [
                printable(seen.release.tag)
                for seen, text in zip(held.seen, texts, strict=True)
                if (column in unlinkable and _in_common(seen, text, sensitive, harmful))
                or ((text == UNKNOWN).any() and not _accompanied(seen, sensitive, harmful))
            ]
            if tags:
                what = say(
                    '{count} rows have the same "{sensitive}" as all others with their text of "{column}", as a '
                    "household has one income: who knows which people belong together learns what their groups have in "
                    "common ({releases}), which no attack judges. If no outsider knows that, name the column under "
                    'unlinkable alone, with a reason that says so and names "{sensitive}"; else publish a value that '
                    "harmless names in place of all of them",
                    count=rows,
                    sensitive=printable(sensitive),
                    column=printable(column),
                    releases=joined(tags, _SHOWN),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def _texts(held: HeldSeries, column: str) -> list[Codes]:
    """Return the exact text of each row of each release, UNKNOWN for others; nothing if the column need not be read.

    A quasi-identifier is read if it is coarse somewhere and has so many exact texts that each is in few rows.
    """
    series, attribute = held.series, held.series.attributes.get(column)
    if attribute is not None:
        exact = [[_is_exact(attribute, text) for text in series.texts_in(at, column)] for at in range(len(held))]
        few = any(sum(own) * _MEMBERS >= seen.release.rows for own, seen in zip(exact, held.seen, strict=True))
        if not few or all(map(all, exact)):
            return []
    found = list[Codes]()
    for files, seen in zip(series.manifest.releases, held.seen, strict=True):
        own = np.full(seen.release.rows, UNKNOWN, dtype=np.int32)
        table = read_there(files.rows, files.shown, [column], series.adjustments(files.tag))
        if table is not None and table.rows == len(own):
            codes, names = text_codes(table.arrow(column))
            missing = series.missing(column)
            known = [
                text not in missing and bool(text.strip("*")) and (attribute is None or _is_exact(attribute, text))
                for text in names
            ]
            own = np.where(np.array(known, dtype=np.bool_)[codes], codes, own)
        found.append(own)
    return found


def _is_exact(attribute: QuasiIdentifier, text: str) -> bool:
    try:
        cell = attribute.cells[attribute.number(text)]
    except CellError:  # reading the release reports it
        return False
    return (isinstance(cell, Interval) and cell.low == cell.high) or (
        isinstance(cell, ValueSet) and len(cell.members) == 1
    )


def _sharing(seen: SeenRelease, text: Codes, sensitive: str, harmful: Flags) -> int:
    """Return how many rows share their value with others of the same text, 0 if these are no more than by chance.

    Of texts with several rows, all but one in twenty have one value, and few rows each.
    """
    if not seen.release.values_by_row:
        return 0
    rows = np.flatnonzero(text != UNKNOWN)
    value = seen.release.entry_value[sensitive][rows]
    size = np.bincount(text[rows])
    pairs, times = np.unique(text[rows].astype(np.int64) * len(harmful) + value, return_counts=True)
    of_text = pairs // len(harmful)
    one = (np.bincount(of_text, minlength=len(size)) == 1) & (size > 1)
    several = np.count_nonzero(size > 1)
    if one.sum() <= FEW_TIES or FEW_OF_ROWS * one.sum() < (FEW_OF_ROWS - 1) * several or size[one].mean() > _MEMBERS:
        return 0
    counts = np.bincount(value).tolist()
    chance = sum(many * _all_equal(counts, members) for members, many in enumerate(np.bincount(size[one])) if many)
    return int(times[one[of_text] & harmful[pairs % len(harmful)]].sum()) if chance < _BY_CHANCE else 0


def _all_equal(counts: list[int], members: int) -> float:
    """Return the logarithm of the probability that some rows, drawn from all, have one value."""

    def ways(rows: int) -> float:
        return lgamma(rows + 1) - lgamma(rows - members + 1)

    logs = [ways(count) - ways(sum(counts)) for count in counts if count >= members]
    return float(np.logaddexp.reduce(logs))


def _contents(seen: SeenRelease, sensitive: str, values: int) -> tuple[Places, Codes]:
    """Return the groups, ascending, and the distinct values of each."""
    pool, value, _ = seen.entries(sensitive)
    pairs = np.unique(pool.astype(np.int64) * values + value)
    return pairs // values, pairs % values


def _in_common(seen: SeenRelease, text: Codes, sensitive: str, harmful: Flags) -> bool:
    """Return whether groups with rows of one text have one harmful value in common, though each has several."""
    values, groups = len(harmful), seen.pool.size
    pool, value = _contents(seen, sensitive, values)
    rows = np.flatnonzero(text != UNKNOWN)
    own = np.unique(text[rows].astype(np.int64) * groups + seen.pool.codes[rows])
    first, last = np.searchsorted(pool, [own % groups, own % groups + 1])
    of_text = own // groups
    alone = np.bincount(of_text[last - first == 1], minlength=int(of_text.max(initial=0)) + 1) > 0
    shared, times = np.unique(
        np.repeat(of_text, last - first) * values + value[ragged(first, last - first)], return_counts=True
    )
    shared = shared[times == np.bincount(of_text)[shared // values]]
    only = np.bincount(shared // values, minlength=len(alone))[shared // values] == 1
    return bool((only & harmful[shared % values] & ~alone[shared // values]).any())


def _accompanied(seen: SeenRelease, sensitive: str, harmful: Flags) -> bool:
    """Return whether all groups with a harmful value have another one in common, so that no groups show it together."""
    pool, value = _contents(seen, sensitive, len(harmful))
    for each in np.unique(value[harmful[value]]).tolist():
        groups = pool[value == each]
        if np.count_nonzero(np.bincount(value[np.isin(pool, groups)]) == len(groups)) == 1:
            return False
    return True
