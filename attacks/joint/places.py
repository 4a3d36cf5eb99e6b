"""Places: which people may be in which row class of one release, and how many people each row class can hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.network import GROUP, PLACES, GroupValues
from attacks.ragged import component_of
from audit.model.arrays import Codes, Flags, Integers, Numbers
from audit.model.evidence import Evidence


class OpenPlaces:
    """The row classes of one release that may hold each person; people with known row class and value take up no place.

    Attributes:
        person: the people in the release; shape (n,).
        fixed: the known value of each person, else -1; shape (n,).
        counted: whether measures count the person; shape (n,).
        start, place: where the candidate row classes of each person begin, and these; (n + 1,) and (candidates,).
        group: the group whose values each row class has; shape (classes,).
        published: the published group of each row class; shape (classes,).
        capacity, rows: how many people each row class can still hold, and its remaining rows; shape (classes,).
        whole, whole_rows: the same for each published group; shape (published groups,).
        contents: the remaining contents of the groups.
        single: whether the person has only one candidate row class; shape (n,).
        seated: whether the row class or the value of the person is unknown; shape (n,).
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
        """Return the group of each person with only one candidate row class, -1 for others; shape (n,), int64."""
        found = np.full(len(self.person), -1, dtype=np.int64)
        found[self.single] = self.home(np.flatnonzero(self.single))
        return found

    def home(self, people: Integers) -> Numbers:
        """Return the groups of some people with only one candidate row class, given by their places in `person`."""
        found: Numbers = self.group[self.place[self.start[:-1][people]]].astype(np.int64)
        return found


def shares(place: OpenPlaces, of: Integers, groups: int) -> Numbers:
    """Return the constraint of each group; groups that may hold the same person share one; shape (groups,).

    Args:
        place: the release.
        of: the group of each row class; shape (classes,).
        groups: the number of groups.
    """
    if place.single.all():
        return np.arange(groups)
    group = of[place.place]
    first = np.repeat(group[place.start[:-1]], np.diff(place.start))
    return component_of(first, group, groups)


@dataclass(frozen=True)
class RowTable:
    """Some rows of one release, with the attributes of `ConstraintNetwork`; blocks are counted from 0."""

    capacity: Numbers
    factor: Numbers
    counterfeits: Numbers
    block: Numbers
    group: Integers
    kind: Integers


def place_rows(place: OpenPlaces, keeping: Flags, first_row: int) -> list[tuple[RowTable, Numbers]]:
    """Return network rows for the places of row classes and of published groups, if people have several candidates.

    These rows limit how many people are in a row class, and in a published group. They also matter for the number of
    worlds: the more people a group holds, the fewer of its rows can be counterfeits; and if the groups of an Anatomy
    pair have several row classes, each person has one of the rows of a class, and the other rows of the group take its
    remaining values in any order.

    Args:
        place: the release.
        keeping: which people are variables of their own and so have one place in each release; shape (n,), bool.
        first_row: the number that the first of the rows gets.

    Returns:
        For row classes and for published groups: the rows, and the row that each row class takes, -1 for none.
    """
    unsure = np.flatnonzero(~keeping & place.seated & ~place.single)
    if not len(unsure):
        return []
    groups, published = place.contents.groups, len(place.whole)
    held = np.bincount(place.place[place.start[:-1][keeping & place.seated]], minlength=len(place.group))
    several = (np.bincount(place.group, minlength=groups) > 1)[place.group]
    taken = np.bincount(place.published, weights=held, minlength=published).astype(np.int64)
    split = np.zeros(published, dtype=np.bool_)
    split[place.published[several]] = True
    of_class, of_group = shares(place, place.group, groups)[place.group], shares(place, place.published, published)
    own, found = np.arange(len(place.group)), list[tuple[RowTable, Numbers]]()
    for kind, share, of, capacity, factor, counterfeits in (
        (PLACES, of_class, own, place.capacity - held, np.where(several, place.rows - held, 0), np.zeros_like(own)),
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
            np.maximum(capacity[some], 0), factor[some], counterfeits[some], block, some, np.full(len(some), kind)
        )
        found.append((table, row[of]))
    return found
