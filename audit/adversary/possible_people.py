"""People who may be in the data, as a register of a whole population lists them: each is judged as if there.

A person can be in all releases of a set if one value that never changes is in a class that covers the person in each of
them (with values that change: if they can change so). The person is judged for each largest such set, all other rows
being strangers'. People that the same classes cover are one *kind*: one of them stands for all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from audit.adversary import coverage
from audit.adversary.held_series import HeldSeries
from audit.adversary.known_groups import RegisteredPeople, RegisteredRelease, why_uncovered
from audit.io.background_knowledge import Register
from audit.model.arrays import Codes, Flags, Places
from audit.model.evidence import PublishedClasses, Transitions

_NOWHERE = -1


class PossibleKind(NamedTuple):
    """People that the same classes cover, as one who is in some of the releases that cover them.

    Attributes:
        person: the first of them in the register.
        alike: how many there are.
        number: no more of them than the rows that they may have in any of the releases.
        releases: the releases, ascending.
        name: what distinguishes the kind in ids.
    """

    person: int
    alike: int
    number: int
    releases: tuple[int, ...]
    name: str


@dataclass(frozen=True)
class PossibleKinds:
    """All kinds of people who may be in the data.

    Attributes:
        kinds: by code.
        register: the lines of those who stand for them, each in the releases of its kind.
        listed, uncovered: how many people the register lists, and how many of them nothing covers in any release.
        why: what cells do not offer that people have that nothing covers; None where all are covered.
        unjudged: how many cannot be in all releases that cover them, though values may change.
        person, alike: all people of the register, by code, and a number of those who look alike; shape (listed,).
        stand: by that number, the codes of the kinds.
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

    def of_person(self, person: int) -> list[int]:
        """Return the kinds that a person is of."""
        place = np.flatnonzero(self.person == person)
        return self.stand.get(int(self.alike[place[0]]), []) if len(place) else []

    def people(self, codes: Codes) -> int:
        """Return for how many people some kinds stand."""
        number, alike = defaultdict[int, int](int), dict[int, int]()
        for kind in (self.kinds[code] for code in np.unique(codes).tolist()):
            number[kind.person] += kind.number
            alike[kind.person] = kind.alike
        return sum(min(count, alike[person]) for person, count in number.items())


@dataclass(frozen=True)
class PossiblePeople(RegisteredPeople):
    """What is seen of people who may be in the data, each kind by itself."""

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it: every row may be a stranger's."""
        return replace(super().published(position), strangers=True)

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return that no class is known to hold only certain people."""
        return np.zeros(len(classes), dtype=np.bool_)


class PossiblePeopleFinder:
    """Finds the kinds of people that a register lists; `people` are all of them, as if they were there."""

    def __init__(self, held: HeldSeries, register: Register, people: RegisteredPeople) -> None:
        self._held, self._register, self._people = held, register, people
        self._listed, self._first = np.unique(register.person, return_index=True)
        self._homes: list[list[Codes]] = []
        self._pool = np.full((len(self._listed), len(held)), _NOWHERE, dtype=np.int64)
        for position, line in enumerate(people.lines):
            self._pool[np.searchsorted(self._listed, line.person), position] = self._pools(position, line)

    def _pools(self, position: int, line: RegisteredRelease) -> Places:
        """Return for each line which of the distinct sets of covering classes is the person's; -1 for none."""
        place, home = coverage.covering_groups(self._people.homes(position), self._people.space, line.points)
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

    def find(self, sensitive: str, transitions: Transitions | None) -> PossibleKinds:
        """Return the kinds for the values of an attribute, whose names join those of the series' people."""
        values = [self._values(position, sensitive) for position in range(len(self._held))]
        order = np.argsort(self._first)  # the first in the register stands for the others
        pools, first, alike, number = np.unique(
            self._pool[order], axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        first, alike = order[first], alike.ravel()[np.argsort(order)]
        found, unjudged, constant = list[tuple[int, PossibleKind]](), 0, transitions is None
        for at, many in enumerate(number.tolist()):
            there = {j: values[j][pool] for j, pool in enumerate(pools[at].tolist()) if pool != _NOWHERE}
            sets = _largest(there) if transitions is None else _whole(there, transitions)
            unjudged += many if there and not sets else 0
            who = int(self._listed[first[at]])
            for releases in sets:
                rows = min(_rows([there[j] for j in releases], constant=constant))
                found.append(
                    (at, PossibleKind(who, many, min(many, rows), releases, self._name(who, releases, len(there))))
                )
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
        )

    def _why(self, nowhere: Places) -> str | None:
        """Return why nothing covers people, by their place among all, as the last release says it that has some."""
        series, lines = self._held.series, np.flatnonzero(np.isin(self._register.person, self._listed[nowhere]))
        for position in reversed(range(len(self._held))):
            there = np.intersect1d(lines, self._register.present(position))
            if len(there):
                attributes = [series.attributes[name] for name in series.columns.quasi_identifiers]
                read = self._held.seen[position]
                return why_uncovered(attributes, self._register, self._people.space, read, there)
        return None

    def _name(self, person: int, releases: tuple[int, ...], covering: int) -> str:
        """Return what distinguishes a kind: the person who stands for it, with the releases where these are not all.

        It then ends with a blank, as no identifier does.
        """
        name = self._held.series.people.name(person)
        return name if len(releases) == covering else f"{name} ({', '.join(str(j + 1) for j in releases)}) "

    def _values(self, position: int, sensitive: str) -> list[dict[int, int]]:
        """Return what each set of classes of a release holds: how many rows of each value."""
        group, value, rows = self._people.releases[position].entries(sensitive)
        order = np.argsort(group, kind="stable")
        group, value = group[order], value[order]
        count = np.ones(len(order), dtype=np.int64) if rows is None else rows[order]
        found = []
        for homes in self._homes[position]:
            starts, ends = np.searchsorted(group, homes), np.searchsorted(group, homes, side="right")
            at = coverage.ragged(starts, ends - starts)
            held = np.bincount(value[at], weights=count[at])
            found.append({int(code): int(held[code]) for code in np.flatnonzero(held)})
        return found

    def _lines(self, kinds: dict[int, PossibleKind]) -> Register:
        """Return a register of those who stand for kinds, each in the releases of its kind."""
        line = np.full((len(self._held), len(self._listed)), _NOWHERE, dtype=np.int64)
        for position in range(len(self._held)):
            at = self._register.present(position)
            line[position, np.searchsorted(self._listed, self._register.person[at])] = at
        sets = [(code, kind.person, j) for code, kind in kinds.items() for j in kind.releases]
        code, who, release = np.array(sets, dtype=np.int32).reshape(-1, 3).T
        own = line[release, np.searchsorted(self._listed, who)]
        return replace(self._register, person=code, point=self._register.point[own], first=release, last=release)


def _largest(there: dict[int, dict[int, int]]) -> list[tuple[int, ...]]:
    """Return the largest sets of releases that have a value in common, given the values of each.

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
    """Return all releases together if values can change so that a person is in each; nothing otherwise."""
    left: Flags | None = None
    for values in there.values():
        own = np.zeros(len(transitions.weight), dtype=np.bool_)
        own[[value for value in values if value < len(own)]] = True
        left = own if left is None else own & (transitions.weight[left] > 0).any(axis=0)
    return [] if left is None or not left.any() else [tuple(there)]


def _rows(there: Sequence[dict[int, int]], *, constant: bool) -> list[int]:
    """Return how many rows those may have in each release who are in all of them."""
    common = set.intersection(*(set(values) for values in there))
    return [sum(n for value, n in values.items() if value in common or not constant) for values in there]
