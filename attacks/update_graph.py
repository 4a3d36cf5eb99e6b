"""Update-graph pruning: the possible histories of one person if values change along known transitions.

Threat model: the adversary knows, for each release, which group holds the person (`linked`), or the person's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a value is *feasible* in a version (the person in one release) if it is on a path through the person's pools
along possible transitions between consecutive versions; gaps in presence are skipped. A version with one feasible value
is *disclosed*. Sound, because the person's own history is such a path. Exact for an adversary who looks at one person
at a time. A person without a path shows that the transitions are wrong, and is counted as infeasible, never hidden.

Risk: the weight of the paths through a value divided by the weight of all paths. The weight of a node is the value's
share of its pool; that of an edge is its probability or, if none is given, one divided by the number of values that may
follow. Without transitions every number is that of `intersection`.

Cost: without transitions linear in rows, with them times values^2 at most. Source: m-Distinct paper, Section III.

>>> UpdateGraphAttack().name
'update-graph'

Paths of all people if values change along known transitions: which values are feasible, and their risks.

A version is one person in one release. A value is feasible in it if it is on a path of possible transitions through all
versions of the person. In a new release, the feasible values of a version are those of its pool that may follow some
value of the version before. Then earlier versions are pruned backwards, to values that some value of the next version
may follow, as long as anything changes. Sets of values are bits, and the values that may follow a set are looked up
eight values at a time. The weight of all paths through a value is the incoming weight from earlier versions times the
outgoing weight from later ones. Weights are computed for blocks of people that fit into a processor's cache.

Cost: versions x the possible transitions, by sparse products. Source: m-Distinct paper, Section III (Definitions 10 and
11). The paper enumerates paths, which is exponential; forward-backward sums give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.certificates import disclosures
from attacks.value_sets import (
    CandidateRisks,
    MeasuresWithProducts,
    PoolCounts,
    common_values,
    contain,
    fold_all,
    pool_masks,
    sizes_of,
    values_left,
)
from audit.model.arrays import Codes, Columns, Flags, Places, Words, flagged, numbered
from audit.model.evidence import CandidatePools, Evidence, claimed_code, per_person_reason
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.measures import VERSIONS
from audit.model.outcome import BELOW_ONE, Outcome, PolicyOptions, RiskQuery, Risks, ValuesLeft
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase

Reals = npt.NDArray[np.floating]
Step: TypeAlias = Callable[[Reals], Reals]
_BLOCK_BYTES, _KEPT_BYTES = 2 << 20, 48 << 20  # the sizes of a block's weights: in a release, and in all releases
_LEAST_PEOPLE = 16  # the least size of a block, if there are many values
_MOST_BITS = 60.0  # by how many bits sums may grow or shrink before they are scaled
_FAINT = 2.0**-900  # products below it have lost digits
_NO_CODES = np.zeros(0, dtype=np.int32)


class _Versions:
    """The versions of one release, in the order of people.

    Attributes:
        order: the places of the release's people in the order of their codes; shape (n,).
        person: their codes, ascending; shape (n,).
        counted: whether measures count each; shape (n,), bool.
        sets: at first the values of each person's pool, then the feasible ones, as bits; shape (n, words), uint64.
        most: the most rows of one value in any pool.
    """

    def __init__(self, pools: CandidatePools, values: int, words: int) -> None:
        place = numbered(pools.person, pools.people)
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

    def rows(self, span: slice) -> Reals:
        """Return how many rows of each value the pools of some versions have; shape (versions, values)."""
        counts = self._counts.by_value(self._pool[span])
        rows = np.zeros((len(counts), self._values))
        rows[:, : counts.shape[1]] = counts
        if self._fixed is not None:
            known = np.flatnonzero(self._fixed[span] >= 0)
            rows[known] = 0.0
            rows[known, self._fixed[span][known]] = 1.0
        return rows

    def feasible(self, span: slice) -> npt.NDArray[np.uint8]:
        """Return which values are feasible in some versions; shape (versions, values), of 0 and 1."""
        octets = self.sets[span].view(np.uint8)
        return np.unpackbits(octets, axis=1, count=self._values, bitorder="little")

    def settled(self, span: slice, asked: Codes | None) -> tuple[Flags, Flags]:
        """Return whether the requested value (or any, if -1) of each of some versions is feasible, and the only one."""
        sets = self.sets[span]
        size = sizes_of(sets)
        possible = np.asarray(size > 0)
        if asked is not None:
            rows = np.flatnonzero(asked >= 0)
            possible[rows] = contain(sets, rows, asked.take(rows))
        return possible, np.asarray(size == 1)


class FeasibleValues:
    """The feasible values of all versions.

    Attributes:
        parts: the value of each attribute in each combination, shape (combinations, attributes); None for plain values.
        versions: the versions of each release.
        people, words: the number of people, and of words of a set.
        disclosed: the number of versions with one feasible value after each release that was read.
        exposed: the number of people with such a version after each release that was read.
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
        self.disclosed, self.exposed, self._exposed = list[int](), list[int](), np.zeros(self.people, np.bool_)

    def run(self) -> None:
        """Read all releases, or as many as the budget permits; call it once."""
        self._budget.stage("following histories")
        may_follow, found = np.full((self.people, self.words), ~np.uint64(0)), 0
        for release in self._budget.each(range(len(self.versions))):
            if self._budget.exhausted():
                break
            version = self.versions[release]
            version.sets &= may_follow[version.person]
            may_follow[version.person] = self._after(version.sets)
            lone = self._lone(version.sets, version.counted)
            self._exposed[version.person[lone]] = True
            found += len(lone) + self._prune(release)
            self.disclosed.append(found)
            self.exposed.append(int(np.count_nonzero(self._exposed)))

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
            lone = self._lone(new, version.counted[rows])
            self._exposed[who[lone]] = True
            more += len(lone) - len(self._lone(old, version.counted[rows]))
        return more

    def _lone(self, sets: Words, counted: Flags) -> Places:
        """Return the places of versions that count and have one value, or one of some combined attribute."""
        row, _ = self._certain_values(sets)
        return row[counted[row] & (np.diff(row, prepend=-1) > 0)]

    def claims(self) -> Columns:
        """Return person, release and value of the certain versions that were read and count."""
        found = [(_NO_CODES, _NO_CODES, _NO_CODES)]
        for release, version in enumerate(self.versions[: len(self.disclosed)]):
            row, value = self._certain_values(version.sets)
            row, value = row[version.counted[row]], value[version.counted[row]]
            found.append((version.person[row], np.full(len(row), release, dtype=np.int32), value))
        person, releases, values = map(np.concatenate, zip(*found, strict=True))
        return person, releases, values

    def left(self, release: int) -> ValuesLeft:
        """Return the feasible values of the versions of a release."""
        version = self.versions[release]
        return values_left(version.sets, version.person, version.counted)

    def _certain_values(self, sets: Words) -> tuple[Places, Codes]:
        """Return the places of sets with one value, ascending, and the value of each.

        For sets of combinations: a place for each attribute of which all combinations have one value, and the code of
        the claim about it.
        """
        common = common_values(sets, self.parts)
        row, attribute = np.nonzero(common >= 0)
        value = common[row, attribute]
        return row, value if self.parts is None else claimed_code(attribute, value, common.shape[1])


