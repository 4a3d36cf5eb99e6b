"""Pieces: the parts of a remainder, settled beside one another.

Each step takes all pieces before the next step takes any, from the cheapest to the dearest, so that little time goes a
long way. A step that takes little of each begins with the largest pieces, so that they do not come last while others
have nothing left to do. The one that may take all the time there is for a single piece (whole numbers) begins with the
smallest: whoever is too hard keeps nobody else waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from attacks.joint.network import Flags, Words
from attacks.joint.piecework import Done, Piece, in_numbers, programmed, walked
from attacks.joint.relaxation import relaxation
from attacks.joint.remainder import Remainder, Seating
from attacks.joint.searching_compiled import State, occupied
from audit.core.budget import Budget
from audit.core.evidence import Codes

Bounds = tuple[int, int]
"""The first of some parts, and the one after the last."""
Step = Callable[..., list[Done]]

# Small parts are taken together into programmes of so many columns; larger programmes take too long.
_BATCH = 300
# Pieces are given away together up to so many columns, some hundred kilobytes: so hardly any time is lost on the way.
# Fewer columns than that all in all are not given away.
_GIVEN, _FEW = 3_000, 100
_LARGE = 2_000
_LARGEST_PROGRAMME = 30_000
_LARGEST_WHOLE = 12_000
# Choices that are taken back at most for one value; below zero none, and nothing is propagated.
_QUICK, _PROPAGATED, _THOROUGH = -1, 0, 400


class Pieces:
    """Parts that are being settled.

    Attributes:
        rest: the parts, without needless blocks.
        state: what is known of their tracks; what is shown stands at the first of twins.
    """

    def __init__(
        self, rest: Remainder, known: tuple[Words, Words, Codes], wanted: Flags, enough: int, values: int
    ) -> None:
        """Take what is known of the network.

        Args:
            rest: the parts.
            known: the values that are left to the tracks of the network, those that are shown, and a world, -1 where
                none is known.
            wanted: the tracks of the network whose values are asked for.
            enough: how many values of a track have to be shown.
            values: how many there are.
        """
        possible, shown, start = known
        self.rest, self._enough = rest, enough
        net = rest.seating
        twin, domain = rest.twins(possible), possible[rest.track]
        used, chosen = np.zeros(len(net.cell_value), dtype=np.int64), np.full(len(net.seat), -1, dtype=np.int16)
        self.state = State(domain, np.zeros_like(domain), start[rest.track], used, chosen, twin)
        np.bitwise_or.at(self.state.shown, twin, shown[rest.track])
        there = np.flatnonzero(self.state.world >= 0)
        value = self.state.world[there]
        np.bitwise_or.at(self.state.shown, (twin[there], value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
        anything = np.diff(net.track_start) == 0  # whoever is in no block that binds anybody
        self.state.shown[anything] = domain[anything]
        self._programmes = relaxation(rest, domain, twin, values)
        parts = np.arange(len(rest.part_start))
        part_of_block = np.empty(len(net.cell_start) - 1, dtype=np.int64)
        part_of_block[net.track_block] = np.repeat(rest.part, np.diff(net.track_start))
        self._block_at = np.searchsorted(part_of_block, parts)
        occupied(0, len(rest.track), net, self.state)
        asked = np.zeros(len(twin), dtype=np.bool_)
        np.logical_or.at(asked, twin, wanted[rest.track])
        self._wanted = asked[self._programmes.first]

    def relaxed(self, budget: Budget) -> bool:
        """Ask the linear programmes, where large ones have been spared what a short walk shows.

        Returns:
            Whether a world may be left.
        """
        pieces = self._cut()[::-1]
        large = [piece for piece in pieces if self._size(piece) > _LARGE]
        solvable = [piece for piece in pieces if self._size(piece) <= _LARGEST_PROGRAMME]
        return self._each(large, budget, walked, _QUICK) and self._each(solvable, budget, programmed)

    def searched(self, budget: Budget) -> bool:
        """Look for worlds one by one; tell whether one may be left."""
        pieces = self._cut()
        solvable = [piece for piece in pieces if self._size(piece) <= _LARGEST_WHOLE]
        return (
            self._each(pieces[::-1], budget, walked, _QUICK)
            and self._each(pieces[::-1], budget, walked, _PROPAGATED)
            and self._each(solvable, budget, in_numbers)
            and self._each(pieces[::-1], budget, walked, _THOROUGH)
        )

    def _cut(self) -> list[Bounds]:
        """Return the parts, small ones together, the smallest first."""
        at, found, first = self._programmes.column_at, [], 0
        while first < len(at) - 1:
            last = max(first + 1, int(np.searchsorted(at, at[first] + _BATCH, side="right")) - 1)
            found.append((first, last))
            first = last
        return found

    def _each(self, bounds: list[Bounds], budget: Budget, step: Step, *options: int) -> bool:
        """Take a step with all pieces that are not settled; tell whether a world may be left.

        What is told of the pieces comes in their order, whoever is done first.
        """
        bunches = list(self._bunches([piece for piece in bounds if self._of(piece).open.any()]))
        feasible = True
        if len(bunches) == 1 and sum(map(self._size, bunches[0])) <= _FEW:
            return self._note(bunches[0], step([self._of(each) for each in bunches[0]], *options, budget))
        tasks = (budget.engine.submit(step, [self._of(each) for each in some], *options, budget) for some in bunches)
        for number, done in enumerate(budget.engine.results(tasks)):
            feasible = self._note(bunches[number], done) and feasible
            budget.progress(number + 1, len(bunches))
        return feasible

    def _bunches(self, bounds: list[Bounds]) -> Iterator[list[Bounds]]:
        """Yield pieces that are given away together; large ones go alone."""
        bunch: list[Bounds] = []
        columns = 0
        for piece in bounds:
            if bunch and columns + self._size(piece) > _GIVEN:
                yield bunch
                bunch, columns = [], 0
            bunch.append(piece)
            columns += self._size(piece)
        if bunch:
            yield bunch

    def _size(self, bounds: Bounds) -> int:
        """Return the number of columns."""
        return int(np.diff(self._programmes.column_at[list(bounds)])[0])

    def _cells(self, bounds: Bounds) -> tuple[slice, slice, slice, slice]:
        """Return the tracks, the blocks, their seats and their cells."""
        net, blocks = self.rest.seating, slice(*self._block_at[list(bounds)].tolist())
        seats = slice(int(net.seat_start[blocks.start]), int(net.seat_start[blocks.stop]))
        cells = slice(int(net.cell_start[blocks.start]), int(net.cell_start[blocks.stop]))
        return slice(*self.rest.part_start[list(bounds)].tolist()), blocks, seats, cells

    def _of(self, bounds: Bounds) -> Piece:
        """Return some parts in numbers of their own."""
        net, state, programmes = self.rest.seating, self.state, self._programmes
        tracks, blocks, seats, cells = self._cells(bounds)
        starts = net.track_start[tracks.start : tracks.stop + 1]
        seating = Seating(
            net.seat_start[blocks.start : blocks.stop + 1] - seats.start,
            net.seat[seats] - np.int32(tracks.start),
            net.cell_start[blocks.start : blocks.stop + 1] - cells.start,
            net.cell_value[cells],
            net.cell_rows[cells],
            starts - starts[0],
            net.track_block[starts[0] : starts[-1]] - np.int32(blocks.start),
        )
        known = State(
            state.domain[tracks],
            state.shown[tracks],
            state.world[tracks],
            state.used[cells],
            state.chosen[seats],
            state.twin[tracks] - np.int32(tracks.start),
        )
        classes = slice(*programmes.class_at[list(bounds)].tolist())
        return Piece(
            bounds[0],
            self.rest.part_start[bounds[0] : bounds[1] + 1] - tracks.start,
            seating,
            known,
            programmes.of(*bounds),
            programmes.first[classes] - tracks.start,
            programmes.value[slice(*programmes.column_at[list(bounds)].tolist())],
            self._wanted[classes],
            self._enough,
        )

    def _note(self, bunch: list[Bounds], done: list[Done]) -> bool:
        """Note what is known of some pieces now; tell whether a world may be left."""
        state = self.state
        for bounds, (known, _) in zip(bunch, done, strict=True):
            tracks, _, seats, cells = self._cells(bounds)
            state.domain[tracks], state.shown[tracks] = known.domain, known.shown
            state.world[tracks] = known.world
            state.used[cells], state.chosen[seats] = known.used, known.chosen
        return all(feasible for _, feasible in done)
