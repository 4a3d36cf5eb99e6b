"""View: evidence of a series, with data that only the naming, checking and scoring of findings may use.

It is built for the adversary that a series permits, from what that adversary sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from audit.adversary import coverage
from audit.adversary.followed_people import (
    FollowedPeople,
    FollowedRecords,
    RecordContents,
    RowContents,
    UnfollowedError,
    follow,
)
from audit.adversary.held_series import CombinedVocabulary, HeldSeries, begin_reading
from audit.adversary.known_groups import (
    KnownGroups,
    PossibleKinds,
    PossiblePeopleFinder,
    RegisteredPeople,
    homes_of,
    lines_of,
    real_people,
    why_uncovered,
)
from audit.io import manifest as manifests
from audit.io.background_knowledge import (
    Known,
    Register,
    check_listed,
    check_size,
    read_known,
    read_register,
    read_transitions,
)
from audit.io.paths import is_there
from audit.io.releases import KeyedRelease, own_values
from audit.io.rules.cell_meaning import Changing, ColumnTypes
from audit.io.rules.rows_and_values import EPISODES, SeveralRows, Similar
from audit.io.series import Series
from audit.io.unread_cells import cells_of_other_length, check_register_texts
from audit.model.adversary import ADVERSARIES, REGISTER, AdversaryKind
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Flags
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.evidence import CandidatePools, CombinedName, Evidence, PairProduct, Table, Transitions, ValueCounts
from audit.runtime.budget import Budget
from audit.runtime.outside_code import is_own
from audit.runtime.phrases import Reason, ReasonKind, joined, printable, say, say_count


@dataclass(frozen=True)
class Key:
    """The true values of people.

    Attributes:
        rows: by release, distinct people, -1 for none, and the true value of each, -1 if unknown; None if the release
            has no key.
        pooled: the people of the pools of each release.
        size: one more than the largest code of people.
    """

    rows: Sequence[tuple[Codes, Codes] | None]
    pooled: Sequence[Codes]
    size: int

    def of(self, release: int, people: Codes) -> Codes | None:
        """Return the true values of some people in a release, -1 if unknown; None without a key."""
        rows = self.rows[release]
        if rows is None:
            return None
        own = np.full(self.size + 1, UNKNOWN, dtype=np.int32)
        own[rows[0]] = rows[1]
        own[NOBODY] = UNKNOWN
        return own[people]

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people in a release's pools, -1 if unknown; None without a key."""
        return self.of(release, self.pooled[release])

    def of_people(self) -> Codes | None:
        """Return the first true value of all people, -1 if unknown; shape (people,), int32; None without a key."""
        return self._first[0]

    def changed(self) -> Flags:
        """Return which people have a value that changes later; shape (people,), bool, by person code."""
        return self._first[1]

    @cached_property
    def _first(self) -> tuple[Codes | None, Flags]:
        first, changed, recorded = np.full(self.size, UNKNOWN, np.int32), np.zeros(self.size, np.bool_), False
        for release, person in enumerate(self.pooled):
            values = self.of_versions(release)
            if values is not None:
                recorded, before = True, first[person]
                rows = np.flatnonzero(values != before)
                who, now, new = person[rows], values[rows], before[rows] == UNKNOWN
                first[who[new]] = now[new]
                changed[who] |= ~new & (now != UNKNOWN)
        return first if recorded else None, changed


def key_of(held: HeldSeries, people: KnownGroups) -> Key:
    """Return the true values of an attribute."""
    rows, name = list[tuple[Codes, Codes] | None](), people.sensitive
    for keyed, read in zip(held.keyed, held.seen, strict=True):
        by_row = keyed.values_by_row
        values = read.release.entry_value[name] if by_row else own_values(keyed, name, held.series.vocabularies)
        rows.append(None if keyed.person is None or values is None else (keyed.person, values))
    return Key(rows, [each.person for each in people.pooled], len(people.individual))


