"""Answers to questions about a decided network: possible values of a version, values that a person ever had.

`row_costs` are points of rows that prove values impossible for all people at once, in as few steps as possible. The
proof begins with the values that single groups leave. One support programme after another proves the values impossible
that were decided to be impossible, as far as linear reasoning can, whether they were found by counting or by questions
about single people. Points of parts in which no points remain to spare are merged into one step.

Few worlds: a selection of known worlds that together give as many people as possible different values.

Parts of a network are independent, so that worlds of different parts can be combined at will. In each part, the world
is taken next that changes the values of most people whose values no selected world changes.

The probability that a person ever has one of some values is the share of worlds in which the person is not *clean*: has
one of them in some release. A column represents a class of values, within which the members of a group may exchange
values: in a release, the probability that its person is clean is the share of the class's rows with other values. If a
person has one variable, the share is a sum over its columns. If a person has several, linked by transitions, the worlds
of the part are counted once more with these probabilities as factors, and divided by the weight of all worlds.

Distinguishing: find the pairs of people who have equal values in all worlds.

Parts of a network are independent: two people of different parts who each have two possible values have different
values in some world. Within a part, the known worlds divide people into classes with equal values in all of them. Twins
who have different values in a world can exchange them, which divides them from all other people. For each remaining
pair, CP-SAT looks for a world in which one has a value and the other another one; if there is none for any value, the
two are equal in all worlds. Only the pair in question is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from attacks.joint.balls import PartQuestions
from attacks.joint.core import OpenSubproblem, core_of
from attacks.joint.counting import WorldCounter, weights_of
from attacks.joint.knowledge import Knowledge, distinct
from attacks.joint.linear_model import LinearModel, PointTotals, runs_of_parts
from attacks.joint.network import PLACES, ConstraintNetwork
from attacks.joint.settling import BATCH
from attacks.joint.values import WorldRisks, listed_values, version_values
from audit.model.arrays import Codes, Flags, Floats, Numbers, component_of, flagged, mixed, ragged, segments
from audit.model.evidence import CandidateGroups, Evidence
from audit.model.outcome import BELOW_ONE, EqualPeople, EverKnown, RowCosts, ValuesLeft
from audit.runtime.budget import Budget

_QUESTIONS = 300
"""The most pairs to test."""


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


# The limits of counting steps for one person of a part, and of columns in all such counts.
STEPS, STEPS_IN_ALL = 20_000, 2_000_000


def _clean(decision: Knowledge, grave: Flags) -> Floats:
    """Return the probability that the person of each column is clean if it is chosen; NaN if unknown; (columns,)."""
    network = decision.network
    clean = np.ones(network.columns)
    for release in range(len(network.contents)):
        _, column, value, rows = listed_values(network, np.ones(network.columns, dtype=np.bool_), release)
        total, bad = (
            np.bincount(column, weights=weight, minlength=network.columns) for weight in (rows, rows * grave[value])
        )
        clean *= np.divide(total - bad, total, out=np.ones(network.columns), where=total > 0)
    versions = network.versions
    known = np.isin(network.owner, versions.variable[versions.entry < 0])
    of_class = np.zeros(int(network.class_of.max(initial=0)) + 1)
    np.add.at(of_class, network.class_of, grave)
    mixed = (of_class > 0) & (of_class < np.bincount(network.class_of))
    value_class = network.value_class[known]
    clean[known] *= np.where(mixed[value_class], np.nan, of_class[value_class] == 0)
    return clean


@dataclass
class _CleanHistories:
    """Which people are clean, combined from the columns of all their variables.

    Attributes:
        evidence: the evidence of the decision.
        decision: the knowledge of the columns.
        clean: the probability that the person of each column is clean if it is chosen; shape (columns,).
    """

    evidence: Evidence
    decision: Knowledge
    clean: Floats

    def known(self, budget: Budget) -> EverKnown:
        """Return what is known about each person who counts."""
        decision, network = self.decision, self.decision.network
        versions, alive = network.versions, self.decision.alive
        people = int(versions.person.max(initial=-1)) + 1
        counted = flagged(versions.person[versions.counted], people)
        pairs = self._variables()
        person, variable = pairs
        # Variables that are clean in no world, and those that are clean in a known world.
        dirty = ~self._any(alive & (self.clean > 0)) & ~self._any(alive & np.isnan(self.clean))
        clean_world = (decision.chosen >= 0) & (self.clean[decision.chosen] > 0)
        several = np.bincount(person, minlength=people) > 1
        certain, without = np.zeros(people, dtype=np.bool_), np.ones(people, dtype=np.bool_)
        certain[person[dirty[variable]]] = True
        may = clean_world | (
            self._any(decision.shown & alive & (self.clean > 0)) & ~_of_several(several, pairs, network)
        )
        without[person[~may[variable]]] = False
        never = np.where(self.untouched(), 1.0, self._never(pairs, several, budget))
        certain |= never == 0
        without |= never > 0
        risk = np.where(certain, 1.0, np.minimum(1.0 - never, BELOW_ONE))
        risk[~counted] = np.nan
        return EverKnown(risk, certain & counted, without & ~certain, counted)

    def untouched(self) -> Flags:
        """Return the people none of whose possible values is grave; shape (people,), bool."""
        versions = self.decision.network.versions
        touched = self._any(self.decision.alive & (self.clean != 1))
        found = np.ones(int(versions.person.max(initial=-1)) + 1, dtype=np.bool_)
        found[versions.person[touched[versions.variable]]] = False
        return found

    def _variables(self) -> tuple[Numbers, Numbers]:
        """Return pairs of a person and a variable of the person; one pair for each person if values never change."""
        versions = self.decision.network.versions
        person, variable = versions.person.astype(np.int64), versions.variable
        if self.evidence.transitions is None:
            person, first = np.unique(person, return_index=True)
            return person, variable[first]
        both = np.unique(np.stack([person, variable], axis=1), axis=0)
        return both[:, 0], both[:, 1]

    def _any(self, columns: Flags) -> Flags:
        return self.decision.network.counted(columns) > 0

    def _never(self, pairs: tuple[Numbers, Numbers], several: Flags, budget: Budget) -> Floats:
        """Return the share of worlds in which each person is clean; NaN if unknown; shape (people,)."""
        decision, network = self.decision, self.decision.network
        person, variable = pairs
        term = np.where(decision.alive, np.where(decision.share == 0, 0.0, decision.share * self.clean), 0.0)
        alone = np.bincount(network.owner, weights=term, minlength=network.variables)
        undecided = (network.counted(decision.alive) > 1) & _of_several(several, pairs, network)
        never = np.ones(len(several))
        np.multiply.at(never, person, np.where(undecided[variable], 1.0, alone[variable]))
        if not undecided.any():
            return never
        if np.isnan(decision.share[decision.alive & undecided[network.owner]]).any():
            never[person[undecided[variable]]] = np.nan
            return never
        core = core_of(network, decision.alive, undecided, exact=True)
        owner = np.full(network.variables, -1, dtype=np.int64)
        owner[variable] = np.where(undecided[variable], person, -1)
        left, seen = STEPS_IN_ALL, np.zeros(network.variables, dtype=np.bool_)
        for number in range(core.parts):
            part = core.slice(number, number + 1)
            left = self._weigh(part, owner, never, left, budget)
            seen[part.variable] = True
        never[person[undecided[variable] & ~seen[variable]]] = np.nan
        return never

    def _weigh(self, part: OpenSubproblem, owner: Numbers, never: Floats, left: int, budget: Budget) -> int:
        """Multiply the share of clean worlds of a part into `never` for each of its people; return the steps left."""
        weights, own = weights_of(self.evidence, self.decision, part)
        persons = owner[part.variable]
        of_all = None if left < 0 or budget.exhausted() else WorldCounter(part, weights, own).count(STEPS)
        for code in np.unique(persons[persons >= 0]).tolist():
            of_person, clean, share = (persons == code)[part.owner], self.clean[part.column], np.nan
            known = left >= 0 and not budget.exhausted() and not np.isnan(clean[of_person]).any()
            if of_all is not None and of_all.weight and known:
                less = [
                    weight * Fraction(each) if touched else weight
                    for weight, each, touched in zip(own, clean.tolist(), of_person.tolist(), strict=True)
                ]
                found = WorldCounter(part, weights, less).count(STEPS)
                share = np.nan if found is None else float(found.weight / of_all.weight)
                left -= part.columns
            never[code] *= share
        return left


def _of_several(several: Flags, pairs: tuple[Numbers, Numbers], network: ConstraintNetwork) -> Flags:
    """Return the variables of people who have several; shape (variables,), bool."""
    person, variable = pairs
    return flagged(variable[several[person]], network.variables)


MOST, DRAWN = 60, 12
"""How many worlds are selected at most after the first, and how many are drawn at random in addition."""


def few_worlds(known: Knowledge) -> Iterator[Numbers]:
    """Yield the column of each variable in a few worlds, shape (variables,); nothing if no world is known.

    The first known world comes first. If people can exchange values freely (`even`), all of them take the
    next value in the second one.
    """
    first, (variables, columns, number) = known.worlds.first, known.worlds.changes()
    if (first < 0).any():
        return
    yield first
    if len(even := np.flatnonzero(known.network.even(0))):
        begin, size = known.network.start[even], np.diff(known.network.start)[even]
        yield _at(first, even, begin + (first[even] - begin + 1) % size, np.ones(len(even), dtype=np.bool_))
    part = _parts(known)
    order = np.lexsort((number, variables))
    owner, begin = variables[order], number[order]
    end = np.append(np.where(owner[1:] == owner[:-1], begin[1:], len(known.worlds) + 1), len(known.worlds) + 1)
    end = end[: len(owner)]
    value_class = known.network.value_class
    differs = np.flatnonzero((value_class[columns[order]] != value_class[first[owner]]) & (begin < end))
    owner, when = owner[differs], np.stack([begin[differs], end[differs]])
    for _ in range(MOST):
        if not len(owner):
            break
        chosen = _best(part, owner, when)
        yield _at(first, variables, columns, number <= chosen[part[variables]])
        changed = np.zeros(len(part), dtype=np.bool_)
        at = chosen[part[owner]]
        changed[owner[(when[0] <= at) & (at < when[1])]] = True
        owner, when = owner[~changed[owner]], when[:, ~changed[owner]]
    rng = np.random.default_rng(0)
    for _ in range(DRAWN if len(variables) else 0):
        chosen = rng.integers(0, len(known.worlds) + 1, int(part.max(initial=-1)) + 1)
        yield _at(first, variables, columns, number <= chosen[part[variables]])


def _parts(known: Knowledge) -> Numbers:
    """Return the part of each variable: variables that are linked, or in the same block, are in the same part."""
    net = known.network
    owner = net.owner[net.entry_column]
    tail = np.concatenate([owner, net.link[:, 0]])
    head = np.concatenate([net.variables + net.block[net.row], net.link[:, 1]])
    found: Numbers = component_of(tail, head, net.variables + int(net.block.max(initial=-1)) + 1)[: net.variables]
    return np.unique(found, return_inverse=True)[1]


def _best(part: Numbers, owner: Numbers, when: Numbers) -> Numbers:
    """Return, for each part, the world in which most of the given variables differ from the first world.

    Args:
        part: the part of each variable; shape (variables,).
        owner: the given variables; shape (n,).
        when: the world from which on, and the one before which, each of them differs; shape (2, n).
    """
    of, at = np.concatenate([part[owner]] * 2), np.concatenate(list(when))
    sign = np.repeat([1, -1], len(owner))
    order = np.lexsort((-sign, at, of))
    of, at = of[order], at[order]
    last = np.append((of[1:] != of[:-1]) | (at[1:] != at[:-1]), True)
    held = np.cumsum(sign[order])[last]
    of, at = of[last], at[last]
    best = np.lexsort((-held, of))
    best = best[np.append(True, of[best][1:] != of[best][:-1])]
    found = np.zeros(int(part.max(initial=-1)) + 1, dtype=np.int64)
    found[of[best]] = at[best]
    return found


def _at(first: Numbers, variables: Numbers, columns: Numbers, changes: Flags) -> Numbers:
    """Return the first world after some changes; the last change of a variable counts."""
    found = first.copy()
    found[variables[changes]] = columns[changes]
    return found


def values_of(
    groups: Sequence[CandidateGroups], known: Knowledge, world: Numbers, turn: int
) -> Iterator[tuple[Codes, Codes]]:
    """Yield the row class and the value of each person in a world, for each release; both shape (people,), int32.

    Args:
        groups: the row classes that may hold each person, for each release.
        known: the knowledge of the columns.
        world: the column of each variable; shape (variables,).
        turn: if columns represent classes of values, where to begin in giving the values of a class to its people.
    """
    net = known.network
    for release, (contents, seen) in enumerate(zip(net.contents, groups, strict=True)):
        own = net.versions.of(release)
        variable = net.versions.variable[own]
        value = net.value_class[world[variable]].astype(np.int32)
        if not net.plain:
            unsure = np.flatnonzero(net.versions.entry[own] >= 0)
            pair = contents.place[net.versions.group[own][unsure], value[unsure]]
            order = np.argsort(pair, kind="stable")
            size = np.bincount(pair, minlength=len(contents.rows))
            seat = (ragged(np.zeros_like(size), size) + turn) % np.repeat(np.maximum(contents.rows, 1), size)
            pair_of = contents.place[contents.value_group, net.class_of[contents.value]]
            by = np.argsort(pair_of, kind="stable")
            rows = np.repeat(contents.value[by], contents.value_rows[by])
            value[unsure[order]] = rows[(np.cumsum(contents.rows) - contents.rows)[pair[order]] + seat]
        place, many = seen.row_class[seen.start[:-1]], np.flatnonzero(np.diff(seen.start) > 1)
        if len(many):
            chosen = world[variable[many]]
            row = net.row[segments(net.row_start, chosen)]
            of = np.repeat(many, np.diff(net.row_start)[chosen])
            seats = (net.row_value_class[row] == PLACES) & (net.row_release[row] == release)
            place[of[seats]] = net.row_group[row[seats]]
        yield place, np.where(seen.fixed >= 0, seen.fixed, value).astype(np.int32)


def row_costs(decision: Knowledge) -> Iterator[RowCosts]:
    """Yield steps that prove impossible values which no single group proves, as long as a round rules more out."""
    budget = Budget()
    net, known = decision.network, Knowledge(decision.network, budget)
    known.narrow()
    while (gone := known.alive & ~decision.alive).any():
        core, found = known.core(gone), np.zeros(net.columns, dtype=np.bool_)
        exact, inexact = np.zeros(len(net.capacity), dtype=np.int64), list[Numbers]()
        for a, b in runs_of_parts(core, BATCH):
            part = core.slice(a, b)
            for weight in LinearModel(part).support(gone[part.column], decision.shown[part.column], budget):
                found[part.column[_kept(part, weight, exact, inexact)]] = True
        for cost in (exact, *inexact):
            yield from _named(net, cost)
        if not found.any():
            return
        known.rule_out(found)


def _kept(part: OpenSubproblem, weight: Numbers, exact: Numbers, inexact: list[Numbers]) -> Numbers:
    """Return the columns that some weights prove impossible, and store the weights of the parts of these columns."""
    totals = PointTotals(part, weight)
    columns = totals.impossible()
    for number in np.unique(part.part[part.owner[columns]]).tolist():
        rows = np.flatnonzero(part.row_part == number)
        cost = exact
        if totals.spare[number]:
            inexact.append(cost := np.zeros_like(exact))
        cost[part.network_rows[rows]] += weight[rows]
    return columns


def _named(net: ConstraintNetwork, cost: Numbers) -> Iterator[RowCosts]:
    """Yield the points of rows by release, group and class; nothing if places of row classes have points as well."""
    rows = np.flatnonzero(cost)
    if len(rows) and (net.row_value_class[rows] >= 0).all():
        yield RowCosts(net.row_release[rows], net.row_group[rows], net.row_value_class[rows], cost[rows], net.class_of)


@dataclass(frozen=True)
class Answers:
    """Answers from the knowledge about all columns; an answer about one version computes its whole release."""

    decision: Knowledge
    evidence: Evidence

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return for each person whether they had a grave value in any release; arrays by person code.

        Without exact shares of worlds, a risk is 1, 0 or NaN (unknown).

        Args:
            grave: which values to look for, by value code; shape (values,), bool.
            budget: the time limit.
        """
        histories = _CleanHistories(self.evidence, self.decision, _clean(self.decision, grave))
        known = histories.known(budget)
        if WorldRisks(self.evidence, self.decision).counts_worlds:
            return known
        # Whatever the weights of worlds, a value in all of them is certain, and a value in none has share 0.
        never = histories.untouched() & known.counted
        return known._replace(risk=np.where(known.certain, 1.0, np.where(never, 0.0, np.nan)))

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return the pairs of people with equal values in all worlds, except people with certain values.

        Nothing is found (`whole` is false) if values change, or if it is open for a person if the value is certain.

        Args:
            known: pairs that are already known to be equal, and are not returned; shape (pairs, 2), int32.
            budget: the time limit.
        """
        decision, network, alive = self.decision, self.decision.network, self.decision.alive
        settled = (distinct(network, decision.shown & alive) > 1) | (distinct(network, alive) == 1)
        if not decision.feasible or len(network.link) or not settled.all() or (decision.chosen < 0).any():
            return EqualPeople(np.zeros((0, 2), dtype=np.int32), whole=False)
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

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the value codes that are not proved impossible; empty if the person is not in the release."""
        return self._values(self.decision.alive, person, release)

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return the possible values that no known world contains; none if only one value is possible."""
        possible = self.possible(person, release)
        if len(possible) == 1:
            return ()
        shown = set(self._values(self.decision.shown, person, release))
        return [value for value in possible if value not in shown]

    def worlds(self) -> Iterator[tuple[tuple[Codes, Codes], ...]]:
        """Yield a few different worlds; each gives, by release, the row class and the value of each person."""
        groups = [*map(self.evidence.source.candidate_groups, range(len(self.evidence.tags)))]
        for number, world in enumerate(few_worlds(self.decision)):
            yield tuple(values_of(groups, self.decision, world, number))

    def points(self) -> Iterator[RowCosts]:
        """Yield points of rows that prove values impossible which no single group proves impossible."""
        return row_costs(self.decision)

    def left(self, release: int) -> ValuesLeft:
        """Return the possible values of every person in a release whose value is not known beforehand."""
        decision, versions = self.decision, self.decision.network.versions
        risks = WorldRisks(self.evidence, decision)
        version, value, share = risks.shares(release)
        if not risks.counts_worlds:
            share = np.full(len(share), np.nan)
        shown = version_values(decision.network, decision.shown & decision.alive, release)
        values = len(decision.network.class_of)
        seen = np.isin(version * values + value, shown[0] * values + shown[1])
        place = versions.of(release).start + version
        return ValuesLeft(versions.person[place], value.astype(np.int32), seen, versions.counted[place], share)

    def _values(self, columns: Flags, person: int, release: int) -> Sequence[int]:
        net, own = self.decision.network, self.decision.network.versions.of(release)
        place = np.flatnonzero(net.versions.person[own] == person)
        if not len(place):
            return ()
        if net.versions.entry[own][place[0]] < 0:
            return np.unique(net.value_class[columns & (net.owner == net.versions.variable[own][place[0]])]).tolist()
        version, value = version_values(net, columns, release)
        found: list[int] = value[version == place[0]].tolist()
        return found
