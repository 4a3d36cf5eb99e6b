"""What propagation leaves open: integer solutions that show what is possible, and proofs of what is not."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import numpy.typing as npt

from attacks.differencing.irreducible import contradiction
from attacks.differencing.lattice import Ids
from attacks.differencing.local_search import LocalSearch
from attacks.differencing.programs import (
    Branch,
    Component,
    Leaf,
    NoSolutionError,
    Point,
    components,
    integer_point,
    prove,
    relaxed_bound,
    slice_around,
)
from attacks.differencing.propagation import LOWER, UPPER, BoundPropagation, Ends
from attacks.differencing.questions import Questions
from audit.model.count_tables import OPEN, UNBOUNDED, CountTables
from audit.runtime.budget import Budget
from audit.runtime.phrases import say

_BRANCHED = 20_000
_FAR = 1 << 20
_TURNS = 200
_FEW = 4
_WORTHWHILE = 3  # questions that a programme for all has to settle; one for each settles one
_MANY = 2000
_LOOSE = 0.8
_ROUNDS = 6
_STEPS = (100, 100, 300, 300, 1000, 1000, 3000, 3000, 10_000)
_ENOUGH = 300
_AT_ONCE = 500
_LARGE = 8_000
_SLICE = 300
Costs = npt.NDArray[np.float64]


class Remainder:
    """The search for solutions and proofs, component by component.

    Attributes:
        proved: bounds that all solutions keep; shape (2, nodes).
        seen: least and greatest count of each node in the solutions found; shape (2, nodes).
        proofs: of bounds that propagation does not have, by node and side.
        reason: why questions are left open.
    """

    def __init__(self, tables: CountTables, bounds: BoundPropagation, questions: Questions) -> None:
        self.tables, self.bounds, self.questions = tables, bounds, questions
        self.proved: Ends = bounds.ends.copy()
        fixed = self.proved[LOWER] == self.proved[UPPER]
        self.seen: Ends = np.where(fixed, self.proved, np.array([[UNBOUNDED], [-1]]))
        self.proofs: dict[tuple[int, int], Leaf | Branch] = {}
        self.reason: str | None = None
        self._of_node: dict[int, Component] = {}
        self._tried: set[tuple[int, int]] = set()

    def solve(self, budget: Budget) -> None:
        """Settle all questions as far as the budget allows.

        Raises:
            ContradictingCountsError: a component has no solution.
        """
        if self._is_loose():
            budget.stage("looking for counts that fit")
            self._search(budget)
        wanted = set(self.questions.node.tolist())
        found = [each for each in components(self.bounds.lattice, self.proved) if wanted & set(each.nodes.tolist())]
        budget.stage("reasoning about parts of the tables")
        for component in budget.each(found):
            self._of_node |= dict.fromkeys(component.nodes.tolist(), component)
            self._first(component, budget)
            if len(component.nodes) <= _LARGE:
                self._together(component, budget)
        left = np.flatnonzero(self.questions.decide(self.proved, self.seen) == OPEN).tolist()
        budget.stage("asking for single counts")
        for place in budget.each(sorted(left, key=self.questions.is_finding(self.proved).__getitem__)):
            self._settle(place, budget)
        self._settle_widths(budget)

    def _is_loose(self) -> bool:
        """Tell whether there is much to search, and little that is fixed would have to be kept by every move."""
        free = self.proved[LOWER] < self.proved[UPPER]
        return int(free.sum()) > _MANY and float(free.mean()) > _LOOSE

    def _search(self, budget: Budget) -> None:
        """Look for solutions that settle many questions at once, without programmes."""
        lattice, questions = self.bounds.lattice, self.questions
        published = lattice.nodes(self.tables.boxes)
        search = LocalSearch(lattice, self.proved, published, questions.node)
        if not search.start() or search.point is None:
            return
        self._note_all(search.point)
        rng = np.random.default_rng(len(lattice))
        for _ in range(_ROUNDS):
            left = self._open()
            some = left[rng.random(len(left)) < rng.choice([0.3, 0.1, 0.03])]
            point = search.toward(*questions.wishes(some, self.proved, self.seen, rng)) if len(some) else None
            if point is not None:
                self._note_all(point)
            if budget.exhausted():
                return
        for steps in _STEPS:
            left = self._open()
            is_finding = questions.is_finding(self.proved)[left]
            self._probe(search, left[~is_finding], steps, budget, rng)
            # What is certainly a finding can do with less: only its exact interval is open.
            if steps <= _ENOUGH:
                self._probe(search, left[is_finding], steps, budget, rng)

    def _open(self) -> npt.NDArray[np.intp]:
        """Return which questions are not settled."""
        return np.flatnonzero(self.questions.decide(self.proved, self.seen) == OPEN)

    def _probe(
        self,
        search: LocalSearch,
        left: npt.NDArray[np.intp],
        steps: int,
        budget: Budget,
        rng: np.random.Generator,
    ) -> None:
        """Look for a solution for each of some questions, by at most so many moves."""
        for some in np.split(left, range(_AT_ONCE, len(left), _AT_ONCE)):
            if len(some) and not budget.exhausted():
                reached = search.each_toward(*self.questions.wishes(some, self.proved, self.seen, rng), steps)
                self._note_all(reached[LOWER])
                self._note_all(reached[UPPER])

    def _note_all(self, point: Point) -> None:
        self.seen[LOWER] = np.minimum(self.seen[LOWER], point)
        self.seen[UPPER] = np.maximum(self.seen[UPPER], point)

    def _first(self, component: Component, budget: Budget) -> None:
        if self.seen[UPPER][component.nodes[0]] >= 0:
            return
        cost = np.zeros(len(component.nodes))
        try:
            point = integer_point(component, self.proved, cost, nodes=_BRANCHED, seconds=budget.remaining())
        except NoSolutionError:
            raise contradiction(self.tables, self._numbers_of(component)) from None
        if point is not None:
            self._note(component, point)

    def _together(self, component: Component, budget: Budget) -> None:
        """Move all open questions of a component at once, up, down and at random, while that settles many of them."""
        mine = np.flatnonzero(np.isin(self.questions.node, component.nodes))
        rng = np.random.default_rng(len(component.nodes))
        before = self._open_nodes(component, mine)
        for turn in range(_TURNS):
            if len(before) < _FEW or budget.exhausted():
                return
            columns = np.searchsorted(component.nodes, before)
            weight = rng.uniform(0.5, 1.0, len(before)) * (1.0, -1.0)[turn % 2]
            if turn > 1:
                weight *= rng.choice([-1.0, 1.0], len(before))
            cost = np.zeros(len(component.nodes))
            cost[columns] = weight
            point = self._solved(component, self.proved, cost, budget)
            if point is None:
                return
            self._note(component, point)
            after = self._open_nodes(component, mine)
            if turn > 1 and len(before) - len(after) < _WORTHWHILE:
                return
            before = after

    def _open_nodes(self, component: Component, mine: Ids) -> Ids:
        return np.unique(self.questions.node[mine[self.questions.decide(self.proved, self.seen)[mine] == OPEN]])

    def _solved(self, component: Component, ends: Ends, cost: Costs, budget: Budget) -> Point | None:
        """Return a solution; None where a limit was reached, or a solver's tolerances hide that there are solutions."""
        with suppress(NoSolutionError):
            return integer_point(component, ends, cost, nodes=_BRANCHED, seconds=budget.remaining())
        return None

    def _numbers_of(self, component: Component) -> dict[int, int]:
        inside = np.isin(self.bounds.lattice.nodes(self.tables.boxes), component.nodes)
        known = component.fixed.indices
        inside |= np.isin(self.bounds.lattice.nodes(self.tables.boxes), known)
        return dict.fromkeys(np.flatnonzero(inside).tolist(), 1)

    def _note(self, component: Component, point: np.ndarray) -> None:
        nodes = component.nodes
        self.seen[LOWER][nodes] = np.minimum(self.seen[LOWER][nodes], point)
        self.seen[UPPER][nodes] = np.maximum(self.seen[UPPER][nodes], point)

    def _settle(self, place: int, budget: Budget) -> None:
        node = int(self.questions.node[place])
        for side in (LOWER, UPPER):
            if self.questions.decide_one(place, self.proved, self.seen) != OPEN:
                return
            self.tighten(node, side, budget)

    def tighten(self, node: int, side: int, budget: Budget) -> None:
        """Find the least or greatest count of a node, by a solution that has it and a proof that there is no other."""
        if self.proved[side][node] == self.seen[side][node] or (node, side) in self._tried:
            return
        if budget.exhausted():
            self.reason = budget.reason
            return
        self._tried.add((node, side))
        component = self._of_node[node]
        if self._bounded(component, node, side, budget) or len(component.nodes) > _LARGE:
            self.reason = self.reason or say("a count in tables that hang together was not settled by the search")
            return
        ends = self.proved
        if side == UPPER and ends[UPPER][node] >= UNBOUNDED:
            # A solver wants an end; one that is this far away is as good as none.
            ends = ends.copy()
            ends[UPPER][node] = ends[LOWER][node] + _FAR
        cost = np.where(component.nodes == node, 1.0 if side == LOWER else -1.0, 0.0)
        point = self._solved(component, ends, cost, budget)
        if point is None:
            self.reason = self.reason or say("an integer programme reached its limit")
            return
        self._note(component, point)
        value = int(self.seen[side][node])
        if value == self.proved[side][node] or (side == UPPER and value >= ends[UPPER][node]):
            return
        # From published bounds alone: a proof that used other proofs could go round in circles.
        proof = prove(component, self.bounds.ends, (node, side, value), budget.exhausted)
        if proof is None:
            late = budget.reason if budget.exhausted() else say("a bound could not be proved")
            self.reason = self.reason or late
            return
        self.proofs[node, side] = proof
        self.proved[side][node] = value

    def _bounded(self, component: Component, node: int, side: int, budget: Budget) -> bool:
        """Improve a bound by linear programmes, the nearest equalities first; tell whether it is attained.

        They take less than an integer programme, and a solution that is known already may have the bound.
        """
        whole = [component] if len(component.nodes) <= _LARGE and not budget.exhausted() else []
        for part in [slice_around(component, node, _SLICE), *whole]:
            found = relaxed_bound(part, self.bounds.ends, node, side)
            before = int(self.proved[side][node])
            if found is not None and (found[0] < before if side == UPPER else found[0] > before):
                self.proved[side][node], self.proofs[node, side] = found
            if self.proved[side][node] == self.seen[side][node]:
                return True
        return False

    def _settle_widths(self, budget: Budget) -> None:
        nodes = np.unique(self.questions.node[self.questions.protected])
        shown = self.seen[UPPER][nodes] - self.seen[LOWER][nodes] + 1
        best = UNBOUNDED
        for place in np.argsort(shown, kind="stable").tolist():
            node = int(nodes[place])
            if shown[place] >= best:
                return
            if self.seen[UPPER][node] - self.seen[LOWER][node] + 1 < best:
                self.tighten(node, LOWER, budget)
                self.tighten(node, UPPER, budget)
            if self.proved[UPPER][node] < UNBOUNDED:
                best = min(best, int(self.proved[UPPER][node] - self.proved[LOWER][node]) + 1)

    def smallest_width(self) -> tuple[int | None, bool]:
        """Return how many values the narrowest hidden count has, and whether that is certain."""
        nodes = np.unique(self.questions.node[self.questions.protected])
        if not len(nodes):
            return None, True
        proved = np.where(
            self.proved[UPPER][nodes] >= UNBOUNDED, UNBOUNDED, self.proved[UPPER][nodes] - self.proved[LOWER][nodes] + 1
        )
        shown = self.seen[UPPER][nodes] - self.seen[LOWER][nodes] + 1
        best = int(proved.min())
        if best >= UNBOUNDED:
            return None, bool((shown >= _FAR).all())
        return best, bool((shown >= best).all())
