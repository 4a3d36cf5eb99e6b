"""Piecework: what is done with the parts of a piece, which need nothing but what is handed over.

These are kernels for engines: each takes some pieces, and returns what is known of their tracks afterwards, and whether
a world may be left. When the time is up, what was found so far is kept; pieces not begun come back as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.network import Flags, Numbers, Words
from attacks.joint.relaxation import Programme, Support
from attacks.joint.remainder import Seating
from attacks.joint.searching_compiled import IMPOSSIBLE, PAUSED, Desk, State, ask, desk_for, left, occupied, started
from attacks.joint.whole import in_whole_numbers
from audit.core.budget import Budget
from audit.core.evidence import Counts

_TO_START = 20_000


@dataclass(frozen=True)
class Piece:
    """Some parts, in numbers of their own.

    Attributes:
        number: what its random numbers depend on.
        part_start: where the tracks of each part begin; shape (parts + 1,), int64.
        seating: seats and cells.
        state: what is known of the tracks.
        programme: the programme of all parts.
        first, value: the first track of each class; the value of each column.
        wanted: the classes whose values are asked for.
        enough: how many values of a track have to be shown.
    """

    number: int
    part_start: Counts
    seating: Seating
    state: State
    programme: Programme
    first: Numbers
    value: Numbers
    wanted: Flags
    enough: int

    @cached_property
    def shown(self) -> Flags:
        """The columns that some world has; shape (columns,)."""
        return self._has(self.state.shown)

    @cached_property
    def open(self) -> Flags:
        """The columns that are neither shown nor impossible, of wanted classes with too few that are shown."""
        kind = self.programme.kind
        few = np.bincount(kind[self.shown], minlength=len(self.wanted)) < self.enough
        return self._has(self.state.domain) & ~self.shown & (self.wanted & few)[kind]

    def _has(self, words: Words) -> Flags:
        """Return whether classes have the values of the columns."""
        track, value = self.first[self.programme.kind], self.value
        found: Flags = words[track, value >> 6] >> (value & 63).astype(np.uint64) & np.uint64(1) != 0
        return found

    def told(self, found: Support) -> Done:
        """Return what is known with what was found."""
        state = State(*(each.copy() for each in self.state))
        track, value = self.first[self.programme.kind], self.value
        bit = np.uint64(1) << (value & 63).astype(np.uint64)
        np.bitwise_or.at(state.shown, (track[found.shown], value[found.shown] >> 6), bit[found.shown])
        gone = found.impossible
        np.bitwise_and.at(state.domain, (track[gone], value[gone] >> 6), ~bit[gone])
        state.domain[:] &= state.domain[state.twin]
        if found.world is None:
            return state, found.feasible
        world = np.empty(len(state.twin), dtype=np.int32)
        world[np.argsort(state.twin, kind="stable")] = np.repeat(value, found.world)
        for first, last in zip(self.part_start[:-1].tolist(), self.part_start[1:].tolist(), strict=True):
            if state.world[first] < 0:  # rows of a world that is there are counted already
                state.world[first:last] = world[first:last]
                occupied(first, last, self.seating, state)
        return state, found.feasible


Done = tuple[State, bool]
"""What is known of the tracks of a piece, and whether a world may be left."""


def programmed(pieces: Iterable[Piece], budget: Budget) -> list[Done]:
    """Ask the linear programmes."""
    return _each(pieces, budget, lambda piece: piece.programme.supported(*_asked(piece), budget))


def in_numbers(pieces: Iterable[Piece], budget: Budget) -> list[Done]:
    """Ask for worlds in whole numbers."""
    return _each(pieces, budget, lambda piece: in_whole_numbers(piece.programme, *_asked(piece), budget))


def _asked(piece: Piece) -> tuple[Flags, Flags, int]:
    return piece.open, piece.shown, piece.enough


def _each(pieces: Iterable[Piece], budget: Budget, work: Callable[[Piece], Support]) -> list[Done]:
    return [(piece.state, True) if budget.spent() else piece.told(work(piece)) for piece in pieces]


def walked(pieces: Iterable[Piece], limit: int, budget: Budget) -> list[Done]:
    """Change worlds step by step; where there is none, look for one first.

    Args:
        pieces: the pieces.
        limit: see `attacks.joint.searching_compiled.ask`.
        budget: how long.
    """
    return [(piece.state, True) if budget.spent() else _walked(piece, limit, budget) for piece in pieces]


def _walked(piece: Piece, limit: int, budget: Budget) -> Done:
    state, net = State(*(each.copy() for each in piece.state)), piece.seating
    desk = desk_for(net, state.domain.shape[1], 2 * piece.number + 1)
    for first, last in zip(piece.part_start[:-1].tolist(), piece.part_start[1:].tolist(), strict=True):
        if state.world[first] < 0 and not budget.spent() and not _started(first, last, net, state, desk, budget):
            return state, False
    asked = np.flatnonzero(state.world >= 0)
    asked = np.intersect1d(asked, piece.first[piece.programme.kind[piece.open]])
    while not budget.spent():
        found = ask(asked, piece.enough, net, state, desk, limit)
        if found != PAUSED:
            if found == IMPOSSIBLE:
                raise AssertionError("no world is left though one is known")
            return state, True
    left(net, state, desk)
    return state, True


def _started(first: int, last: int, net: Seating, state: State, desk: Desk, budget: Budget) -> bool:
    """Look for a world of a part; tell whether there may be one."""
    found = PAUSED
    while found == PAUSED:
        found = started(first, last, net, state, desk, -1 if budget.spent() else _TO_START)
    return bool(found != IMPOSSIBLE)