@dataclass(frozen=True)
class View(Evidence):
    """A series as one adversary sees it, together with the series itself and the publisher's key.

    Attributes:
        source: the evidence about people.
        records: the rows of records; None if no published id links them.
        combined: the combinations of values; None if the values are those of one attribute.
        held: the series.
        key: the true values of people.
        beforehand: the values known beforehand; None if there are none.
        possible_kinds: the kinds of people who may be in the data; None if presence is known.
    """

    source: KnownGroups
    records: FollowedRecords | None = None
    combined: CombinedVocabulary | None = None
    held: HeldSeries = field(kw_only=True)
    key: Key = field(kw_only=True)
    beforehand: Known | None = None
    possible_kinds: PossibleKinds | None = None

    @property
    def series(self) -> Series:
        """The series."""
        return self.held.series

    def name(self, person: int) -> str:
        """Return the identifier of a person."""
        return self.series.people.name(person)

    def count_people(self, flags: Flags) -> int:
        """Return the number of people with some codes; of those who may be in the data, all who look alike."""
        return super().count_people(flags) if self.possible_kinds is None else self.possible_kinds.count(flags)

    @property
    def register(self) -> Register | None:
        """The people of each release; if presence is unknown, the people who represent their kinds."""
        kinds = self.possible_kinds
        return self.held.register if kinds is None else kinds.register

    @property
    def followed_people(self) -> FollowedPeople | None:
        """The evidence about people followed by record ids; None if they are not followed."""
        return self.source if isinstance(self.source, FollowedPeople) else None


def handed(seen: Evidence, attack: object = None) -> Evidence:
    """Return the input of an attack: only evidence, and a world if an attack of this program asks for one.

    An attack of another package could read people's values from such a world.
    """
    evidence = Evidence(**{each.name: getattr(seen, each.name) for each in fields(Evidence)})
    if not (isinstance(seen, View) and is_own(attack) and getattr(attack, "asks_worlds", False)):
        return evidence
    groups = map(seen.source.candidate_groups, range(len(seen.tags) if seen.source.pooled else 0))
    world = [seen.key.of(at, each.person) for at, each in enumerate(groups)]
    return replace(evidence, world=tuple(each for each in world if each is not None))


# -- building ---------------------------------------------------------------------------------------------------------


def build_evidence(
    series: Series,
    adversary: AdversaryKind | None = None,
    *,
    records: bool = False,
    follow: bool = False,
    watched: Budget | None = None,
) -> tuple[View, ...]:
    """Return what an adversary sees of a series: one view for each sensitive attribute, and one of all together.

    The last view is about combinations of values, if there are several attributes and no value is known beforehand.
    With `follow`, if people are known and record ids link rows, there is one more view, in which rows are followed by
    these ids. If that is impossible, the first view holds the reason.

    Without `adversary`, the worst case that the series permits is assumed: `linked`, then `register`, then `pseudonym`,
    then `published`. All releases are read; record ids and their cells only with `records`. `watched` is called with
    the number of releases read.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: the register, the transitions or the known values cannot be read or contradict the series.
    """
    kind = choose(series, adversary)
    follow = follow and ADVERSARIES[kind].knows_people and _has_records(series)
    transitions = {name: _transitions(series, name) for name in series.columns.sensitive}
    records = (records or follow) and _has_records(series)
    readings = begin_reading(series, ADVERSARIES[kind], records=records, watched=watched or Budget())
    register = None
    if ADVERSARIES[kind].has_register or (_are_episodes(series) and series.manifest.register is not None):
        register = read_register(series)
        check_register_texts(series, register)
    register = register if ADVERSARIES[kind].has_register else None
    held = HeldSeries(series, kind, register, readings, records=records)
    follow = follow and held.ids_link
    for name, steps in transitions.items():
        if steps is None:
            continue
        if held.adversary.knows_groups and series.manifest.transitions:
            _check_changes(held, name, steps)
        for read in held.seen:
            check_listed(series, read.release, name, steps.listed)
    unknown = None if held.adversary.knows_presence else register
    possible = {} if unknown is None else _possible(held, unknown, transitions)
    each = tuple(_evidence(held, name, transitions[name], possible.get(name)) for name in series.columns.sensitive)
    every = each if held.combined is None else (*each, _combined(held, held.combined, each, possible))
    if possible and follow:
        reason = say("nobody is known to be in the data")
        return (replace(every[0], unfollowed=Reason(reason, ReasonKind.UNFIT)), *every[1:])
    if not follow:
        return every
    try:
        return (*every, _followed(each))
    except UnfollowedError as error:
        return (replace(every[0], unfollowed=error.reason), *every[1:])


