"""Pools of people: what a release leaves of each person's value, held against what is known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from audit.adversary import coverage
from audit.adversary.held_series import HeldSeries
from audit.adversary.known_groups import KnownGroups, real_people
from audit.adversary.possible_people import PossibleKinds, PossiblePeople, PossiblePeopleFinder
from audit.adversary.register import RegisteredPeople, lines_of
from audit.adversary.uncovered import why_uncovered
from audit.io.background_knowledge import Known, Register, check_listed, read_known
from audit.io.releases import KeyedRelease
from audit.model.arrays import UNKNOWN, Codes, Flags
from audit.model.errors import Problems
from audit.model.evidence import CandidatePools, Table, ValueCounts


def people_of(
    held: HeldSeries,
    sensitive: str,
    values: int,
    *,
    constant: bool,
    listed: Flags | None = None,
    possible: PossibleKinds | None = None,
) -> KnownGroups:
    """Return what is seen of people, without pools; `listed` says of which values the transitions speak.

    `possible` are those who may be in the data, where it is not known who is.

    Raises:
        InputError: the transitions do not say what may follow a published value.
    """
    if listed is not None:
        for read in held.seen:
            check_listed(held.series, read.release, sensitive, listed)
    individual = ~held.series.people.is_counterfeit()
    nothing = (None,) * len(held)
    people = KnownGroups(held.seen, sensitive, values, individual, constant, nothing, ())
    if held.register is not None:
        space = _space(held, held.register)
        if possible is not None:
            lines = lines_of(possible.register, len(held))
            people = PossiblePeople(**vars(people), space=space, lines=lines)
        else:
            people = RegisteredPeople(**vars(people), space=space, lines=lines_of(held.register, len(held)))
    return people


def _space(held: HeldSeries, register: Register) -> coverage.Space:
    """Return the points of a register, with what cells of the series cover them."""
    names = held.series.manifest.columns.quasi_identifiers
    return coverage.Space([held.series.attributes[name] for name in names], register.values, register.points)


def finder_of(held: HeldSeries) -> PossiblePeopleFinder | None:
    """Return what finds the kinds of people who may be in the data; None where it is known who is."""
    register = held.register
    if register is None or held.adversary.knows_presence:
        return None
    nothing, no_one = (None,) * len(held), np.zeros(0, dtype=np.bool_)
    space, lines = _space(held, register), lines_of(register, len(held))
    everyone = RegisteredPeople(
        held.seen, "", 0, no_one, constant=True, fixed=nothing, pooled=(), space=space, lines=lines
    )
    return PossiblePeopleFinder(held, register, everyone)


def known_beforehand(people: KnownGroups, held: HeldSeries) -> Known:
    """Return the values that are known beforehand.

    Raises:
        InputError: their file cannot be read, or contradicts itself or the series.
    """
    present = [np.unique(people.present(position)) for position in range(len(held))]
    known, problems = read_known(held.series, people.sensitive), Problems()
    everyone = np.unique(np.concatenate(present))
    if held.series.manifest.to_come:
        known = known.some(np.isin(known.person, everyone))
    for place in np.flatnonzero(~np.isin(known.person, everyone)):
        what = "this person is in no release, or is a counterfeit"
        problems.add(known.shown, what, "drop the line", line=known.lines[place], column="individual")
    for place in np.flatnonzero(known.release >= 0):
        if known.person[place] not in present[known.release[place]]:
            what = "this person is not in this release"
            problems.add(known.shown, what, "correct the release", line=known.lines[place], column="release")
    problems.check()
    return known


def with_pools(people: KnownGroups, held: HeldSeries, known: Known | None = None) -> KnownGroups:
    """Return the same with pools, where people are known, held against the values that are known beforehand.

    Raises:
        InputError: these contradict the series, nothing covers a person, or there are more people than rows.
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
            raise AssertionError("who knows which group is whose has a key")
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
    """Return what the pools of a release hold, that of each used point; `at` are the known values of the lines."""
    person, used, pool = people.lines[position]
    read, boxes = people.releases[position], people.homes(position)
    entries = read.entries(people.sensitive)
    covered = coverage.cover(boxes, people.space, used, entries, people.values)
    if held.register is not None and not isinstance(people, PossiblePeople):
        _check_present(held, people, position, covered.groups)
    if at is not None and known is not None:
        rows = np.flatnonzero(at != UNKNOWN)
        lacks = np.flatnonzero(~covered.hold(pool[rows], at[rows]))
        if len(lacks):
            raise known.contradiction(person[rows[lacks[0]]], "no group that may hold this person publishes this value")
        sure = np.flatnonzero((at != UNKNOWN) & (covered.groups[pool] == 1))
        _, home = coverage.covering_groups(boxes, people.space, used[pool[sure]])
        entries = _without(entries, person[sure], home, at[sure], known)
        covered = coverage.cover(boxes, people.space, used, entries, people.values)
    return covered.contents


def _check_present(held: HeldSeries, people: RegisteredPeople, position: int, groups: Table) -> None:
    """Hold the register's people in a release, and how many groups cover each pool's, against the release.

    Raises:
        InputError: nothing covers a person, or there are more people than rows.
    """
    register, pool = held.register, people.lines[position].point
    if register is None:
        raise AssertionError("people who are known to be there stand in a register")
    problems, lines, release = Problems(), register.present(position), held.seen[position].release
    if not groups.all():
        alone = np.flatnonzero(groups[pool] == 0)
        others = f" (nor {len(alone) - 1} others)" if len(alone) > 1 else ""
        what = f"no group of release {release.tag} covers this person{others}"
        line = register.table.line(int(lines[alone[0]]))
        attributes = [held.series.attributes[name] for name in held.series.columns.quasi_identifiers]
        why = why_uncovered(attributes, register, people.space, held.seen[position], lines[alone])
        remedy = 'correct the person\'s values or releases, or write presence = "possible" if not everybody is there'
        problems.add(register.shown, f"{what}: {why}", remedy, line=line)
    rows = release.people - sum(release.counterfeits.values())
    if len(lines) > rows:
        what = f"{len(lines)} people are in release {release.tag}, which has {rows} rows that are not counterfeits"
        remedy = 'correct in which releases its people are, or write presence = "possible" if not all of them are'
        problems.add(register.shown, what, remedy)
    problems.check()


def _check_own(people: KnownGroups, keyed: KeyedRelease, known: Known, person: Codes, at: Codes) -> None:
    """Hold the known values against the values of the people's own rows."""
    if keyed.values_by_row and keyed.person is not None:
        own = np.full(len(people.individual) + 1, UNKNOWN, dtype=np.int32)
        own[keyed.person] = keyed.entry_value[people.sensitive]
        wrong = np.flatnonzero((at != UNKNOWN) & (at != own[person]))
        if len(wrong):
            what = f"the key says that this person has another value in release {keyed.tag}"
            raise known.contradiction(person[wrong[0]], what)


def _without(entries: ValueCounts, person: Codes, group: Codes, fixed: Codes, known: Known) -> ValueCounts:
    """Return the entries less one row for each person with a known value who is surely in a group."""
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
        what = "more people of this person's group are known to have this value than it publishes"
        raise known.contradiction(person[rows[short[0]]], what)
    kept = left > 0
    codes = distinct[kept]
    return ValueCounts((codes // values).astype(np.int32), (codes % values).astype(np.int32), left[kept])
