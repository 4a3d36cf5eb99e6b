"""The constraint network of a series: variables, their columns (choices), and rows with capacities that columns take.

A *variable* is what an adversary wants to know. If a person's value never changes and the person has one place in each
release, the variable is the value; otherwise there is a variable for each version: value and place in one release. A
*column* is a choice of a variable. It takes one unit of each of its *rows*: a row stands for all published rows of a
group with one value, or for the places of a row class, and its *capacity* is the number of people who can take it. The
rows of one *constraint* (usually those of a group) share their members: each member takes exactly one of them, a global
cardinality constraint (Regin, AAAI 1996). *Links* join the variables of consecutive versions of a person.

One representation serves both adversaries, constant and changing values, and any number of values. A world is one
column for each variable such that no row is taken more often than its capacity, and all links are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.ragged import component_of, segments, starts
from audit.model.arrays import Codes, Flags, Integers, Numbers
from audit.model.evidence import Transitions

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


@dataclass(frozen=True, kw_only=True)
class ConstraintNetwork(OpenSubproblem):
    """All variables of a series; their columns are the choices that the person's own groups leave.

    Columns of a variable are ascending by class of values, and take rows of the same blocks in the same order. Rows of
    a block belong to one constraint.

    Attributes:
        versions: all versions and their variables.
        kind_of: the class of each value: values of a class may follow one another freely; shape (values,), int32.
        contents: the contents of the groups of each release.
        first_row: the first row of each release, whose rows are its pairs of a group and a class; (releases + 1,).
        row_release, row_group, row_kind: the release, group and class of values of each row; shape (rows,). If
            `row_kind` is `PLACES`, `row_group` is a row class; if it is `GROUP`, a published group.
        hint: the column of each variable in what may be a world, -1 if none is known; shape (variables,).
        weighs_alike: whether all worlds have the same weight: values never change.
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
        wrong = np.zeros(int(label.max(initial=-1)) + 1, dtype=np.bool_)
        wrong[label[self.variables :][uneven]] = True
        part = label[: self.variables]
        found = ~wrong[part] & (size > 1)
        return found & (np.bincount(part[found], minlength=1).max() > larger_than)


class GroupValues:
    """The contents of the groups of one release, without the rows of people with known row class and value.

    Attributes:
        group, kind: the existing pairs of a group and a class of values, sorted; shape (pairs,).
        rows: the number of rows of each pair; shape (pairs,).
        values: the number of different values of each pair; shape (pairs,).
        begin: the first pair of each group; shape (groups + 1,).
        place: the pair of each group and class, -1 if there is none; shape (groups, classes), int32.
        value_group, value, value_rows: the existing pairs of a group and a value, and their rows, sorted; (values,).
        groups, kinds: the numbers of groups and of classes of values.
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
    """Return the class of each value: exactly the values of one class may follow one another; shape (values,), int32.

    None if values do not form such classes, or if the probabilities between the values of a class are not all equal:
    then exchanging values would change the weight of a world.

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
    # Classes are numbered by their first values, which keeps the order of values.
    rank = np.argsort(np.argsort(first))
    found: Codes = rank[place].astype(np.int32)
    return found