def _possible(
    held: HeldSeries, register: Register, transitions: Mapping[str, Transitions | None]
) -> dict[str, PossibleKinds]:
    """Return the kinds of people who may be in the data, for each attribute and for their combinations.

    All of them are numbered before any evidence about people is built.
    """
    finder = PossiblePeopleFinder(held, register, _space(held, register))
    changing = {name: None if each is None or each.constant else each for name, each in transitions.items()}
    whole = None
    if held.combined is not None:
        several, whole = list(changing.values()), held.combined.name
        changing[whole] = _together(held.series, several, held.combined.parts()) if any(several) else None
    constant = whole is not None and changing[whole] is None
    return {name: finder.find(name, each, whole if whole and constant else name) for name, each in changing.items()}


_FEW_PEOPLE = 3


def _check_changes(held: HeldSeries, sensitive: str, transitions: Transitions) -> None:
    """Refuse transitions without a pair that the keys show, before any attack.

    Raises:
        InputError: pairs are missing; each is named with its first place and its number of occurrences.
    """
    names, last = held.series.vocabularies[sensitive].names, np.full(held.series.people.size, UNKNOWN, dtype=np.int64)
    found: dict[tuple[int, int], tuple[str, int]] = {}
    real, size = ~held.series.people.is_counterfeit(), len(transitions.listed)
    unlisted = np.zeros((max(len(names), size),) * 2, dtype=np.bool_)
    unlisted[:size] = transitions.listed[:, np.newaxis]  # the reader of rows reports values without any line
    unlisted[:size, :size] &= transitions.weight == 0
    for keyed in held.keyed:
        if keyed.person is None or not keyed.values_by_row:
            continue
        rows = np.flatnonzero((keyed.person != NOBODY) & np.append(real, False)[keyed.person])
        who, now = keyed.person[rows], keyed.entry_value[sensitive][rows]
        before, last[who] = last[who], now
        wrong = np.flatnonzero((before != UNKNOWN) & unlisted[before, now])
        pairs, times = np.unique(np.stack([before, now])[:, wrong], axis=1, return_counts=True)
        for (old, new), many in zip(pairs.T.tolist(), times.tolist(), strict=True):
            tag, so_far = found.get((old, new), (keyed.tag, 0))
            found[old, new] = tag, so_far + many
    if found:
        shown = [
            say_count(
                "{old} -> {new} ({count} [time|times], first in release {tag})",
                times,
                old=names[old],
                new=names[new],
                tag=tag,
            )
            for (old, new), (tag, times) in found.items()
        ]
        what = say("changes that the key shows are not listed: {changes}", changes=joined([*map(printable, shown)]))
        remedy = say(
            "add a line for each, also to the file that [updates] of microdata.toml names if `audit anonymize` "
            'publishes the series, or write transitions = "any" where any value may follow any'
        )
        if any(times < _FEW_PEOPLE for _, times in found.values()):
            remedy += say(". Such a file is published: a change that fewer than 3 people made shows what they did")
        raise InputError([Problem(str(held.series.manifest.transitions), what, remedy, column="from")])


def _transitions(series: Series, sensitive: str) -> Transitions | None:
    """Return the transitions of an attribute; their values get codes before the releases are read."""
    changes = series.manifest.values_change
    return read_transitions(series, sensitive, series.vocabularies[sensitive]) if changes else None


