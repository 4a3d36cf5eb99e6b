"""Sampling: how probable values are in parts whose worlds are too many to be counted, estimated.

A world is changed over and over: a few people who may exchange rows among themselves are given rows anew, with exactly
the probabilities that everybody else's rows leave (*heat bath*). That keeps all worlds as probable as they are, so that
after many sweeps worlds come up as often as they should, if the sampler gets about. What is averaged are these
probabilities rather than what was drawn, which is less noisy (*Rao-Blackwell*).

Whether it gets about is judged, for each version: four chains from different worlds should agree (R-hat of Gelman and
Rubin, each chain cut in two), and every value that some world is known to have should come up. Versions for which that
fails are *stuck*: their risk may be anything.

Everything depends on the seed alone; when the time is up there is no estimate at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from attacks.joint.deciding import Decision
from attacks.joint.domains import unpacked
from attacks.joint.network import Flags, Numbers
from attacks.joint.parts import choices, split
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence

if TYPE_CHECKING:
    from attacks.joint.sampling_compiled import Sets, State, Sums, Ways

Shares = npt.NDArray[np.float64]

CHAINS = 4
# Each chain is cut into so many batches, after a first one that is thrown away.
_BATCHES = 2
# People who are redrawn together, and sets of them begun with each.
_LARGEST = 8
_ROUNDS = 4
# Fewer rounds, and fewer changes to begin with, for more people than this.
_MANY = 10_000
# Steps for one set, within bounds: as many as all people together take so many.
_STEPS = 1_000_000
_LEAST_STEPS, _MOST_STEPS = 500, 20_000
# Sweeps of a batch, within bounds: as many as all together redraw so many sets.
_WORK = 1_000_000
_LEAST_SWEEPS, _MOST_SWEEPS = 4, 100
_CHANGES = 30
_MOST_R_HAT = 1.05
_NEGLIGIBLE = 1e-18


class Sampled:
    """The tracks of a decision that were not counted, and the ways that each may have its rows.

    Attributes:
        decision: the decision, with the shares of those who have one value left.
        tracks: which; ascending by person and release; shape (tracks,).
    """

    def __init__(self, evidence: Evidence, decision: Decision) -> None:
        network, versions = decision.network, decision.network.versions
        self.network, self.evidence = network, evidence
        single = np.isnan(decision.share).any(axis=1) & (np.bitwise_count(decision.possible).sum(axis=1) == 1)
        share = decision.share.copy()
        share[single] = unpacked(decision.possible[single], share.shape[1])
        self.decision = decision = replace(decision, share=share)
        self.parts = split(network, decision.possible)
        person = np.zeros(network.tracks, dtype=np.int64)
        person[versions.track] = versions.person
        # Those with one value belong to their parts where the version before is the more or less probable by it.
        open_part = self.parts.of[np.isnan(share).any(axis=1)]
        seated = np.diff(network.by_track[0]) > 0
        inside = (self.parts.of >= 0) & np.isin(self.parts.of, open_part) & (decision.world >= 0)
        free = np.flatnonzero(inside & seated)
        self.tracks = free[np.lexsort((free, person[free]))]
        self._number = np.full(network.tracks, -1, dtype=np.int64)
        self._number[self.tracks] = np.arange(len(self.tracks))
        self._load(person[self.tracks])

    def _load(self, person: Numbers) -> None:
        """Set the seats, ways and options."""
        network, number = self.network, self._number
        seats = np.flatnonzero(number[network.seat] >= 0)
        seats = seats[np.lexsort((network.block_of[seats], number[network.seat[seats]]))]
        self.track, self.block = number[network.seat[seats]], network.block_of[seats].astype(np.int64)
        place = np.full(len(network.seat), -1, dtype=np.int64)
        place[seats] = np.arange(len(seats))
        seat, cell = choices(network, self.decision.possible)
        seat, cell = place[seat[place[seat] >= 0]], cell[place[seat] >= 0]
        order = np.lexsort((cell, seat))
        self.seat, self.cell = seat[order], cell[order].astype(np.int64)
        kinds = self.decision.share.shape[1]
        key, option = np.unique(self.track[self.seat] * kinds + network.cell_value[self.cell], return_inverse=True)
        self.option = option.astype(np.int64)
        self.of_option, self.value = key // kinds, key % kinds
        self.unit = np.cumsum(np.diff(person[self.track], prepend=-1) != 0) - 1

    def ways(self) -> Ways:
        """Return all of it for the kernels."""
        from attacks.joint.sampling_compiled import Ways

        by_cell = np.argsort(self.cell, kind="stable")
        weight, step, follows = self._weighed()
        return Ways(
            unit_start=np.searchsorted(self.unit, np.arange(int(self.unit[-1]) + 2)),
            unit=self.unit,
            track=self.track,
            block=self.block,
            way_start=np.searchsorted(self.seat, np.arange(len(self.track) + 1)),
            cell=self.cell,
            option=self.option,
            option_start=np.searchsorted(self.of_option, np.arange(len(self.tracks) + 1)),
            owner=self.of_option,
            value=self.value,
            weight=weight,
            step=step,
            follows=follows,
            taker_start=np.searchsorted(self.cell[by_cell], np.arange(len(self.network.cell_rows) + 1)),
            taker=self.seat[by_cell],
            spare=self._spare(),
        )

    def _weighed(self) -> tuple[Shares, Shares, Flags]:
        """Return the weight of each option, of one value following another, and which tracks follow the one before."""
        network, transitions = self.network, self.evidence.transitions
        weight, follows = np.ones(len(self.value)), np.zeros(len(self.tracks), dtype=np.bool_)
        step = np.ones((1, 1))
        if transitions is not None and network.may is None:
            first = np.unique(network.class_of, return_index=True)[1]
            stay = transitions.weight[first, first]
            weight = stay[self.value] ** (np.bincount(self.track, minlength=len(self.tracks))[self.of_option] - 1)
        elif transitions is not None:
            step = np.ascontiguousarray(transitions.weight)
            before, after = np.full((2, network.tracks), -1, dtype=np.int64)
            before[network.link[:, 1]], after[network.link[:, 0]] = network.link.T
            follows = self._inside(before)
            # Those of whom one value is left are weighed here once and for all.
            told = unpacked(self.decision.possible, self.decision.share.shape[1]).argmax(axis=1)
            for other, way in ((before, step), (after, step.T)):
                near = other[self.tracks]
                near = np.where(self._inside(other), -1, near)[self.of_option]
                weight = weight * np.where(near >= 0, way[told[near], self.value], 1.0)
        return weight, step, follows

    def _inside(self, other: Numbers) -> Flags:
        """Return of which tracks another one is sampled as well."""
        near = other[self.tracks]
        inside: Flags = (near >= 0) & (self._number[near] >= 0)
        return inside

    def _spare(self) -> Flags:
        """Return which blocks have more rows than seats, so that somebody's row may change alone."""
        network = self.network
        used = np.unique(self.cell)
        block = np.searchsorted(network.cell_start, used, side="right") - 1
        rows = np.bincount(block, weights=self.parts.rows[used], minlength=network.blocks)
        return rows > np.bincount(self.block, minlength=network.blocks)

    def state(self, world: Codes) -> State:
        """Return the way of each seat, and the rows left of each cell, in a world."""
        from attacks.joint.sampling_compiled import State

        fits = np.flatnonzero(self.value[self.option] == world[self.tracks[self.track[self.seat]]])
        if len(fits) > len(self.track):
            fits = fits[self._matched(self.seat[fits], self.cell[fits])]
        if not np.array_equal(self.seat[fits], np.arange(len(self.track))):
            raise AssertionError("a world gives somebody no row, or two")
        return State(fits.astype(np.int64), self._left(fits))

    def _left(self, chosen: Numbers) -> Numbers:
        """Return the rows of each cell that are left, where no other parts have them."""
        left = self.parts.rows - np.bincount(self.cell[chosen], minlength=len(self.parts.rows))
        if (left[np.unique(self.cell)] < 0).any():
            raise AssertionError("a world gives a row to two")
        return left.astype(np.int64)

    def _matched(self, seat: Numbers, cell: Numbers) -> Numbers:
        """Return a choice for each seat where several rows have its value, no cell being chosen too often."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_flow

        seats, cells = len(self.track), len(self.parts.rows)
        source, sink = seats + cells, seats + cells + 1
        one = np.concatenate([np.full(seats, source), seat, np.arange(cells) + seats])
        other = np.concatenate([np.arange(seats), cell + seats, np.full(cells, sink)])
        room = np.concatenate([np.ones(seats + len(seat)), np.maximum(self.parts.rows, 0)]).astype(np.int32)
        graph = csr_array((room, (one, other)), shape=(sink + 1, sink + 1))
        flow = maximum_flow(graph, source, sink).flow
        taken = np.asarray(flow[seat, cell + seats]).ravel()
        return np.flatnonzero(taken > 0)

    def run(self, budget: Budget, seed: int = 0) -> Sample | None:
        """Return what the chains say; None where the time is up before they are through."""
        from attacks.joint.sampling_sets_compiled import circles

        ways = self.ways()
        units = len(ways.unit_start) - 1
        rounds = min(_ROUNDS, max(1, _MANY // units))
        sets = circles(ways, rounds, _LARGEST, np.random.default_rng([seed, CHAINS]))
        sweeps = min(_MOST_SWEEPS, max(_LEAST_SWEEPS, _WORK // (CHAINS * (_BATCHES + 1) * len(sets[0]))))
        self._compile(ways, sets)
        engine, state = budget.engine, self.state(self.decision.world)
        tasks = (engine.submit(chained, (seed, chain), ways, sets, state, sweeps, budget) for chain in range(CHAINS))
        chains = list(engine.results(tasks))
        done = [batch for chain in chains if chain is not None for batch in chain]
        if len(done) < CHAINS * _BATCHES:
            return None
        total, square, times = (np.stack(each) for each in zip(*done, strict=True))
        return Sample(self, total, square, times, sweeps)

    def _compile(self, ways: Ways, sets: Sets) -> None:
        """Have the kernels compiled, once and for all, which is no part of the time for sampling."""
        from attacks.joint.sampling_compiled import sweep
        from attacks.joint.sampling_sets_compiled import scramble

        state, rng = self.state(self.decision.world), np.random.default_rng(1)
        scramble(ways, np.zeros(0, dtype=np.int64), state, _CHANGES, rng)
        sweep(ways, sets, 0, state, _sums(ways), 0, rng)


def chained(
    which: tuple[int, int], ways: Ways, sets: Sets, first: State, sweeps: int, budget: Budget
) -> list[Sums] | None:
    """Return the sums of a chain's batches, None where the time is up; a kernel for engines.

    Args:
        which: the seed, and which chain; they say what is drawn at random.
        ways: who may have which rows.
        sets: who is redrawn together.
        first: the world to begin with, or to change at random and begin with.
        sweeps: how many make a batch.
        budget: how long.
    """
    from attacks.joint.sampling_compiled import State, sweep
    from attacks.joint.sampling_sets_compiled import scramble

    state, rng = State(first.chosen.copy(), first.left.copy()), np.random.default_rng(which)
    if which[1]:
        units = len(ways.unit_start) - 1
        asked = np.concatenate([rng.permutation(units) for _ in range(_ROUNDS)])[:_MANY]
        scramble(ways, asked, state, _CHANGES, rng)
    steps = min(_MOST_STEPS, max(_LEAST_STEPS, _STEPS // (len(ways.option_start) - 1)))
    at_once = max(1, _MANY // len(sets[0]))
    found = []
    for _ in range(_BATCHES + 1):
        sums = _sums(ways)
        for done in range(0, sweeps, at_once):
            if budget.spent():
                return None
            sweep(ways, sets, min(at_once, sweeps - done), state, sums, steps, rng)
        # Whoever is never redrawn stays as the chain began.
        own = np.unique(ways.option[state.chosen])
        own = own[sums.times[ways.owner[own]] == 0]
        for each in (sums.total, sums.square):
            each[own] = 1
        sums.times[ways.owner[own]] = 1
        found.append(sums)
    _check(ways, first, state)
    return found[1:]


def _sums(ways: Ways) -> Sums:
    from attacks.joint.sampling_compiled import Sums

    return Sums(np.zeros(len(ways.value)), np.zeros(len(ways.value)), np.zeros(len(ways.option_start) - 1))


def _check(ways: Ways, first: State, state: State) -> None:
    """Make sure that a state is still a world, as the first one was."""
    own, rows = ways.option[state.chosen], len(state.left)
    alike = np.array_equal(ways.owner[own], ways.track) and len(np.unique(own)) == len(ways.option_start) - 1
    before, after = (np.bincount(ways.cell[each.chosen], minlength=rows) + each.left for each in (first, state))
    if not alike or (before != after).any() or (state.left[np.unique(ways.cell)] < 0).any():
        raise AssertionError("a world was changed into none")


@dataclass(frozen=True)
class Sample:
    """What the batches of all chains say.

    Attributes:
        of: what was sampled.
        total: the sums of the probabilities of each option; shape (batches, options), those of a chain side by side.
        square: the sums of their squares; likewise.
        times: how often each track was redrawn; shape (batches, tracks).
        sweeps: how many there are in each batch.
    """

    of: Sampled
    total: Shares
    square: Shares
    times: Shares
    sweeps: int

    @cached_property
    def means(self) -> Shares:
        """The share of each option in each batch; shape (batches, options)."""
        return self.total / self.times[:, self.of.of_option]

    @cached_property
    def r_hat(self) -> Shares:
        """How much the batches differ for their own size, 1 where they do not; the worst for each track."""
        number = self.times.mean(axis=0)[self.of.of_option]
        within = np.maximum((self.square / self.times[:, self.of.of_option] - self.means**2).mean(axis=0), 0)
        between = self.means.var(axis=0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(between > _NEGLIGIBLE, between / within, 0)
        worst = np.ones(len(self.of.tracks))
        np.maximum.at(worst, self.of.of_option, np.sqrt((number - 1) / number + ratio))
        return worst

    @cached_property
    def stuck(self) -> Flags:
        """Which tracks have no estimate that can be relied upon, those around them included.

        Shape (tracks of the network,).
        """
        of, decision = self.of, self.of.decision
        shown = unpacked(decision.shown[of.tracks], decision.share.shape[1])[of.of_option, of.value]
        bad: Flags = np.asarray(self.r_hat > _MOST_R_HAT)
        bad[of.of_option[shown & (self.total.sum(axis=0) == 0)]] = True
        near = np.zeros(of.network.blocks, dtype=np.bool_)
        near[of.block[bad[of.track]]] = True
        bad[of.track[near[of.block]]] = True
        found: Flags = np.asarray(np.isnan(decision.share).any(axis=1))
        found[of.tracks] = bad
        return found

    def shares(self) -> Iterator[Shares]:
        """Yield the shares of all options of all tracks after each batch, as `Decision.share`; then those of all."""
        of = self.of
        for means in [*self.means, self.means.mean(axis=0)]:
            share = of.decision.share.copy()
            share[of.tracks] = 0.0
            # What no batch has met need not be impossible.
            share[of.tracks[of.of_option], of.value] = np.maximum(means, np.finfo(np.float64).tiny)
            yield share
