"""Contained rows: releases that nothing links, of which one has nearly all rows of another.

No id is needed to see it: what the two have in common is taken off, and the few rows that are left are those of
newcomers, or of who is gone. Each release by itself may hide what these rows show, and no attack compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations
from math import log

import numpy as np

from audit.io.rules.rows_and_values import FEW_OF_ROWS
from audit.io.series import Series
from audit.io.tables import text_codes
from audit.model.arrays import Codes, Counts, Integers, combine, ranks
from audit.model.errors import Doubt
from audit.runtime.phrases import Reason, ReasonKind, printable, say

_NEAR = 12  # releases that lie further apart are not compared
_BY_CHANCE = log(0.0001)
_STEEP = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # exponents that are tried for the bound of a probability


def contained_row_doubts(series: Series, *, beside: bool) -> Iterator[Doubt]:
    """Yield a doubt: nearly all rows of a release are rows of another one, too, which is more than chance.

    Rows are compared by their texts of quasi-identifiers and sensitive columns that both releases have, those with a
    record id of both releases left out. With `beside`, one of the two is the last release.
    """
    releases, columns, last = series.manifest.releases, series.columns, len(series.tags) - 1
    if series.manifest.growing or columns.count is not None or any(files.values is not None for files in releases):
        return
    coded = _coded(series)
    numbered = cache(lambda names: _numbered([coded[name] for name in names]))
    found = list[tuple[int, int, int, int]]()
    for one, other in permutations(range(len(releases)), 2):
        if abs(one - other) > _NEAR or (beside and last not in (one, other)):
            continue
        lacking = series.unpublished[series.tags[one]] | series.unpublished[series.tags[other]]
        names = [name for name in (*columns.quasi_identifiers, *columns.sensitive) if name not in lacking]
        rows = numbered(tuple(names))
        own, its = rows[one], rows[other]
        if columns.record is not None:
            ids = coded[columns.record]
            own, its = own[~np.isin(ids[one], ids[other])], its[~np.isin(ids[other], ids[one])]
        size = max(own.max(initial=-1), its.max(initial=-1)) + 1
        many, there = np.bincount(own, minlength=size), np.bincount(its, minlength=size)
        if (many != there).any() and is_contained(many, there):
            found.append((int(np.maximum(many - there, 0).sum()), int(many.sum()), one, other))
    if found:
        left, count, one, other = min(found, key=lambda each: (each[0], abs(each[2] - each[3])))
        what = say(
            "{count} of {all} rows of {release} are rows of {other}, too, more than by chance, and the few that differ "
            "show whose they are, which was not judged: if each release has all records of the one before it, write "
            "{growing} under [series]; else, as where one is a revised edition, let the series say whose rows they are "
            "([columns] individual, or record if all releases have the same ids)",
            count=count - left,
            all=count,
            release=printable(series.tags[one]),
            other=printable(series.tags[other]),
            growing='updates = "growing"',
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED))


def _coded(series: Series) -> dict[str, list[Codes]]:
    """Return a number for the text of each row of each release, by column; 0 in a release that lacks the column."""
    columns = series.columns
    names = [*columns.quasi_identifiers, *columns.sensitive, *filter(None, [columns.record])]
    numbers: dict[str, dict[str, int]] = {name: {} for name in names}
    found: dict[str, list[Codes]] = {name: [] for name in names}
    for files in series.manifest.releases:
        table = series.adjustments(files.tag).read_there(files.rows, files.shown, names)
        for name, own in numbers.items():
            if table is None or name not in table:
                found[name].append(np.zeros(0 if table is None else table.rows, dtype=np.int32))
                continue
            codes, texts = text_codes(table.arrow(name))
            number = np.array([own.setdefault(text, len(own)) for text in texts], dtype=np.int32)
            found[name].append(number[codes])
    return found


def _numbered(columns: Sequence[Sequence[Codes]]) -> list[Integers]:
    """Return a number for the texts of each row of each release, equal for equal ones."""
    whole = [np.concatenate(column) for column in columns]
    key = ranks(*combine([(codes, int(codes.max(initial=0)) + 1) for codes in whole], len(whole[0])))
    return np.split(key, np.cumsum([len(own) for own in columns[0]])[:-1])


def is_contained(many: Counts, there: Counts) -> bool:
    """Return whether nearly all rows are there, too, and this is not by chance, given how many of each are in both.

    By chance, each of equal rows is in one of the two as often as its share of all rows says.

    >>> single, coarse = np.ones(40, dtype=int), np.array([30, 50, 20])
    >>> is_contained(single, np.append(single, [1, 1])[:40]), is_contained(coarse, 9 * coarse)
    (True, False)
    """
    rows, lacking = int(many.sum()), int(np.maximum(many - there, 0).sum())
    if lacking * FEW_OF_ROWS > rows or not rows:
        return False
    from scipy.special import gammaln

    share, bounds = rows / (rows + int(there.sum())), np.zeros(len(_STEEP))
    for total, times in zip(*(part.tolist() for part in np.unique(many + there, return_counts=True)), strict=True):
        if total:
            own = np.arange(total + 1)
            ways = gammaln(total + 1) - gammaln(own + 1) - gammaln(total - own + 1)
            drawn = np.exp(ways + own * log(share) + (total - own) * log(1 - share))
            more = np.maximum(2 * own - total, 0)
            bounds += [times * log(float(drawn @ np.exp(-steep * more))) for steep in _STEEP]
    return bool((bounds + np.array(_STEEP) * lacking).min() < _BY_CHANCE)