@dataclass(frozen=True)
class PathRisks:
    """Shares of the weight of all paths when values change along transitions (Definition 8)."""

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
        person = np.concatenate([v.person[counts] for v, counts in zip(self.feasible.versions, counted, strict=True)])
        risk = np.concatenate([found[counts] for found, counts in zip(sums.risk, counted, strict=True)])
        release = np.repeat(np.arange(len(counted), dtype=np.int32), [np.count_nonzero(counts) for counts in counted])
        return Risks(person, release, np.broadcast_to(np.int32(1), len(person)), risk)


class _PathSums:
    """The sums over all feasible paths.

    Attributes:
        blocks: the number of blocks of people.
        risk: by release, the risk of each version; NaN if the requested value is impossible.
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
        self.blocks, self._size = len(self._first) - 1, size

    def weigh(self, block: int) -> None:
        """Write the risks of the people of a block."""
        spans = [slice(bounds[block], bounds[block + 1]) for bounds in self._bounds]
        people = [v.person[span] - self._first[block] for v, span in zip(self._versions, spans, strict=True)]
        weights = list(map(self._weights, range(len(spans)), spans))
        incoming = [flow for flow, _ in self._swept(self._forward, people, weights)]
        backward, vanished = self._swept(self._backward, people[::-1], weights[::-1]), list[Codes]()
        for release, (_, sent) in zip(range(len(spans))[::-1], backward, strict=True):
            lost = self._note(incoming[release], sent, release, spans[release])
            vanished.append(self._versions[release].person[spans[release]][lost])
        for person in np.unique(np.concatenate(vanished)).tolist():
            self._weigh_by_logarithms(person)

    def _weights(self, release: int, span: slice) -> Reals:
        """Return the weight of each value in some versions, 0 where it is not feasible; shape (versions, values)."""
        version = self._versions[release]
        return version.feasible(span) * version.rows(span)

    def _swept(self, step: Step, people: list[Codes], weights: list[Reals]) -> Iterator[tuple[Reals, Reals]]:
        """Yield the incoming and the outgoing weight of each value of people, release by release; shape (who, values).

        They are sums of the weights of Equation 1 over all paths. They are scaled between releases so that they do not
        overflow.
        """
        state: Reals = np.zeros((self._size, len(self._weight)))
        new, bits = np.ones(self._size, dtype=np.bool_), 0.0
        for who, weight in zip(people, weights, strict=True):
            flow = step(state[who])
            flow[new[who]], new[who] = 1.0, False
            state[who] = sent = flow * weight
            yield flow, sent
            bits += self._bits
            if bits > _MOST_BITS:
                state, bits = _scaled(state), 0.0

    def _weigh_by_logarithms(self, person: int) -> None:
        """Write the risks of a person of whose feasible values one had its weight rounded to 0.

        It was far less likely than other values in one release, but may be likely given later ones. Logarithms
        represent weights of any size.
        """
        rows = [int(version.person.searchsorted(person)) for version in self._versions]
        seen = [
            (release, slice(row, row + 1))
            for release, (version, row) in enumerate(zip(self._versions, rows, strict=True))
            if row < len(version.person) and version.person[row] == person
        ]
        weights = np.concatenate([self._weights(release, span) for release, span in seen])
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
        for (release, span), share in zip(seen, shares[:, np.newaxis], strict=True):
            self._note(np.ones_like(share), share, release, span)

    def _note(self, incoming: Reals, sent: Reals, release: int, span: slice) -> Flags:
        """Store the probability of the requested value of each version; for combinations, of its likeliest part.

        Returns:
            The versions whose requested value is feasible but has probability 0 by rounding.
        """
        version, asked = self._versions[release], self._asked[release]
        asked = None if asked is None else asked[span]
        possible, lone = version.settled(span, asked)
        risk = _risk(incoming, sent, possible, lone, asked)
        vanished = risk == 0
        for column in () if self._feasible.parts is None else self._feasible.parts.T:
            feasible = _summed(version.feasible(span), column) > 0
            value = None if asked is None else np.where(asked >= 0, column[asked], np.int32(-1))
            through = _summed(incoming * sent, column)
            alone = np.asarray(feasible.sum(axis=1) == 1)
            risk = np.maximum(risk, _risk(np.ones_like(through), through, possible, alone, value))
        self.risk[release][span] = risk
        return vanished


def _image(allowed: Flags) -> Callable[[Words], Words]:
    """Return a function from sets of values to the sets of all values that may follow one of theirs.

    Sets are bits; shape (sets, words). The results for the 256 subsets of each eight values are in a table.

    Args:
        allowed: whether a value may be followed by another; shape (values, values), bool.
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
    """Return a function that multiplies rows of weights by the transitions.

    Sparse products add in one order. Those of BLAS add as the processor and the number of rows suggest: the digits of a
    risk would depend on both.
    """
    from scipy import sparse

    matrix = sparse.csr_array(weight)
    return lambda rows: rows @ matrix


