"""Core: the undecided variables of a network after propagation, in parts that share no rows and no links.

A core contains only variables with several remaining columns, and the capacity that the other variables leave. Rows
that cannot be taken too often, and rows with the same columns and capacity as another row, are left out. Variables,
columns and rows of a part follow one another, so that parts are cut out by slices; balls around a person are cut out by
lists. An excerpt is a core again, with its own numbering.

Variables whose columns take the same rows are *twins*: a column is possible for one exactly when it is for all. So a
model need only count how many variables of such a *class* have each column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from audit.model.arrays import (
    Flags,
    Integers,
    Numbers,
    component_of,
    first_alike,
    flagged,
    grouped,
    places_of,
    segments,
    starts,
)


@dataclass(frozen=True, kw_only=True)
class OpenSubproblem:
    """Open variables with their columns.

    Attributes:
        variable: the number of each variable in the network; shape (variables,).
        start: where the columns of each variable begin; shape (variables + 1,).
        column: the number of each column in the network; shape (columns,).
        value_class: the class of values of each column; shape (columns,).
        row_start, row: where the rows of each column begin, and these rows; shapes (columns + 1,) and (entries,).
        capacity: how often each row can still be taken; shape (rows,).
        factor: how many ways there are to take a row `t` times: `f (f - 1) ... (f - t + 1)` for a factor `f > 0`, the
            reciprocal of that for a factor `-f`, and one for 0; shape (rows,).
        counterfeits: how many counterfeits are published beyond `capacity`. Their rows are chosen among those that no
            person takes: if a row that can be taken `c` times is taken once more, `c / (c + counterfeits)` of the
            choices remain; shape (rows,).
        block: the constraint of each row; each member of a constraint takes exactly one of its rows; shape (rows,).
        link: pairs of variables of consecutive versions; shape (links, 2).
        may: whether a class of values may be followed by another, shape (classes, classes); None if they must be equal.
        part: the part of each variable, ascending, counted from 0; shape (variables,).
        network_rows: the number of each row in the network; shape (rows,).
    """

    variable: Numbers
    start: Numbers
    column: Numbers
    value_class: Integers
    row_start: Numbers
    row: Numbers
    capacity: Numbers
    factor: Numbers
    counterfeits: Numbers
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
        return len(self.value_class)

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
        """The option of each column, ascending: columns of a variable with the same class of values are one option."""
        new = np.ones(self.columns, dtype=np.bool_)
        new[1:] = (self.value_class[1:] != self.value_class[:-1]) | (self.owner[1:] != self.owner[:-1])
        return np.cumsum(new) - 1

    @cached_property
    def repeats(self) -> bool:
        """Whether some variable has several columns of the same class of values."""
        return int(self.option[-1]) + 1 < self.columns if self.columns else False

    def counted(self, columns: Flags) -> Numbers:
        """Return how many of the given columns each variable has; shape (variables,)."""
        before = starts(columns.view(np.int8))[self.start]
        return before[1:] - before[:-1]

    @cached_property
    def entry_column(self) -> Numbers:
        """The column of each entry; shape (entries,)."""
        return np.repeat(np.arange(self.columns), np.diff(self.row_start))

    @cached_property
    def by_row(self) -> tuple[Numbers, Numbers]:
        """Where the columns that take each row begin, and these columns; shapes (rows + 1,) and (entries,)."""
        begin, order = grouped(self.row, len(self.capacity))
        return begin, self.entry_column[order]

    @cached_property
    def representative(self) -> Numbers:
        """The first twin of each variable, which represents the class; variables with links have no twins."""
        kind = np.zeros(self.variables, dtype=np.int64)
        kind[self.link] = 1 + self.link
        kind = first_alike(self.start, np.diff(self.row_start), kind)
        return first_alike(self.row_start[self.start], self.row, kind)

    @cached_property
    def twin_column(self) -> Numbers:
        """The corresponding column of the representative twin, for each column; shape (columns,)."""
        found: Numbers = (self.start[self.representative] - self.start[:-1])[self.owner] + np.arange(len(self.owner))
        return found

    def shared(self, columns: Flags) -> Flags:
        """Return some columns and the corresponding ones of all twins; shape (columns,), bool."""
        found = flagged(self.twin_column[columns], len(columns))
        shared: Flags = found[self.twin_column]
        return shared

    @cached_property
    def heads(self) -> Numbers:
        """The first variable of each chain of linked variables; a variable without links is a chain of its own."""
        head = np.ones(self.variables, dtype=np.bool_)
        head[self.link[:, 1]] = False
        return np.flatnonzero(head)

    @cached_property
    def chain(self) -> Numbers:
        """The chain of each variable; variables of a chain follow one another."""
        return np.repeat(np.arange(len(self.heads)), np.diff(np.append(self.heads, self.variables)))

    @cached_property
    def part_start(self) -> Numbers:
        """The first variable of each part, and the number of variables; shape (parts + 1,)."""
        return np.searchsorted(self.part, np.arange(self.parts + 1))

    @cached_property
    def row_part(self) -> Numbers:
        """The part of each row; shape (rows,)."""
        found = np.zeros(len(self.capacity), dtype=np.int64)
        found[self.row] = self.part[self.owner[self.entry_column]]
        return found

    def worlds(self, chosen: Numbers) -> Flags:
        """Return which parts form a world with the given columns; shape (parts,), bool.

        Args:
            chosen: the column of each variable, -1 for none; shape (variables,).
        """
        good = np.ones(self.parts, dtype=np.bool_)
        good[self.part[chosen < 0]] = False
        rows = self.row[segments(self.row_start, chosen[chosen >= 0])]
        good[self.row_part[np.bincount(rows, minlength=len(self.capacity)) > self.capacity]] = False
        first, last = self.link[(chosen[self.link] >= 0).all(axis=1)].T
        good[self.part[first[~self.may_follow(chosen[first], chosen[last])]]] = False
        return good

    def may_follow(self, before: Numbers, after: Numbers) -> Flags:
        """Return whether linked variables may have some columns, pair by pair; shape (pairs,), bool."""
        value_classes = self.value_class[before], self.value_class[after]
        return np.equal(*value_classes) if self.may is None else self.may[value_classes]

    def slice(self, first: int, last: int) -> OpenSubproblem:
        """Return the parts from `first` up to, but not including, `last`."""
        if last - first == self.parts:
            return self
        begin, end = int(self.part_start[first]), int(self.part_start[last])
        rows = np.arange(*np.searchsorted(self.row_part, [first, last]))
        found = self.excerpt(np.arange(begin, end), rows, self.capacity)
        return replace(found, part=self.part[begin:end] - first, block=found.block - found.block[:1])

    def only(self, parts: Flags) -> OpenSubproblem:
        """Return the given parts.

        Args:
            parts: which parts; shape (parts,), bool.
        """
        variables = np.flatnonzero(parts[self.part])
        found = self.excerpt(variables, np.flatnonzero(parts[self.row_part]), self.capacity)
        return replace(found, part=(np.cumsum(parts) - 1)[self.part[variables]])

    def with_columns(self, kept: Flags) -> OpenSubproblem:
        """Return the same variables and rows with only the columns that are kept; `kept` has shape (columns,), bool."""
        places = np.flatnonzero(kept)
        return replace(
            self,
            start=starts(np.bincount(self.owner[places], minlength=self.variables)),
            column=self.column[places],
            value_class=self.value_class[places],
            row_start=starts(np.diff(self.row_start)[places]),
            row=self.row[segments(self.row_start, places)],
        )

    def excerpt(self, variables: Numbers, rows: Numbers, capacity: Numbers) -> OpenSubproblem:
        """Return some variables and rows, in the given order, as one part.

        Args:
            variables: the variables.
            rows: the rows; entries of other rows are left out.
            capacity: the capacity of all rows of this core; shape (rows,).
        """
        column = segments(self.start, variables)
        entry = self.row[segments(self.row_start, column)]
        row = places_of(entry, rows)
        which = np.repeat(np.arange(len(column)), np.diff(self.row_start)[column])[row >= 0]
        link = places_of(self.link, variables)
        return OpenSubproblem(
            variable=self.variable[variables],
            start=starts(np.diff(self.start)[variables]),
            column=self.column[column],
            value_class=self.value_class[column],
            row_start=starts(np.bincount(which, minlength=len(column))),
            row=row[row >= 0],
            capacity=capacity[rows],
            factor=self.factor[rows],
            counterfeits=self.counterfeits[rows],
            block=self.block[rows],
            link=link[(link >= 0).all(axis=1)],
            may=self.may,
            part=np.zeros(len(variables), dtype=np.int64),
            network_rows=self.network_rows[rows],
        )


def core_of(network: OpenSubproblem, alive: Flags, wanted: Flags, *, exact: bool = False) -> OpenSubproblem:
    """Return the undecided subproblem of a network, the smallest parts first.

    Args:
        network: the network.
        alive: the columns that are not ruled out; shape (columns,), bool.
        wanted: parts without any of these variables are left out; shape (variables,), bool.
        exact: whether to keep rows, and linked variables with one column left, that only matter for the number and
            the weights of worlds.
    """
    unsure = network.counted(alive) > 1
    if exact and len(network.link):
        unsure = (np.bincount(network.chain, weights=unsure) > 0)[network.chain]
    fixed = np.flatnonzero(alive & ~unsure[network.owner])
    taken = np.bincount(network.row[segments(network.row_start, fixed)], minlength=len(network.capacity))
    capacity, factor = network.capacity - taken, network.factor - np.sign(network.factor) * taken
    core = network.with_columns(alive & unsure[network.owner])
    # A row that fewer variables can take than it has capacity constrains nothing; it may still matter for counting.
    begin, by_row = core.by_row
    members = np.diff(begin)
    kept = members > capacity
    if exact:
        kept |= (members > 0) & ((np.abs(factor) > 1) | (network.counterfeits > 0))
    else:  # of rows with the same columns and the same capacity one is enough
        rows = np.flatnonzero(kept)
        first = first_alike(starts(members[rows]), by_row[segments(begin, rows)], capacity[rows])
        kept[rows] = first == np.arange(len(rows))
    entries = np.flatnonzero(kept[core.row])
    nodes = core.variables + len(capacity)
    link = core.link[unsure[core.link].all(axis=1)]
    tail = np.concatenate([core.owner[core.entry_column[entries]], link[:, 0]])
    label = component_of(tail, np.concatenate([core.variables + core.row[entries], link[:, 1]]), nodes)
    variable_part, row_part = label[: core.variables], label[core.variables :]
    size = np.bincount(variable_part[unsure], minlength=int(label.max(initial=-1)) + 1)
    has_wanted = flagged(variable_part[wanted & unsure], len(size))
    variables = np.flatnonzero(unsure & has_wanted[variable_part])
    variables = variables[np.lexsort((variable_part[variables], size[variable_part[variables]]))]
    rows = np.flatnonzero(kept & has_wanted[row_part])
    rows = rows[np.lexsort((rows, network.block[rows], row_part[rows], size[row_part[rows]]))]
    found = replace(core, factor=factor.astype(np.int64)).excerpt(variables, rows, capacity)
    block = row_part[rows] * len(capacity) + network.block[rows]
    return replace(found, part=_numbered(variable_part[variables]), block=_numbered(block))


def _numbered(labels: Numbers) -> Numbers:
    """Return labels, of which equal ones are adjacent, renumbered from 0 in their order."""
    return np.cumsum(np.diff(labels, prepend=labels[:1]) != 0)
