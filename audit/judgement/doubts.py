"""Doubts of an audit: data that was not read, not judged, or only guessed, on which its verdict depends."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain, combinations
from math import gcd, lcm
from typing import TypeAlias

import numpy as np

from audit.adversary.held_series import HeldSeries, record_of
from audit.adversary.known_groups import PossibleKinds
from audit.adversary.view import View
from audit.clauses.registry import ON_VALUES
from audit.io.background_knowledge import Register
from audit.io.cell_reading import infer_kind, is_range, list_sign, listed, number_in, unknown_among
from audit.io.cells import Kind, ValueSet
from audit.io.manifest import order_doubts
from audit.io.notations import fold, grows
from audit.io.releases import Release, own_values
from audit.io.roles import columns_without_role
from audit.io.rules.cell_meaning import Spelled
from audit.io.rules.rows_and_values import BY_CHANCE, FEW_OF_ROWS, FEW_TIES, Harmless, Unlinkable
from audit.io.rules.rule import ColumnRule
from audit.io.rules.spelling import Decimal
from audit.io.series import Series
from audit.io.toml import toml_key, toml_text
from audit.io.unread_cells import cells_of_other_length, other_words, place_of, spelled_otherwise, unread_cells
from audit.judgement.contained_rows import contained_row_doubts
from audit.judgement.shared_values import shared_value_doubts
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Integers, flagged, tally
from audit.model.errors import Doubt
from audit.model.evidence import Evidence, ValueCounts
from audit.model.measures import PEOPLE
from audit.model.report import MisreadWarning, ReportWarning
from audit.runtime.phrases import Reason, ReasonKind, in_quotes, joined, printable, say, say_count, typed

_COLUMNS_SHOWN = 6
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_MOST = 0.5  # of a release's rows, those that people of a register fit
_FEW_VALUES, _EXPECTED_ROWS = 12, 5  # so many values, or rows as another release has them, no release lacks by chance
_INDIVIDUAL = "columns.individual"
_OF_PEOPLE = (_INDIVIDUAL, *(f"adversary.{key}" for key in ("register", "presence", "transitions", "known")))
_RESTING = dict.fromkeys(_OF_PEOPLE, ON_VALUES)
"""The clauses that depend on a key of the manifest; all clauses depend on any other key."""


def gather_doubts(
    series: Series,
    *,
    register: bool = False,
    published: bool = False,
    reveal: bool = False,
    beside: bool = False,
) -> tuple[Doubt, ...]:
    """Return all doubts about an attacked series; each says what to declare or to correct.

    Args:
        series: the series.
        register: whether people were matched by their exact values, so that findings depend on what cells cover.
        published: whether only the files were known, so that each release was judged by itself.
        reveal: whether doubts quote texts of the files.
        beside: whether only what the last release adds to the others is judged.
    """
    unread = unread_cells(series, register=register, reveal=reveal)
    tying = (*_tying_values(series, beside=beside), *contained_row_doubts(series, beside=beside)) if published else ()
    rules = _rules_of_last(series) if beside and published and series.columns.record is None else series.rules
    declared = (doubt for rule in rules for doubt in rule.doubts(series))
    return (*_guessed(series), *_without_role(series), *tying, *_alike_ids(series, beside=beside), *declared, *unread)


def _rules_of_last(series: Series) -> Iterator[ColumnRule]:
    """Yield the rules without unlinkable columns that the last release lacks: they link no row of it to another."""
    files, headings = series.manifest.releases[-1], series.adjustments(series.tags[-1])
    stated = series.columns.rules[Unlinkable]
    there = {name for half in files.halves for name in headings.named_there(*half, stated.columns) or ()}
    left = replace(
        stated, reasons={name: stated.reasons[name] for name in stated.columns if name in there}, beside=True
    )
    yield from (left if isinstance(rule, Unlinkable) else rule for rule in series.rules)


def audit_doubts(
    views: Sequence[View], warnings: Iterable[ReportWarning], *, reveal: bool, beside: bool
) -> Iterator[Doubt]:
    """Yield all doubts about an audit that do not depend on what its attacks found; `beside` as in `gather_doubts`."""
    series, adversary = views[0].series, views[0].adversary
    register, people = adversary.has_register, adversary.knows_people
    followed = len(series.tags) > 1 and (people or series.columns.record is not None)
    found = gather_doubts(series, register=register, published=not people, reveal=reveal, beside=beside)
    yield from misread_doubts(warnings)
    for doubt in found:
        yield replace(doubt, guessed=True) if doubt.between and followed else doubt
    if views[0].held.register is not None:
        yield from other_words(series, views[0].held.register)
        yield from unfitting_doubts(views[0].held, views[0].held.register, reveal=reveal)
        for what in cells_of_other_length(series, views[0].held.register, reveal=reveal):
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES, guessed=True)
        yield from growing_doubts(series, views[0].held.register)
        if register:
            yield from unlisted_doubts(views[0].held, views[0].held.register)
        if views[0].possible_kinds is not None:
            yield from spelled_otherwise(series, views[0].held.register)
    yield from combination_doubts(series) if people else rounded_doubts(views[0].held, beside=beside)
    yield from stranger_doubts(views[0].held)
    yield from shared_value_doubts(views[0].held, beside=beside)
    if followed:
        yield from missing_doubts(series)
    yield from order_doubts(series.manifest, matters=series.manifest.transitions is not None)
    yield from record_doubts(views)
    yield from unknown_doubts(views)
    yield from dict.fromkeys(doubt for each in views for doubt in presence_doubts(each.possible_kinds, series.tags))
    if not series.manifest.values_change or (followed and series.manifest.any_transitions):
        yield from recoded_doubts(views[0])


def misread_doubts(warnings: Iterable[ReportWarning]) -> Iterator[Doubt]:
    """Yield a doubt for warnings by which values, people or rows may be counted wrongly."""
    for each in warnings:
        if isinstance(each, MisreadWarning):
            yield Doubt(
                Reason(each.text, ReasonKind.UNDECLARED), ON_VALUES if each.kind in ("spelling", "register") else None
            )


def record_doubts(evidence: Sequence[Evidence]) -> Iterator[Doubt]:
    """Yield doubts about record ids: what they may disclose about people and is not judged."""
    reason, last = evidence[0].unfollowed, evidence[-1]
    if reason is not None:
        what = say(
            "record ids link the rows of people, who were not followed by them: {reason}; publish the releases without "
            "record ids",
            reason=reason,
        )
        yield Doubt(Reason(what, reason.kind), ON_VALUES)
    if last.followed and last.kind != evidence[0].kind:
        what = say(
            "the keys do not list all rows, so one person may have several record ids, and equal values of people are "
            "not judged; list every row in a key, counterfeits with an empty individual"
        )
        yield Doubt(Reason(what, ReasonKind.UNFIT), frozenset({"min_e"}))


def presence_doubts(kinds: PossibleKinds | None, tags: Sequence[str]) -> Iterator[Doubt]:
    """Yield doubts: most people of a register of possible people are not covered, or some are not judged.

    Or most rows of one release fit none of them, although most of another do.
    """
    if kinds is None:
        return
    unfitting = [tag for tag, fit in zip(tags, kinds.fit, strict=True) if fit < _MOST]
    if 0 < len(unfitting) < len(tags):
        what = say(
            "most rows of {releases} fit nobody of the register, unlike those of other releases, so a cell may be "
            "misread: write cells in the same way in all releases",
            releases=joined(unfitting, _COLUMNS_SHOWN),
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)
    if 2 * kinds.uncovered > kinds.listed:
        what = say(
            "no release has a row that fits {count} of the {listed} of the register, so a cell may be misread: {why}",
            count=kinds.uncovered,
            listed=PEOPLE.counted(kinds.listed),
            why=kinds.why or "",
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)
    if kinds.unjudged:
        what = say_count(
            "{count} [person|people] of the register cannot be in all releases that cover [the person|them], as values "
            "change, and [is|are] not judged: say from when to when people may be there (`first` and `last`)",
            kinds.unjudged,
        )
        yield Doubt(Reason(what, ReasonKind.UNFIT), ON_VALUES)


def unfitting_doubts(held: HeldSeries, register: Register, *, reveal: bool) -> Iterator[Doubt]:
    """Yield a doubt for each column with one text that no person of the register has, unlike all others of a release.

    By chance, people of the register would have it too: it may stand for any value, as `Any` and `All` do.
    """
    for at, (name, attribute) in enumerate(held.series.attributes.items()):
        own, odd = {*register.values[at]}, dict[str, None]()
        plain = attribute.kind is Kind.CATEGORICAL and attribute.hierarchy is None and not attribute.spelled
        for position, seen in enumerate(held.seen if plain else ()):
            if seen.cells is None:
                continue
            rows = np.bincount(
                seen.cells[:, at], weights=np.bincount(seen.classes.row.codes, minlength=len(seen.cells))
            )
            cells = [(attribute.cells[number], rows[number]) for number in np.flatnonzero(rows).tolist()]
            texts = {
                min(cell.members): many for cell, many in cells if isinstance(cell, ValueSet) and len(cell.members) == 1
            }
            lacking = [text for text in texts if text not in own]
            expected = len(register.present(position)) / rows.sum()
            if len(lacking) == 1 < len(texts) - 1 and texts[lacking[0]] * expected >= _EXPECTED_ROWS:
                odd[lacking[0]] = None
        for text in odd:
            what = say(
                'nobody of the register has one text of "{column}" ({place}), unlike all others: if it may stand for '
                "any value, list it under missing; if it stands for the rest, the values without rows of their own, "
                "write their set, as {{a, b}}, in its place; if it is misspelled, "
                'write spelled = ["{column}"] under [columns]',
                column=printable(name),
                place=place_of(held.series, name, text, reveal=reveal),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES, guessed=True)


def growing_doubts(series: Series, register: Register) -> Iterator[Doubt]:
    """Yield a doubt: a register has one line for releases of several years, with columns that grow with time.

    Under [register], the manifest may say what they are called, and so that they are meant.
    """
    years = {tuple(_YEAR.findall(tag)) for tag in series.tags}
    listed = (name for at, name in enumerate(series.columns.quasi_identifiers) if at not in register.lacking)
    growing = [name for name in listed if grows(name) and name not in series.manifest.register_columns]
    if len(years) > 1 and growing and (register.first < np.minimum(register.last, len(series.tags) - 1)).any():
        line = f"{toml_key(printable(growing[0]))} = {toml_text(printable(growing[0]))}"
        what = say(
            "{file} has one line for releases of several years, and {columns}, which grows with time, is read as the "
            "same in all of them: write a line for each person and release (column release), or years of birth; if it "
            "stays the same, write {line} under [register]",
            file=printable(str(series.manifest.register)),
            columns=in_quotes(growing, _COLUMNS_SHOWN),
            line=line,
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def unlisted_doubts(held: HeldSeries, register: Register) -> Iterator[Doubt]:
    """Yield a doubt: a register has no line about releases that have rows of people, in which no person is judged."""
    unlisted = [
        seen.release.tag
        for position, seen in enumerate(held.seen)
        if seen.capacity.any() and not len(register.present(position))
    ]
    if unlisted:
        what = say_count(
            "no line of {file} is about [release|the releases] {tags}, so nobody is taken to be there: add a line for "
            "each person who is or may be in [it|them]",
            len(unlisted),
            file=printable(register.shown),
            tags=joined([*map(printable, unlisted)], _COLUMNS_SHOWN),
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def stranger_doubts(held: HeldSeries) -> Iterator[Doubt]:
    """Yield a doubt: rows of unknown people may be those of people of other releases, unless record ids link them."""
    if not held.adversary.knows_groups or (held.ids_link and not held.series.manifest.values_change):
        return
    unknown = [int(each.unknown.sum()) for each in held.keyed]
    if not any(unknown):
        return
    real = np.append(~held.series.people.is_counterfeit(), False)  # the last is for rows without a person
    there = [real & flagged([] if each.person is None else each.person, len(real)) for each in held.keyed]
    everyone, several = np.logical_or.reduce(there), np.count_nonzero(unknown) > 1
    tags = [
        release.tag
        for release, own, rows in zip(held.keyed, there, unknown, strict=True)
        if rows and (several or (everyone & ~own).any())
    ]
    if tags:
        what = say_count(
            "{count} [row has|rows have] no identifier and may belong to [a person of another release|people of other "
            "releases] ({releases}), so it is not known who is in which release: write an identifier for each row, one "
            "of its own for a person who is in no other release",
            sum(unknown),
            releases=joined([*map(printable, tags)], _COLUMNS_SHOWN),
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def combination_doubts(series: Series) -> Iterator[Doubt]:
    """Yield a doubt: values known beforehand prevent the judgement of combinations of several attributes."""
    if series.manifest.known is not None and len(series.manifest.columns.sensitive) > 1:
        what = say(
            "combinations of several sensitive attributes are not judged where values are known beforehand; audit "
            "without `known` as well"
        )
        yield Doubt(Reason(what, ReasonKind.UNFIT), ON_VALUES)


def _guessed(series: Series) -> Iterator[Doubt]:
    """Yield the guesses in the manifest, for each set of clauses that depends on them."""
    resting: dict[frozenset[str] | None, list[str]] = {}
    for key in series.manifest.unconfirmed:
        resting.setdefault(_RESTING.get(key), []).append(key)
    for clauses, keys in resting.items():
        yield Doubt(_to_confirm(keys), clauses, guessed=True)
    if _INDIVIDUAL in series.manifest.unconfirmed:  # if it was published, it links the rows of a record
        yield Doubt(_to_confirm([_INDIVIDUAL]), frozenset({"k"}))


def _to_confirm(keys: Sequence[str]) -> Reason:
    what = say_count(
        "{keys} [is a guess: check it|are guesses: check them] and delete [it|them] under [unconfirmed], or let "
        "`{command}` ask",
        len(keys),
        command=typed("audit init SERIES --confirm"),
        keys=joined([printable(key) for key in keys], _COLUMNS_SHOWN),
    )
    return Reason(what, ReasonKind.UNCONFIRMED)


def _without_role(series: Series) -> Iterator[Doubt]:
    """Yield doubts about published columns that are not judged, because the manifest gives them no role."""
    found = columns_without_role(series.manifest)
    if "" in found:
        what = say("a published column has no name, and so no role: name it in the header")
        yield Doubt(Reason(what, ReasonKind.UNDECLARED))
    columns = [name for name in found if name]
    if columns:
        what = say_count(
            "[the published column {columns} has|{count} published columns have] no role: [name it|{columns}; name "
            'each] under quasi_identifiers, or write unlinkable = {{ {first} = "…" }} with the reason why no outsider '
            "can know it",
            len(columns),
            columns=in_quotes(columns, _COLUMNS_SHOWN),
            first=toml_key(printable(columns[0])),
        )
        yield Doubt(Reason(what, ReasonKind.UNCONFIRMED))


def missing_doubts(series: Series) -> Iterator[Doubt]:
    """Yield a doubt: a missing value is judged as a separate value, but may be any value in other releases."""
    for column in series.columns.sensitive if not series.manifest.values_change else ():
        if not series.missing(column).isdisjoint(series.vocabularies[column].names):
            what = say(
                'a missing value of "{column}" may be any value in other releases, but is judged as one that never '
                "changes: publish the value, leave the group out, or say by transitions what it may become",
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNFIT), ON_VALUES, guessed=True)


def unknown_doubts(views: Sequence[View]) -> Iterator[Doubt]:
    """Yield doubts about attributes of which a group has one value without unknown ones, or one in all its lists.

    A person's groups together may have one value without unknown ones, too.
    """
    held, series = views[0].held, views[0].series
    evidence = {view.sensitive: view for view in views if view.adversary.knows_people}

    def followed(column: str) -> Iterator[Iterator[_Owned]]:
        if column in evidence:
            yield _of_people(evidence[column])
        if held.records:
            yield _of_records(held, column)

    for column in series.columns.sensitive:
        names, rules = series.vocabularies[column].names, series.columns.rules
        if column in rules[Spelled].columns:
            continue
        declared = {*series.missing(column), *series.rules[Harmless].values.get(column, ())}
        texts = [text for text in unknown_among(names, of_numbers=True) if text not in declared]
        unknown = np.isin(names, texts)
        if texts and (
            any(_diverse_by(each.release, column, unknown) for each in held.seen)
            or (not series.manifest.values_change and any(_one_in_common(it, unknown) for it in followed(column)))
        ):
            what = say(
                '"{column}" has texts that may say that a value is not known ({texts}), and a group, or the groups of '
                "one person, have only one value in common without them: leave such groups out, write the texts under "
                "harmless if they may become known of anybody, or, if they are values of their own, write spelled = "
                '["{column}"] under [columns]',
                column=printable(column),
                texts=in_quotes(texts, _COLUMNS_SHOWN),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)
        parts = _values_in(names, rules[Decimal].commas(series.columns, column, names))
        if any(len(own) > 1 for own in parts) and any(_share(each.release, column, parts) for each in held.seen):
            what = say(
                '"{column}" has texts that may be lists of values, and all texts of a group have one value in common: '
                'leave such groups out, or, if each text is one value, write spelled = ["{column}"] under [columns]',
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def _values_in(names: Sequence[str], decimals: Container[str]) -> list[list[str]]:
    """Return each text itself, folded, and the values that it may list; behind a comma, only those that stand alone."""
    alone = {fold(name) for name in names}
    values = {name: [] if name in decimals or is_range(name) else [*map(fold, listed(name))] for name in names}
    return [[fold(name), *(part for part in values[name] if part in alone or list_sign(name) != ",")] for name in names]


def _share(release: Release, column: str, parts: Sequence[Collection[str]]) -> bool:
    """Return whether the texts of a group differ, but have a part in common."""
    groups: dict[int, set[int]] = defaultdict(set)
    for pair in np.unique(release.entry_group * np.int64(len(parts)) + release.entry_value[column]).tolist():
        groups[pair // len(parts)].add(pair % len(parts))
    return any(len(values) > 1 and set.intersection(*({*parts[at]} for at in values)) for values in groups.values())


def _diverse_by(release: Release, column: str, unknown: Flags) -> bool:
    """Return whether a group has unknown values and, without them, only one."""
    value, group = release.entry_value[column], release.entry_group
    known = ~unknown[value]
    pairs = np.unique(group[known] * np.int64(len(unknown)) + value[known])
    values = np.bincount(pairs // len(unknown), minlength=release.group.size)
    return bool((values[group[~known]] == 1).any())


_Owned: TypeAlias = tuple[int, Codes, Codes, ValueCounts]
"""One more than the largest person or record so far, those of a release, the pool of each, and the pools' values."""


