"""Search: the least e of all equivalences, proved, and each column's own, by exact search for integer vectors.

Answers are exact for small series and bounds elsewhere. Vectors of a small norm are found by sorting
(`attacks.equivalence.multisets`). What lies beyond is left to integer programming, of which only proofs are believed
and vectors that pass an exact check. Weights W may be any rational numbers.

Source: equivalence paper, Definition 10; Theorem 1 (NP-hard, which is why there are limits).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from attacks.equivalence import multisets
from attacks.equivalence.lattice import Lattice, Row, TooLargeError, Types, connected, joint_rows, lattices
from attacks.equivalence.vectors import Exact, Vector
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.engine import stopped_by
from audit.core.interrupting import still_heard

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_MEMBERSHIPS = 50_000
"""Larger series are not searched."""
_SORTED = 12_000_000
"""How many multisets are sorted for everybody's least e: two seconds and 400 MB."""
_SORTED_BEYOND = 200_000
"""How many are where only the least e of all is wanted, which the solver may find as quickly."""
_STATED = 1_000_000
"""Equivalences with a greater e are not stated."""
_SOLVED = 1_500
"""How many types an integer programme may have."""
_LARGE = 1 << 31
"""Factors in an integer programme are less than this."""
_EFFORT = 60.0
"""How long one programme may take, in the solver's own deterministic seconds."""


def solve(matrix: Matrix, max_e: int, budget: Budget, at_least: int = 1) -> Exact:
    """Return the least e of all equivalences of a matrix, and of those of each column up to some `max_e`.

    Args:
        matrix: groups with as many values as members each, which do not contradict each other.
        max_e: up to which e those of all columns are wanted.
        budget: how long it may take; where it does not suffice, bounds are returned.
        at_least: an e that no equivalence is below, known beforehand.
    """
    exact = Exact(at_least, None, np.zeros(matrix.columns, dtype=np.int32), False, ())
    if len(matrix.member) > _MEMBERSHIPS or budget.spent():
        return exact
    types = Types.among(matrix)
    rows, values = joint_rows(matrix, types), matrix.values
    parts = connected([[at for at in row if at >= values] for row in rows])
    norm = _coupled_norm(rows, parts, values)
    search = _Search(types, max_e, budget, at_least)
    try:
        if len(parts) > 1 and norm > 2 * max_e:
            search.note(_twins(rows, parts, values))
            search.run([block for part in parts for block in lattices([rows[at] for at in part], values, budget)])
            exact = search.found(norm)
            if exact.lower == exact.upper or exact.lower is None or 2 * exact.lower < norm:
                return exact
            search.at_least = exact.lower
        search.run(lattices(rows, values, budget))
    except TooLargeError:
        return exact
    return search.found()


