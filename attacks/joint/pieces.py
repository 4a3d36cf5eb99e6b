"""Pieces: the parts of a remainder, settled beside one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from threading import Timer

import numpy as np

from attacks.joint.network import Flags, Words
from attacks.joint.relaxation import Support, relaxation
from attacks.joint.remainder import Remainder
from attacks.joint.searching_compiled import IMPOSSIBLE, LATE, Desk, State, ask, desk_for, occupied, started
from attacks.joint.whole import in_whole_numbers
from audit.core.budget import Budget
from audit.core.evidence import Codes

Piece = tuple[int, int]
"""The first of some parts, and the one after the last."""
Step = Callable[[Piece, Budget], bool]

# Small parts are taken together into programmes of so many columns; larger programmes take too long.
_BATCH = 300
_LARGE = 2_000
_LARGEST_PROGRAMME = 30_000
_LARGEST_WHOLE = 12_000
# Choices that are taken back at most for one value; below zero none, and nothing is propagated.
_QUICK, _PROPAGATED, _THOROUGH = -1, 0, 400
_TO_START = 20_000
_ASKED_AT_ONCE = 500
_THREADS = 2


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
        self._desks: SimpleQueue[Desk] = SimpleQueue()
        self._rooms = [desk_for(net, domain.shape[1]) for _ in range(_THREADS)]
        for desk in self._rooms:
            self._desks.put(desk)
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
        return self._each(large, self._quickly, budget) and self._each(pieces, self._programmed, budget)

    def searched(self, budget: Budget) -> bool:
        """Look for worlds one by one; tell whether one may be left."""
        pieces = self._cut()
        steps: list[tuple[list[Piece], Step]] = [
            (pieces[::-1], self._quickly),
            (pieces[::-1], partial(self._walked, limit=_PROPAGATED)),
            (pieces, self._in_whole_numbers),
            (pieces[::-1], partial(self._walked, limit=_THOROUGH)),
        ]
        return all(self._each(some, step, budget) for some, step in steps)

    def _cut(self) -> list[Piece]:
        """Return the parts, small ones together, the smallest first."""
        at, found, first = self._programmes.column_at, [], 0
        while first < len(at) - 1:
            last = max(first + 1, int(np.searchsorted(at, at[first] + _BATCH, side="right")) - 1)
            found.append((first, last))
            first = last
        return found

    def _each(self, pieces: Iterable[Piece], step: Step, budget: Budget) -> bool:
        """Take a step with all pieces that are not settled; tell whether a world may be left."""
        left = [piece for piece in pieces if self._open(piece).any()]
        seconds = budget.left()
        alarm = None if seconds is None else Timer(seconds, self._stop)
        if alarm is not None:
            alarm.daemon = True
            alarm.start()
        with ThreadPoolExecutor(_THREADS) as workers:
            running = [workers.submit(step, piece, budget) for piece in left]
            try:
                feasible = True
                for number, each in enumerate(running):
                    feasible = each.result() and feasible
                    budget.progress(number + 1, len(running))
                return feasible
            finally:
                for each in running:
                    each.cancel()
                if alarm is not None:
                    alarm.cancel()

    def _stop(self) -> None:
        """Tell all walks that the time is up."""
        for desk in self._rooms:
            desk.number[LATE] = 1

    def _columns(self, piece: Piece) -> slice:
        return slice(*self._programmes.column_at[list(piece)].tolist())

    def _size(self, piece: Piece) -> int:
        """Return the number of columns."""
        return int(np.diff(self._programmes.column_at[list(piece)])[0])

    def _tracks(self, piece: Piece) -> slice:
        return slice(*self.rest.part_start[list(piece)].tolist())

    def _has(self, words: Words, columns: slice) -> Flags:
        """Return whether classes have the values of some columns."""
        track, value = self._programmes.first[self._programmes.kind[columns]], self._programmes.value[columns]
        found: Flags = words[track, value >> 6] >> (value & 63).astype(np.uint64) & np.uint64(1) != 0
        return found

    def _open(self, piece: Piece) -> Flags:
        """Return the columns that are neither shown nor impossible, of wanted classes with too few that are shown."""
        columns = self._columns(piece)
        shown, kind = self._has(self.state.shown, columns), self._programmes.kind[columns]
        few = np.bincount(kind[shown], minlength=len(self._wanted)) < self._enough
        return self._has(self.state.domain, columns) & ~shown & (self._wanted & few)[kind]

    # -- steps ------------------------------------------------------------------------------------------------

    def _programmed(self, piece: Piece, budget: Budget) -> bool:
        """Ask the linear programme."""
        if budget.spent() or self._size(piece) > _LARGEST_PROGRAMME:
            return True
        columns = self._columns(piece)
        programme = self._programmes.of(*piece)
        shown = self._has(self.state.shown, columns)
        self._told(piece, programme.supported(self._open(piece), shown, self._enough, budget))
        return True

    def _quickly(self, piece: Piece, budget: Budget) -> bool:
        return self._walked(piece, budget, limit=_QUICK)

    def _walked(self, piece: Piece, budget: Budget, *, limit: int) -> bool:
        """Change a world step by step; if there is none, look for one first."""
        tracks = self._tracks(piece)
        desk = self._desks.get()
        desk.number[3] = 2 * piece[0] + 1  # whatever desk it is, the same is tried
        try:
            for part in range(*piece):
                first, last = self.rest.part_start[part : part + 2].tolist()
                if self.state.world[first] >= 0 or budget.spent():
                    continue
                found = started(first, last, self.rest.seating, self.state, desk, _TO_START)
                if found == IMPOSSIBLE:
                    return False
            asked = tracks.start + np.flatnonzero(self.state.world[tracks] >= 0)
            asked = np.intersect1d(
                asked, self._programmes.first[self._programmes.kind[self._columns(piece)][self._open(piece)]]
            )
            for some in np.array_split(asked, max(1, len(asked) // _ASKED_AT_ONCE)):
                if budget.spent():
                    break
                if ask(some, self._enough, self.rest.seating, self.state, desk, limit) < 0:
                    raise AssertionError("no world is left though one is known")
        finally:
            self._desks.put(desk)
        return True

    def _in_whole_numbers(self, piece: Piece, budget: Budget) -> bool:
        """Ask for worlds in whole numbers."""
        if budget.spent() or self._size(piece) > _LARGEST_WHOLE:
            return True
        shown = self._has(self.state.shown, self._columns(piece))
        found = in_whole_numbers(self._programmes.of(*piece), self._open(piece), shown, self._enough, budget)
        self._told(piece, found)
        return found.feasible

    def _told(self, piece: Piece, found: Support) -> None:
        """Note what was found of some parts."""
        columns, tracks, twin = self._columns(piece), self._tracks(piece), self.state.twin
        track, value = self._programmes.first[self._programmes.kind[columns]], self._programmes.value[columns]
        bit = np.uint64(1) << (value & 63).astype(np.uint64)
        np.bitwise_or.at(self.state.shown, (track[found.shown], value[found.shown] >> 6), bit[found.shown])
        gone = found.impossible
        np.bitwise_and.at(self.state.domain, (track[gone], value[gone] >> 6), ~bit[gone])
        self.state.domain[tracks] &= self.state.domain[twin[tracks]]
        if found.world is None:
            return
        world = np.empty(tracks.stop - tracks.start, dtype=np.int32)
        world[np.argsort(twin[tracks], kind="stable")] = np.repeat(value, found.world)
        for part in range(*piece):
            first, last = self.rest.part_start[part : part + 2].tolist()
            if self.state.world[first] < 0:  # rows of a world that is there are counted already
                self.state.world[first:last] = world[first - tracks.start : last - tracks.start]
                occupied(first, last, self.rest.seating, self.state)