def _of_people(evidence: Evidence) -> Iterator[_Owned]:
    for pools in evidence.stream():
        yield pools.people, pools.person, pools.pool, pools.entries()


def _of_records(held: HeldSeries, column: str) -> Iterator[_Owned]:
    for seen in held.seen:
        yield held.names.size, record_of(seen), seen.pool.codes, seen.entries(column)


def _one_in_common(releases: Iterable[_Owned], unknown: Flags) -> bool:
    """Return whether all groups of a person or a record have unknown values and, without them, one in common."""
    common = dict[frozenset[int] | None, int]({None: 0})  # the sets of values by number: first all, then those found
    state = np.zeros(0, dtype=np.int64)  # the number of each person's set; UNKNOWN after a group without unknown values
    for size, owner, pools, entries in releases:
        state = np.append(state, np.zeros(size - len(state), dtype=np.int64))
        values, sets = defaultdict[int, set[int]](set), [*common]
        for pool, value in zip(*(part.tolist() for part in entries[:2]), strict=True):
            values[pool].add(value)
        several = int(pools.max(initial=0)) + 1
        pairs, place = np.unique(state[owner] * several + pools, return_inverse=True)
        follows = [UNKNOWN] * len(pairs)
        for at, (number, pool) in enumerate(divmod(pair, several) for pair in pairs.tolist()):
            known, before = {each for each in values[pool] if not unknown[each]}, sets[number] if number >= 0 else ()
            if number >= 0 and len(known) < len(values[pool]):
                left = frozenset(known if before is None else known & {*before})
                follows[at] = common.setdefault(left, len(common))
        state[owner] = np.array(follows, dtype=np.int64)[place]
    sets = [*common]
    return any(len(sets[number] or ()) == 1 for number in np.unique(state[state > 0]).tolist())


