"""Linear and integer programmes over the counts that propagation leaves open, one connected component at a time.

The solver is never trusted: its points are rounded and checked in integers. Its duals, rounded to fractions, are only
used as weights of equalities; the bound that follows is computed exactly, and holds for any weights (weak duality;
Schrijver, Theory of Linear and Integer Programming, section 7.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from operator import mul

import numpy as np

from attacks.differencing.lattice import LOWER, UPPER, Ends, Ids, MarginLattice
from attacks.linear_programmes import ContinuedSearch, Programme, Solution
from audit.model.arrays import UNBOUNDED, Counts, Floats, Matrix, Numbers, component_of, grouped, segments
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import Answer

_DENOMINATORS = (1, 2, 3, 4, 6, 12, 60, 5040)
_BRANCHES = 10_000
_NESTED_CASES = 100  # counts without an upper bound could be split forever
_BRANCHES_OF_SOLVER = 20_000
_TOLERANCE = 1e-7
Point = Numbers
Weights = Mapping[int, Fraction]


@dataclass(frozen=True, eq=False)
class Component:
    """Counts that equalities connect, and these equalities.

    Attributes:
        nodes: shape (columns,); their node ids, ascending.
        matrix: the equalities; CSR, shape (rows, columns): 1 for parts, -1 for the sum.
        fixed: the coefficients of all nodes with known counts in these equalities; CSR, shape (rows, nodes).
        right: shape (rows,); the required value of each row of `matrix`.
    """

    nodes: Ids
    matrix: Matrix
    fixed: Matrix
    right: Counts

    @cached_property
    def by_column(self) -> Matrix:
        """The equalities, column by column."""
        return self.matrix.tocsc()

    def rounded(self, solution: Solution | None, ends: Ends) -> Point | None:
        """Return the integers for `nodes` next to a solver's numbers; None if they break an equality or a bound."""
        if solution is None:
            return None
        point, (low, high) = np.rint(solution.value).astype(np.int64), ends[:, self.nodes]
        agrees = ((low <= point) & (point <= high)).all() and (self.matrix @ point == self.right).all()
        return point if agrees else None


def components(lattice: MarginLattice, ends: Ends) -> list[Component]:
    """Return the components of counts that are not fixed, in the order of their smallest nodes."""
    rows = defining_rows(lattice)
    free = np.flatnonzero(ends[LOWER] < ends[UPPER])
    if not len(free):
        return []
    moving, known = rows[:, free], rows.copy()
    known.data[np.isin(known.indices, free)] = 0
    known.eliminate_zeros()
    touched = np.flatnonzero(np.diff(moving.indptr))
    moving, known = moving[touched], known[touched]
    entries = moving.tocoo()
    label = component_of(entries.row, entries.col + moving.shape[0], sum(moving.shape))
    count = int(label.max()) + 1
    right = -(known @ np.where(ends[LOWER] < ends[UPPER], 0, ends[LOWER]))
    row_at, row_order = grouped(label[: moving.shape[0]], count)
    node_at, node_order = grouped(label[moving.shape[0] :], count)
    found = []
    for place in range(count):
        lines = row_order[row_at[place] : row_at[place + 1]]
        columns = node_order[node_at[place] : node_at[place + 1]]
        found.append(Component(free[columns], moving[lines][:, columns], known[lines], right[lines]))
    return sorted(found, key=lambda each: int(each.nodes[0]))


def defining_rows(lattice: MarginLattice) -> Matrix:
    """Return equalities from which all others follow; CSR, shape (rows, nodes): 1 for parts, -1 for the sum."""
    from scipy import sparse

    row, column, value, count = [], [], [], 0
    for block in lattice.blocks:
        kept = np.flatnonzero(block.defines)
        number = np.full(len(block.parent), -1, dtype=np.int64)
        number[kept] = count + np.arange(len(kept))
        inside = number[block.line] >= 0
        row += [number[kept], number[block.line][inside]]
        column += [block.parent[kept], block.child[inside]]
        value += [np.full(len(kept), -1), np.ones(int(inside.sum()), dtype=np.int64)]
        count += len(kept)
    if not count:
        return sparse.csr_matrix((0, len(lattice)), dtype=np.int64)
    entries = np.concatenate(value), (np.concatenate(row), np.concatenate(column))
    return sparse.csr_matrix(entries, shape=(count, len(lattice)), dtype=np.int64)


def merged(parts: Sequence[Component]) -> Component:
    """Return several components as one."""
    from scipy import sparse

    nodes = np.concatenate([each.nodes for each in parts])
    order = np.argsort(nodes)
    return Component(
        nodes[order],
        sparse.block_diag([each.matrix for each in parts], format="csr")[:, order],
        sparse.vstack([each.fixed for each in parts], format="csr"),
        np.concatenate([each.right for each in parts]),
    )


