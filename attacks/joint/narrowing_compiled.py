"""The compiled twin of `attacks.joint.narrowing`, without reasons, for blocks of one group with at most 64 cells.

Domains, cells and who has which cell are arrays; a block's cells are bits of one word, so that chains of people who
move on are closed by a few operations on words.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def narrow_all(
    domain: Array,
    chosen: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    by_track: tuple[Array, Array, Array],
    links: tuple[Array, Array, Array, Array],
    queue: Array,
) -> int:
    """Narrow the blocks of a queue and those that depend on them, until nothing changes.

    Args:
        domain: by track and word; shape (tracks, words), uint64; changed in place.
        chosen: the cell of each seat within its block, -1 for none yet; int16; changed in place.
        seats: where each block's seats begin, and the track of each.
        cells: where each block's cells begin, the value and the rows of each.
        by_track: where each track's seats begin, the seats, and the block of each seat.
        links: where each track's links begin, the tracks linked to, which of the two masks by value counts for each,
            and these: for each value those that may follow it, and those that it may follow; shape (2, values, words).
        queue: blocks.

    Returns:
        -1 when everybody has a possible value, else a block that shows that there is no world.
    """
    blocks = len(seats[0]) - 1
    waiting, ring = np.zeros(blocks, dtype=np.bool_), np.empty(blocks + 1, dtype=np.int32)
    head, tail = 0, 0
    for block in queue:
        if not waiting[block]:
            waiting[block] = True
            ring[tail] = block
            tail += 1
    room = room_for(seats[0], cells[0])
    trail = np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.uint64)
    changed = np.empty(room[0].shape[0], dtype=np.int32)
    number_linked = len(domain) if len(links[0]) else 1
    moved, stack = np.empty(number_linked, dtype=np.int32), np.empty(number_linked, dtype=np.int32)
    flags = np.zeros((2, number_linked), dtype=np.bool_)
    while head != tail:
        block = ring[head]
        head = head + 1 if head < blocks else 0
        waiting[block] = False
        number = narrow_block(block, domain, chosen, seats, cells, room, changed, trail)
        if number < 0:
            return block
        for at in range(number):
            count = 1
            moved[0] = changed[at]
            if len(links[0]):
                count = _follow(changed[at], domain, links, moved, stack, flags)
                if count < 0:
                    return block
            for each in range(count):
                track = moved[each]
                for place in range(by_track[0][track], by_track[0][track + 1]):
                    other = by_track[2][by_track[1][place]]
                    if other != block and not waiting[other]:
                        waiting[other] = True
                        ring[tail] = other
                        tail = tail + 1 if tail < blocks else 0
    return -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def follow_all(domain: Array, links: tuple[Array, Array, Array, Array]) -> None:
    """Carry everything over to the versions before and after."""
    tracks = len(domain)
    moved, stack = np.empty(tracks, dtype=np.int32), np.empty(tracks, dtype=np.int32)
    flags = np.zeros((2, tracks), dtype=np.bool_)
    for track in range(tracks):
        _follow(track, domain, links, moved, stack, flags)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def room_for(seat_start: Array, cell_start: Array) -> tuple[Array, Array, Array, Array]:
    """Return room to think about the largest block."""
    most, widest = 1, 1
    for block in range(len(seat_start) - 1):
        most = max(most, seat_start[block + 1] - seat_start[block])
        widest = max(widest, cell_start[block + 1] - cell_start[block])
    return (
        np.empty(most, dtype=np.uint64),
        np.empty(widest, dtype=np.uint64),
        np.empty(widest, dtype=np.int64),
        np.empty(widest, dtype=np.int32),
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def narrow_block(
    block: int,
    domain: Array,
    chosen: Array,
    seats: tuple[Array, Array],
    cells: tuple[Array, Array, Array],
    room: tuple[Array, Array, Array, Array],
    changed: Array,
    trail: tuple[Array, Array],
) -> int:
    """Narrow one block; write the tracks that lost a value, and return how many, or -1 where somebody has no cell.

    What tracks had before is noted in the trail, which has room for it or is empty.
    """
    first, last = seats[0][block], seats[0][block + 1]
    cell, width = cells[0][block], cells[0][block + 1] - cells[0][block]
    if width > 64:
        return 0
    options, reach, used, came = room
    used[:width] = 0
    for k in range(last - first):
        track, mask = seats[1][first + k], _NONE
        for c in range(width):
            value = cells[1][cell + c]
            mask |= (domain[track, value >> 6] >> np.uint64(value & 63) & _ONE) << np.uint64(c)
        options[k] = mask
        at = chosen[first + k]
        if at >= 0 and mask >> np.uint64(at) & _ONE and used[at] < cells[2][cell + at]:
            used[at] += 1
        else:
            chosen[first + k] = -1
    for k in range(last - first):
        if chosen[first + k] < 0 and not _place(
            k, options, chosen[first:last], used, cells[2][cell : cell + width], came
        ):
            return -1
    spare = _NONE
    for c in range(width):
        reach[c] = _ONE << np.uint64(c)
        if used[c] < cells[2][cell + c]:
            spare |= _ONE << np.uint64(c)
    for k in range(last - first):
        reach[chosen[first + k]] |= options[k]
    for middle in range(width):
        for c in range(width):
            if reach[c] >> np.uint64(middle) & _ONE:
                reach[c] |= reach[middle]
    number = 0
    for k in range(last - first):
        at, track = chosen[first + k], seats[1][first + k]
        kept, mask = _ONE << np.uint64(at), options[k]
        for c in range(width):
            if mask >> np.uint64(c) & _ONE and (reach[c] & spare or reach[c] >> np.uint64(at) & _ONE):
                kept |= _ONE << np.uint64(c)
        if _keep(domain, track, kept, cells[1], cell, width, trail):
            changed[number] = track
            number += 1
    return number


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _keep(
    domain: Array, track: int, kept: int, value: Array, cell: int, width: int, trail: tuple[Array, Array]
) -> bool:
    """Leave a track only the values of some cells; tell whether it lost one."""
    lost = False
    for word in range(domain.shape[1]):
        mask = _NONE
        for c in range(width):
            if kept >> np.uint64(c) & _ONE and value[cell + c] >> 6 == word:
                mask |= _ONE << np.uint64(value[cell + c] & 63)
        left = domain[track, word] & mask
        if left != domain[track, word]:
            lost = True
            _note(domain, track, word, trail)
            domain[track, word] = left
    return lost


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _note(domain: Array, track: int, word: int, trail: tuple[Array, Array]) -> None:
    """Note what a track had in a word, unless there is no trail; its first row counts the others."""
    if len(trail[0]):
        at = trail[0][0, 0] + 1
        trail[0][0, 0] = at
        trail[0][at, 0], trail[0][at, 1] = track, word
        trail[1][at] = domain[track, word]


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _place(who: int, options: Array, chosen: Array, used: Array, rows: Array, came: Array) -> bool:
    """Give somebody a cell, others moving on where they have to."""
    seen = options[who]
    width, frontier = len(rows), options[who]
    for c in range(width):
        came[c] = who
    while frontier:
        following = _NONE
        for c in range(width):
            if not frontier >> np.uint64(c) & _ONE:
                continue
            if used[c] < rows[c]:
                used[c] += 1
                while True:
                    mover = came[c]
                    before = chosen[mover]
                    chosen[mover] = c
                    if mover == who:
                        return True
                    c = before  # noqa: PLW2901
            for other in range(len(chosen)):
                if chosen[other] != c:
                    continue
                more = options[other] & ~seen
                if more:
                    seen |= more
                    following |= more
                    for further in range(width):
                        if more >> np.uint64(further) & _ONE:
                            came[further] = other
        frontier = following
    return False


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _follow(
    track: int, domain: Array, links: tuple[Array, Array, Array, Array], moved: Array, stack: Array, flags: Array
) -> int:
    """Carry what a track lost over to the versions before and after; write who changed, and return how many.

    `flags` says of each track whether it waits in the stack, and whether it changed. -1 where somebody has no possible
    value left.
    """
    start, linked, way, masks = links
    moved[0], stack[0], count, height = track, track, 1, 1
    flags[0, track], flags[1, track] = True, True
    mask = np.empty(domain.shape[1], dtype=np.uint64)
    possible = True
    while height and possible:
        height -= 1
        here = stack[height]
        flags[0, here] = False
        for place in range(start[here], start[here + 1]):
            other = linked[place]
            _next(domain[here], masks[way[place]], mask)
            lost, empty = False, True
            for word in range(len(mask)):
                left = domain[other, word] & mask[word]
                lost, empty = lost or left != domain[other, word], empty and left == 0
                domain[other, word] = left
            possible = possible and not empty
            if lost and not flags[0, other]:
                flags[0, other] = True
                stack[height] = other
                height += 1
            if lost and not flags[1, other]:
                flags[1, other] = True
                moved[count] = other
                count += 1
    for k in range(height):
        flags[0, stack[k]] = False
    for k in range(count):
        flags[1, moved[k]] = False
    return count if possible else -1


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _next(values: Array, by: Array, mask: Array) -> None:
    """Write the values that some of the given ones lead to."""
    mask[:] = _NONE
    for value in range(len(by)):
        if values[value >> 6] >> np.uint64(value & 63) & _ONE:
            mask |= by[value]
