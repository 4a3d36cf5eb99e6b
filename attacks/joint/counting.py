"""Counting: all worlds of a small part of the network.

The worlds of parts that share nothing are combined freely, so that their numbers are multiplied and each part can be
looked at by itself. A part is counted when that takes no more than some number of steps.

A world is a value for every column, counterfeits without identity among them. These take the rows that are left, in as
many ways as there are different orders of them: k! / (n1! n2! ...) for k columns and n1, n2, ... rows of each value.
Where strangers take the rest (`register`), worlds map people to rows instead, which is the same up to a factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from attacks.joint.narrowing import Narrowing, members
from attacks.joint.network import Network
from audit.core.evidence import Transitions

Choice = tuple[int, tuple[int, ...]]
State = tuple[tuple[int, ...], int]
"""The rows left of each cell that is wanted later, and the last value where it matters, else -1."""
Pair = tuple[Fraction, Fraction]
Move = tuple[State, int, State, Fraction]

_NOTHING: Pair = (Fraction(0), Fraction(0))


@dataclass
class Count:
    """The worlds of a part.

    Attributes:
        number: how many there are, up to a factor that is common to all parts.
        weight: the weight of all, by transitions.
        weights: for each track the weight of the worlds in which it has a value.
        touched: the cells that its tracks may take rows of.
    """

    number: Fraction = Fraction(0)
    weight: Fraction = Fraction(0)
    weights: dict[int, dict[int, Fraction]] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)


class Counter:
    """Counts the worlds of parts of a narrowed network.

    Attributes:
        rows: how many rows of each cell those leave who have no choice.
    """

    def __init__(self, local: Narrowing, rows: npt.NDArray[np.integer], transitions: Transitions | None) -> None:
        self.rows = rows
        self._net: Network = local.network
        self._narrowed = local
        self._transitions = transitions
        self._staying: dict[int, Fraction] = {}

    def choices(self, track: int) -> list[Choice]:
        """Return the values of a track, each with the cells that it takes, one of each block."""
        net, found = self._net, []
        start, seats = net.by_track
        for value in members(self._narrowed.domain[track]):
            ways: list[tuple[int, ...]] = [()]
            for seat in seats[start[track] : start[track + 1]].tolist():
                cells = self.cells(seat, value)
                ways = [(*way, cell) for way in ways for cell in cells]
            found += [(value, way) for way in ways]
        return found

    def cells(self, seat: int, value: int) -> list[int]:
        """Return the cells with a value that a seat may have."""
        net, block = self._net, int(self._net.block_of[seat])
        first, last = int(net.cell_start[block]), int(net.cell_start[block + 1])
        hosting = self._narrowed.hosting(block, seat)
        return [
            cell
            for cell in range(first, last)
            if net.cell_value[cell] == value and (hosting is None or int(net.cell_group[cell]) in hosting)
        ]

    def count(self, tracks: Sequence[int], most: int) -> Count | None:
        """Return the worlds of a part, or None where that would take more steps than `most`.

        Tracks are given their rows one after the other. What matters for those that follow is how many rows the cells
        have left that they may want; so worlds that agree in this are one *state*. Forward sums of weights say how
        states come about, backward sums how they can be completed.
        """
        order = self._ordered(tracks)
        choices = [self.choices(track) for track in order]
        plan = _Plan(choices, self.rows)
        linked = [self._linked(order, place) for place in range(len(order) + 1)]
        layers: list[dict[State, Pair]] = [{plan.start: (Fraction(1), Fraction(1))}]
        moves: list[list[Move]] = []
        steps = 0
        for place, track in enumerate(order):
            following: dict[State, Pair] = {}
            made: list[Move] = []
            for state, (number, weight) in layers[-1].items():
                for value, way in choices[place]:
                    steps += 1
                    if steps > most:
                        return None
                    step = self._step_to(track, state[1] if linked[place] else None, value)
                    left = plan.after(place, state[0], way) if step else None
                    if left is None:
                        continue
                    kept, orders = left
                    after = kept, value if linked[place + 1] else -1
                    before = following.get(after, _NOTHING)
                    following[after] = before[0] + number * orders, before[1] + weight * step * orders
                    made.append((state, value, after, step * orders))
            layers.append(following)
            moves.append(made)
        return self._summed(order, plan, layers, moves)

    @staticmethod
    def _summed(
        order: Sequence[int], plan: _Plan, layers: Sequence[dict[State, Pair]], moves: Sequence[Sequence[Move]]
    ) -> Count:
        """Return the sums over all worlds, by going back from where all tracks have their rows."""
        found = Count(touched=set(plan.cells), weights={track: {} for track in order})
        for number, weight in layers[-1].values():
            found.number += number
            found.weight += weight
        back = dict.fromkeys(layers[-1], Fraction(1))
        for place in range(len(order) - 1, -1, -1):
            through, before = found.weights[order[place]], dict.fromkeys(layers[place], Fraction(0))
            for state, value, after, step in moves[place]:
                rest = step * back[after]
                before[state] += rest
                through[value] = through.get(value, Fraction(0)) + layers[place][state][1] * rest
            back = before
        return found

    def _step_to(self, track: int, last: int | None, value: int) -> Fraction:
        """Return the weight of a track's value: of the step from the version before, whose value is `last` if told.

        A track that is a person goes through all steps in one class.
        """
        if self._transitions is None:
            return Fraction(1)
        if self._net.may is None:
            return self._stay(value) ** (self._versions(track) - 1)
        before = self._before.get(track)
        if before is None:
            return Fraction(1)
        first = members(self._narrowed.domain[before])[0] if last is None else last
        return self._transitions.exact.get((first, value), Fraction(0))

    def _stay(self, kind: int) -> Fraction:
        """Return the probability of each step within a class."""
        if kind not in self._staying and self._transitions is not None:
            value = int(np.flatnonzero(self._net.class_of == kind)[0])
            self._staying[kind] = self._transitions.exact.get((value, value), Fraction(1))
        return self._staying[kind]

    def _versions(self, track: int) -> int:
        """Return in how many releases a track is."""
        versions = self._net.versions
        return int(np.count_nonzero((versions.track == track) & (versions.release < len(self._net.hosts))))

    def _linked(self, order: Sequence[int], place: int) -> bool:
        """Tell whether a track follows on the one before it in the order."""
        return 0 < place < len(order) and self._before.get(order[place]) == order[place - 1]

    def _ordered(self, tracks: Sequence[int]) -> list[int]:
        """Return the tracks so that those of a person, or of a block, follow one another."""
        net, inside = self._net, set(tracks)
        self._before = {int(last): int(first) for first, last in net.link.tolist() if last in inside}
        if self._before:
            return sorted(tracks, key=lambda track: (int(net.versions.person[track]), track))
        start, seats = net.by_track
        return sorted(tracks, key=lambda track: (net.block_of[seats[start[track] : start[track + 1]]].tolist(), track))


class _Plan:
    """What states are made of: for each place in the order, which cells may be wanted from there on.

    Attributes:
        cells: all cells that may be wanted.
        start: the state before anybody has a row.
    """

    def __init__(self, choices: Sequence[Sequence[Choice]], rows: npt.NDArray[np.integer]) -> None:
        last: dict[int, int] = {}
        for place, each in enumerate(choices):
            for _, way in each:
                last.update(dict.fromkeys(way, place))
        self.cells = sorted(last)
        self._wanted = [[cell for cell in self.cells if last[cell] >= place] for place in range(len(choices) + 1)]
        self._at = [{cell: at for at, cell in enumerate(wanted)} for wanted in self._wanted]
        self.start: State = tuple(int(rows[cell]) for cell in self.cells), -1

    def after(self, place: int, left: tuple[int, ...], way: Sequence[int]) -> tuple[tuple[int, ...], Fraction] | None:
        """Return what is left of the cells wanted later when rows of some are taken, and in how many orders.

        Counterfeits without identity take what is left of cells that nobody wants any more. None where there is no row.
        """
        rows, at = list(left), self._at[place]
        for cell in way:
            rows[at[cell]] -= 1
            if rows[at[cell]] < 0:
                return None
        following = self._at[place + 1]
        over = prod(
            factorial(number) for cell, number in zip(self._wanted[place], rows, strict=True) if cell not in following
        )
        kept = tuple(number for cell, number in zip(self._wanted[place], rows, strict=True) if cell in following)
        return kept, Fraction(1, over)
