"""Posterior probabilities when values change along known transitions: sums over everybody's feasible paths.

A version (one person in one release) is a row of weights over the values: of each feasible value, how many rows the
person's pool has. A step along the transitions is a product with their matrix, and what flows into a value from the
versions before, times what it sends to those after, is the weight of all paths through it. People are worked on in
blocks whose rows stay in a processor's cache.

Cost: versions x values^2, by BLAS for few values and by sparse products for many. Source: m-Distinct paper, Section III
(Definitions 10 and 11). The paper enumerates paths, which is exponential; forward-backward sums give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.feasible_values import FeasibleValues, order_by_person
from attacks.pool_counts import PoolCounts
from attacks.value_sets import sizes_of
from audit.model.arrays import Codes, Flags, Words
from audit.model.evidence import CandidatePools, Evidence
from audit.model.outcome import RiskQuery, Risks
from audit.runtime.budget import Budget

Reals = npt.NDArray[np.float64]
Step: TypeAlias = Callable[[Reals, Reals], object]
_BLOCK_BYTES, _KEPT_BYTES = 2 << 20, 48 << 20  # of the weights of a block of people: in a release, in all of them
_LEAST_PEOPLE = 16  # of a block, where there are many values
_DENSE_VALUES = 256
_MOST_BITS = 60.0  # by which sums may grow or shrink before they are scaled: as many are lost to what is likely later
_FAINT = 2.0**-900  # products below it have lost digits
_BELOW_ONE = np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class PathRisks:
    """Posterior probabilities when values change along transitions."""

    evidence: Evidence
    feasible: FeasibleValues

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts; NaN where there is no path, or none through the value."""
        budget.stage("weighing histories")
        sums = _PathSums(self.evidence, self.feasible, asked)
        for block in budget.each(range(sums.blocks)):
            if budget.exhausted():
                return None
            sums.weigh(block)
        lengths = [len(version.person) for version in sums.versions]
        release = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        person, risk = sums.person, sums.risk
        counted = np.concatenate([version.counted for version in sums.versions])
        if not counted.all():
            person, release, risk = person[counted], release[counted], risk[counted]
        return Risks(person, release, np.broadcast_to(np.int32(1), len(person)), risk)


class _Versions:
    """The versions of one release, in the order of people.

    Attributes:
        person: who; shape (n,), int32, ascending.
        asked: the value that a risk is asked of, -1 for the likeliest; shape (n,), or None where it is for all.
        counted: whether each takes part in measures; shape (n,).
        risk: what is found out; shape (n,), NaN where the value is impossible.
        most: no pool has more rows of one value.
    """

    def __init__(
        self, pools: CandidatePools, sets: Words, asked: Codes | None, values: int, person: Codes, risk: Reals
    ) -> None:
        order = order_by_person(pools)
        self.person, self.risk = person, risk
        self.person[:] = pools.person.take(order)
        counted = np.broadcast_to(np.True_, len(order))
        self.counted = counted if pools.counted is None else pools.counted.take(order)
        self.asked = None if asked is None else asked.take(order).astype(np.min_scalar_type(-values - 1))
        self._sets, self._values = sets, values
        self._pool, self._counts = pools.pool.take(order), PoolCounts(pools)
        self.most = self._counts.most
        self._fixed = None if pools.fixed is None else pools.fixed.take(order)

    def feasible(self, some: slice) -> npt.NDArray[np.uint8]:
        """Return which values are feasible in some versions; shape (versions, values), of 0 and 1."""
        octets = self._sets[some].view(np.uint8)
        return np.unpackbits(octets, axis=1, count=self._values, bitorder="little")

    def weigh(self, some: slice, weights: Reals) -> None:
        """Write the weight of each value in some versions, 0 where it is not feasible; shape (versions, values)."""
        feasible = self.feasible(some)
        counts = self._counts.by_value(self._pool[some])
        told = counts.shape[1]
        np.multiply(feasible[:, :told], counts, out=weights[:, :told])
        weights[:, told:] = 0.0
        if self._fixed is not None:
            known = np.flatnonzero(self._fixed[some] >= 0)
            weights[known] = feasible[known]

    def settled(self, some: slice) -> tuple[Flags, Flags]:
        """Return whether the value asked for is feasible in some versions, and whether only one value is."""
        sets = self._sets[some]
        size = sizes_of(sets)
        possible = np.asarray(size > 0)
        if self.asked is not None:
            rows = np.flatnonzero(self.asked[some] >= 0)
            value = self.asked[some].take(rows)
            possible[rows] = sets[rows, value >> 6] >> (value & 63).astype(np.uint64) & np.uint64(1) != 0
        return possible, np.asarray(size == 1)


