"""Walks: from a known world to others, or from columns drawn at random to a first world (compiled).

A variable is given a column that no known world has. While some row is taken more often than its capacity, one of its
variables is moved to the column that exceeds capacities least, for a limited number of moves. `Worlds` checks each
world again, row by row, before anything counts as shown.
"""

from __future__ import annotations

import numpy as np

from attacks.joint.core import OpenSubproblem
from audit.model.arrays import Array, Flags, Numbers
from audit.runtime.compiling import kernel

# How many moves of a hundred are drawn at random.
_DRAWN = 3
# A moved variable is not moved again for this number of moves, plus a random number below the second.
_HELD, _LONGER = 3, 8
_FAR = 1 << 30
# The most moves that the list of rows taken too often is made for; it may have rows several times.
_LISTED = 1 << 15


@kernel
def walk(  # noqa: C901, D417, PLR0912, PLR0913, PLR0915, PLR0917 - numba takes arrays, and calls cost more than they do
    asked: Array,
    enough: int,
    most: int,
    seed: int,
    core: tuple[Array, ...],
    chosen: Array,
    shown: Array,
    variables: Array,
    columns: Array,
    ends: Array,
) -> int:
    """Look for worlds with some columns, each by a walk of up to `most` moves; return how many worlds were found.

    Args:
        asked: the columns to find worlds for; shape (asked,).
        enough: for how many columns of a variable worlds are wanted; 0 for all.
        most: the most moves of a walk.
        seed: the seed of random moves.
        core: the core, without links: `owner`, `start`, `row_start`, `row`, `capacity`, the two arrays of `by_row`, and
            `representative`.
        chosen: the column of each variable, changed in place; walks from a world end at one, or go back; if it is no
            world, a walk that does not reach one stays where it is; shape (variables,).
        shown: which columns of representative twins are shown, changed in place; shape (columns,), bool.
        variables, columns: output: the changes of each world from the one before, world by world; shape at least
            (asked × (most + 1),).
        ends: output: where the changes of each world end; shape at least (asked,).
    """
    owner, start, row_start, row, capacity, by_row_start, by_row, representative = core
    np.random.seed(seed)  # noqa: NPY002 - numba's own generator
    rows = len(capacity)
    over = np.zeros(rows, dtype=np.int64)
    for v in range(len(chosen)):
        for z in range(row_start[chosen[v]], row_start[chosen[v] + 1]):
            over[row[z]] += 1
    wrong = 0
    for r in range(rows):
        over[r] -= capacity[r]
        wrong += max(0, over[r])
    held_until = np.zeros(len(chosen), dtype=np.int64)
    moved, before = np.empty(most + 2, dtype=np.int64), np.empty(most + 2, dtype=np.int64)
    full = np.empty(64 * min(most, _LISTED) + 4_096 + rows, dtype=np.int64)
    now, won, written = 0, 0, 0
    for place in range(len(asked)):
        target = asked[place]
        v = owner[target]
        if shown[start[representative[v]] + target - start[v]]:
            continue
        if enough > 0:
            known = 0
            for c in range(start[representative[v]], start[representative[v] + 1]):
                known += shown[c]
            if known >= enough:
                continue
        held, moves, cost, steps = 0, 0, wrong, 0
        for r in range(rows if wrong > 0 else 0):
            if over[r] > 0:
                full[held] = r
                held += 1
        mover, column = v, target
        while True:
            moved[moves], before[moves] = mover, chosen[mover]
            moves += 1
            for z in range(row_start[chosen[mover]], row_start[chosen[mover] + 1]):
                r = row[z]
                if over[r] > 0:
                    cost -= 1
                over[r] -= 1
            chosen[mover] = column
            for z in range(row_start[column], row_start[column + 1]):
                r = row[z]
                over[r] += 1
                if over[r] > 0:
                    cost += 1
                    if held < len(full):
                        full[held] = r
                        held += 1
            held_until[mover] = now + steps + _HELD + np.random.randint(_LONGER)  # noqa: NPY002
            if cost == 0:
                break
            steps += 1
            if steps > most:
                break
            while held > 0:
                k = np.random.randint(held)  # noqa: NPY002
                r = full[k]
                if over[r] > 0:
                    break
                held -= 1
                full[k] = full[held]
            if held == 0:
                break
            best, ties, mover = _FAR, 0, -1
            drawn = np.random.randint(100) < _DRAWN  # noqa: NPY002
            for k in range(by_row_start[r], by_row_start[r + 1]):
                own = by_row[k]
                w = owner[own]
                if chosen[w] != own or (w == v and wrong == 0):
                    continue
                leaving = 0
                for z in range(row_start[own], row_start[own + 1]):
                    leaving -= over[row[z]] > 0
                for c in range(start[w], start[w + 1]):
                    if c == own:
                        continue
                    change = leaving
                    for z in range(row_start[c], row_start[c + 1]):
                        change += over[row[z]] >= 0
                        if change > best:
                            break
                    if held_until[w] > now + steps and cost + change > 0:
                        change += 1_000
                    if drawn:
                        change = 0
                    if change < best:
                        best, ties, mover, column = change, 1, w, c
                    elif change == best:
                        ties += 1
                        if np.random.randint(ties) == 0:  # noqa: NPY002
                            mover, column = w, c
            if mover < 0:
                break
        now += steps + 20
        if cost == 0:
            wrong = 0
            for k in range(moves):
                w = moved[k]
                shown[start[representative[w]] + chosen[w] - start[w]] = True
                variables[written], columns[written] = w, chosen[w]
                written += 1
            ends[won] = written
            won += 1
        elif wrong == 0:
            for k in range(moves - 1, -1, -1):
                w = moved[k]
                for z in range(row_start[chosen[w]], row_start[chosen[w] + 1]):
                    over[row[z]] -= 1
                chosen[w] = before[k]
                for z in range(row_start[chosen[w]], row_start[chosen[w] + 1]):
                    over[row[z]] += 1
        else:
            wrong = cost
    return won


def walks(
    core: OpenSubproblem, chosen: Numbers, shown: Flags, asked: Numbers, limits: tuple[int, int], seed: int
) -> tuple[Numbers, Numbers, Numbers]:
    """Look for worlds with some columns; return the changes as `walk` writes them: variables, columns and ends.

    Arguments are those of `walk`; `limits` are `enough` and `most`. `chosen` and `shown` are changed in place.
    """
    variables, columns = (np.empty(len(asked) * (limits[1] + 2), dtype=np.int64) for _ in range(2))
    ends = np.empty(len(asked), dtype=np.int64)
    arrays = (core.owner, core.start, core.row_start, core.row, core.capacity, *core.by_row, core.representative)
    won = walk(asked, *limits, seed, arrays, chosen, shown, variables, columns, ends)
    size = int(ends[won - 1]) if won else 0
    return variables[:size], columns[:size], ends[:won]