def choose(series: Series, adversary: AdversaryKind | None) -> AdversaryKind:
    """Return the adversary to assume, given the requested one.

    Raises:
        UsageError: the series lacks what the adversary needs.
        InputError: some releases have a key and some have none.
    """
    episodes = _are_episodes(series)
    offered = {None} if episodes and adversary is None else series.offers
    allowed = (each for each in ADVERSARIES.values() if each.requires in offered)
    chosen = next(allowed) if adversary is None else ADVERSARIES[adversary]
    if episodes and chosen.requires is not None:
        what = say('rows = "episodes" does not say whose row is whose')
        raise UsageError.say(
            "{file}: {what}, which the adversary `{adversary}` needs; leave --adversary out",
            file=manifests.NAME,
            what=what,
            adversary=chosen.name,
        )
    if chosen.requires not in offered:
        what = say("the adversary `{adversary}` needs {needs}", adversary=chosen.name, needs=chosen.needs)
        raise UsageError.say("{file}: {what}; add it or choose another", file=manifests.NAME, what=what)
    if chosen.requires == "key":
        series.check_keys()
    return chosen.name


def _are_episodes(series: Series) -> bool:
    """Return whether each row is judged by itself; a register is then read only to say what is wrong in it."""
    return series.columns.rules[SeveralRows].choice == EPISODES


def _has_records(series: Series) -> bool:
    """Return whether published ids link the rows of a record."""
    return series.manifest.columns.record is not None and not _are_episodes(series)


def _evidence(
    held: HeldSeries, sensitive: str, transitions: Transitions | None, possible: PossibleKinds | None
) -> View:
    series, kind = held.series, held.adversary.name
    names = series.vocabularies[sensitive].names
    if transitions is not None and transitions.constant:
        transitions = None
    people = people_of(held, sensitive, len(names), constant=transitions is None, possible=possible)
    beforehand = None
    if series.manifest.known is not None and ADVERSARIES[kind].knows_people:
        beforehand = known_beforehand(people, held)
    people = with_pools(people, held, beforehand)
    numbers = series.columns.rules[ColumnTypes].numbers(series, sensitive, series.manifest.widths.get(sensitive))
    contents = list(_contents(series))
    return View(
        kind=kind,
        sensitive=sensitive,
        tags=series.tags,
        transitions=transitions,
        known=0 if beforehand is None else len(np.unique(beforehand.person)),
        rows=series.about_rows,
        pooled=people.pooled,
        source=people,
        values=names,
        records=FollowedRecords(contents, held.seen, held.names.size) if _has_records(series) else None,
        published=None if knows_all_rows(held) else people,
        rows_of=RowContents(contents, held.seen, sensitive),
        growing=series.manifest.growing,
        held=held,
        key=key_of(held, people),
        beforehand=beforehand,
        possible_kinds=possible,
        numbers={} if numbers is None else {sensitive: numbers},
        categories=series.rules[Similar].published(sensitive, names),
    )


def _contents(series: Series) -> Iterator[RecordContents]:
    """Yield the quasi-identifiers as an adversary may know them of a record: those that change, for each release."""
    for name in series.columns.quasi_identifiers:
        changes = name in series.columns.rules[Changing].columns
        releases: Iterable[tuple[int | None, str]] = enumerate(series.tags) if changes else [(None, "")]
        for release, tag in releases:
            yield RecordContents(series.attributes[name], release, tag)


def knows_all_rows(held: HeldSeries) -> bool:
    """Return whether a column of the releases names the person of every row, for an adversary who knows it."""
    series = held.series
    by_column = not any(is_there(series.manifest.key_path(files)) for files in series.manifest.releases)
    named = by_column and all(keyed.strangers is None for keyed in held.keyed)
    return held.adversary.knows_groups and named and not series.columns.rules[SeveralRows].several


