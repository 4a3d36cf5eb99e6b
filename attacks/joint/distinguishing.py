"""Distinguishing: whether, for every two people, some world gives them different values.

People of different parts have nothing to do with each other: where each has two values that worlds show, some world
gives them different ones. In a part worlds divide people into classes: those who had equal values in all worlds so far.
Twins who have different values in a world can exchange them, which divides them from all others. For each pair that is
left it is asked, in whole numbers, whether one keeps a value while the other has another; where that is impossible for
every value, the two are equal in all worlds. Only pairs that are asked about are in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attacks.graphs import component_of
from attacks.joint.balls import PartQuestions
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.knowledge import Knowledge, distinct
from attacks.ragged import mixed, places_of
from audit.model.arrays import Codes, Flags, Numbers
from audit.model.outcome import EqualPeople
from audit.runtime.budget import Budget

_QUESTIONS = 300
"""The most pairs to test."""
_NOTHING = EqualPeople(np.zeros((0, 2), dtype=np.int32), whole=False)


def equal_people(decision: Knowledge, known: Codes, budget: Budget) -> EqualPeople:
    """Return pairs of people who are equal in all worlds, if no person's value is certain.

    Args:
        decision: the knowledge about all people, whose values never change and whose groups are known.
        known: pairs of people who are known to be equal; shape (pairs, 2), int32.
        budget: the time limit.
    """
    network, alive = decision.network, decision.alive
    settled = (distinct(network, decision.shown & alive) > 1) | (distinct(network, alive) == 1)
    if not decision.feasible or len(network.link) or not settled.all() or (decision.chosen < 0).any():
        return _NOTHING
    core = core_of(network, alive, np.ones(network.variables, dtype=np.bool_))
    versions = network.versions
    people = int(versions.person.max(initial=-1)) + 1
    one_of_all = np.zeros(people, dtype=np.bool_)  # those who represent all that pairs make equal, or are in no pair
    one_of_all[np.unique(component_of(known[:, 0], known[:, 1], people), return_index=True)[1]] = True
    asked = versions.counted & one_of_all[versions.person]
    person = np.full(network.variables, -1, dtype=np.int32)
    person[versions.variable[asked]] = versions.person[asked]
    person = person[core.variable]
    pairs, whole = _EqualSoFar(core, decision, budget, person >= 0).equal()
    return EqualPeople(person[np.array(pairs, dtype=np.int64).reshape(-1, 2)], whole=whole)


@dataclass
class _EqualSoFar:
    """The classes of variables of a core that had equal values in all worlds so far.

    Attributes:
        core: open parts, without links.
        decision: the worlds that are known.
        budget: how long it may take.
        asked: which variables are to be divided from each other; shape (variables,).
        label: the class of each variable; of the same shape.
    """

    core: OpenSubproblem
    decision: Knowledge
    budget: Budget
    asked: Flags
    label: Numbers = field(init=False)

    def equal(self) -> tuple[list[tuple[int, int]], bool]:
        """Return the pairs that are equal in all worlds, and whether all others were divided."""
        equal = list[tuple[int, int]]()
        self._divide()
        for _ in range(_QUESTIONS):
            left = self._left()
            if not len(left) or self.budget.exhausted():
                break
            one, other = left[:2].tolist()
            different = self._asked(one, other)
            if different is None:
                break
            if different:
                self._divide()
            else:
                equal.append((one, other))
                self.asked[other] = False
        return equal, not len(self._left())

    def _divide(self) -> None:
        """Divide the classes by the values in all worlds, and by those that twins exchange in the last world.

        Two numbers that are equal by chance divide less.
        """
        core = self.core
        chosen = places_of(self.decision.chosen[core.variable], core.column)
        trace = self.decision.worlds.trace()[core.variable]
        key = mixed(mixed(core.part, 1) ^ trace, 2) ^ core.kind[chosen].astype(np.uint64)
        self.label = np.unique(mixed(key, 3), return_inverse=True)[1].reshape(-1)
        place = chosen - core.start[:-1]
        low, high = np.full(core.variables, len(core.kind)), np.full(core.variables, -1)
        np.minimum.at(low, core.like, place)
        np.maximum.at(high, core.like, place)
        self.asked &= (low == high)[core.like]

    def _left(self) -> Numbers:
        """Return the variables of classes of several that are asked about, class by class."""
        size = np.bincount(self.label[self.asked], minlength=int(self.label.max(initial=0)) + 1)
        left = np.flatnonzero(self.asked & (size > 1)[self.label])
        return left[np.argsort(self.label[left], kind="stable")]

    def _asked(self, one: int, other: int) -> bool | None:
        """Return whether some world, which is then adopted, gives two variables of a class different values."""
        core, number = self.core, int(self.core.part[one])
        part, first = core.slice(number, number + 1), int(core.part_start[number])
        now = places_of(self.decision.chosen[part.variable], part.column)
        one, other, open_ = one - first, other - first, False
        kinds = np.unique(part.kind[part.start[one] : part.start[one + 1]])
        for kind in sorted(kinds.tolist(), key=lambda kind: kind != part.kind[now[one]]):
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
                return True
            open_ |= said != "none"
        return None if open_ else False


Found = tuple[str, Numbers | None]
"""The answer, and a world of a part if one was found."""


def _with(part: OpenSubproblem, world: Numbers, wanted: tuple[int, Flags], budget: Budget) -> Found:
    """Search for a world of a part that gives a variable one of some columns.

    Args:
        part: the part.
        world: one that is known; shape (variables,).
        wanted: the variable, and columns of the part; shape (columns,).
        budget: the time limit.
    """
    variable, columns = wanted
    if columns[world[variable]]:
        return "found", world
    mine = np.arange(part.start[variable], part.start[variable + 1])
    if not columns[mine].any():
        return "none", None
    asking = PartQuestions(part, world, budget)
    answer, after = asking.decide(variable, mine[columns[mine]]), asking.world
    if answer != "found":
        return answer, None
    return answer, after if columns[after[variable]] else _exchanged(part, after, variable, columns)


def _exchanged(part: OpenSubproblem, world: Numbers, variable: int, columns: Flags) -> Numbers:
    """Return the world in which a variable has what a twin of it was given instead."""
    twins = np.flatnonzero(part.like == part.like[variable])
    place = world[twins] - part.start[twins]
    at = int(np.flatnonzero(columns[part.start[variable] + place])[0])
    after = world.copy()
    after[twins[at]] = part.start[twins[at]] + world[variable] - part.start[variable]
    after[variable] = part.start[variable] + place[at]
    return after
