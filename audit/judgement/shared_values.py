"""Shared values: one sensitive value in all rows with one text of a column, such as the income of a household.

Attacks judge each person by the groups of that person's own rows. Who knows which people belong together also knows
that the value which they share is in the groups of all of them, as often as it has to be. What follows from that, for
them and for others of their groups, is not judged, so that nothing holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, filterfalse
from math import comb, exp, lgamma, log, perm
from typing import NamedTuple, TypeAlias

import numpy as np

from audit.adversary.held_series import HeldSeries, SeenRelease
from audit.clauses.registry import ON_VALUES
from audit.io.attributes import QuasiIdentifier
from audit.io.cells import CellError, Interval, ValueSet
from audit.io.likely_equal import shared_parts
from audit.io.manifest import KEY_COLUMNS
from audit.io.microdata import SnapshotFile
from audit.io.naming import is_of_household
from audit.io.paths import is_there
from audit.io.releases import own_values
from audit.io.roles import in_key
from audit.io.rules.rows_and_values import FEW_OF_ROWS, FEW_TIES, Harmless, Unlinkable
from audit.io.tables import TOGETHER, header, text_codes
from audit.io.toml import toml_key
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Flags, Integers
from audit.model.errors import Doubt, Problems
from audit.runtime.phrases import Phrase, Reason, ReasonKind, joined, printable, say

_MEMBERS = 20  # rows of one text, on average; more are those of a place or a kind of people, not of a household
_FEW = 10
"""If fewer than one row in so many has a text of few rows, no text is that of a household: most amounts are 0."""
_BY_CHANCE = log(0.01)  # of independent values, one in a thousand is asked about: other limits hold, too
_CLEARLY = 4  # fewer than one household in so many that shares its value hardly moves what is thought of the others
_BY_NAME = log(0.05), 8
"""The same two limits for a column whose name says that it is about households, and identifiers of which all share."""
_FEW_COLUMNS = 12  # of which two are taken together
_LEAST = (0.0, 0.0, 0.95)
"""The share of texts of so many columns that have one value: beside a fine column, one related to values shows many."""
_SHOWN = 6
_PARTS = {
    "first": Phrase("the first part of {column}"),
    "last": Phrase("the last part of {column}"),
    "but first": Phrase("{column} but for its first part"),
    "but last": Phrase("{column} but for its last part"),
}
_IDENTIFIERS = 20_000  # of the first people; if their identifiers show no households, those of others do not


class _Part(NamedTuple):
    """A part of the identifiers in a column, where it is in them, and whether the rest counts those that have it."""

    column: str
    place: str
    counted: bool

    def __str__(self) -> str:
        """Return it in words."""
        return _PARTS[self.place].filled(column=printable(self.column))


_Source: TypeAlias = str | _Part
Texts: TypeAlias = Callable[[_Source], list[Codes]]


def shared_value_doubts(held: HeldSeries, *, beside: bool) -> Iterator[Doubt]:
    """Yield doubts: people who belong together share their value, and their groups together may show it.

    They have a text of a column in common, published or in the key, or texts of two of which one is secret, or the
    name of the sensitive column says that it is about households. Not where each text of a quasi-identifier is in one
    group without others, which attacks judge. With `beside`, only where the last release shows it.
    """
    parts, tags = _parts_of_identifiers(held), held.series.tags
    texts: Texts = cache(lambda name: parts[name] if isinstance(name, _Part) else _texts(held, name))
    for sensitive in held.series.columns.sensitive:
        harmful = _harmful(held, sensitive)
        named = [(what, tags) for what in _by_name(held, texts, sensitive, harmful)]
        for what, where in _by_texts(held, texts, [*parts], sensitive, harmful) or named:
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


def _by_texts(
    held: HeldSeries, texts: Texts, parts: Sequence[_Part], sensitive: str, harmful: Flags
) -> list[tuple[str, Sequence[str]]]:
    """Return columns whose rows with one text have one value, in words, and the releases that may show it.

    Two columns are taken together if no single one is found.
    """
    columns = held.series.columns
    stated = columns.rules[Unlinkable]
    private = _in_keys(held)
    secret = {*stated.columns, *private, *parts}
    every = dict.fromkeys((*columns.quasi_identifiers, *stated.columns, *private))
    values, person = [own_values(each, sensitive, held.series.vocabularies) for each in held.keyed], _followed(held)
    ends = np.cumsum([seen.release.rows for seen in held.seen])[:-1]
    single: list[tuple[_Source, ...]] = [(name,) for name in every if name in private or _may_show(held, name)]
    single += [(part,) for part in parts]
    for several in (False, True) if secret else (False,):
        named = [name for name in every if several and not any(map(_names_value, texts(name), values))]
        keys = [*filterfalse(secret.isdisjoint, combinations(named, 2))] if several else single
        found = list[tuple[str, Sequence[str]]]()
        for key in keys:
            whole, words = _together(*(np.concatenate(texts(name)) for name in key)), [*map(str, key)]
            of_releases = zip(np.split(whole, ends), values, strict=True)
            drawn = [(text, value) for text, value in of_releases if value is not None]
            if len(drawn) == len(held) > 1:
                drawn += _of_people(person, whole, np.concatenate([value for _, value in drawn]))
            shared = (rows_that_share(*each, harmful, tries=len(keys), columns=key) for each in drawn)
            rows = max(shared, default=(0, 0))
            if not any(rows):
                continue
            those = (np.split(each, ends) for each in _who_shares(person, whole))
            tags = [
                each.release.tag
                for each, text, with_others in zip(held.seen, *those, strict=True)
                if with_others.any() and (not secret.isdisjoint(key) or _shows_together(each, text))
            ]
            is_stated = not secret.isdisjoint(key) and sensitive in stated.reasons
            some_harmless = sensitive in held.series.rules[Harmless].values
            what = have_in_common(rows, sensitive, words, some_harmless=some_harmless)
            found.append((what, () if is_stated else tags))
        if found:
            return found
    return []


def _followed(held: HeldSeries) -> Codes | None:
    """Return the person, or else the record, of each row of all releases; None if some release shows neither."""
    for several in ([each.person for each in held.keyed], [each.record for each in held.seen]):
        known = [each for each in several if each is not None]
        if len(known) == len(held):
            return np.concatenate(known)
    return None


def _of_people(person: Codes | None, text: Codes, value: Codes) -> Iterator[tuple[Codes, Codes]]:
    """Yield the text and the value of the first row of each person in all releases, if people are followed.

    So people of one household are compared who are never in one release together, or only a few in each.
    """
    if person is not None:
        rows = np.flatnonzero((person != NOBODY) & (text != UNKNOWN) & (value != UNKNOWN))
        first = rows[np.unique(person[rows], return_index=True)[1]]
        yield text[first], value[first]


def _who_shares(person: Codes | None, text: Codes) -> tuple[Codes, Flags]:
    """Return the text of each row, or else of another row of its person, and whether another person has it, too.

    Where people are not followed, a row whose text is not known may be that of any of them.
    """
    if person is None:
        return text, np.ones(len(text), dtype=np.bool_)
    of_person = np.full(int(person.max(initial=NOBODY)) + 2, UNKNOWN, dtype=np.int32)  # the last entry is for nobody
    known = np.flatnonzero((person != NOBODY) & (text != UNKNOWN))
    of_person[person[known]] = text[known]
    whole = np.where(text == UNKNOWN, of_person[person], text)
    who = np.where(person == NOBODY, NOBODY - 1 - np.arange(len(person)), person)
    pairs = np.unique(np.stack([whole, who]), axis=1)[0]
    people = np.bincount(pairs[pairs != UNKNOWN], minlength=int(whole.max(initial=0)) + 1)
    return whole, (whole != UNKNOWN) & (people[whole] > 1)


def have_in_common(rows: tuple[int, int], sensitive: str, columns: Iterable[str], *, some_harmless: bool) -> str:
    """Return how many rows of all that share their text of columns have the sensitive value of another with it."""
    what = say(
        '{count} of {all} rows that share their text of {columns} have the same "{sensitive}" as others with it, '
        "as a household has one income",
        count=rows[0],
        all=rows[1],
        sensitive=printable(sensitive),
        columns=joined([f'"{printable(name)}"' for name in columns]),
    )
    without = say("rows with harmless values are not among the {count}", count=rows[0])
    return f"{what} ({without})" if some_harmless else what


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


def _parts_of_identifiers(held: HeldSeries) -> dict[_Part, list[Codes]]:
    """Return parts of the identifiers of people, and of record ids: a number for the text of each row.

    UNKNOWN for rows without one. Not of record ids for which the manifest says why no outsider knows what they share.
    """
    columns, people = held.series.columns, np.flatnonzero(held.present())[:_IDENTIFIERS].astype(np.int32)
    found = dict[_Part, list[Codes]]()
    records = np.arange(min(held.names.size, _IDENTIFIERS), dtype=np.int32)
    named = [
        (columns.individual or KEY_COLUMNS[1], [each.person for each in held.keyed], people, held.series.people),
        (columns.record, [each.record for each in held.seen], records, held.names),
    ]
    for column, coded, codes, names in named:
        if column is None or column in columns.rules[Unlinkable].reasons or not len(codes):
            continue
        for what, texts in shared_parts(names.names(codes).to_pylist()).items():
            part = np.full(names.size + 1, UNKNOWN, dtype=np.int32)  # the last one is for nobody
            part[codes] = np.unique(texts, return_inverse=True)[1]
            unknown = (np.full(seen.release.rows, NOBODY, dtype=np.int32) for seen in held.seen)
            of_rows = [part[no if own is None else own] for own, no in zip(coded, unknown, strict=True)]
            found[_Part(column, *what)] = of_rows
    return found


def _may_show(held: HeldSeries, column: str) -> bool:
    """Return whether exact texts of a column are in few rows each."""
    series, attribute = held.series, held.series.attributes.get(column)
    if attribute is None:
        return True
    exact = (sum(_is_exact(attribute, text) for text in series.texts_in(at, column)) for at in range(len(held)))
    return any(many * _MEMBERS >= seen.release.rows for many, seen in zip(exact, held.seen, strict=True))


def _together(one: Codes, other: Codes | None = None) -> Codes:
    """Return a number for the text, or for the two texts, of each row; UNKNOWN if one of them is."""
    if other is None:
        return one
    known = (one != UNKNOWN) & (other != UNKNOWN)
    both = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    return np.where(known, np.unique(both, return_inverse=True)[1], UNKNOWN).astype(np.int32)


def _texts(held: HeldSeries, column: str) -> list[Codes]:
    """Return the exact text of each row of each release, by the key if that has the column; UNKNOWN for others."""
    series, found, numbers = held.series, list[Codes](), dict[str, int]()
    private, named = column in _in_keys(held), series.manifest.columns.named
    attribute, missing = None if private else series.attributes.get(column), series.missing(column)
    for files, seen in zip(series.manifest.releases, held.seen, strict=True):
        table = series.adjustments(files.tag).read_there(files.rows, files.shown, named if private else [column])
        coded = None
        if table is not None and table.rows == seen.release.rows:
            coded = in_key(series.manifest, files, table, column) if private else text_codes(table.arrow(column))
        codes, names = (np.full(seen.release.rows, UNKNOWN, dtype=np.int32), []) if coded is None else coded
        number = [
            UNKNOWN
            if text in missing or not text.strip("*") or not (attribute is None or _is_exact(attribute, text))
            else numbers.setdefault(text, len(numbers))
            for text in names
        ]
        found.append(np.array([*number, UNKNOWN], dtype=np.int32)[codes])
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
            rows = {key: rows_that_share(text, value, harmful, tries=len(keys), columns=key) for key, text in text_of}
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


def rows_that_share(
    text: Codes, value: Codes, harmful: Flags, *, tries: int, columns: Sequence[_Source] = ()
) -> tuple[int, int]:
    """Return how many rows share a harmful value with another of the same text, and how many share their text.

    Both are 0 if the texts in several rows do not have one value, or two rows of one value, more often than by chance,
    and clearly so: beyond what chance gives, in one of four that have a harmful value at all. `tries` is how many
    columns, or pairs of columns, are looked at. Of two `columns`, nearly all of those texts must have one value.
    """
    rows = np.flatnonzero((text != UNKNOWN) & (value != UNKNOWN))
    text, value = text[rows], value[rows]
    size, counts = np.bincount(text), np.bincount(value, minlength=len(harmful))
    both, times = np.unique(text.astype(np.int64) * len(harmful) + value, return_counts=True)
    of_text, alike = both // len(harmful), (times > 1) & harmful[both % len(harmful)]
    several = (size > 1) & (np.bincount(text, weights=harmful[value], minlength=len(size)) > 0)
    few = several & (size <= _MEMBERS)
    one = several & (np.bincount(of_text, minlength=len(size)) == 1)
    some = few & (np.bincount(of_text[alike], minlength=len(size)) > 0)
    if _FEW * size[few].sum() < size[size > 1].sum() or not (
        _is_clear(size, several, one, partial(_all_alike, counts, harmful), tries=tries, columns=columns)
        or (
            _LEAST[len(columns)] == 0
            and _is_clear(size, few, some, partial(_some_alike, counts, harmful), tries=tries, columns=columns)
        )
    ):
        return 0, 0
    return int(times[alike & (one | some)[of_text]].sum()), int(size[size > 1].sum())


def _is_clear(
    size: Integers,
    texts: Flags,
    found: Flags,
    alike: Callable[[], Callable[[int], float]],
    *,
    tries: int,
    columns: Sequence[_Source],
) -> bool:
    """Return whether what is found of some of the texts is clearly more than chance gives for so many rows."""
    many = int(np.count_nonzero(texts))
    if np.count_nonzero(found) <= min(FEW_TIES, max(1, many - 1)) or size[found].mean() > _MEMBERS:
        return False
    of_size, chance = np.bincount(size[texts]), alike()
    share = int(np.count_nonzero(found)) / many
    expected = sum(int(of_size[m]) * chance(m) for m in np.flatnonzero(of_size).tolist()) / many
    every = np.count_nonzero(found) == many
    named = any(is_of_household(name) if isinstance(name, str) else name.counted and every for name in columns)
    limit, clearly = _BY_NAME if named else (_BY_CHANCE - log(tries), _CLEARLY)
    by_chance = _chance_of(int(np.count_nonzero(found)), many, expected)
    return share >= _LEAST[len(columns)] and clearly * (share - expected) >= 1 - expected and by_chance < limit


def _chance_of(found: int, many: int, chance: float) -> float:
    """Return a bound of the logarithm of the probability that so many of all are found, or more, each by a chance."""
    # Each term of the sum is at most so many times the one before.
    falling = (many - found) * chance / ((found + 1) * max(1 - chance, 1e-300))
    if falling >= 1:
        return 0.0
    ways = lgamma(many + 1) - lgamma(found + 1) - lgamma(many - found + 1)
    of_others = (many - found) * log(max(1 - chance, 1e-300))
    return ways + found * log(max(chance, 1e-300)) + of_others - log(1 - falling)


def _all_alike(counts: Integers, harmful: Flags) -> Callable[[int], float]:
    """Return the probability that rows drawn from all have one harmful value, if one of them at least has any."""

    def by_chance(members: int) -> float:
        each = (_drawn(many, counts, members) for many in counts[harmful & (counts >= members)].tolist())
        return sum(each) / (1 - _drawn(int(counts[~harmful].sum()), counts, members))

    return by_chance


def _some_alike(counts: Integers, harmful: Flags) -> Callable[[int], float]:
    """Return the probability that two of few rows drawn from all have one harmful value, if one at least has any."""
    every, others = int(counts.sum()), int(counts[~harmful].sum())
    ways = np.eye(1, _MEMBERS + 1)[0]  # to draw so many rows of different harmful values, as a share of all orders
    for many, values in zip(*np.unique(counts[harmful], return_counts=True), strict=True):
        own = [comb(int(values), rows) * (int(many) / every) ** rows for rows in range(_MEMBERS + 1)]
        ways = np.convolve(ways, own)[: _MEMBERS + 1]

    def by_chance(members: int) -> float:
        orders = [
            perm(members, rows) * every**rows * perm(others, members - rows) / perm(every, members)
            for rows in range(members + 1)
        ]
        return (1 - float(ways[: members + 1] @ orders)) / (1 - _drawn(others, counts, members))

    return by_chance


def _drawn(many: int, counts: Integers, members: int) -> float:
    """Return the probability that rows drawn from all are among so many of them."""

    def ways(rows: int) -> float:
        return lgamma(rows + 1) - lgamma(rows - members + 1)

    return exp(ways(many) - ways(int(counts.sum()))) if many >= members else 0.0


def _shows_together(seen: SeenRelease, text: Codes) -> bool:
    """Return whether a group may have rows of several texts, or a text rows in several groups."""
    texts, groups = np.unique(np.stack([text, seen.pool.codes]), axis=1)
    return bool((texts == UNKNOWN).any()) or len(texts) > min(len(np.unique(texts)), len(np.unique(groups)))
