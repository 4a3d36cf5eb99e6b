"""The remainder: what narrowing leaves open in a large network, part by part, with no row more than it takes.

Blocks are split by parts, so that parts can be worked on beside one another; rows of settled tracks are gone; blocks
that leave everybody in them a free choice, and blocks that say what another one says, are left out where worlds are
only looked for, not counted. Tracks and blocks are numbered anew, those of a part one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attacks.joint.network import Flags, Network, Words
from attacks.joint.parts import Parts
from audit.core.evidence import Codes, Counts


class Seating(NamedTuple):
    """Who sits in which block, and the rows there.

    Attributes:
        seat_start: where each block's seats begin, and their number at the end; shape (blocks + 1,), int64.
        seat: the track of each seat; int32.
        cell_start: the same for cells; shape (blocks + 1,), int64.
        cell_value, cell_rows: the value and the rows of each cell; int32, int64.
        track_start: where each track's seats begin; shape (tracks + 1,), int64.
        track_block: the block of each of these; int32.
    """

    seat_start: Counts
    seat: Codes
    cell_start: Counts
    cell_value: Codes
    cell_rows: Counts
    track_start: Counts
    track_block: Codes


@dataclass(frozen=True)
class Remainder:
    """Parts of a network without links, each block being one group, in numbers of their own.

    Attributes:
        track: the track of the network; shape (tracks,), int64.
        part_start: where the tracks of each part begin, the smallest part first; shape (parts + 1,), int64.
        part: the part of each track; shape (tracks,), int64.
        seating: seats and cells.
        releases: in how many releases each track is; shape (tracks,), int64.
    """

    track: Counts
    part_start: Counts
    part: Counts
    seating: Seating
    releases: Counts

    def lean(self, possible: Words) -> Remainder:
        """Return it without blocks that bind nobody, and without those that say what another one says.

        Worlds are the same, but not the number of ways in which counterfeits take what is left.
        """
        seating = self.seating
        block_of_cell = np.repeat(np.arange(len(seating.cell_start) - 1), np.diff(seating.cell_start))
        wanted = _takers(seating, possible[self.track]) > seating.cell_rows
        binding = np.zeros(len(seating.cell_start) - 1, dtype=np.bool_)
        binding[block_of_cell[wanted]] = True
        kept = np.flatnonzero(binding)
        _, first = np.unique(_likeness(seating)[kept], axis=0, return_index=True)
        binding[:] = False
        binding[kept[first]] = True
        return Remainder(self.track, self.part_start, self.part, _only(seating, binding), self.releases)

    def twins(self, possible: Words) -> Codes:
        """Return for each track the first that shares all blocks and values with it: they may exchange their values."""
        start, block = self.seating.track_start, self.seating.track_block
        width = int(np.diff(start).max(initial=0))
        table = np.full((len(self.track), width), -1, dtype=np.int64)
        place = np.arange(len(block)) - np.repeat(start[:-1], np.diff(start))
        table[np.repeat(np.arange(len(self.track)), np.diff(start)), place] = block
        rows = np.concatenate([self.part[:, np.newaxis], table, possible[self.track].view(np.int64)], axis=1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first[place.reshape(-1)].astype(np.int32)


def remainder(network: Network, parts: Parts, possible: Words, wanted: Flags) -> Remainder:
    """Return the parts in which any track is wanted."""
    free = np.flatnonzero(parts.of >= 0)
    asked = np.zeros(network.tracks, dtype=np.bool_)
    asked[parts.of[free[wanted[free]]]] = True
    free = free[asked[parts.of[free]]]
    size = np.bincount(parts.of[free], minlength=1)
    order = free[np.lexsort((free, parts.of[free], size[parts.of[free]]))]
    number = np.cumsum(np.diff(parts.of[order], prepend=-1) != 0) - 1
    part_start = np.searchsorted(number, np.arange(int(number.max(initial=-1)) + 2))
    local = np.full(network.tracks, -1, dtype=np.int64)
    local[order] = np.arange(len(order))
    part = np.full(network.tracks, -1, dtype=np.int64)
    part[order] = number
    seating = _seating(network, parts, possible, local, part)
    releases = np.diff(network.by_track[0])[order]
    return Remainder(order, part_start.astype(np.int64), number.astype(np.int64), seating, releases)


def _seating(network: Network, parts: Parts, possible: Words, local: Counts, part: Counts) -> Seating:
    """Return the blocks of some tracks, split by parts."""
    from attacks.joint.remainder_compiled import part_of_cells

    seats = np.flatnonzero(local[network.seat] >= 0)
    key_of_seat = part[network.seat[seats]] * network.blocks + network.block_of[seats]
    of_cell = part_of_cells(
        (network.seat_start, network.seat), (network.cell_start, network.cell_value), possible, part
    )
    cells = np.flatnonzero(of_cell >= 0)
    block_of_cell = np.repeat(np.arange(network.blocks), np.diff(network.cell_start))
    key_of_cell = of_cell[cells] * network.blocks + block_of_cell[cells]
    blocks = np.unique(key_of_seat)
    by_seat, by_cell = np.argsort(key_of_seat, kind="stable"), np.argsort(key_of_cell, kind="stable")
    return _seated(
        np.searchsorted(key_of_seat[by_seat], blocks),
        local[network.seat[seats[by_seat]]].astype(np.int32),
        np.searchsorted(key_of_cell[by_cell], blocks),
        network.cell_value[cells[by_cell]],
        parts.rows[cells[by_cell]],
        int((local >= 0).sum()),
    )


def _seated(
    seat_start: npt.NDArray[np.integer],
    seat: Codes,
    cell_start: npt.NDArray[np.integer],
    cell_value: Codes,
    cell_rows: Counts,
    tracks: int,
) -> Seating:
    """Return the seating with the seats by track."""
    seats_at: Counts = np.append(seat_start, len(seat)).astype(np.int64)
    cells_at: Counts = np.append(cell_start, len(cell_value)).astype(np.int64)
    order = np.argsort(seat, kind="stable")
    block = np.repeat(np.arange(len(seat_start), dtype=np.int32), np.diff(seats_at))
    track_start = np.zeros(tracks + 1, dtype=np.int64)
    np.cumsum(np.bincount(seat, minlength=tracks), out=track_start[1:])
    return Seating(seats_at, seat, cells_at, cell_value, cell_rows, track_start, block[order])


def _only(seating: Seating, kept: Flags) -> Seating:
    """Return the seating with some of the blocks."""
    seats, cells = np.repeat(kept, np.diff(seating.seat_start)), np.repeat(kept, np.diff(seating.cell_start))
    before = np.concatenate([[0], np.cumsum(seats)]), np.concatenate([[0], np.cumsum(cells)])
    return _seated(
        before[0][seating.seat_start[:-1][kept]],
        seating.seat[seats],
        before[1][seating.cell_start[:-1][kept]],
        seating.cell_value[cells],
        seating.cell_rows[cells],
        len(seating.track_start) - 1,
    )


def _takers(seating: Seating, possible: Words) -> Counts:
    """Return how many tracks may take rows of each cell."""
    from attacks.joint.remainder_compiled import takers

    found: Counts = takers((seating.seat_start, seating.seat), (seating.cell_start, seating.cell_value), possible)
    return found


def _likeness(seating: Seating) -> npt.NDArray[np.uint64]:
    """Return two numbers for each block that are alike for blocks with the same tracks and cells, shape (blocks, 2).

    That others are alike by chance is next to impossible, and would only make a world look like one that is none, which
    is noticed when worlds are checked.
    """
    rng = np.random.default_rng(0)
    tracks = rng.integers(1 << 63, size=(int(seating.seat.max(initial=0)) + 1, 2), dtype=np.uint64)
    values = rng.integers(1 << 63, size=(int(seating.cell_value.max(initial=0)) + 1, 2), dtype=np.uint64) | np.uint64(1)
    seats = np.add.reduceat(tracks[seating.seat], seating.seat_start[:-1], axis=0) if len(seating.seat) else tracks[:0]
    held = values[seating.cell_value] * (2 * seating.cell_rows + 1).astype(np.uint64)[:, np.newaxis]
    held ^= held >> np.uint64(29)
    cells = np.add.reduceat(held, seating.cell_start[:-1], axis=0) if len(held) else values[:0]
    found: npt.NDArray[np.uint64] = seats + cells
    return found
