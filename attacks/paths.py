"""Paths of all people if values change along known transitions: which values are feasible, and their probabilities.

A version is one person in one release. A value is feasible in it if it is on a path of possible transitions through all
versions of the person. A new release gives each of its versions the values that may follow some value of the version
before; then versions are pruned backwards, to values that some value of the version after may follow, for as long as
anything changes. Sets of values are bits, and what follows a set is looked up eight values at a time. A probability is
the weight of all paths through a value: what flows into it from the versions before, times what it sends to those
after. These weights are rows over the values, of blocks of people that stay in a processor's cache.

Cost: versions x values^2, by BLAS for few values and by sparse products for many. Source: m-Distinct paper, Section III
(Definitions 10 and 11). The paper enumerates paths, which is exponential; forward-backward sums give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.pool_counts import PoolCounts
from attacks.value_sets import common_values, pool_masks, sizes_of
from audit.model.arrays import Codes, Columns, Flags, Words
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
_NONE = np.zeros(0, dtype=np.int32)
_BELOW_ONE = np.nextafter(1.0, 0.0)


class _Versions:
    """The versions of one release, in the order of people.

    Attributes:
        order: the places of the release's people in the order of their codes; shape (n,).
        person: who; shape (n,), ascending.
        counted: whether each takes part in measures; shape (n,).
        sets: the values of each one's pool, and then those that are feasible, as bits; shape (n, words), uint64.
        most: no pool has more rows of one value.
    """

    def __init__(self, pools: CandidatePools, values: int, words: int) -> None:
        place = np.full(pools.people, -1, dtype=np.int32)
        place[pools.person] = np.arange(len(pools.person), dtype=np.int32)
        self.order = order = place[place >= 0]
        self.person, self._pool = pools.person.take(order), pools.pool.take(order)
        counted = np.broadcast_to(np.True_, len(order))
        self.counted = counted if pools.counted is None else pools.counted.take(order)
        self._fixed = None if pools.fixed is None else pools.fixed.take(order)
        self._counts, self._values = PoolCounts(pools), values
        self.most = self._counts.most
        self.sets = pool_masks(pools, words)[0].take(self._pool, axis=0)
        if self._fixed is not None:
            known = np.flatnonzero(self._fixed >= 0)
            value = self._fixed[known]
            self.sets[known] = 0
            self.sets[known, value >> 6] = np.uint64(1) << (value & 63).astype(np.uint64)

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
        people, words: how many people there are, and how many words a set has.
        disclosed: versions with one feasible value after each release that was looked at.
    """

    def __init__(self, evidence: Evidence, budget: Budget) -> None:
        if evidence.transitions is None:
            raise ValueError("feasible values need transitions")
        allowed = evidence.transitions.weight > 0
        self._budget, self._after, self._before = budget, _image(allowed), _image(allowed.T)
        self.parts = None if evidence.combined is None else evidence.combined.parts()
        self.versions, self.people, self.words = list[_Versions](), 0, max(1, (len(allowed) + 63) // 64)
        for pools in evidence.stream():
            self.versions.append(_Versions(pools, len(allowed), self.words))
            self.people = max(self.people, pools.people)
        self.disclosed = list[int]()

    def run(self) -> None:
        """Read all releases, or as many as the budget permits; done once."""
        self._budget.stage("following histories")
        may_follow, found = np.full((self.people, self.words), ~np.uint64(0)), 0
        for release in self._budget.each(range(len(self.versions))):
            if self._budget.exhausted():
                break
            version = self.versions[release]
            version.sets &= may_follow[version.person]
            may_follow[version.person] = self._after(version.sets)
            found += self._lone(version.sets, version.counted) + self._prune(release)
            self.disclosed.append(found)

    def _prune(self, last: int) -> int:
        """Drop values of earlier versions that lead nowhere; return how many more versions are disclosed."""
        after = self.versions[last]
        may_precede, waiting = np.empty((self.people, self.words), np.uint64), np.zeros(self.people, np.bool_)
        may_precede[after.person], waiting[after.person] = self._before(after.sets), True
        more = 0
        for version in self.versions[:last][::-1]:
            rows = np.flatnonzero(waiting[version.person])
            who, old = version.person[rows], version.sets[rows]
            new = old & may_precede[who]
            changed = (new != old).any(axis=1)
            waiting[who[~changed]] = False
            rows, who, old, new = rows[changed], who[changed], old[changed], new[changed]
            version.sets[rows] = new
            may_precede[who] = self._before(new)
            more += self._lone(new, version.counted[rows]) - self._lone(old, version.counted[rows])
        return more

    def _lone(self, sets: Words, counted: Flags) -> int:
        """Return how many of some versions have one value, or something in common, and count."""
        row, _ = self._certain_values(sets)
        return int(np.count_nonzero(counted[row] & (np.diff(row, prepend=-1) > 0)))

    def claims(self) -> Columns:
        """Return person, release and value of the certain versions that were read and count."""
        found = [(_NONE, _NONE, _NONE)]
        for release, version in enumerate(self.versions[: len(self.disclosed)]):
            row, value = self._certain_values(version.sets)
            row, value = row[version.counted[row]], value[version.counted[row]]
            found.append((version.person[row], np.full(len(row), release, dtype=np.int32), value))
        person, releases, values = map(np.concatenate, zip(*found, strict=True))
        return person, releases, values

    def _certain_values(self, sets: Words) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the place of each of some sets that has one value, ascending, and this value.

        Return, for sets of combinations, each attribute in which all have one value, as the code of a claim about it.
        """
        common = common_values(sets, self.parts)
        row, attribute = np.nonzero(common >= 0)
        value = common[row, attribute]
        return row, value if self.parts is None else claimed_code(attribute, value, common.shape[1])


@dataclass(frozen=True)
class PathRisks:
    """Posterior probabilities when values change along transitions."""

    evidence: Evidence
    feasible: FeasibleValues

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts; NaN if there is no path, or none through the value."""
        budget.stage("weighing histories")
        sums = _PathSums(self.evidence, self.feasible, asked)
        for block in budget.each(range(sums.blocks)):
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
        blocks: how many blocks of people there are.
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
        size = min(_BLOCK_BYTES, _KEPT_BYTES // (2 * max(1, len(self._versions)))) // (8 * max(1, len(weight)))
        size = max(1, min(feasible.people, max(_LEAST_PEOPLE, size)))
        self._first = np.arange(0, feasible.people + size, size, dtype=np.int32)
        self._bounds = [version.person.searchsorted(self._first).tolist() for version in self._versions]
        self.blocks = len(self._first) - 1
        # Memory is reused from block to block: new pages for each block take as long as the sums.
        self._weights, self._incoming = np.empty((2, len(self._versions), size, len(weight)))
        self._state, self._outgoing, self._sent = np.zeros((3, size, len(weight)))
        self._new = np.empty(size, dtype=np.bool_)

    def weigh(self, block: int) -> None:
        """Write the risks of the people of a block."""
        spans = [slice(bounds[block], bounds[block + 1]) for bounds in self._bounds]
        people = [v.person[some] - self._first[block] for v, some in zip(self._versions, spans, strict=True)]
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


def _image(allowed: Flags) -> Callable[[Words], Words]:
    """Return what gives the values that are in a relation with some value of each set; both as bits: (sets, words).

    A table has them for each of the 256 subsets of each eight values.
    """
    octets, words = (len(allowed) + 7) // 8, max(1, (len(allowed) + 63) // 64)
    packed = np.zeros((8 * octets, 8 * words), dtype=np.uint8)
    packed[: len(allowed), :octets] = np.packbits(allowed, axis=1, bitorder="little")
    of_value, table = packed.view(np.uint64).reshape(octets, 8, words), np.zeros((octets, 256, words), np.uint64)
    for bit in range(8):
        table[:, np.arange(256) >> bit & 1 != 0] |= of_value[:, bit, np.newaxis]

    def image(sets: Words) -> Words:
        found = np.zeros_like(sets)
        for octet, images in zip(sets.view(np.uint8).T, table, strict=False):
            found |= images.take(octet, axis=0)
        return found

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
    """Return the sums of rows over combinations with the same part; shape (rows, parts)."""
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
