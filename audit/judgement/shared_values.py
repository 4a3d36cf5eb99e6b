"""Shared values: one sensitive value in all rows with one text of a column, such as the income of a household.

Attacks judge each person by the groups of that person's own rows. Who knows which people belong together also knows
that the value which they share is in the groups of all of them, as often as it has to be. What follows from that, for
them and for others of their groups, is not judged, so that nothing holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import exp, lgamma, log
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
from audit.model.arrays import UNKNOWN, Codes, Flags, Integers, numbered
from audit.model.errors import Doubt, Problems, printable
from audit.runtime.phrases import Reason, ReasonKind, joined, say

Texts: TypeAlias = Callable[[str], list[Codes]]
_MEMBERS = 20  # rows of one text, on average; more are those of a place or a kind of people, not of a household
_FEW = 10
"""If fewer than one row in so many has a text of few rows, no text is that of a household: most amounts are 0."""
_BY_CHANCE = log(0.001)
_CLEARLY = 4  # fewer than one household in so many that shares its value hardly moves what is thought of the others
_FEW_COLUMNS = 12  # of which two are taken together
_LEAST = (0.0, 0.0, 0.95)
"""The share of texts of so many columns that have one value: beside a fine column, one related to values shows many."""
_SHOWN = 6


def shared_value_doubts(held: HeldSeries, *, beside: bool) -> Iterator[Doubt]:
    """Yield doubts: people who belong together share their value, and their groups together may show it.

    They have a text of a column in common, published or in the key, or texts of two of which one is secret, or the
    name of the sensitive column says that it is about households. Not where each text of a quasi-identifier is in one
    group, which attacks judge. With `beside`, only where the last release shows it.
    """
    texts, tags = cache(lambda column: _texts(held, column)), held.series.tags
    for sensitive in held.series.columns.sensitive:
        harmful = _harmful(held, sensitive)
        named = [(what, tags) for what in _by_name(held, texts, sensitive, harmful)]
        for what, where in _by_texts(held, texts, sensitive, harmful) or named:
            if where and (not beside or where[-1] == tags[-1]):
                text = say(
                    "{what}: who knows which people belong together learns what their groups have in common "
                    "({releases}), which no attack judges. If no outsider knows that, write {example} under [columns] "
                    "with the reason, and name columns that show it under unlinkable alone; else publish a value that "
                    "harmless names in place of all of them",
                    what=what,
                    releases=joined([*map(printable, where)], _SHOWN),
                    example=f'unlinkable.{toml_key(printable(sensitive))} = "…"',
                )
                yield Doubt(Reason(text, ReasonKind.UNDECLARED), ON_VALUES)


def _harmful(held: HeldSeries, sensitive: str) -> Flags:
    """Return whether each value of a column is none that the manifest lets anybody have."""
    series = held.series
    known = {*series.rules[Harmless].values.get(sensitive, ()), *series.missing(sensitive)}
    return np.array([name not in known for name in series.vocabularies[sensitive].names], dtype=np.bool_)


def _by_texts(held: HeldSeries, texts: Texts, sensitive: str, harmful: Flags) -> list[tuple[str, Sequence[str]]]:
    """Return columns whose rows with one text have one value, in words, and the releases that may show it.

    Two columns are taken together if no single one is found.
    """
    columns = held.series.columns
    stated = columns.rules[Unlinkable]
    private = _in_keys(held)
    secret = {*stated.columns, *private}
    every = dict.fromkeys((*columns.quasi_identifiers, *stated.columns, *private))
    values = [own_values(each, sensitive, held.series.vocabularies) for each in held.keyed]
    single = [(name,) for name in every if name in private or _may_show(held, name)]
    for several in (False, True) if secret else (False,):
        named = [name for name in every if several and not any(map(_names_value, texts(name), values))]
        keys = [pair for pair in combinations(named, 2) if not secret.isdisjoint(pair)] if several else single
        found = list[tuple[str, Sequence[str]]]()
        for key in keys:
            seen = [*zip(held.seen, map(_together, *map(texts, key)), strict=True)]
            rows = max(
                (0, 0)
                if value is None
                else rows_that_share(text, value, harmful, tries=len(keys), least=_LEAST[len(key)])
                for (_, text), value in zip(seen, values, strict=True)
            )
            if not any(rows):
                continue
            tags: Sequence[str] = [each.release.tag for each, text in seen if _in_several_groups(each, text)]
            if not secret.isdisjoint(key):  # who belongs together is the same in all releases
                tags = () if sensitive in stated.reasons else held.series.tags
            found.append((have_in_common(rows, sensitive, key), tags))
        if found:
            return found
    return []


def have_in_common(rows: tuple[int, int], sensitive: str, columns: Iterable[str]) -> str:
    """Return how many rows of all that share their text of columns have the sensitive value of all others with it."""
    return say(
        '{count} of {all} rows that share their text of {columns} have the same "{sensitive}" as all others with it, '
        "as a household has one income",
        count=rows[0],
        all=rows[1],
        sensitive=printable(sensitive),
        columns=joined([f'"{printable(name)}"' for name in columns]),
    )


def _by_name(held: HeldSeries, texts: Texts, sensitive: str, harmful: Flags) -> Iterator[str]:
    """Yield that a column is about households by its name, though no column shows who belongs to one.

    Not if each row has a household of its own, or if all values are harmless.
    """
    columns = held.series.columns
    stated = columns.rules[Unlinkable]
    if not is_of_household(sensitive) or sensitive in stated.reasons or not harmful.any():
        return
    names = [*columns.quasi_identifiers, *stated.columns, *filter(None, [columns.record])]
    own = [texts(name) for name in names if is_of_household(name) and TOGETHER not in name]
    if not any(all(len(np.unique(text)) == len(text) for text in each) for each in own):
        yield say(
            'by its name, "{sensitive}" is the same for all people of a household, and no column was found that '
            "shows who belongs to one",
            sensitive=printable(sensitive),
        )


def _in_keys(held: HeldSeries) -> list[str]:
    """Return the columns of the key files that are about people, quasi-identifiers included."""
    manifest, found = held.series.manifest, dict[str, None]()
    for path in map(manifest.key_path, manifest.releases if held.series.keyed else ()):
        found |= dict.fromkeys((is_there(path) and header(path, manifest.shown(path), Problems())) or ())
    columns = manifest.columns
    return [name for name in found if name not in {*KEY_COLUMNS, *columns.named} - {*columns.quasi_identifiers}]


def _may_show(held: HeldSeries, column: str) -> bool:
    """Return whether exact texts of a column are in few rows each, and perhaps in several groups."""
    series, attribute = held.series, held.series.attributes.get(column)
    if attribute is None:
        return True
    exact = [[_is_exact(attribute, text) for text in series.texts_in(at, column)] for at in range(len(held))]
    few = any(sum(own) * _MEMBERS >= seen.release.rows for own, seen in zip(exact, held.seen, strict=True))
    return few and (series.columns.group is not None or not all(map(all, exact)))


def _together(one: Codes, other: Codes | None = None) -> Codes:
    """Return a number for the text, or for the two texts, of each row; UNKNOWN if one of them is."""
    if other is None:
        return one
    known = (one != UNKNOWN) & (other != UNKNOWN)
    both = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    return np.where(known, np.unique(both, return_inverse=True)[1], UNKNOWN).astype(np.int32)


def _texts(held: HeldSeries, column: str) -> list[Codes]:
    """Return the exact text of each row of each release, by the key if that has the column; UNKNOWN for others."""
    series, found = held.series, list[Codes]()
    private, named = column in _in_keys(held), series.manifest.columns.named
    attribute, missing = None if private else series.attributes.get(column), series.missing(column)
    for files, seen in zip(series.manifest.releases, held.seen, strict=True):
        own = np.full(seen.release.rows, UNKNOWN, dtype=np.int32)
        table = read_there(files.rows, files.shown, named if private else [column], series.adjustments(files.tag))
        place: Integers = np.arange(len(own))
        if private and table is not None:
            path, kept = series.manifest.key_path(files), table.kept
            place = np.append(place if kept is None else numbered(kept, table.in_file), UNKNOWN)
            shown = series.manifest.shown(path)
            table = read_table(path, shown, ["row", column], Problems()) if is_there(path) else None
            place = place if table is None else place[np.clip(table.whole_numbers("row"), -1, len(place) - 1)]
        if table is not None and table.rows == len(place):
            codes, names = text_codes(table.arrow(column))
            known = [
                text not in missing and bool(text.strip("*")) and (attribute is None or _is_exact(attribute, text))
                for text in names
            ]
            inside = place >= 0  # of a row that is ignored, the key may have a line
            own[place[inside]] = np.where(np.array(known, dtype=np.bool_)[codes], codes, UNKNOWN)[inside]
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
    file: SnapshotFile, individual: str, values: Mapping[str, Collection[str]]
) -> dict[str, dict[tuple[str, ...], tuple[int, int]]]:
    """Return the columns of a snapshot whose rows with one text share a value, by sensitive column: how many rows do.

    Two columns are taken together, as a street and a number, if no single one is found, and there are few.
    `values` are the sensitive columns, each with its harmless values.
    """
    others = {individual, *values, *filter(None, [file.by])}
    names = [name for name in header(file.path, file.shown, Problems()) or () if name not in others]
    if (table := file.read([*names, *values], Problems())) is None:
        return {}
    texts, found = dict[str, Codes](), dict[str, dict[tuple[str, ...], tuple[int, int]]]()
    for name in names:
        codes, words = text_codes(table.arrow(name))
        known = np.array([bool(word.strip("*")) for word in words], dtype=np.bool_)[codes]
        texts[name] = np.where(known, codes, UNKNOWN)
    for sensitive, harmless in values.items():
        value, words = text_codes(table.arrow(sensitive))
        harmful = np.array([text not in {"", *harmless} for text in words], dtype=np.bool_)
        few = [name for name in names if len(names) <= _FEW_COLUMNS and not _names_value(texts[name], value)]
        for keys in ([(name,) for name in names], [*combinations(few, 2)]):
            text_of = ((key, _together(*(texts[name] for name in key))) for key in keys)
            rows = {
                key: rows_that_share(text, value, harmful, tries=len(keys), least=_LEAST[len(key)])
                for key, text in text_of
            }
            found[sensitive] = {key: shared for key, shared in rows.items() if any(shared)}
            if found[sensitive]:
                break
    return found


def _names_value(text: Codes, value: Codes | None) -> bool:
    """Return whether hardly a text is that of several values, as where a column has the code of each value."""
    if value is None:
        return False
    known = (text != UNKNOWN) & (value != UNKNOWN)
    both = np.unique(_together(text[known], value[known]))
    return FEW_OF_ROWS * len(both) <= (FEW_OF_ROWS + 1) * len(np.unique(text[known]))


def rows_that_share(text: Codes, value: Codes, harmful: Flags, *, tries: int, least: float = 0.0) -> tuple[int, int]:
    """Return how many rows share a harmful value with all others of the same text, and how many share their text.

    Both are 0 if the texts in several rows do not have one value more often than by chance, and clearly so: beyond what
    chance gives, in one of four that have a harmful value at all. `tries` is how many columns, or pairs of columns, are
    looked at, and `least` how many of those texts have one value at least.
    """
    rows = np.flatnonzero((text != UNKNOWN) & (value != UNKNOWN))
    text, value = text[rows], value[rows]
    size, counts = np.bincount(text), np.bincount(value, minlength=len(harmful))
    of_text = np.unique(text.astype(np.int64) * len(harmful) + value) // len(harmful)
    several = (size > 1) & (np.bincount(text, weights=harmful[value], minlength=len(size)) > 0)
    one = several & (np.bincount(of_text, minlength=len(size)) == 1)
    few = int(size[several & (size <= _MEMBERS)].sum())
    if np.count_nonzero(one) <= FEW_TIES or size[one].mean() > _MEMBERS or _FEW * few < size[size > 1].sum():
        return 0, 0
    of_size = np.bincount(size[several])
    found, texts = np.count_nonzero(one) / of_size.sum(), int(of_size.sum())
    expected = sum(int(of_size[m]) * _by_chance(counts, harmful, m) for m in np.flatnonzero(of_size).tolist()) / texts
    by_chance = -texts * (_divergence(found, expected) + _divergence(1 - found, 1 - expected))
    if found < least or _CLEARLY * (found - expected) < 1 - expected or by_chance >= _BY_CHANCE - log(tries):
        return 0, 0
    return int(size[one].sum()), int(size[size > 1].sum())


def _divergence(share: float, expected: float) -> float:
    """Return a share's part of the relative entropy, which bounds how improbable a deviation from chance is."""
    return share * log(share / max(expected, 1e-300)) if share > 0 else 0.0


def _by_chance(counts: Integers, harmful: Flags, members: int) -> float:
    """Return the probability that rows drawn from all have one harmful value, if one of them at least has any."""

    def drawn(many: int) -> float:
        return exp(ways(many) - ways(int(counts.sum()))) if many >= members else 0.0

    def ways(rows: int) -> float:
        return lgamma(rows + 1) - lgamma(rows - members + 1)

    return sum(map(drawn, counts[harmful & (counts >= members)].tolist())) / (1 - drawn(int(counts[~harmful].sum())))


def _in_several_groups(seen: SeenRelease, text: Codes) -> bool:
    """Return whether rows of one exact text may be in several groups."""
    own = np.unique(np.stack([text, seen.pool.codes]), axis=1)[0]
    return bool((text == UNKNOWN).any()) or len(own) > len(np.unique(own))
