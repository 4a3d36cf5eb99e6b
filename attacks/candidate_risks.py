"""Risks of values that never change, as products of shares in each person's own groups.

Risk of value v: prod_j c_j(v) / sum_u prod_j c_j(u), with c_j(v) the rows of value v in the person's pool of
release j. This is not risk(t) of the m-invariance paper (Definition 14), which counts surjections onto all people, but
an estimate: publishing the same release twice may raise it. If every pool of a person holds its values equally often,
it is one divided by the number of candidates, and no product is computed. Products are only stored for candidates.

The sums over paths (`paths`) give the same numbers if each value is followed by itself alone, but take 4.9 s of
processor time in place of 0.4 s for the 4.2 million rows of S1-diverse, of 3.5 s that the whole command takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from attacks.value_sets import Candidates, PoolCounts, contain
from audit.model.arrays import Codes, Floats, batches, blocks, numbered, starts
from audit.model.evidence import CandidatePools, Evidence
from audit.model.measures import Measures
from audit.model.outcome import BELOW_ONE, RiskQuery, Risks
from audit.runtime.budget import Budget
from audit.runtime.phrases import say

# How many products are in memory at once; each further range of people takes another pass over the releases.
_LEAST_SLOTS, _MOST_SLOTS = 1 << 22, 3 << 26
_MOST_BITS = 900.0


class MeasuresWithProducts(Measures):
    """Measures beside which risks are products of shares."""

    def notes(self, attack: str) -> Iterator[str]:
        """Yield how to read risks below 1, if there are any."""
        if isinstance(self.timeline, list) and len(self.timeline) > 1 and self.found < (self.subjects or 0):
            yield say(
                "A risk by intersection or update-graph is a product of shares in the person's own groups. It is "
                "not a posterior probability over all worlds: publishing the same release twice raises it. The risk"
                " by joint is a posterior probability, where it is exact."
            )


@dataclass(frozen=True)
class CandidateRisks:
    """Products of shares when values never change."""

    evidence: Evidence
    state: Candidates

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of each person; NaN without candidates, or if the requested value is not a candidate."""
        state, wanted = self.state, asked.of_people()
        seen = np.flatnonzero(state.versions).astype(np.int32)
        sizes = state.sizes()[seen]
        risk = np.full(len(seen), np.nan)
        np.divide(1.0, sizes, out=risk, where=sizes > 0)
        value = np.full(len(seen), -1, dtype=np.int32) if wanted is None else wanted.take(seen)
        impossible = ~contain(state.masks, seen, np.maximum(value, 0))
        risk[impossible & (value >= 0)] = np.nan
        parts = state.parts
        uneven = np.flatnonzero(state.skewed.take(seen) if parts is None else sizes > 1)
        uneven = uneven[(sizes[uneven] > 1) & ~np.isnan(risk[uneven])]
        if parts is not None:
            certain = state.certain[seen[uneven]]
            risk[uneven[certain]] = 1.0
            uneven = uneven[~certain]
        for part in batches(sizes[uneven], self._most):
            people = seen[uneven[part]]
            products = _Products(people, state)
            if not self._multiplied(products, people, budget):
                return None
            best, total = products.weigh(value[uneven[part]])
            for column in () if parts is None else parts.T:
                best = np.maximum(best, products.weigh_part(value[uneven[part]], column))
            risk[uneven[part]] = np.minimum(best / total, BELOW_ONE)
        return Risks(seen, np.broadcast_to(np.int32(-1), len(seen)), state.versions[seen], risk)

    @property
    def _most(self) -> int:
        """The most products to keep in memory at once."""
        return min(max(_LEAST_SLOTS, self.evidence.rows // 2), _MOST_SLOTS)

    def _multiplied(self, products: _Products, people: Codes, budget: Budget) -> bool:
        """Multiply the weights of some people's candidates over all releases; return whether the budget sufficed."""
        local = numbered(people, len(self.state.versions))
        bits = 0.0
        for pools in self.evidence.stream():
            if budget.exhausted():
                return False
            bits += products.multiply(pools, local)
            if bits > _MOST_BITS - 64:
                products.scale()
                bits = 0.0
        return True


class _Products:
    """The products of the candidates of some people, person by person."""

    def __init__(self, people: Codes, state: Candidates) -> None:
        self.place, self.candidate = state.listed(people)
        self.length = np.bincount(self.place, minlength=len(people))
        self.start = starts(self.length)
        self.weight = np.ones(len(self.place))

    def multiply(self, pools: CandidatePools, local: Codes) -> float:
        """Multiply by the rows of each candidate in its person's pool; return by how many bits products may grow."""
        counts, most = PoolCounts(pools), 1
        for block in blocks(len(pools.person)):
            owner = local.take(pools.person[block])
            rows = np.flatnonzero(owner >= 0)
            owner = owner.take(rows).astype(np.intp)
            length = self.length.take(owner)
            stop = np.cumsum(length)
            slots = np.repeat(self.start.take(owner) - stop + length, length)
            slots += np.arange(len(slots))
            factor = counts.of(pools.pool[block].take(rows), length, self.candidate.take(slots))
            self.weight[slots] = self.weight.take(slots) * factor
            most = max(most, int(factor.max(initial=1)))
        return float(np.log2(most))

    def scale(self) -> None:
        """Divide the products of every person by a power of two so that the largest is about one."""
        _, exponent = np.frexp(np.maximum.reduceat(self.weight, self.start[:-1]))
        self.weight = np.ldexp(self.weight, -exponent[self.place])

    def weigh(self, value: Codes) -> tuple[Floats, Floats]:
        """Return the product of each person's requested value (the largest product for -1), and the sum of products."""
        best = np.maximum.reduceat(self.weight, self.start[:-1])
        wanted = np.flatnonzero(self.candidate == value[self.place])
        best[self.place[wanted]] = self.weight[wanted]
        return best, np.add.reduceat(self.weight, self.start[:-1])

    def weigh_part(self, value: Codes, part: Codes) -> Floats:
        """Return the sum of products of combinations with the requested one's part; for -1, the largest such sum."""
        key, place = np.unique(self.place * np.int64(part.max() + 1) + part[self.candidate], return_inverse=True)
        sums = np.bincount(place, weights=self.weight)
        best = np.zeros(len(value))
        np.maximum.at(best, key // (part.max() + 1), sums)
        wanted = np.flatnonzero(value >= 0)
        best[wanted] = sums[np.searchsorted(key, wanted * np.int64(part.max() + 1) + part[value[wanted]])]
        return best
