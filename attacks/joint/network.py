"""The constraint network of a series: variables, their choices, the rows that a choice takes, and how many there are.

A *variable* is what is to be found out: the value of a person, where it never changes and each release has one place
for the person; else the value and the place in one release, a version. A *column* is a choice of a variable. It takes
one of each of its *rows*: a row stands for all published rows of a group with one value, or for the places of a row
class, and its *capacity* says how many people can take it. The rows of one *constraint* (those of a group, as a rule)
share its members: each member takes exactly one of them, a global cardinality constraint (Regin, AAAI 1996). *Links*
bind the variables of consecutive versions of a person.

One representation serves both adversaries, values that stay and values that change, and any number of values. A world
is one column for each variable so that no row is taken too often and all links are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.arrays import Integers, Lookup, Numbers, ragged, starts
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Transitions

PLACES, GROUP = -1, -2
"""What stands for the class of values in rows that are the places of a row class, or of a whole group."""


@dataclass(frozen=True)
class Versions:
    """Every person in every release.

    Attributes:
        person, release: codes, by release; shape (versions,), int32.
        counted: whether it takes part in measures: no counterfeit, and no value known beforehand.
        variable: which variable tells its value; shape (versions,), int64.
        entry: which of the rows of the variable's columns is the one in this release, -1 where the value is known.
        group: the group of each that can be in one alone, -1 for the others; shape (versions,).
    """

    person: Codes
    release: Codes
    counted: Flags
    variable: Numbers
    entry: Numbers
    group: Numbers


@dataclass(frozen=True)
class ConstraintNetwork:
    """Variables with their columns, which are what everybody's own groups leave, and the rows that these take.

    Attributes:
        versions: which variable tells the value of whom and when.
        kind_of: the class of each value: values of one class may follow one another at will; shape (values,), int32.
        contents: what the groups of each release hold.
        first_row: the first row of each release; its pairs of a group and a class follow one another.
        start: where the columns of each variable begin; shape (variables + 1,).
        kind: the class of values of each column, ascending for each variable; shape (columns,), int32.
        row_start, row: where the rows of each column begin, and these, in the same order of constraints for all columns
            of a variable; shapes (columns + 1,) and (entries,).
        capacity: how often each row can be taken; shape (rows,).
        factor: with `t` of it taken, a row of factor `f > 0` stands for `f (f - 1) ... (f - t + 1)` ways to do so, one
            of factor `-f` for one over that, and one of factor 0 for one way; shape (rows,).
        fakes: how many of the places beyond `capacity` are published as counterfeits, whose rows are chosen among those
            that nobody takes: one more taken where `c` can be taken leaves `c / (c + fakes)` of the choices; likewise.
        constraint: which constraint each row belongs to; shape (rows,).
        row_release, row_group, row_kind: what a row stands for. `row_kind` is `PLACES` for a row class and `GROUP` for
            all places of a group, and `row_group` then that class or group; shape (rows,).
        link: variables of consecutive versions of a person; shape (links, 2). may: which class of values may follow
        which; None where they have to be equal; shape (kinds, kinds). free: which variables have no rows here: all
        members of all their groups may have exactly the values of the group,
            which are equally frequent, and a world is known: values can be exchanged in it; shape (variables,).
        hint: a column of each variable in what may be a world, -1 where none is told; shape (variables,).
    """

    versions: Versions
    kind_of: Codes
    contents: tuple[GroupValues, ...]
    first_row: Numbers
    start: Numbers
    kind: Codes
    row_start: Numbers
    row: Numbers
    capacity: Numbers
    factor: Numbers
    fakes: Numbers
    constraint: Numbers
    row_release: Integers
    row_group: Integers
    row_kind: Integers
    link: Numbers
    may: Flags | None
    free: Flags
    hint: Numbers

    @property
    def variables(self) -> int:
        """Number of variables."""
        return len(self.start) - 1

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.kind)

    @cached_property
    def plain(self) -> bool:
        """Whether each class of values is one value."""
        return int(self.kind_of.max(initial=-1)) + 1 == len(self.kind_of)

    @cached_property
    def owner(self) -> Numbers:
        """The variable of each column."""
        return np.repeat(np.arange(self.variables), np.diff(self.start))

    @cached_property
    def repeats(self) -> bool:
        """Whether some variable has several columns of one class of values, which then follow one another."""
        return bool(((self.kind[1:] == self.kind[:-1]) & (self.owner[1:] == self.owner[:-1])).any())

    def counted(self, some: Flags) -> Numbers:
        """Return how many of some columns each variable has; shape (variables,)."""
        before = starts(some.view(np.int8))[self.start]
        return before[1:] - before[:-1]

    def fits(self, chosen: Numbers, alive: Flags) -> bool:
        """Return whether a column for each of some variables, -1 for the others, leaves no row taken too often."""
        some = chosen[chosen >= 0]
        first, last = self.row_start[some], self.row_start[some + 1]
        taken = np.bincount(self.row[ragged(first, last - first)], minlength=len(self.capacity))
        return bool(alive[some].all() and (taken <= self.capacity).all())


class GroupValues:
    """What the groups of one release hold, less the rows of people who are known to have them.

    Attributes:
        group, kind: the pairs of a group and a class of values that there are, in order; shape (pairs,).
        rows: how many rows each has; shape (pairs,).
        values: how many different values; likewise.
        kinds: number of classes of values.
    """

    def __init__(self, table: Integers, kind_of: Codes) -> None:
        group, value = np.nonzero(table > 0)
        rows = table[group, value].astype(np.int64)
        self.kinds = int(kind_of.max(initial=0)) + 1
        self.groups = len(table)
        self.value_group, self.value, self.value_rows = group, value, rows
        key = group * self.kinds + kind_of[value]
        if self.kinds < len(kind_of):
            keys, place = np.unique(key, return_inverse=True)
            self.rows = np.bincount(place, weights=rows, minlength=len(keys)).astype(np.int64)
            self.values = np.bincount(place, minlength=len(keys))
        else:
            keys, self.rows, self.values = key, rows, np.ones(len(key), dtype=np.int64)
        self.group, self.kind = keys // self.kinds, (keys % self.kinds).astype(np.int32)
        self.begin = starts(np.bincount(self.group, minlength=self.groups))
        self._find = Lookup(keys, self.groups * self.kinds)

    def find(self, group: Integers, kind: Integers) -> Numbers:
        """Return the places of pairs, -1 where a group has no row of the class."""
        return self._find(group.astype(np.int64) * self.kinds + kind)


def kinds_of(transitions: Transitions | None, values: int) -> Codes | None:
    """Return the class of each value where values of a class may follow one another at will; None where there is none.

    The probabilities within a class have to be equal, of each member to each, so that exchanging values does not change
    the weight of a world.

    >>> block = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    >>> kinds_of(Transitions(block, {}, np.ones(3, dtype=bool)), 3).tolist()
    [0, 0, 1]
    >>> kinds_of(Transitions(block * [[1], [0.5], [1]], {}, np.ones(3, dtype=bool)), 3)
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
    # Numbered by their first values, so that the order of values stays.
    rank = np.argsort(np.argsort(first))
    found: Codes = rank[place].astype(np.int32)
    return found
