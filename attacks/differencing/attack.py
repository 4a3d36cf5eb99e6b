"""The attack `differencing`: which small counts do published tables give away together?

Threat model: anybody who has the published tables and the rules by which they were made. Claim: every table of counts
that agrees with them has a count of the box in the interval that is told. Sound, because a bound is only claimed with a
sum of published numbers that shows it, and *no finding* only with tables of integers that agree with everything.
Cost: propagation is linear in the cells of the lattice of margins; what it leaves is solved one component at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from attacks.differencing.components import Remainder
from attacks.differencing.irreducible import contradiction
from attacks.differencing.lattice import TooManyCellsError, build_lattice
from attacks.differencing.programs import Branch, Leaf
from attacks.differencing.propagation import LOWER, UPPER, BoundPropagation, first_bounds
from attacks.differencing.questions import Questions
from audit.model.count_tables import (
    OPEN,
    UNBOUNDED,
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

    With `both_ends` the exact interval of every question is looked for, of those too that are no findings.
    """

    name: str = "differencing"
    both_ends: bool = False

    def run(self, tables: CountTables, budget: Budget) -> CountOutcome:
        """Return what can be told of each box that is asked about.

        Raises:
            ContradictingCountsError: no counts agree with everything that was published.
        """
        inverted = np.flatnonzero(tables.lower > tables.upper)
        if len(inverted):
            raise ContradictingCountsError(inverted[:1].tolist(), irreducible=True)
        budget.stage("adding and subtracting tables")
        try:
            lattice = build_lattice(tables.axes, np.concatenate([tables.boxes, tables.asked]))
        except TooManyCellsError:
            return _unanswered(tables, say("the tables have more cells than fit into memory"))
        bounds = first_bounds(lattice, tables)
        if bounds.contradicting is None:
            bounds.run()
        if bounds.contradicting is not None:
            node = bounds.contradicting
            raise contradiction(tables, bounds.weights([(node, UPPER, 1), (node, LOWER, -1)]))
        questions = Questions(tables, lattice.nodes(tables.asked))
        remainder = Remainder(tables, bounds, questions)
        remainder.solve(budget)
        if self.both_ends:
            for node in np.unique(questions.node).tolist():
                remainder.tighten(node, LOWER, budget)
                remainder.tighten(node, UPPER, budget)
        return _outcome(remainder)


def _unanswered(tables: CountTables, reason: str) -> CountOutcome:
    asked = len(tables.asked)
    return CountOutcome(
        status="incomplete",
        reason=reason,
        verdict=np.full(asked, OPEN, dtype=np.int8),
        lower=np.zeros(asked, dtype=np.int64),
        upper=np.full(asked, UNBOUNDED, dtype=np.int64),
        exact=np.zeros(asked, dtype=np.bool_),
        smallest_width=None,
        width_exact=False,
        bounds=lambda _: (),
    )


def _outcome(remainder: Remainder) -> CountOutcome:
    questions, proved, seen = remainder.questions, remainder.proved, remainder.seen
    verdict = questions.bounded(questions.decide(proved, seen), proved)
    low, high = proved[LOWER][questions.node], proved[UPPER][questions.node]
    exact = (low == seen[LOWER][questions.node]) & (high == seen[UPPER][questions.node])
    left = int((verdict == OPEN).sum())
    width, width_exact = remainder.smallest_width()
    return CountOutcome(
        status="incomplete" if left else "complete",
        reason=remainder.reason if left else None,
        verdict=verdict,
        lower=low,
        upper=high,
        exact=exact,
        smallest_width=width,
        width_exact=width_exact,
        bounds=lambda question: _bounds(remainder, int(questions.node[question])),
    )


def _bounds(remainder: Remainder, node: int) -> tuple[CountBound, ...]:
    """Return the proofs of a node's bounds in terms of published numbers."""
    found = []
    box = remainder.bounds.lattice.box(node)
    for side in (LOWER, UPPER):
        value = int(remainder.proved[side][node])
        if value in (0, UNBOUNDED) and (node, side) not in remainder.proofs and side == (value > 0):
            continue
        proof = remainder.proofs.get((node, side)) or Leaf({node: Fraction(1)}, impossible=False)
        found.append(CountBound(box, side == UPPER, value, published_proof(remainder.bounds, proof, side)))
    return tuple(found)


def published_proof(
    bounds: BoundPropagation, proof: Leaf | Branch, side: int, assumed: tuple[tuple[int, int], ...] = ()
) -> BoundProof:
    """Return a proof in terms of nodes as one in terms of published numbers."""
    if isinstance(proof, Branch):
        return CaseSplit(
            bounds.lattice.box(proof.node),
            proof.at,
            published_proof(bounds, proof.below, side, (*assumed, (proof.node, UPPER))),
            published_proof(bounds, proof.above, side, (*assumed, (proof.node, LOWER))),
        )
    side = UPPER if proof.impossible else side
    depth = {case: place for place, case in enumerate(assumed)}  # the innermost case of a node and side is the tightest
    scale = int(np.lcm.reduce([weight.denominator for weight in proof.weights.values()] or [1]))
    terms, wanted = [], []
    for node, weight in proof.weights.items():
        end = UPPER if (weight > 0) == (side == UPPER) else LOWER
        if (node, end) in depth:
            terms.append(WeightedNumber(depth[node, end], weight, assumed=True))
        else:
            wanted.append((node, end, int(weight * scale)))
    numbers = bounds.weights(wanted)
    terms += [WeightedNumber(number, Fraction(weight, scale)) for number, weight in sorted(numbers.items())]
    return WeightedSum(tuple(terms), impossible=proof.impossible)
