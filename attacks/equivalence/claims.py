"""Claims: findings that span all equivalences found, each with weights of groups that prove it.

People with equal values form classes, and a spanning forest of pairs connects each class, the pairs that are easiest to
prove first. Classes that contain only counterfeits reveal nothing about people and get no pairs; in all other classes
each pair contains a person.

Weights: groups whose weighted sum is a given equivalence, so that a reader can add them up by hand.

Other methods find the equivalences, usually by random numbers; this one proves each of them. Groups are gathered around
the people of the equivalence, those first whose members are mostly gathered already. A gathered group with a member in
no other gathered group has weight 0, unless the member is in the equivalence, and is dropped; the weights of the others
are found by elimination. If there is no solution, twice as many groups are gathered, up to about two thousand. A result
is checked in exact arithmetic, on all members and values of its groups.

Source: equivalence paper, Definition 10.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from attacks.equivalence.elimination import RIGHT, Row, solution_of
from attacks.equivalence.fingerprint import chance_of_error
from attacks.equivalence.strategy import Found
from attacks.equivalence.vectors import Vector
from attacks.matrix import Matrix, Types
from audit.findings.equivalence import AnyCombination, Equivalence, Equivalences, Pinned, WeightedGroup
from audit.model.arrays import Codes, Flags, Integers, Places, component_of, flagged, grouped, segments, starts
from audit.model.evidence import Evidence
from audit.model.finding import AnonymousCounterfeit, Member
from audit.model.measures import Measures
from audit.runtime.budget import Budget

Weights = dict[int, Fraction]

_MOST_GROUPS = 2048
_FEW_MORE = 8
_SAFE = 2**62


class Solver:
    """Finds weights for the equivalences of one series, one after the other.

    Columns that are in the same groups always have the same entry in a sum of groups: one of them represents all, so
    that large groups cost no more.
    """

    def __init__(self, matrix: Matrix) -> None:
        self._matrix = matrix
        self._group_start, self._group = matrix.by_column()
        types = Types.among(matrix)
        present = types.of >= 0
        self._representative = np.arange(matrix.columns, dtype=np.int32)
        self._representative[present] = types.example[types.of[present]]
        kept = self._representative[matrix.member] == matrix.member
        self._start = starts(np.add.reduceat(kept, matrix.start[:-1], dtype=np.int64))
        self._member = matrix.member[kept]
        self._token = np.random.default_rng(_SEED).integers(0, 2**64, matrix.groups, dtype=np.uint64)
        self._most = int(matrix.rows.max(initial=1))

    def weights(self, vector: Vector, value: int | None = None, budget: Budget | None = None) -> Weights | None:
        """Return weights by group, in the order of groups, whose sum is a vector; None if none were found.

        The weighted values of the groups add up to 0 or, if `value` is given, to that value once: the vector is then
        the single column that has it. No weight is 0.
        """
        columns, first = np.unique(self._representative[vector.columns], return_index=True)
        target = Vector(columns, vector.times[first])
        gathered = np.unique(self._groups_of(columns))
        while budget is None or not budget.exhausted():
            equations, left = self._equations(gathered, target)
            found = solution_of(equations)
            if found is not None:
                weights = dict(sorted((int(left[place]), weight) for place, weight in found.items()))
                return weights if self._exact(weights, vector, value) else None
            more = self._grown(gathered)
            if len(more) == len(gathered) or len(gathered) >= _MOST_GROUPS:
                return None
            gathered = more
        return None

    def _groups_of(self, columns: Codes) -> Codes:
        return self._group[segments(self._group_start, columns)]

    def _grown(self, gathered: Codes) -> Codes:
        """Return some groups and about as many more, those with the largest share of gathered members first."""
        wanted = max(2 * len(gathered), len(gathered) + _FEW_MORE)
        while True:
            members = np.unique(self._member[segments(self._start, gathered)])
            near, shared = np.unique(self._groups_of(members), return_counts=True)
            fresh = ~np.isin(near, gathered)
            near, share = near[fresh], (shared / np.diff(self._start)[near])[fresh]
            gathered = np.concatenate([gathered, near[np.lexsort((near, -share))[: wanted - len(gathered)]]])
            if not len(near) or len(gathered) >= wanted:
                return gathered

    def _equations(self, gathered: Codes, target: Vector) -> tuple[list[Row], Codes]:
        """Return the equations for the weights of some groups, and the groups of the unknowns."""
        sizes, member = np.diff(self._start)[gathered], self._member[segments(self._start, gathered)]
        column, row = np.unique(member, return_inverse=True)
        total = np.zeros(len(column), dtype=np.int64)
        found = np.isin(target.columns, column)
        total[np.searchsorted(column, target.columns[found])] = target.times[found]
        unknown = np.repeat(np.arange(len(gathered)), sizes)
        while True:
            lonely = (np.bincount(row, minlength=len(column)) == 1) & (total == 0)
            dropped = flagged(unknown[lonely[row]], len(gathered))
            if not dropped.any():
                break
            kept = ~dropped[unknown]
            unknown, row = unknown[kept], row[kept]
        left, unknown = np.unique(unknown, return_inverse=True)
        groups = gathered[left]
        start, order = grouped(row, len(column))
        sums = np.concatenate([[np.uint64(0)], np.cumsum(self._token[groups[unknown[order]]])])
        # Equal equations, of which small series of large groups have many, are solved once.
        key = (sums[start[1:]] - sums[start[:-1]]) ^ total.astype(np.uint64)
        distinct = np.sort(np.unique(key, return_index=True)[1])
        unknown = unknown[order]
        equations = [
            dict.fromkeys(unknown[start[place] : start[place + 1]].tolist(), 1)
            | ({RIGHT: int(total[place])} if total[place] else {})
            for place in distinct.tolist()
        ]
        return equations, groups

    def _exact(self, weights: Weights, vector: Vector, value: int | None) -> bool:
        """Return whether the weighted groups add up to a vector, and their values to the required sum."""
        matrix = self._matrix
        groups = np.array(list(weights), dtype=np.int32)
        scale = math.lcm(*(weight.denominator for weight in weights.values()))
        whole = [int(weight * scale) for weight in weights.values()]
        kind = np.int64 if sum(map(abs, whole)) * self._most < _SAFE else np.object_
        times = np.array(whole, dtype=kind)
        start, member = matrix.members_of(groups)
        people = dict(zip(vector.columns.tolist(), vector.times.tolist(), strict=True))
        if _sums(member, np.repeat(times, np.diff(start))) != {who: entry * scale for who, entry in people.items()}:
            return False
        held = segments(matrix.value_start, groups)
        rows = np.repeat(times, np.diff(matrix.value_start)[groups]) * matrix.rows[held].astype(kind)
        return _sums(matrix.value[held], rows) == ({} if value is None else {value: scale})


def _sums(place: Integers, term: npt.NDArray[np.generic]) -> dict[int, int]:
    """Return the exact sum of the terms at each place, without sums of 0."""
    distinct, where = np.unique(place, return_inverse=True)
    total = np.zeros(len(distinct), dtype=term.dtype)
    np.add.at(total, where, term)
    return {place: total for place, total in zip(distinct.tolist(), total.tolist(), strict=True) if total}


_SEED = 0x5EED
_ROUNDS = 2
_Pairs = Integers


@dataclass(frozen=True, slots=True)
class SpanningForest:
    """Pairs of columns that form a spanning tree of each class.

    Attributes:
        pair: pairs of columns, sorted by `effort`, then by column; shape (pairs, 2), int32.
        effort: 0 if two groups have the same members except for the pair, so that their difference proves it; 1 if that
            holds after pairs of effort 0 are merged; 2 if no short proof is known; shape (pairs,), int32.
    """

    pair: Codes
    effort: Codes


def spanning_forest(matrix: Matrix, label: Codes) -> SpanningForest:
    """Return pairs that connect the classes, easy pairs if there are any.

    Cost: a few sorts of the memberships of columns that share a class.

    Args:
        matrix: the groups.
        label: by column, its class of columns with equal values; -1 where it is in no group; shape (columns,).
    """
    sizes = np.bincount(label[label >= 0], minlength=1)
    people = np.bincount(label[matrix.individual & (label >= 0)], minlength=len(sizes))
    sharing = (label >= 0) & (sizes[label] > 1) & (people[label] > 0)
    place = np.flatnonzero(sharing[matrix.member])
    group = np.searchsorted(matrix.start, place, side="right") - 1
    same_as = np.arange(matrix.columns)
    rounds: list[_Pairs] = []
    while len(rounds) < _ROUNDS:
        pairs = _agreeing(matrix, label, place, group, same_as)
        rounds.append(pairs)
        if not len(pairs):
            break
        same_as = _merged(same_as, pairs)
    return _forest([*rounds, _neighbours(np.flatnonzero(sharing), label, same_as, matrix.individual)], matrix.columns)


def _agreeing(matrix: Matrix, label: Codes, place: Places, group: Places, same_as: Places) -> _Pairs:
    """Return pairs of columns of one class that are the only difference between two groups.

    Groups are compared by sums of random numbers. A pair that is found by chance is still of one class.

    Args:
        matrix: the groups.
        label: the class of each column.
        place: the memberships of columns that share a class.
        group: the group of each of these memberships.
        same_as: a number for each column; columns with equal numbers are treated as the same.
    """
    rng = np.random.default_rng(_SEED)
    token = rng.integers(0, 2**64, matrix.columns, dtype=np.uint64)[same_as]
    by_label = rng.integers(0, 2**64, matrix.columns, dtype=np.uint64)[label]
    key = matrix.sums_of(token)[group] + (by_label - token)[matrix.member[place]]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    pairs = matrix.member[place[np.stack([order[twice], order[twice + 1]], axis=1)]]
    same_class = (label[pairs[:, 0]] == label[pairs[:, 1]]) & matrix.individual[pairs].any(axis=1)
    return pairs[same_class & (same_as[pairs[:, 0]] != same_as[pairs[:, 1]])]


def _neighbours(sharing: Places, label: Codes, same_as: Places, individual: Flags) -> _Pairs:
    """Return pairs that join the separate pieces of each class: people in a chain, counterfeits with a person."""
    sharing = sharing[np.argsort(~individual[sharing], kind="stable")]
    _, first = np.unique(same_as[sharing], return_index=True)
    separate = sharing[first]
    separate = separate[np.lexsort((separate, ~individual[separate], label[separate]))]
    _, begin, of_class = np.unique(label[separate], return_index=True, return_inverse=True)
    left = np.where(individual[separate], separate, separate[begin][of_class])
    pairs = np.stack([left[:-1], separate[1:]], axis=1)
    return pairs[of_class[:-1] == of_class[1:]]


def _merged(same_as: Places, pairs: _Pairs) -> Places:
    """Return a number for each column that is the same for columns that were equal before, or that pairs connect."""
    ends = same_as[pairs]
    return component_of(ends[:, 0], ends[:, 1], len(same_as))[same_as]


def _forest(rounds: list[_Pairs], columns: int) -> SpanningForest:
    """Return as many pairs as possible without a cycle, those of earlier rounds first; the last round has effort 2."""
    pair = np.sort(np.concatenate(rounds), axis=1).astype(np.int64)
    effort = np.repeat([*range(len(rounds) - 1), _ROUNDS], [*map(len, rounds)])
    key, first = np.unique(pair[:, 0] * columns + pair[:, 1], return_index=True)
    tail, head, effort = key // columns, key % columns, effort[first]
    if len(key) > columns - 1 - component_of(tail, head, columns).max(initial=-1):  # some lie on cycles
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        # Before version 1.17.1, scipy only takes 32-bit indices.
        ends = tail.astype(np.int32), head.astype(np.int32)
        forest = minimum_spanning_tree(csr_array((effort + 1.0, ends), shape=(columns, columns))).tocoo()
        tail, head, effort = forest.row, forest.col, forest.data - 1
    order = np.lexsort((head, tail, effort))
    return SpanningForest(np.stack([tail, head], axis=1)[order].astype(np.int32), effort[order].astype(np.int32))


@dataclass
class SpanningClaims:
    """Pinned values, pairs of columns with equal values, and equivalences with more people, in this order.

    Attributes:
        evidence: the names of groups and values.
        matrix: the judged releases.
        found: the result for them.
        seconds: the time limit of the search for weights; None means no limit.
        pin: columns of individuals whose value is pinned.
        forest: pairs of columns with equal values, which together span each class.
        more: the indices of the witnesses with e of at least 2 in which people take part.
    """

    evidence: Evidence
    matrix: Matrix
    found: Found
    seconds: float | None
    pin: Codes
    forest: SpanningForest
    more: Places

    @classmethod
    def of(cls, evidence: Evidence, matrix: Matrix, found: Found, seconds: float | None) -> SpanningClaims:
        """Return claims that span everything found."""
        pin = np.flatnonzero(matrix.individual & (found.pinned >= 0)).astype(np.int32)
        more = np.flatnonzero((found.witnesses.e > 1) & found.witnesses.with_some(matrix.individual))
        return cls(evidence, matrix, found, seconds, pin, spanning_forest(matrix, found.label), more)

    def shown(self, nothing: Measures) -> Equivalences:
        """Return the claims as columns; `nothing` are the measures to report if values turn out to change."""
        pins, pairs, more = len(self.pin), len(self.forest.pair), self.found.witnesses
        e = np.concatenate([np.zeros(pins, np.int32), np.ones(pairs, np.int32), more.e[self.more]])
        effort, person = np.zeros(len(e), dtype=np.int32), np.full(len(e), -1, dtype=np.int32)
        effort[pins : pins + pairs], person[:pins] = self.forest.effort, self.pin
        first = self.matrix.first_release()
        when = [
            first[self.pin],
            first[self.forest.pair].max(axis=1, initial=0),
            np.array([first[more.vector(place).columns].max() for place in self.more.tolist()], dtype=np.int32),
        ]
        whole = self.found.releases == len(self.evidence.tags)
        build, sides = self._build, self._sides
        release = np.concatenate(when)
        return Equivalences(e, effort, release, nothing, sides, build, int(whole), not whole, person)

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.matrix)

    def _vector(self, place: int) -> tuple[Vector, int | None]:
        """Return the vector of a claim, and the value that it pins."""
        if place < len(self.pin):
            column = int(self.pin[place])
            return Vector.of({column: 1}), int(self.found.pinned[column])
        place -= len(self.pin)
        if place < len(self.forest.pair):
            left, right = self.forest.pair[place].tolist()
            return Vector.of({left: 1, right: -1}), None
        return self.found.witnesses.vector(int(self.more[place - len(self.forest.pair)])), None

    def _combined(self, place: int, budget: Budget) -> tuple[WeightedGroup[int], ...]:
        """Return the weighted groups that prove a claim; empty if none were found."""
        vector, value = self._vector(place)
        weights = self._solver.weights(vector, value, budget) or {}
        names = {group: name_of(self.evidence, self.matrix, group) for group in sorted(weights)}
        return tuple(WeightedGroup(int(self.matrix.release[g]), name, weights[g]) for g, name in names.items())

    def _sides(self, places: Places) -> list[AnyCombination]:
        return [self._claimed(int(place), ()) for place in places]

    def _build(self, places: Places) -> list[AnyCombination]:
        budget, begun = Budget(self.seconds), time.monotonic()
        built: list[AnyCombination] = [self._claimed(place, self._combined(place, budget)) for place in places.tolist()]
        if self.seconds is not None:
            self.seconds = max(0.0, self.seconds - (time.monotonic() - begun))
        return built

    def _claimed(self, place: int, certificate: tuple[WeightedGroup[int], ...]) -> AnyCombination:
        vector, value = self._vector(place)
        people = [member_of(self.evidence, self.matrix, column) for column in vector.columns.tolist()]
        entries = dict(zip(people, vector.times.tolist(), strict=True))
        left = {who: times for who, times in entries.items() if times > 0}
        right = {who: -times for who, times in entries.items() if times < 0}
        error = None if certificate else self.found.error
        how: Literal["proof", "fingerprint"] = "proof" if certificate else "fingerprint"
        if value is None:
            return Equivalence(sum(right.values()), left, right, certificate=certificate, evidence=how, error=error)
        [who] = left
        release = max((step.release for step in certificate), default=len(self.evidence.tags) - 1)
        return Pinned(who, release, value, 1.0, certificate=certificate, evidence=how, error=error)


def equal_pair(evidence: Evidence, matrix: Matrix, pair: Codes, *, solver: bool) -> Equivalence[int]:
    """Return the finding that two columns are equal in all worlds, by a solver or by groups with ruled-out values."""
    left, right = (member_of(evidence, matrix, column) for column in pair.tolist())
    error = None if solver else chance_of_error(matrix)
    return Equivalence(1, {left: 1}, {right: 1}, evidence="solver" if solver else "fingerprint", error=error)


def name_of(evidence: Evidence, matrix: Matrix, group: int) -> str:
    """Return the name of a group."""
    return evidence.source.group_names(int(matrix.release[group]), matrix.code[[group]])[0]


def member_of(evidence: Evidence, matrix: Matrix, column: int) -> Member:
    """Return the person or counterfeit of a column."""
    people = matrix.columns - matrix.nameless
    if column < people:
        return column
    place = int(np.flatnonzero(matrix.member == column)[0])
    group = int(np.searchsorted(matrix.start, place, side="right")) - 1
    earlier = matrix.member[matrix.start[group] : place]
    return AnonymousCounterfeit(
        int(matrix.release[group]), name_of(evidence, matrix, group), int((earlier >= people).sum())
    )
