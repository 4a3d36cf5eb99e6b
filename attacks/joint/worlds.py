"""Worlds of a large network: what is possible in it, part by part.

1. Parts in which every group publishes the same values, each as often, leave everything possible.
2. Small parts are counted.
3. In others, people who share all groups and values (*twins*) are taken together; a linear programme says which values
   they cannot have, and shows worlds (`relaxation`).
4. What is left, and parts too large for that: a world is changed step by step so that somebody has a value that none
   has shown, or it is proved that there is none (`searching_compiled`).
5. What is left then is asked in whole numbers (CP-SAT).

A world to start from may be handed in: the publisher knows one. It only saves time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attacks.joint.domains import packed
from attacks.joint.network import Flags, Network, Words
from attacks.joint.parts import Parts, split
from attacks.joint.remainder import remainder
from audit.core.budget import Budget
from audit.core.evidence import Codes, Counts, Evidence

if TYPE_CHECKING:
    from attacks.joint.pieces import Pieces

# Parts of so many tracks are counted, in so many steps.
_SMALL = 16
_STEPS = 5_000
# So many shown values of everybody are wanted, where all are.
ALL = 1 << 30


@dataclass
class Worlds:
    """What worlds show in a large network.

    Attributes:
        network: the network, without links, each block being one group.
        parts: its parts.
        possible, shown: by track and word; changed in place.
        share: by track and value; likewise.
        world: the value of each track in one world, -1 where none is known; likewise.
        start: a world that is handed in, -1 everywhere where there is none.
    """

    network: Network
    parts: Parts
    possible: Words
    shown: Words
    share: npt.NDArray[np.float64]
    world: Codes
    evidence: InitVar[Evidence]

    def __post_init__(self, evidence: Evidence) -> None:
        self.start = self.started(evidence)
        self._free = self.parts.of >= 0
        self._factor = self._factors(evidence)

    def show_alike(self) -> int:
        """Show all values of parts in which every group publishes the same values, each as often.

        From any world others come by exchanging values everywhere at once: so there has to be one. Where none is
        handed in, that is taken for granted of parts too large to be counted; others are counted. Where exchanging
        does not change a world's weight, all values are as probable.

        Returns:
            Of how many tracks it is taken for granted.
        """
        network, known = self.network, bool((self.start[self._free] >= 0).all())
        block_mask, uniform = self._blocks()
        fits = (self.possible[network.seat] == block_mask[network.block_of]).all(axis=1)
        ok = uniform.copy()
        np.logical_and.at(ok, network.block_of, fits)
        track_ok = self._free.copy()
        np.logical_and.at(track_ok, network.seat, ok[network.block_of])
        bad = np.unique(self.parts.of[self._free & ~track_ok])
        alike = np.flatnonzero(self._free & ~np.isin(self.parts.of, bad))
        if not known:
            size = np.bincount(self.parts.of[alike], minlength=1)
            alike = alike[size[self.parts.of[alike]] > _SMALL]
        self.shown[alike] = self.possible[alike]
        presumed = 0 if known else len(alike)
        if self._factor.min() < self._factor.max():
            return presumed
        held = np.unpackbits(self.possible[alike].view(np.uint8), axis=1, bitorder="little", count=self.share.shape[1])
        self.share[alike] = held / np.maximum(held.sum(axis=1, keepdims=True), 1)
        self._free[alike] = False
        return presumed

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

    def _factors(self, evidence: Evidence) -> npt.NDArray[np.float64]:
        """Return how probable each step within a class is; shape (values,)."""
        if evidence.transitions is None:
            return np.ones(self.share.shape[1])
        first = np.unique(self.network.class_of, return_index=True)[1]
        return evidence.transitions.weight[first, first]

    def count_small(self) -> bool:
        """Count the worlds of small parts; tell whether all have one."""
        from attacks.joint.counting_compiled import count_parts

        size = np.bincount(self.parts.of[self._free], minlength=1)
        small = self._free.copy()
        small[self._free] = size[self.parts.of[self._free]] <= _SMALL
        rest = remainder(self.network, self.parts, self.possible, small)
        share = np.zeros((len(rest.track), self.share.shape[1]))
        domain = self.possible[rest.track]
        found = count_parts(rest.part_start, rest.seating, domain, (self._factor, rest.releases), _STEPS, share)
        counted = np.repeat(found > 0, np.diff(rest.part_start))
        track = rest.track[counted]
        self.share[track] = share[counted]
        self.possible[track] = self.shown[track] = packed(share[counted] > 0)
        self._free[track] = False
        return not (found == 0).any()

    def search(self, wanted: Flags, enough: int, budget: Budget) -> bool:
        """Settle the values of some tracks, until so many of each are shown; tell whether a world may be left."""
        # The compiler is loaded by those alone who come here.
        from attacks.joint.pieces import Pieces

        if not self._worked_on(wanted, enough, Pieces.relaxed, budget):
            return False
        # What linear programmes rule out leaves smaller parts.
        self.parts = split(self.network, self.possible)
        self.shown[self.parts.settled] = self.possible[self.parts.settled]
        self._free &= self.parts.of >= 0
        if enough == ALL and not self.count_small():
            return False
        return self._worked_on(wanted, enough, Pieces.searched, budget)

    def _worked_on(self, wanted: Flags, enough: int, work: Callable[[Pieces, Budget], bool], budget: Budget) -> bool:
        """Work on the parts that have wanted tracks; tell whether a world may be left."""
        whole = remainder(self.network, self.parts, self.possible, self._free & wanted)
        if not len(whole.track):
            return True
        rest = whole.lean(self.possible)
        from attacks.joint.pieces import Pieces

        start = np.where(self.world >= 0, self.world, self.start)
        pieces = Pieces(rest, (self.possible, self.shown, start), wanted, enough, self.share.shape[1])
        feasible = work(pieces, budget)
        self.possible[rest.track] = pieces.state.domain
        self.shown[rest.track] = pieces.state.shown[pieces.state.twin]
        self.world[rest.track] = pieces.state.world
        self._check()
        return feasible

    def _check(self) -> None:
        """Check the world row by row, as far as there is one, where those with one value left leave enough rows."""
        own = self.taken(self.world) - (self.network.cell_rows - self.parts.rows)
        if (own > np.maximum(self.parts.rows, 0)).any():
            raise AssertionError("a world was changed into none")

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
        np.add.at(used, np.searchsorted(key, block.astype(np.int64) * size + value), 1)
        return used

    def started(self, evidence: Evidence) -> Codes:
        """Return the publisher's world by track, -1 everywhere where none is handed in, or it does not fit."""
        network, versions = self.network, self.network.versions
        world, nothing = np.full((2, network.tracks), -1, dtype=np.int32)
        for release in range(len(network.hosts)):
            values = evidence.source.world(release)
            rows = np.flatnonzero(versions.release == release)
            if values is None:
                return nothing
            told = values >= 0
            world[versions.track[rows[told]]] = network.class_of[values[told]]
        free = np.flatnonzero(self.parts.of >= 0)
        own = world[free]
        fits = own >= 0
        word = self.possible[free, np.maximum(own, 0) >> 6] >> (np.maximum(own, 0) & 63).astype(np.uint64)
        fits &= (word & np.uint64(1)) != 0
        # What contradicts itself somewhere is of no use anywhere.
        return world if fits.all() and (self.taken(world) <= network.cell_rows).all() else nothing
