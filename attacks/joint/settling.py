"""Settling: what is possible for everybody at once, by one step after the other.

Propagation leaves parts that share nothing. Where all of them are small they are *counted*. Elsewhere a world is
needed: what the publisher's key tells, if it is one, else a corner of a linear programme, else one that CP-SAT finds.
From there

1. short walks show what is possible;
2. one support programme proves what is impossible, which is propagated;
3. walks and corners show more;
4. probing asks for single options in fractions, and
5. balls in whole numbers; what is left is *open*.

First until everybody has one value left or two that are shown, which decides who is certain; then the rest. Nothing
depends on the clock but whether there is time left, and nothing on how many are at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from attacks.joint import relaxation
from attacks.joint.arrays import Numbers
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.counting import Counts, counted
from attacks.joint.knowledge import Knowledge
from attacks.joint.linear_model import LinearModel
from attacks.joint.network import ConstraintNetwork
from attacks.joint.network_builder import COUNTED
from attacks.joint.refutations import refuted
from attacks.joint.single_options import PartAnswer, questions
from attacks.joint.solvers import in_whole_numbers
from attacks.joint.state import State
from attacks.joint.step_weights import Steps, steps_of
from audit.model.arrays import Flags, Floats
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget

ALL, TWO = 0, 2
"""Of how many values of a person worlds are wanted; 0 stands for all."""
# Steps of counting a part.
STEPS = 20_000
# The first walk may have to wait some seconds until its kernel is compiled, which programmes for fewer open columns
# than this do not take; later ones are worth it for these.
WALKED, WALKED_ON = 4_000, 100
# Columns of programmes that are solved together, and that walks are made for before the clock is looked at.
BATCH, STRETCH = 2_000, 20_000
# Deterministic seconds of CP-SAT for a first world of a part.
FIRST_WORLD = 10.0
# How often corners are tried for a first world, and for more of them at most: while less than this share is left.
FIRST_CORNERS, CORNERS, _MUCH = 4, 5, 0.75
# How often single options are asked for in fractions: near another world, which walks lead to, answers are whole.
PROBES = 2
# Options that are asked for by one task.
QUESTIONS = 64

T = TypeVar("T")


class Settling:
    """Works on a network until what is wanted is known, or the time is up.

    Attributes:
        state: what is known.
        counts: how many worlds there are in parts that were counted.
        walked: whether walks were made, here or before.
    """

    def __init__(
        self, evidence: Evidence, network: ConstraintNetwork, budget: Budget, seed: int = 0, *, walked: bool = False
    ) -> None:
        self.state = State(network, budget)
        self.counts = Counts.of(network)
        self.walked = walked
        self._evidence, self._budget, self._seed = evidence, budget, seed
        self._walks = 0

    def settle(self, wanted: Flags | None, aims: tuple[int, ...], *, of_whole: bool = False) -> Knowledge:
        """Return what is known of the wanted variables, or of all, once they have so many values that are shown.

        Where there is no world, nothing is known of anybody. With `of_whole` one is found for all others first, so that
        what is known of the wanted is what would be known of them if all were; where none is found, all are wanted.
        """
        if wanted is not None and not of_whole:
            self.state.wanted = wanted
        most = 0
        for step in self._steps(aims, everybody=wanted is None or of_whole, then=wanted if of_whole else None):
            if not self.state.decision.feasible or self._budget.exhausted():
                break
            self._budget.stage(_stage_of(step))
            step()
            left = self._left(aims[-1])
            most = max(most, left)
            self._budget.progress(most - left, most)
        return self.state.decision

    def _steps(
        self, aims: tuple[int, ...], *, everybody: bool, then: Flags | None = None
    ) -> Iterator[Callable[[], None]]:
        net = self.state.network
        if net.columns >= WALKED and (net.hint >= 0).all() and (np.diff(net.start) > 1).all():
            yield from self._worlds_first(aims)
            if aims == (TWO,) and not self._left(TWO):
                return
        if (self.state.decision.alive & ~self.state.decision.shown).any():
            yield self.state.narrow
        # Where nothing is open, not even the parts are looked for.
        if self._left(ALL):
            yield self._take_hint
        yield partial(self._count, everybody=everybody)
        if self._left(ALL):
            yield self._find_worlds
        if then is not None and not self.state.core(self.state.undecided(ALL), known=False).variables:
            self.state.wanted = then
        for aim in aims:
            for step in self._round(aim):
                if not self.state.undecided(aim).any():
                    break
                yield step

    def _worlds_first(self, aims: tuple[int, ...]) -> Iterator[Callable[[], None]]:
        """Yield the steps before a fixpoint, which may then have nothing to rule out: nobody is certain alone."""
        yield self._take_hint
        yield partial(self._walk, TWO, 30)
        if ALL in aims and not self._left(TWO):
            yield partial(self._walk, ALL, 30)

    def _round(self, aim: int) -> Iterator[Callable[[], None]]:
        """Yield the steps of showing and ruling out, in order; dear ones again as long as they settle much."""
        yield partial(self._walk, aim, 30)
        yield partial(self._support, aim)
        for at in range(1 if aim else CORNERS):
            left = self._left(aim)
            yield partial(self._walk, aim, 60)
            yield partial(self._corners, aim, at)
            if self._left(aim) > _MUCH * left:
                break
        yield partial(self._walk, aim, 120)
        for _ in range(PROBES):
            yield partial(self._probe, aim)
            yield partial(self._walk, aim, 120)
        yield partial(self._balls, aim)

    def _left(self, aim: int) -> int:
        """Return how many columns are undecided."""
        return int(np.count_nonzero(self.state.undecided(aim)))

    def _tasks(self, kernel: Callable[..., T], arguments: Iterable[tuple[object, ...]]) -> Iterator[T]:
        engine = self._budget.engine
        return engine.results(engine.submit(kernel, *each) for each in arguments)

    # -- worlds to start from, and counts ---------------------------------------------------------------------

    def _take_hint(self) -> None:
        """Take over what the publisher's key tells, where it is a world."""
        state = self.state
        if (state.decision.chosen >= 0).all():
            return
        core = state.core(state.undecided(ALL), known=False)
        if core.variables:
            state.adopt(core, state.local(core, state.network.hint[core.variable]))
            state.share_among_twins(core)

    def _count(self, *, everybody: bool) -> None:
        """Count the worlds of parts, where all of them are small."""
        net, decision = self.state.network, self.state.decision
        wanted = np.zeros(net.variables, dtype=np.bool_)
        wanted[net.owner[np.isnan(decision.share) if everybody else self.state.undecided(ALL)]] = True
        # Rows that tell of numbers alone only join parts.
        if not wanted.any() or self.state.largest() > COUNTED:
            return
        core = core_of(net, decision.alive, wanted, exact=True)
        if core.variables and np.bincount(core.part).max() <= COUNTED:
            self._count_parts(core)

    def count_small_parts(self) -> None:
        """Count the worlds of those parts that are small, though others may be large."""
        net, decision = self.state.network, self.state.decision
        wanted = np.zeros(net.variables, dtype=np.bool_)
        wanted[net.owner[np.isnan(decision.share)]] = True
        if not wanted.any() or not decision.feasible or self._budget.exhausted():
            return
        self._budget.stage(_STAGES["_count"])
        core = core_of(net, decision.alive, wanted, exact=True)
        core = core.only(np.bincount(core.part, minlength=core.parts) <= COUNTED)
        if core.variables:
            self._count_parts(core)

    def _count_parts(self, core: OpenSubproblem) -> None:
        """Count the worlds of all parts of a core that keeps what says how many worlds there are."""
        net, decision = self.state.network, self.state.decision
        steps = steps_of(self._evidence, decision, core)
        runs = relaxation.batches(core, BATCH)
        tasks = ((core.slice(a, b), _of_steps(core, steps, a, b), STEPS, self._budget) for a, b in runs)
        worlds, impossible = list[tuple[Numbers, Numbers]](), np.zeros(net.columns, dtype=np.bool_)
        for (a, b), results in zip(runs, self._tasks(counted, tasks), strict=True):
            for number, result in zip(range(a, b), results, strict=True):
                part = core.slice(number, number + 1)
                if result is None:
                    continue
                if not result.number:
                    if (decision.chosen[part.variable] >= 0).all():
                        raise AssertionError("a part with a world was counted to have none")
                    decision.feasible = False
                    return
                self.counts.add(part, result.number)
                decision.share[part.column] = result.share
                impossible[part.column] = True
                impossible[part.column[result.worlds]] = False
                worlds.append((part.variable, part.column[result.worlds]))
        for at in range(max((len(each) for _, each in worlds), default=0)):  # parts share nothing: all at once
            some = [(variable, each[at]) for variable, each in worlds if at < len(each)]
            decision.adopt(*map(np.concatenate, zip(*some, strict=True)))
        self.state.rule_out(impossible)

    def _find_worlds(self) -> None:
        """Find a world of every part that has none so far."""
        state = self.state
        for at in range(FIRST_CORNERS):
            core = state.core(state.undecided(ALL), known=False)
            if not core.variables or self._budget.exhausted():
                return
            self._try_corners(core, np.random.default_rng([self._seed, 1, at]).random(len(core.kind)))
        core = state.core(state.undecided(ALL), known=False)
        runs = [(number, number + 1) for number in range(core.parts)]
        found = self._tasks(first_world, ((core.slice(a, b), FIRST_WORLD, self._budget) for a, b in runs))
        for (a, b), (answer, chosen) in zip(runs, found, strict=True):
            if answer == "none":
                state.decision.feasible = False
                return
            if chosen is not None:
                state.adopt(core.slice(a, b), chosen)
        state.share_among_twins(core)

    # -- showing and ruling out -------------------------------------------------------------------------------

    def _walk(self, enough: int, most: int) -> None:
        """Walk from the world that is known."""
        state = self.state
        if len(state.network.link):
            return
        undecided = state.undecided(enough)
        core = state.core(undecided, known=True)
        if not core.variables or len(core.kind) < (WALKED_ON if self.walked else WALKED):
            return
        self._walks, self.walked = self._walks + 1, True
        like = core.classes.like
        asked = np.flatnonzero(undecided[core.column] & (like == np.arange(core.variables))[core.owner])
        lot = np.random.default_rng([self._seed, 2, self._walks]).random(core.variables)
        asked = asked[np.argsort(lot[core.owner[asked]], kind="stable")]
        self._walk_for(core, asked, enough, most)

    def _walk_for(self, core: OpenSubproblem, asked: Numbers, enough: int, most: int) -> None:
        """Walk for some columns, and take over the worlds on the way."""
        from attacks.joint.walk import walks

        state, like = self.state, core.classes.like
        chosen, shown = state.chosen(core), state.decision.shown[core.column]
        seed = (self._seed + self._walks) % (1 << 32)
        for some in np.array_split(asked, max(1, len(asked) // STRETCH)):
            if self._budget.exhausted():
                break
            variables, columns, ends = walks(core, chosen, shown, some, (enough, most), seed, like)
            state.decision.follow(core.variable[variables], core.column[columns], ends)
        state.share_among_twins(core)

    def _support(self, enough: int) -> None:
        """Prove what fractions prove."""
        undecided = self.state.undecided(enough)
        core = self.state.core(undecided)
        runs = relaxation.batches(core, BATCH)[::-1]  # the largest parts first: nobody waits for them in the end
        asked = undecided[core.column]
        tasks = ((core.slice(a, b), _of(core, asked, a, b), self._budget) for a, b in runs)
        impossible = np.zeros(len(undecided), dtype=np.bool_)
        for (a, b), weights in zip(runs, self._tasks(relaxation.supported, tasks), strict=True):
            if weights is not None:
                impossible[_of(core, core.column, a, b)[refuted(core.slice(a, b), weights)]] = True
        self.state.rule_out(impossible)

    def _corners(self, enough: int, at: int) -> None:
        """Look for more worlds at corners."""
        undecided = self.state.undecided(enough)
        core = self.state.core(undecided)
        rng = np.random.default_rng([self._seed, 3, at])
        cost = undecided[core.column] * rng.uniform(0.5, 1.0, len(core.kind))
        if at % 2:
            cost *= rng.random(len(core.kind)) < 0.3
        self._try_corners(core, cost)

    def _try_corners(self, core: OpenSubproblem, cost: Floats) -> None:
        runs = relaxation.batches(core, BATCH)[::-1]
        tasks = ((core.slice(a, b), _of(core, cost, a, b), self._budget) for a, b in runs)
        for (a, b), chosen in zip(runs, self._tasks(relaxation.corner, tasks), strict=True):
            if chosen is not None:
                self.state.adopt(core.slice(a, b), chosen)
        self.state.share_among_twins(core)

    def _probe(self, enough: int) -> None:
        """Ask for single options in fractions, once for all twins."""
        state = self.state
        undecided = state.undecided(enough)
        core = state.core(undecided, known=True)
        if not core.variables:
            return
        asked = core.classes.shared(core, undecided[core.column])
        asked &= (core.classes.like == np.arange(core.variables))[core.owner]
        impossible = np.zeros(len(undecided), dtype=np.bool_)
        for part, found in self._asked_by_part(core, asked, enough, QUESTIONS):
            impossible[part.column[refuted(part, found.weights)]] = True
        state.rule_out(impossible)

    def _balls(self, enough: int) -> None:
        """Ask for single options in whole numbers, again as long as something was ruled out."""
        state = self.state
        tried = np.zeros(state.network.columns, dtype=np.bool_)
        while state.decision.feasible and not self._budget.exhausted():
            undecided = state.undecided(enough) & ~tried
            core = state.core(undecided)
            if not undecided.any() or not core.variables:
                return
            impossible = np.zeros_like(tried)
            for part, found in self._asked_by_part(core, undecided[core.column], enough):
                tried[part.column] |= found.asked
                impossible[part.column] |= found.believed
                if found.believed.any():  # whatever follows in this part rests on it
                    state.decision.believed[part.variable] = True
            state.rule_out(impossible)

    def _asked_by_part(
        self, core: OpenSubproblem, asked: Flags, enough: int, at_a_time: int | None = None
    ) -> Iterator[tuple[OpenSubproblem, PartAnswer]]:
        """Ask for columns of each part, in fractions for so many options at a time, or in whole numbers for all.

        Take over the worlds that are found; yield each part and what was found of it. The largest parts are asked about
        first: nobody waits for them in the end.
        """
        state = self.state
        chosen, shown = state.chosen(core), state.decision.shown[core.column]
        asks = [
            (number, some)
            for number in reversed(range(core.parts))
            for some in _in_turns(core, asked, number, at_a_time)
        ]
        tasks = (
            (
                core.slice(number, number + 1),
                _local(core, chosen, number, number + 1),
                _of(core, shown, number, number + 1),
                some,
                enough,
                self._budget,
            )
            for number, some in asks
        )
        kernel = partial(questions, search_integers=at_a_time is None)
        for (number, _), found in zip(asks, self._tasks(kernel, tasks), strict=True):
            part = core.slice(number, number + 1)
            state.adopt_found(part, _local(core, chosen, number, number + 1), found)
            yield part, found
        state.share_among_twins(core)


_STAGES = {
    "narrow": "reasoning about each group",
    "_take_hint": "looking for a world",
    "_count": "counting small parts",
    "_find_worlds": "looking for a world",
    "_walk": "walking from world to world",
    "_corners": "looking at extreme worlds",
    "_support": "ruling values out by programmes",
    "_probe": "supposing single values",
    "_balls": "asking for single values",
}
"""What each step does, in words for whoever watches."""


def _stage_of(step: Callable[[], None]) -> str:
    whole = step.func if isinstance(step, partial) else step
    return _STAGES[whole.__name__]


def first_world(part: OpenSubproblem, work: float, budget: Budget) -> tuple[str, Numbers | None]:
    """Return a world of a part, if one is found; `none` where there is none."""
    if budget.exhausted():
        return "unknown", None
    model = LinearModel(part)
    answer, number = in_whole_numbers(model, (), None, work, budget)
    return answer, None if number is None else model.world(number)


def _columns(core: OpenSubproblem, first: int, last: int) -> slice:
    """Return the columns of some parts."""
    return slice(int(core.start[core.part_start[first]]), int(core.start[core.part_start[last]]))


def _of(core: OpenSubproblem, columns: T, first: int, last: int) -> T:
    """Return what belongs to the columns of some parts."""
    return columns[_columns(core, first, last)]  # type: ignore[index]


def _in_turns(core: OpenSubproblem, asked: Flags, number: int, most: int | None) -> Iterator[Flags]:
    """Yield the asked columns of a part, those of so many options at a time, or all; none where none is asked."""
    mine = _of(core, asked, number, number + 1)
    if not mine.any():
        return
    if most is None:
        yield mine
        return
    option = _of(core, core.option, number, number + 1)
    options = np.unique(option[mine])
    for some in np.array_split(options, -(-len(options) // most)):
        yield mine & (option >= some[0]) & (option <= some[-1])


def _local(core: OpenSubproblem, chosen: Numbers, first: int, last: int) -> Numbers:
    """Return columns of the variables of some parts, by their own numbers."""
    begin, end = core.part_start[first], core.part_start[last]
    some = chosen[begin:end]
    return np.where(some < 0, -1, some - core.start[begin])


def _of_steps(core: OpenSubproblem, steps: Steps, first: int, last: int) -> Steps:
    begin, end = core.start[core.part_start[first]], core.start[core.part_start[last]]
    return steps.of(slice(int(begin), int(end)))
