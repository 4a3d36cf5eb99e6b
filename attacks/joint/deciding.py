"""Deciding: what is possible for everybody at once, and what is not; what is left open when the time is up.

1. Each person alone: what all groups of the person leave (`own`), as the attacks on single people have it.
2. Narrowing, block by block, to a fixpoint; release by release, so that it is known what was certain when.
3. Parts that share no rows any more are worked on one by one, the smallest first: counted where they are small, else
   asked for worlds (`programme`). A value that some world has is *shown*; one that is proved to be in none leaves the
   domain; the others are *open*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import factorial, prod
from operator import or_

import numpy as np
import numpy.typing as npt

from attacks.joint.counting import Count, Counter
from attacks.joint.domains import compiled, masks, narrowed, packed, unpacked
from attacks.joint.narrowing import Narrowing, mask_of
from attacks.joint.network import Flags, Network, Words, network_of
from attacks.joint.parts import Parts, split
from attacks.joint.programme import Programme, twins
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
        self._values = values
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
        number, counted = Fraction(1), True
        touched: set[int] = set()
        for part in parts.lists(self._unsettled(wanted)):
            found = self._one(parts, part, budget)
            if found is None:
                counted = False
            elif counted:
                number *= found.number
                touched |= found.touched
        if (
            decision.feasible
            and counted
            and later is None
            and evidence.kind == "linked"
            and not compiled(self._network)
        ):
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

    def _one(self, parts: Parts, part: Sequence[int], budget: Budget) -> Count | None:
        """Work on one part; return its worlds where it was counted."""
        local = self._local(part)
        counter = Counter(local, parts.rows, self._evidence.transitions)
        large = len(part) > _COUNTED and compiled(self._network)
        found = None if large or budget.spent() else counter.count(part, _MOST_STEPS)
        if found is None:
            self._ask(local, counter, part, budget)
            return None
        if not found.number:
            self.decision.feasible = False
            return None
        for track, weights in found.weights.items():
            row = np.zeros(self._values, dtype=np.float64)
            row[list(weights)] = [float(weight / found.weight) for weight in weights.values()]
            self.decision.share[track] = row
            self._write(track, mask_of(value for value, weight in weights.items() if weight))
        return found

    def _local(self, part: Sequence[int]) -> Narrowing:
        """Return a part by itself, with the tracks that its tracks are linked to."""
        network, tracks = self._network, set(part)
        for first, last in network.link[np.isin(network.link, list(part)).any(axis=1)].tolist():
            tracks |= {first, last}
        order = sorted(tracks)
        domain = dict(zip(order, masks(self.decision.possible[order]), strict=True))
        return Narrowing(network, domain, ())

    def _write(self, track: int, mask: int) -> None:
        row = packed(np.array([[mask >> value & 1 for value in range(self._values)]], dtype=np.bool_))[0]
        self.decision.possible[track] = self.decision.shown[track] = row

    def _ask(self, local: Narrowing, counter: Counter, part: Sequence[int], budget: Budget) -> None:
        """Ask for worlds of a part that show what is possible."""
        if budget.spent() or (len(part) > _ASKED and compiled(self._network)):
            return
        programme = Programme(local, counter, part)
        alike = twins(local, part)
        before = dict(zip(part, masks(self.decision.shown[list(part)]), strict=True))
        shown = {some[0]: reduce(or_, (before[track] for track in some)) for some in alike}
        unseen = {track: local.domain[track] & ~mask for track, mask in shown.items()}
        done = True
        try:
            for world in programme.worlds(unseen, budget):
                if world is None:
                    done = False
                    break
                self.decision.world[list(world)] = list(world.values())
                for some in alike:
                    shown[some[0]] |= mask_of(world[track] for track in some)
                    unseen[some[0]] &= ~shown[some[0]]
        except ValueError:
            self.decision.feasible = False
            return
        for some in alike:
            for track in some:
                left = self.decision.possible[track].copy()
                self._write(track, shown[some[0]])
                if not done:
                    self.decision.possible[track] = left

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
