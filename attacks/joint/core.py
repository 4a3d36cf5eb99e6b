"""The core of a network: what is left open after propagation, in parts that share nothing.

Only variables with several living columns are in it, with what of the capacities the others leave; rows that cannot be
taken too often and groups that repeat what others say are left out. Variables, columns and rows of a part follow one
another, so that parts are cut out by slices; balls around somebody are cut out by lists. Whatever is cut out is a core
again, with numbers of its own, that can be sent to an engine.

Variables of the same rows are *twins*: what is known of one is known of all, and counting how many of them have each
column says everything (*classes*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attacks.graphs import component_of, grouped
from attacks.joint.arrays import Integers, Numbers, mixed, renumbered, segments, starts
from attacks.joint.network import ConstraintNetwork
from attacks.joint.twins import TwinClasses, classes_of
from audit.model.arrays import Flags


@dataclass(frozen=True)
class OpenSubproblem:
    """Open variables with their columns.

    Attributes:
        variable: which variable of the network each is; shape (variables,).
        start: where the columns of each begin; shape (variables + 1,).
        column: which column of the network each is; shape (columns,).
        kind: its class of values.
        row_start, row: where the rows of each column begin, and these; shapes (columns + 1,) and (entries,).
        capacity: how often each row can still be taken; shape (rows,).
        factor, fakes: how many ways there are to take it, as in the network; shapes (rows,).
        block: rows that share their members; ascending; shape (rows,).
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
    def entry_column(self) -> Numbers:
        """The column of each entry."""
        return np.repeat(np.arange(len(self.kind)), np.diff(self.row_start))

    @cached_property
    def by_row(self) -> tuple[Numbers, Numbers]:
        """Where the columns that may take each row begin, and these."""
        begin, order = grouped(self.row, len(self.capacity))
        return begin, self.entry_column[order]

    @cached_property
    def classes(self) -> TwinClasses:
        """The classes of twins."""
        return classes_of(self)

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
        """Where the variables of each part begin; shape (parts + 1,)."""
        return np.searchsorted(self.part, np.arange(self.parts + 1))

    @cached_property
    def row_part(self) -> Numbers:
        """The part of each row."""
        found = np.zeros(len(self.capacity), dtype=np.int64)
        found[self.row] = self.part[self.owner[self.entry_column]]
        return found

    def taken(self, chosen: Numbers) -> Numbers:
        """Return how often each row is taken by a column for each variable, -1 for none."""
        return np.bincount(self.row[segments(self.row_start, chosen[chosen >= 0])], minlength=len(self.capacity))

    def worlds(self, chosen: Numbers) -> Flags:
        """Return in which parts a column for each variable is a world; shape (parts,)."""
        good = np.ones(self.parts, dtype=np.bool_)
        good[self.part[chosen < 0]] = False
        good[self.row_part[self.taken(chosen) > self.capacity]] = False
        if len(self.link):
            first, last = self.link.T
            both = (chosen[first] >= 0) & (chosen[last] >= 0)
            first, last = first[both], last[both]
            one, other = self.kind[chosen[first]], self.kind[chosen[last]]
            kept = one == other if self.may is None else self.may[one, other]
            good[self.part[first[~kept]]] = False
        return good

    def slice(self, first: int, last: int) -> OpenSubproblem:
        """Return the parts from `first` to before `last`."""
        begin, end = int(self.part_start[first]), int(self.part_start[last])
        columns = slice(int(self.start[begin]), int(self.start[end]))
        entries = slice(int(self.row_start[columns.start]), int(self.row_start[columns.stop]))
        low, high = np.searchsorted(self.row_part, [first, last])
        link = self.link
        if len(link):
            link = link[(link[:, 0] >= begin) & (link[:, 0] < end)] - begin
        return OpenSubproblem(
            variable=self.variable[begin:end],
            start=self.start[begin : end + 1] - columns.start,
            column=self.column[columns],
            kind=self.kind[columns],
            row_start=self.row_start[columns.start : columns.stop + 1] - entries.start,
            row=self.row[entries] - low,
            capacity=self.capacity[low:high],
            factor=self.factor[low:high],
            fakes=self.fakes[low:high],
            block=self.block[low:high] - (self.block[low] if low < high else 0),
            link=link,
            may=self.may,
            part=self.part[begin:end] - first,
            network_rows=self.network_rows[low:high],
        )

    def only(self, parts: Flags) -> OpenSubproblem:
        """Return some parts; shape (parts,)."""
        some = np.flatnonzero(parts[self.part])
        found = self.excerpt(some, parts[self.row_part], self.capacity)
        rank = np.cumsum(parts) - 1
        return replace(found, part=rank[self.part[some]])

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

    def excerpt(self, variables: Numbers, rows: Flags, capacity: Numbers) -> OpenSubproblem:
        """Return some variables, ascending, with some of the rows, which have the given capacities; all in one part."""
        column = segments(self.start, variables)
        size = np.diff(self.row_start)[column]
        entry = segments(self.row_start, column)
        kept = rows[self.row[entry]]
        number = np.cumsum(rows) - 1
        which = np.repeat(np.arange(len(column)), size)[kept]
        place = np.full(self.variables, -1, dtype=np.int64)
        place[variables] = np.arange(len(variables))
        link = place[self.link] if len(self.link) else self.link
        return OpenSubproblem(
            variable=self.variable[variables],
            start=starts(np.diff(self.start)[variables]),
            column=self.column[column],
            kind=self.kind[column],
            row_start=starts(np.bincount(which, minlength=len(column))),
            row=number[self.row[entry][kept]],
            capacity=capacity[rows],
            factor=self.factor[rows],
            fakes=self.fakes[rows],
            block=self.block[rows],
            link=link[(link >= 0).all(axis=1)] if len(link) else link,
            may=self.may,
            part=np.zeros(len(variables), dtype=np.int64),
            network_rows=self.network_rows[rows],
        )