class NoSolutionError(Exception):
    """No integers agree with everything, as a proof shows."""


def first_point(component: Component, ends: Ends, budget: Budget) -> Point | None:
    """Return integers that agree with everything; None if a limit was reached.

    Raises:
        NoSolutionError: there are none, as weights of equalities prove, case by case.
    """
    answer, point = integer_point(component, ends, np.zeros(len(component.nodes)), budget)
    if answer == "none" and prove(component, ends, ({}, UPPER, -1), budget) is not None:
        raise NoSolutionError
    return point


def integer_point(component: Component, ends: Ends, cost: Floats, budget: Budget) -> tuple[Answer, Point | None]:
    """Return the solver's answer about integers of a large total cost, and these if they agree with everything.

    The best fractions are tried first: if they are integers, as in most tables, no branches are needed.
    """
    programme = programme_of(component, ends)
    point = component.rounded(ContinuedSearch(programme).optimum(cost, budget), ends)
    if point is not None:
        return "best", point
    answer, found = ContinuedSearch(programme, _BRANCHES_OF_SOLVER).answered(cost, budget)
    return answer, component.rounded(found, ends)


def programme_of(component: Component, ends: Ends) -> Programme:
    """Return the programme to maximize sums of a component's nodes."""
    lower, upper = ends[:, component.nodes].astype(float)
    upper[upper >= UNBOUNDED] = np.inf
    right = component.right.astype(float)
    return Programme(lower, upper, component.matrix.astype(float), right, right)


@dataclass(frozen=True)
class Leaf:
    """Weights of nodes whose bounds add up to a bound of a sum; if `impossible`, to a contradiction instead."""

    weights: Weights
    impossible: bool


@dataclass(frozen=True)
class Branch:
    """A case distinction: the count of a node is at most `at` (proof `below`), or greater (proof `above`)."""

    node: int
    at: int
    below: Leaf | Branch
    above: Leaf | Branch


Sum = Mapping[int, int]
"""Nodes with whole weights."""
Goal = tuple[Sum, int, int]
Search = Callable[[Floats], Solution | None]


def prove(component: Component, ends: Ends, goal: Goal, budget: Budget) -> Leaf | Branch | None:
    """Return a proof of a goal, by linear programmes and cases; None if a limit was reached.

    Args:
        component: the component.
        ends: the bounds of all nodes; shape (2, nodes).
        goal: a sum of nodes, a side, and the value that bounds the sum on this side. If no counts agree with
            everything, the goal that an empty sum is at most -1 can be proved.
        budget: the time limit.
    """
    return _prove(component, ends.copy(), goal, _Effort(_BRANCHES, budget), _NESTED_CASES)


@dataclass
class _Effort:
    """The remaining number of linear programmes for a proof, and whether time is up."""

    left: int
    budget: Budget


def _prove(component: Component, ends: Ends, goal: Goal, effort: _Effort, nested: int) -> Leaf | Branch | None:
    effort.left -= 1
    if effort.left < 0 or nested < 0 or effort.budget.exhausted():
        return None
    programme = programme_of(component, ends)
    answer = _optimum(component, goal[0], goal[1], lambda cost: programme.optimum(cost, effort.budget))
    if answer is None:
        return _impossible(component, ends, effort.budget)
    best, point = _best(component, ends, goal[:2], answer.weight), answer.value
    if best is not None and (best[0] <= goal[2] if goal[1] == UPPER else best[0] >= goal[2]):
        return best[1]
    part = np.abs(point - np.rint(point))
    place = int(part.argmax())
    if part[place] < 1e-7:
        return None
    split, at = int(component.nodes[place]), floor(point[place])
    halves = []
    for end, limit in ((UPPER, at), (LOWER, at + 1)):
        case = ends.copy()
        case[end][split] = limit
        half = _prove(component, case, goal, effort, nested - 1)
        if half is None:
            return None
        halves.append(half)
    return Branch(split, at, halves[0], halves[1])


def slice_around(component: Component, about: Sum, most: int) -> Component:
    """Return at most `most` equalities, those nearest to the nodes of a sum, and all nodes in them."""
    by_row, by_column = component.matrix, component.by_column
    inside, rows = np.isin(component.nodes, list(about)), np.zeros(by_row.shape[0], dtype=np.bool_)
    front = np.flatnonzero(inside)
    while len(front) and (left := most - np.count_nonzero(rows)):
        near = by_column.indices[segments(by_column.indptr, front)]
        near = _in_order(near[~rows[near]])[:left]
        rows[near] = True
        front = by_row.indices[segments(by_row.indptr, near)]
        front = _in_order(front[~inside[front]])
        inside[front] = True
    return Component(component.nodes[inside], by_row[rows][:, inside], component.fixed[rows], component.right[rows])