class _PathSums:
    """The sums over everybody's feasible paths.

    Attributes:
        versions: those of each release, with what is found out of them.
        person, risk: the same of all releases, one after the other.
        blocks: how many blocks of people there are.
    """

    def __init__(self, evidence: Evidence, feasible: FeasibleValues, asked: RiskQuery) -> None:
        if evidence.transitions is None:
            raise ValueError("paths need transitions")
        weight = evidence.transitions.weight
        self._weight, self._forward, self._backward = weight, _step(weight), _step(weight.T)
        self._parts = None if evidence.combined is None else evidence.combined.parts()
        self.versions: list[_Versions] = []
        self.person, self.risk = np.empty(feasible.ends[-1], dtype=np.int32), np.full(feasible.ends[-1], np.nan)
        people = 0
        for release, pools in enumerate(evidence.stream()):
            mine = slice(*feasible.ends[release : release + 2])
            about = feasible.sets(release), asked.of_versions(release), len(weight)
            self.versions.append(_Versions(pools, *about, self.person[mine], self.risk[mine]))
            people = max(people, pools.people)
        most = max((version.most for version in self.versions), default=1)
        self._bits = float(np.log2(most * max(1, len(weight))) - np.log2(weight[weight > 0].min(initial=1.0)))
        size = min(_BLOCK_BYTES, _KEPT_BYTES // (2 * max(1, len(self.versions))))
        block = max(1, min(people, max(_LEAST_PEOPLE, size // (8 * max(1, len(weight))))))
        self._first = np.arange(0, people + block, block, dtype=np.int32)
        self._bounds = [version.person.searchsorted(self._first).tolist() for version in self.versions]
        self.blocks = len(self._first) - 1
        # Memory is kept from block to block: new pages for each take as long as the sums.
        self._weights, self._incoming = np.empty((2, len(self.versions), block, len(weight)))
        self._state, self._outgoing, self._sent = np.zeros((3, block, len(weight)))
        self._new = np.empty(block, dtype=np.bool_)

    def weigh(self, block: int) -> None:
        """Write the risks of the people of a block."""
        spans = [slice(bounds[block], bounds[block + 1]) for bounds in self._bounds]
        people = [version.person[s] - self._first[block] for version, s in zip(self.versions, spans, strict=True)]
        releases = range(len(spans))
        for release, who in self._sweep(releases, people):
            self.versions[release].weigh(spans[release], self._weights[release, : len(who)])
            self._send(self._forward, who, self._weights[release], self._incoming[release])
        vanished: list[Codes] = []
        for release, who in self._sweep(releases[::-1], people):
            sent = self._send(self._backward, who, self._weights[release], self._outgoing)
            version, some = self.versions[release], spans[release]
            version.risk[some], lost = self._risk(self._incoming[release, : len(who)], sent, version, some)
            vanished.append(version.person[some][lost])
        for person in np.unique(np.concatenate(vanished)).tolist():
            self._weigh_by_logarithms(person)

    def _sweep(self, releases: range, people: list[Codes]) -> Iterator[tuple[int, Codes]]:
        """Yield each release with its people, before which nothing is sent and after whom all of it is in bounds."""
        self._new[:] = True
        bits = 0.0
        for release in releases:
            yield release, people[release]
            bits += self._bits
            if bits > _MOST_BITS:
                self._state[:] = _scaled(self._state)
                bits = 0.0

    def _send(self, step: Step, who: Codes, weights: Reals, flow: Reals) -> Reals:
        """Find what flows into each value from the versions before, and return what is sent on; shape (who, values)."""
        flow, sent = flow[: len(who)], self._sent[: len(who)]
        np.take(self._state, who, axis=0, out=sent, mode="clip")
        step(sent, flow)
        flow[self._new.take(who)] = 1.0
        self._new[who] = False
        np.multiply(flow, weights[: len(who)], out=sent)
        self._state[who] = sent
        return sent

    def _weigh_by_logarithms(self, person: int) -> None:
        """Write the risks of somebody of whom a feasible value vanished beside others that were far likelier then.

        Another release may make up for it, so that it is no unlikely value. No number is too small for its logarithm.
        """
        rows = [int(version.person.searchsorted(person)) for version in self.versions]
        seen = [
            (version, slice(row, row + 1))
            for version, row in zip(self.versions, rows, strict=True)
            if row < len(version.person) and version.person[row] == person
        ]
        weights = np.empty((len(seen), len(self._weight)))
        for (version, some), weight in zip(seen, weights, strict=True):
            version.weigh(some, weight[np.newaxis])
        with np.errstate(divide="ignore"):
            step, weights = np.log(self._weight), np.log(weights)
        incoming, outgoing = np.zeros((2, *weights.shape))
        for at in range(1, len(seen)):
            incoming[at] = np.logaddexp.reduce((incoming[at - 1] + weights[at - 1])[:, np.newaxis] + step, axis=0)
        for at in reversed(range(len(seen) - 1)):
            outgoing[at] = np.logaddexp.reduce(step + (outgoing[at + 1] + weights[at + 1]), axis=1)
        paths = incoming + weights + outgoing
        top = paths.max(axis=1, keepdims=True)
        shares = np.exp(paths - np.where(np.isfinite(top), top, 0.0))
        for (version, some), share in zip(seen, shares[:, np.newaxis], strict=True):
            version.risk[some], _ = self._risk(np.ones_like(share), share, version, some)

    def _risk(self, incoming: Reals, sent: Reals, version: _Versions, some: slice) -> tuple[Reals, Flags]:
        """Return the probability of the value asked for in each row; of combinations, of the likeliest of its parts.

        And whether nothing is left of it, though it is feasible.
        """
        asked = None if version.asked is None else version.asked[some]
        possible, lone = version.settled(some)
        risk = _risk(incoming, sent, possible, lone, asked)
        vanished = risk == 0
        for column in () if self._parts is None else self._parts.T:
            feasible = _summed(version.feasible(some), column) > 0
            value = None if asked is None else np.where(asked >= 0, column[asked], np.int32(-1))
            posterior = _summed(incoming * sent, column)
            alone = np.asarray(feasible.sum(axis=1) == 1)
            risk = np.maximum(risk, _risk(np.ones_like(posterior), posterior, possible, alone, value))
        return risk, vanished


def _step(weight: Reals) -> Step:
    """Return what sends rows of weights along transitions, and puts what arrives into other rows."""
    if len(weight) <= _DENSE_VALUES:
        dense = np.ascontiguousarray(weight)
        return lambda rows, out: np.matmul(rows, dense, out=out)
    from scipy import sparse

    matrix = sparse.csr_array(weight)
    return lambda rows, out: np.copyto(out, rows @ matrix)


def _scaled(rows: Reals) -> Reals:
    """Return rows whose largest entries are about one.

    Powers of two change no digit: a risk does not depend on when rows were scaled, and so not on who else is there.
    """
    _, exponent = np.frexp(rows.max(axis=1, keepdims=True, initial=0.0))
    return np.asarray(np.ldexp(rows, -exponent))


def _summed(rows: npt.NDArray[np.number], part: Codes) -> Reals:
    """Return what stands in rows for combinations, added up by the part that each has; shape (rows, parts)."""
    found = np.zeros((int(part.max(initial=-1)) + 1, len(rows)))
    np.add.at(found, part, rows.T)
    return found.T


def _risk(incoming: Reals, sent: Reals, possible: Flags, lone: Flags, asked: Codes | None) -> Reals:
    """Return the probability of the value asked for in each row, of the likeliest where it is -1; NaN if impossible.

    It is 0 where numbers are too small for it.
    The weight of all paths through a value is the product of both weights.
    """
    total = np.vecdot(incoming, sent)
    faint = np.flatnonzero(total < _FAINT)
    if len(faint):
        incoming[faint], sent[faint] = _scaled(incoming[faint]), _scaled(sent[faint])
        total[faint] = np.vecdot(incoming[faint], sent[faint])
    wanted = np.full(len(total), -1, dtype=np.int32) if asked is None else asked
    rows = np.arange(len(total))
    best = incoming[rows, wanted] * sent[rows, wanted]
    likeliest = np.flatnonzero(wanted < 0)
    best[likeliest] = (incoming[likeliest] * sent[likeliest]).max(axis=1, initial=0.0)
    risk = np.divide(best, total, out=np.zeros(len(best)), where=total > 0)
    risk = np.where(lone, 1.0, np.minimum(risk, _BELOW_ONE))
    return np.where(possible, risk, np.nan)
