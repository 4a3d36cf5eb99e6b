"""Shared values: one sensitive value in all rows with one text of a column, such as the income of a household.

Attacks judge each person by the groups of that person's own rows. Who knows which people belong together also knows
that the value which they share is in the groups of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from math import lgamma, log
from typing import TypeAlias

import numpy as np

from audit.adversary.held_series import HeldSeries, SeenRelease
from audit.clauses.registry import ON_VALUES
from audit.io.adjustments import read_there
from audit.io.attributes import QuasiIdentifier
from audit.io.cells import CellError, Interval, ValueSet
from audit.io.column_names import is_of_household
from audit.io.composed_columns import TOGETHER
from audit.io.diagnostics import is_there
from audit.io.manifest import KEY_COLUMNS
from audit.io.microdata import SnapshotFile
from audit.io.releases import own_values
from audit.io.rules.disclosure import FEW_OF_ROWS, FEW_TIES, Harmless, Unlinkable
from audit.io.tables import header, read_table, text_codes
from audit.io.toml import toml_key
from audit.model.arrays import UNKNOWN, Codes, Flags, Places, ragged
from audit.model.errors import Doubt, Problems, printable
from audit.runtime.phrases import Reason, ReasonKind, joined, say

Texts: TypeAlias = Callable[[str], list[Codes]]
_MEMBERS = 20  # rows of one text, on average; more are those of a place or a kind of people, not of a household
_BY_CHANCE = log(0.001)
_SHOWN = 6


def shared_value_doubts(held: HeldSeries, *, beside: bool) -> Iterator[Doubt]:
    """Yield doubts: people who belong together share their value, and different groups of theirs may show it.

    They have a text of a column in common, published or in the key, or texts of two of which one is unlinkable, or the
    name of the sensitive column says that it is about households. Not where a quasi-identifier is exact: there all rows
    of a text are in one group, which attacks judge. With `beside`, only where the last release shows it.
    """
    texts = cache(lambda column: _texts(held, column))
    for sensitive in held.series.columns.sensitive:
        harmful = _harmful(held, sensitive)
        for what, tags in _by_texts(held, texts, sensitive, harmful) or _by_name(held, texts, sensitive, harmful):
            if tags and (not beside or tags[-1] == held.series.tags[-1]):
                text = say(
                    "{what}: who knows which people belong together learns what their groups have in common "
                    "({releases}), which no attack judges. If no outsider knows that, write {example} under [columns] "
                    "with the reason, and name columns that show it under unlinkable alone; else publish a value that "
                    "harmless names in place of all of them",
                    what=what,
                    releases=joined([*map(printable, tags)], _SHOWN),
                    example=f'unlinkable.{toml_key(printable(sensitive))} = "…"',
                )
                yield Doubt(Reason(text, ReasonKind.UNDECLARED), ON_VALUES)


def _harmful(held: HeldSeries, sensitive: str) -> Flags:
    """Return whether each value of a column is none that the manifest lets anybody have."""
    series = held.series
    known = {*series.rules[Harmless].values.get(sensitive, ()), *series.missing(sensitive)}
    return np.array([name not in known for name in series.vocabularies[sensitive].names], dtype=np.bool_)


def _by_texts(held: HeldSeries, texts: Texts, sensitive: str, harmful: Flags) -> list[tuple[str, list[str]]]:
    """Return columns whose rows with one text have one value, in words, and the releases that may show it.

    Two columns are taken together if no single one is found.
    """
    columns = held.series.columns
    stated = columns.rules[Unlinkable]
    every, private = [*columns.quasi_identifiers, *stated.columns], _in_keys(held)
    secret = {*stated.columns, *private}
    values = [own_values(each, sensitive, held.series.vocabularies) for each in held.keyed]
    pairs = [pair for pair in combinations(every, 2) if not secret.isdisjoint(pair)]
    for keys in ([(name,) for name in (*every, *private) if _may_show(held, name)], pairs):
        found = list[tuple[str, list[str]]]()
        for key in keys:
            seen = [*zip(held.seen, map(_together, *map(texts, key)), strict=True)]
            rows = max(
                0 if value is None else rows_that_share(text, value, harmful, tries=len(keys))
                for (_, text), value in zip(seen, values, strict=True)
            )
            is_secret = not secret.isdisjoint(key)
            if not rows:
                continue
            what = have_in_common(rows, sensitive, key)
            tags = [
                each.release.tag
                for each, text in seen
                if (is_secret and _in_common(each, text, sensitive, harmful))
                or ((text == UNKNOWN).any() and not _accompanied(each, sensitive, harmful))
            ]
            found.append((what, [] if is_secret and sensitive in stated.reasons else tags))
        if found:
            return found
    return []


def have_in_common(rows: int, sensitive: str, columns: Iterable[str]) -> str:
    """Return how many rows have the sensitive value in common with those of the same text of columns."""
    return say(
        '{count} rows have the same "{sensitive}" as all others with their text of {columns}, as a household has one '
        "income",
        count=rows,
        sensitive=printable(sensitive),
        columns=joined([f'"{printable(name)}"' for name in columns]),
    )


def _by_name(held: HeldSeries, texts: Texts, sensitive: str, harmful: Flags) -> Iterator[tuple[str, list[str]]]:
    """Yield that a column is about households by its name, though no column shows who belongs to one.

    Not if each row has a household of its own.
    """
    columns = held.series.columns
    stated = columns.rules[Unlinkable]
    if not is_of_household(sensitive) or sensitive in stated.reasons:
        return
    names = [*columns.quasi_identifiers, *stated.columns, *filter(None, [columns.record])]
    own = [texts(name) for name in names if is_of_household(name) and TOGETHER not in name]
    if not any(all(len(np.unique(text)) == len(text) for text in each) for each in own):
        what = say(
            'by its name, "{sensitive}" is the same for all people of a household, and no column was found that '
            "shows who belongs to one",
            sensitive=printable(sensitive),
        )
        yield what, [each.release.tag for each in held.seen if not _accompanied(each, sensitive, harmful)]


def _in_keys(held: HeldSeries) -> list[str]:
    """Return the columns of the key files that are about people, without those that releases have."""
    manifest, found = held.series.manifest, dict[str, None]()
    for path in map(manifest.key_path, manifest.releases if held.series.keyed else ()):
        found |= dict.fromkeys((is_there(path) and header(path, manifest.shown(path), Problems())) or ())
    return [name for name in found if name not in {*KEY_COLUMNS, *manifest.columns.named}]


def _may_show(held: HeldSeries, column: str) -> bool:
    """Return whether a column is unlinkable, or is coarse somewhere and has exact texts that are each in few rows."""
    series, attribute = held.series, held.series.attributes.get(column)
    if attribute is None:
        return True
    exact = [[_is_exact(attribute, text) for text in series.texts_in(at, column)] for at in range(len(held))]
    few = any(sum(own) * _MEMBERS >= seen.release.rows for own, seen in zip(exact, held.seen, strict=True))
    return few and not all(map(all, exact))


def _together(one: Codes, other: Codes | None = None) -> Codes:
    """Return a number for the text, or for the two texts, of each row; UNKNOWN if one of them is."""
    if other is None:
        return one
    known = (one != UNKNOWN) & (other != UNKNOWN)
    both = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    return np.where(known, np.unique(both, return_inverse=True)[1], UNKNOWN).astype(np.int32)


def _texts(held: HeldSeries, column: str) -> list[Codes]:
    """Return the exact text of each row of each release, UNKNOWN for others."""
    series, attribute, found = held.series, held.series.attributes.get(column), list[Codes]()
    missing, private = series.missing(column), column in _in_keys(held)
    for files, seen in zip(series.manifest.releases, held.seen, strict=True):
        own = np.full(seen.release.rows, UNKNOWN, dtype=np.int32)
        table, rows = read_there(files.rows, files.shown, [column], series.adjustments(files.tag)), np.arange(len(own))
        if private:
            path = series.manifest.key_path(files)
            table = read_table(path, series.manifest.shown(path), ["row", column], Problems())
            rows = np.arange(0) if table is None else table.whole_numbers("row")
        if table is not None and table.rows == len(rows) and rows.max(initial=0) < len(own):
            codes, names = text_codes(table.arrow(column))
            known = [
                text not in missing and bool(text.strip("*")) and (attribute is None or _is_exact(attribute, text))
                for text in names
            ]
            own[rows] = np.where(np.array(known, dtype=np.bool_)[codes], codes, UNKNOWN)
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


def columns_that_share(
    file: SnapshotFile, published: Collection[str], values: Mapping[str, Collection[str]]
) -> dict[str, dict[str, int]]:
    """Return the columns of a snapshot whose rows with one text share a value: how many rows do, by sensitive column.

    `published` are columns that are not looked at, and `values` the sensitive columns, each with its harmless values.
    """
    others = {*published, *values, *filter(None, [file.by])}
    names = [name for name in header(file.path, file.shown, Problems()) or () if name not in others]
    table, found = file.read([*names, *values], Problems()), dict[str, dict[str, int]]()
    if table is None:
        return {}
    for sensitive, harmless in values.items():
        value, texts = text_codes(table.arrow(sensitive))
        harmful = np.array([text not in {"", *harmless} for text in texts], dtype=np.bool_)
        for name in names:
            codes, words = text_codes(table.arrow(name))
            known = np.array([bool(word.strip("*")) for word in words], dtype=np.bool_)[codes]
            if rows := rows_that_share(np.where(known, codes, UNKNOWN), value, harmful, tries=len(names)):
                found.setdefault(name, {})[sensitive] = rows
    return found


def rows_that_share(text: Codes, value: Codes, harmful: Flags, *, tries: int) -> int:
    """Return how many rows share their value with others of the same text, 0 if these are no more than by chance.

    Of texts with several rows, all but one in twenty have one value, and few rows each. `tries` is how many columns, or
    pairs of columns, are looked at.
    """
    rows = np.flatnonzero((text != UNKNOWN) & (value != UNKNOWN))
    value = value[rows]
    size = np.bincount(text[rows])
    pairs, times = np.unique(text[rows].astype(np.int64) * len(harmful) + value, return_counts=True)
    of_text = pairs // len(harmful)
    one = (np.bincount(of_text, minlength=len(size)) == 1) & (size > 1)
    several = np.count_nonzero(size > 1)
    if one.sum() <= FEW_TIES or FEW_OF_ROWS * one.sum() < (FEW_OF_ROWS - 1) * several or size[one].mean() > _MEMBERS:
        return 0
    counts = np.bincount(value).tolist()
    chance = sum(many * _all_equal(counts, members) for members, many in enumerate(np.bincount(size[one])) if many)
    return int(times[one[of_text] & harmful[pairs % len(harmful)]].sum()) if chance < _BY_CHANCE - log(tries) else 0


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
