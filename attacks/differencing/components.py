"""Components: integer solutions and proofs for the questions that propagation leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from attacks.differencing.lattice import LOWER, UPPER, Ends, Ids, MarginLattice
from attacks.differencing.programs import (
    Branch,
    Component,
    Leaf,
    NoSolutionError,
    Point,
    components,
    costs,
    first_point,
    integer_point,
    merged,
    optimum_bound,
    programme_of,
    prove,
    slice_around,
)
from attacks.differencing.solutions import Questions, Rules, Solutions, contradiction
from attacks.differencing.sums import Bounds, BoxSums, Screened, screen, widen
from attacks.linear_programmes import ContinuedSearch
from audit.model.arrays import UNBOUNDED, Floats, Places
from audit.model.count_tables import OPEN, SMALL_COUNT, CountTables
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, say

if TYPE_CHECKING:
    from attacks.differencing.local_search import LocalSearch

_FAR = 1 << 20
_TURNS = 200
_FEW = 4
_WORTHWHILE = 3  # open questions for a programme about all of them; otherwise one programme settles one question
_MANY = 2000
_MOSTLY_FREE = 0.8
_STEPS = (100, 300, 1000, 1000, 3000, 3000, 10_000)
_ENOUGH = 300
_AT_ONCE = 500
_LARGE, _LARGE_WHERE_FREE = 16_000, 8_000  # the most counts of a component for integer programmes
_CLOSELY = 60
_EXACTLY = 1000
_FIRST = 5
_NEAREST = 1500


_UNSETTLED = Phrase("the search did not settle a count in tables that depend on each other")


class Remainder(Solutions):
    """The search for solutions and proofs, component by component.

    Attributes:
        proofs: the proofs of bounds that propagation did not find, by node or sum and side.
        screened: what a few solutions and bounds show about all sums; None before sums are asked about.
        reason: why questions are open; None if no limit was reached.
    """

    def __init__(self, tables: CountTables, lattice: MarginLattice, ends: Ends, questions: Questions) -> None:
        super().__init__(lattice, ends, questions)
        self.tables = tables
        self.proofs: dict[tuple[int, int], Leaf | Branch] = {}
        self.screened: Screened | None = None
        self.reason: str | None = None
        self._local: LocalSearch | None = None
        self._merged: dict[tuple[int, ...], Component] = {}
        self._searches: dict[Component, ContinuedSearch] = {}
        self._tried: set[tuple[int, int]] = set()
        self._slice: dict[int, Component] = {}
        self._bounded: set[tuple[int, int]] = set()

    def solve(self, budget: Budget) -> None:
        """Settle all questions within the budget.

        Raises:
            ContradictingCountsError: a component has no solution.
        """
        if self._is_mostly_free():
            budget.stage("looking for counts that fit")
            self._search(budget)
        found = components(self.lattice, self.proved)
        budget.stage("reasoning about parts of the tables")
        for component in budget.each(found):
            self.of_node |= dict.fromkeys(component.nodes.tolist(), component)
            self._first(component, budget)
            if not self._is_large(len(component.nodes)):
                inside = np.flatnonzero(np.isin(self.questions.node, component.nodes))
                self._together(component, inside, budget)
        budget.stage("asking for single counts")
        self._settle_all(budget)
        self._settle_widths(budget)

    def ask_sums(self, sums: BoxSums, within: Bounds, rule: Rules, budget: Budget, *, every: bool) -> None:
        """Settle questions about sums of nodes within the budget; with `every`, compute all bounds exactly.

        Args:
            sums: the sums.
            within: returns the bounds of some sums that follow by propagation.
            rule: shape (sums,); the rule of the question about each.
            budget: the time limit.
            every: whether all are asked about.
        """
        budget.stage("asking about sums of counts")
        small = rule == SMALL_COUNT
        self.screened = found = screen(sums, within, self.points, self.questions.min_count, small)
        left = np.flatnonzero((found.verdict == OPEN) | every)
        self.join(sums, found, left, rule[left])
        self._probe_all(budget, np.random.default_rng(len(left)))
        self._settle_all(budget)

    def _component_of(self, row: Mapping[int, int]) -> Component | None:
        """Return the joined components of a sum's nodes; None if no programme is about its counts."""
        parts = {id(each): each for node in row if (each := self.of_node.get(node)) is not None}
        if len(parts) < 2:
            return next(iter(parts.values()), None)
        if tuple(parts) not in self._merged:
            for component in self._merged.values():
                self._searches.pop(component, None)
            self._merged = {tuple(parts): merged(list(parts.values()))}
        return self._merged[tuple(parts)]

    def _settle_all(self, budget: Budget) -> None:
        left = self.open()
        is_finding = self.questions.is_finding(self.proved)[left]
        # If tables share few counts, integer programmes seldom settle sums that a long search did not settle, and
        # bounds settle half of them; large components have no integer programmes. A finding remains one even if its
        # exact interval is unknown.
        searched, most = self._local is not None, _EXACTLY if self._local is None else _CLOSELY
        worked = 0
        for place in budget.each(np.argsort(is_finding, kind="stable").tolist()):
            if budget.exhausted():
                self.reason = budget.reason
                break
            limited = len(self.left) > 0 and (searched or is_finding[place])
            component = self._component_of(self.row(int(self.questions.node[left[place]])))
            if not (searched and component and self._is_large(len(component.nodes))) and (not limited or worked < most):
                worked += self._settle(int(left[place]), budget) and limited
            elif not is_finding[place]:
                self._settle(int(left[place]), budget, by_bounds=True)
        if len(self.open()):
            self.reason = self.reason or str(_UNSETTLED)

    def _is_mostly_free(self) -> bool:
        """Return whether many counts are unknown and few are fixed, so that local search has much to gain."""
        free = self.proved[LOWER] < self.proved[UPPER]
        return int(free.sum()) > _MANY and float(free.mean()) > _MOSTLY_FREE

    def _is_large(self, counts: int) -> bool:
        """Return whether a component has too many counts for programmes; the limit is lower if many counts are free."""
        return counts > (_LARGE if self._local is None else _LARGE_WHERE_FREE)

    def _search(self, budget: Budget) -> None:
        """Search for solutions that settle many questions at once, without programmes."""
        from attacks.differencing.local_search import LocalSearch

        search = LocalSearch(self.lattice, self.proved, self.lattice.nodes(self.tables.boxes))
        if search.point is None:
            return
        self.note_all(search.point)
        self._local = search
        self._probe_all(budget, np.random.default_rng(len(self.lattice)))

    def _probe_all(self, budget: Budget, rng: np.random.Generator) -> None:
        """Search near known solutions for others that settle one question each, with an increasing number of moves."""
        search = self._local
        if search is None:
            return
        for steps in _STEPS[:_FIRST] if len(self.left) else _STEPS:
            left = self.open()
            is_finding = self.questions.is_finding(self.proved)[left]
            self._probe(search, left[~is_finding], steps, budget, rng)
            # A certain finding needs less effort: only its exact interval is open.
            if steps <= _ENOUGH:
                self._probe(search, left[is_finding], steps, budget, rng)

    def _probe(self, search: LocalSearch, left: Places, steps: int, budget: Budget, rng: np.random.Generator) -> None:
        """Search for a solution for each of some questions, with a limited number of moves."""
        asked = left
        while len(left) and not budget.exhausted():
            targets = self.open_targets(asked)
            goal, low, high = self.questions.wishes(left[:_AT_ONCE], self.proved, self.seen, rng)
            goals, watched = self.rows_of(goal), self.rows_of(targets)
            last, reached = search.each_toward(self.points, goals, low, high, steps, watched)
            self._keep(-1, np.arange(len(self.lattice)), last)
            for each in reached:
                widen(self.seen, targets, each)
            left = np.intersect1d(left[_AT_ONCE:], self.open())  # solutions for some questions settle others

    def _first(self, component: Component, budget: Budget) -> None:
        if self.seen[UPPER][component.nodes[0]] >= 0:
            return
        try:
            point = first_point(component, self.proved, budget)
        except NoSolutionError:
            raise contradiction(self.tables, self._numbers_of(component)) from None
        self.note(component, point)

    def _together(self, component: Component, inside: Ids, budget: Budget) -> None:
        """Push the counts of all open questions (of `inside`) up, down and at random, as long as that settles many."""
        rng = np.random.default_rng(len(component.nodes))
        before = self.open_targets(inside)
        for turn in range(_TURNS):
            if len(before) < _FEW or budget.exhausted():
                return
            weight = rng.uniform(0.5, 1.0, len(before)) * (1.0, -1.0)[turn % 2]
            if turn > 1:
                weight *= rng.choice([-1.0, 1.0], len(before))
            cost = (weight @ self.rows_of(before))[component.nodes]
            if self._solution_by(component, -cost, self.proved, budget) is None:
                return
            after = self.open_targets(inside)
            if turn > 1 and len(before) - len(after) < _WORTHWHILE:
                return
            before = after

    def _numbers_of(self, component: Component) -> dict[int, int]:
        inside = np.isin(self.lattice.nodes(self.tables.boxes), component.nodes)
        known = component.fixed.indices
        inside |= np.isin(self.lattice.nodes(self.tables.boxes), known)
        return dict.fromkeys(np.flatnonzero(inside).tolist(), 1)

    def _settle(self, place: int, budget: Budget, *, by_bounds: bool = False) -> bool:
        """Settle a question, and return whether it took a programme.

        With `by_bounds` only bounds are used, which do not make the interval of a finding exact.
        """
        worked = False
        node, most = int(self.questions.node[place]), self.questions.min_count - 1
        sides = (LOWER, UPPER) if self.proved[UPPER][node] <= most else (UPPER, LOWER)
        is_small = by_bounds and bool(self.questions.rule[place] == SMALL_COUNT) and self.seen[UPPER][node] >= 0
        # Bounds are cheaper than whole solutions.
        for improve in (self._bound,) if by_bounds else (self._bound, self._reach, self.tighten):
            for side in sides:
                if self.questions.is_settled(place, self.proved, self.seen, exactly=not by_bounds):
                    return worked
                if self.proved[side][node] != self.seen[side][node] and not budget.exhausted():
                    improve(node, side, budget)
                    worked = True
                # Known counts are small. If 0 or a large count remains possible, the other bound does not matter.
                if is_small and (self.proved[UPPER][node] > most if side == UPPER else self.proved[LOWER][node] < 1):
                    return worked
        return worked

    def _reach(self, node: int, side: int, budget: Budget) -> Point | None:
        """Search for a solution with the least or greatest count of a node or sum, and store it."""
        row = self.row(node)
        component = self._component_of(row)
        if component is None or self._is_large(len(component.nodes)):
            return None
        cost = costs(component, row) * (1.0 if side == UPPER else -1.0)
        return self._solution_by(component, cost, self._capped(row, side), budget)

    def _solution_by(self, component: Component, cost: Floats, ends: Ends, budget: Budget) -> Point | None:
        """Search for a solution within `ends` with the largest total cost, and store it."""
        _, point = integer_point(component, ends, cost, budget)
        self.note(component, point)
        return point

    def tighten(self, node: int, side: int, budget: Budget) -> None:
        """Find the least or greatest count of a node, by a solution with that count and a proof of the bound."""
        if self.proved[side][node] == self.seen[side][node] or (node, side) in self._tried:
            return
        if budget.exhausted():
            self.reason = budget.reason
            return
        self._tried.add((node, side))
        # A linear programme is cheaper than an integer one, and a known solution may attain the bound.
        self._bound(node, side, budget)
        row = self.row(node)
        component, attained = self._component_of(row), self.proved[side][node] == self.seen[side][node]
        if component is None or attained or self._is_large(len(component.nodes)):
            self.reason = self.reason or str(_UNSETTLED)
            return
        if self._reach(node, side, budget) is None:
            self.reason = self.reason or say("an integer programme reached its limit")
            return
        value = int(self.seen[side][node])
        if value == self.proved[side][node] or (side == UPPER and value >= _FAR):
            return
        # Only published bounds are used: a proof that used other proofs could be circular.
        proof = prove(component, self.ends, (row, side, value), budget)
        if proof is None:
            late = budget.reason if budget.exhausted() else say("a bound could not be proved")
            self.reason = self.reason or late
            return
        self.proofs[node, side] = proof
        self.proved[side][node] = value

    def _capped(self, row: Mapping[int, int], side: int) -> Ends:
        """Return the bounds of nodes, with a bound added for nodes of a sum without one: the solver needs one."""
        ends = self.proved[:, : len(self.lattice)]
        endless = [node for node in row if ends[UPPER][node] >= UNBOUNDED]
        if side == UPPER and endless:
            ends = ends.copy()
            ends[UPPER][endless] = ends[LOWER][endless] + 2 * _FAR
        return ends

    def _bound(self, node: int, side: int, budget: Budget) -> None:
        """Improve a bound by a linear programme over a component, or over the nearest equalities of a large one."""
        row, ends = self.row(node), self.ends
        component = self._component_of(row)
        tried = (node, side) in self._bounded or self.proved[side][node] == self.seen[side][node]
        if component is None or tried or budget.exhausted():
            return
        if not self._is_large(len(component.nodes)):
            search = self._relaxed(component)
            found, point = optimum_bound(component, ends, (row, side), lambda cost: search.optimum(cost, budget))
            self.note(component, point)
        else:
            start = self.solution(component, row, side)
            if start is None:
                return
            if node not in self._slice:  # asked about both sides
                self._slice = {node: slice_around(component, row, _NEAREST)}
            part = self._slice[node]
            programme, near = programme_of(part, ends), start[part.nodes].astype(float)
            found, _ = optimum_bound(part, ends, (row, side), lambda cost: programme.optimum_near(cost, near, budget))
        self._bounded.add((node, side))
        before = int(self.proved[side][node])
        if found is not None and (found[0] < before if side == UPPER else found[0] > before):
            self.proved[side][node], self.proofs[node, side] = found

    def _relaxed(self, component: Component) -> ContinuedSearch:
        """Return the search for fractions that agree with a component; it is kept, for it continues."""
        if component not in self._searches:
            self._searches[component] = ContinuedSearch(programme_of(component, self.ends))
        return self._searches[component]

    def _settle_widths(self, budget: Budget) -> None:
        nodes = np.unique(self.questions.node[self.questions.protected])
        shown = self.seen[UPPER, nodes] - self.seen[LOWER, nodes] + 1
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

    def smallest_width(self) -> int | None:
        """Return the number of values of the narrowest hidden count; None if no hidden count is bounded."""
        low, high = self.proved[:, self.questions.node[self.questions.protected]]
        widths = (high - low)[high < UNBOUNDED]
        return int(widths.min()) + 1 if len(widths) else None
