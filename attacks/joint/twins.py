"""Twins: variables without links whose columns take the same rows, so that they can exchange all that they have.

What is known of one is known of all. Fingerprints find them, and each is then compared with the first of its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from attacks.joint.arrays import Integers, Numbers, mixed, starts
from audit.model.arrays import Flags


class SubproblemColumns(Protocol):
    """The columns of variables and the rows that they take, as `attacks.joint.core.OpenSubproblem` has them."""

    @property
    def variables(self) -> int:
        """Number of variables."""

    @property
    def start(self) -> Numbers:
        """Where the columns of each variable begin."""

    @property
    def owner(self) -> Numbers:
        """The variable of each column."""

    @property
    def row_start(self) -> Numbers:
        """Where the rows of each column begin."""

    @property
    def row(self) -> Numbers:
        """The rows, column by column."""

    @property
    def entry_column(self) -> Numbers:
        """The column of each of these."""

    @property
    def link(self) -> Numbers:
        """Variables of consecutive versions."""


@dataclass(frozen=True)
class TwinClasses:
    """The classes of twins of a core; what is in a class stands for each of its members.

    Attributes:
        of: the class of each variable; shape (variables,).
        first: the first variable of each class, which stands for all; shape (classes,).
        size: how many variables are in each; likewise.
    """

    of: Numbers
    first: Numbers
    size: Numbers

    @property
    def like(self) -> Numbers:
        """The variable that stands for each variable; shape (variables,)."""
        return self.first[self.of]

    def places(self, core: SubproblemColumns) -> Numbers:
        """Return the column in the place of each column, of the variable that stands for its twins."""
        found: Numbers = (core.start[self.like] - core.start[:-1])[core.owner] + np.arange(len(core.owner))
        return found

    def shared(self, core: SubproblemColumns, some: Flags) -> Flags:
        """Return which columns are some of, or have one of some in its place in a twin."""
        place, found = self.places(core), np.zeros(len(some), dtype=np.bool_)
        found[place[some]] = True
        shared: Flags = found[place]
        return shared


def classes_of(core: SubproblemColumns) -> TwinClasses:
    """Return the classes of twins of a core."""
    _, first, number = np.unique(_fingerprints(core), return_index=True, return_inverse=True)
    like = first[number]
    alone = ~_same(core, like)  # two fingerprints that are equal by chance
    like[alone] = np.flatnonzero(alone)
    # In the order in which they come: parts stay together.
    first, of = np.unique(like, return_inverse=True)
    return TwinClasses(of, first, np.bincount(of, minlength=len(first)))


def _fingerprints(core: SubproblemColumns) -> Numbers:
    columns = np.zeros(len(core.owner), dtype=np.uint64)
    np.add.at(columns, core.entry_column, mixed(core.row, 1))
    place = np.arange(len(core.owner)) - core.start[core.owner]
    variables = np.zeros(core.variables, dtype=np.uint64)
    np.add.at(variables, core.owner, mixed(columns ^ mixed(place, 3), 4))
    linked = np.unique(core.link)
    variables[linked] ^= mixed(linked, 5)  # each by itself
    return variables.view(np.int64)


def _same(core: SubproblemColumns, like: Numbers) -> Flags:
    """Return which variables are like the given ones, column by column and row by row."""
    sizes = np.diff(core.start)
    good = sizes == sizes[like]
    good[core.link] = like[core.link] == core.link
    good = _equal(good, core.start[:-1], core.start[:-1][like], sizes, np.diff(core.row_start))
    begin = core.row_start[core.start]
    return _equal(good, begin[:-1], begin[:-1][like], np.diff(begin), core.row)


def _equal(good: Flags, one: Numbers, other: Numbers, size: Numbers, content: Integers) -> Flags:
    """Return which of some pairs of segments of equal size have equal contents."""
    some = np.flatnonzero(good & (size > 0) & (one != other))
    found = good.copy()
    if len(some):
        places = starts(size[some])
        left = np.repeat(one[some] - places[:-1], size[some]) + np.arange(places[-1])
        right = np.repeat(other[some] - places[:-1], size[some]) + np.arange(places[-1])
        found[some] = np.minimum.reduceat(content[left] == content[right], places[:-1])
    return found