def recoded_doubts(view: View) -> Iterator[Doubt]:
    """Yield a doubt for each attribute of which two releases have a value each that the other lacks.

    If values never change, no person with such a value is in both, unless it is one value in two notations. Among many
    values, some are rare: then only those count that are too common in one release to be absent from the other. If any
    value may become any other, only releases without a common value count: each value would have changed. Where it is
    known who is there, people who are in both releases have to have values that one of them lacks. In the
    key, nearly all people with a value that never comes again have one then that was never there before.
    """
    held, series, change = view.held, view.series, view.series.manifest.any_transitions
    both, by_key = dict[tuple[int, int], int](), view.adversary.knows_groups and not change
    if view.adversary.knows_presence and not change:
        there = [view.source.present(at) for at in range(len(held))]
        both = {
            (one, other): len(np.intersect1d(there[one], there[other]))
            for one, other in combinations(range(len(held)), 2)
        }
    for column in series.columns.sensitive:
        texts, missing = series.vocabularies[column].names, series.missing(column)
        if column in series.rules[Spelled].columns or infer_kind(texts, missing) is Kind.NUMERIC:
            continue
        names, spelled = np.unique([fold(text) for text in texts], return_inverse=True)  # of others is asked elsewhere
        known = np.bincount(spelled, weights=[text not in missing for text in texts], minlength=len(names)) > 0
        every = [
            np.bincount(spelled, tally(each.release.entry_value[column], len(texts), each.release.entry_count))
            for each in held.seen
        ]
        rows, blank = [each * known for each in every], [int(each[~known].sum()) for each in every]
        found = [
            (at, then, [*np.flatnonzero((one > 0) != (other > 0))])
            for (at, one), (then, other) in (() if by_key else combinations(enumerate(rows), 2))
            if (
                _kept(one, other) + blank[at] + blank[then] < both[at, then]
                if both
                else _lacks(one, other) and _lacks(other, one) and not (change and (one * other).any())
            )
        ]
        if first := next(chain(found, _replaced(held, column, spelled, rows)), None):
            at, then, values = first
            what = say(
                'releases {one} and {other} have different values in "{column}" ({values}): if they are one value in '
                "two notations, list them in crosswalk.csv (columns release,from,to), and write {example} under "
                '[columns]; else write spelled = ["{column}"]',
                one=printable(series.tags[at]),
                other=printable(series.tags[then]),
                column=printable(column),
                values=in_quotes(
                    [next(text for text, name in zip(texts, spelled, strict=True) if name == each) for each in values],
                    _COLUMNS_SHOWN,
                ),
                example=f'crosswalk = {{ {toml_key(column)} = "crosswalk.csv" }}',
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES, guessed=True)


