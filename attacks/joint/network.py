"""The constraint network of a series: variables, their choices, the rows that a choice takes, and how many there are.

A *variable* is what is to be found out: the value of a person, where it never changes and each release has one place
for the person; else the value and the place in one release, a version. A *column* is a choice of a variable. It takes
one of each of its *rows*: a row represents all published rows of a group with one value, or for the places of a row
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

from attacks.graphs import component_of
from attacks.joint.core import OpenSubproblem
from attacks.ragged import segments, starts
from audit.model.arrays import Codes, Flags, Integers, Numbers
from audit.model.evidence import Transitions

PLACES, GROUP = -1, -2
"""What stands for the class of values in rows that are the places of a row class, or of a whole group."""


@dataclass(frozen=True)
class Versions:
    """Every person in every release.

    Attributes:
        person, release: codes, by release; shape (versions,), int32.
        counted: whether it takes part in measures: no counterfeit, and no value known beforehand.
        variable: which variable is its value; shape (versions,), int64.
        entry: which of the rows of the variable's columns is the one in this release, -1 where the value is known.
        group: the group of each that can be in one alone, -1 for the others; shape (versions,).
    """

    person: Codes
    release: Codes
    counted: Flags
    variable: Numbers
    entry: Numbers
    group: Numbers


@dataclass(frozen=True, kw_only=True)
class ConstraintNetwork(OpenSubproblem):
    """All variables of a series, with their columns, which are what people's own groups leave.

    Columns of a variable are ascending by class, and take rows of the same blocks in the same order. Rows of a block
    are of one constraint.

    Attributes:
        versions: which variable is the value of which person when.
        kind_of: the class of each value: values of one class may follow one another at will; shape (values,), int32.
        contents: what the groups of each release hold.
        first_row: the first row of each release; its pairs of a group and a class follow one another.
        row_release, row_group, row_kind: what a row stands for. `row_kind` is `PLACES` for a row class and `GROUP` for
            all places of a group, and `row_group` then that class or group; shape (rows,).
        hint: a column of each variable in what may be a world, -1 where none is known; shape (variables,).
        weighs_alike: whether worlds weigh the same whatever values people have: values never change.
    """

    versions: Versions
    kind_of: Codes
    contents: tuple[GroupValues, ...]
    first_row: Numbers
    row_release: Integers
    row_group: Integers
    row_kind: Integers
    hint: Numbers
    weighs_alike: bool

    @cached_property
    def plain(self) -> bool:
        """Whether each class of values is one value."""
        return int(self.kind_of.max(initial=-1)) + 1 == len(self.kind_of)

    def even(self, larger_than: int) -> Flags:
        """Return who can exchange values freely in the world of the key, if some part of theirs has more people.

        There all members of all groups that hang together may have exactly the values of the group, each equally often
        published, so that values can be exchanged in any world (m-invariance paper, Lemma 3); shape (variables,). What
        the worlds weigh is not asked.
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
        wrong = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
        wrong[label[self.variables :][uneven]] = True
        mine = label[: self.variables]
        found = ~wrong[mine] & (size > 1)
        return found & (np.bincount(mine[found], minlength=1).max() > larger_than)


class GroupValues:
    """The contents of the groups of one release, without the rows of people who are known to have them.

    Attributes:
        group, kind: the pairs of a group and a class of values that there are, in order; shape (pairs,).
        rows: how many rows each has; shape (pairs,).
        values: how many different values; of the same shape.
        place: the pair of each group and class, -1 where there is none; shape (groups, classes).
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
        self.place = np.full((self.groups, self.kinds), -1, dtype=np.int32)
        self.place[self.group, self.kind] = np.arange(len(keys))


def kinds_of(transitions: Transitions | None, values: int) -> Codes | None:
    """Return the class of each value; values of a class may always follow one another. None if there are no classes.

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
