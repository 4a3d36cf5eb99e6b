"""How probable values are, when they change along known transitions: sums over the feasible paths of everybody.

People are worked on in ranges that fit in memory; within a range a version (one person
in one release) is a row of booleans over the values, and a step along the transitions is one matrix product, exact
because it only counts. Cost: versions x values^2 at most, by BLAS for few values and by sparse products for many.

Source: m-Distinct paper, Section III (Definitions 10 and 11). The paper enumerates paths, which is exponential;
forward-backward sums give the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.model.evidence import CandidatePools, Codes, Evidence, ValueCounts
from audit.runtime.budget import Budget

Flags = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]
_RANGE_BYTES = 96 << 20
_BYTES_PER_CELL = 24
_DENSE_VALUES = 256
_BELOW_ONE = np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Graph:
    """The transitions as operators on rows of values."""

    weight: Reals

    @cached_property
    def _operators(self) -> tuple[Any, Any, Any, Any]:
        allowed = (self.weight > 0).astype(np.float32)
        if len(self.weight) <= _DENSE_VALUES:
            return allowed, allowed.T.copy(), self.weight, self.weight.T.copy()
        from scipy import sparse

        a, w = sparse.csr_array(allowed), sparse.csr_array(self.weight)
        return a, a.T.tocsr(), w, w.T.tocsr()

    def after(self, rows: Flags) -> Flags:
        """Return the values that may follow some value of each row."""
        return np.asarray(rows.astype(np.float32) @ self._operators[0]) > 0

    def before(self, rows: Flags) -> Flags:
        """Return the values that some value of each row may follow."""
        return np.asarray(rows.astype(np.float32) @ self._operators[1]) > 0

    def forward(self, rows: Reals) -> Reals:
        """Return the weight that flows into each value from the version before."""
        return np.asarray(rows @ self._operators[2])

    def backward(self, rows: Reals) -> Reals:
        """Return the weight that each value sends to the version after."""
        return np.asarray(rows @ self._operators[3])


class CombinationValues:
    """The values of several attributes that combinations are of: `codes`, shape (combinations, attributes)."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self.attributes = codes.shape[1]

    def values(self, attribute: int, combinations: Codes) -> Codes:
        """Return the value of an attribute that each of some combinations is of, -1 where it is unknown."""
        return np.where(combinations >= 0, self._codes[combinations, attribute], np.int32(-1))

    def sums(self, attribute: int, rows: Reals | Flags) -> Reals:
        """Return what stands in rows for combinations, added up by values of an attribute; shape (rows, values)."""
        value = self._codes[:, attribute]
        found = np.zeros((int(value.max(initial=-1)) + 1, len(rows)))
        np.add.at(found, value, rows.T)
        return found.T


@dataclass
class VersionColumns:
    """What is found out of every version in one release.

    Attributes:
        person, counted: as in the release's pools.
        risk: the probability asked for; shape (n,), float64; NaN where it is impossible.
    """

    person: Codes
    counted: Flags
    risk: Reals


@dataclass
class _Range:
    """The versions of a range of people, release by release.

    Attributes:
        count: rows of each value in each version's pool, masked by known values; shape (n, values), float64.
        local: each version's person, counted from the range's first; shape (n,).
        place: each version's place in the release's pools; shape (n,).
        row: for each person of the range, the version's row, -1 where absent; shape (people,).
    """

    people: int
    count: list[Reals] = field(default_factory=list)
    local: list[npt.NDArray[np.int64]] = field(default_factory=list)
    place: list[npt.NDArray[np.intp]] = field(default_factory=list)
    row: list[npt.NDArray[np.int64]] = field(default_factory=list)
    counted: list[Flags] = field(default_factory=list)