_Replaced: TypeAlias = tuple[int, int, list[int]]
"""Two releases, and values that one of them lacks."""


def _replaced(held: HeldSeries, column: str, spelled: Integers, rows: Sequence[Counts]) -> Iterator[_Replaced]:
    """Yield a new value that takes the place of one that goes for good, for nearly all people who have it."""
    values = [own_values(each, column, held.series.vocabularies) for each in held.keyed]
    found = list[Codes]()
    for each, value in zip(held.keyed, values, strict=True):
        if each.person is None or value is None:
            return
        found.append(np.full(held.series.people.size + 1, UNKNOWN, dtype=np.int32))  # the last one is for nobody
        found[-1][each.person] = np.append(spelled, UNKNOWN)[value]
        found[-1][-1] = UNKNOWN
    for at in range(1, len(rows)):
        gone = (rows[at - 1] > 0) & (sum(rows[at:]) == 0)
        new = (rows[at] > 0) & (sum(rows[:at]) == 0)
        moved = (found[at - 1] != UNKNOWN) & (found[at] != UNKNOWN)
        moved[moved] = gone[found[at - 1][moved]]
        for value in np.unique(found[at - 1][moved]).tolist():
            after = np.bincount(found[at][moved & (found[at - 1] == value)], minlength=len(new)) * new
            every = np.count_nonzero(moved & (found[at - 1] == value))
            if every > FEW_TIES and after.max() * FEW_OF_ROWS >= every * (FEW_OF_ROWS - 1):
                yield at - 1, at, [value, int(after.argmax())]


