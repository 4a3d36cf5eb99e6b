"""Weights: groups whose weighted sum is a given equivalence, so that a reader can add them up by hand.

Other methods find the equivalences, usually by random numbers; this one proves each of them. Groups are gathered around
the people of the equivalence, those first whose members are mostly gathered already. A gathered group with a member in
no other gathered group has weight 0, unless the member is in the equivalence, and is dropped; the weights of the others
are found by elimination. If there is no solution, twice as many groups are gathered, up to about two thousand. A result
is checked in exact arithmetic, on all members and values of its groups.

Source: equivalence paper, Definition 10.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from attacks.equivalence.elimination import RIGHT, Row, solution_of
from attacks.equivalence.vectors import Vector
from attacks.matrix import Matrix, Types
from audit.model.arrays import Codes, Integers, flagged, grouped, segments, starts
from audit.runtime.budget import Budget

Weights = dict[int, Fraction]

_SEED = 0x5EED
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
