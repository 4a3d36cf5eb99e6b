"""Circulations: two values handed round in a circle, which shows many values of many people at once.

From a world, whoever has one value of two, and may have the other, can give his row of a group to somebody there who
has the other. Outside the group both then take rows that the one had and the other has not. So people are edges of a
graph for two values: between their group and what their columns of the two values take elsewhere, there for who has
the one value, and back for who has the other. Along a simple circle each row that is left is taken again. An edge is on
one exactly when both its ends lie in one strongly connected component, and then a world gives the person the other
value. Where all groups but those of one release are large, this shows nearly all that is possible, at the cost of one
search through the graph.

Sound because rows are compared one by one: fingerprints only tell which to compare.
"""

from __future__ import annotations

import numpy as np

from attacks.graphs import component_of
from attacks.joint.arrays import Integers, Numbers, mixed, segments, starts
from attacks.joint.core import Core
from audit.model.arrays import Flags


def circulated(core: Core, chosen: Numbers, release: Integers, at: int) -> Flags:
    """Return which columns a circle through the groups of one release shows; shape (columns,).

    Args:
        core: open parts, without links, in which each option is one column.
        chosen: a column for each variable, a world.
        release: the release of each row; shape (rows,).
        at: the release whose groups are passed.
    """
    shown = np.zeros(len(core.kind), dtype=np.bool_)
    here = release[core.row] == at
    inside, outside = _sets(core, here), _sets(core, ~here)
    own = chosen[core.owner]
    # A column of another value than the chosen one is an edge.
    other = np.flatnonzero(own != np.arange(len(own)))
    own = own[other]
    rises = core.kind[other] > core.kind[own]
    low, high = np.where(rises, own, other), np.where(rises, other, own)
    kinds = np.int64(core.kind.max(initial=0)) + 1
    pair = core.kind[low] * kinds + core.kind[high]
    group = _numbered(pair, inside[low], inside[high])
    elsewhere = _numbered(pair, outside[low], outside[high])
    groups = int(group.max(initial=-1)) + 1
    tail, head = np.where(rises, elsewhere + groups, group), np.where(rises, group, elsewhere + groups)
    shown[other] = _in_circles(tail, head)
    return shown


def alone(core: Core, chosen: Numbers, release: Integers, at: int) -> float:
    """Return the share of people who take rows elsewhere that nobody else takes; arguments as for `circulated`."""
    size = np.diff(core.row_start)[chosen]
    row = core.row[segments(core.row_start, chosen)]
    who = np.repeat(np.arange(len(chosen)), size)
    elsewhere = release[row] != at
    taken = np.bincount(who[elsewhere], weights=mixed(row[elsewhere], 1).astype(np.float64), minlength=len(chosen))
    return float(np.count_nonzero(np.unique(taken, return_counts=True)[1] == 1) / max(1, len(chosen)))


def _in_circles(tail: Numbers, head: Numbers) -> Flags:
    """Return which edges of a graph are on a circle."""
    nodes = int(max(tail.max(initial=-1), head.max(initial=-1))) + 1
    component = component_of(tail, head, nodes, strong=True)
    circle: Flags = component[tail] == component[head]
    return circle


def _numbered(*keys: Numbers) -> Numbers:
    """Return a number for each distinct combination of keys."""
    found = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        found = np.unique(found * (int(key.max(initial=0)) + 1) + key, return_inverse=True)[1]
    return found


def _sets(core: Core, some: Flags) -> Numbers:
    """Return a number for the rows of each column, among some entries: equal ones for equal rows."""
    column, row = core.entry_column[some], core.row[some]
    size = np.bincount(column, minlength=len(core.kind))
    sums = np.zeros(len(core.kind), dtype=np.uint64)
    begin = starts(size)
    filled = np.flatnonzero(size)
    if len(filled):
        sums[filled] = np.add.reduceat(mixed(row, 1), begin[:-1][filled])
    sums ^= mixed(size, 2)
    _, first, number = np.unique(sums, return_index=True, return_inverse=True)
    # Rows of a column stand in the order of constraints, so that equal sets are equal lists.
    like = first[number]
    good = size == size[like]
    compared = np.flatnonzero(good & (size > 0))
    if len(compared):
        same = row[segments(begin, compared)] == row[segments(begin, like[compared])]
        good[compared] = np.minimum.reduceat(same, starts(size[compared])[:-1])
    apart = np.flatnonzero(~good)  # fingerprints that are equal by chance
    number = number.astype(np.int64)
    number[apart] = len(first) + np.arange(len(apart))
    return number
