"""One release for the network: who may be where, and how many people fit there."""

from __future__ import annotations

import numpy as np

from attacks.graphs import component_of
from attacks.joint.arrays import Integers, Numbers, segments
from attacks.joint.network import GROUP, PLACES, GroupValues
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence


class OpenPlaces:
    """One release: who may be where, less the people whose place and value are known.

    Attributes:
        person: everybody in the release; shape (n,).
        fixed: the value of each that is known, else -1; shape (n,).
        counted: who takes part in measures; shape (n,).
        start, place: the row classes that may hold each; shapes (n + 1,) and (candidates,).
        group: the group whose values each row class has; shape (classes,).
        published: the published group of each row class; likewise.
        capacity, rows: how many people each row class can hold, and its rows; likewise.
        whole, whole_rows: the same of each published group.
        contents: what the groups hold.
        single: who can be in one row class alone; shape (n,).
        seated: whose value is to be found out, or at least the place; shape (n,).
    """

    def __init__(self, evidence: Evidence, release: int, kind_of: Codes) -> None:
        seen = evidence.source.hosts(release)
        table = seen.contents.tabled(seen.n_groups, seen.values).astype(np.int64)
        self.person, self.fixed, self.start, self.place = seen.person, seen.fixed, seen.start, seen.row_class
        self.counted = seen.individual[seen.person] & (seen.fixed < 0)
        self.group, self.published = seen.class_group, seen.published_group
        self.single = np.diff(self.start) == 1
        sure = self.single & (self.fixed >= 0)
        self.seated = ~sure
        place = self.place[self.start[:-1][sure]]
        np.subtract.at(table, (self.group[place], self.fixed[sure]), 1)
        known = np.bincount(place, minlength=len(self.group))
        self.capacity, self.rows = seen.class_capacity - known, seen.class_rows - known
        known = np.bincount(self.published[place], minlength=len(seen.group_capacity))
        self.whole = seen.group_capacity - known
        self.whole_rows = (
            np.bincount(self.published, weights=seen.class_rows, minlength=len(known)).astype(np.int64) - known
        )
        self.contents = GroupValues(table, kind_of)

    def homes(self) -> Numbers:
        """Return the group of everybody who can be in one row class alone, -1 for the others."""
        found = np.full(len(self.person), -1, dtype=np.int64)
        found[self.single] = self.home(np.flatnonzero(self.single))
        return found

    def home(self, some: Integers) -> Numbers:
        """Return the group of some people who can be in one row class alone."""
        found: Numbers = self.group[self.place[self.start[:-1][some]]].astype(np.int64)
        return found


def shares(place: OpenPlaces, of: Integers, groups: int) -> Numbers:
    """Return the number of each group's constraint: groups that may hold the same person are in one.

    Args:
        place: the release.
        of: the group of each row class.
        groups: how many groups.
    """
    if place.single.all():
        return np.arange(groups)
    group = of[place.place]
    first = np.repeat(group[place.start[:-1]], np.diff(place.start))
    return component_of(first, group, groups)


class PlaceRows:
    """Rows for the places of row classes and of published groups in one release, where these say something.

    They do where they are fewer than might be wanted. They also say how many worlds there are, where counterfeits are
    published, whose rows can be chosen in the fewer ways the more people are there, and in an Anatomy pair whose groups
    have several row classes: each person has one of the rows of a class, and the values of a group that are left can be
    given to its other rows in any order.

    Attributes:
        number, constraints: how many rows, and how many constraints.
        capacity, factor, fakes, constraint, what, kind: as in the network, constraints counted from 0.
    """

    def __init__(self, place: OpenPlaces, staying: Flags, first_row: int) -> None:
        others = np.flatnonzero(~staying & place.seated)
        several = np.flatnonzero(np.diff(place.start)[others] > 1)
        self._rows: list[Numbers] = []
        self.capacity, self.factor, self.fakes, self.constraint, self.what, self.kind = (
            np.zeros(0, dtype=np.int64) for _ in range(6)
        )
        self.constraints = 0
        if len(several):
            self._look(place, (staying, others, others[several]), first_row)
        self.number = len(self.capacity)

    def _look(self, place: OpenPlaces, people: tuple[Flags, Numbers, Numbers], first_row: int) -> None:
        staying, others, unsure = people
        groups, published = place.contents.groups, len(place.whole)
        # People who keep their values and have one place there take it in any case.
        there = np.bincount(place.place[place.start[:-1][staying & place.seated]], minlength=len(place.group))
        wanted = np.bincount(place.place[segments(place.start, others)], minlength=len(place.group))
        held = np.bincount(place.contents.group, weights=place.contents.rows, minlength=groups)
        held -= np.bincount(place.group, weights=there, minlength=groups)
        apart = (np.bincount(place.group, minlength=groups) > 1)[place.group]
        free = place.capacity - there
        share = shares(place, place.group, groups)[place.group]
        first = place.place[place.start[:-1][unsure]]
        limits = (free, np.where(apart, place.rows - there, 0), np.zeros_like(free))
        self._add(
            share, share[first], limits, (free < np.minimum(wanted, held[place.group])) | apart, PLACES, first_row
        )
        taken = np.bincount(place.published, weights=there, minlength=published).astype(np.int64)
        left, rows = place.whole - taken, place.whole_rows - taken
        wished = np.bincount(place.published, weights=np.minimum(wanted, free), minlength=published)
        split = np.zeros(published, dtype=np.bool_)
        split[place.published[apart]] = True
        share = shares(place, place.published, published)
        fakes = place.whole_rows - place.whole
        limits = (left, np.where(split, -rows, 0), fakes)
        said = (left < wished) | split | (fakes > 0)
        self._add(share, share[place.published[first]], limits, said, GROUP, first_row)

    def _add(
        self,
        share: Numbers,
        moving: Numbers,
        limits: tuple[Numbers, Numbers, Numbers],
        wanted: Flags,
        kind: int,
        first_row: int,
    ) -> None:
        """Add a row for each class, or group, of the constraints in which some say something to people who may move."""
        capacity, factor, fakes = limits
        size = int(share.max(initial=-1)) + 1
        said, moves = (np.zeros(size, dtype=np.bool_) for _ in range(2))
        said[share[wanted]] = True
        moves[moving] = True
        some = np.flatnonzero((said & moves)[share])
        row = np.full(len(share), -1, dtype=np.int64)
        row[some] = first_row + len(self.capacity) + np.arange(len(some))
        self._rows.append(row)
        distinct, number = np.unique(share[some], return_inverse=True)
        self.capacity = np.concatenate([self.capacity, np.maximum(capacity[some], 0)])
        self.factor = np.concatenate([self.factor, factor[some]])
        self.fakes = np.concatenate([self.fakes, fakes[some]])
        self.constraint = np.concatenate([self.constraint, self.constraints + number])
        self.what = np.concatenate([self.what, some])
        self.kind = np.concatenate([self.kind, np.full(len(some), kind)])
        self.constraints += len(distinct)

    def of(self, place: OpenPlaces, where: Integers) -> list[tuple[Flags, Numbers]]:
        """Return the rows that row classes of columns take, of classes and of groups, and whether there are any."""
        taken = [row[each] for row, each in zip(self._rows, (where, place.published[where]), strict=False)]
        return [(row >= 0, row) for row in taken]
