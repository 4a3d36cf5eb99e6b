"""Places: who may be in which row class of one release, and how many people fit there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.graphs import component_of
from attacks.joint.network import GROUP, PLACES, GroupValues
from audit.model.arrays import Codes, Flags, Integers, Numbers
from audit.model.evidence import Evidence


class OpenPlaces:
    """One release: who may be where, less the people whose place and value are known.

    Attributes:
        person: the people in the release; shape (n,).
        fixed: the value of each that is known, else -1; shape (n,).
        counted: who takes part in measures; shape (n,).
        start, place: the row classes that may hold each; shapes (n + 1,) and (candidates,).
        group: the group whose values each row class has; shape (classes,).
        published: the published group of each row class; of the same shape.
        capacity, rows: how many people each row class can hold, and its rows; of the same shape.
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
        """Return the group of each person who can be in only one row class, -1 for the others."""
        found = np.full(len(self.person), -1, dtype=np.int64)
        found[self.single] = self.home(np.flatnonzero(self.single))
        return found

    def home(self, some: Integers) -> Numbers:
        """Return the group of some people who can be in only one row class."""
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


@dataclass(frozen=True)
class RowTable:
    """Some rows of one release, as in the network; blocks are counted from 0."""

    capacity: Numbers
    factor: Numbers
    fakes: Numbers
    block: Numbers
    group: Integers
    kind: Integers


def place_rows(place: OpenPlaces, keeping: Flags, first_row: int) -> list[tuple[RowTable, Numbers]]:
    """Return rows for the places of row classes and of published groups, and the row that each row class takes.

    There are some for people who may be in several. They also say how many worlds there are: the more people are there,
    the fewer rows are left for published counterfeits; and in an Anatomy pair whose groups have several row classes
    each person has one of the rows of a class, and the values of a group that are left can be given to its other rows
    in any order.

    Args:
        place: the release.
        keeping: which of its people keep their values and have one place in each release; they take it in any case.
        first_row: the number of the first of the rows.
    """
    unsure = np.flatnonzero(~keeping & place.seated & ~place.single)
    if not len(unsure):
        return []
    groups, published = place.contents.groups, len(place.whole)
    there = np.bincount(place.place[place.start[:-1][keeping & place.seated]], minlength=len(place.group))
    several = (np.bincount(place.group, minlength=groups) > 1)[place.group]
    taken = np.bincount(place.published, weights=there, minlength=published).astype(np.int64)
    split = np.zeros(published, dtype=np.bool_)
    split[place.published[several]] = True
    of_class, of_group = shares(place, place.group, groups)[place.group], shares(place, place.published, published)
    own, found = np.arange(len(place.group)), list[tuple[RowTable, Numbers]]()
    for kind, share, of, capacity, factor, fakes in (
        (PLACES, of_class, own, place.capacity - there, np.where(several, place.rows - there, 0), np.zeros_like(own)),
        (
            GROUP,
            of_group,
            place.published,
            place.whole - taken,
            np.where(split, taken - place.whole_rows, 0),
            place.whole_rows - place.whole,
        ),
    ):
        some = np.flatnonzero(np.isin(share, share[of[place.place[place.start[:-1][unsure]]]]))
        row = np.full(len(share), -1, dtype=np.int64)
        row[some] = first_row + np.arange(len(some))
        first_row += len(some)
        block = np.unique(share[some], return_inverse=True)[1]
        table = RowTable(
            np.maximum(capacity[some], 0), factor[some], fakes[some], block, some, np.full(len(some), kind)
        )
        found.append((table, row[of]))
    return found
