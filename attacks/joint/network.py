"""The constraint network of a series: variables, their columns (choices), and rows with capacities that columns take.

A *variable* is what an adversary wants to know. If a person's value never changes and the person has one place in each
release, the variable is the value; otherwise there is a variable for each version: value and place in one release. A
*column* is a choice of a variable. It takes one unit of each of its *rows*: a row stands for all published rows of a
group with one value, or for the places of a row class, and its *capacity* is the number of people who can take it. The
rows of one *constraint* (usually those of a group) share their members: each member takes exactly one of them, a global
cardinality constraint (Regin, AAAI 1996). *Links* join the variables of consecutive versions of a person.

One representation serves both adversaries, constant and changing values, and any number of values. A world is one
column for each variable such that no row is taken more often than its capacity, and all links are kept.

`consistent` keeps the columns on a path through all versions of their person; `OpenPlaces` holds which people may be in
which row class of one release, and how many people each row class can hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.core import OpenSubproblem
from audit.model.arrays import Codes, Flags, Integers, Numbers, component_of, flagged, segments, starts
from audit.model.evidence import Evidence, Transitions

NEVER = np.int64(1) << 60
# The most cells of a table of versions by classes of values that is held at a time.
_AT_A_TIME = 1 << 24


def chain_positions(link: Integers) -> Numbers:
    """Return the position of each link in its chain, from 0; shape (links,). Links of a chain follow one another.

    >>> chain_positions(np.array([[0, 1], [1, 2], [5, 6]])).tolist()
    [0, 1, 0]
    """
    first = np.ones(len(link), dtype=np.bool_)
    first[1:] = link[1:, 0] != link[:-1, 1]
    at = np.flatnonzero(first)
    return np.arange(len(link), dtype=np.int64) - np.repeat(at, np.diff(np.append(at, len(link))))


def consistent(owner: Integers, value_class: Integers, alive: Flags, link: Integers, may: Flags | None) -> Flags:
    """Return which of the remaining columns are on a path through all versions of their person; shape (columns,), bool.

    Args:
        owner: the variable of each column, ascending; shape (columns,).
        value_class: its class of values; of the same shape.
        alive: which columns remain; of the same shape.
        link: pairs of variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: whether a class may be followed by another, shape (classes, classes); None if they must be equal.
    """
    found = alive.copy()
    heads = np.append(np.flatnonzero(chain_positions(link) == 0), len(link))
    cells = int(owner.max(initial=0)) * (int(value_class.max(initial=0)) + 1)
    for chunk in np.array_split(np.arange(len(heads) - 1), max(1, cells // _AT_A_TIME)):
        if len(chunk):
            chains = link[heads[chunk[0]] : heads[chunk[-1] + 1]]
            low = int(chains[0, 0])
            columns = slice(*np.searchsorted(owner, [low, int(chains[-1, 1]) + 1]).tolist())
            cost = np.where(alive[columns], 0, NEVER)
            found[columns] = cheapest(owner[columns] - low, value_class[columns], cost, chains - low, may) < NEVER
    return found


def cheapest(owner: Integers, value_class: Integers, cost: Numbers, link: Integers, may: Flags | None) -> Numbers:
    """Return the cost of the cheapest path through a person's versions with each column; shape (columns,), int64.

    The cost is `NEVER` if no path has the column.

    Args:
        owner: the variable of each column; shape (columns,).
        value_class: its class of values; of the same shape.
        cost: the cost of each column by itself, at most `NEVER`; of the same shape.
        link: pairs of variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: whether a class may be followed by another, shape (classes, classes); None if they must be equal.
    """
    if not len(link):
        return cost
    classes = int(value_class.max(initial=0)) + 1 if may is None else len(may)
    own = np.full((int(owner.max(initial=-1)) + 1, classes), NEVER)
    np.minimum.at(own, (owner, value_class), cost)
    before, after = own.copy(), np.zeros_like(own)
    position = chain_positions(link)
    layers = np.split(np.argsort(position, kind="stable"), starts(np.bincount(position))[1:-1])
    for earlier, later in (link[layer].T for layer in layers):
        before[later] = np.minimum(_stepped(before[earlier], may) + own[later], NEVER)
    for earlier, later in (link[layer].T for layer in layers[::-1]):
        after[earlier] = _stepped(np.minimum(after[later] + own[later], NEVER), None if may is None else may.T)
    found: Numbers = np.minimum((before - own + after)[owner, value_class] + cost, NEVER)
    return found


def _stepped(costs: Numbers, may: Flags | None) -> Numbers:
    """Return the least cost of reaching each class of values one version later; shape (versions, classes)."""
    if may is None:
        return costs
    found = np.full_like(costs, NEVER)
    for each, cost in zip(may, costs.T, strict=True):
        np.minimum(found, np.where(each, cost[:, np.newaxis], NEVER), out=found)
    return found


PLACES, GROUP = -1, -2
"""Stand for the class of values in rows that are the places of a row class, or of a whole published group."""


@dataclass(frozen=True)
class Versions:
    """All versions, each a person in a release, sorted by release.

    Attributes:
        person, release: their codes; shape (versions,), int32.
        counted: whether measures count it: it is no counterfeit, and its value is not known beforehand; (versions,).
        variable: the variable that is its value; shape (versions,), int64.
        entry: which of the rows of the variable's columns belongs to this release, counted from 0; -1 if row class and
            value are known; shape (versions,), int64.
        group: the group, if the person can be in only one row class, else -1; shape (versions,), int64.
    """

    person: Codes
    release: Codes
    counted: Flags
    variable: Numbers
    entry: Numbers
    group: Numbers

    def of(self, release: int) -> slice:
        """Return the places of the versions of a release."""
        return slice(*np.searchsorted(self.release, [release, release + 1]).tolist())


@dataclass(frozen=True, kw_only=True)
class ConstraintNetwork(OpenSubproblem):
    """All variables of a series; their columns are the choices that the person's own groups leave.

    Columns of a variable are ascending by class of values, and take rows of the same blocks in the same order. Rows of
    a block belong to one constraint.

    Attributes:
        versions: all versions and their variables.
        class_of: the class of each value: values of a class may follow one another freely; shape (values,), int32.
        contents: the contents of the groups of each release.
        first_row: the first row of each release, whose rows are its pairs of a group and a class; (releases + 1,).
        row_release, row_group, row_value_class: the release, group and class of values of each row; shape (rows,). If
            `row_value_class` is `PLACES`, `row_group` is a row class; if it is `GROUP`, a published group.
        hint: the column of each variable in what may be a world, -1 if none is known; shape (variables,).
        weighs_alike: whether all worlds have the same weight: values never change.
    """

    versions: Versions
    class_of: Codes
    contents: tuple[GroupValues, ...]
    first_row: Numbers
    row_release: Integers
    row_group: Integers
    row_value_class: Integers
    hint: Numbers
    weighs_alike: bool

    @cached_property
    def plain(self) -> bool:
        """Whether each class of values is one value."""
        return int(self.class_of.max(initial=-1)) + 1 == len(self.class_of)

    def even(self, larger_than: int) -> Flags:
        """Return the variables of even parts, if one of these is larger than given; shape (variables,), bool.

        In an even part, the members of each group may have exactly the group's values, and each value is published
        equally often, so that any world can be changed into others by exchanging values (m-invariance paper, Lemma 3).
        The hint must be a world of it. Weights of worlds are not considered.

        Args:
            larger_than: a number of variables; if no even part has more, no variable is returned.
        """
        size, constraints = np.diff(self.start), int(self.block.max(initial=-1)) + 1
        if len(self.link) or self.repeats or not size.all():
            return np.zeros(self.variables, dtype=np.bool_)
        entry = self.row[segments(self.row_start, self.start[:-1])]
        variable = np.repeat(np.arange(self.variables), np.diff(self.row_start)[self.start[:-1]])
        most, least = np.zeros(constraints, dtype=np.int64), np.full(constraints, np.iinfo(np.int64).max)
        np.maximum.at(most, self.block, self.capacity)
        np.minimum.at(least, self.block, self.capacity)
        uneven, of = most > least, self.block[entry]
        uneven[of[size[variable] != np.bincount(self.block, minlength=constraints)[of]]] = True
        uneven[of[self.hint[variable] < 0]] = True
        hinted = self.row[segments(self.row_start, self.hint[self.hint >= 0])]
        uneven[self.block[np.bincount(hinted, minlength=len(self.capacity)) > self.capacity]] = True
        label = component_of(variable, self.variables + of, self.variables + constraints)
        wrong = flagged(label[self.variables :][uneven], int(label.max(initial=-1)) + 1)
        part = label[: self.variables]
        found = ~wrong[part] & (size > 1)
        return found & (np.bincount(part[found], minlength=1).max() > larger_than)


class GroupValues:
    """The contents of the groups of one release, without the rows of people with known row class and value.

    Attributes:
        group, value_class: the existing pairs of a group and a class of values, sorted; shape (pairs,).
        rows: the number of rows of each pair; shape (pairs,).
        values: the number of different values of each pair; shape (pairs,).
        begin: the first pair of each group; shape (groups + 1,).
        place: the pair of each group and class, -1 if there is none; shape (groups, classes), int32.
        value_group, value, value_rows: the existing pairs of a group and a value, and their rows, sorted; (values,).
        groups, classes: the numbers of groups and of classes of values.
    """

    def __init__(self, table: Integers, class_of: Codes) -> None:
        group, value = np.nonzero(table > 0)
        rows = table[group, value].astype(np.int64)
        self.classes = int(class_of.max(initial=0)) + 1
        self.groups = len(table)
        self.value_group, self.value, self.value_rows = group, value, rows
        key = group * self.classes + class_of[value]
        if self.classes < len(class_of):
            keys, place = np.unique(key, return_inverse=True)
            self.rows = np.bincount(place, weights=rows, minlength=len(keys)).astype(np.int64)
            self.values = np.bincount(place, minlength=len(keys))
        else:
            keys, self.rows, self.values = key, rows, np.ones(len(key), dtype=np.int64)
        self.group, self.value_class = keys // self.classes, (keys % self.classes).astype(np.int32)
        self.begin = starts(np.bincount(self.group, minlength=self.groups))
        self.place = np.full((self.groups, self.classes), -1, dtype=np.int32)
        self.place[self.group, self.value_class] = np.arange(len(keys))


def value_classes_of(transitions: Transitions | None, values: int) -> Codes | None:
    """Return the class of each value: exactly the values of one class may follow one another; shape (values,), int32.

    None if values do not form such classes, or if the probabilities between the values of a class are not all equal:
    then exchanging values would change the weight of a world.

    >>> block = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    >>> value_classes_of(Transitions(block, {}, np.ones(3, dtype=bool)), 3).tolist()
    [0, 0, 1]
    >>> value_classes_of(Transitions(block * [[1], [0.5], [1]], {}, np.ones(3, dtype=bool)), 3)
    """
    if transitions is None:
        return np.arange(values, dtype=np.int32)
    weight = transitions.weight[:values, :values]
    _, first, place = np.unique(weight > 0, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    same = place[:, np.newaxis] == place
    if not np.array_equal(weight > 0, same):
        return None
    lightest, heaviest = np.full(len(first), np.inf), np.zeros(len(first))
    np.minimum.at(lightest, place, np.where(same, weight, np.inf).min(axis=1))
    np.maximum.at(heaviest, place, weight.max(axis=1))
    if (lightest < heaviest).any():
        return None
    # Classes are numbered by their first values, which keeps the order of values.
    rank = np.argsort(np.argsort(first))
    found: Codes = rank[place].astype(np.int32)
    return found


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

    def __init__(self, evidence: Evidence, release: int, class_of: Codes) -> None:
        seen = evidence.source.candidate_groups(release)
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
        self.contents = GroupValues(table, class_of)

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
    value_class: Integers


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
    split = flagged(place.published[several], published)
    of_class, of_group = shares(place, place.group, groups)[place.group], shares(place, place.published, published)
    own, found = np.arange(len(place.group)), list[tuple[RowTable, Numbers]]()
    for code, share, of, capacity, factor, counterfeits in (
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
        kept = np.flatnonzero(np.isin(share, share[of[place.place[place.start[:-1][unsure]]]]))
        row = np.full(len(share), -1, dtype=np.int64)
        row[kept] = first_row + np.arange(len(kept))
        first_row += len(kept)
        block = np.unique(share[kept], return_inverse=True)[1]
        table = RowTable(
            np.maximum(capacity[kept], 0), factor[kept], counterfeits[kept], block, kept, np.full_like(kept, code)
        )
        found.append((table, row[of]))
    return found