def _scaled(rows: Reals) -> Reals:
    """Return rows divided by powers of two so that their largest entries are about one.

    Powers of two change no digit, so that a risk does not depend on when rows were scaled, nor on other people.
    """
    _, exponent = np.frexp(rows.max(axis=1, keepdims=True, initial=0.0))
    return np.asarray(np.ldexp(rows, -exponent))


def _summed(rows: npt.NDArray[np.number | np.bool_], part: Codes) -> Reals:
    """Return the sums of rows over combinations with the same part; shape (rows, parts)."""
    found = np.zeros((int(part.max(initial=-1)) + 1, len(rows)))
    np.add.at(found, part, rows.T)
    return found.T


def _risk(incoming: Reals, sent: Reals, possible: Flags, lone: Flags, asked: Codes | None) -> Reals:
    """Return the probability of the requested value of each row, of the likeliest one for -1; NaN if impossible.

    The weight of all paths through a value is the product of both weights (Equation 2). The result is 0 if that is too
    small for a float.
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
    risk = np.where(lone, 1.0, np.minimum(risk, BELOW_ONE))
    return np.where(possible, risk, np.nan)


@dataclass(frozen=True, eq=False, kw_only=True)
class UpdateGraphMeasures(MeasuresWithProducts):
    """How many versions of people are disclosed.

    Attributes:
        individuals: the number of people who count.
        versions: the number of their versions (a person in a release).
        disclosed: the number of versions with one feasible value.
        infeasible: the number of versions with none, which shows that the transitions are wrong.
    """

    individuals: int
    versions: int
    disclosed: int
    infeasible: int

    counted: ClassVar[tuple[str, str] | None] = ("versions", "disclosed")
    subjects_label: ClassVar[Noun | str] = VERSIONS
    by_version: ClassVar[bool] = True
    timeline_label: ClassVar[Phrase | str] = Phrase("certain")


@dataclass(frozen=True)
class UpdateGraphAttack(PolicyOptions):
    """Prune each person's graph of values and updates to the feasible paths."""

    name: ClassVar[str] = "update-graph"
    per_person: ClassVar[Literal[True]] = True
    measures: ClassVar[type[UpdateGraphMeasures]] = UpdateGraphMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "max_ever_risk"})
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "disclosure": FindingRule("One value of a person is on a possible path through the person's groups.", WITHHOLD)
    }

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the feasible values of every version, with a finding for each that has one."""
        reason = per_person_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        if evidence.transitions is None:
            return self._constant(evidence, budget)
        found = FeasibleValues(evidence, budget)
        found.run()
        seen, versions, infeasible, done = np.zeros(found.people, dtype=np.bool_), 0, 0, len(found.disclosed)
        for version in found.versions[:done]:
            seen[version.person[version.counted]] = True
            versions += int(np.count_nonzero(version.counted))
            infeasible += int(np.count_nonzero((sizes_of(version.sets) == 0) & version.counted))
        measures = UpdateGraphMeasures(
            individuals=int(np.count_nonzero(seen)),
            versions=versions,
            disclosed=found.disclosed[-1] if done else 0,
            infeasible=infeasible,
            timeline=found.disclosed,
        )
        claims = disclosures(evidence, *found.claims(), paths=True)
        reason = budget.reason_after(done, len(evidence.tags))
        outcome = Outcome.judged(self.name, reason, measures, claims, PathRisks(evidence, found))
        left = None if evidence.adversary.knows_presence else found.left
        return replace(outcome, exposed=tuple(found.exposed), left=left)

    def _constant(self, evidence: Evidence, budget: Budget) -> Outcome:
        """Return the outcome if values never change: a value is feasible if all pools of the person hold it."""
        state, done = fold_all(evidence, budget)
        measures = UpdateGraphMeasures(
            individuals=int(np.count_nonzero(state.versions)),
            versions=int(state.versions.sum(dtype=np.int64)),
            disclosed=state.disclosed[-1] if done else 0,
            infeasible=int(state.versions[state.sizes() == 0].sum(dtype=np.int64)),
            timeline=state.disclosed,
        )
        claims = disclosures(evidence, *_versions_of(evidence, done, state.claims()), paths=True)
        reason = budget.reason_after(done, len(evidence.tags))
        outcome = Outcome.judged(self.name, reason, measures, claims, CandidateRisks(evidence, state))
        left = None if evidence.adversary.knows_presence else partial(state.left, evidence)
        return replace(outcome, exposed=tuple(state.vulnerable), left=left)


def _versions_of(evidence: Evidence, releases: int, claims: Columns) -> Columns:
    """Return claims about people as claims about each of their versions in the first `releases` releases."""
    person, _, code = claims
    found: list[Columns] = [(_NO_CODES, _NO_CODES, _NO_CODES)]
    for release, pools in enumerate(map(evidence.pools, range(releases))):
        present = flagged(pools.person, pools.people)
        rows = np.flatnonzero(present[np.minimum(person, pools.people - 1)] & (person < pools.people))
        found.append((person[rows], np.full(len(rows), release, dtype=np.int32), code[rows]))
    person, when, value = map(np.concatenate, zip(*found, strict=True))
    return person, when, value
