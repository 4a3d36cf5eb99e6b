"""Settling: decide which values are possible, for all people at once, step by step.

Propagation leaves parts that share no rows. If all of them are small, their worlds are *counted*. Otherwise a first
world is needed: the one in the publisher's key, or the end of a walk, or a vertex of a linear programme, or one that
CP-SAT finds. From there

1. short walks to other worlds show values possible;
2. one support programme proves values impossible, which are propagated;
3. ever longer walks, then vertices of linear programmes, show more values;
4. balls decide single options; options that are still undecided are *open*.

This is done first until each person has one value left or two shown values, which decides whose value is certain; then
for all other values. The clock only decides when to stop.

`exchange` finds worlds that differ from a known one in that people exchange their rows of one release.

Walks do not apply where values change. There, two people of a group may exchange their rows if the values that they
have in the releases before and after allow both new values. Exchanges of different people are made at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from attacks.joint.balls import Neighbourhood, PartQuestions
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.counting import Counts, WorldCounter, weights_of
from attacks.joint.knowledge import COUNTED, Knowledge
from attacks.joint.linear_model import LinearModel, refuted, runs_of_parts, whole_points
from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Flags, Floats, Numbers, flagged, places_of
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget

_IN_VAIN, _COLUMNS = 100, 1_000_000
"""Random exchanges end after so many rounds that showed nothing; after fewer where a round has so many columns."""


def exchange(known: Knowledge, enough: int, budget: Budget, rng: np.random.Generator) -> None:
    """Adopt worlds with undecided columns, and worlds by random exchanges between, until these show no more.

    Args:
        known: the knowledge, with a known world of some parts.
        enough: the number of options to show for each variable; 0 for all.
        budget: the time limit.
        rng: chooses among the exchanges that exclude one another.
    """
    net, seat, vain = known.network, _seats(known), 0
    size = int(seat.max(initial=0)) + 1
    while vain < min(_IN_VAIN, 2 + _COLUMNS // net.columns) and not budget.exhausted():
        places, now = _fitting(known), np.where(known.chosen >= 0, seat[known.chosen], -1)
        asked = known.undecided(enough)
        if not asked[places].any():
            return
        key, wanted = now[net.owner[places]] * size + seat[places], seat[places] * size + now[net.owner[places]]
        order = np.argsort(key)
        first, last = (np.searchsorted(key[order], wanted, side) for side in ("left", "right"))
        able = np.flatnonzero(first < last)
        pairs = np.stack([places[able], places[order[rng.integers(first[able], last[able])]]])
        pairs = pairs[:, np.lexsort((rng.random(len(able)), ~asked[pairs[0]]))]
        chosen = pairs[:, _disjoint(net.chain[net.owner[pairs]])].ravel()
        if not len(chosen):
            return
        vain = 0 if asked[chosen].any() else vain + 1
        known.follow(net.owner[chosen], chosen, np.array([len(chosen)]))


def _seats(known: Knowledge) -> Numbers:
    """Return a number for each column that columns with the same rows share; shape (columns,)."""
    net = known.network
    width, seat = np.diff(net.row_start), np.zeros(net.columns, dtype=np.int64)
    for at in range(int(width.max(initial=0))):
        row = np.append(net.row, 0)[np.minimum(net.row_start[:-1] + at, len(net.row))]
        row = np.where(at < width, row + 1, 0)
        seat = np.unique(seat * (len(net.capacity) + 1) + row, return_inverse=True)[1].reshape(-1)
    return seat


def _fitting(known: Knowledge) -> Numbers:
    """Return the columns that their variables could have if all others kept theirs, but for rows; ascending."""
    net, world = known.network, known.chosen
    fits = known.alive & (world >= 0)[net.owner]
    fits[world[world >= 0]] = False
    for side, near in enumerate(known.worlds.linked_to):
        linked = np.flatnonzero(fits & (near >= 0)[net.owner])
        pair = world[near[net.owner[linked]]], linked
        fits[linked] = net.may_follow(*(pair[::-1] if side else pair))
    return np.flatnonzero(fits)


def _disjoint(chains: Numbers) -> Flags:
    """Return which of some pairs of chains to take, the first ones of each chain; shape (pairs,), bool."""
    lot = np.arange(chains.shape[1])
    best = np.full(int(chains.max(initial=-1)) + 1, len(lot))
    np.minimum.at(best, chains.ravel(), np.tile(lot, 2))
    found: Flags = (best[chains] == lot).all(axis=0) & (chains[0] != chains[1])
    return found


ALL, TWO = 0, 2
"""The number of values of a person for which to find worlds; 0 means all."""
# The most steps of counting the worlds of a part.
STEPS = 20_000
# From how many columns on it is worth walking: at first, when compiling the kernel may take some seconds (programmes
# for fewer columns are faster); and later.
WALKED, WALKED_ON = 4_000, 100
# How many columns of parts are solved in one programme, and how many moves walks make before the clock is checked.
BATCH, STRETCH = 4_000, 200_000
# How many moves a walk to a first world of a part may make, for each variable and as many more as `WALKED_ON`.
FIRST_MOVES = 200
# Deterministic seconds of CP-SAT for a first world of a part.
FIRST_WORLD = 10.0
# If at most so many people lack a second value, it is looked for near the key's world, in so many blocks around each.
FEW, AROUND = 500, 8
# How often walks, and then vertices, are tried for a first world; how often walks for further worlds, each four times
# as long as the one before.
FIRST_TRIES, LONGER = 4, 4
# How often balls are tried while they decide something: from another world, to which walks lead, they find some options
# that they missed before.
ASKED = 2
Step = tuple[str, Callable[[], None]]
"""What a step does, in words for the progress display, and the step."""
_COUNTING, _WALKING = "counting small parts", "walking from world to world"


class Settling:
    """Works on a network until all wanted values are decided, or the time is up.

    Attributes:
        known: the knowledge of the columns so far.
        counts: the numbers of worlds of the parts that were counted.
        walked: whether walks were made, so that their kernel is compiled.
    """

    def __init__(
        self, evidence: Evidence, network: ConstraintNetwork, budget: Budget, seed: int = 0, *, walked: bool = False
    ) -> None:
        self.known = Knowledge(network, budget)
        self.counts = Counts.of(network)
        self.walked = walked
        self._evidence, self._budget, self._seed = evidence, budget, seed
        self._walks = 0

    def settle(self, wanted: Flags | None, aims: tuple[int, ...]) -> Knowledge:
        """Return the knowledge once the wanted variables have enough shown values, or the time is up.

        If the knowledge is infeasible (there is no world), the rest of it means nothing.

        Args:
            wanted: which variables are asked about; shape (variables,), bool; None for all.
            aims: for how many values of each variable to find worlds, one aim after another; 0 means all.
        """
        if wanted is not None:
            self.known.wanted = wanted
        most = 0
        for stage, step in self._steps(aims, all_people=wanted is None):
            if not self.known.feasible or self._budget.exhausted():
                break
            self._budget.stage(stage)
            step()
            left = self._left(min(aims, default=ALL))
            most = max(most, left)
            self._budget.progress(most - left, most)
        return self.known

    def _steps(self, aims: tuple[int, ...], *, all_people: bool) -> Iterator[Step]:
        yield from self._worlds_first(aims)
        if aims == (TWO,) and not self._left(TWO):
            return
        if self._left(ALL):
            yield "reasoning about each group", self.known.narrow
        # If no value is open, a world is not needed.
        if self._left(ALL):
            yield "looking for a world", self._take_hint
        yield _COUNTING, partial(self._count, all_people=all_people)
        if aims and self._left(ALL):
            yield "looking for a world", self._find_worlds
        for aim in aims:
            for each in self._round(aim):
                if not self._left(aim):
                    break
                yield each

    def _worlds_first(self, aims: tuple[int, ...]) -> Iterator[Step]:
        """Yield steps before propagation if every person has several values: propagation may then rule out nothing."""
        net = self.known.network
        known = (net.hint >= 0).all() and (np.diff(net.start) > 1).all()
        if net.columns >= WALKED and known and self._left(TWO):
            yield "looking for a world", self._begin_with_hint
            for aim in aims:
                if self._left(aim) and (aim == TWO or not self._left(TWO)):
                    yield _WALKING, partial(self._walk, aim, 30)

    def _begin_with_hint(self) -> None:
        """Adopt the values in the publisher's key if they are a world, and show a second value of as many as possible.

        Twins exchange values; if a few people then have only one shown value, walks rearrange the blocks around them.
        """
        known, net = self.known, self.known.network
        new = np.flatnonzero(known.chosen < 0)
        if not known.begin(new, net.hint[new]):
            return
        known.exchange(np.arange(net.columns), net.twin_column)
        undecided = known.undecided(TWO)
        left = np.unique(net.owner[undecided])
        if 0 < len(left) <= FEW and not len(net.link):
            around = Neighbourhood(net, net.start[:-1])
            blocks = np.unique(np.concatenate([around.around(each, AROUND)[0] for each in left.tolist()]))
            ball = around.ball(left, blocks, known.chosen)
            if ball is not None:
                self._walk_in(ball.core, undecided, TWO, 30)

    def _round(self, aim: int) -> Iterator[Step]:
        """Yield the steps that show values and rule values out, cheap ones first."""
        yield _WALKING, partial(self._walk, aim, 30)
        yield "ruling values out by programmes", partial(self._support, aim)
        for at in range(LONGER):
            yield _WALKING, partial(self._walk, aim, 60 * 4**at)
        yield "looking at extreme worlds", partial(self._corners, aim)
        for _ in range(ASKED):
            left = self._left(aim)
            yield _WALKING, partial(self._walk, aim, 60 * 4**LONGER)
            yield "asking for single values", partial(self._balls, aim)
            if self._left(aim) == left:
                break

    def _left(self, aim: int) -> int:
        """Return the number of undecided columns."""
        return int(np.count_nonzero(self.known.undecided(aim)))

    # -- worlds to start from, and counts ---------------------------------------------------------------------

    def _take_hint(self) -> None:
        """Adopt the values in the publisher's key for parts without a known world, where they are a world."""
        core = self.known.core(self.known.undecided(ALL), known=False)
        self.known.adopt_in(core, places_of(self.known.network.hint[core.variable], core.column))

    def count_small_parts(self) -> None:
        """Count the worlds of small parts, even if other parts are large."""
        if self.known.feasible and not self._budget.exhausted():
            self._budget.stage(_COUNTING)
            self._count(all_people=True, each_part=True)

    def _count(self, *, all_people: bool, each_part: bool = False) -> None:
        """Count the worlds of all parts if all are small, or of the small ones if `each_part`."""
        known, net = self.known, self.known.network
        wanted = flagged(net.owner[np.isnan(known.share) if all_people else self.known.undecided(ALL)], net.variables)
        if not wanted.any():
            return
        # Without rows that only matter for counting, parts are smaller: if these are too large, the exact ones are too.
        small = np.bincount(self.known.core(known.alive).part) <= COUNTED
        if not each_part and not small.all():
            return
        core = core_of(net, known.alive, wanted, exact=True)
        several = net.counted(known.alive)[core.variable] > 1
        small = np.bincount(core.part, weights=several, minlength=core.parts) <= COUNTED
        small &= ~flagged(core.part[known.believed[core.variable]], core.parts)  # no share rests on a solver's word
        if small.all() or each_part:
            self._count_parts(core.only(small))

    def _count_parts(self, core: OpenSubproblem) -> None:
        """Count the worlds of all parts of an exact core (`core_of`)."""
        known, net = self.known, self.known.network
        (weight, factors), worlds = weights_of(self._evidence, known, core), list[tuple[Numbers, Numbers]]()
        impossible = np.zeros(net.columns, dtype=np.bool_)
        for number in range(core.parts):
            part, first = core.slice(number, number + 1), int(core.start[core.part_start[number]])
            own = factors[first : first + part.columns]
            result = None if self._budget.exhausted() else WorldCounter(part, weight, own).count(STEPS)
            if result is None:
                continue
            if not result.number:
                if (known.chosen[part.variable] >= 0).all():
                    raise AssertionError("a part with a world was counted to have none")
                known.feasible = False
                return
            self.counts.add(part, result.number)
            known.share[part.column] = result.share
            impossible[part.column] = True
            impossible[part.column[result.worlds]] = False
            worlds.append((part.variable, part.column[result.worlds]))
        for at in range(max((len(each) for _, each in worlds), default=0)):  # a world of each part at once
            chosen = [(variable, each[at]) for variable, each in worlds if at < len(each)]
            known.adopt(*map(np.concatenate, zip(*chosen, strict=True)))
        self.known.rule_out(impossible)

    def _find_worlds(self) -> None:
        """Find a world of every part without one."""
        known = self.known
        for attempt in (self._walk_to_worlds, self._try_corners):
            for at in range(FIRST_TRIES):
                core = known.core(known.undecided(ALL), known=False)
                if not core.variables or self._budget.exhausted():
                    return
                attempt(core, np.random.default_rng([self._seed, 1, at]).random(core.columns))
        core = known.core(known.undecided(ALL), known=False)
        for number in range(core.parts):
            if self._budget.exhausted():
                return
            part = core.slice(number, number + 1)
            answer, chosen = LinearModel(part).integers((), None, FIRST_WORLD, self._budget)
            if answer == "none" and self._has_no_world(part):
                known.feasible = False
                return
            if chosen is not None:
                known.adopt_in(part, chosen)

    def _walk_to_worlds(self, core: OpenSubproblem, lot: Floats) -> None:
        """Walk to a world of each part that is large enough, from columns that a lot of each variable's first draws."""
        if len(core.link) or core.columns < (WALKED_ON if self.walked else WALKED):
            return
        from attacks.joint.walk import walks

        self.walked, found = True, np.full(core.variables, -1, dtype=np.int64)
        drawn = (lot[core.start[:-1]] * np.diff(core.start)).astype(np.int64)
        for number in np.flatnonzero(np.bincount(core.part[core.owner]) >= WALKED_ON).tolist():
            if self._budget.exhausted():
                break
            own, part = slice(*core.part_start[number : number + 2].tolist()), core.slice(number, number + 1)
            chosen, shown = part.start[:-1] + drawn[own], np.zeros(part.columns, dtype=np.bool_)
            for left in range(FIRST_MOVES * (part.variables + WALKED_ON), 0, -STRETCH):
                if self._budget.exhausted():
                    break
                limits, seed = (0, min(left, STRETCH)), (self._seed + left) % (1 << 32)
                if len(walks(part, chosen, shown, chosen[:1].copy(), limits, seed)[2]):
                    found[own] = core.start[own.start] + chosen
                    break
        self.known.adopt_in(core, found)

    def _has_no_world(self, part: OpenSubproblem) -> bool:
        """Return whether weights of rows prove, in each case of one variable, that a part has no world."""
        for column in range(part.start[1]):
            case = part.with_columns((part.owner > 0) | (np.arange(part.columns) == column))
            weight = LinearModel(case).contradiction(np.zeros(len(case.capacity), dtype=np.bool_), self._budget)
            if weight is None or whole_points(case, weight) is None:
                return False
        return True

    # -- showing and ruling out -------------------------------------------------------------------------------

    def _walk(self, enough: int, most: int) -> None:
        """Walk from the known world towards undecided columns, and adopt the worlds that have them."""
        known = self.known
        if len(known.network.link):
            self._walks += 1
            exchange(known, enough, self._budget, np.random.default_rng([self._seed, 4, self._walks]))
            return
        undecided = known.undecided(enough)
        core = known.core(undecided, known=True)
        if core.variables and core.columns >= (WALKED_ON if self.walked else WALKED):
            self._walk_in(core, undecided, enough, most)

    def _walk_in(self, core: OpenSubproblem, undecided: Flags, enough: int, most: int) -> None:
        """Walk from the known world of a core towards its undecided columns (`undecided`: of the network)."""
        known = self.known
        from attacks.joint.walk import walks

        self._walks, self.walked = self._walks + 1, True
        asked = np.flatnonzero(undecided[core.column] & (core.representative == np.arange(core.variables))[core.owner])
        lot = np.random.default_rng([self._seed, 2, self._walks]).random(core.variables)
        asked = asked[np.argsort(lot[core.owner[asked]], kind="stable")]
        chosen, shown = known.world_in(core), known.shown[core.column]
        seed = (self._seed + self._walks) % (1 << 32)
        for batch in np.array_split(asked, max(1, len(asked) * most // STRETCH)):
            if self._budget.exhausted():
                break
            variables, columns, ends = walks(core, chosen, shown, batch, (enough, most), seed)
            known.follow(core.variable[variables], core.column[columns], ends)
        known.exchange(core.column, core.twin_column)

    def _support(self, enough: int) -> None:
        """Rule out the columns that support programmes prove impossible."""
        known = self.known
        undecided = known.undecided(enough)
        core, impossible = known.core(undecided), np.zeros(len(undecided), dtype=np.bool_)
        for a, b in runs_of_parts(core, BATCH):
            if self._budget.exhausted():  # the model of a large part takes seconds to make
                break
            part = core.slice(a, b)
            weights = LinearModel(part).support(undecided[part.column], known.shown[part.column], self._budget)
            impossible[part.column[refuted(part, weights)]] = True
        known.rule_out(impossible)

    def _corners(self, enough: int) -> None:
        """Search for more worlds at vertices of linear programmes with random costs."""
        undecided = self.known.undecided(enough)
        core = self.known.core(undecided)
        lot = np.random.default_rng([self._seed, 3]).uniform(0.5, 1.0, core.columns)
        self._try_corners(core, undecided[core.column] * lot)

    def _try_corners(self, core: OpenSubproblem, cost: Floats) -> None:
        for a, b in reversed(runs_of_parts(core, BATCH)):  # a large part may take all the time that is left
            if self._budget.exhausted():
                return
            part, first = core.slice(a, b), core.start[core.part_start[a]]
            chosen = LinearModel(part).corner(cost[first : first + part.columns], self._budget)
            if chosen is not None:
                self.known.adopt_in(part, chosen)

    def _balls(self, enough: int) -> None:
        """Decide single options as long as some are ruled out; accept a solver's word only if nothing is proved."""
        known = self.known
        tried = np.zeros(known.network.columns, dtype=np.bool_)
        while known.feasible and not self._budget.exhausted():
            undecided = known.undecided(enough) & ~tried
            core = known.core(undecided)
            impossible, doubted = np.zeros_like(tried), np.zeros_like(tried)
            for number in reversed(range(core.parts)):
                part = core.slice(number, number + 1)
                questions = PartQuestions(part, known.world_in(part), self._budget)
                tried[part.column] |= self._ask(questions, undecided[part.column], enough)
                impossible[part.column] |= questions.refuted
                # What a known world survives is no contradiction, even if the solver's word is wrong.
                doubted[part.column] |= questions.doubted & (questions.world >= 0).all()
            if not impossible.any():  # whatever follows in these parts then rests on the solver's word
                impossible = doubted
                parts = core.part[core.owner[doubted[core.column]]]
                known.believed[core.variable[np.isin(core.part, parts)]] = True
            if not impossible.any():
                return
            known.rule_out(impossible)

    def _ask(self, questions: PartQuestions, asked: Flags, enough: int) -> Flags:
        """Search for worlds with given columns of a part until enough options of each variable are shown.

        Worlds that are found are adopted.

        Args:
            questions: the part, with a known world.
            asked: the given columns; shape (columns,), bool.
            enough: the number of options; 0 for all. Otherwise any option will do, and all are asked for together.

        Returns:
            The columns that could not be decided; shape (columns,), bool.
        """
        part, unknown = questions.core, np.zeros(len(asked), dtype=np.bool_)
        question = part.owner if enough else part.option
        for each in np.unique(question[asked]).tolist():
            columns = np.flatnonzero((question == each) & asked)
            variable = int(part.owner[columns[0]])
            own = np.arange(part.start[variable], part.start[variable + 1])
            while not self._budget.exhausted():
                shown = np.unique(part.option[own[self.known.shown[part.column[own]]]])
                closed = questions.refuted[columns] | questions.doubted[columns] | unknown[columns]
                undecided = columns[~(closed | np.isin(part.option[columns], shown))]
                if not len(undecided) or 0 < enough <= len(shown):
                    break
                answer = questions.decide(variable, undecided)
                if answer == "found":
                    self.known.adopt_in(part, questions.world)
                elif answer == "unknown":
                    unknown |= questions.alike(undecided)
        return unknown
