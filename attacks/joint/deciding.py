"""Deciding: what is possible for everybody at once, and what is not; what is left open when the time is up.

1. Each person alone: what all groups of the person leave (`own`), as the attacks on single people have it.
2. Narrowing, block by block, to a fixpoint; release by release, so that it is known what was certain when.
3. Parts that share no rows any more are worked on by themselves, beside one another: counted where they are small,
   else asked for worlds (`programme`). A value that some world has is *shown*; one that is proved to be in none leaves
   the domain; the others are *open*.

Counting takes little of each part and begins with the largest, so that they do not come last while others have nothing
left to do. Asking may take all the time there is for a single part and begins with the smallest: whoever is too hard
keeps nobody else waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from attacks.joint.domains import compiled, narrowed, unpacked
from attacks.joint.excerpts import Excerpt, Excerpts, bunched
from attacks.joint.network import Flags, Network, Numbers, Words, network_of
from attacks.joint.parts import Parts, split
from attacks.joint.partwork import Counted, asked, counted
from attacks.joint.worlds import ALL, Worlds
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence

# Steps of counting a part; so many take about half a second.
_MOST_STEPS = 100_000
# Larger parts of large networks are not counted, and still larger ones not asked for worlds.
_COUNTED = 16
# The share of the time that may be used for what is possible after all releases, not for what was certain when.
_FOR_LAST = 0.8
_ASKED = 3_000
# Parts are given away together up to so many tracks; fewer than that all in all are not given away.
_GIVEN, _FEW = 500, 50

T = TypeVar("T")


@dataclass
class Decision:
    """What is known of every track.

    Attributes:
        network: whose tracks they are.
        own: the values that each person's own groups leave; shape (tracks, words), uint64.
        possible: those that are not proved impossible; likewise.
        shown: those that some world has; likewise.
        share: the share of the worlds that have a value; shape (tracks, values), NaN for tracks of parts that were not
            counted.
        world: the value of each track in one world, as far as one was found, else -1; shape (tracks,), int32.
        worlds: how many worlds there are, None where a part was not counted, or strangers take rows.
        feasible: whether there may be a world at all.
        settled: whether everything that was asked for is shown or proved impossible.
        presumed: for how many tracks that rests on there being a world at all, which nothing tells.
    """

    network: Network
    own: Words
    possible: Words
    shown: Words
    share: npt.NDArray[np.float64]
    world: Codes
    worlds: int | None = None
    feasible: bool = True
    settled: bool = True
    presumed: int = 0


def decide(evidence: Evidence, budget: Budget) -> tuple[Decision, list[Decision]]:
    """Return what is possible after all releases, and, of what is certain then, what was certain after each before.

    Where nothing is certain in the end, nothing is said of the releases before.
    """
    network = network_of(evidence)
    stages = list(narrowed(network, len(evidence.tags), budget))
    last = Settling(evidence, stages[-1]).settled(budget.part(_FOR_LAST))
    last.settled = not (last.possible & ~last.shown).any()
    certain, earlier = _single(last.possible), []
    if not certain.any():
        return last, []
    for number, stage in enumerate(stages[:-1]):
        # Whatever is certain early is certain in the end; nothing else has to be looked at.
        decision = Settling(evidence, stage).settled(budget.part(1 / (len(stages) - 1 - number)), last)
        several = np.zeros_like(certain)
        several[stage[0].seat] = True
        several &= (np.bitwise_count(decision.possible).sum(axis=1) > 1) & certain
        decision.settled = not (several & (np.bitwise_count(decision.shown).sum(axis=1) < 2)).any()
        last.feasible = last.feasible and decision.feasible  # what has no world has none with more to explain
        earlier.append(decision)
    return last, earlier


def _single(words: Words) -> Flags:
    return np.bitwise_count(words).sum(axis=1) == 1


def _first(words: Words) -> Codes:
    """Return the first value of each track, anything where it has none."""
    word = (words != 0).argmax(axis=1)
    held = words[np.arange(len(words)), word]
    low = held & (~held + np.uint64(1))
    return (64 * word + np.bitwise_count(low - np.uint64(1)) % 64).astype(np.int32)


class Settling:
    """Works on the parts of a network that was narrowed."""

    def __init__(self, evidence: Evidence, stage: tuple[Network, Words, Words, bool]) -> None:
        self._evidence = evidence
        self._network, own, left, feasible = stage
        values = int(self._network.class_of.max(initial=0)) + 1
        share = np.where(_single(left)[:, np.newaxis], unpacked(left, values).astype(np.float64), np.nan)
        world = np.where(_single(left), _first(left), np.int32(-1)).astype(np.int32)
        shown = np.zeros_like(left)
        self.decision = Decision(self._network, own.copy(), left.copy(), shown, share, world, feasible=feasible)

    def settled(self, budget: Budget, later: Decision | None = None) -> Decision:
        """Work on all parts, or on what was certain later, until it is known whether that is certain here."""
        decision, evidence = self.decision, self._evidence
        if decision.feasible and not self._network.unwieldy:
            self._settle(evidence, budget, later)
        return decision

    def _settle(self, evidence: Evidence, budget: Budget, later: Decision | None) -> None:
        """Work on what may have a world."""
        decision = self.decision
        parts = split(self._network, decision.possible)
        decision.shown[parts.settled] = decision.possible[parts.settled]
        wanted = np.ones(self._network.tracks, dtype=np.bool_)
        if later is not None:
            wanted = _single(later.possible)
            decision.shown[wanted] = later.possible[wanted]
        if compiled(self._network) and not len(self._network.link):
            self._large(parts, wanted, ALL if later is None else 2, budget)
            return
        lists = parts.lists(self._unsettled(wanted))
        self._excerpts = Excerpts(self._network, parts.rows, evidence.transitions)
        number, touched, left = self._count(lists, budget)
        if decision.feasible:
            self._ask(left, budget)
        whole = decision.feasible and not left and later is None
        if whole and evidence.kind == "linked" and not compiled(self._network):
            decision.worlds = int(number * self._orders(parts, touched))

    def _unsettled(self, wanted: Flags) -> Flags:
        """Return the tracks with values that are neither shown nor proved impossible, of those that are wanted."""
        decision = self.decision
        left = (decision.possible & ~decision.shown).any(axis=1)
        if not compiled(self._network):
            left |= np.isnan(decision.share).any(axis=1)
        return left & wanted

    def _large(self, parts: Parts, wanted: Flags, enough: int, budget: Budget) -> None:
        """Settle a large network without links."""
        decision = self.decision
        worlds = Worlds(
            self._network, parts, decision.possible, decision.shown, decision.share, decision.world, self._evidence
        )
        decision.presumed = worlds.show_alike()
        if enough == ALL:
            decision.feasible = worlds.count_small()
        decision.feasible = decision.feasible and worlds.search(wanted, enough, budget)

    def _count(self, parts: Sequence[Sequence[int]], budget: Budget) -> tuple[Fraction, set[int], list[Sequence[int]]]:
        """Count the worlds of parts.

        Returns:
            The product of their numbers, the cells that they may take rows of, and the parts that were not counted.
        """
        decision, number, touched = self.decision, Fraction(1), set[int]()
        large = compiled(self._network)
        left = [part for part in parts if large and len(part) > _COUNTED]
        small = [part for part in parts if not large or len(part) <= _COUNTED]
        for part, tracks, cells, found in self._done(small[::-1], counted, (_MOST_STEPS, budget), budget):
            if not isinstance(found, Counted):
                left.append(part)
                continue
            if not found.number:
                decision.feasible = False
                continue
            number *= found.number
            touched |= set(cells[found.touched].tolist())
            decision.share[tracks] = found.share
            decision.possible[tracks] = decision.shown[tracks] = found.shown
        return number, touched, sorted(left, key=lambda part: (len(part), part[0]))

    def _ask(self, parts: Sequence[Sequence[int]], budget: Budget) -> None:
        """Ask for worlds of parts that show what is possible."""
        decision = self.decision
        some = [part for part in parts if len(part) <= _ASKED or not compiled(self._network)]
        for _, tracks, _, found in self._done(some, asked, (budget,), budget):
            if found is None:
                continue
            decision.feasible = decision.feasible and found.feasible
            decision.shown[tracks] = found.shown
            if found.world is not None:
                decision.world[tracks] = found.world
            if found.done:
                decision.possible[tracks] = found.shown

    def _done(
        self,
        parts: Sequence[Sequence[int]],
        kernel: Callable[..., list[T]],
        options: tuple[object, ...],
        budget: Budget,
    ) -> Iterator[tuple[Sequence[int], Numbers, Numbers, T]]:
        """Yield each part with its tracks, the cells that a kernel's answer speaks of, and the answer, in order."""
        bunches = list(bunched(parts, _GIVEN))
        places: list[tuple[Numbers, Numbers]] = []

        def excerpts() -> Iterator[Excerpt]:
            for bunch in bunches:
                excerpt, *place = self._excerpts.of(bunch, self.decision.possible, self.decision.shown)
                places.append((place[0], place[1]))
                yield excerpt

        tasks = (budget.engine.submit(kernel, each, *options) for each in excerpts())
        few = sum(map(len, parts)) <= _FEW
        results = (kernel(each, *options) for each in excerpts()) if few else budget.engine.results(tasks)
        for number, found in enumerate(results):
            _, cells = places[number]
            for part, told in zip(bunches[number], found, strict=True):
                yield part, np.array(part, dtype=np.int64), cells, told
            budget.progress(number + 1, len(bunches))

    def _orders(self, parts: Parts, touched: set[int]) -> Fraction:
        """Return by what the parts' worlds are to be multiplied to get the number of worlds of values."""
        network = self._network
        factor = Fraction(1)
        # Cells that no part has touched have what is left for counterfeits; those of parts are in the parts' numbers.
        for block in range(network.blocks):
            cells = range(int(network.cell_start[block]), int(network.cell_start[block + 1]))
            rows = sum(int(network.cell_rows[cell]) for cell in cells)
            seats = int(network.seat_start[block + 1] - network.seat_start[block])
            factor *= factorial(rows - seats)
            factor /= prod(factorial(int(parts.rows[cell])) for cell in cells if cell not in touched)
            factor *= prod(factorial(int(network.cell_rows[cell])) for cell in cells)
        release = np.repeat(network.release, np.diff(network.cell_start))
        for position, hosts in enumerate(network.hosts):
            table = hosts.contents.tabled(hosts.n_groups, hosts.values).astype(np.int64)
            nobody = np.ones(hosts.n_groups, dtype=np.bool_)
            nobody[network.cell_group[release == position]] = False
            factor *= prod(factorial(rows) for rows in table[nobody].sum(axis=1).tolist())
            factor /= prod(factorial(rows) for rows in table.ravel().tolist() if rows > 1)
        return factor
