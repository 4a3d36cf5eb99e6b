"""Compiled kernels of the sampler: giving a few people rows anew, with the probabilities that all others leave."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]
Rng: TypeAlias = np.random.Generator
Sets: TypeAlias = tuple[Array, Array]
"""Where each set of units begins, and the units."""


class Ways(NamedTuple):
    """How people may have rows.

    A *unit* is redrawn as a whole: a track, or all linked tracks of a person. Its seats stand beside one another, those
    of a track too. An *option* is a track with a value; a *way* is a seat with an option and a cell.

    Attributes:
        unit_start: where the seats of each unit begin; shape (units + 1,).
        unit, track, block: of each seat.
        way_start: where the ways of each seat begin; shape (seats + 1,).
        cell, option: of each way.
        option_start: where the options of each track begin; shape (tracks + 1,).
        owner, value, weight: the track of each option, its value, and its weight, float64.
        step: the weight of one value following another; shape (values, values).
        follows: whether a track follows on the one before it.
        taker_start, taker: the seats with a way to each cell; where they begin, shape (cells + 1,), and which.
        spare: whether a block has more rows than seats.
    """

    unit_start: Array
    unit: Array
    track: Array
    block: Array
    way_start: Array
    cell: Array
    option: Array
    option_start: Array
    owner: Array
    value: Array
    weight: Array
    step: Array
    follows: Array
    taker_start: Array
    taker: Array
    spare: Array


class State(NamedTuple):
    """A world.

    Attributes:
        chosen: the way of each seat.
        left: the rows of each cell that nobody has.
    """

    chosen: Array
    left: Array


class Sums(NamedTuple):
    """What was seen of each option when its track was redrawn.

    Attributes:
        total: its probabilities, added up; shape (options,), float64.
        square: their squares; likewise.
        times: how often a track was redrawn; shape (tracks,), float64.
    """

    total: Array
    square: Array
    times: Array


class _Desk(NamedTuple):
    """Room to work in: for each place in a set the seat, how it is bound to the one before, what it may have, is tried.

    Attributes:
        seat: which.
        same, follows: whether it is of the same track as the one before, or of one that follows on that.
        begin, way: where the ways begin that are looked at, and which.
        at, kept: the way that is tried, as a place in `way`; that which is drawn.
        weight: of what is tried up to each place.
        through: the weight of all that is tried, of each option; 0 before and after.
        offered: how many seats have an option; likewise.
    """

    seat: Array
    same: Array
    follows: Array
    begin: Array
    way: Array
    at: Array
    kept: Array
    weight: Array
    through: Array
    offered: Array


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def sweep(ways: Ways, sets: Sets, sweeps: int, state: State, sums: Sums, most: int, rng: Rng) -> None:
    """Redraw each set so many times, with exactly the probabilities that everybody else's rows leave (heat bath).

    Args:
        ways: the network.
        sets: who is redrawn together.
        sweeps: how often.
        state: changed in place, and a world before and after.
        sums: what is seen is added.
        most: steps for one set. If there are more ways than that, it is left as it is; whether there are depends on
            others' rows alone.
        rng: for drawing.
    """
    desk = _desk_for(ways, sets)
    for turn in range(sweeps * (len(sets[0]) - 1)):
        k = turn % (len(sets[0]) - 1)
        number = _free(ways, sets[1][sets[0][k] : sets[0][k + 1]], state, desk)
        _list(number, ways, state, desk)
        whole = _draw(number, ways, state, desk, most, rng)
        for d in range(number):
            if whole > 0:
                state.chosen[desk.seat[d]] = desk.kept[d]
            way = state.chosen[desk.seat[d]]
            state.left[ways.cell[way]] -= 1
            if not desk.same[d]:
                _note(ways.track[desk.seat[d]], ways.option[way], whole, ways, desk, sums)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _desk_for(ways: Ways, sets: Sets) -> _Desk:
    """Return room for the largest set."""
    width = 1
    for k in range(len(sets[0]) - 1):
        number = 0
        for unit in sets[1][sets[0][k] : sets[0][k + 1]]:
            number += ways.unit_start[unit + 1] - ways.unit_start[unit]
        width = max(width, number)
    each = (ways.way_start[1:] - ways.way_start[:-1]).max()
    return _Desk(
        np.empty(width, np.int64),
        np.zeros(width, np.bool_),
        np.zeros(width, np.bool_),
        np.empty(width + 1, np.int64),
        np.empty(width * each, np.int64),
        np.empty(width, np.int64),
        np.empty(width, np.int64),
        np.ones(width + 1),
        np.zeros(len(ways.value)),
        np.zeros(len(ways.value), np.int64),
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _note(track: int, own: int, whole: float, ways: Ways, desk: _Desk, sums: Sums) -> None:
    """Add what was seen of the options of a track, one of which it has."""
    sums.times[track] += 1
    for option in range(ways.option_start[track], ways.option_start[track + 1]):
        # Leaving out sets that are left as they are would tell of some worlds more often than of others.
        share = desk.through[option] / whole if whole > 0 else 1.0 * (option == own)
        sums.total[option] += share
        sums.square[option] += share * share
        desk.through[option] = 0.0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _free(ways: Ways, units: Array, state: State, desk: _Desk) -> int:
    """Take the rows of some units away; return how many seats these have."""
    number = 0
    for unit in units:
        for seat in range(ways.unit_start[unit], ways.unit_start[unit + 1]):
            first = seat == ways.unit_start[unit]
            desk.seat[number] = seat
            desk.same[number] = not first and ways.track[seat] == ways.track[seat - 1]
            desk.follows[number] = ways.follows[ways.track[seat]]
            state.left[ways.cell[state.chosen[seat]]] += 1
            number += 1
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _list(number: int, ways: Ways, state: State, desk: _Desk) -> None:
    """List the ways of seats to cells that have a row left, with options that all seats of the track have."""
    cell, option, left, start = ways.cell, ways.option, state.left, ways.way_start
    seat, offered, begin, found = desk.seat, desk.offered, desk.begin, desk.way
    d, size = 0, 0
    while d < number:
        e = d
        while e < number and (e == d or desk.same[e]):
            for way in range(start[seat[e]], start[seat[e] + 1]):
                if left[cell[way]] > 0 and offered[option[way]] == e - d:
                    offered[option[way]] += 1
            e += 1
        for f in range(d, e):
            begin[f] = size
            for way in range(start[seat[f]], start[seat[f] + 1]):
                if left[cell[way]] > 0 and offered[option[way]] == e - d:
                    found[size] = way
                    size += 1
        for way in range(start[seat[d]], start[seat[d] + 1]):
            offered[option[way]] = 0
        d = e
    begin[number] = size


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _draw(number: int, ways: Ways, state: State, desk: _Desk, most: int, rng: Rng) -> float:
    """Go through all ways to give seats rows, and draw one of them; return the weight of all, -1 if there are too many.

    Rows are told apart: a row is one of those that its cell has left. So counterfeits and strangers, who have the
    others, need not be looked at.
    """
    # References are counted whenever a tuple of arrays is handed on, which takes longer than what is done here.
    cell, option, left, way, begin, at = ways.cell, ways.option, state.left, desk.way, desk.begin, desk.at
    value, weights, step, weight = ways.value, ways.weight, ways.step, desk.weight
    same, follows = desk.same, desk.follows
    whole, d = 0.0, 0
    at[0] = -1
    for _ in range(most):
        if at[d] >= 0:
            left[cell[way[at[d]]]] += 1
        place, by = max(at[d] + 1, begin[d]), 0.0
        while place < begin[d + 1]:
            own, before = option[way[place]], option[way[at[d - 1]]] if d else 0
            by = float(left[cell[way[place]]])
            if same[d]:
                by *= own == before
            else:
                by *= weights[own] * (step[value[before], value[own]] if follows[d] else 1.0)
            if by > 0:
                break
            place += 1
        if place == begin[d + 1]:
            d -= 1
            if d < 0:
                return whole
            continue
        at[d], weight[d + 1] = place, weight[d] * by
        left[cell[way[place]]] -= 1
        if d + 1 < number:
            d += 1
            at[d] = -1
            continue
        whole += weight[number]
        _tell(number, rng.random() * whole < weight[number], option, desk)
    for e in range(d + 1):
        if at[e] >= 0:
            left[cell[way[at[e]]]] += 1
    return -1.0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _tell(number: int, drawn: bool, option: Array, desk: _Desk) -> None:
    """Add the weight of what is tried to that of its options; keep it if it is drawn."""
    way, at, same, through, kept = desk.way, desk.at, desk.same, desk.through, desk.kept
    for e in range(number):
        if not same[e]:
            through[option[way[at[e]]]] += desk.weight[number]
        if drawn:
            kept[e] = way[at[e]]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def factor(ways: Ways, option: int, before: int, first: bool) -> float:
    """Return the weight that an option adds, given that of the seat before: 0 where the two contradict each other."""
    if not first:
        return 1.0 * (option == before)
    if ways.follows[ways.owner[option]]:
        return ways.weight[option] * ways.step[ways.value[before], ways.value[option]]
    return ways.weight[option]
