"""Peeling: solve nearly all equations of a series one after the other, and select few that remain.

A column that is in exactly one of the remaining groups becomes that group's pivot: its number makes the group's sum
right, whatever the numbers of the other members (as in decoding an erasure code). The groups that remain when there is
no such column are the core (`laid_out`). There a group is removed without a pivot: the one whose removal
brings most columns close to being pivots. Then peeling continues; usually a few such groups suffice. The same is done
with groups and columns exchanged: hence the words lines and points.
Cost: linear in memberships.

Elimination order: the groups that cannot be peeled, arranged so that two sweeps multiply by the remaining matrix.

The core falls into components without common columns. In each component, `picked` selects as few
groups as it can that get no pivots (*deferred* groups); if the component has more groups than columns, it selects
columns that are no pivots (*free* columns). All other groups or columns are peeled. The system of deferred groups and
free columns that remains to be solved is much smaller.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attacks.equivalence.field import Field, Residues, reduced
from attacks.matrix import Matrix
from audit.model.arrays import Array, component_of, flagged, grouped, segments, starts
from audit.runtime.compiling import inlined, kernel


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


# The urgency that a point adds to its remaining lines, by the number of these.
_URGENCY = np.array([0, 0, 4, 2, 1, 0], dtype=np.int64)
_LAST = len(_URGENCY) - 1
_BOTTOM, _TOP, _HIGHEST, _NOW, _ENTRIES = 0, 1, 2, 3, 4
_MUCH = np.uint64(1 << 63)
_reduced = inlined(reduced)


@dataclass(frozen=True, slots=True)
class Peeled:
    """Groups in the order in which they were peeled.

    Attributes:
        group: shape (peeled groups,), int32; their equations are solved in reverse.
        pivot: the pivot of each, which is in none of the later ones; shape (peeled groups,), int32.
        left: the other groups, the core's, ascending.
    """

    group: Array
    pivot: Array
    left: Array


class Ragged(NamedTuple):
    """What is in each of several lists: those of list i from `start[i]` to `start[i + 1]` in `entry`."""

    start: Array
    entry: Array


class _Lines(NamedTuple):
    """The state of removing lines. Lines are groups and points columns, or the other way round.

    Attributes:
        points: the points of each line.
        lines: the lines of each point.
        degree: how many lines of each point are left.
        last: the exclusive or of the remaining lines of each point: the line itself if there is only one.
        ready: points with one remaining line, as a queue from `_BOTTOM` to `_TOP`.
        turn: when each line was removed.
        pivot: the point by which each line was removed; -1 where it was picked to go without.
        urgency: the sum of the urgencies of each line's points; -1 for lines that are removed.
        first: the first entry of the queue of each urgency, -1 for none. Each line is in the queue of its urgency;
            entries with another urgency are out of date.
        queued, following: the line of each entry, and the entry after it, -1 for none.
        cursor: where `ready` begins and ends, the highest urgency there may be, how many lines were removed, and how
            many entries there are.
    """

    points: Ragged
    lines: Ragged
    degree: Array
    last: Array
    ready: Array
    turn: Array
    pivot: Array
    urgency: Array
    first: Array
    queued: Array
    following: Array
    cursor: Array


def peeled(matrix: Matrix) -> Peeled:
    """Peel groups until no column is in exactly one remaining group."""
    degree, last = np.zeros((2, matrix.columns), dtype=np.int32)
    group, pivot = np.full((2, matrix.groups), -1, dtype=np.int32)
    remains = np.ones(matrix.groups, dtype=np.bool_)
    done = _peel(matrix.start, matrix.member, degree, last, group, pivot, remains)
    return Peeled(group[:done], pivot[:done], np.flatnonzero(remains))


def picked(points: Ragged, lines: Ragged, active: Array) -> tuple[Array, Array]:
    """Remove all active lines, each by a point that is in no other remaining line, or without a point.

    Args:
        points: the points of each line.
        lines: the lines of each point.
        active: which lines are to be removed; of lines with common points, all or none are active.

    Returns:
        When each line was removed, and its point; -1 for lines without, and for those that are not active.
    """
    count, width = len(active), len(lines.start) - 1
    turn, pivot = np.full((2, count), -1, dtype=np.int32)
    degree, last, ready = np.zeros((3, width), dtype=np.int32)
    urgency = np.full(count, -1, dtype=np.int32)
    first = np.full(int(np.diff(points.start).max(initial=0)) * int(_URGENCY.max()) + 1, -1, dtype=np.int32)
    # Each line stands in a queue once at first, and again when a point of it is left in 4, in 3, in 2 lines.
    queued, following = np.empty((2, count + 9 * width), dtype=np.int32)
    cursor = np.array([0, 0, len(first) - 1, 0, 0])
    state = _Lines(points, lines, degree, last, ready, turn, pivot, urgency, first, queued, following, cursor)
    _queue(state, active)
    _remove(state)
    return turn, pivot


def substitute(matrix: Matrix, easy: Peeled, target: Residues, number: Residues, field: Field) -> None:
    """Set the numbers of the pivots so that the members of each peeled group sum to `target`; changes `number`."""
    _substitute(matrix.start, matrix.member, easy.group, easy.pivot, target, number, field)


@inlined
def difference(target: np.uint64, number: Array, index: Array, begin: int, end: int, field: Field) -> np.uint64:
    """Return a number less the sum of the numbers at some places, modulo the prime."""
    total = np.uint64(0)
    for i in range(begin, end):
        total += number[index[i]]
        if total >= _MUCH:
            total = _reduced(total, field)
    return _reduced(target + field.prime - _reduced(total, field), field)


@kernel
def _peel(start: Array, member: Array, degree: Array, last: Array, group: Array, pivot: Array, remains: Array) -> int:
    """Store groups in the order of peeling, and their pivots, and remove them; return their number."""
    for g in range(len(remains)):
        for i in range(start[g], start[g + 1]):
            degree[member[i]] += 1
            last[member[i]] ^= g
    done = 0
    for c in range(len(degree)):
        # Each removed group may leave one of its columns with a single group, which can then be removed, and so on.
        waiting = done
        if degree[c] == 1 and remains[last[c]]:
            group[done], pivot[done], remains[last[c]] = last[c], c, False
            done += 1
        while waiting < done:
            g = group[waiting]
            waiting += 1
            for i in range(start[g], start[g + 1]):
                column = member[i]
                degree[column] -= 1
                last[column] ^= g
                if degree[column] == 1 and remains[last[column]]:
                    group[done], pivot[done], remains[last[column]] = last[column], column, False
                    done += 1
    return done


@kernel
def _substitute(
    start: Array, member: Array, group: Array, pivot: Array, target: Array, number: Array, field: Field
) -> None:
    for k in range(len(group) - 1, -1, -1):
        g = group[k]
        number[pivot[k]] = np.uint64(0)
        number[pivot[k]] = difference(target[g], number, member, start[g], start[g + 1], field)


@kernel
def _queue(state: _Lines, active: Array) -> None:
    """Count the lines of each point, and put all active lines into their queues."""
    for p in range(len(state.degree)):
        state.degree[p] = state.lines.start[p + 1] - state.lines.start[p]
        for j in range(state.lines.start[p], state.lines.start[p + 1]):
            state.last[p] ^= state.lines.entry[j]
        if state.degree[p] == 1 and active[state.last[p]]:
            state.ready[state.cursor[_TOP]] = p
            state.cursor[_TOP] += 1
    for line in range(len(active) - 1, -1, -1):
        if active[line]:
            urgency = 0
            for i in range(state.points.start[line], state.points.start[line + 1]):
                urgency += _URGENCY[min(state.degree[state.points.entry[i]], _LAST)]
            _enqueue(state, line, urgency)


@kernel
def _remove(state: _Lines) -> None:
    """Remove all lines in the queues."""
    line = _next(state)
    while line >= 0:
        state.turn[line] = state.cursor[_NOW]
        state.cursor[_NOW] += 1
        state.urgency[line] = -1
        for i in range(state.points.start[line], state.points.start[line + 1]):
            _lessen(state, line, state.points.entry[i])
        line = _next(state)


@inlined
def _next(state: _Lines) -> int:
    """Return a line with a ready point, or else the most urgent one; -1 if none is left."""
    cursor = state.cursor
    while cursor[_BOTTOM] < cursor[_TOP]:
        p = state.ready[cursor[_BOTTOM]]
        cursor[_BOTTOM] += 1
        if state.degree[p] == 1:
            state.pivot[state.last[p]] = p
            return state.last[p]
    while cursor[_HIGHEST] >= 0:
        urgency = cursor[_HIGHEST]
        entry = state.first[urgency]
        if entry < 0:
            cursor[_HIGHEST] -= 1
            continue
        state.first[urgency] = state.following[entry]
        if state.urgency[state.queued[entry]] == urgency:
            return state.queued[entry]
    return -1


@inlined
def _lessen(state: _Lines, line: int, p: int) -> None:
    """Remove a line from a point, and make the point's other lines more urgent."""
    was = state.degree[p]
    state.degree[p] = was - 1
    state.last[p] ^= line
    if was == 2:
        state.ready[state.cursor[_TOP]] = p
        state.cursor[_TOP] += 1
    # The line of a ready point is removed at once, so its urgency need not be lowered.
    more = _URGENCY[min(was - 1, _LAST)] - _URGENCY[min(was, _LAST)]
    if more > 0:
        for j in range(state.lines.start[p], state.lines.start[p + 1]):
            near = state.lines.entry[j]
            if state.urgency[near] >= 0:
                _enqueue(state, near, state.urgency[near] + more)


@inlined
def _enqueue(state: _Lines, line: int, urgency: int) -> None:
    """Set a line's urgency, and put it first in the queue of that urgency."""
    entry = state.cursor[_ENTRIES]
    state.urgency[line], state.queued[entry] = urgency, line
    state.following[entry], state.first[urgency] = state.first[urgency], entry
    state.cursor[_HIGHEST] = max(state.cursor[_HIGHEST], urgency)
    state.cursor[_ENTRIES] = entry + 1