def _combined(
    held: HeldSeries, combined: CombinedVocabulary, each: tuple[View, ...], possible: Mapping[str, PossibleKinds]
) -> View:
    """Return the evidence about combinations of all sensitive attributes.

    Raises:
        InputError: there are too many combinations for transitions.
    """
    changing = [seen.transitions for seen in each]
    constant = all(steps is None for steps in changing)
    kinds = possible.get(combined.name)
    people = with_pools(people_of(held, combined.name, len(combined), constant=constant, possible=kinds), held)
    return replace(
        each[0],
        sensitive=_named(combined.name, combined.attributes),
        transitions=None if constant else _together(held.series, changing, combined.parts()),
        pooled=people.pooled,
        source=people,
        key=key_of(held, people),
        values=combined.names,
        records=None,
        published=None,
        rows_of=None,
        combined=combined,
        possible_kinds=kinds,
        **_all_numbers(each),
    )


def _all_numbers(each: tuple[View, ...]) -> dict[str, Any]:
    numbers = {name: known for seen in each for name, known in seen.numbers.items()}
    return {"numbers": numbers, "categories": {name: c for seen in each for name, c in seen.categories.items()}}


def _named(name: str, attributes: tuple[str, ...]) -> CombinedName:
    combined = CombinedName(name)
    combined.attributes = attributes
    return combined


def _followed(each: tuple[View, ...]) -> View:
    """Return the evidence in which rows are followed by record ids, too.

    Raises:
        UnfollowedError: people cannot be followed.
    """
    first = each[0]
    if any(seen.transitions is not None for seen in each):
        raise UnfollowedError(say("values change, and record ids are evaluated only where values never change"))
    if first.series.manifest.known is not None:
        raise UnfollowedError(say("values are known beforehand; audit without `known` as well"))
    attributes = (str(first.series.columns.record), *(seen.sensitive for seen in each))
    name = _named(" + ".join(attributes), attributes)
    alone = replace(
        first,
        sensitive=name,
        tags=first.tags[-1:],
        records=None,
        published=None,
        rows_of=None,
        followed=True,
        **_all_numbers(each),
    )
    return _of_records(alone, first.source, len(first.tags))


def followed_until(evidence: View, count: int) -> View:
    """Return evidence of people followed by record ids, from the first `count` releases only.

    Raises:
        UnfollowedError: people cannot be followed.
    """
    if evidence.followed_people is None:
        raise TypeError("these people are not followed")
    return _of_records(evidence, evidence.followed_people.plain, count)


def _of_records(evidence: View, plain: KnownGroups, count: int) -> View:
    """Return evidence of all records; people who may be several records have no known group."""
    people, owner = follow(plain, evidence.held, count)
    rows = None if all(each.person is None for each in evidence.held.keyed) else (owner, people.records.value)
    return replace(
        evidence,
        kind=evidence.kind if people.choices.settled else REGISTER.name,
        pooled=people.pooled,
        source=people,
        values=people.combined.names,
        combined=people.combined,
        key=Key([rows], [people.pooled[0].person], len(people.individual)),
    )


def _together(series: Series, transitions: Sequence[Transitions | None], parts: Codes) -> Transitions:
    """Return which combination may follow which: all attributes change independently; None if none changes.

    Raises:
        InputError: there are too many combinations.
    """
    size = len(parts)
    if series.manifest.any_transitions:
        return Transitions.anything(size)
    check_size(str(series.manifest.transitions), size)
    steps = [
        np.equal.outer(codes, codes).astype(np.float64) if each is None else each.weight[np.ix_(codes, codes)]
        for each, codes in zip(transitions, parts.T, strict=True)
    ]
    possible = np.all([step > 0 for step in steps], axis=0)
    weight = np.where(possible, np.maximum(np.prod(steps, axis=0), np.finfo(np.float64).tiny), 0.0)
    return Transitions(weight, PairProduct(tuple(transitions), parts, possible), np.ones(size, dtype=np.bool_))


