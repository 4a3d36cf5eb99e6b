"""All people's paths when values change along known transitions: which values are feasible, and how probable each is.

A version (one person in one release) is a row over the values: how many rows of each the person's pool has. A value is
feasible where it lies on a path of possible transitions through all versions of the person. A new release gives each of
its versions the values that may follow some value of the version before; then versions are pruned backwards, to values
that some value of the version after may follow, for as long as anything changes. A probability is the weight of all
paths through a value: what flows into it from the versions before, times what it sends to those after. People are
worked on in blocks whose rows stay in a processor's cache.

Cost: versions x values^2, by BLAS for few values and by sparse products for many. Source: m-Distinct paper, Section III
(Definitions 10 and 11). The paper enumerates paths, which is exponential; forward-backward sums give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.common_parts import common_values
from attacks.pool_counts import PoolCounts
from attacks.value_sets import first_values, sizes_of
from audit.model.arrays import Codes, Flags, Words
from audit.model.evidence import CandidatePools, Evidence, claimed_code
from audit.model.outcome import RiskQuery, Risks
from audit.runtime.budget import Budget

Reals = npt.NDArray[np.floating]
Step: TypeAlias = Callable[[Reals, Reals], object]
_BLOCK_BYTES, _KEPT_BYTES = 2 << 20, 48 << 20  # of the weights of a block of people: in a release, in all of them
_LEAST_PEOPLE = 16  # of a block, where there are many values
_DENSE_VALUES = 256
_MOST_BITS = 60.0  # by which sums may grow or shrink before they are scaled: as many are lost to what is likely later
_FAINT = 2.0**-900  # products below it have lost digits
_BELOW_ONE = np.nextafter(1.0, 0.0)


class _Versions:
    """The versions of one release, in the order of people.

    Attributes:
        order: the places of the release's people in the order of their codes; shape (n,).
        person: who; shape (n,), ascending.
        counted: whether each takes part in measures; shape (n,).
        sets: the feasible values of each, as bits; shape (n, words), uint64.
        most: no pool has more rows of one value.
    """

    def __init__(self, pools: CandidatePools, values: int) -> None:
        self.order = order = np.argsort(pools.person, kind="stable")
        self.person, self._pool = pools.person.take(order), pools.pool.take(order)
        counted = np.broadcast_to(np.True_, len(order))
        self.counted = counted if pools.counted is None else pools.counted.take(order)
        self._fixed = None if pools.fixed is None else pools.fixed.take(order)
        self._counts, self._values = PoolCounts(pools), values
        self.most = self._counts.most
        self.sets = np.zeros((len(order), max(1, (values + 63) // 64)), dtype=np.uint64)

    def rows(self, some: slice) -> Reals:
        """Return how many rows of each value the pools of some versions have; shape (versions, values)."""
        counts = self._counts.by_value(self._pool[some])
        rows = np.zeros((len(counts), self._values))
        rows[:, : counts.shape[1]] = counts
        if self._fixed is not None:
            known = np.flatnonzero(self._fixed[some] >= 0)
            rows[known] = 0.0
            rows[known, self._fixed[some][known]] = 1.0
        return rows

    def feasible(self, some: slice) -> npt.NDArray[np.uint8]:
        """Return which values are feasible in some versions; shape (versions, values), of 0 and 1."""
        octets = self.sets[some].view(np.uint8)
        return np.unpackbits(octets, axis=1, count=self._values, bitorder="little")

    def settled(self, some: slice, asked: Codes | None) -> tuple[Flags, Flags]:
        """Return whether the value asked for is feasible in some versions, and whether only one value is."""
        sets = self.sets[some]
        size = sizes_of(sets)
        possible = np.asarray(size > 0)
        if asked is not None:
            rows = np.flatnonzero(asked >= 0)
            value = asked.take(rows)
            possible[rows] = sets[rows, value >> 6] >> (value & 63).astype(np.uint64) & np.uint64(1) != 0
        return possible, np.asarray(size == 1)


class FeasibleValues:
    """The feasible values of all versions.

    Attributes:
        versions: those of each release.
        disclosed: versions with one feasible value after each release, of the people that were looked at.
        blocks, done: how many blocks of people there are, and were looked at.
        first, bounds: the first person of each block, and the first row of each in each release.
    """

    def __init__(self, evidence: Evidence, budget: Budget) -> None:
        if evidence.transitions is None:
            raise ValueError("feasible values need transitions")
        weight = evidence.transitions.weight
        self._budget, self._after, self._before = budget, _image(weight > 0), _image(weight.T > 0)
        self.parts = None if evidence.combined is None else evidence.combined.parts()
        self.versions, people = list[_Versions](), 0
        for pools in evidence.stream():
            self.versions.append(_Versions(pools, len(weight)))
            people = max(people, pools.people)
        self.disclosed = [0] * len(self.versions)
        size = min(_BLOCK_BYTES, _KEPT_BYTES // (2 * max(1, len(self.versions))))
        self.size = max(1, min(people, max(_LEAST_PEOPLE, size // (8 * max(1, len(weight))))))
        self.first = np.arange(0, people + self.size, self.size, dtype=np.int32)
        self.bounds = [version.person.searchsorted(self.first).tolist() for version in self.versions]
        self.blocks, self.done, self.values = len(self.first) - 1, 0, len(weight)

    def block(self, number: int) -> tuple[list[slice], list[Codes]]:
        """Return where the versions of a block's people are in each release, and who these are, counted from 0."""
        spans = [slice(bounds[number], bounds[number + 1]) for bounds in self.bounds]
        return spans, [v.person[some] - self.first[number] for v, some in zip(self.versions, spans, strict=True)]

    def run(self) -> None:
        """Look at all people, or at as many people as the budget suffices for; done once."""
        self._budget.stage("following histories")
        for number in self._budget.each(range(self.blocks)):
            if self._budget.exhausted():
                break
            self._follow(*self.block(number))
            self.done += 1

    def _follow(self, spans: list[slice], people: list[Codes]) -> None:
        """Note the feasible values of a block's people, release by release."""
        may_follow = np.ones((self.size, self.values), dtype=np.bool_)
        kept, found = list[Flags](), 0
        counted = [version.counted[some] for version, some in zip(self.versions, spans, strict=True)]
        for release, who in enumerate(people):
            sets = (self.versions[release].rows(spans[release]) > 0) & may_follow[who]
            kept.append(sets)
            may_follow[who] = self._after(sets)
            found += self._lone(sets, counted[release]) + self._prune(kept, people, counted)
            self.disclosed[release] += found
        for version, some, sets in zip(self.versions, spans, kept, strict=True):
            octets = np.packbits(sets, axis=1, bitorder="little")
            version.sets[some].view(np.uint8)[:, : octets.shape[1]] = octets

    def _prune(self, kept: list[Flags], people: list[Codes], counted: list[Flags]) -> int:
        """Drop values of earlier versions that lead nowhere any more; return how many more versions are disclosed."""
        may_precede, waiting = np.ones((self.size, self.values), dtype=np.bool_), np.zeros(self.size, dtype=np.bool_)
        may_precede[people[len(kept) - 1]] = self._before(kept[-1])
        waiting[people[len(kept) - 1]] = True
        more = 0
        for release in range(len(kept) - 2, -1, -1):
            rows = np.flatnonzero(waiting[people[release]])
            who, old = people[release][rows], kept[release][rows]
            new = old & may_precede[who]
            changed = (new != old).any(axis=1)
            waiting[who[~changed]] = False
            rows, who, old, new = rows[changed], who[changed], old[changed], new[changed]
            kept[release][rows] = new
            may_precede[who] = self._before(new)
            more += self._lone(new, counted[release][rows]) - self._lone(old, counted[release][rows])
        return more

    def _lone(self, sets: Flags, counted: Flags) -> int:
        """Return how many of some versions have one value, or something in common, and count."""
        rows = [sets] if self.parts is None else [_summed(sets, part) > 0 for part in self.parts.T]
        lone = np.any([np.count_nonzero(each, axis=1) == 1 for each in rows], axis=0)
        return int(np.count_nonzero(lone & counted))

    def counting(self) -> tuple[Codes, Codes, Words]:
        """Return person, release and feasible values of the versions that were looked at and count."""
        found = []
        for release, version in enumerate(self.versions):
            rows = np.flatnonzero(version.counted[: self.bounds[release][self.done]])
            found.append((version.person[rows], np.full(len(rows), release, dtype=np.int32), version.sets[rows]))
        person, releases, sets = (np.concatenate(column) for column in zip(*found, strict=True))
        return person, releases, sets

    def certain_values(self, sets: Words) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the place of each of some sets that has one value, and this value.

        Of sets of combinations: each attribute of which all have one value, as the code of a claim about it.
        """
        if self.parts is None:
            one = np.flatnonzero(sizes_of(sets) == 1)
            return one, first_values(sets[one])
        common = common_values(sets, first_values(sets), self.parts)
        row, attribute = np.nonzero(common >= 0)
        code = np.zeros(len(row), dtype=np.int32)
        for each in range(common.shape[1]):
            mine = np.flatnonzero(attribute == each)
            code[mine] = claimed_code(each, common[row[mine], each], common.shape[1])
        return row, code


@dataclass(frozen=True)
class PathRisks:
    """Posterior probabilities when values change along transitions."""

    evidence: Evidence
    feasible: FeasibleValues

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts; NaN where there is no path, or none through the value."""
        budget.stage("weighing histories")
        sums = _PathSums(self.evidence, self.feasible, asked)
        for block in budget.each(range(self.feasible.blocks)):
            if budget.exhausted():
                return None
            sums.weigh(block)
        counted = [version.counted for version in self.feasible.versions]
        person = np.concatenate([v.person[some] for v, some in zip(self.feasible.versions, counted, strict=True)])
        risk = np.concatenate([found[some] for found, some in zip(sums.risk, counted, strict=True)])
        release = np.repeat(np.arange(len(counted), dtype=np.int32), [np.count_nonzero(some) for some in counted])
        return Risks(person, release, np.broadcast_to(np.int32(1), len(person)), risk)


