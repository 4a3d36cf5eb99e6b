"""People whose exact quasi-identifiers are known: they may be in all the groups whose boxes cover them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from audit.adversary import coverage
from audit.adversary.held_series import HeldSeries
from audit.adversary.known_groups import KnownGroups
from audit.adversary.record_candidates import Fitting
from audit.adversary.seen_release import SeenRelease
from audit.io.background_knowledge import Register
from audit.model.arrays import Codes, Counts, Flags, Places
from audit.model.evidence import CandidateGroups, PublishedClasses


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
