"""People of whom something is known: which group holds them, or their exact quasi-identifiers, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from audit.adversary import coverage
from audit.adversary.held_series import HeldSeries, PlacedPeople, SeenRelease
from audit.adversary.record_candidates import Fitting
from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import Register
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places
from audit.model.errors import UsageError, printable
from audit.model.evidence import CandidateGroups, CandidatePools, Members, PublishedClasses, ValueCounts
from audit.runtime.phrases import joined, say


@dataclass(frozen=True)
class KnownGroups:
    """What is seen of people when it is known who is in which group: a person's pool is the group.

    Attributes:
        releases: the releases as the adversary sees them.
        sensitive: the sensitive attribute, or the combinations of several.
        values: the number of its values.
        individual: which people are no counterfeits, by person code; shape (people,).
        constant: whether values never change.
        fixed: by release and person code, the value known beforehand, -1 where none is; None where nothing is known.
        pooled: the pools of each release; none where no people are known.
    """

    releases: tuple[SeenRelease, ...]
    sensitive: str
    values: int
    individual: Flags
    constant: bool
    fixed: Sequence[Codes | None]
    pooled: tuple[CandidatePools, ...]

    def present(self, position: int) -> Codes:
        """Return the people, counterfeits left out, who are in a release."""
        people = self.releases[position].people
        return np.zeros(0, dtype=np.int32) if people is None else people.person[real_people(people, self.individual)]

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, each with a label, and which row classes fit a label."""
        people = self._placed(position)
        every = np.arange(self.releases[position].pool.size, dtype=np.int32)
        strangers = bool(people.strangers.any())
        return people.person[people.unnamed :], people.pool[people.unnamed :], Fitting(every, every, strangers)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release: of the one that does."""
        read = self.releases[position]
        if read.people is None:
            return []
        pool = read.people.pool[np.searchsorted(read.people.person, people)]
        return [(read.pool.name(code),) for code in pool.tolist()]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some pools of a release."""
        return [self.releases[position].pool.name(code) for code in groups.tolist()]

    def members(self, position: int) -> Members:
        """Return who is in which group of a release, counterfeits included."""
        people = self._placed(position)
        person, group = people.person, people.pool
        contents, at = self.pooled[position].entries(), self._fixed_of(position, person)
        if at is not None:
            rows = np.flatnonzero(at == UNKNOWN)
            person, group = person[rows], group[rows]
        size = self.releases[position].pool.size
        return Members(person, group, size, contents, self.individual, self.values)

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and the group of each person, counterfeits that keep their identity included."""
        read, people = self.releases[position], self._placed(position)
        person, pool = people.person[people.unnamed :], people.pool[people.unnamed :]
        # The class of each is known: so many people are there, counterfeits that keep their identity among them.
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
        order, number = read.pools_by_looks, np.empty(read.pool.size, dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        contents = self.entries(position)
        contents = contents._replace(bag=number[contents.bag])
        return PublishedClasses(read.pool_group, judged[order], contents, self.values, number[read.pool.codes])

    def entries(self, position: int) -> ValueCounts:
        """Return what the pools of a release publish."""
        return self.releases[position].entries(self.sensitive)

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which of some classes hold only people who are known to be in no other: none, without a register."""
        del position
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
            raise UsageError("who is in which group is known to the adversary `linked` alone")
        return people

    def _fixed_of(self, position: int, person: Codes) -> Codes | None:
        """Return the value that is known beforehand of each of some people, -1 elsewhere."""
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
        """Return people with their known values, their candidate classes, and what these can hold.

        `classes` are the pool of each, its published group, and how many rows it has.
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
    """Return the places of people who are no counterfeits."""
    if individual.all():
        return slice(people.unnamed, None)
    return people.unnamed + np.flatnonzero(individual[people.person[people.unnamed :]])


class RegisteredRelease(NamedTuple):
    """Who the register has in a release.

    Attributes:
        person: the people; shape (n,), int32.
        points: the distinct points at which they are, as places in the space.
        point: at which of these each is; shape (n,), int32.
    """

    person: Codes
    points: Places
    point: Codes


@dataclass(frozen=True)
class RegisteredPeople(KnownGroups):
    """What is seen of people when exact quasi-identifiers and presence are known: a pool is what covers a point.

    Attributes:
        space: the exact values and the points.
        lines: who is in each release.
    """

    space: coverage.Space
    lines: tuple[RegisteredRelease, ...]

    def present(self, position: int) -> Codes:
        """Return the people that the register has in a release."""
        return self.lines[position].person

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, with a label of each one's exact values, and what fits a label."""
        person, points, point = self.lines[position]
        label, row_class = coverage.covering_groups(self._classes(position), self.space, points)
        return person, point, Fitting(label.astype(np.int32), row_class)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release."""
        person, points, point = self.lines[position]
        group, row_of = self.releases[position].pool, np.zeros(len(self.individual), dtype=np.int64)
        row_of[person] = np.arange(len(person))
        used, at = np.unique(point[row_of[people]], return_inverse=True)
        place, code = coverage.covering_groups(self.homes(position), self.space, points[used])
        start = np.searchsorted(place, np.arange(len(used) + 1))
        names = [tuple(group.name(int(c)) for c in code[start[p] : start[p + 1]]) for p in range(len(used))]
        return [names[p] for p in at.tolist()]

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and which groups may hold each person of the register."""
        person, points, point = self.lines[position]
        read = self.releases[position]
        place, around = coverage.covering_groups(self._classes(position), self.space, points)
        covered = np.bincount(place, minlength=len(points))
        start = np.zeros(len(person) + 1, dtype=np.int64)
        np.cumsum(covered[point], out=start[1:])
        row_class = around[coverage.ragged((np.cumsum(covered) - covered)[point], covered[point])]
        classes = (read.class_pool, read.classes.group, read.rows(read.classes.row))
        return self._hosts(position, person, (start, row_class), classes, read.capacity)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it; strangers are there where it has more people than the register."""
        read = self.releases[position]
        people = read.release.people - int(read.counterfeits.sum())
        return replace(super().published(position), strangers=len(self.present(position)) < people)

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which of some classes have no more people than those who can be in no other.

        They are found themselves where the class has one value.
        """
        read, (_, points, point) = self.releases[position], self.lines[position]
        place, home = coverage.covering_groups(self.homes(position), self.space, points)
        alone = np.bincount(place, minlength=len(points))[place] == 1
        people = np.bincount(point, minlength=len(points))
        rows, group = read.rows(read.pool), read.pool_group
        sole = np.zeros(len(rows), dtype=np.int64)
        np.add.at(sole, home[alone], people[place[alone]])
        surely = np.maximum(read.counterfeits[group] - (read.rows(read.release.group)[group] - rows), 0)
        return (sole >= rows - surely)[read.pools_by_looks[classes]]

    def homes(self, position: int) -> coverage.Boxes:
        """Return the boxes of a release that may hold a person, by pool."""
        read = self.releases[position]
        return boxes_of(read, read.class_pool, read.capacity[read.classes.group] > 0)

    def _classes(self, position: int) -> coverage.Boxes:
        """Return the same boxes, by row class."""
        read = self.releases[position]
        own = np.arange(len(read.classes.group), dtype=np.int32)
        return boxes_of(read, own, read.capacity[read.classes.group] > 0)


