"""The attack `differencing`: which small counts do published tables disclose together?

Threat model: a person who has the published tables and the rules by which they were made. Claim: in every table of
counts that agrees with them, the count of the box is in the reported interval. Sound, because a bound is only claimed
with a sum of published numbers that proves it, and *no finding* only with tables of integers that agree with
everything. Cost: propagation is linear in the cells of the lattice of margins; the remaining counts are solved one
component at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import lcm

import numpy as np

from attacks.differencing.components import Remainder
from attacks.differencing.lattice import (
    LOWER,
    UPPER,
    BoundPropagation,
    Ends,
    Ids,
    MarginLattice,
    TooManyCellsError,
    build_lattice,
    propagated,
)
from attacks.differencing.programs import Branch, Leaf
from attacks.differencing.solutions import Questions, contradiction
from attacks.differencing.sums import BoxSums, weights
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import (
    OPEN,
    BoundProof,
    CaseSplit,
    ContradictingCountsError,
    CountBound,
    CountOutcome,
    CountTables,
    WeightedNumber,
    WeightedSum,
)
from audit.runtime.budget import Budget
from audit.runtime.phrases import say


@dataclass(frozen=True)
class Differencing:
    """Recover counts from the differences of published tables.

    With `both_ends`, the exact interval of every question is computed, even if it is not a finding.
    """

    name: str = "differencing"
    both_ends: bool = False

    def run(self, tables: CountTables, budget: Budget) -> CountOutcome:
        """Return what is certain about the box of each question.

        If the user interrupts before bounds are known, they are computed again (which is fast), and nothing else is.

        Raises:
            ContradictingCountsError: no counts agree with everything that was published.
        """
        stopped = False
        try:
            asked = self._bounded(tables, budget)
        except KeyboardInterrupt:
            asked, stopped = self._bounded(tables, budget), True
        if asked is None:
            return CountOutcome.nothing(len(tables.asked), say("the tables have more cells than fit into memory"))
        return asked.outcome(budget, both_ends=self.both_ends, stopped=stopped)

    def _bounded(self, tables: CountTables, budget: Budget) -> _AskedCells | None:
        """Return the questions with propagated bounds of all counts; None if the lattice does not fit into memory.

        Raises:
            ContradictingCountsError: bounds contradict each other.
        """
        inverted = np.flatnonzero(tables.lower > tables.upper)
        if len(inverted):
            raise ContradictingCountsError(inverted[:1].tolist(), irreducible=True)
        budget.stage("adding and subtracting tables")
        try:
            lattice = build_lattice(tables.axes, tables.boxes, tables.asked)
        except TooManyCellsError:
            return None
        bounds = propagated(_with_periods(lattice, tables), tables)
        if bounds.contradicting is not None:
            node = bounds.contradicting
            raise contradiction(tables, bounds.weights([(node, UPPER, 1), (node, LOWER, -1)]))
        return _AskedCells(tables, lattice, bounds)


def _with_periods(lattice: MarginLattice, tables: CountTables) -> MarginLattice:
    """Return the lattice with all periods that are asked about, or itself if there are no more or too many of these."""
    periods = np.setdiff1d(tables.asked[:, -1], lattice.base[-1])
    try:
        return build_lattice(tables.axes, tables.boxes, tables.asked, periods) if len(periods) else lattice
    except TooManyCellsError:
        return lattice


class _AskedCells:
    """The questions about some tables: about nodes of a lattice, and about sums of nodes.

    Bounds are those of a lattice with more nodes, so that the growth of a count in each period has bounds of its own.
    Solutions and programmes need none of these further nodes.
    """

    def __init__(self, tables: CountTables, lattice: MarginLattice, bounds: BoundPropagation) -> None:
        self.tables, self.bounds, self.lattice = tables, bounds, lattice
        self.is_node = lattice.has(tables.asked)
        nodes = lattice.nodes(tables.asked[self.is_node])
        questions = Questions(nodes, tables.rule[self.is_node], tables.min_count, tables.min_width)
        self.place = np.searchsorted(bounds.lattice.keys, lattice.keys)
        self.remainder = Remainder(tables, lattice, bounds.ends[:, self.place], questions)
        self.sums = BoxSums(lattice, tables.asked[~self.is_node])
        self.bounded = BoxSums(bounds.lattice, self.sums.boxes)
        self._number = np.cumsum(~self.is_node) - 1  # the number of each question about a sum, among these

    def outcome(self, budget: Budget, *, both_ends: bool, stopped: bool) -> CountOutcome:
        """Return the verdicts and bounds; after an interrupt (`stopped`, or here), those that were found by then."""
        remainder = self.remainder
        try:
            if not stopped:
                remainder.solve(budget)
                within = partial(self.bounded.bounds, ends=self.bounds.ends)
                remainder.ask_sums(self.sums, within, self.tables.rule[~self.is_node], budget, every=both_ends)
            for target in np.unique(remainder.questions.node).tolist() if both_ends and not stopped else ():
                remainder.tighten(target, LOWER, budget)
                remainder.tighten(target, UPPER, budget)
        except KeyboardInterrupt:
            stopped = True
        if stopped:
            remainder.reason = say("interrupted")
        return replace(self._outcome(), interrupted=stopped)

    def _outcome(self) -> CountOutcome:
        remainder, questions = self.remainder, self.remainder.questions
        proved, seen = remainder.proved, remainder.seen
        target = np.full(len(self.is_node), -1, dtype=np.int64)
        looked = np.concatenate([np.flatnonzero(self.is_node), np.flatnonzero(~self.is_node)[remainder.left]])
        target[looked] = questions.node
        verdict = np.full(len(target), OPEN, dtype=np.int8)
        ends = np.zeros((2, len(target)), dtype=np.int64)
        ends[UPPER] = UNBOUNDED
        if remainder.screened is not None:
            verdict[~self.is_node], ends[:, ~self.is_node] = remainder.screened.verdict, remainder.screened.proved
        verdict[looked] = questions.bounded(questions.decide(proved, seen), proved)
        ends[:, looked] = proved[:, questions.node]
        exact = ends[LOWER] == ends[UPPER]
        exact[looked] = (proved == seen)[:, questions.node].all(axis=0)
        open_left = int((verdict == OPEN).sum())
        return CountOutcome(
            status="incomplete" if open_left else "complete",
            reason=remainder.reason if open_left else None,
            verdict=verdict,
            lower=ends[LOWER],
            upper=ends[UPPER],
            exact=exact,
            smallest_width=remainder.smallest_width(),
            bounds=lambda question: self._bounds(int(question), int(target[question]), ends[:, question]),
        )

    def _bounds(self, question: int, target: int, ends: Ends) -> tuple[CountBound, ...]:
        """Return the proofs of a question's bounds, in terms of published numbers."""
        found, proofs = [], self.remainder.proofs
        box = tuple(self.tables.asked[question].tolist())
        terms = [] if self.is_node[question] else self.bounded.of_box(int(self._number[question]))
        for side in (LOWER, UPPER):
            value = int(ends[side])
            if value in (0, UNBOUNDED) and (target, side) not in proofs and side == (value > 0):
                continue
            proof, place = proofs.get((target, side)), self.place
            if proof is None and self.is_node[question]:
                proof = Leaf({target: Fraction(1)}, impossible=False)
            elif proof is None:
                proof = Leaf(weights(terms, self.bounds.ends, side, value), impossible=False)
                place = np.arange(len(self.bounds.lattice))
            found.append(CountBound(box, side == UPPER, value, published_proof(self.bounds, place, proof, side)))
        return tuple(found)