class _PathSums:
    """The sums over all feasible paths.

    Attributes:
        risk: what is found out of the versions of each release; NaN where the value is impossible.
    """

    def __init__(self, evidence: Evidence, feasible: FeasibleValues, asked: RiskQuery) -> None:
        if evidence.transitions is None:
            raise ValueError("paths need transitions")
        weight = evidence.transitions.weight
        self._weight, self._forward, self._backward = weight, _step(weight), _step(weight.T)
        self._feasible, self._versions = feasible, feasible.versions
        wanted = (asked.of_versions(release) for release in range(len(self._versions)))
        self._asked = [
            None if value is None else value.take(version.order)
            for value, version in zip(wanted, self._versions, strict=True)
        ]
        self.risk = [np.full(len(version.person), np.nan) for version in self._versions]
        most = max((version.most for version in self._versions), default=1)
        self._bits = float(np.log2(most * max(1, len(weight))) - np.log2(weight[weight > 0].min(initial=1.0)))
        # Memory is kept from block to block: new pages for each take as long as the sums.
        self._weights, self._incoming = np.empty((2, len(self._versions), feasible.size, len(weight)))
        self._state, self._outgoing, self._sent = np.zeros((3, feasible.size, len(weight)))
        self._new = np.empty(feasible.size, dtype=np.bool_)

    def weigh(self, block: int) -> None:
        """Write the risks of the people of a block."""
        spans, people = self._feasible.block(block)
        releases = range(len(spans))
        for release, who in self._sweep(releases, people):
            self._weigh(release, spans[release], self._weights[release, : len(who)])
            self._send(self._forward, who, self._weights[release], self._incoming[release])
        vanished: list[Codes] = []
        for release, who in self._sweep(releases[::-1], people):
            sent = self._send(self._backward, who, self._weights[release], self._outgoing)
            lost = self._note(self._incoming[release, : len(who)], sent, release, spans[release])
            vanished.append(self._versions[release].person[spans[release]][lost])
        for person in np.unique(np.concatenate(vanished)).tolist():
            self._weigh_by_logarithms(person)

    def _weigh(self, release: int, some: slice, weights: Reals) -> None:
        """Write the weight of each value in some versions, 0 where it is not feasible; shape (versions, values)."""
        version = self._versions[release]
        np.multiply(version.feasible(some), version.rows(some), out=weights)

    def _sweep(self, releases: range, people: list[Codes]) -> Iterator[tuple[int, Codes]]:
        """Yield each release with its people, before which nothing is sent and after which all of it is in bounds."""
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
        """Write the risks of a person, a feasible value of which vanished beside others that were far likelier then.

        Another release may make up for it, so that it is no unlikely value. No number is too small for its logarithm.
        """
        rows = [int(version.person.searchsorted(person)) for version in self._versions]
        seen = [
            (release, slice(row, row + 1))
            for release, (version, row) in enumerate(zip(self._versions, rows, strict=True))
            if row < len(version.person) and version.person[row] == person
        ]
        weights = np.empty((len(seen), len(self._weight)))
        for (release, some), weight in zip(seen, weights, strict=True):
            self._weigh(release, some, weight[np.newaxis])
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
        for (release, some), share in zip(seen, shares[:, np.newaxis], strict=True):
            self._note(np.ones_like(share), share, release, some)

    def _note(self, incoming: Reals, sent: Reals, release: int, some: slice) -> Flags:
        """Note the probability of the value asked for in each row; of combinations, of the likeliest of its parts.

        Returns where nothing is left of it, though it is feasible.
        """
        version, asked = self._versions[release], self._asked[release]
        asked = None if asked is None else asked[some]
        possible, lone = version.settled(some, asked)
        risk = _risk(incoming, sent, possible, lone, asked)
        vanished = risk == 0
        for column in () if self._feasible.parts is None else self._feasible.parts.T:
            feasible = _summed(version.feasible(some), column) > 0
            value = None if asked is None else np.where(asked >= 0, column[asked], np.int32(-1))
            posterior = _summed(incoming * sent, column)
            alone = np.asarray(feasible.sum(axis=1) == 1)
            risk = np.maximum(risk, _risk(np.ones_like(posterior), posterior, possible, alone, value))
        self.risk[release][some] = risk
        return vanished


def _image(allowed: Flags) -> Callable[[Flags], Flags]:
    """Return what gives the values that are in a relation with some value of each set; both of shape (sets, values)."""
    step, width = _step(allowed.astype(np.float32)), len(allowed)

    def image(sets: Flags) -> Flags:
        found = np.empty((len(sets), width), dtype=np.float32)
        step(sets.astype(np.float32), found)
        return found > 0

    return image


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


def _summed(rows: npt.NDArray[np.number | np.bool_], part: Codes) -> Reals:
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
