"""Compiled kernels for what the sampler begins with: other worlds, and who is redrawn together."""

from __future__ import annotations

import numpy as np
from numba import njit

from attacks.joint.sampling_compiled import Array, Rng, Sets, State, Ways, factor

_TRIED = 12
_PATHS = 8
_NOBODY_ALONE = 1 << 30


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def circles(ways: Ways, rounds: int, largest: int, rng: Rng) -> Sets:
    """Return sets of units that may exchange rows among themselves.

    Whoever is alone in a block that has no rows to spare keeps the row there, and so the value. So a set grows by
    people who share blocks in which somebody is alone; those who can change nothing are left out. Which sets there are
    depends on nothing but the network: so redrawing them leaves the worlds as probable as they are.

    Args:
        ways: the network.
        rounds: sets that are begun with each unit.
        largest: units in a set, at most.
        rng: for choosing.
    """
    units = len(ways.unit_start) - 1
    start, found = np.zeros(units * rounds + 1, dtype=np.int64), np.empty(units * rounds * largest, dtype=np.int64)
    inside = np.where(ways.spare, _NOBODY_ALONE, 0)  # how many of a set are in each block
    sets = size = 0
    own = np.empty(largest, dtype=np.int64)
    for turn in range(units * rounds):
        own[0] = turn % units
        number = _core(own, _grown(own, ways, inside, rng), ways, inside)
        for k in range(number):
            _count(own[k], ways, inside, -1)
        if number:
            found[size : size + number] = own[:number]
            sets, size = sets + 1, size + number
            start[sets] = size
    return start[: sets + 1], found[:size]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _grown(own: Array, ways: Ways, inside: Array, rng: Rng) -> int:
    """Let others join a set that has one unit; return how many there are then."""
    number, wanted = 1, 2 + int(rng.random() * (len(own) - 1))
    _count(own[0], ways, inside, 1)
    for _ in range(4 * wanted):
        if number == wanted:
            break
        other = _joining(own[:number], ways, inside, rng)
        if other >= 0:
            own[number] = other
            number += 1
            _count(other, ways, inside, 1)
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _count(unit: int, ways: Ways, inside: Array, by: int) -> None:
    for seat in range(ways.unit_start[unit], ways.unit_start[unit + 1]):
        inside[ways.block[seat]] += by


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _joining(own: Array, ways: Ways, inside: Array, rng: Rng) -> int:
    """Return who should join a set, so that fewest are alone: of a few who want the same rows as somebody in it."""
    # Handing on tuples of arrays would take longer than what is done here.
    start, block, way_start, cells = ways.unit_start, ways.block, ways.way_start, ways.cell
    taker_start, taker, unit_of = ways.taker_start, ways.taker, ways.unit
    seat = -1
    for _ in range(_TRIED):
        unit = own[int(rng.random() * len(own))]
        seat = start[unit] + int(rng.random() * (start[unit + 1] - start[unit]))
        if inside[block[seat]] == 1:
            break
    least, who = 1 << 30, -1
    for _ in range(_TRIED):
        cell = cells[way_start[seat] + int(rng.random() * (way_start[seat + 1] - way_start[seat]))]
        other = unit_of[taker[taker_start[cell] + int(rng.random() * (taker_start[cell + 1] - taker_start[cell]))]]
        cost = 0
        for place in range(start[other], start[other + 1]):
            cost += int(inside[block[place]] == 0) - int(inside[block[place]] == 1)
        if cost < least and not _among(own, other):
            least, who = cost, other
    return who


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _among(own: Array, unit: int) -> bool:
    """Tell whether a unit is in a set."""
    for other in own:  # noqa: SIM110 - generators are not compiled
        if other == unit:
            return True
    return False


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _core(own: Array, number: int, ways: Ways, inside: Array) -> int:
    """Leave out who can change nothing, until everybody can; return how many are left."""
    place = 0
    while place < number:
        if _bound(own[place], ways, inside):
            _count(own[place], ways, inside, -1)
            number -= 1
            own[place] = own[number]
            place = 0
        else:
            place += 1
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _bound(unit: int, ways: Ways, inside: Array) -> bool:
    """Tell whether each track of a unit is alone in some block without rows to spare."""
    track, block, last = ways.track, ways.block, ways.unit_start[unit + 1] - 1
    alone = False
    for seat in range(ways.unit_start[unit], last + 1):
        alone = alone or inside[block[seat]] <= 1
        if seat == last or track[seat + 1] != track[seat]:
            if not alone:
                return False
            alone = False
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def scramble(ways: Ways, asked: Array, state: State, most: int, rng: Rng) -> None:
    """Change a world into another one: give units other rows, and those others who had them, as long as it takes.

    Args:
        ways: the network.
        asked: the units that are to change, one after the other; where that does not come off nothing changes.
        state: changed in place, and a world before and after.
        most: units that may change for one.
        rng: for choosing.
    """
    stamp = np.zeros(len(ways.unit_start) - 1, dtype=np.int64)
    before, best = state.chosen.copy(), state.chosen.copy()
    changed = np.zeros(most, dtype=np.int64)
    for turn, unit in enumerate(asked):
        number, who, cell, done = 0, unit, -1, False
        while not done and who >= 0 and number < most and _path(who, cell, ways, state, best, rng):
            changed[number], stamp[who] = who, turn + 1
            number += 1
            for seat in range(ways.unit_start[who], ways.unit_start[who + 1]):
                before[seat] = state.chosen[seat]
            _give(who, best, ways, state)
            cell = _overfull(changed[:number], ways, state)
            done = cell < 0
            if not done:
                who = _leaving(cell, ways, state, stamp, turn + 1, rng)
        if not done:
            for k in range(number):
                _give(changed[k], before, ways, state)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _give(unit: int, to: Array, ways: Ways, state: State) -> None:
    """Give a unit other rows."""
    for seat in range(ways.unit_start[unit], ways.unit_start[unit + 1]):
        state.left[ways.cell[state.chosen[seat]]] += 1
        state.left[ways.cell[to[seat]]] -= 1
        state.chosen[seat] = to[seat]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _overfull(changed: Array, ways: Ways, state: State) -> int:
    """Return a cell of which more rows are taken than there are, by one of those who changed last; -1 where none is."""
    for k in range(len(changed) - 1, -1, -1):
        for seat in range(ways.unit_start[changed[k]], ways.unit_start[changed[k] + 1]):
            if state.left[ways.cell[state.chosen[seat]]] < 0:
                return ways.cell[state.chosen[seat]]
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _leaving(cell: int, ways: Ways, state: State, stamp: Array, turn: int, rng: Rng) -> int:
    """Return somebody who has a row of a cell and has not changed yet, -1 where there is nobody."""
    who, number = -1, 0
    for place in range(ways.taker_start[cell], ways.taker_start[cell + 1]):
        seat = ways.taker[place]
        if ways.cell[state.chosen[seat]] == cell and stamp[ways.unit[seat]] != turn:
            number += 1
            if rng.random() * number < 1:
                who = ways.unit[seat]
    return who


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _path(unit: int, avoided: int, ways: Ways, state: State, best: Array, rng: Rng) -> bool:
    """Find rows for a unit, other than it has, of which few are taken, for `best`; tell whether there are any."""
    first, last = ways.unit_start[unit], ways.unit_start[unit + 1]
    least, path = 1 << 30, best[first:last].copy()
    for _ in range(_PATHS):
        cost, same, before = 0, True, 0
        for seat in range(first, last):
            way = _picked(seat, seat == first, before, avoided, ways, state, rng)
            if way < 0:
                cost = 1 << 30
                break
            before, path[seat - first] = ways.option[way], way
            same = same and way == state.chosen[seat]
            cost += int(state.left[ways.cell[way]] <= 0 and way != state.chosen[seat])
        if cost < least and not same:
            least = cost
            best[first:last] = path
    return least < 1 << 30


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _picked(seat: int, begins: bool, before: int, avoided: int, ways: Ways, state: State, rng: Rng) -> int:
    """Return a way of a seat that goes with the option of the seat before, rather to where a row is left; or -1."""
    first = begins or ways.track[seat - 1] != ways.track[seat]
    total, found = 0.0, -1
    for way in range(ways.way_start[seat], ways.way_start[seat + 1]):
        if ways.cell[way] != avoided and factor(ways, ways.option[way], before, first) > 0:
            by = 1.0 if state.left[ways.cell[way]] > 0 or way == state.chosen[seat] else 0.25
            total += by
            if rng.random() * total < by:
                found = way
    return found
