"""Elimination order: the groups that cannot be peeled, arranged so that two sweeps multiply by the remaining matrix.

The core falls into components without common columns. In each component, `attacks.equivalence.peeling` selects as few
groups as it can that get no pivots (*deferred* groups); if the component has more groups than columns, it selects
columns that are no pivots (*free* columns). All other groups or columns are peeled. The system of deferred groups and
free columns that remains to be solved is much smaller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attacks.equivalence.peeling import Ragged, picked
from attacks.matrix import Matrix
from audit.model.arrays import Array, component_of, flagged, grouped, segments, starts


class EliminationOrder(NamedTuple):
    """The equations of the core, component by component.

    A component's rows are its groups: those with pivots, in an order in which they can be solved, then the deferred
    ones. Its columns are the pivots in the same order, then the free columns. Indices of ragged arrays are unsigned, so
    that the sweeps need not check their signs.

    Attributes:
        group: the group of each row; shape (rows,), int64.
        column: the column of the person matrix; shape (columns,), int32.
        row_first, column_first: where each component's rows and columns begin, and their number; (components + 1,).
        pivots: how many rows of each component have pivots; shape (components,).
        row_start, row_column: the columns of each row without its pivot, ragged; uint64 and uint32.
        column_start, column_row: the rows of each column without the row whose pivot it is, ragged; uint64 and uint32.
    """

    group: Array
    column: Array
    row_first: Array
    column_first: Array
    pivots: Array
    row_start: Array
    row_column: Array
    column_start: Array
    column_row: Array


def laid_out(matrix: Matrix, group: Array) -> EliminationOrder:
    """Return the system of the groups of a core."""
    members, column = _numbered(matrix, group)
    holders = _transposed(members, len(column))
    label = component_of(_list_of(members), members.entry + np.int32(len(group)), len(group) + len(column))
    row_label, column_label = np.split(label, [len(group)])
    components = int(row_label.max(initial=-1)) + 1
    row_first = np.searchsorted(np.sort(row_label), np.arange(components + 1))
    column_first = np.searchsorted(np.sort(column_label), np.arange(components + 1))
    wide = np.diff(row_first) <= np.diff(column_first)
    pivot, turn = _pivots(members, holders, wide[row_label], wide[column_label])
    rows, columns = _orders(pivot, turn, row_label, column_label)
    del holders  # large arrays are deleted as soon as possible
    place = np.empty(len(columns), dtype=np.uint32)
    place[columns] = np.arange(len(columns))
    columns_of = _arranged(members, rows, pivot, place)
    del members
    rows_of = _transposed(columns_of, len(columns))
    return EliminationOrder(
        group[rows],
        column[columns],
        row_first,
        column_first,
        np.bincount(row_label[pivot >= 0], minlength=components),
        columns_of.start.view(np.uint64),
        columns_of.entry,
        rows_of.start.view(np.uint64),
        rows_of.entry.view(np.uint32),
    )


def _numbered(matrix: Matrix, group: Array) -> tuple[Ragged, Array]:
    """Return the members of some groups, numbered from 0, and their columns, ascending."""
    start, member = matrix.members_of(group)
    used = flagged(member, matrix.columns)
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return Ragged(start, np.take(number, member, out=member)), np.flatnonzero(used)


def _pivots(members: Ragged, holders: Ragged, wide_row: Array, wide_column: Array) -> tuple[Array, Array]:
    """Return the pivot of each row, -1 if it is deferred, and the row's turn: rows are solved in ascending order."""
    rows = len(wide_row)
    pivot, turn = np.full(rows, -1, dtype=np.int32), np.zeros(rows, dtype=np.int32)
    when, found = picked(members, holders, wide_row)
    removed = np.flatnonzero(found >= 0)
    # A row's pivot occurs in earlier removed rows, whose own pivots do not occur in it: the last row is solved first.
    pivot[removed], turn[removed] = found[removed], rows - when[removed]
    when, found = picked(holders, members, ~wide_column)
    removed = np.flatnonzero(found >= 0)
    # A column's row contains earlier removed columns only: the first column is solved first.
    pivot[found[removed]], turn[found[removed]] = removed, when[removed]
    return pivot, turn


def _orders(pivot: Array, turn: Array, row_label: Array, column_label: Array) -> tuple[Array, Array]:
    """Return the rows and the columns in their order in the system."""
    rows = np.lexsort((turn, pivot < 0, row_label))
    first = pivot[rows]
    place = np.full(len(column_label), len(pivot))
    place[first[first >= 0]] = np.flatnonzero(first >= 0)
    return rows, np.lexsort((place, column_label))


def _transposed(lists: Ragged, width: int) -> Ragged:
    """Return the lists that contain each entry, ascending."""
    start, places = grouped(lists.entry, width)
    return Ragged(start, _list_of(lists)[places])


def _list_of(lists: Ragged) -> Array:
    """Return which list contains each entry."""
    return np.repeat(np.arange(len(lists.start) - 1, dtype=np.int32), np.diff(lists.start))


def _arranged(members: Ragged, rows: Array, pivot: Array, place: Array) -> Ragged:
    """Return the members of rows in a new order by their places, without the rows' pivots."""
    entry = members.entry[segments(members.start, rows)]
    kept = entry != np.repeat(pivot[rows], np.diff(members.start)[rows])
    return Ragged(starts((np.diff(members.start) - (pivot >= 0))[rows]), place[entry[kept]])
