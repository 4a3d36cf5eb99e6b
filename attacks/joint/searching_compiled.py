"""Compiled search for worlds of a remainder: a world is repaired after somebody was given another value.

Where a cell holds more people than it has rows, one of them has to move on, to where least else gets too full. Each
such choice is propagated through the blocks around (see `narrowing_compiled`); where somebody has no value left the
choice is taken back and its contrary assumed. So the search ends with a world, or with the proof that there is none, or
at a limit. Most worlds are found a few moves away from the one before.

Whoever calls looks at the clock: kernels come back *paused* after so much work, and go on from there when they are
called again. What comes out does not depend on that.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

from attacks.joint.narrowing_compiled import narrow_block, room_for
from attacks.joint.remainder import Seating
from attacks.joint.remainder_compiled import cell_of

Array: TypeAlias = npt.NDArray[Any]
_ONE = np.uint64(1)
_NONE = np.uint64(0)
OPEN, SHOWN, IMPOSSIBLE, PAUSED = 0, 1, 2, 3


class State(NamedTuple):
    """What is known of tracks, changed in place.

    Attributes:
        domain, shown: values that are left, and that worlds have shown; shape (tracks, words), uint64.
        world: the value of each track; shape (tracks,), int32.
        used: how many tracks the world puts into each cell; shape (cells,), int64.
        chosen: see `narrow_block`; shape (seats,), int16.
        twin: the first of those that may exchange their values; shape (tracks,), int32.
    """

    domain: Array
    shown: Array
    world: Array
    used: Array
    chosen: Array
    twin: Array


class Desk(NamedTuple):
    """Room to work in.

    Attributes:
        room, changed: see `narrow_block`.
        trail, before: what tracks had, see `narrow_block`.
        queue, waiting: blocks to be narrowed, a ring, and whether each is among them.
        over, full: cells that may be too full, how many in `number[0]`, and whether a cell is among them.
        moved, was, stamp: tracks that changed their values, how many in `number[1]`; what they had; the turn of each.
        level: for each choice where its trail begins, the track and the value; shape (levels, 3), int64.
        number: those of `over` and `moved`, the turn, the seed; how much work was done since the last pause, whether
            there is one, and what it interrupted: the levels, the choices taken back, whether the last one was
            possible, and which track and value were asked for; shape (11,), int64.
    """

    room: tuple[Array, Array, Array, Array]
    changed: Array
    trail: Array
    before: Array
    queue: Array
    waiting: Array
    over: Array
    full: Array
    moved: Array
    was: Array
    stamp: Array
    level: Array
    number: Array


_TRAIL = 1 << 20
_LEVELS = 4096
_MOVES = 40
# Seats that are looked at before there is a pause: some tenths of a second.
_AT_ONCE = 3_000_000
_WORK, _PAUSED, _LEVEL, _BACK, _POSSIBLE, _PLACE, _VALUE = 4, 5, 6, 7, 8, 9, 10


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def desk_for(net: Seating, words: int, seed: int) -> Desk:
    """Return room to work in; the seed must not be 0."""
    room = room_for(net.seat_start, net.cell_start)
    trail = _TRAIL + 8 * words * len(room[0])
    number = np.zeros(11, dtype=np.int64)
    number[3] = seed
    blocks, cells, tracks = len(net.seat_start) - 1, len(net.cell_value), len(net.track_start) - 1
    return Desk(
        room,
        np.empty(len(room[0]), dtype=np.int32),
        np.empty((trail, 2), dtype=np.int64),
        np.empty(trail, dtype=np.uint64),
        np.empty(blocks + 1, dtype=np.int32),
        np.zeros(blocks, dtype=np.bool_),
        np.empty(cells, dtype=np.int64),
        np.zeros(cells, dtype=np.bool_),
        np.empty(tracks, dtype=np.int64),
        np.empty(tracks, dtype=np.int32),
        np.zeros(tracks, dtype=np.int64),
        np.empty((_LEVELS, 3), dtype=np.int64),
        number,
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def occupied(first: int, last: int, net: Seating, state: State) -> None:
    """Count the rows that tracks with a value take, of those from `first` to before `last`."""
    for track in range(first, last):
        if state.world[track] >= 0:
            for place in range(net.track_start[track], net.track_start[track + 1]):
                state.used[cell_of(net, net.track_block[place], state.world[track])] += 1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def started(first: int, last: int, net: Seating, state: State, desk: Desk, limit: int) -> int:
    """Find a world of the tracks from `first` to before `last`, parts of their own; OPEN leaves none behind.

    A paused search that is called with a limit below zero ends as OPEN.
    """
    desk.number[_WORK] = 0
    if not desk.number[_PAUSED]:
        desk.number[2] += 1
        desk.trail[0, 0] = 0
        for track in range(first, last):
            if state.world[track] < 0:
                _, state.world[track] = _cheapest(track, net, state, desk)
                for place in range(net.track_start[track], net.track_start[track + 1]):
                    cell = cell_of(net, net.track_block[place], state.world[track])
                    state.used[cell] += 1
                    _look_at(cell, net, state, desk)
        _begun(True, desk)
    found = OPEN if limit < 0 else _repaired(net, state, desk, limit)
    desk.number[_PAUSED] = found == PAUSED
    if found == PAUSED:
        return PAUSED
    _finished(net, state, desk, found == SHOWN)
    if found == SHOWN:
        for track in range(first, last):
            _show(track, state)
    else:
        for track in range(first, last):
            for place in range(net.track_start[track], net.track_start[track + 1]):
                state.used[cell_of(net, net.track_block[place], state.world[track])] -= 1
            state.world[track] = -1
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def ask(asked: Array, witnesses: int, net: Seating, state: State, desk: Desk, limit: int) -> int:
    """Settle the values of some tracks that no world has shown.

    Args:
        asked: tracks, which have a world.
        witnesses: how many shown values of a track are enough.
        net: seats and cells.
        state: what is known; domains lose what is proved impossible, and everything that follows from it.
        desk: room.
        limit: choices that are taken back at most for one value.

    Returns:
        OPEN when all were asked for, PAUSED when some are left, or IMPOSSIBLE where it turns out that no world is left.
    """
    desk.number[_WORK] = 0
    while desk.number[_PLACE] < len(asked):
        track, value = asked[desk.number[_PLACE]], desk.number[_VALUE]
        if value == state.domain.shape[1] * 64 or (
            not desk.number[_PAUSED] and _number(state.shown[track]) >= witnesses
        ):
            desk.number[_PLACE] += 1
            desk.number[_VALUE] = 0
            continue
        word, bit = value >> 6, _ONE << np.uint64(value & 63)
        if desk.number[_PAUSED] or (state.domain[track, word] & bit and not state.shown[track, word] & bit):
            found = _asked(track, value, net, state, desk, limit)
            if found == PAUSED:
                return PAUSED
            if found == IMPOSSIBLE:
                desk.trail[0, 0] = 0
                if not _without(track, value, net, state, desk):
                    return IMPOSSIBLE
                desk.trail[0, 0] = 0  # for good
        desk.number[_VALUE] += 1
        if desk.number[_WORK] > _AT_ONCE:
            return PAUSED
    desk.number[_PLACE] = 0
    return OPEN


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def left(net: Seating, state: State, desk: Desk) -> None:
    """Go back to the world before a pause that nothing follows on."""
    if desk.number[_PAUSED]:
        _finished(net, state, desk, False)
    desk.number[_PAUSED] = desk.number[_PLACE] = desk.number[_VALUE] = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _asked(track: int, value: int, net: Seating, state: State, desk: Desk, limit: int) -> int:
    """Look for a world in which a track has a value."""
    if not desk.number[_PAUSED]:
        desk.number[2] += 1
        desk.trail[0, 0] = 0
        _assume(track, value, state, desk)
        _move(track, value, net, state, desk)
        _begun(limit < 0 or _propagated(track, net, state, desk), desk)
    found = _repaired(net, state, desk, limit)
    desk.number[_PAUSED] = found == PAUSED
    if found != PAUSED:
        _finished(net, state, desk, found == SHOWN)
    return found


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _begun(possible: bool, desk: Desk) -> None:
    """Begin to repair a world after a choice that is possible or not."""
    desk.number[_LEVEL] = desk.number[_BACK] = 0
    desk.number[_POSSIBLE] = possible


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _repaired(net: Seating, state: State, desk: Desk, limit: int) -> int:
    """Move tracks until no cell is too full; IMPOSSIBLE where no choice is left.

    With a limit below zero choices are neither propagated nor taken back.
    """
    levels, conflicts, possible = desk.number[_LEVEL], desk.number[_BACK], desk.number[_POSSIBLE] != 0
    while desk.number[_WORK] <= _AT_ONCE:
        if possible:
            cell = _fullest(net, state, desk)
            if cell < 0:
                return SHOWN
            track, value = _mover(cell, net, state, desk)
            possible = track >= 0
            if limit < 0 and (levels == _MOVES or not possible):
                return OPEN
            if possible:
                if levels == len(desk.level) or _crowded(state, desk):
                    return OPEN
                desk.level[levels, 0], desk.level[levels, 1], desk.level[levels, 2] = desk.trail[0, 0], track, value
                levels += 1
                _assume(track, value, state, desk)
                _move(track, value, net, state, desk)
                possible = limit < 0 or _propagated(track, net, state, desk)
        else:
            conflicts += 1
            if levels == 0:
                return IMPOSSIBLE
            if conflicts > limit:
                return OPEN
            levels -= 1
            _undo(desk.level[levels, 0], state, desk)
            track, value = desk.level[levels, 1], desk.level[levels, 2]
            possible = _without(track, value, net, state, desk)
    desk.number[_LEVEL], desk.number[_BACK], desk.number[_POSSIBLE] = levels, conflicts, possible
    return PAUSED


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _fullest(net: Seating, state: State, desk: Desk) -> int:
    """Return the last cell that is too full, -1 where none is."""
    while desk.number[0]:
        cell = desk.over[desk.number[0] - 1]
        if state.used[cell] > net.cell_rows[cell]:
            return cell
        desk.number[0] -= 1
        desk.full[cell] = False
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _mover(cell: int, net: Seating, state: State, desk: Desk) -> tuple[int, int]:
    """Return who may leave a cell that is too full, and for which value, so that least else gets too full."""
    block = np.searchsorted(net.cell_start, cell, side="right") - 1
    value = net.cell_value[cell]
    desk.number[_WORK] += net.seat_start[block + 1] - net.seat_start[block]
    best, who, to = 1 << 30, -1, -1
    for seat in range(net.seat_start[block], net.seat_start[block + 1]):
        track = net.seat[seat]
        if state.world[track] == value:
            cost, other = _cheapest(track, net, state, desk)
            if cost < best:
                best, who, to = cost, track, other
    return who, to


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _cheapest(track: int, net: Seating, state: State, desk: Desk) -> tuple[int, int]:
    """Return what it costs a track to take another value, and which; values that are not shown are a little cheaper."""
    best, to = 1 << 30, -1
    for word in range(state.domain.shape[1]):
        left = state.domain[track, word]
        while left:
            low = left & (~left + _ONE)
            left ^= low
            other = 64 * word + _bit(low)
            if other == state.world[track]:
                continue
            cost = 0
            for place in range(net.track_start[track], net.track_start[track + 1]):
                at = cell_of(net, net.track_block[place], other)
                cost += 8 * int(state.used[at] >= net.cell_rows[at])
            cost += _random(desk, 4)
            if not state.shown[state.twin[track], word] & low:
                cost -= 3
            if cost < best:
                best, to = cost, other
    return best, to


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _propagated(track: int, net: Seating, state: State, desk: Desk) -> bool:
    """Narrow the blocks around a track and what depends on them; tell whether everybody has a value left.

    Whoever loses the value that the world gives is moved to another.
    """
    head, tail = 0, _enqueued(track, -1, 0, net, desk)
    blocks = len(desk.queue)
    possible = True
    while head != tail and possible and not _crowded(state, desk):
        block = desk.queue[head]
        desk.number[_WORK] += net.seat_start[block + 1] - net.seat_start[block]
        head = head + 1 if head + 1 < blocks else 0
        desk.waiting[block] = False
        number = narrow_block(
            block,
            state.domain,
            state.chosen,
            (net.seat_start, net.seat),
            (net.cell_start, net.cell_value, net.cell_rows),
            desk.room,
            desk.changed,
            (desk.trail, desk.before),
        )
        possible = number >= 0
        for at in range(number):
            other = desk.changed[at]
            value = state.world[other]
            if value >= 0 and not state.domain[other, value >> 6] >> np.uint64(value & 63) & _ONE:
                _, to = _cheapest(other, net, state, desk)
                _move(other, to, net, state, desk)
            tail = _enqueued(other, block, tail, net, desk)
    while head != tail:
        desk.waiting[desk.queue[head]] = False
        head = head + 1 if head + 1 < blocks else 0
    return possible


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _enqueued(track: int, but: int, tail: int, net: Seating, desk: Desk) -> int:
    """Let the blocks of a track wait, but one; return the new end of the queue, a ring."""
    for place in range(net.track_start[track], net.track_start[track + 1]):
        block = net.track_block[place]
        if block != but and not desk.waiting[block]:
            desk.waiting[block] = True
            desk.queue[tail] = block
            tail = tail + 1 if tail + 1 < len(desk.queue) else 0
    return tail


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _without(track: int, value: int, net: Seating, state: State, desk: Desk) -> bool:
    """Take a value from a track and from its twins that may have the same values: what one cannot have, none can.

    Tell whether everybody has a value left.
    """
    first, words = state.twin[track], state.domain.shape[1]
    possible = True
    for place in range(net.track_start[track], min(net.track_start[track] + 1, net.track_start[track + 1])):
        block = net.track_block[place]
        for seat in range(net.seat_start[block], net.seat_start[block + 1]):
            other = net.seat[seat]
            alike = state.twin[other] == first and other != track
            for word in range(words):
                alike = alike and state.domain[other, word] == state.domain[track, word]
            if alike:
                possible = possible and _excluded(other, value, net, state, desk)
    return possible and _excluded(track, value, net, state, desk) and _propagated(track, net, state, desk)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _assume(track: int, value: int, state: State, desk: Desk) -> None:
    """Leave a track one value."""
    for word in range(state.domain.shape[1]):
        _note(track, word, state, desk)
        bit = _ONE << np.uint64(value & 63)
        state.domain[track, word] = bit if word == value >> 6 else _NONE


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _excluded(track: int, value: int, net: Seating, state: State, desk: Desk) -> bool:
    """Take a value from a track; tell whether one is left."""
    _note(track, value >> 6, state, desk)
    state.domain[track, value >> 6] &= ~(_ONE << np.uint64(value & 63))
    if _number(state.domain[track]) == 0:
        return False
    if state.world[track] == value:
        _, to = _cheapest(track, net, state, desk)
        _move(track, to, net, state, desk)
    return True


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _note(track: int, word: int, state: State, desk: Desk) -> None:
    at = desk.trail[0, 0] + 1
    desk.trail[0, 0] = at
    desk.trail[at, 0], desk.trail[at, 1] = track, word
    desk.before[at] = state.domain[track, word]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _crowded(state: State, desk: Desk) -> bool:
    """Tell whether another block might not find room in the trail; what is not narrowed then is only found later."""
    return desk.trail[0, 0] + 2 * (len(desk.changed) + 1) * state.domain.shape[1] >= len(desk.trail)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _undo(mark: int, state: State, desk: Desk) -> None:
    """Give back what tracks had at a place of the trail."""
    for at in range(desk.trail[0, 0], mark, -1):
        state.domain[desk.trail[at, 0], desk.trail[at, 1]] = desk.before[at]
    desk.trail[0, 0] = mark


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _move(track: int, to: int, net: Seating, state: State, desk: Desk) -> None:
    """Move a track's rows to those of another value; note the cells that are then too full."""
    before = state.world[track]
    if before == to:
        return
    if desk.stamp[track] != desk.number[2]:
        desk.stamp[track] = desk.number[2]
        desk.moved[desk.number[1]], desk.was[desk.number[1]] = track, before
        desk.number[1] += 1
    state.world[track] = to
    for place in range(net.track_start[track], net.track_start[track + 1]):
        block = net.track_block[place]
        state.used[cell_of(net, block, before)] -= 1
        cell = cell_of(net, block, to)
        state.used[cell] += 1
        _look_at(cell, net, state, desk)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _look_at(cell: int, net: Seating, state: State, desk: Desk) -> None:
    if state.used[cell] > net.cell_rows[cell] and not desk.full[cell]:
        desk.full[cell] = True
        desk.over[desk.number[0]] = cell
        desk.number[0] += 1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _finished(net: Seating, state: State, desk: Desk, keep: bool) -> None:
    """Undo all assumptions; keep the world and show what it has, or go back to the one before."""
    _undo(0, state, desk)
    for k in range(desk.number[1]):
        track = desk.moved[k]
        if keep:
            if not _fits(track, net, state):
                raise AssertionError("a world was changed into none")
            _show(track, state)
        else:
            _move(track, desk.was[k], net, state, desk)
    for k in range(desk.number[0]):
        desk.full[desk.over[k]] = False
    desk.number[0] = desk.number[1] = 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _fits(track: int, net: Seating, state: State) -> bool:
    """Tell whether a track has a value that it may have, and there are rows for all who have it, by counting them."""
    value = state.world[track]
    for place in range(net.track_start[track], net.track_start[track + 1]):
        block, there = net.track_block[place], 0
        for seat in range(net.seat_start[block], net.seat_start[block + 1]):
            there += state.world[net.seat[seat]] == value
        if there > net.cell_rows[cell_of(net, block, value)]:
            return False
    return state.domain[track, value >> 6] >> np.uint64(value & 63) & _ONE != 0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _show(track: int, state: State) -> None:
    value = state.world[track]
    state.shown[state.twin[track], value >> 6] |= _ONE << np.uint64(value & 63)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _bit(low: int) -> int:
    """Return the place of the only bit of a word."""
    at = 0
    for step in (32, 16, 8, 4, 2, 1):
        if low >> np.uint64(at + step):
            at += step
    return at


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _number(words: Array) -> int:
    """Return how many values a set has."""
    number = 0
    for word in words:
        left = word
        while left:
            left &= left - _ONE
            number += 1
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _random(desk: Desk, below: int) -> int:
    """Return a number below another, from a generator of the desk's own (xorshift)."""
    seed = desk.number[3]
    seed ^= seed << 13
    seed ^= (seed >> 7) & 0x1FFFFFFFFFFFFFF
    seed ^= seed << 17
    desk.number[3] = seed
    return (seed >> 11 & 0xFFFF) % below
