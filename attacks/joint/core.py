"""Core: the open part of a network after propagation, in parts that share nothing.

Only variables with several living columns are in it, with what of the capacities the others leave; rows that cannot be
taken too often and rows that repeat what others say are left out. Variables, columns and rows of a part follow one
another, so that parts are cut out by slices; balls around a person are cut out by lists. A piece that is cut out is a
core again, with its own numbering.

Variables of the same rows are *twins*: what is known of one is known of all, and counting how many of them have each
column says everything (*classes*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from attacks.graphs import component_of, grouped
from attacks.ragged import places_of, segments, starts
from audit.model.arrays import Flags, Integers, Numbers


@dataclass(frozen=True, kw_only=True)
class OpenSubproblem:
    """Open variables with their columns.

    Attributes:
        variable: which variable of the network each is; shape (variables,).
        start: where the columns of each begin; shape (variables + 1,).
        column: which column of the network each is; shape (columns,).
        kind: its class of values.
        row_start, row: where the rows of each column begin, and these; shapes (columns + 1,) and (entries,).
        capacity: how often each row can still be taken; shape (rows,).
        factor: with `t` of it taken, a row of factor `f > 0` stands for `f (f - 1) ... (f - t + 1)` ways to do so, one
            of factor `-f` for one over that, and one of factor 0 for one way; shape (rows,).
        fakes: how many of the places beyond `capacity` are published as counterfeits, whose rows are chosen among those
            that no one takes: one more taken where `c` can be taken leaves `c / (c + fakes)` of the choices;
            shape (rows,).
        block: rows that share their members, each of which takes one; shape (rows,).
        link: variables of consecutive versions; shape (links, 2).
        may: which class of values may follow which; None where they have to be equal.
        part: the part of each variable, ascending, counted from 0; shape (variables,).
        network_rows: which row of the network each is; shape (rows,).
    """

    variable: Numbers
    start: Numbers
    column: Numbers
    kind: Integers
    row_start: Numbers
    row: Numbers
    capacity: Numbers
    factor: Numbers
    fakes: Numbers
    block: Numbers
    link: Numbers
    may: Flags | None
    part: Numbers
    network_rows: Numbers

    @property
    def variables(self) -> int:
        """Number of variables."""
        return len(self.variable)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.kind)

    @property
    def parts(self) -> int:
        """Number of parts."""
        return int(self.part[-1]) + 1 if len(self.part) else 0

    @cached_property
    def owner(self) -> Numbers:
        """The variable of each column."""
        return np.repeat(np.arange(self.variables), np.diff(self.start))

    @cached_property
    def option(self) -> Numbers:
        """The option of each column: columns of one variable with one class of values are one option; ascending."""
        new = np.ones(len(self.kind), dtype=np.bool_)
        new[1:] = (self.kind[1:] != self.kind[:-1]) | (self.owner[1:] != self.owner[:-1])
        return np.cumsum(new) - 1

    @cached_property
    def repeats(self) -> bool:
        """Whether some variable has several columns of one class of values, which then follow one another."""
        return int(self.option[-1]) + 1 < self.columns if self.columns else False

    def counted(self, some: Flags) -> Numbers:
        """Return how many of some columns each variable has; shape (variables,)."""
        before = starts(some.view(np.int8))[self.start]
        return before[1:] - before[:-1]

    @cached_property
    def entry_column(self) -> Numbers:
        """The column of each entry."""
        return np.repeat(np.arange(len(self.kind)), np.diff(self.row_start))

    @cached_property
    def by_row(self) -> tuple[Numbers, Numbers]:
        """Where the columns that may take each row begin, and these."""
        begin, order = grouped(self.row, len(self.capacity))
        return begin, self.entry_column[order]

    @cached_property
    def like(self) -> Numbers:
        """The first of each variable's twins, which represents all: those without links that take equal rows."""
        linked, begin = np.zeros(self.variables, dtype=np.bool_), self.row_start[self.start]
        linked[self.link] = True
        first, widths = dict[object, int](), np.diff(self.row_start)
        keys = (
            at if alone else (self.row[a:b].tobytes(), widths[c:d].tobytes())
            for at, (alone, (a, b), (c, d)) in enumerate(
                zip(linked.tolist(), pairwise(begin.tolist()), pairwise(self.start.tolist()), strict=True)
            )
        )
        return np.array([first.setdefault(key, at) for at, key in enumerate(keys)], dtype=np.int64)

    @cached_property
    def stands(self) -> Numbers:
        """The column of the first of the twins that is in the place of each column."""
        found: Numbers = (self.start[self.like] - self.start[:-1])[self.owner] + np.arange(len(self.owner))
        return found

    def shared(self, some: Flags) -> Flags:
        """Return which columns are some of, or have one of some in its place in a twin."""
        found = np.zeros(len(some), dtype=np.bool_)
        found[self.stands[some]] = True
        shared: Flags = found[self.stands]
        return shared

    @cached_property
    def heads(self) -> Numbers:
        """The variables that begin a chain of linked ones; a variable without links is a chain of itself."""
        head = np.ones(self.variables, dtype=np.bool_)
        head[self.link[:, 1]] = False
        return np.flatnonzero(head)

    @cached_property
    def chain(self) -> Numbers:
        """The chain of each variable; those of a chain follow one another."""
        return np.repeat(np.arange(len(self.heads)), np.diff(np.append(self.heads, self.variables)))

    @cached_property
    def part_start(self) -> Numbers:
        """The first variable of each part; shape (parts + 1,)."""
        return np.searchsorted(self.part, np.arange(self.parts + 1))

    @cached_property
    def row_part(self) -> Numbers:
        """The part of each row."""
        found = np.zeros(len(self.capacity), dtype=np.int64)
        found[self.row] = self.part[self.owner[self.entry_column]]
        return found

    def worlds(self, chosen: Numbers) -> Flags:
        """Return the parts for which a column of each variable, -1 for none, is a world; shape (parts,), bool."""
        good = np.ones(self.parts, dtype=np.bool_)
        good[self.part[chosen < 0]] = False
        rows = self.row[segments(self.row_start, chosen[chosen >= 0])]
        good[self.row_part[np.bincount(rows, minlength=len(self.capacity)) > self.capacity]] = False
        first, last = self.link[(chosen[self.link] >= 0).all(axis=1)].T
        one, other = self.kind[chosen[first]], self.kind[chosen[last]]
        kept = one == other if self.may is None else self.may[one, other]
        good[self.part[first[~kept]]] = False
        return good

    def slice(self, first: int, last: int) -> OpenSubproblem:
        """Return the parts from `first` to before `last`."""
        begin, end = int(self.part_start[first]), int(self.part_start[last])
        rows = np.arange(*np.searchsorted(self.row_part, [first, last]))
        found = self.excerpt(np.arange(begin, end), rows, self.capacity)
        return replace(found, part=self.part[begin:end] - first, block=found.block - found.block[:1])

    def only(self, parts: Flags) -> OpenSubproblem:
        """Return some parts; shape (parts,)."""
        some = np.flatnonzero(parts[self.part])
        found = self.excerpt(some, np.flatnonzero(parts[self.row_part]), self.capacity)
        return replace(found, part=(np.cumsum(parts) - 1)[self.part[some]])

    def with_columns(self, kept: Flags) -> OpenSubproblem:
        """Return the same variables and rows with some of the columns alone; shape (columns,)."""
        places = np.flatnonzero(kept)
        return replace(
            self,
            start=starts(np.bincount(self.owner[places], minlength=self.variables)),
            column=self.column[places],
            kind=self.kind[places],
            row_start=starts(np.diff(self.row_start)[places]),
            row=self.row[segments(self.row_start, places)],
        )

    def excerpt(self, variables: Numbers, rows: Numbers, capacity: Numbers) -> OpenSubproblem:
        """Return some variables with some of the rows, which have the given capacities, in this order, as one part."""
        column = segments(self.start, variables)
        entry = self.row[segments(self.row_start, column)]
        row = places_of(entry, rows)
        which = np.repeat(np.arange(len(column)), np.diff(self.row_start)[column])[row >= 0]
        link = places_of(self.link, variables)
        return OpenSubproblem(
            variable=self.variable[variables],
            start=starts(np.diff(self.start)[variables]),
            column=self.column[column],
            kind=self.kind[column],
            row_start=starts(np.bincount(which, minlength=len(column))),
            row=row[row >= 0],
            capacity=capacity[rows],
            factor=self.factor[rows],
            fakes=self.fakes[rows],
            block=self.block[rows],
            link=link[(link >= 0).all(axis=1)],
            may=self.may,
            part=np.zeros(len(variables), dtype=np.int64),
            network_rows=self.network_rows[rows],
        )


