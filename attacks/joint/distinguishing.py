"""Distinguishing: whether some world gives every two people different values.

People of different parts have nothing to do with each other: where each has two values that worlds show, some world
gives them different ones. In a part worlds divide people into classes: those who had equal values in all worlds so far.
Twins who have different values in a world can exchange them, which divides them from everybody. Walks, or corners of
linear programmes, find worlds that divide many classes at once. For each pair that is left it is asked, in whole
numbers, whether one keeps a value while the other has another; where that is impossible for every value, the two are
equal in all worlds. No pairs are held but those that are asked about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from attacks.graphs import component_of
from attacks.joint import relaxation
from attacks.joint.arrays import Numbers, mixed
from attacks.joint.balls import ask
from attacks.joint.core import Core, core_of
from attacks.joint.decision import Decision, distinct
from attacks.joint.neighbourhood import Neighbourhood
from attacks.joint.network_builder import OutOfTimeError, network_of
from attacks.joint.settling import FIRST_WORLD, first_world
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence
from audit.model.outcome import EqualPeople
from audit.runtime.budget import Budget

_ROUNDS = 50
"""Worlds are drawn as long as each round divides some class, but not more often."""
_STRETCH = 5_000
"""So many walks are made before it is looked at who is left."""
_WALKED_COLUMNS = 4_000
"""Compiling a walk takes longer than programmes for fewer columns."""
_WALK_MOVES = 30
_QUESTIONS = 300
"""So many pairs are asked about."""
_NOTHING = EqualPeople(np.zeros((0, 2), dtype=np.int32), whole=False)

Answer = Literal["different", "equal", "open"]


def equal_people(evidence: Evidence, decision: Decision, known: Codes, budget: Budget, seed: int = 0) -> EqualPeople:
    """Return pairs of people who are equal in all worlds, of people of whom nobody is certain.

    Args:
        evidence: whose values never change, and whose groups are known.
        decision: what is known of everybody.
        known: pairs of people who are known to be equal; shape (pairs, 2), int32.
        budget: how long it may take.
        seed: what is drawn.
    """
    network, alive = decision.network, decision.alive
    two_shown = distinct(network, decision.shown & alive) > 1
    if not decision.feasible or len(network.link) or not (two_shown | decision.single()).all():
        return _NOTHING
    if network.free.any():  # whoever can exchange values at will has no rows, but the same columns
        try:
            network = network_of(evidence, len(evidence.tags), budget, free=False)
        except OutOfTimeError:
            return _NOTHING
    core = core_of(network, alive, np.ones(network.variables, dtype=np.bool_))
    place = np.full(network.columns + 1, -1, dtype=np.int64)
    place[core.column] = np.arange(len(core.column))
    versions = network.versions
    one_of_all = _representatives(known, int(versions.person.max(initial=-1)) + 1)
    asked = versions.counted & one_of_all[versions.person]
    person = np.full(network.variables, -1, dtype=np.int32)
    person[versions.variable[asked]] = versions.person[asked]
    chosen = place[decision.chosen[core.variable]]
    classes = _EqualSoFar(core, chosen, decision.shown[core.column], decision.trace[core.variable], budget, seed)
    return classes.equal(person[core.variable])


def _representatives(pairs: Codes, people: int) -> Flags:
    """Return who stands for all that pairs make equal, or is in no pair; shape (people,)."""
    found = np.zeros(people, dtype=np.bool_)
    found[np.unique(component_of(pairs[:, 0], pairs[:, 1], people), return_index=True)[1]] = True
    return found


@dataclass
class _EqualSoFar:
    """The classes of the variables of a core that had equal values in all worlds so far.

    Attributes:
        core: open parts, without links.
        chosen: the world that was found last: a column of the core for each variable, -1 for none; shape (variables,).
        shown: which columns some world has; shape (columns,).
        trace: what the values of a variable in all worlds add up to (`Decision.trace`); shape (variables,), uint64.
        budget: how long it may take.
        seed: what is drawn.
        label: the class of each variable; shape (variables,).
        asked: which variables are to be divided from each other; likewise.
        seen: how many worlds were found here.
    """

    core: Core
    chosen: Numbers
    shown: Flags
    trace: npt.NDArray[np.uint64]
    budget: Budget
    seed: int
    label: Numbers = field(init=False)
    asked: Flags = field(init=False)
    seen: int = 0

    def equal(self, person: Codes) -> EqualPeople:
        """Return who is equal in all worlds; `person` is whose variable each is, -1 for nobody's."""
        self._rng = np.random.default_rng([self.seed, 6])
        self.label, self.asked = self.core.part, person >= 0
        if not self._find_worlds():
            return _NOTHING
        self._divide()
        walked = len(self.core.kind) >= _WALKED_COLUMNS
        for _ in range(_ROUNDS):
            left = len(self._left())
            if not left or self.budget.exhausted():
                break
            if walked:
                self._walk()
            else:
                self._corner()
            if len(self._left()) == left:
                break
        pairs, whole = self._ask()
        return EqualPeople(person[np.array(pairs, dtype=np.int64).reshape(-1, 2)], whole=whole)

    def _find_worlds(self) -> bool:
        """Find a world of each part of which none is known; return whether one is known of each."""
        lacking = np.unique(self.core.part[self.chosen < 0]).tolist()
        for number in lacking:
            part, variables, first = self._part(number)
            found = first_world(part, FIRST_WORLD, self.budget)[1]
            if found is None or not part.worlds(found).all():
                return False
            self.chosen[variables] = first + found
        return True

    def _part(self, number: int) -> tuple[Core, slice, int]:
        """Return a part as a core of its own, which variables it has, and the first of its columns."""
        begin, end = self.core.part_start[number], self.core.part_start[number + 1]
        return self.core.slice(number, number + 1), slice(int(begin), int(end)), int(self.core.start[begin])

    def _divide(self) -> None:
        """Divide the classes by the trace, and by the values and twins of the world that was found last.

        Two numbers that are equal by chance divide less.

        Raises:
            AssertionError: that is no world; this is a bug of the program.
        """
        core = self.core
        if not core.worlds(self.chosen).all():
            raise AssertionError("people were distinguished by what is no world")
        key = mixed(mixed(self.label, 1) ^ self.trace, 2) ^ core.kind[self.chosen].astype(np.uint64)
        self.label = np.unique(mixed(key, 3), return_inverse=True)[1].reshape(-1)
        like, place = core.classes.like, self.chosen - core.start[:-1]
        low, high = np.full(core.variables, len(core.kind)), np.full(core.variables, -1)
        np.minimum.at(low, like, place)
        np.maximum.at(high, like, place)
        self.asked &= (low == high)[like]

    def _left(self) -> Numbers:
        """Return the variables of classes of several that are asked about, class by class."""
        size = np.bincount(self.label[self.asked], minlength=int(self.label.max(initial=0)) + 1)
        left = np.flatnonzero(self.asked & (size > 1)[self.label])
        return left[np.argsort(self.label[left], kind="stable")]

    def _walk(self) -> None:
        """Walk from world to world until those who are left have had other values that worlds have."""
        from attacks.joint.walk import walk

        core, wanted = self.core, np.zeros(self.core.variables, dtype=np.bool_)
        wanted[self._left()] = True
        others = self.chosen[core.owner] != np.arange(len(core.kind))
        lot = self._rng.permutation(np.flatnonzero(self.shown & wanted[core.owner] & others))
        asked = self._rng.permutation(lot[np.unique(core.owner[lot], return_index=True)[1]])[:_STRETCH]
        arrays = (core.owner, core.start, core.row_start, core.row, core.capacity, *core.by_row)
        seed, shown = int(self._rng.integers(1 << 31)), np.zeros(len(core.kind), dtype=np.bool_)
        like = np.arange(core.variables)  # each for itself: twins have to get different values
        won = walk(
            asked, 0, _WALK_MOVES, seed, *arrays, like, core.kind, self.chosen, shown, (1 << 32) + self.seen, self.trace
        )
        if won < 0:
            raise AssertionError("a walk came to what is no world")
        self.seen += won
        self._divide()

    def _corner(self) -> None:
        """Go to a corner that is drawn, in all parts in which it is whole."""
        core = self.core
        cost = self._rng.random(len(core.kind))
        for first, last in relaxation.batches(core, _WALKED_COLUMNS):
            some = core.slice(first, last)
            begin, end = core.part_start[first], core.part_start[last]
            columns = core.start[begin]
            found = relaxation.corner(some, cost[columns : columns + len(some.kind)], self.budget)
            if found is not None:
                good = some.worlds(found)[some.part]
                self.chosen[begin:end][good] = columns + found[good]
        self._divide()

    def _ask(self) -> tuple[list[tuple[int, int]], bool]:
        """Return which of the pairs that are left are equal, and whether all others were divided."""
        equal = list[tuple[int, int]]()
        for _ in range(_QUESTIONS):
            left = self._left()
            if not len(left):
                return equal, True
            one, other = left[:2].tolist()
            answer: Answer = "open" if self.budget.exhausted() else self._asked(one, other)
            if answer == "open":
                return equal, False
            if answer == "equal":
                equal.append((one, other))
                self.asked[other] = False
            else:
                self._divide()
        return equal, not len(self._left())

    def _asked(self, one: int, other: int) -> Answer:
        """Ask whether some world gives two variables of a class different values, and take it over."""
        part, variables, first = self._part(int(self.core.part[one]))
        pair, around = (one - variables.start, other - variables.start), Neighbourhood(part)
        now, answer = self.chosen[variables] - first, "equal"
        kinds = np.unique(part.kind[part.start[pair[0]] : part.start[pair[0] + 1]])
        own = part.kind[now[pair[0]]]
        for kind in (own, *kinds[kinds != own].tolist()):
            said, world = _with(part, around, now, (pair[0], part.kind == kind), self.budget)
            if world is not None and part.kind[world[pair[1]]] == kind:
                said, world = _kept(part, world, pair, int(kind), self.budget)
            if world is not None:
                self.chosen[variables] = first + world
                return "different"
            if said != "impossible":
                answer = "open"
        return "equal" if answer == "equal" else "open"