def _kept(rows: Counts, other: Counts) -> int:
    """Return how many people at most have one value in two releases, given the numbers of rows of each value."""
    return int(min(rows[other > 0].sum(), other[rows > 0].sum()))


def _lacks(rows: Counts, other: Counts) -> bool:
    """Return whether a release lacks values of another one, given the numbers of rows of each value."""
    most, few = int(other[rows == 0].max(initial=0)), np.count_nonzero(rows + other) <= _FEW_VALUES
    return most > 0 and bool(few or most * int(rows.sum()) >= _EXPECTED_ROWS * int(other.sum()))


def _tying_values(series: Series, *, beside: bool) -> Iterator[Doubt]:
    """Yield a doubt: unique sensitive values link rows of several releases, which no record id links.

    With `beside`, one of these releases is the last one.
    """
    for column in series.columns.sensitive if len(series.tags) > 1 else ():
        tied, rows = series.tied_texts([[(column,)]], last=beside)[0]
        if tied > max(FEW_TIES, rows // FEW_OF_ROWS):
            what = say_count(
                '{count} [value|values] of "{column}" [occurs|occur] once in each of two releases, and so [links|link] '
                "their rows, which were judged each by itself: publish coarser values, or let the series say whose "
                "rows they are ([columns] individual, or record if all releases have the same ids)",
                tied,
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))