def published_proof(
    bounds: BoundPropagation, place: Ids, proof: Leaf | Branch, side: int, assumed: tuple[tuple[int, int], ...] = ()
) -> BoundProof:
    """Return a proof about nodes as a proof about published numbers; `place` has the node of each in `bounds`."""
    if isinstance(proof, Branch):
        return CaseSplit(
            bounds.lattice.box(int(place[proof.node])),
            proof.at,
            published_proof(bounds, place, proof.below, side, (*assumed, (proof.node, UPPER))),
            published_proof(bounds, place, proof.above, side, (*assumed, (proof.node, LOWER))),
        )
    side = UPPER if proof.impossible else side
    depth = {case: place for place, case in enumerate(assumed)}  # the innermost case of a node and side is the tightest
    scale = lcm(*(weight.denominator for weight in proof.weights.values()))
    terms, wanted = [], []
    for node, weight in proof.weights.items():
        end = UPPER if (weight > 0) == (side == UPPER) else LOWER
        if (node, end) in depth:
            terms.append(WeightedNumber(depth[node, end], weight, assumed=True))
        else:
            wanted.append((int(place[node]), end, int(weight * scale)))
    numbers = bounds.weights(wanted)
    terms += [WeightedNumber(number, Fraction(weight, scale)) for number, weight in sorted(numbers.items())]
    return WeightedSum(tuple(terms), impossible=proof.impossible)