@dataclass
class Paths:
    """The feasible paths of everybody.

    Attributes:
        versions: what is found, per release.
        finished: whether all ranges of people were worked on.
    """

    evidence: Evidence
    budget: Budget
    versions: list[VersionColumns] = field(default_factory=list)
    finished: bool = True

    def __post_init__(self) -> None:
        if self.evidence.transitions is None:
            raise ValueError("paths need transitions")
        self.graph = Graph(self.evidence.transitions.weight)
        parts = None if self.evidence.combined is None else self.evidence.combined.parts()
        self.parts = None if parts is None else CombinationValues(parts)
        self._pools: list[CandidatePools] = []
        self._order: list[npt.NDArray[np.intp]] = []

    def load(self) -> None:
        """Read all releases and sort their versions by person."""
        for pools in self.evidence.stream():
            n = len(pools.person)
            counted = np.ones(n, dtype=np.bool_) if pools.counted is None else pools.counted
            self._pools.append(pools)
            self._order.append(np.argsort(pools.person, kind="stable"))
            self.versions.append(VersionColumns(pools.person, counted, np.full(n, np.nan)))

    def ranges(self) -> Iterator[_Range]:
        """Yield ranges of people, each with all its versions."""
        values = len(self.graph.weight)
        total = np.zeros(max(pools.people for pools in self._pools) + 1, dtype=np.int64)
        for pools in self._pools:
            total[pools.person] += 1
        work = np.cumsum(total)
        most = max(1, _RANGE_BYTES // (values * _BYTES_PER_CELL))
        first = 0
        while first < len(total) - 1:
            if self.budget.exhausted():
                self.finished = False
                return
            done = work[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(work, done + most, side="right")))
            last = min(last, len(total) - 1)
            yield self._range(first, last)
            self.budget.stage("weighing histories")
            self.budget.progress(last, len(total) - 1)
            first = last

    def _range(self, first: int, last: int) -> _Range:
        part = _Range(last - first)
        for pools, order, versions in zip(self._pools, self._order, self.versions, strict=True):
            span = np.searchsorted(pools.person, [first, last], sorter=order)
            place = order[span[0] : span[1]]
            local = pools.person[place].astype(np.int64) - first
            row = np.full(part.people, -1, dtype=np.int64)
            row[local] = np.arange(len(local))
            part.local.append(local)
            part.place.append(place)
            part.row.append(row)
            part.counted.append(versions.counted[place])
            part.count.append(pool_counts(pools, place, len(self.graph.weight)))
        return part

    # -- how probable it is ---------------------------------------------------------------------------

    def weigh(self, asked: list[Codes | None]) -> bool:
        """Find the probability of the values asked for; return whether the budget sufficed."""
        for part in self.ranges():
            feasible = self._feasible_now(part)
            for release, risk in self._posteriors(part, feasible, asked):
                self.versions[release].risk[part.place[release]] = risk
        return self.finished

    def _feasible_now(self, part: _Range) -> list[Flags]:
        """Return the feasible values of a range's versions, by one sweep forth and one back."""
        values = len(self.graph.weight)
        sweep = [counts > 0 for counts in part.count]
        for step, order in ((self.graph.after, 1), (self.graph.before, -1)):
            reached = np.ones((part.people, values), dtype=np.bool_)
            seen = np.zeros(part.people, dtype=np.bool_)
            for release in list(range(len(sweep)))[::order]:
                local = part.local[release]
                again = np.flatnonzero(seen[local])
                sweep[release][again] &= step(reached[local[again]])
                reached[local], seen[local] = sweep[release], True
        return sweep

    def _posteriors(
        self, part: _Range, feasible: list[Flags], asked: list[Codes | None]
    ) -> Iterator[tuple[int, Reals]]:
        values = len(self.graph.weight)
        weights = [np.where(ok, count, 0.0) for ok, count in zip(feasible, part.count, strict=True)]
        incoming: list[Reals] = []
        state = np.ones((part.people, values))
        seen = np.zeros(part.people, dtype=np.bool_)
        for release, local in enumerate(part.local):
            flow = np.ones((len(local), values))
            again = np.flatnonzero(seen[local])
            flow[again] = self.graph.forward(state[local[again]])
            state[local] = _scaled(flow * weights[release])
            seen[local] = True
            incoming.append(flow)
        seen[:] = False
        for release in range(len(part.local) - 1, -1, -1):
            local = part.local[release]
            flow = np.ones((len(local), values))
            again = np.flatnonzero(seen[local])
            flow[again] = self.graph.backward(state[local[again]])
            sent = flow * weights[release]
            state[local] = _scaled(sent)
            seen[local] = True
            wanted = asked[release]
            values_asked = None if wanted is None else wanted[part.place[release]]
            yield release, self._risk(_scaled(sent) * _scaled(incoming[release]), feasible[release], values_asked)

    def _risk(self, posterior: Reals, feasible: Flags, asked: Codes | None) -> Reals:
        """Return the probability of the value asked for; of combinations, of the likeliest of their values."""
        risk = _risk(posterior, feasible, asked)
        if self.parts is None:
            return risk
        impossible = np.isnan(risk)
        for attribute in range(self.parts.attributes):
            value = None if asked is None else self.parts.values(attribute, asked)
            posteriors, possible = self.parts.sums(attribute, posterior), self.parts.sums(attribute, feasible) > 0
            risk = np.maximum(risk, _risk(posteriors, possible, value))
        return np.where(impossible, np.nan, risk)


def pool_counts(pools: CandidatePools, place: npt.NDArray[np.intp], values: int) -> Reals:
    """Return the rows of each value in the pools of some versions; shape (len(place), values), float64."""
    if isinstance(pools.contents, ValueCounts):
        used, which = np.unique(pools.pool[place], return_inverse=True)
        number = np.full(pools.n_pools, -1, dtype=np.int64)
        number[used] = np.arange(len(used))
        bag, value, count = pools.contents
        entries = np.flatnonzero(number[bag] >= 0)
        key = number[bag[entries]] * values + value[entries]
        weights = None if count is None else count[entries]
        counts = np.bincount(key, weights, len(used) * values).reshape(-1, values)[which].astype(np.float64)
    else:
        counts = np.zeros((len(place), values))
        counts[:, : pools.values] = pools.contents[pools.pool[place]]
    if pools.fixed is not None:
        fixed = pools.fixed[place]
        rows = np.flatnonzero(fixed >= 0)
        counts[rows] = 0.0
        counts[rows, fixed[rows]] = 1.0
    return counts


def _scaled(rows: Reals) -> Reals:
    """Return rows with their largest entry at 1, so that long products neither vanish nor overflow."""
    top = rows.max(axis=1, keepdims=True, initial=0.0)
    return np.divide(rows, top, out=np.zeros_like(rows), where=top > 0)


def _risk(posterior: Reals, feasible: Flags, asked: Codes | None) -> Reals:
    """Return the probability of the value asked for in each row, of the likeliest where it is -1."""
    total, best = posterior.sum(axis=1), posterior.max(axis=1, initial=0.0)
    possible = np.asarray(feasible.any(axis=1))
    if asked is not None:
        rows = np.flatnonzero(asked >= 0)
        best[rows] = posterior[rows, asked[rows]]
        possible[rows] &= feasible[rows, asked[rows]]
    # Weights so small that they vanish say nothing: the risk is then given as the highest that it can be.
    risk = np.divide(best, total, out=np.full(len(best), _BELOW_ONE), where=total > 0)
    risk = np.where(feasible.sum(axis=1) == 1, 1.0, np.minimum(risk, _BELOW_ONE))
    return np.where(possible, risk, np.nan)