def _alike_ids(series: Series, *, beside: bool) -> Iterator[Doubt]:
    """Yield a doubt: parts of record ids show which rows belong together, which is not judged.

    With `beside`, the release is the last one.
    """
    record = str(series.columns.record)
    if record not in series.columns.rules[Unlinkable].reasons and (many := series.alike_ids(last=beside)):
        what = say(
            '{count} record ids of "{column}" are alike but for a number behind them, as those of a household or of '
            "one person's cases are, and so show which rows belong together: publish ids without the "
            "common part; if such ids are published already, and no outsider knows who belongs together, write "
            "{example} under [columns] with the reason",
            count=many,
            column=printable(record),
            example=f'unlinkable = {{ {toml_key(record)} = "…" }}',
        )
        yield Doubt(Reason(what, ReasonKind.UNDECLARED))


def rounded_doubts(held: HeldSeries, *, beside: bool) -> Iterator[Doubt]:
    """Yield a doubt: unique numbers link rows to those of a release in which they are rounded.

    With `beside`, one of these releases is the last one.
    """
    for column in held.series.columns.sensitive:
        most, rows_of = 0, cache(partial(_unlinked_numbers, held, column))
        for one, other in combinations(range(len(held)), 2):
            if not beside or other == len(held) - 1:
                rows = [rows_of(*(pair if held.records else pair[:1])) for pair in ((one, other), (other, one))]
                tied = max(_tied_rounded(*rows), _tied_rounded(*reversed(rows)))
                if tied > max(most, FEW_TIES, min(each.total() for each in rows) // BY_CHANCE):
                    most = tied
        if most:
            what = say(
                '{count} numbers of "{column}" occur once in a release and, rounded, once in another one, and so link '
                "their rows, which were judged each by itself: publish coarser values, or let the series say whose "
                "rows they are ([columns] individual, or record if all releases have the same ids)",
                count=most,
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))


