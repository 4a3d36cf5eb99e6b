"""Distinguishing: find the pairs of people who have equal values in all worlds.

Parts of a network are independent: two people of different parts who each have two possible values have different
values in some world. Within a part, the known worlds divide people into classes with equal values in all of them. Twins
who have different values in a world can exchange them, which divides them from all other people. For each remaining
pair, CP-SAT looks for a world in which one has a value and the other another one; if there is none for any value, the
two are equal in all worlds. Only the pair in question is in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from attacks.joint.balls import PartQuestions
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.knowledge import Knowledge, distinct
from audit.model.arrays import Codes, Flags, Numbers, component_of, mixed
from audit.model.outcome import EqualPeople
from audit.runtime.budget import Budget

_QUESTIONS = 300
"""The most pairs to test."""
_NOTHING = EqualPeople(np.zeros((0, 2), dtype=np.int32), whole=False)


def equal_people(decision: Knowledge, known: Codes, budget: Budget) -> EqualPeople:
    """Return pairs of people who have equal values in all worlds, except people whose value is certain.

    Nothing is found (`whole` is false) if values change, or if it is open for some person whether the value is certain.

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
    one_of_all = np.zeros(people, dtype=np.bool_)  # one person of each set that the known pairs connect
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
        core: the undecided parts, without links.
        decision: the known worlds.
        budget: the time limit.
        asked: which variables are still to be distinguished from each other; shape (variables,).
        label: the class of each variable in all worlds before the last; of the same shape.
    """

    core: OpenSubproblem
    decision: Knowledge
    budget: Budget
    asked: Flags
    label: Numbers = field(init=False)

    def __post_init__(self) -> None:
        """Divide the variables by their parts, and by their values in the worlds that are known so far.

        If two fingerprints are equal by chance, a pair is asked about that worlds already distinguish.
        """
        key = mixed(self.core.part, 1) ^ self.decision.worlds.trace()[self.core.variable]
        self.label = np.unique(key, return_inverse=True)[1]

    def equal(self) -> tuple[list[tuple[int, int]], bool]:
        """Return the pairs that are equal in all worlds, and whether all other pairs were distinguished."""
        equal = list[tuple[int, int]]()
        self._divide()
        for _ in range(_QUESTIONS):
            undistinguished = self._left()
            if not len(undistinguished) or self.budget.exhausted():
                break
            first, second = undistinguished[:2].tolist()
            different = self._asked(first, second)
            if different is None:
                break
            if different:
                self._divide()
            else:
                equal.append((first, second))
                self.asked[second] = False
        return equal, not len(self._left())

    def _divide(self) -> None:
        """Divide the classes by the values in the last world, and single out twins that can exchange values."""
        core = self.core
        chosen = self.decision.world_in(core)
        key = self.label * (int(core.value_class.max(initial=0)) + 1) + core.value_class[chosen]
        self.label = np.unique(key, return_inverse=True)[1]
        place = chosen - core.start[:-1]
        low, high = np.full(core.variables, core.columns), np.full(core.variables, -1)
        np.minimum.at(low, core.representative, place)
        np.maximum.at(high, core.representative, place)
        self.asked &= (low == high)[core.representative]

    def _left(self) -> Numbers:
        """Return the variables in classes with several variables that are asked about, class by class."""
        size = np.bincount(self.label[self.asked], minlength=int(self.label.max(initial=0)) + 1)
        found = np.flatnonzero(self.asked & (size > 1)[self.label])
        return found[np.argsort(self.label[found], kind="stable")]

    def _asked(self, fixed: int, varied: int) -> bool | None:
        """Return whether some world, which is then adopted, gives two variables different values; None if unknown."""
        core, number = self.core, int(self.core.part[fixed])
        part, first = core.slice(number, number + 1), int(core.part_start[number])
        now = self.decision.world_in(part)
        fixed, varied, undecided = fixed - first, varied - first, False
        possible = np.unique(part.value_class[part.start[fixed] : part.start[fixed + 1]]).tolist()
        for each in sorted(possible, key=lambda each: each != part.value_class[now[fixed]]):
            answer, world = _with(part, now, (fixed, part.value_class == each), self.budget)
            if world is not None and part.value_class[world[varied]] == each:
                keeps = (part.owner != fixed) | (part.value_class == each)
                place = np.flatnonzero(keeps)
                narrowed = part.with_columns(keeps)
                wanted = varied, narrowed.value_class != each
                answer, world = _with(narrowed, np.searchsorted(place, world), wanted, self.budget)
                world = None if world is None else place[world]
            if world is not None:
                self.decision.adopt(part.variable, part.column[world])
                return True
            undecided |= answer != "none"
        return None if undecided else False


Found = tuple[str, Numbers | None]
"""The answer, and a world of a part if one was found."""


def _with(part: OpenSubproblem, world: Numbers, wanted: tuple[int, Flags], budget: Budget) -> Found:
    """Search for a world of a part that gives a variable one of some columns.

    Args:
        part: the part.
        world: the columns of a known world; shape (variables,).
        wanted: the variable, and which columns are looked for; shape (columns,), bool.
        budget: the time limit.
    """
    variable, columns = wanted
    if columns[world[variable]]:
        return "found", world
    own = np.arange(part.start[variable], part.start[variable + 1])
    if not columns[own].any():
        return "none", None
    asking = PartQuestions(part, world, budget)
    answer, after = asking.decide(variable, own[columns[own]]), asking.world
    if answer != "found":
        return answer, None
    return answer, after if columns[after[variable]] else _exchanged(part, after, variable, columns)


def _exchanged(part: OpenSubproblem, world: Numbers, variable: int, columns: Flags) -> Numbers:
    """Return the world in which a variable has exchanged its column with a twin that has one of some columns."""
    twins = np.flatnonzero(part.representative == part.representative[variable])
    place = world[twins] - part.start[twins]
    at = int(np.flatnonzero(columns[part.start[variable] + place])[0])
    after = world.copy()
    after[twins[at]] = part.start[twins[at]] + world[variable] - part.start[variable]
    after[variable] = part.start[variable] + place[at]
    return after