def core_of(
    network: ConstraintNetwork, alive: Flags, wanted: Flags, *, among: Flags | None = None, exact: bool = False
) -> OpenSubproblem:
    """Return what is open of a network, smallest parts first; of those parts alone that have a wanted variable.

    Args:
        network: what was propagated.
        alive: its columns that are left.
        wanted: which variables are asked about; shape (variables,).
        among: look at no other variables: those of whole parts of a core with more columns; shape (variables,).
        exact: keep the rows that say nothing of what is possible, but of how many worlds there are.
    """
    everybody = network.owner
    left = np.bincount(everybody[alive], minlength=network.variables)
    unsure = (left > 1) & ~network.free
    if among is not None:
        unsure &= among
    column = np.flatnonzero(alive & unsure[everybody])
    fixed = np.flatnonzero(alive & (left == 1)[everybody])
    taken = np.bincount(network.row[segments(network.row_start, fixed)], minlength=len(network.capacity))
    capacity = network.capacity - taken
    variable, number = renumbered(everybody[column], network.variables)
    place = number[everybody[column]]
    size = np.diff(network.row_start)[column]
    entry = network.row[segments(network.row_start, column)]
    which = np.repeat(np.arange(len(column)), size)
    link = number[network.link] if len(network.link) else network.link
    link = link[(link >= 0).all(axis=1)]
    block = _blocks(network, place, size, entry)
    # Rows that cannot be taken too often say nothing; a single one can be taken in one way.
    members = np.bincount(entry, minlength=len(capacity))
    factor = (network.factor - np.sign(network.factor) * taken).astype(np.int64)
    kept = ((members > capacity) | (exact & ((np.abs(factor) > 1) | (network.fakes > 0))))[entry]
    entry, which = entry[kept], which[kept]
    repeated = _repeated(capacity, (which, entry), block)
    if exact:
        repeated &= _full(capacity, (place, which, entry), block) & (network.fakes == 0)
    if repeated.any():
        kept = ~repeated[entry]
        entry, which = entry[kept], which[kept]
    label = _parts((place, which, entry), link, len(variable), len(capacity))
    return _ordered(network, (capacity, factor), (variable, column, place, which, entry), (block, label), link, wanted)


Entries = tuple[Numbers, Numbers, Numbers]


def _blocks(network: ConstraintNetwork, place: Numbers, size: Numbers, entry: Numbers) -> Numbers:
    """Return the block of each row: rows of one constraint that share members hang together."""
    # The rows of neighbouring columns of a variable belong to the same constraints, in the same order.
    again = np.flatnonzero(place[1:] == place[:-1])
    begin = starts(size)
    one = entry[segments(begin, again)]
    other = entry[segments(begin, again + 1)]
    return component_of(one, other, len(network.capacity))


def _parts(entries: Entries, link: Numbers, variables: int, rows: int) -> Numbers:
    """Return the part of each variable: those that share rows, or are linked, hang together."""
    place, which, entry = entries
    one = np.concatenate([place[which], link[:, 0]])
    other = np.concatenate([variables + entry, link[:, 1]])
    return component_of(one, other, variables + rows)[:variables]


