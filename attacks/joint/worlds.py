"""Worlds of a large network: parts that are alike for all values, small parts, and worlds changed step by step.

A world to start from may be handed in: the publisher knows one. It only saves time. Worlds are checked row by row
after they were changed; one that does not fit is a bug.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.joint.network import Flags, Network, Words
from attacks.joint.parts import Parts
from audit.core.budget import Budget
from audit.core.evidence import Counts, Evidence

Numbers = npt.NDArray[np.int64]

_SMALL = 16
_STEPS = 20_000
_PROBED = 60
_CHANGES = 30
# A round of the walk is worth another one when it shows this share of what is left to show.
_WORTH = 0.002


@dataclass
class Worlds:
    """What worlds show in a large network.

    Attributes:
        network: the network, without links, each block being one group.
        parts: its parts.
        possible, shown: by track and word; changed in place.
        share: by track and value; likewise.
    """

    network: Network
    parts: Parts
    possible: Words
    shown: Words
    share: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        network = self.network
        start, seats = network.by_track
        self._seats = start, network.block_of[seats]
        self._cells = network.cell_start, network.cell_value, network.cell_rows
        self._free = self.parts.of >= 0

    def show_alike(self) -> None:
        """Show all values of parts in which every group publishes the same values, each as often.

        From any world others come by exchanging values everywhere at once. That there is one is taken for granted:
        the releases were made from one.
        """
        network = self.network
        block_mask, uniform = self._blocks()
        fits = (self.possible[network.seat] == block_mask[network.block_of]).all(axis=1)
        ok = uniform.copy()
        np.logical_and.at(ok, network.block_of, fits)
        track_ok = self._free.copy()
        np.logical_and.at(track_ok, network.seat, ok[network.block_of])
        bad = np.unique(self.parts.of[self._free & ~track_ok])
        alike = np.flatnonzero(self._free & ~np.isin(self.parts.of, bad))
        self.shown[alike] = self.possible[alike]
        held = np.unpackbits(self.possible[alike].view(np.uint8), axis=1, bitorder="little", count=self.share.shape[1])
        self.share[alike] = held / np.maximum(held.sum(axis=1, keepdims=True), 1)
        self._free[alike] = False

    def _blocks(self) -> tuple[Words, Flags]:
        """Return the values of each block's cells, and whether it has as many rows of each, for its seats alone."""
        network = self.network
        block = np.repeat(np.arange(network.blocks), np.diff(network.cell_start))
        mask = np.zeros((network.blocks, self.possible.shape[1]), dtype=np.uint64)
        value = network.cell_value
        np.bitwise_or.at(mask, (block, value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
        least, most = np.full(network.blocks, np.iinfo(np.int64).max), np.zeros(network.blocks, dtype=np.int64)
        np.minimum.at(least, block, network.cell_rows)
        np.maximum.at(most, block, network.cell_rows)
        return mask, least == most

    def count_small(self, evidence: Evidence) -> bool:
        """Count the worlds of small parts; tell whether all have one."""
        from attacks.joint.worlds_compiled import count_parts

        start, tracks = self._listed(_SMALL)
        values = self.share.shape[1]
        factor = np.ones(values)
        if evidence.transitions is not None:
            first = np.unique(self.network.class_of, return_index=True)[1]
            factor = evidence.transitions.weight[first, first]
        left = self.parts.rows.copy()
        weights = count_parts(
            (start, tracks), self._seats, self._cells, left, self.possible, factor, _STEPS, self.share
        )
        done = np.repeat(weights > 0, np.diff(start))
        counted = tracks[done]
        self.possible[counted] = self.shown[counted] = self._packed(self.share[counted] > 0)
        self._free[counted] = False
        return not (weights == 0).any()

    def _packed(self, flags: Flags) -> Words:
        found = np.zeros((len(flags), self.possible.shape[1] * 8), dtype=np.uint8)
        bits = np.packbits(flags, axis=1, bitorder="little")
        found[:, : bits.shape[1]] = bits
        return found.view(np.uint64)

    def _listed(self, largest: int) -> tuple[Numbers, Numbers]:
        """Return where the tracks of parts of limited size begin, and the tracks."""
        free = np.flatnonzero(self._free)
        size = np.bincount(self.parts.of[free], minlength=int(self.parts.of.max(initial=-1)) + 1)
        free = free[size[self.parts.of[free]] <= largest]
        order = free[np.argsort(self.parts.of[free], kind="stable")]
        starts = np.flatnonzero(np.diff(self.parts.of[order], prepend=-1))
        return np.append(starts, len(order)).astype(np.int64), order.astype(np.int64)

    def walk(self, world: npt.NDArray[np.int32], budget: Budget) -> None:
        """Change a world as long as that shows something; parts that the world does not fill stay as they are."""
        from attacks.joint.worlds_compiled import walk

        used = self.taken(world)
        members = self.network.seat_start, self.network.seat.astype(np.int64)
        moving = world.astype(np.int64)
        asked = np.flatnonzero(self._free & (world >= 0))
        self._mark(asked, world)
        rng = np.random.default_rng(1)
        while len(asked) and not budget.spent():
            left = int(np.bitwise_count(self.possible[asked] & ~self.shown[asked]).sum())
            shown = 0
            for some in np.array_split(rng.permutation(asked), max(1, len(asked) // 20_000)):
                seed = int(rng.integers(1 << 31))
                shown += walk(
                    some, moving, used, self._seats, self._cells, members, self.possible, self.shown, seed, _CHANGES
                )
                if budget.spent():
                    break
            if not np.array_equal(self.taken(moving), used) or (used > self.network.cell_rows).any():
                raise AssertionError("a world was changed into none")
            if shown <= _WORTH * left:
                return
            asked = asked[(self.possible[asked] & ~self.shown[asked]).any(axis=1)]

    def probe(self, budget: Budget) -> bool:
        """Take away values that lead to contradictions when they are assumed; tell whether a world may be left."""
        from attacks.joint.narrowing_compiled import narrow_all, probe_all

        network = self.network
        start, seats = network.by_track
        by_track = start, seats, network.block_of
        members = network.seat_start, network.seat
        chosen = np.full(len(network.seat), -1, dtype=np.int16)
        asked = np.flatnonzero((self.possible & ~self.shown).any(axis=1))
        for some in np.array_split(asked, max(1, len(asked) // 5_000)):
            if budget.spent():
                break
            lost = np.zeros(network.tracks, dtype=np.bool_)
            if probe_all(some, self.shown, self.possible, chosen, members, self._cells, by_track, _PROBED, lost):
                queue = np.unique(network.block_of[np.isin(network.seat, np.flatnonzero(lost))]).astype(np.int32)
                nothing = np.zeros(0, dtype=np.int64)
                links = nothing, np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros((2, 1, 1), dtype=np.uint64)
                if narrow_all(self.possible, chosen, members, self._cells, by_track, links, queue) >= 0:
                    return False
        return True

    def taken(self, world: npt.NDArray[np.integer]) -> Counts:
        """Return how many rows of each cell a world takes, those of settled tracks among them."""
        network = self.network
        used = network.cell_rows - self.parts.rows
        seats = np.flatnonzero(self.parts.of[network.seat] >= 0)
        value = world[network.seat[seats]]
        seats, value = seats[value >= 0], value[value >= 0]
        block = network.block_of[seats]
        size = int(network.cell_value.max(initial=0)) + 1
        key = np.repeat(np.arange(network.blocks), np.diff(network.cell_start)) * size + network.cell_value
        place = np.searchsorted(key, block.astype(np.int64) * size + value)
        np.add.at(used, place, 1)
        return used

    def _mark(self, tracks: npt.NDArray[np.intp], world: npt.NDArray[np.int32]) -> None:
        value = world[tracks]
        self.shown[tracks, value >> 6] |= np.uint64(1) << (value & 63).astype(np.uint64)

    def started(self, evidence: Evidence) -> npt.NDArray[np.int32]:
        """Return the publisher's world by track, -1 where none is handed in, or it does not fit."""
        network, versions = self.network, self.network.versions
        world = np.full(network.tracks, -1, dtype=np.int32)
        for release in range(len(network.hosts)):
            values = evidence.source.world(release)
            rows = np.flatnonzero(versions.release == release)
            if values is None:
                return np.full(network.tracks, -1, dtype=np.int32)
            told = values >= 0
            world[versions.track[rows[told]]] = network.class_of[values[told]]
        free = np.flatnonzero(self.parts.of >= 0)
        own = world[free]
        fits = own >= 0
        word = self.possible[free, np.maximum(own, 0) >> 6] >> (np.maximum(own, 0) & 63).astype(np.uint64)
        fits &= (word & np.uint64(1)) != 0
        if not fits.all():  # what contradicts itself somewhere is of no use anywhere
            return np.full(network.tracks, -1, dtype=np.int32)
        return world if (self.taken(world) <= network.cell_rows).all() else np.full(network.tracks, -1, dtype=np.int32)