def lines_of(register: Register, releases: int) -> tuple[RegisteredRelease, ...]:
    """Return who a register has in each release."""
    found = (register.present(position) for position in range(releases))
    return tuple(RegisteredRelease(register.person[at], *register.places(at)) for at in found)


def boxes_of(read: SeenRelease, of_class: Codes, kept: Flags) -> coverage.Boxes:
    """Return the cells of some classes of a release as boxes; `of_class` is what each is counted by, ascending."""
    if read.cells is None:
        raise AssertionError("a register's releases have cells")
    number = of_class[kept]
    return coverage.Boxes(number, read.cells[kept], single=bool(np.diff(number).all()))


def population(held: HeldSeries, people: KnownGroups, position: int) -> Counts | None:
    """Return how many people of the whole register each group's cells fit, in the release or not; shape (groups,).

    Each person counts once, with the values of the latest line that has begun, else of the first; a group's
    counterfeits count too, since they look like people. None where there are too many pairs of people and groups to
    try, or without a register.
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


def why_uncovered(
    attributes: Sequence[QuasiIdentifier], register: Register, space: coverage.Space, read: SeenRelease, lines: Places
) -> str:
    """Return what no cell of a release contains of what the people of some lines have, the most frequent first.

    It is one value of one column: no one is singled out by it more than by the line itself.
    """
    if read.cells is None:
        raise AssertionError("a register's releases have cells")
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
    attribute = attributes[place]
    cells = [printable(attribute.texts[cell]) for cell in np.unique(read.cells[:, place]).tolist()]
    return say(
        'no cell of "{column}" in release {release} contains {value} (cells: {cells}); is it written otherwise in the '
        "register?",
        column=printable(attribute.name),
        release=printable(read.release.tag),
        value=printable(register.values[place][value]),
        cells=joined(cells, _CELLS_SHOWN),
    )
