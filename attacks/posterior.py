"""Posterior probabilities of values that never change, for everybody at once.

Risk of value v: prod_j c_j(v) / sum_u prod_j c_j(u), with c_j(v) the rows of value v in the person's pool of
release j (m-invariance paper, Section 3). Where every pool of a person holds its values equally often, that is one
over the number of candidates, and nothing is multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.candidates import Candidates
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence, Pools
from audit.core.outcome import Asked, Risks

_SLOTS = 4 << 20
_HUGE = 1e100
_TINY = 2.0**-300
_BELOW_ONE = np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class CandidateRisks:
    """Posterior probabilities when values never change."""

    evidence: Evidence
    state: Candidates

    def risks(self, asked: Asked, budget: Budget) -> Risks | None:
        """Return the risk of everybody; NaN for people without candidates, or whose value asked for is none."""
        state = self.state
        seen = np.flatnonzero(state.versions).astype(np.int32)
        sizes = state.sizes()[seen]
        risk = np.full(len(seen), np.nan)
        np.divide(1.0, sizes, out=risk, where=sizes > 0)
        wanted = asked.of_people()
        value = np.full(len(seen), -1, dtype=np.int32) if wanted is None else wanted.take(seen)
        certain = value >= 0
        possible = state.possible(seen, np.maximum(value, 0))
        risk[certain & ~possible] = np.nan
        uneven = np.flatnonzero(state.skewed.take(seen))
        uneven = uneven[(sizes[uneven] > 1) & ~np.isnan(risk[uneven])]
        for part in self._parts(sizes[uneven]):
            weighed = self._weighed(seen[uneven[part]], value[uneven[part]], budget)
            if weighed is None:
                return None
            risk[uneven[part]] = weighed
        return Risks(seen, np.full(len(seen), -1, dtype=np.int32), state.versions[seen].astype(np.int32), risk)

    @staticmethod
    def _parts(sizes: Codes) -> Iterator[slice]:
        """Yield ranges of people whose candidates fit in memory."""
        total, first = np.cumsum(sizes), 0
        while first < len(sizes):
            done = total[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(total, done + _SLOTS, side="right")))
            yield slice(first, last)
            first = last

    def _weighed(self, people: Codes, value: Codes, budget: Budget) -> npt.NDArray[np.float64] | None:
        """Return the risk of people whose pools hold values in different numbers."""
        place, candidate = self.state.listed(people)
        start = np.searchsorted(place, np.arange(len(people) + 1))
        weight = np.ones(len(place))
        local = np.full(len(self.state.versions), -1, dtype=np.int64)
        local[people] = np.arange(len(people))
        for pools in self.evidence.stream():
            if budget.spent():
                return None
            _multiply(pools, local, start, candidate, weight)
            heavy = np.maximum.reduceat(weight, start[:-1]) > _HUGE
            if heavy.any():
                weight[heavy[place]] *= _TINY
        total = np.add.reduceat(weight, start[:-1])
        best = np.maximum.reduceat(weight, start[:-1])
        wanted = np.flatnonzero(candidate == value[place])
        best[place[wanted]] = weight[wanted]
        return np.minimum(best / total, _BELOW_ONE)


def _multiply(
    pools: Pools,
    local: npt.NDArray[np.int64],
    start: npt.NDArray[np.intp],
    candidate: Codes,
    weight: npt.NDArray[np.float64],
) -> None:
    """Multiply the weight of each candidate by its number of rows in its person's pool of one release."""
    rows = np.flatnonzero(local[pools.person] >= 0)
    mine = local[pools.person[rows]]
    length = start[mine + 1] - start[mine]
    slots = np.repeat(start[mine] - np.cumsum(length) + length, length) + np.arange(length.sum())
    key = np.repeat(pools.pool[rows].astype(np.int64), length) * pools.values + candidate[slots]
    entry = pools.entry_pool.astype(np.int64) * pools.values + pools.entry_value
    if pools.n_pools * pools.values <= 8 * (len(entry) + len(key)):
        weight[slots] *= np.bincount(entry, pools.entry_count, pools.n_pools * pools.values)[key]
    else:
        distinct, inverse = np.unique(entry, return_inverse=True)
        counts = np.bincount(inverse, pools.entry_count)
        weight[slots] *= counts[np.searchsorted(distinct, key)]