def _repeated(capacity: Numbers, entries: tuple[Numbers, Numbers], block: Numbers) -> Flags:
    """Return which rows are of a block that says what an earlier one says: equal columns take equally scarce rows."""
    which, entry = entries
    rows = len(capacity)
    sums = np.zeros(rows, dtype=np.uint64)
    np.add.at(sums, entry, mixed(which, 1))
    used = np.flatnonzero(np.bincount(entry, minlength=rows))
    # Rows of a block by their columns; equal blocks have the same rows in the same order.
    order = used[np.lexsort((sums[used], block[used]))]
    begin = np.flatnonzero(np.append(True, block[order][1:] != block[order][:-1])) if len(order) else order
    size = np.diff(np.append(begin, len(order)))
    key = mixed(sums[order] ^ mixed(capacity[order], 2), 3)
    total = np.add.reduceat(key, begin) if len(begin) else key
    _, first, number = np.unique(total, return_index=True, return_inverse=True)
    other = first[number]
    again = np.flatnonzero((other != np.arange(len(begin))) & (size[other] == size))
    repeated = np.zeros(rows, dtype=np.bool_)
    if not len(again):
        return repeated
    begin = np.append(begin, len(order))
    mine, theirs = (order[segments(begin, some)] for some in (again, other[again]))
    row_begin, by_row = grouped(entry, rows)
    length = np.diff(row_begin)
    good = (length[mine] == length[theirs]) & (capacity[mine] == capacity[theirs])
    compared = np.flatnonzero(good)
    one, two = (which[by_row[segments(row_begin, some[compared])]] for some in (mine, theirs))
    same = np.ones(len(mine), dtype=np.bool_)
    if len(compared):
        size_of = length[mine[compared]]
        same[compared] = np.minimum.reduceat(one == two, starts(size_of)[:-1])
    good &= same
    whole = np.ones(int(block.max()) + 1, dtype=np.bool_)
    whole[block[mine[~good]]] = False
    repeated[mine[whole[block[mine]]]] = True
    return repeated


def _full(capacity: Numbers, entries: Entries, block: Numbers) -> Flags:
    """Return which rows are of a block all of whose rows are taken in every world."""
    place, which, entry = entries
    member = np.unique(place[which] * np.int64(len(block)) + block[entry])
    members = np.bincount(member % len(block), minlength=len(block))
    rows = np.flatnonzero(np.bincount(entry, minlength=len(capacity)))
    places = np.bincount(block[rows], weights=capacity[rows], minlength=len(block))
    full: Flags = (members == places)[block]
    return full


def _ordered(
    network: ConstraintNetwork,
    limits: tuple[Numbers, Numbers],
    content: tuple[Numbers, Numbers, Numbers, Numbers, Numbers],
    labels: tuple[Numbers, Numbers],
    link: Numbers,
    wanted: Flags,
) -> OpenSubproblem:
    """Return the core with its parts in order, the smallest first."""
    variable, column, place, which, entry = content
    capacity, factor = limits
    block, label = labels
    parts = int(label.max(initial=-1)) + 1
    size = np.bincount(label, minlength=parts)
    asked = np.zeros(parts, dtype=np.bool_)
    asked[label[wanted[variable]]] = True
    first = np.full(parts, len(variable), dtype=np.int64)
    np.minimum.at(first, label, np.arange(len(variable)))
    order = np.lexsort((first, size))
    order = order[asked[order]]
    rank = np.full(parts, -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    some = np.flatnonzero(rank[label] >= 0)
    some = some[np.argsort(rank[label[some]], kind="stable")]
    new = np.full(len(variable), -1, dtype=np.int64)
    new[some] = np.arange(len(some))
    columns_of = starts(np.bincount(place, minlength=len(variable)))
    columns = segments(columns_of, some)
    rows_of = starts(np.bincount(which, minlength=len(column)))
    entries = entry[segments(rows_of, columns)]
    owner = np.repeat(np.arange(len(some)), np.diff(columns_of)[some])
    row_size = np.diff(rows_of)[columns]
    used, _ = renumbered(entries, len(capacity))
    row_part = np.zeros(len(capacity), dtype=np.int64)
    row_part[entries] = rank[label[some]][np.repeat(owner, row_size)]
    used = used[np.lexsort((used, block[used], row_part[used]))]
    number = np.zeros(len(capacity), dtype=np.int64)
    number[used] = np.arange(len(used))
    changes = np.append(False, block[used][1:] != block[used][:-1]) if len(used) else np.zeros(0, dtype=np.bool_)
    links = new[link] if len(link) else link
    return OpenSubproblem(
        variable=variable[some],
        start=starts(np.diff(columns_of)[some]),
        column=column[columns],
        kind=network.kind[column[columns]],
        row_start=starts(row_size),
        row=number[entries],
        capacity=capacity[used],
        factor=factor[used],
        fakes=network.fakes[used],
        block=np.cumsum(changes),
        link=links[(links >= 0).all(axis=1)] if len(links) else links,
        may=network.may,
        part=rank[label[some]],
        network_rows=used,
    )