def people_of(
    held: HeldSeries,
    sensitive: str,
    values: int,
    *,
    constant: bool,
    possible: PossibleKinds | None = None,
) -> KnownGroups:
    """Return the evidence about people, without pools.

    `possible` holds the people who may be in the data, if presence is unknown.
    """
    individual = ~held.series.people.is_counterfeit()
    nothing = (None,) * len(held)
    known = held.seen, sensitive, values, individual, constant, nothing, ()
    if held.register is None:
        return KnownGroups(*known)
    lines = lines_of(held.register if possible is None else possible.register, len(held))
    return RegisteredPeople(*known, _space(held, held.register), lines, there=possible is None)


def _space(held: HeldSeries, register: Register) -> coverage.Space:
    """Return the points of a register, and which cells of the series cover them."""
    names = held.series.manifest.columns.quasi_identifiers
    return coverage.Space([held.series.attributes[name] for name in names], register.values, register.points)


def known_beforehand(people: KnownGroups, held: HeldSeries) -> Known:
    """Return the values known beforehand.

    Raises:
        InputError: their file cannot be read, is inconsistent, or contradicts the series.
    """
    present = [np.unique(people.present(position)) for position in range(len(held))]
    known, problems = read_known(held.series, people.sensitive), Problems()
    everyone = np.unique(np.concatenate(present))
    if held.series.manifest.to_come:
        known = known.some(np.isin(known.person, everyone))
    for place in np.flatnonzero(~np.isin(known.person, everyone)):
        what = say("this person is in no release, or is a counterfeit")
        problems.add(known.shown, what, say("drop the line"), line=known.lines[place], column="individual")
    for place in np.flatnonzero(known.release >= 0):
        if known.person[place] not in present[known.release[place]]:
            what = say("this person is not in this release")
            problems.add(known.shown, what, say("correct the release"), line=known.lines[place], column="release")
    problems.check()
    return known


def with_pools(people: KnownGroups, held: HeldSeries, known: Known | None = None) -> KnownGroups:
    """Return the evidence with pools, if people are known, adjusted to the values known beforehand.

    Raises:
        InputError: these values contradict the series, no group covers a person, or there are more people than rows.
    """
    if not held.adversary.knows_people:
        return people
    size, releases = len(people.individual), range(len(held))
    if known is not None:
        people = replace(people, fixed=[known.fixed(at, size, constant=people.constant) for at in releases])
    return replace(people, pooled=tuple(_pools(people, held, known, position) for position in releases))


def _pools(people: KnownGroups, held: HeldSeries, known: Known | None, position: int) -> CandidatePools:
    """Return the pools of a release."""
    fixed = people.fixed[position]
    if isinstance(people, RegisteredPeople):
        person, used, pool = people.lines[position]
        at, n_pools = None if fixed is None else fixed[person], len(used)
        contents: ValueCounts | Table = _covered(people, held, known, position, at)
    else:
        read = people.releases[position]
        if read.people is None:
            raise AssertionError("an adversary who knows people's groups has a key")
        kept = real_people(read.people, people.individual)
        person, pool, n_pools = read.people.person[kept], read.people.pool[kept], read.pool.size
        at, contents = None if fixed is None else fixed[person], read.entries(people.sensitive)
        if at is not None and known is not None:
            _check_own(people, held.keyed[position], known, person, at)
            contents = _without(contents, person, pool, at, known)
    counted = None
    if at is not None and people.constant:
        open_ = np.flatnonzero(at == UNKNOWN)
        person, pool, at = person[open_], pool[open_], None
    elif at is not None:
        counted = at == UNKNOWN
    return CandidatePools(person, pool, n_pools, contents, counted, at, len(people.individual), people.values)


