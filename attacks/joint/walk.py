"""Walks: from a known world to others, or from columns drawn at random to a first world (compiled).

A variable is given a column that no known world has. While some row is taken more often than its capacity, one of its
variables is moved to the column that exceeds capacities least, for a limited number of moves. `Worlds` checks each
world again, row by row, before anything counts as shown.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from attacks.joint.core import OpenSubproblem
from audit.model.arrays import Array, Flags, Numbers
from audit.runtime.compiling import inlined, kernel

# How many moves of a hundred are drawn at random.
_DRAWN = 3
# A moved variable is not moved again for this number of moves, plus a random number below the second.
_HELD, _LONGER = 3, 8
_FAR = 1 << 30
# The most moves that the list of rows taken too often is made for; it may have rows several times.
_LISTED = 1 << 15

Arrays: TypeAlias = tuple[Array, ...]


class _Columns(NamedTuple):
    """The arrays of a core without links, named as there; `by_row` is two."""

    owner: Array
    start: Array
    row_start: Array
    row: Array
    capacity: Array
    by_row_start: Array
    by_row: Array
    representative: Array


class _WalkState(NamedTuple):
    """The state of walks, changed in place.

    Attributes:
        chosen: the column of each variable; shape (variables,).
        shown: which columns of representative twins are shown; shape (columns,), bool.
        over: by how much each row is taken too often; negative where there is room; shape (rows,).
        held_until: until which move a variable is not moved again; shape (variables,).
        moved, before: the variable of each move of a walk, and the column that it had; shape (most + 2,).
        full: rows that were taken too often when they were listed.
    """

    chosen: Array
    shown: Array
    over: Array
    held_until: Array
    moved: Array
    before: Array
    full: Array


@kernel
def walk(
    asked: Array, enough: int, most: int, seed: int, arrays: Arrays, buffers: Arrays, found: tuple[Array, Array, Array]
) -> int:
    """Look for worlds with some columns, each by a walk of up to `most` moves; return how many worlds were found.

    A walk from a world ends at one, or goes back. If what is chosen is no world, a walk that does not reach one is
    not undone.

    Args:
        asked: the columns to find worlds for; shape (asked,).
        enough: for how many columns of a variable worlds are wanted; 0 for all.
        most: the most moves of a walk.
        seed: the seed of random moves.
        arrays: those of the core, in the order of `_Columns`. (Numba stores the types of arguments, and could not read
            them once a class had another name.)
        buffers: those of the state to begin from, in the order of `_WalkState`, `over` as if no column were chosen.
        found: output: the variable and the column of each change of a world from the one before, world by world, shape
            at least (asked × (most + 2),), and where the changes of each world end, (asked,).
    """
    # Arrays are taken out of tuples before loops, since numba counts each reference to them.
    core, state = _Columns(*arrays), _WalkState(*buffers)
    _, _, row_start, rows, _, _, _, _ = core
    chosen, shown, over, _, moved, before, _ = state
    variables, columns, ends = found
    np.random.seed(seed)  # noqa: NPY002 - numba's own generator
    for column in chosen:
        _take(1, row_start[column], row_start[column + 1], rows, over)
    wrong, clock, worlds, written = 0, 0, 0, 0
    for row in range(len(over)):
        wrong += max(0, over[row])
    for target in asked:
        if _is_settled(target, enough, core, shown):
            continue
        left, moves = _search(target, clock, wrong, most, core, state)
        clock += moves + 20 - (left == 0)
        if left == 0:
            for move in range(moves):
                variable = moved[move]
                shown[_first_twin(chosen[variable], core)] = True
                variables[written], columns[written] = variable, chosen[variable]
                written += 1
            ends[worlds] = written
            worlds += 1
            wrong = 0
        elif wrong == 0:
            for move in range(moves - 1, -1, -1):
                variable = moved[move]
                _take(-1, row_start[chosen[variable]], row_start[chosen[variable] + 1], rows, over)
                chosen[variable] = before[move]
                _take(1, row_start[chosen[variable]], row_start[chosen[variable] + 1], rows, over)
        else:
            wrong = left
    return worlds


@inlined
def _take(times: int, begin: int, end: int, row: Array, over: Array) -> None:
    """Take the rows of some entries, or give them back if `times` is -1."""
    for entry in range(begin, end):
        over[row[entry]] += times


@inlined
def _first_twin(column: int, core: _Columns) -> int:
    """Return the column of the representative twin that has the same rows as a column."""
    variable = core.owner[column]
    return core.start[core.representative[variable]] + column - core.start[variable]


@inlined
def _is_settled(column: int, enough: int, core: _Columns, shown: Array) -> bool:
    """Return whether a column is shown, or enough columns of its variable are."""
    if shown[_first_twin(column, core)]:
        return True
    twin, known = core.representative[core.owner[column]], 0
    for option in range(core.start[twin], core.start[twin + 1]):
        known += shown[option]
    return 0 < enough <= known


@inlined
def _search(target: int, clock: int, wrong: int, most: int, core: _Columns, state: _WalkState) -> tuple[int, int]:
    """Move variables, first that of the target, until no row is taken too often, or none may be moved.

    Args:
        target: the column to begin with; if the walk begins at a world, its variable keeps it.
        clock: the number of moves of earlier walks.
        wrong: by how much rows are taken too often; 0 for a world.
        most: the most moves.
        core: the core.
        state: the state; `moved` and `before` hold the moves of this walk.

    Returns:
        By how much rows are taken too often at the end, and the number of moves.
    """
    chosen, _, over, held_until, moved, before, full = state
    variable, column, moves, listed = core.owner[target], target, 0, 0
    kept = variable if wrong == 0 else -1
    for row in range(len(over) if wrong > 0 else 0):
        if over[row] > 0:
            full[listed] = row
            listed += 1
    while True:
        moved[moves], before[moves] = variable, chosen[variable]
        wrong, listed = _move(variable, column, wrong, listed, core, state)
        held_until[variable] = clock + moves + _HELD + np.random.randint(_LONGER)  # noqa: NPY002
        moves += 1
        if wrong == 0 or moves > most:
            return wrong, moves
        row, listed = _drawn_row(listed, full, over)
        if row < 0:
            return wrong, moves
        variable, column = _best_move(row, kept, clock + moves, wrong, core, state)
        if variable < 0:
            return wrong, moves


@inlined
def _move(variable: int, column: int, wrong: int, listed: int, core: _Columns, state: _WalkState) -> tuple[int, int]:
    """Give a variable a column; return by how much rows are taken too often then, and the length of `state.full`."""
    _, _, row_start, rows, _, _, _, _ = core
    chosen, _, over, _, _, _, full = state
    own = chosen[variable]
    for entry in range(row_start[own], row_start[own + 1]):
        row = rows[entry]
        wrong -= over[row] > 0
        over[row] -= 1
    chosen[variable] = column
    for entry in range(row_start[column], row_start[column + 1]):
        row = rows[entry]
        over[row] += 1
        if over[row] > 0:
            wrong += 1
            if listed < len(full):
                full[listed] = row
                listed += 1
    return wrong, listed


@inlined
def _drawn_row(listed: int, full: Array, over: Array) -> tuple[int, int]:
    """Return a listed row that is still taken too often, -1 if there is none, and the length of the list then."""
    while listed > 0:
        place = np.random.randint(listed)  # noqa: NPY002
        row = full[place]
        if over[row] > 0:
            return row, listed
        listed -= 1
        full[place] = full[listed]
    return -1, 0


@inlined
def _best_move(row: int, kept: int, time: int, wrong: int, core: _Columns, state: _WalkState) -> tuple[int, int]:
    """Return the variable in a row, except `kept`, and the column for it that exceed capacities least; -1 if none."""
    owner, start, row_start, rows, _, _, by_row, _ = core
    chosen, _, over, held_until, _, _, _ = state
    best, ties, mover, to = _FAR, 0, -1, -1
    drawn = np.random.randint(100) < _DRAWN  # noqa: NPY002
    for place in range(core.by_row_start[row], core.by_row_start[row + 1]):
        own = by_row[place]
        variable = owner[own]
        if chosen[variable] != own or variable == kept:
            continue
        leaving = _full_rows(row_start[own], row_start[own + 1], rows, over)
        # A variable that was moved lately is moved again only to a world, or at random.
        extra = 1_000 if held_until[variable] > time else 0
        for column in range(start[variable], start[variable + 1]):
            if column == own:
                continue
            change = -leaving
            for entry in range(row_start[column], row_start[column + 1]):
                change += over[rows[entry]] >= 0
                if change > best:
                    break
            change = 0 if drawn else change + (extra if wrong + change > 0 else 0)
            if change < best:
                best, ties, mover, to = change, 1, variable, column
            elif change == best:
                ties += 1
                if np.random.randint(ties) == 0:  # noqa: NPY002
                    mover, to = variable, column
    return mover, to


@inlined
def _full_rows(begin: int, end: int, row: Array, over: Array) -> int:
    """Return how many rows of some entries are taken too often."""
    found = 0
    for entry in range(begin, end):
        found += over[row[entry]] > 0
    return found


def walks(
    core: OpenSubproblem, chosen: Numbers, shown: Flags, asked: Numbers, limits: tuple[int, int], seed: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Look for worlds with some columns; return their changes as `walk` writes them: variables, columns and ends.

    Arguments are those of `walk`; `limits` are `enough` and `most`. `chosen` and `shown` are changed in place.
    """
    enough, most = limits
    rows = len(core.capacity)
    full = np.empty(64 * min(most, _LISTED) + 4_096 + rows, dtype=np.int64)
    moved, before = np.empty((2, most + 2), dtype=np.int64)
    held_until = np.zeros(len(chosen), dtype=np.int64)
    buffers = (chosen, shown, -core.capacity.astype(np.int64), held_until, moved, before, full)
    variables, columns = np.empty((2, len(asked) * (most + 2)), dtype=np.int64)
    ends = np.empty(len(asked), dtype=np.int64)
    arrays = (core.owner, core.start, core.row_start, core.row, core.capacity, *core.by_row, core.representative)
    worlds = walk(asked, enough, most, seed, arrays, buffers, (variables, columns, ends))
    size = int(ends[worlds - 1]) if worlds else 0
    return variables[:size], columns[:size], ends[:worlds]
