"""Counting: the number of worlds of a part, and the share of them in which a person has a value.

A world assigns to each person one row of each release, and rows are distinct: if people take `t` of the `c` rows of a
group with the same value, there are `c (c - 1) ... (c - t + 1)` ways to do so. If counterfeits without identity take
the other rows, this changes by a factor that is the same for all worlds. If values are published separately from rows
(Anatomy), the rows of a class are distinct as well, and the remaining rows take the remaining values in any order. If
counterfeits are published, their rows are chosen among those that no person takes: C(r - n, f) ways for f of r rows
beside n people. The weight of a world is the product of the probabilities of its transitions, times these choices.

Dynamic programming: variables are assigned one after the other. A *state* says how often each row that later variables
need can still be taken, and the last value of a person with further versions. Forward sums are the weights of the ways
to reach a state, backward sums those of the ways to complete it. A part is counted only if this takes no more than a
given number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm, prod

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Flags, Floats, Numbers, flagged, segments
from audit.model.evidence import Evidence

Number = int | Fraction
StepWeights = Mapping[tuple[int, int], Fraction] | None
"""The probability that a class of values is followed by another; None if all worlds weigh the same."""


def weights_of(evidence: Evidence, decision: Knowledge, core: OpenSubproblem) -> tuple[StepWeights, Sequence[Number]]:
    """Return the probabilities of transitions, and a factor for each column of a core.

    The factor is the product of the transitions within the column's class of values, whose members are equally likely.
    """
    network, transitions = decision.network, evidence.transitions
    if transitions is None or network.may is not None:
        return None if transitions is None else transitions.exact, [1] * core.columns
    first = np.full(int(network.class_of.max(initial=0)) + 1, -1)
    first[network.class_of[::-1]] = np.arange(len(network.class_of))[::-1]
    same = [transitions.exact.get((value, value), Fraction(1)) for value in first.tolist()]
    linked = flagged(network.link.reshape(-1), network.variables)
    times = np.bincount(network.versions.variable, minlength=network.variables)
    times = np.where(linked, 0, times - 1)[core.variable[core.owner]]
    own = [same[each] ** power for each, power in zip(core.value_class.tolist(), times.tolist(), strict=True)]
    return {(each, each): weight for each, weight in enumerate(same)}, own


# Numbers of worlds above these limits are neither computed nor printed.
_MOST_FACTORS, _MOST_WORLDS = 2_000, 10**1_000
State = tuple[tuple[int, ...], int]


Layer = dict[State, tuple[Number, Number]]
"""The number and the weight of the ways to each state."""
Move = tuple[State, int, State, Number]
"""A state, a column assigned in it, the next state, and the weight of the step."""
Ways = dict[State, tuple[State, int]]
"""How a world reaches each state, or continues from it: the state before or after, and the assigned column."""


@dataclass(frozen=True)
class Counted:
    """The worlds of a part.

    Attributes:
        number: how many there are, with distinct rows; a fraction if remaining rows take values in any order.
        worlds: a few worlds that together contain every possible column: the column of each variable; shape (worlds,
            variables), int64.
        share: the share of the total weight that worlds with each column have; shape (columns,), float64.
        weight: the total weight.
    """

    number: Number
    worlds: Numbers
    share: Floats
    weight: Fraction


@dataclass
class Counts:
    """The numbers of worlds of the parts that were counted, to be combined into one number.

    Attributes:
        factors: the numbers of worlds of the parts.
        divisors: the product is divided by the factorials of these, as rows with the same value are not distinguished.
        rows, variables: which rows and variables of the network are in counted parts; bool.
    """

    factors: list[Number]
    divisors: list[int]
    rows: Flags
    variables: Flags

    @staticmethod
    def of(network: ConstraintNetwork) -> Counts:
        """Return the counts of a network before any part is counted."""
        rows = np.zeros(len(network.capacity), dtype=np.bool_)
        return Counts([], [], rows, np.zeros(network.variables, dtype=np.bool_))

    def add(self, part: OpenSubproblem, number: Number) -> None:
        """Add the number of worlds of a part."""
        self.factors.append(number)
        self.divisors += part.factor.tolist()
        self.rows[part.network_rows] = True
        self.variables[part.variable] = True

    def worlds(self, network: ConstraintNetwork, alive: Flags) -> int | None:
        """Return the number of worlds if all parts were counted; None if the number is too long to print.

        Worlds differ if a person or a counterfeit has another value; rows with equal values are not distinguished.

        Raises:
            AssertionError: the result is no whole number; this is a bug of the program.
        """
        owner = network.owner
        fixed = np.flatnonzero(alive & ~self.variables[owner])
        left = network.capacity - np.bincount(
            network.row[segments(network.row_start, fixed)], minlength=len(network.capacity)
        )
        # Rows that were left out of a part can be taken in only one way.
        counted = np.flatnonzero(alive & self.variables[owner])
        wanted = np.bincount(network.row[segments(network.row_start, counted)], minlength=len(left)) > 0
        divisors, factors = [*self.divisors, *left[~self.rows & ~wanted].tolist()], list[int]()
        seated = network.versions.entry >= 0
        for release, contents in enumerate(network.contents):
            own = seated & (network.versions.release == release)
            people = np.bincount(network.versions.group[own], minlength=contents.groups)
            total = np.bincount(contents.group, weights=contents.rows, minlength=contents.groups).astype(np.int64)
            factors += (total - people).tolist()
            if contents.classes < len(network.class_of):  # values are exchanged within a class
                factors += contents.rows.tolist()
                divisors += contents.value_rows.tolist()
        if max([0, *factors, *divisors]) > _MOST_FACTORS:
            return None
        found = Fraction(prod(self.factors) * prod(map(factorial, factors)), prod(map(factorial, divisors)))
        if found.denominator != 1:
            raise AssertionError("worlds were counted wrongly")
        return int(found) if found < _MOST_WORLDS else None


class WorldCounter:
    """Counts the worlds of one part."""

    def __init__(self, part: OpenSubproblem, weight: StepWeights, own: Sequence[Number]) -> None:
        """Take the part, with its weights as `weights_of` returns them."""
        self._part, self._weight, self._own = part, weight, own
        self._rows = [part.row[a:b].tolist() for a, b in zip(part.row_start[:-1], part.row_start[1:], strict=True)]
        self._value_class = part.value_class.tolist()
        linked = np.zeros(part.variables + 1, dtype=np.bool_)
        if len(part.link):
            linked[part.link[:, 1]] = True
        self._linked = linked.tolist()
        self._order = self._ordered()

    def _ordered(self) -> list[int]:
        """Return an order of the variables in which those that share rows are near, and chains keep their order."""
        part = self._part
        if len(part.link):
            return list(range(part.variables))
        # Next comes a variable that shares rows with earlier ones and adds the fewest new rows to the state.
        wants = [
            set(part.row[part.row_start[part.start[v]] : part.row_start[part.start[v + 1]]].tolist())
            for v in range(part.variables)
        ]
        order, wanted, left = list[int](), set[int](), set(range(part.variables))
        while left:
            best = min(
                left, key=lambda variable: (not wants[variable] & wanted, len(wants[variable] - wanted), variable)
            )
            left.remove(best)
            order.append(best)
            wanted |= wants[best]
        return order

    def count(self, most: int) -> Counted | None:
        """Return the worlds; None if counting takes more than `most` steps (a state and a column each)."""
        capacity, start = self._part.capacity.tolist(), self._part.start.tolist()
        last: dict[int, int] = {}
        for place, variable in enumerate(self._order):
            for column in range(start[variable], start[variable + 1]):
                last.update(dict.fromkeys(self._rows[column], place))
        # Rows that are needed longest come first, so that the tuple of capacities in a state becomes ever shorter.
        rows = sorted(last, key=lambda row: -last[row])
        self._at, self._scale = {row: number for number, row in enumerate(rows)}, 1
        factor = self._part.factor.tolist()
        self._counterfeits = self._part.counterfeits[rows].tolist()
        self._more = [(abs(factor[row]) - capacity[row], factor[row] < 0) if factor[row] else None for row in rows]
        layers: list[Layer] = [{(tuple(capacity[row] for row in rows), -1): (1, 1)}]
        moves: list[list[Move]] = []
        steps = 0
        for place, variable in enumerate(self._order):
            steps += len(layers[-1]) * (start[variable + 1] - start[variable])
            if steps > most:
                return None
            kept = sum(last[row] > place for row in rows)
            following, made = self._given(variable, layers[-1], kept)
            layers.append(following)
            moves.append(made)
        return self._summed(layers, moves)

    def _given(self, variable: int, states: Layer, kept: int) -> tuple[Layer, list[Move]]:
        """Assign each column of a variable in each state; return the next states and the moves to them."""
        following: Layer = {}
        made: list[Move] = []
        columns = range(int(self._part.start[variable]), int(self._part.start[variable + 1]))
        wanted = [[self._at[row] for row in self._rows[column]] for column in columns]
        leads = self._linked[variable + 1]
        exact = {(each, at): self._factor(each, at) for each in {before for _, before in states} for at in columns}
        # Whole numbers are multiplied in a tenth of the time of fractions.
        scale = lcm(*(each.denominator for each in exact.values()))
        self._scale *= scale
        factors = {move: int(each * scale) for move, each in exact.items()}
        for state, (number, weight) in states.items():
            left, before = state
            for column, places in zip(columns, wanted, strict=True):
                whole: Number = 1
                for row in places:
                    whole *= self._ways(left[row], self._more[row], self._counterfeits[row])
                if not (ways := factors[before, column] * whole):
                    continue
                taken = list(left)
                for row in places:
                    taken[row] -= 1
                after = tuple(taken[:kept]), self._value_class[column] if leads else -1
                old = following.get(after, (0, 0))
                following[after] = old[0] + number * whole, old[1] + weight * ways
                made.append((state, column, after, ways))
        return following, made

    @staticmethod
    def _ways(left: int, more: tuple[int, bool] | None, counterfeits: int) -> Number:
        """Return the number of ways to take a row once more, times the share of choices of counterfeits that remain."""
        if left <= 0:
            return 0
        ways: Number = 1
        if more is not None:
            ways = Fraction(1, left + more[0]) if more[1] else left + more[0]
        return ways * Fraction(left, left + counterfeits) if counterfeits else ways

    def _factor(self, before: int, column: int) -> Number:
        """Return the probability of the transition to a column from a value, -1 for none; 0 if it is impossible."""
        own = self._own[column]
        if before < 0:
            return own
        after, may = self._value_class[column], self._part.may
        if self._weight is not None:
            return own * self._weight.get((before, after), 0)
        return own if (before == after if may is None else may[before, after]) else 0

    def _summed(self, layers: list[Layer], moves: list[list[Move]]) -> Counted:
        """Return the sums over all worlds, by going back from the states in which all variables are assigned."""
        number = sum(each[0] for each in layers[-1].values())
        weight = sum(each[1] for each in layers[-1].values())
        through: list[Number] = [0] * len(self._value_class)
        back: dict[State, Number] = dict.fromkeys(layers[-1], 1)
        # For each state, a move that reaches it and a move that continues from it; for each column, a move to it.
        came, goes = list[Ways](), list[Ways]()
        given = dict[int, tuple[int, State, State]]()
        for place in range(len(moves) - 1, -1, -1):
            before: dict[State, Number] = {}
            came.append({})
            goes.append({})
            for state, column, after, total in moves[place]:
                rest = total * back.get(after, 0)
                before[state] = before.get(state, 0) + rest
                through[column] += layers[place][state][1] * rest
                if rest:
                    came[-1][after], goes[-1][state] = (state, column), (after, column)
                    given[column] = place, state, after
            back = before
        share = [float(Fraction(each) / Fraction(weight)) if weight else 0.0 for each in through]
        worlds = self._worlds(came[::-1], goes[::-1], given)
        return Counted(number, worlds, np.array(share, dtype=np.float64), Fraction(weight, self._scale))

    def _worlds(self, came: list[Ways], goes: list[Ways], given: dict[int, tuple[int, State, State]]) -> Numbers:
        """Return worlds that together have all columns that some move assigns."""
        found, missing = list[list[int]](), dict.fromkeys(given)
        while missing:
            column = next(iter(missing))
            place, before, after = given[column]
            world = [-1] * len(came)
            world[place] = column
            for at in range(place - 1, -1, -1):
                before, world[at] = came[at][before]
            for at in range(place + 1, len(goes)):
                after, world[at] = goes[at][after]
            for each in world:
                missing.pop(each, None)
            found.append(world)
        order = np.argsort(self._order)
        return np.array(found, dtype=np.int64).reshape(-1, len(came))[:, order]
