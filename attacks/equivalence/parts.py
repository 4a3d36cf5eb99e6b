"""Parts: connected components of groups with common members, and a lower bound of the equivalences in each.

A part with one group in each of its releases is a *bucket*: all people of one signature, as `e-equivalence` publishes.
Its groups, ordered by release, are the nodes of a graph. Each unbroken stay of a person is an edge between two nodes:
the first group with the person, and the first group after it without. The differences of the groups' weights W become
potentials of the nodes, and a person's entry of x = W S is the difference of potentials along the edge. Hence no
equivalence within a bucket is smaller than half the least cut of its graph.

Groups with the same set of values are put into one part if that makes it a bucket. The paper partitions U by linear
dependence of its rows, which have then the same values; the converse holds if each value of a group is equally frequent
(m-invariance). Otherwise W U = 0 has an equation for each value of the part (`vector_lattices`).

Source: equivalence paper, Section VI (delta encoding, Algorithm 1, Theorem 2). The paper does not treat people who
leave and return, who are no edges: `Parts.norm_lower_bounds`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.matrix import Matrix, Types, blocks
from attacks.value_sets import value_masks
from audit.model.arrays import Codes, Counts, Flags, component_of, flagged, grouped, ranks_within
from audit.model.evidence import ValueCounts
from audit.model.minimum_cuts import NO_CUT, Labels, Weights, components, inseparable, min_cuts

Delta: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Part:
    """Some groups that share no members with others.

    Attributes:
        groups: its groups in the matrix, ascending; shape (n,), int32.
        types: the types of its members (`Parts.types`); shape (t,), int64.
        size: the number of columns of each type; shape (t,), int64.
        delta: the person matrix of a bucket in delta encoding, shape (t, n + 1), int8: 1 at the first group of a stay
            of the type, -1 at the first group after it (node 0 after the last release). Nodes 1, 2, … are the groups in
            order, and each row sums to 0. None if a release has several groups of the part.
    """

    groups: Codes
    types: Counts
    size: Counts
    delta: Delta | None

    @property
    def bucket_graph(self) -> Weights:
        """Return the number of people of a bucket with one unbroken stay between two nodes; shape (n + 1, n + 1).

        Source: equivalence paper, Algorithm 1.

        Raises:
            ValueError: the part is no bucket.
        """
        if self.delta is None:
            raise ValueError("only buckets have graphs")
        edges = np.flatnonzero((self.delta != 0).sum(axis=1) == 2)
        begin, end = self.delta[edges].argmax(axis=1), self.delta[edges].argmin(axis=1)
        weights = np.zeros((self.delta.shape[1],) * 2, dtype=np.int64)
        weights[begin, end] = self.size[edges]
        return weights + weights.T


@dataclass(frozen=True)
class Parts:
    """The parts of a series.

    Attributes:
        matrix: the series.
        types: the types of its columns: columns in the same groups have one type.
        parts: the parts, in the order of their first groups.
    """

    matrix: Matrix
    types: Types
    parts: tuple[Part, ...]

    @property
    def are_buckets(self) -> bool:
        """Whether all parts are buckets."""
        return all(part.delta is not None for part in self.parts)

    @cached_property
    def norm_lower_bounds(self) -> Counts:
        """A lower bound of ||x||₁ for integer x = W S other than 0 on each part's columns (Theorem 2); shape (parts,).

        In a bucket: if the potentials differ within a connected component of the graph, they differ by whole numbers,
        and ||x||₁ is at least the least cut, whatever people who return add to it. Otherwise x is 0 except for people
        who return and whose presences lie in several components: ||x||₁ is at least the size of such a type. `NO_CUT`
        if x can only be 0. In a part that is no bucket, the bound is the size of the smallest type.
        """
        norm_lower_bounds = np.array([int(part.size.min(initial=NO_CUT)) for part in self.parts], dtype=np.int64)
        for places, graphs in self._stacks(np.arange(len(self.parts))):
            norm_lower_bounds[places] = min_cuts(graphs)
            for place, labels in zip(places.tolist(), components(graphs), strict=True):
                part = self.parts[place]
                across = (part.delta @ classes(labels)).any(axis=1)
                norm_lower_bounds[place] = min(norm_lower_bounds[place], part.size[across].min(initial=NO_CUT))
        return norm_lower_bounds

    def inseparable(self, places: Sequence[int], bound: int) -> list[Labels | None]:
        """Return, for some parts, the classes of nodes whose potentials are equal if ||x||₁ is at most the bound.

        Potentials of two nodes in one component differ by a whole number; if they differ, ||x||₁ is at least the least
        cut between the nodes. None for parts that are no buckets.
        """
        found: dict[int, Labels] = {}
        for chosen, graphs in self._stacks(np.asarray(places, dtype=np.int64)):
            found.update(zip(chosen.tolist(), inseparable(graphs, bound), strict=True))
        return [found.get(place) for place in places]

    def _stacks(self, places: Counts) -> Iterator[tuple[Counts, Weights]]:
        """Yield stacks of buckets of equal size among some parts, with their graphs."""
        sizes = np.array([0 if (part := self.parts[at]).delta is None else len(part.groups) for at in places.tolist()])
        for size in np.unique(sizes[sizes > 0]).tolist():
            same = places[sizes == size]
            yield same, np.stack([self.parts[place].bucket_graph for place in same.tolist()])

    @classmethod
    def of(cls, matrix: Matrix) -> Parts:
        """Return the parts of a series; groups with equal values are one part if that makes it a bucket.

        (Values that are known beforehand may be missing in some groups of a bucket.)
        """
        types = Types.among(matrix)
        start, group = matrix.by_column()
        home, bucket = _homes(matrix, start, group)
        type_home = home[group[start[types.example]]]
        by_home = [grouped(of, len(bucket)) for of in (type_home, home)]
        delta = _delta_encoding(matrix, types, home, bucket)
        parts = []
        for number, is_bucket in enumerate(bucket.tolist()):
            chosen, groups = (order[begin[number] : begin[number + 1]] for begin, order in by_home)
            of_bucket = delta[chosen, : len(groups) + 1] if is_bucket else None
            parts.append(Part(groups.astype(np.int32), chosen, types.size[chosen], of_bucket))
        return cls(matrix, types, tuple(parts))


def classes(labels: Labels) -> Counts:
    """Return whether each node is in each class, without the class of node 0; shape (nodes, classes - 1), 0 or 1.

    Args:
        labels: the least node of each node's class; shape (nodes,).
    """
    return (labels[:, None] == np.flatnonzero(np.bincount(labels))[1:]).astype(np.int64)


def may_be_buckets(matrix: Matrix) -> bool:
    """Return whether no release has two groups with the same values: a quick check."""
    return not _clashing(matrix, _signatures(matrix)).any()


def _homes(matrix: Matrix, start: Counts, group: Codes) -> tuple[Counts, Flags]:
    """Return the part of each group, numbered by first groups, and which parts are buckets."""
    home = _joined(_signatures(matrix), start, group)
    clashing = _clashing(matrix, home)
    if clashing.any():
        connected = _joined(np.arange(matrix.groups), start, group)
        home = np.where(clashing[home], len(clashing) + connected, home)
    _, first, number = np.unique(home, return_index=True, return_inverse=True)
    home = np.argsort(np.argsort(first))[number]
    return home, ~_clashing(matrix, home)


def _signatures(matrix: Matrix) -> Counts:
    """Return a number for each group, the same for groups with the same values; shape (groups,)."""
    words = max(1, (matrix.values + 63) // 64)
    group = np.repeat(np.arange(matrix.groups, dtype=np.int32), np.diff(matrix.value_start))
    masks = value_masks(ValueCounts(group, matrix.value.astype(np.int32), None), matrix.groups, words)
    rows = masks.view(np.dtype((np.void, 8 * words)))[:, 0]
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)


def _clashing(matrix: Matrix, label: Counts) -> Flags:
    """Return which labels two groups of one release have; shape (labels,)."""
    labels = int(label.max(initial=-1)) + 1
    key, times = np.unique(matrix.release.astype(np.int64) * labels + label, return_counts=True)
    return flagged(key[times > 1] % max(labels, 1), labels)


def _joined(label: Counts, start: Counts, group: Codes) -> Counts:
    """Return labels of groups, the same for groups with equal labels or a common member, and so on."""
    sizes = np.diff(start)
    found = [np.zeros((2, 0), dtype=label.dtype)]
    for first, last in blocks(start):
        home, line = label[group[start[first] : start[last]]], np.repeat(np.arange(first, last), sizes[first:last])
        across = np.flatnonzero((line[1:] == line[:-1]) & (home[1:] != home[:-1]))
        found.append(np.stack([home[across], home[across + 1]]))
    ends = np.concatenate(found, axis=1)
    return component_of(ends[0], ends[1], int(label.max(initial=-1)) + 1)[label]


def _delta_encoding(matrix: Matrix, types: Types, home: Counts, bucket: Flags) -> Delta:
    """Return the delta encoding (Section VI-A), transposed: where people of each type in a bucket come and go.

    Shape (types, most groups of a bucket + 1).
    """
    sizes, node = np.bincount(home, minlength=len(bucket)), ranks_within(home)
    chosen = flagged(types.example, matrix.columns)
    steps = np.zeros((len(types.example), int(sizes[bucket].max(initial=0)) + 1), dtype=np.int8)
    ends = np.zeros(len(steps), dtype=np.bool_)
    for first, last in blocks(matrix.start):
        member = matrix.member[matrix.start[first] : matrix.start[last]]
        of = np.repeat(np.arange(first, last), np.diff(matrix.start[first : last + 1]))
        kept = chosen[member] & bucket[home[of]]
        who, of = types.of[member[kept]], of[kept]
        steps[who, node[of] + 1] = 1
        ends[who[node[of] + 1 == sizes[home[of]]]] = True
    steps[:, 1:] -= steps[:, :-1].copy()
    # People in a bucket's last group leave at its node 0.
    steps[ends, 0] = -1
    return steps