def _unlinked_numbers(held: HeldSeries, column: str, at: int, other: int | None = None) -> Counter[Fraction]:
    """Return how many rows of a release have each number; only rows that no record id links to another one."""
    names, missing = held.series.vocabularies[column].names, held.series.missing(column)
    release, values = held.seen[at].release, held.seen[at].release.entry_value[column]
    weights = np.ones(len(values), dtype=np.int64) if release.entry_count is None else release.entry_count
    if other is not None:
        linked = np.isin(record_of(held.seen[at]), record_of(held.seen[other]))
        weights = weights * (~linked if release.values_by_row else not linked.any())
    found = Counter[Fraction]()
    for name, many in zip(names, tally(values, len(names), weights).tolist(), strict=True):
        if many and (value := number_in(name, missing)) is not None:
            found[value] += many
    return found


def _tied_rounded(exact: Counter[Fraction], rounded: Counter[Fraction]) -> int:
    """Return how many numbers occur once in each of two releases once the first is rounded like the second."""
    fine, unit = _unit(exact), _unit(rounded)
    if not fine < unit:
        return 0
    coarse = Counter[Fraction]()
    for value, many in exact.items():
        coarse[round(value / unit) * unit] += many
    return sum(coarse[value] == many == 1 for value, many in rounded.items())


def _unit(numbers: Collection[Fraction]) -> Fraction:
    """Return the largest number of which all are multiples; 0 without numbers."""
    denominator = lcm(*(each.denominator for each in numbers))
    return Fraction(gcd(*(int(each * denominator) for each in numbers)), denominator)