def _covered(
    people: RegisteredPeople, held: HeldSeries, known: Known | None, position: int, at: Codes | None
) -> ValueCounts | Table:
    """Return the contents of a release's pools, one for each used point; `at` holds the known values of the lines."""
    person, used, pool = people.lines[position]
    read, boxes = people.releases[position], homes_of(people.releases[position])
    entries = read.entries(people.sensitive)
    covered = coverage.cover(boxes, people.space, used, entries, people.values)
    if held.register is not None and people.there:
        _check_present(held, held.register, people, position, covered.groups)
    if at is not None and known is not None:
        rows = np.flatnonzero(at != UNKNOWN)
        lacks = np.flatnonzero(~covered.hold(pool[rows], at[rows]))
        if len(lacks):
            raise known.contradiction(
                person[rows[lacks[0]]], say("no group that may hold this person publishes this value")
            )
        sure = np.flatnonzero((at != UNKNOWN) & (covered.groups[pool] == 1))
        _, home = coverage.covering_groups(boxes, people.space, used[pool[sure]])
        entries = _without(entries, person[sure], home, at[sure], known)
        covered = coverage.cover(boxes, people.space, used, entries, people.values)
    return covered.contents


def _check_present(
    held: HeldSeries, register: Register, people: RegisteredPeople, position: int, groups: Table
) -> None:
    """Compare a release with the register's people in it, and with the number of groups that cover each pool.

    Raises:
        InputError: no group covers a person, or there are more people than rows.
    """
    problems, lines, release = Problems(), register.present(position), held.seen[position].release
    if not groups.all():
        alone = np.flatnonzero(groups[people.lines[position].point] == 0)
        nor = len(alone) - 1
        others = say_count(" (nor {count} [other|others])", nor) if nor else ""
        what = say("no group of release {tag} covers this person{others}", tag=release.tag, others=others)
        line = register.table.line(int(lines[alone[0]]))
        why = why_uncovered(register, people.space, held.seen[position], lines[alone])
        of_cells = cells_of_other_length(held.series, register, reveal=False)
        remedy = next(of_cells, None) or say(
            'correct the person\'s values or releases, or write presence = "possible" if not everybody is there'
        )
        problems.add(register.shown, f"{what}: {why}", remedy, line=line)
    rows = release.people - sum(release.counterfeits.values())
    if len(lines) > rows:
        what = say(
            "{people} people are in release {tag}, which has {rows} rows that are not counterfeits",
            people=len(lines),
            tag=release.tag,
            rows=rows,
        )
        remedy = say('correct in which releases its people are, or write presence = "possible" if not all of them are')
        problems.add(register.shown, what, remedy)
    problems.check()


def _check_own(people: KnownGroups, keyed: KeyedRelease, known: Known, person: Codes, at: Codes) -> None:
    """Compare the known values with the values of the people's own rows."""
    if keyed.values_by_row and keyed.person is not None:
        own = np.full(len(people.individual) + 1, UNKNOWN, dtype=np.int32)
        own[keyed.person] = keyed.entry_value[people.sensitive]
        wrong = np.flatnonzero((at != UNKNOWN) & (at != own[person]))
        if len(wrong):
            what = say("the key says that this person has another value in release {tag}", tag=keyed.tag)
            raise known.contradiction(person[wrong[0]], what)


def _without(entries: ValueCounts, person: Codes, group: Codes, fixed: Codes, known: Known) -> ValueCounts:
    """Return the entries without one row for each person with a known value who is certainly in a group."""
    values = int(max(entries.value.max(initial=0), fixed.max(initial=0))) + 1
    rows = np.flatnonzero(fixed != UNKNOWN)
    taken = group[rows].astype(np.int64) * values + fixed[rows]
    key = entries.bag.astype(np.int64) * values + entries.value
    count = np.ones(len(key), dtype=np.int64) if entries.rows is None else entries.rows
    distinct, place = np.unique(np.concatenate([key, taken]), return_inverse=True)
    weights = np.concatenate([count, np.full(len(taken), -1, dtype=np.int64)])
    left = np.bincount(place, weights=weights).astype(np.int64)
    short = np.flatnonzero(left[place[len(key) :]] < 0)
    if len(short):
        what = say("more people of this person's group are known to have this value than it publishes")
        raise known.contradiction(person[rows[short[0]]], what)
    kept = left > 0
    codes = distinct[kept]
    return ValueCounts((codes // values).astype(np.int32), (codes % values).astype(np.int32), left[kept])