class _Search:
    """The search of one block after the other. Vectors are by type.

    Attributes:
        at_least: no vector has a lesser e.
    """

    def __init__(self, types: Types, max_e: int, budget: Budget, at_least: int) -> None:
        self._types, self._max_e, self._budget, self.at_least = types, max_e, budget, at_least
        self._least = [0] * len(types.size)
        self._shown: list[Row] = []
        self._best: Row | None = None
        self._upper = _STATED
        self._proved: list[int] = []
        self._complete = True

    def run(self, blocks: Sequence[Lattice]) -> None:
        """Find the least e of some blocks and everybody's in them, the smaller blocks first."""
        for block in blocks:
            self.note(min(block.basis, key=self._e))
        self._proved = [self._block(block) for block in sorted(blocks, key=lambda block: len(block.types))]

    def found(self, coupled: int | None = None) -> Exact:
        """Return what was found, given a norm that vectors have which are no sums of those of the blocks, if any."""
        bounds = [proved + 1 for proved in self._proved] + ([] if coupled is None else [(coupled + 1) // 2])
        vectors = list(self._shown)
        if self._best is not None:
            bounds.append(self._upper)
            if self._upper not in map(self._e, vectors):
                vectors.append(self._best)
        of = self._types.of
        columns = np.argsort(of, kind="stable")
        first = np.searchsorted(of[columns], np.arange(len(self._least) + 1)).tolist()
        witnesses = tuple(
            Vector.of({c: times for at, times in row.items() for c in columns[first[at] : first[at + 1]].tolist()})
            for row in vectors
        )
        lower = max(self.at_least, min(bounds)) if bounds else None
        upper = None if self._best is None else self._upper
        return Exact(lower, upper, np.array([*self._least, 0], dtype=np.int32)[of], self._complete, witnesses)

    def note(self, vector: Row | None) -> None:
        """Remember a vector if it is the least so far."""
        if vector is not None and self._e(vector) < self._upper:
            self._best, self._upper = vector, self._e(vector)

    def _settle(self, vector: Row) -> None:
        """Take a vector into account that is a least one for those of its types that had none."""
        self.note(vector)
        e = self._e(vector)
        unsettled = [at for at in vector if not self._least[at]]
        if unsettled and e <= self._max_e:
            self._shown.append(vector)
            for at in unsettled:
                self._least[at] = e

    def _e(self, vector: Row) -> int:
        return sum(self._types.size[at] * abs(times) for at, times in vector.items()) // 2

    def _block(self, block: Lattice) -> int:
        """Search a block; return an e such that all its vectors up to there are settled, as far as they matter."""
        if len(block.basis) == 1:
            self._settle(block.basis[0])
            return self._e(block.basis[0]) - 1
        some = self._merged(block)
        # Whoever takes part does so with all columns of the same type.
        least = max(self.at_least, min(self._types.size[at] for at in some))
        proved = self._by_sorting(block, some, least - 1)
        while proved < self._goal(some) and not self._budget.spent() and _solvable(block, some):
            # Vectors that are not much longer are easier to find, or to rule out, than all.
            goal = min(self._goal(some), max(self._max_e, 2 * proved + 2))
            limits = {at: goal // self._types.size[at] for at in some if self._types.size[at] <= goal}
            programme = _Programme(block, limits, self._types.size, (proved + 1, goal))
            vector, proof = programme.least(self._unsettled(some, goal), self._budget)
            if vector is not None:
                self._settle(vector)
            if not proof:
                break
            proved = goal if vector is None else self._e(vector) - 1
        self._complete &= proved >= self._max_e or not self._unsettled(some, self._max_e)
        return proved

    def _by_sorting(self, block: Lattice, some: Sequence[int], proved: int) -> int:
        """Settle all vectors of a block up to the largest e where this can be done by sorting."""
        size = self._types.size
        while proved < self._goal(some) and not self._budget.spent():
            e = proved + 1
            most = _SORTED if e <= self._max_e else _SORTED_BEYOND
            if multisets.number([size[at] for at in some], e) > most:
                break
            for vector in multisets.vectors(block, some, size, self._unsettled(some, e), e):
                self._settle(vector)
            proved = e
        return proved

    def _merged(self, block: Lattice) -> list[int]:
        """Settle types that only differ from others by an equivalence of their own size; return one of each kind.

        No vector with such a type has a lesser e. Others lose nothing: its entry can move to the one that is left.
        """
        relations: dict[int, list[tuple[int, int]]] = {at: [] for at in block.types}
        for number, row in enumerate(block.relations):
            for at, times in row.items():
                relations[at].append((number, times))
        kinds: dict[tuple[tuple[int, int], ...], int] = {}
        for at in block.types:
            # The difference of two types with equal relations is an equivalence, so that both are of one size.
            kind = kinds.setdefault(tuple(relations[at]), at)
            if kind != at:
                self._settle({kind: 1, at: -1})
        return list(kinds.values())

    def _unsettled(self, some: Sequence[int], e: int) -> list[int]:
        return [at for at in some if not self._least[at] and self._types.size[at] <= e]

    def _goal(self, some: Sequence[int]) -> int:
        """Return the largest e at which vectors still matter."""
        return max(self._max_e if self._unsettled(some, self._max_e) else 0, self._upper - 1)


def _solvable(block: Lattice, some: Sequence[int]) -> bool:
    """Tell whether an integer programme of a block is neither too large nor full of numbers that may overflow."""
    return len(some) <= _SOLVED and all(abs(times) < _LARGE for row in block.relations for times in row.values())


def _twins(rows: Sequence[Row], parts: Sequence[Sequence[int]], values: int) -> Row | None:
    """Return the difference of two groups of different parts with the same values, the smallest ones, if there are."""
    first: dict[frozenset[tuple[int, int]], tuple[int, Row]] = {}
    twins = []
    for part, groups in enumerate(parts):
        for row in (rows[group] for group in groups):
            home, other = first.setdefault(_values(row, values), (part, row))
            if home != part:
                twins.append((other, row))
    if not twins:
        return None
    one, other = min(twins, key=lambda pair: sum(times for at, times in pair[0].items() if at < values))
    return {at - values: sign for row, sign in ((one, 1), (other, -1)) for at in row if at >= values}


def _values(row: Row, values: int) -> frozenset[tuple[int, int]]:
    return frozenset((at, times) for at, times in row.items() if at < values)


def _coupled_norm(rows: Sequence[Row], parts: Sequence[Sequence[int]], values: int) -> int:
    """Return a norm that vectors have at least which are not sums of equivalences of single parts.

    The part of an equivalence in one part of a series, x_c = W_c S_c, is an integer vector, and so is its total
    t_c = W_c U_c, the difference of its two sides' true values, so that it has at least the norm of t_c. All totals
    sum to 0: where one is not 0, at least two are not.
    """
    least = []
    for groups in parts:
        directions = {_direction(_values(rows[group], values)) for group in groups}
        # Multiples of one direction are at least as long as it is.
        least.append(sum(times for direction in directions for _, times in direction) if len(directions) == 1 else 1)
    return sum(sorted(least)[:2])


def _direction(entries: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return counts without their common divisor."""
    counts = dict(entries)
    divisor = math.gcd(*counts.values())
    return frozenset((at, times // divisor) for at, times in counts.items())


class _Programme:
    """The integer programme of a lattice's vectors with some e at least and at most.

    Its variables are the types' entries on either side, up to a limit; one of both is 0. Both sides have e columns.
    """

    def __init__(self, block: Lattice, limits: dict[int, int], size: Sequence[int], reach: tuple[int, int]) -> None:
        from ortools.sat.python import cp_model

        self._block = block
        self._model = cp_model.CpModel()
        self._sides = {at: self._entry(limit) for at, limit in limits.items()}
        for row in block.relations:
            at = [one for one in row if one in limits]
            sides = [side for one in at for side in self._sides[one]]
            times = [sign * row[one] for one in at for sign in (1, -1)]
            self._model.add(cp_model.LinearExpr.weighted_sum(sides, times) == 0)
        e = cp_model.LinearExpr.weighted_sum([left for left, _ in self._sides.values()], [size[at] for at in limits])
        self._model.add_linear_constraint(e, *reach)
        self._model.minimize(e)

    def _entry(self, limit: int) -> tuple[cp_model.IntVar, cp_model.IntVar]:
        """Return the variables of a type's entry on the left and on the right."""
        left, right = (self._model.new_int_var(0, limit, "") for _ in range(2))
        on_left = self._model.new_bool_var("")
        self._model.add(right == 0).only_enforce_if(on_left)
        self._model.add(left == 0).only_enforce_if(~on_left)
        return left, right

    def least(self, wanted: Sequence[int], budget: Budget) -> tuple[Row | None, bool]:
        """Return a vector of least e among those with some wanted type, if one was found, and whether this is proved.

        Where there is none and this is proved, no such vector exists.
        """
        from ortools.sat.python import cp_model

        self._model.add(cp_model.LinearExpr.sum([self._sides[at][0] for at in wanted]) >= 1)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = _EFFORT
        left = budget.part(1.0).seconds
        if left is not None:
            solver.parameters.max_time_in_seconds = left
        with still_heard(), stopped_by(solver.stop_search):
            status = solver.solve(self._model)
        if status == cp_model.INFEASIBLE:
            return None, True
        if status not in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
            return None, False
        vector = {at: solver.value(one) - solver.value(other) for at, (one, other) in self._sides.items()}
        vector = {at: times for at, times in vector.items() if times}
        if not vector or not self._block.holds(vector):
            return None, False
        return vector, status == cp_model.OPTIMAL