def _in_order(numbers: Ids) -> Ids:
    """Return the distinct numbers in the order in which they occur first."""
    return numbers[np.sort(np.unique(numbers, return_index=True)[1])]


def optimum_bound(
    component: Component, ends: Ends, goal: tuple[Sum, int], search: Search
) -> tuple[tuple[int, Leaf] | None, Point | None]:
    """Return the bound of a sum by a linear programme, with its proof, and the solution that attains it.

    Either result may be None.

    Args:
        component: the component.
        ends: the bounds of all nodes; shape (2, nodes).
        goal: a sum of nodes, and a side.
        search: returns an optimum of a cost over the component.
    """
    answer = _optimum(component, *goal, search)
    if answer is None:
        return None, None
    return _best(component, ends, goal, answer.weight), component.rounded(answer, ends)


def _best(component: Component, ends: Ends, goal: tuple[Sum, int], duals: Floats) -> tuple[int, Leaf] | None:
    """Return the best bound of a goal from duals, with its proof; None if they give none."""
    row, side = goal
    best: tuple[int, Leaf] | None = None
    for combined in _combinations(component, row, duals):
        bound = combined.bound(ends, side)
        if bound is not None:
            value = floor(bound) if side == UPPER else ceil(bound)
            if best is None or (value < best[0] if side == UPPER else value > best[0]):
                best = value, Leaf(combined.weights(), impossible=False)
    return best


def _optimum(component: Component, row: Sum, side: int, search: Search) -> Solution | None:
    """Return the optimum of a linear programme and the duals of its equalities; None where there is none."""
    sign = 1.0 if side == UPPER else -1.0
    found = search(sign * costs(component, row))
    return None if found is None else Solution(found.value, sign * found.weight)


def _impossible(component: Component, ends: Ends, budget: Budget) -> Leaf | None:
    """Return weights of nodes whose sum is 0 but whose bounds exclude 0, if no counts agree with everything."""
    from scipy import sparse

    nodes, rows = len(component.nodes), component.matrix.shape[0]
    slack = sparse.identity(rows, format="csr")
    fit = programme_of(component, ends)
    missing = Programme(
        np.append(fit.lower, np.zeros(2 * rows)),
        np.append(fit.upper, np.full(2 * rows, np.inf)),
        sparse.hstack([fit.rows, slack, -slack]),
        fit.low,
        fit.high,
    )
    answer = missing.optimum(np.append(np.zeros(nodes), -np.ones(2 * rows)), budget)
    if answer is None:
        return None
    for combined in _combinations(component, {}, answer.weight):
        for turned in (combined, replace(combined, weight=-combined.weight)):
            bound = turned.bound(ends, UPPER)
            if bound is not None and bound < 0:
                return Leaf(turned.weights(), impossible=True)
    return None


def costs(component: Component, row: Sum) -> Floats:
    """Return the weights of a component's nodes in a sum; shape (columns,)."""
    found = np.zeros(len(component.nodes))
    inside = np.isin(component.nodes, list(row))
    found[inside] = [row[node] for node in component.nodes[inside].tolist()]
    return found


@dataclass(frozen=True)
class _Combination:
    """Nodes whose weighted counts always add up to the count of a sum.

    Attributes:
        node: shape (nodes,); node ids.
        weight: shape (nodes,); the weight of each node, times `denominator`.
        denominator: the common denominator of all weights.
    """

    node: Ids
    weight: Counts
    denominator: int

    def bound(self, ends: Ends, side: int) -> Fraction | None:
        """Return the sum of the weighted bounds of the nodes on one side; None if a bound is missing."""
        end = np.where((self.weight > 0) == (side == UPPER), ends[UPPER][self.node], ends[LOWER][self.node])
        if (end >= UNBOUNDED).any():
            return None
        # Python's integers do not overflow.
        return Fraction(sum(map(mul, self.weight.tolist(), end.tolist())), self.denominator)

    def weights(self) -> dict[int, Fraction]:
        """Return the nodes with their weights."""
        pairs = zip(self.node.tolist(), self.weight.tolist(), strict=True)
        return {node: Fraction(weight, self.denominator) for node, weight in pairs}


def _combinations(component: Component, row: Sum, duals: Floats) -> Iterator[_Combination]:
    """Yield weights of nodes for roundings of the duals, until these are exact."""
    for denominator in _DENOMINATORS:
        multiples = np.rint(duals * denominator).astype(np.int64)
        weight = -(component.fixed.T @ multiples)
        weight[component.nodes] -= component.matrix.T @ multiples
        weight[list(row)] += denominator * np.array(list(row.values()), dtype=np.int64)
        node = np.flatnonzero(weight)
        yield _Combination(node, weight[node], denominator)
        if np.abs(duals * denominator - multiples).max(initial=0.0) < _TOLERANCE:
            return
