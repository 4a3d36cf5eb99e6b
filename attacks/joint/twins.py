"""Twins: variables, or chains of linked ones, whose columns take the same rows: they can exchange all that they have.

What is known of one is known of all. Fingerprints find them, and each is then compared with the first of its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from attacks.joint.arrays import Integers, Numbers, mixed, starts
from audit.model.arrays import Flags


class CoreColumns(Protocol):
    """The columns of variables and the rows that they take, as `attacks.joint.core.Core` has them."""

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
    def kind(self) -> Integers:
        """The class of values of each column."""

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
        head: the variables that begin a chain; a variable without links is a chain of itself; shape (chains,).
        length: of each chain; likewise.
        of: the class of each chain; likewise.
        first: the first chain of each class; shape (classes,).
        size: how many chains are in each; likewise.
        like: the variable that stands for each variable: the one in its place in the first chain; shape (variables,).
    """

    head: Numbers
    length: Numbers
    of: Numbers
    first: Numbers
    size: Numbers
    like: Numbers

    def shared(self, core: CoreColumns, some: Flags) -> Flags:
        """Return which columns are some of, or have one of some in its place in a twin."""
        place = np.arange(len(core.kind)) - core.start[core.owner]
        like = core.start[self.like[core.owner]] + place
        found = np.zeros(len(core.kind), dtype=np.bool_)
        found[like[some]] = True
        shared: Flags = found[like]
        return shared


def classes_of(core: CoreColumns) -> TwinClasses:
    """Return the classes of twins of a core."""
    head = np.ones(core.variables, dtype=np.bool_)
    head[core.link[:, 1]] = False
    heads = np.flatnonzero(head)
    length = np.diff(np.append(heads, core.variables))
    chain = np.repeat(np.arange(len(heads)), length)
    _, first, number = np.unique(_fingerprints(core, chain, heads), return_index=True, return_inverse=True)
    # In the order in which they come: parts stay together.
    rank = np.argsort(np.argsort(first))
    first, of = np.sort(first), rank[number]
    alone = np.flatnonzero(~_same(core, heads, length, first[of]))
    if len(alone):  # two fingerprints that are equal by chance
        first = np.append(first, alone)
        of[alone] = len(first) - len(alone) + np.arange(len(alone))
    order = np.argsort(first, kind="stable")
    back = np.argsort(order)
    first, of = first[order], back[of]
    like = heads[first[of]][chain] + np.arange(core.variables) - heads[chain]
    return TwinClasses(heads, length, of, first, np.bincount(of, minlength=len(first)), like)


def _fingerprints(core: CoreColumns, chain: Numbers, heads: Numbers) -> Numbers:
    columns = np.zeros(len(core.kind), dtype=np.uint64)
    np.add.at(columns, core.entry_column, mixed(core.row, 1))
    if len(core.link):
        columns ^= mixed(core.kind, 2)
    place = np.arange(len(core.kind)) - core.start[core.owner]
    variables = np.zeros(core.variables, dtype=np.uint64)
    np.add.at(variables, core.owner, mixed(columns ^ mixed(place, 3), 4))
    chains = np.zeros(len(heads), dtype=np.uint64)
    np.add.at(chains, chain, mixed(variables ^ mixed(np.arange(core.variables) - heads[chain], 5), 6))
    return chains.view(np.int64)


def _same(core: CoreColumns, heads: Numbers, length: Numbers, first: Numbers) -> Flags:
    """Return which chains are like the given first ones, column by column and row by row."""
    good = length == length[first]
    sizes = np.diff(core.start)
    rows = np.diff(core.row_start)
    good = _equal(good, heads, heads[first], length, sizes)
    begin, total = core.start[heads], core.start[heads + length] - core.start[heads]
    good = _equal(good, begin, begin[first], total, rows)
    if len(core.link):
        good = _equal(good, begin, begin[first], total, core.kind)
    begin = core.row_start[core.start[heads]]
    total = core.row_start[core.start[heads + length]] - begin
    return _equal(good, begin, begin[first], total, core.row)


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


def members_of(classes: TwinClasses) -> tuple[Numbers, Numbers]:
    """Return where the chains of each class begin, and these."""
    return starts(classes.size), np.argsort(classes.of, kind="stable")