def core_of(network: OpenSubproblem, alive: Flags, wanted: Flags, *, exact: bool = False) -> OpenSubproblem:
    """Return the open subproblem of a network, smallest parts first; only parts that have a wanted variable.

    Args:
        network: what was propagated.
        alive: its columns that are left.
        wanted: which variables are asked about; shape (variables,).
        exact: keep what says nothing of what is possible, but of how many worlds there are, and what they weigh: some
            rows, and variables with one column left that are linked to others.
    """
    unsure = network.counted(alive) > 1
    if exact and len(network.link):
        unsure = (np.bincount(network.chain, weights=unsure) > 0)[network.chain]
    fixed = np.flatnonzero(alive & ~unsure[network.owner])
    taken = np.bincount(network.row[segments(network.row_start, fixed)], minlength=len(network.capacity))
    capacity, factor = network.capacity - taken, network.factor - np.sign(network.factor) * taken
    core = network.with_columns(alive & unsure[network.owner])
    # Rows that cannot be exceeded do not constrain anything; a single row can be used in one way.
    begin, by_row = core.by_row
    members = np.diff(begin)
    kept = members > capacity
    if exact:
        kept |= (members > 0) & ((np.abs(factor) > 1) | (network.fakes > 0))
    else:  # rows of the same columns with equal slack say the same
        rows, first = np.flatnonzero(kept), dict[object, int]()
        said = zip(*(each.tolist() for each in (rows, begin[rows], begin[rows + 1], capacity[rows])), strict=True)
        for row, a, b, most in said:
            kept[row] = first.setdefault((most, by_row[a:b].tobytes()), row) == row
    entries = np.flatnonzero(kept[core.row])
    nodes = core.variables + len(capacity)
    link = core.link[unsure[core.link].all(axis=1)]
    tail = np.concatenate([core.owner[core.entry_column[entries]], link[:, 0]])
    label = component_of(tail, np.concatenate([core.variables + core.row[entries], link[:, 1]]), nodes)
    mine, own = label[: core.variables], label[core.variables :]
    size = np.bincount(mine[unsure], minlength=int(label.max(initial=-1)) + 1)
    asked = np.zeros(len(size), dtype=np.bool_)
    asked[mine[wanted & unsure]] = True
    some = np.flatnonzero(unsure & asked[mine])
    some = some[np.lexsort((mine[some], size[mine[some]]))]
    rows = np.flatnonzero(kept & asked[own])
    rows = rows[np.lexsort((rows, network.block[rows], own[rows], size[own[rows]]))]
    found = replace(core, factor=factor.astype(np.int64)).excerpt(some, rows, capacity)
    block = own[rows] * len(capacity) + network.block[rows]
    return replace(found, part=_numbered(mine[some]), block=_numbered(block))


def _numbered(labels: Numbers) -> Numbers:
    """Return the same with numbers from 0 for labels, if equal labels follow one another."""
    return np.cumsum(np.diff(labels, prepend=labels[:1]) != 0)
