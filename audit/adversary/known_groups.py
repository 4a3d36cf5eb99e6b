"""Known groups: evidence about people whose groups, or whose exact quasi-identifiers, are known; as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from audit.adversary import coverage
from audit.adversary.held_series import Fitting, HeldSeries, PlacedPeople, SeenRelease
from audit.io.background_knowledge import Register
from audit.io.releases import IdentifierEncoder
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places, flagged, numbered, ragged, starts
from audit.model.errors import UsageError
from audit.model.evidence import CandidateGroups, CandidatePools, Members, PublishedClasses, Transitions, ValueCounts
from audit.runtime.phrases import joined, printable, say


@dataclass(frozen=True)
class KnownGroups:
    """The evidence about people whose groups are known: a person's pool is the group.

    Attributes:
        releases: the releases as the adversary sees them.
        sensitive: the sensitive attribute, or the combinations of several.
        values: the number of its values.
        individual: which people are not counterfeits, by person code; shape (people,), bool.
        constant: whether values never change.
        fixed: the value known beforehand, by release and person code, -1 if unknown; None if no value is known.
        pooled: the pools of each release; empty if no people are known.
    """

    releases: tuple[SeenRelease, ...]
    sensitive: str
    values: int
    individual: Flags
    constant: bool
    fixed: Sequence[Codes | None]
    pooled: tuple[CandidatePools, ...]

    def present(self, position: int) -> Codes:
        """Return the people, without counterfeits, in a release; shape (n,), int32."""
        people = self.releases[position].people
        return np.zeros(0, dtype=np.int32) if people is None else people.person[real_people(people, self.individual)]

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return the people known to be in a release, each with a label, and the row classes that fit each label."""
        people = self._placed(position)
        every = np.arange(self.releases[position].pool.size, dtype=np.int32)
        strangers = bool(people.strangers.any())
        return people.person[people.unnamed :], people.pool[people.unnamed :], Fitting(every, every, strangers)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release: of the one group that does."""
        read = self.releases[position]
        if read.people is None:
            return []
        pool = read.people.pool[np.searchsorted(read.people.person, people)]
        return [(read.pool.name(code),) for code in pool.tolist()]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some pools of a release."""
        return [self.releases[position].pool.name(code) for code in groups.tolist()]

    def members(self, position: int) -> Members:
        """Return the people of each group of a release, including counterfeits."""
        people = self._placed(position)
        person, group = people.person, people.pool
        contents, at = self.pooled[position].entries(), self._fixed_of(position, person)
        if at is not None:
            rows = np.flatnonzero(at == UNKNOWN)
            person, group = person[rows], group[rows]
        size = self.releases[position].pool.size
        return Members(person, group, size, contents, self.individual, self.values)

    def candidate_groups(self, position: int) -> CandidateGroups:
        """Return the rows of a release and the group of each person, including counterfeits with an identity."""
        read, people = self.releases[position], self._placed(position)
        person, pool = people.person[people.unnamed :], people.pool[people.unnamed :]
        # The class of each is known: the class holds this many people, including counterfeits with an identity.
        there = np.bincount(pool, minlength=read.pool.size)
        held = np.bincount(read.pool_group, weights=there, minlength=read.release.group.size).astype(np.int64)
        own = np.arange(read.pool.size, dtype=np.int32)
        return self._hosts(position, person, (np.arange(len(person) + 1), pool), (own, read.pool_group, there), held)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it."""
        read = self.releases[position]
        if read.people is not None:
            judged = read.people.strangers
        elif read.fakes is not None:
            judged = read.rows(read.pool) > read.fakes
        else:
            judged = (read.capacity > 0)[read.pool_group]
        order = read.pools_by_looks
        number = numbered(order, read.pool.size)
        contents = self.entries(position)
        contents = contents._replace(bag=number[contents.bag])
        return PublishedClasses(read.pool_group, judged[order], contents, self.values, number[read.pool.codes])

    def entries(self, position: int) -> ValueCounts:
        """Return the contents of a release's pools."""
        return self.releases[position].entries(self.sensitive)

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which classes hold only people who can be in no other class; shape (classes,), bool.

        Without a register, all are false.
        """
        return np.zeros(len(classes), dtype=np.bool_)

    def published_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases[position].release.group
        return [group.name(code) for code in groups.tolist()]

    def _placed(self, position: int) -> PlacedPeople:
        """Return the people of a release.

        Raises:
            UsageError: the adversary does not know them.
        """
        people = self.releases[position].people
        if people is None:
            raise UsageError("only the adversary `linked` knows the people of a group")
        return people

    def _fixed_of(self, position: int, person: Codes) -> Codes | None:
        """Return the known value of each of some people, -1 if unknown."""
        fixed = self.fixed[position]
        return None if fixed is None else np.append(fixed, np.int32(UNKNOWN))[person]

    def _hosts(
        self,
        position: int,
        person: Codes,
        candidates: tuple[Counts, Codes],
        classes: tuple[Codes, Codes, Counts],
        held: Counts,
    ) -> CandidateGroups:
        """Return people with their known values, their candidate classes, and the capacity of these.

        `classes` holds the pool of each class, its published group, and its number of rows.
        """
        at, (pool, group, rows) = self._fixed_of(position, person), classes
        return CandidateGroups(
            person,
            np.full(len(person), UNKNOWN, dtype=np.int32) if at is None else at,
            *candidates,
            pool,
            np.minimum(rows, held[group]),
            rows,
            group,
            held,
            int(pool.max(initial=-1)) + 1,
            self.entries(position),
            self.individual,
            self.values,
        )


def real_people(people: PlacedPeople, individual: Flags) -> Places | slice:
    """Return the indices of people who are not counterfeits."""
    if individual.all():
        return slice(people.unnamed, None)
    return people.unnamed + np.flatnonzero(individual[people.person[people.unnamed :]])


class RegisteredRelease(NamedTuple):
    """The register's people in a release.

    Attributes:
        person: the people; shape (n,), int32.
        points: their distinct points, as indices of the space's points.
        point: the index in `points` of each person; shape (n,), int32.
    """

    person: Codes
    points: Places
    point: Codes


@dataclass(frozen=True)
class RegisteredPeople(KnownGroups):
    """The evidence about people whose exact quasi-identifiers and presence are known: a pool is what covers a point.

    Attributes:
        space: the exact values and the points.
        lines: the people in each release.
        there: whether each of them is known to be in the release, and not only possible.
    """

    space: coverage.Space
    lines: tuple[RegisteredRelease, ...]
    there: bool = True

    def present(self, position: int) -> Codes:
        """Return the register's people in a release; shape (n,), int32."""
        return self.lines[position].person

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, with a label of each one's exact values, and what fits a label."""
        person, points, point = self.lines[position]
        label, row_class = coverage.covering_groups(classes_of(self.releases[position]), self.space, points)
        return person, point, Fitting(label.astype(np.int32), row_class)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release."""
        person, points, point = self.lines[position]
        group, row_of = self.releases[position].pool, numbered(person, len(self.individual))
        used, at = np.unique(point[row_of[people]], return_inverse=True)
        place, code = coverage.covering_groups(homes_of(self.releases[position]), self.space, points[used])
        start = np.searchsorted(place, np.arange(len(used) + 1))
        names = [tuple(group.name(int(c)) for c in code[start[p] : start[p + 1]]) for p in range(len(used))]
        return [names[p] for p in at.tolist()]

    def candidate_groups(self, position: int) -> CandidateGroups:
        """Return the rows of a release and which groups may hold each person of the register."""
        person, points, point = self.lines[position]
        read = self.releases[position]
        place, around = coverage.covering_groups(classes_of(read), self.space, points)
        covered = np.bincount(place, minlength=len(points))
        start = starts(covered[point])
        row_class = around[ragged((np.cumsum(covered) - covered)[point], covered[point])]
        classes = (read.class_pool, read.classes.group, read.rows(read.classes.row))
        return self._hosts(position, person, (start, row_class), classes, read.capacity)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it; it has strangers unless all its people are known to be there."""
        read = self.releases[position]
        people = read.release.people - int(read.counterfeits.sum())
        strangers = not self.there or len(self.present(position)) < people
        return replace(super().published(position), strangers=strangers)

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which classes have no more people than those who can be in no other class; shape (classes,), bool.

        These people are found themselves if the class has one value.
        """
        if not self.there:
            return super().accounted(position, classes)
        read, (_, points, point) = self.releases[position], self.lines[position]
        place, home = coverage.covering_groups(homes_of(read), self.space, points)
        alone = np.bincount(place, minlength=len(points))[place] == 1
        people = np.bincount(point, minlength=len(points))
        rows, group = read.rows(read.pool), read.pool_group
        sole = np.zeros(len(rows), dtype=np.int64)
        np.add.at(sole, home[alone], people[place[alone]])
        surely = np.maximum(read.counterfeits[group] - (read.rows(read.release.group)[group] - rows), 0)
        return (sole >= rows - surely)[read.pools_by_looks[classes]]


def lines_of(register: Register, releases: int) -> tuple[RegisteredRelease, ...]:
    """Return the people of a register in each release."""
    found = (register.present(position) for position in range(releases))
    return tuple(RegisteredRelease(register.person[at], *register.places(at)) for at in found)


def boxes_of(read: SeenRelease, of_class: Codes, kept: Flags) -> coverage.Boxes:
    """Return the cells of some classes of a release as boxes; `of_class` is the ascending pool or group of each."""
    if read.cells is None:
        raise AssertionError("releases judged with a register have cells")
    number = of_class[kept]
    return coverage.Boxes(number, read.cells[kept], single=bool(np.diff(number).all()))


def homes_of(read: SeenRelease) -> coverage.Boxes:
    """Return the boxes of a release that may hold a person, by pool."""
    return boxes_of(read, read.class_pool, read.capacity[read.classes.group] > 0)


def classes_of(read: SeenRelease) -> coverage.Boxes:
    """Return these boxes by row class."""
    own = np.arange(len(read.classes.group), dtype=np.int32)
    return boxes_of(read, own, read.capacity[read.classes.group] > 0)


def population(held: HeldSeries, people: KnownGroups, position: int) -> Counts | None:
    """Return how many people of the whole register each group's cells cover, present or not; shape (groups,).

    Each person counts once, with the values of the latest line that has begun, otherwise of the first line; a group's
    counterfeits count, too, because they look like people. None without a register, or if there are too many pairs of
    people and groups to test.
    """
    register, read = held.register, held.seen[position]
    if register is None or not isinstance(people, RegisteredPeople):
        return None
    begun = register.first <= position
    order = np.lexsort((np.where(begun, register.first, -1 - register.first), register.person))
    lines = order[np.append(np.diff(register.person[order]) != 0, True)]
    used, point = register.places(lines)
    boxes = boxes_of(read, read.classes.group, read.rows(read.classes.row) > 0)
    fit = coverage.crowds(boxes, people.space, used, np.bincount(point))
    if fit is None:
        return None
    crowd = np.zeros(read.release.group.size, dtype=np.int64)
    crowd[: len(fit)] = fit
    return crowd + read.counterfeits


_CELLS_SHOWN = 6


def why_uncovered(register: Register, space: coverage.Space, read: SeenRelease, lines: Places) -> str:
    """Return values of the people of some lines that no cell of a release covers, the most frequent first.

    Each is a value of one column, which singles out no one more than the line itself does.
    """
    if read.cells is None:
        raise AssertionError("releases judged with a register have cells")
    found: list[tuple[int, int, int]] = []
    points = register.point[lines]
    for place, axis in enumerate(space.axes):
        offered: Flags = np.logical_or.reduce(axis.covered[np.unique(read.cells[:, place])], axis=0)
        lacking = points[~offered[space.points[points, place]]]
        values, times = np.unique(register.points[lacking, place], return_counts=True)
        if len(values):
            at = int(times.argmax())
            found.append((int(times[at]), place, int(values[at])))
    if not found:
        return say(
            "some cell of release {release} fits each of these values, but no group fits all of them",
            release=printable(read.release.tag),
        )
    _, place, value = max(found, key=lambda one: one[0])
    attribute = space.attributes[place]
    cells = [printable(attribute.texts[cell]) for cell in np.unique(read.cells[:, place]).tolist()]
    return say(
        'no cell of "{column}" in release {release} contains {value} (cells: {cells}); is it written otherwise in the '
        "register?",
        column=printable(attribute.name),
        release=printable(read.release.tag),
        value=printable(register.values[place][value]),
        cells=joined(cells, _CELLS_SHOWN),
    )


_NOWHERE = -1


class PossibleKind(NamedTuple):
    """People covered by the same classes, represented by one person who is in some of the releases that cover them.

    A register of a whole population lists people who may be in the data: each is judged as if present. A person can be
    in all releases of a set if, in each of them, a class that covers the person contains the same value (or, if values
    change, values that may follow each other). The person is judged for each largest such set, and all other rows
    belong to strangers.

    Attributes:
        person: the first of them in the register.
        alike: the number of these people.
        releases: the releases, ascending.
        contents: the rows of each value that they may have, in each of the releases.
        constant: whether values never change.
        name: the name of the kind in ids.
    """

    person: int
    alike: int
    releases: tuple[int, ...]
    contents: tuple[dict[int, int], ...]
    constant: bool
    name: str

    def at_most(self, releases: Sequence[int]) -> int:
        """Return the number of these people, but at most the rows that they may have in any of some releases."""
        there = [values for at, values in zip(self.releases, self.contents, strict=True) if at in releases]
        common = set.intersection(*map(set, there))
        rows = (sum(n for value, n in each.items() if value in common or not self.constant) for each in there)
        return min(self.alike, *rows)

    @property
    def exposed(self) -> int:
        """How many of these people can be in the data at once, at most, with a value that is certain."""
        if not self.constant:
            alone = [at for at, values in zip(self.releases, self.contents, strict=True) if len(values) == 1]
            several = sum(self.at_most([at]) for at in alone) or self.at_most(self.releases)
            return min(self.alike, several)
        common = set.intersection(*map(set, self.contents))
        if len(common) > 1:  # only one attribute of several is certain
            return self.alike
        return self.at_most([self.releases[place] for place in fewest(self.contents, common)])


@dataclass(frozen=True)
class PossibleKinds:
    """All kinds of people who may be in the data.

    Attributes:
        kinds: by code.
        register: the lines of the people who represent them, each in the releases of its kind.
        listed, uncovered: the numbers of people in the register, and of uncovered people in any release.
        why: values of uncovered people that no cell covers; None if all people are covered.
        unjudged: the number of people who cannot be in all releases that cover them, although values may change.
        person, alike: all people of the register, by code, and a number that people who look alike share; shape
            (listed,).
        stand: the codes of the kinds by that number.
        fit: the share of each release's rows that people of the register fit.
    """

    kinds: dict[int, PossibleKind]
    register: Register
    listed: int
    uncovered: int
    why: str | None
    unjudged: int
    person: Codes
    alike: Places
    stand: dict[int, list[int]]
    fit: tuple[float, ...]

    def of_person(self, person: int) -> list[int]:
        """Return the kinds of a person."""
        place = np.flatnonzero(self.person == person)
        return self.stand.get(int(self.alike[place[0]]), []) if len(place) else []

    def earlier_names(self, positions: Mapping[int, int], people: IdentifierEncoder) -> dict[str, str]:
        """Return the name of each kind in a series of some of the releases, whose positions there are given."""
        found = {}
        for some in ([self.kinds[code] for code in codes] for codes in self.stand.values()):
            covering = len({release for kind in some for release in kind.releases if release in positions})
            for kind in some:
                earlier = [positions[release] for release in kind.releases if release in positions]
                found[kind.name] = _kind_name(people.name(kind.person), earlier, covering)
        return found

    def names_of(self, code: int, people: IdentifierEncoder, name: str | None = None) -> list[str]:
        """Return the names of all people of a kind, its own first, each with the set of releases as in its own name.

        Its own is `name`, if given.
        """
        kind = self.kinds[code]
        alike = self.alike[np.searchsorted(self.person, kind.person)]
        suffix = (name or kind.name)[len(people.name(kind.person)) :]
        others = [person for person in self.person[self.alike == alike].tolist() if person != kind.person]
        return [f"{people.name(person)}{suffix}" for person in (kind.person, *others)]

    def count(self, flags: Flags) -> int:
        """Return the number of people of some kinds, in the data or not, given by a flag for each code."""
        some = [self.kinds[code] for code in np.flatnonzero(flags).tolist()]
        return sum({kind.person: kind.alike for kind in some}.values())

    def at_once(self, codes: Codes) -> int:
        """Return how many people of some kinds can be in the data at once, at most."""
        number, alike = defaultdict[int, int](int), dict[int, int]()
        for kind in (self.kinds[code] for code in np.unique(codes).tolist()):
            number[kind.person] += kind.exposed
            alike[kind.person] = kind.alike
        return sum(min(count, alike[person]) for person, count in number.items())


def _kind_name(name: str, releases: Sequence[int], covering: int) -> str:
    """Return the name of a kind: its representative's, with the releases if these are not all that cover it.

    The name then ends with a blank, which no identifier does.
    """
    return name if len(releases) == covering else f"{name} ({', '.join(str(j + 1) for j in releases)}) "


class PossiblePeopleFinder:
    """Finds the kinds of people in a register, whose points and cells are in `space`."""

    def __init__(self, held: HeldSeries, register: Register, space: coverage.Space) -> None:
        self._held, self._register, self._space = held, register, space
        self._listed, self._first = np.unique(register.person, return_index=True)
        self._homes: list[list[Codes]] = []
        self._pool = np.full((len(self._listed), len(held)), _NOWHERE, dtype=np.int64)
        for position, line in enumerate(lines_of(register, len(held))):
            self._pool[np.searchsorted(self._listed, line.person), position] = self._pools(position, line)

    def _pools(self, position: int, line: RegisteredRelease) -> Places:
        """Return the index of each line's set of covering classes, among the distinct sets; -1 for none."""
        place, home = coverage.covering_groups(homes_of(self._held.seen[position]), self._space, line.points)
        ends = np.searchsorted(place, np.arange(len(line.points) + 1))
        number: dict[bytes, int] = {}
        of_point, sets = np.full(len(line.points), _NOWHERE, dtype=np.int64), list[Codes]()
        for at in np.flatnonzero(np.diff(ends)).tolist():
            own = home[ends[at] : ends[at + 1]]
            of_point[at] = number.setdefault(own.tobytes(), len(sets))
            if of_point[at] == len(sets):
                sets.append(own)
        self._homes.append(sets)
        return of_point[line.point]

    def find(self, sensitive: str, transitions: Transitions | None, together: str) -> PossibleKinds:
        """Return the kinds, given the values of an attribute; their names are added to the series' people.

        If values never change, people are only in releases with a common combination of all attributes (`together`).
        """
        values, whole = (
            [self._values(position, name) for position in range(len(self._held))] for name in (sensitive, together)
        )
        order = np.argsort(self._first)  # the first person in the register represents the others
        pools, first, alike, number = np.unique(
            self._pool[order], axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        first, alike = order[first], alike.ravel()[np.argsort(order)]
        found, unjudged = list[tuple[int, PossibleKind]](), 0
        for at, many in enumerate(number.tolist()):
            there = {j: values[j][pool] for j, pool in enumerate(pools[at].tolist()) if pool != _NOWHERE}
            sets = (
                _largest({j: whole[j][pools[at, j]] for j in there})
                if transitions is None
                else _whole(there, transitions)
            )
            unjudged += many if there and not sets else 0
            who = int(self._listed[first[at]])
            for releases in sets:
                contents = tuple(there[j] for j in releases)
                name = _kind_name(self._held.series.people.name(who), releases, len(there))
                found.append((at, PossibleKind(who, many, releases, contents, transitions is None, name)))
        codes = self._held.series.people.number([kind.name for _, kind in found]).tolist()
        stand = defaultdict[int, list[int]](list)
        for code, (at, _) in zip(codes, found, strict=True):
            stand[at].append(code)
        kinds = {code: kind for code, (_, kind) in zip(codes, found, strict=True)}
        nowhere = np.flatnonzero((self._pool == _NOWHERE).all(axis=1))
        return PossibleKinds(
            kinds,
            self._lines(kinds),
            len(self._listed),
            len(nowhere),
            self._why(nowhere),
            unjudged,
            self._listed,
            alike,
            stand,
            tuple(map(self._fit, range(len(self._held)))),
        )

    def _fit(self, position: int) -> float:
        """Return the share of the rows of a release in pools that cover a person."""
        seen = self._held.seen[position]
        rows = seen.rows(seen.pool)
        return float(
            rows[np.unique(np.concatenate([*self._homes[position], np.zeros(0, np.int32)]))].sum() / rows.sum()
        )

    def _why(self, nowhere: Places) -> str | None:
        """Return why no group covers people, by their index among all, according to the last release with a reason."""
        lines = np.flatnonzero(np.isin(self._register.person, self._listed[nowhere]))
        for position in reversed(range(len(self._held))):
            there = np.intersect1d(lines, self._register.present(position))
            if len(there):
                return why_uncovered(self._register, self._space, self._held.seen[position], there)
        return None

    def _values(self, position: int, sensitive: str) -> list[dict[int, int]]:
        """Return the contents of each set of classes of a release: the number of rows of each value."""
        group, value, rows = self._held.seen[position].entries(sensitive)
        order = np.argsort(group, kind="stable")
        group, value = group[order], value[order]
        count = np.ones(len(order), dtype=np.int64) if rows is None else rows[order]
        found = []
        for homes in self._homes[position]:
            starts, ends = np.searchsorted(group, homes), np.searchsorted(group, homes, side="right")
            at = ragged(starts, ends - starts)
            held = np.bincount(value[at], weights=count[at])
            found.append({int(code): int(held[code]) for code in np.flatnonzero(held)})
        return found

    def _lines(self, kinds: dict[int, PossibleKind]) -> Register:
        """Return a register of the people who represent kinds, each in the releases of the kind."""
        line = np.full((len(self._held), len(self._listed)), _NOWHERE, dtype=np.int64)
        for position in range(len(self._held)):
            at = self._register.present(position)
            line[position, np.searchsorted(self._listed, self._register.person[at])] = at
        sets = [(code, kind.person, j) for code, kind in kinds.items() for j in kind.releases]
        code, who, release = np.array(sets, dtype=np.int32).reshape(-1, 3).T
        own = line[release, np.searchsorted(self._listed, who)]
        return replace(self._register, person=code, point=self._register.point[own], first=release, last=release)


def _largest(there: dict[int, dict[int, int]]) -> list[tuple[int, ...]]:
    """Return the largest sets of releases that share a value, given the values of each.

    >>> _largest({0: {7: 1, 8: 2}, 1: {8: 1, 9: 1}, 2: {7: 1}})
    [(0, 1), (0, 2)]
    """
    having = defaultdict[int, list[int]](list)
    for release, values in there.items():
        for value in values:
            having[value].append(release)
    every = {tuple(releases) for releases in having.values()}
    return sorted(one for one in every if not any(set(one) < set(other) for other in every))


def _whole(there: dict[int, dict[int, int]], transitions: Transitions) -> list[tuple[int, ...]]:
    """Return all releases together if values can change so that a person is in each; otherwise nothing."""
    left: Flags | None = None
    for values in there.values():
        size = len(transitions.weight)
        own = flagged([value for value in values if value < size], size)
        left = own if left is None else own & (transitions.weight[left] > 0).any(axis=0)
    return [] if left is None or not left.any() else [tuple(there)]


def fewest(sets: Sequence[Collection[int]], wanted: Collection[int]) -> tuple[int, ...]:
    """Return the indices of the fewest sets with no element but the `wanted` ones in common, as soon as any have.

    All sets together have no others. Of several such indices, the first are returned.

    >>> fewest([{1, 2, 3}, {1, 2}, {2, 3}, {1, 4}, {1}], {1})
    (0, 3)
    """
    common: Iterator[frozenset[int]] = accumulate(map(frozenset, sets), frozenset.intersection)
    last = next(at for at, left in enumerate(common) if left <= set(wanted))
    found: dict[frozenset[int], tuple[int, ...]] = {frozenset(sets[last]): (last,)}
    while not any(left <= set(wanted) for left in found):
        further: dict[frozenset[int], tuple[int, ...]] = {}
        for left, indices in found.items():
            for at, each in enumerate(sets[:last]):
                both, more = left.intersection(each), tuple(sorted({*indices, at}))
                if len(both) < len(left):
                    further[both] = min(more, further.get(both, more))
        found = further
    return min(indices for left, indices in found.items() if left <= set(wanted))
