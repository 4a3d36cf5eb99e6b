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

from attacks.graphs import component_of
from attacks.joint import relaxation
from attacks.joint.arrays import Numbers, mixed
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.knowledge import Knowledge, distinct
from attacks.joint.network_builder import OutOfTimeError, network_of
from attacks.joint.settling import FIRST_WORLD, first_world
from attacks.joint.single_options import PartQuestions
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


def equal_people(evidence: Evidence, decision: Knowledge, known: Codes, budget: Budget, seed: int = 0) -> EqualPeople:
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
        shown, chosen = decision.shown, decision.chosen
        decision = Knowledge(network, alive)
        decision.adopt(np.flatnonzero(chosen >= 0), chosen[chosen >= 0])
    else:
        shown = decision.shown
    core = core_of(network, alive, np.ones(network.variables, dtype=np.bool_))
    versions = network.versions
    one_of_all = _representatives(known, int(versions.person.max(initial=-1)) + 1)
    asked = versions.counted & one_of_all[versions.person]
    person = np.full(network.variables, -1, dtype=np.int32)
    person[versions.variable[asked]] = versions.person[asked]
    person = person[core.variable]
    classes = _EqualSoFar(core, decision, shown[core.column], budget, np.random.default_rng([seed, 6]), person >= 0)
    pairs, whole = classes.equal()
    return EqualPeople(person[np.array(pairs, dtype=np.int64).reshape(-1, 2)], whole=whole)


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
        decision: the worlds that are known.
        shown: which columns some world has; shape (columns,).
        budget: how long it may take.
        rng: what is drawn.
        asked: which variables are to be divided from each other; shape (variables,).
        label: the class of each variable; likewise.
    """

    core: OpenSubproblem
    decision: Knowledge
    shown: Flags
    budget: Budget
    rng: np.random.Generator
    asked: Flags
    label: Numbers = field(init=False)

    def equal(self) -> tuple[list[tuple[int, int]], bool]:
        """Return the pairs that are equal in all worlds, and whether all others were divided."""
        self._place = np.zeros(len(self.decision.network.kind) + 1, dtype=np.int64)
        self._place[-1] = -1
        self._place[self.core.column] = np.arange(len(self.core.column))
        if not self._find_worlds():
            return [], False
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
            self._divide()
            if len(self._left()) == left:
                break
        return self._ask()

    def _chosen(self) -> Numbers:
        """Return the columns of the core in the last world, -1 where none is known; shape (variables,)."""
        return self._place[self.decision.chosen[self.core.variable]]

    def _find_worlds(self) -> bool:
        """Find a world of each part of which none is known; return whether one is known of each."""
        for number in np.unique(self.core.part[self._chosen() < 0]).tolist():
            part = self.core.slice(number, number + 1)
            found = first_world(part, FIRST_WORLD, self.budget)[1]
            if found is None or not part.worlds(found).all():
                return False
            self.decision.adopt(part.variable, part.column[found])
        return True

    def _divide(self) -> None:
        """Divide the classes by what they had in all worlds, and by those that twins exchange in the last.

        Two numbers that are equal by chance divide less.
        """
        core, chosen = self.core, self._chosen()
        trace = self.decision.worlds.trace()[core.variable]
        key = mixed(mixed(core.part, 1) ^ trace, 2) ^ core.kind[chosen].astype(np.uint64)
        self.label = np.unique(mixed(key, 3), return_inverse=True)[1].reshape(-1)
        like, place = core.classes.like, chosen - core.start[:-1]
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
        from attacks.joint.walk import walks

        core, chosen, wanted = self.core, self._chosen(), np.zeros(self.core.variables, dtype=np.bool_)
        wanted[self._left()] = True
        others = chosen[core.owner] != np.arange(len(core.kind))
        lot = self.rng.permutation(np.flatnonzero(self.shown & wanted[core.owner] & others))
        asked = self.rng.permutation(lot[np.unique(core.owner[lot], return_index=True)[1]])[:_STRETCH]
        shown, like = np.zeros(len(core.kind), dtype=np.bool_), np.arange(core.variables)  # twins need different values
        seed = int(self.rng.integers(1 << 31))
        variables, columns, ends = walks(core, chosen, shown, asked, (0, _WALK_MOVES), seed, like)
        self.decision.follow(core.variable[variables], core.column[columns], ends)

    def _corner(self) -> None:
        """Go to a corner that is drawn, in all parts in which it is whole."""
        core = self.core
        cost = self.rng.random(len(core.kind))
        for first, last in relaxation.batches(core, _WALKED_COLUMNS):
            some = core.slice(first, last)
            columns = core.start[core.part_start[first]]
            found = relaxation.corner(some, cost[columns : columns + len(some.kind)], self.budget)
            if found is not None:
                good = some.worlds(found)[some.part]
                self.decision.adopt(some.variable[good], some.column[found[good]])

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
        number = int(self.core.part[one])
        part, first = self.core.slice(number, number + 1), int(self.core.part_start[number])
        one, other = one - first, other - first
        now = self._place[self.decision.chosen[part.variable]] - self.core.start[first]
        own, answer = part.kind[now[one]], "equal"
        kinds = np.unique(part.kind[part.start[one] : part.start[one + 1]])
        for kind in (own, *kinds[kinds != own].tolist()):
            said, world = _with(part, now, (one, part.kind == kind), self.budget)
            if world is not None and part.kind[world[other]] == kind:
                keeps = (part.owner != one) | (part.kind == kind)
                place = np.flatnonzero(keeps)
                narrowed = part.with_columns(keeps)
                wanted = other, narrowed.kind != kind
                said, world = _with(narrowed, np.searchsorted(place, world), wanted, self.budget)
                world = None if world is None else place[world]
            if world is not None:
                self.decision.adopt(part.variable, part.column[world])
                return "different"
            if said != "none":
                answer = "open"
        return "equal" if answer == "equal" else "open"


Found = tuple[str, Numbers | None]
"""What was answered, and a world of a part where one was found."""


def _with(part: OpenSubproblem, world: Numbers, wanted: tuple[int, Flags], budget: Budget) -> Found:
    """Ask for a world of a part that gives a variable one of some columns.

    Args:
        part: the part.
        world: one that is known; shape (variables,).
        wanted: the variable, and columns of the part; shape (columns,).
        budget: how long.
    """
    variable, columns = wanted
    if columns[world[variable]]:
        return "found", world
    mine = np.arange(part.start[variable], part.start[variable + 1])
    if not columns[mine].any():
        return "none", None
    asking = PartQuestions(part, world, np.zeros_like(columns), budget, search_integers=True)
    answer, after = asking.decide(variable, mine[columns[mine]]), asking.found.world
    if answer != "found":
        return answer, None
    return answer, after if columns[after[variable]] else _exchanged(part, after, variable, columns)


def _exchanged(part: OpenSubproblem, world: Numbers, variable: int, columns: Flags) -> Numbers:
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