Found = tuple[str, Numbers | None]
"""What was answered, and a world of a part where one was found."""


def _with(part: Core, around: Neighbourhood, world: Numbers, wanted: tuple[int, Flags], budget: Budget) -> Found:
    """Ask for a world of a part that gives a variable one of some columns.

    Args:
        part: the part.
        around: who shares blocks with whom in it.
        world: one that is known; shape (variables,).
        wanted: the variable, and columns of the part; shape (columns,).
        budget: how long.
    """
    variable, columns = wanted
    if columns[world[variable]]:
        return "world", world
    mine = np.arange(part.start[variable], part.start[variable + 1])
    if not columns[mine].any():
        return "impossible", None
    found = ask(around, (variable, mine[columns[mine]]), world, budget)
    if found.ball is None or found.chosen is None:
        return found.answer, None
    after = world.copy()
    after[found.ball.variable] = found.chosen
    return "world", after if columns[after[variable]] else _exchanged(part, after, variable, columns)


def _exchanged(part: Core, world: Numbers, variable: int, columns: Flags) -> Numbers:
    """Return the world in which a variable has what a twin of it was given instead.

    Raises:
        AssertionError: no twin was given it; this is a bug of the program.
    """
    like = part.classes.like
    for twin in np.flatnonzero(like == like[variable]).tolist():
        place = world[twin] - part.start[twin]
        if columns[part.start[variable] + place]:
            after = world.copy()
            after[twin] = part.start[twin] + world[variable] - part.start[variable]
            after[variable] = part.start[variable] + place
            return after
    raise AssertionError("nobody was given what was asked for")


def _kept(part: Core, world: Numbers, pair: tuple[int, int], kind: int, budget: Budget) -> Found:
    """Ask for a world in which the first of a pair keeps a value, and the second has another."""
    keeps = (part.owner != pair[0]) | (part.kind == kind)
    place = np.flatnonzero(keeps)
    narrowed = part.with_columns(keeps)
    wanted = pair[1], narrowed.kind != kind
    answer, found = _with(narrowed, Neighbourhood(narrowed), np.searchsorted(place, world), wanted, budget)
    return answer, None if found is None else place[found]
