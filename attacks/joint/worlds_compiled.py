"""Compiled kernels on worlds: small parts counted, and large ones changed step by step, for networks without links.

`cells` are three arrays: where each block's cells begin, the value and the rows of each. `seats` are where each
track's seats begin, and the block of each, in the order of tracks.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def cell_of(block: int, value: int, cells: tuple[Array, Array, Array]) -> int:
    """Return the cell of a block with a value, -1 where there is none."""
    for cell in range(cells[0][block], cells[0][block + 1]):
        if cells[1][cell] == value:
            return cell
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def count_parts(
    parts: tuple[Array, Array],
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    left: Array,
    domain: Array,
    factor: Array,
    most: int,
    share: Array,
) -> Array:
    """Count the worlds of each part by giving its tracks their rows one after the other.

    Args:
        parts: where each part's tracks begin, and the tracks.
        seats, cells: the network.
        left: the rows that settled tracks leave, by cell; as before afterwards.
        domain: by track and word.
        factor: the weight of a track's value, to the power of one less than its releases; by value.
        most: steps for each part.
        share: by track and value; the shares of the worlds are written into it.

    Returns:
        For each part the weight of its worlds; -1 where that takes too many steps; shape (parts,), float64.
    """
    weights = np.full(len(parts[0]) - 1, -1.0)
    for part in range(len(weights)):
        tracks = parts[1][parts[0][part] : parts[0][part + 1]]
        weights[part] = _count(tracks, seats, cells, left, domain, factor, most, share)
    return weights


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _count(
    tracks: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    left: Array,
    domain: Array,
    factor: Array,
    most: int,
    share: Array,
) -> float:
    """Count the worlds of one part."""
    number, values = len(tracks), share.shape[1]
    sums = np.zeros((number, values))
    at = np.full(number, -1, dtype=np.int64)
    weight = np.ones(number + 1)
    total, steps, place = 0.0, 0, 0
    while place >= 0:
        if place == number:
            whole = weight[number] * _orders(tracks, seats, cells, left, domain)
            total += whole
            for k in range(number):
                sums[k, at[k]] += whole
            place -= 1
            continue
        track = tracks[place]
        if at[place] >= 0:
            _take(track, at[place], seats, cells, left, 1)
        value = at[place] + 1
        while value < values and not (
            domain[track, value >> 6] >> np.uint64(value & 63) & _ONE and _free(track, value, seats, cells, left)
        ):
            value += 1
        steps += 1
        if value == values:
            at[place] = -1
            place -= 1
            continue
        at[place] = value
        _take(track, value, seats, cells, left, -1)
        if steps > most:
            for k in range(place + 1):
                _take(tracks[k], at[k], seats, cells, left, 1)
            return -1.0
        weight[place + 1] = weight[place] * factor[value] ** (seats[0][track + 1] - seats[0][track] - 1)
        place += 1
    if total > 0:
        for k in range(number):
            share[tracks[k]] = sums[k] / total
    return total


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _free(track: int, value: int, seats: tuple[Array, Array], cells: tuple[Array, Array, Array], left: Array) -> bool:
    """Tell whether all blocks of a track have a row left with a value."""
    for seat in range(seats[0][track], seats[0][track + 1]):
        cell = cell_of(seats[1][seat], value, cells)
        if cell < 0 or left[cell] <= 0:
            return False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _take(
    track: int, value: int, seats: tuple[Array, Array], cells: tuple[Array, Array, Array], left: Array, by: int
) -> None:
    """Add to the rows left with a value in all blocks of a track."""
    for seat in range(seats[0][track], seats[0][track + 1]):
        left[cell_of(seats[1][seat], value, cells)] += by


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _orders(
    tracks: Array, seats: tuple[Array, Array], cells: tuple[Array, Array, Array], left: Array, domain: Array
) -> float:
    """Return in how many orders counterfeits take what is left, up to a factor that all worlds have."""
    orders = 1.0
    for k in range(len(tracks)):
        track = tracks[k]
        for seat in range(seats[0][track], seats[0][track + 1]):
            block = seats[1][seat]
            first = True  # each block is looked at for its first track alone
            for before in range(k):
                for other in range(seats[0][tracks[before]], seats[0][tracks[before] + 1]):
                    first = first and seats[1][other] != block
            if first:
                for cell in range(cells[0][block], cells[0][block + 1]):
                    for rows in range(2, left[cell] + 1):
                        orders /= rows
    return orders


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def walk(
    asked: Array,
    world: Array,
    used: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    members: tuple[Array, Array],
    domain: Array,
    shown: Array,
    seed: int,
    most: int,
) -> int:
    """Change a world so that tracks have values that none has shown yet, one after the other.

    Args:
        asked: tracks with values that are not shown; each is tried once for each of them.
        world: the value of each track; changed in place, and a world whenever this returns.
        used: the rows that are taken, by cell; likewise.
        seats, cells: the network.
        members: where each block's tracks begin, and these.
        domain: by track and word.
        shown: by track and word; what the worlds show is added.
        seed: for choosing.
        most: changes at most for one value.

    Returns:
        How many values were shown anew.
    """
    np.random.seed(seed)
    changed, before = np.empty(most + 1, dtype=np.int64), np.empty(most + 1, dtype=np.int64)
    stamp = np.zeros(len(world), dtype=np.int64)
    turn, found = 0, 0
    over = np.empty(4 * most + 64, dtype=np.int64)
    for track in asked:
        for value in range(domain.shape[1] * 64):
            word, bit = value >> 6, _ONE << np.uint64(value & 63)
            if not domain[track, word] & bit or shown[track, word] & bit:
                continue
            turn += 1
            number = _rearrange(
                track, value, world, used, seats, cells, members, domain, stamp, turn, changed, before, over, most
            )
            for k in range(number):
                other = changed[k]
                own, mark = world[other] >> 6, _ONE << np.uint64(world[other] & 63)
                if not shown[other, own] & mark:
                    shown[other, own] |= mark
                    found += 1
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _rearrange(
    track: int,
    value: int,
    world: Array,
    used: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    members: tuple[Array, Array],
    domain: Array,
    stamp: Array,
    turn: int,
    changed: Array,
    before: Array,
    over: Array,
    most: int,
) -> int:
    """Give a track a value, others moving on for it; return how many changed, 0 where it did not come off."""
    number, waiting = 0, 0
    waiting = _move(track, value, world, used, seats, cells, over, waiting)
    changed[0], before[0], number = track, world[track], 1
    world[track], stamp[track] = value, turn
    while waiting and number < most:
        cell = over[waiting - 1]
        if used[cell] <= cells[2][cell]:
            waiting -= 1
            continue
        other, to = _mover(cell, world, used, seats, cells, members, domain, stamp, turn)
        if other < 0 or waiting + 32 + seats[0][other + 1] - seats[0][other] > len(over):
            break
        waiting = _move(other, to, world, used, seats, cells, over, waiting)
        changed[number], before[number] = other, world[other]
        world[other], stamp[other] = to, turn
        number += 1
    while waiting and used[over[waiting - 1]] <= cells[2][over[waiting - 1]]:
        waiting -= 1
    if not waiting:
        return number
    for k in range(number - 1, -1, -1):
        _move(changed[k], before[k], world, used, seats, cells, over, 0)
        world[changed[k]] = before[k]
    return 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _move(
    track: int,
    to: int,
    world: Array,
    used: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    over: Array,
    waiting: int,
) -> int:
    """Move a track's rows to those of another value; note the cells that are then too full."""
    for seat in range(seats[0][track], seats[0][track + 1]):
        block = seats[1][seat]
        used[cell_of(block, world[track], cells)] -= 1
        cell = cell_of(block, to, cells)
        used[cell] += 1
        if used[cell] > cells[2][cell] and waiting < len(over):
            over[waiting] = cell
            waiting += 1
    return waiting


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _mover(
    cell: int,
    world: Array,
    used: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    members: tuple[Array, Array],
    domain: Array,
    stamp: Array,
    turn: int,
) -> tuple[int, int]:
    """Return who may give up a row of a cell that is too full, and for which value, so that least else is too full."""
    block = np.searchsorted(cells[0], cell, side="right") - 1
    value = cells[1][cell]
    best, who, to = 1 << 30, -1, -1
    for place in range(members[0][block], members[0][block + 1]):
        track = members[1][place]
        if world[track] != value or stamp[track] == turn:
            continue
        for here in range(cells[0][block], cells[0][block + 1]):
            other = cells[1][here]
            if other == value or not domain[track, other >> 6] >> np.uint64(other & 63) & _ONE:
                continue
            cost = 0
            for seat in range(seats[0][track], seats[0][track + 1]):
                at = cell_of(seats[1][seat], other, cells)
                cost += 4 * int(used[at] >= cells[2][at])
            cost += np.random.randint(0, 4)
            if cost < best:
                best, who, to = cost, track, other
    return who, to
