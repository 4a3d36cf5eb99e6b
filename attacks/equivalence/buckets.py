"""Buckets: series with one group per signature and release, whose histories are small graphs.

In such a series everybody stays in one bucket, and a bucket's groups, ordered by release and written as differences,
make each unbroken stay an edge between two nodes: the group it begins with and the first group without it. Weights W
of the groups become potentials of the nodes, and a person's entry of x = W S is the difference of potentials along
the edge. Hence a cut: no equivalence within a bucket is smaller than half the least cut of its graph.

Source: equivalence paper, Section VI (delta encoding, Algorithm 1, Theorem 2). People who return are no edges, which
the paper does not treat: `Bucket.floor`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from attacks.matrix import Matrix
from audit.core.cuts import NO_CUT, Labels, Weights, components, inseparable, min_cuts
from audit.core.evidence import Codes, Counts

Deltas = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Bucket:
    """The history of one bucket.

    Nodes 1, 2, ... are its groups in order of releases. A release without it is no node: people who are in its last
    group before and in its first group after have not been away. Node 0 stands for what follows the last group.
    A *kind* is a set of columns that are in the same groups.

    Attributes:
        groups: its groups in the matrix; shape (n,), int32.
        delta: 1 where people of a kind come, -1 where they are gone; shape (kinds, n + 1), int8. Each row sums to 0.
        times: number of columns of each kind; shape (kinds,), int64.
        value: its values, ascending; shape (v,), int32.
        rise: by how many rows of each value a group exceeds the one before; shape (n + 1, v), int64; row 0 is 0.
    """

    groups: Codes
    delta: Deltas
    times: Counts
    value: Codes
    rise: Counts

    @cached_property
    def graph(self) -> Weights:
        """Number of people with one unbroken stay between any two nodes; shape (n + 1, n + 1)."""
        edges = np.flatnonzero((self.delta != 0).sum(axis=1) == 2)
        begin, end = self.delta[edges].argmax(axis=1), self.delta[edges].argmin(axis=1)
        nodes = self.delta.shape[1]
        weights = np.zeros((nodes, nodes), dtype=np.int64)
        weights[begin, end] = self.times[edges]
        return weights + weights.T

    def contracted(self, labels: Labels) -> tuple[Counts, Counts]:
        """Return `delta` and `rise` of classes of nodes instead of nodes, without the class of node 0.

        Args:
            labels: the least node of each node's class; shape (n + 1,).
        """
        onto = (labels[:, None] == np.flatnonzero(np.bincount(labels))[1:]).astype(np.int64)
        return self.delta @ onto, onto.T @ self.rise


@dataclass(frozen=True)
class Buckets:
    """A bucket series.

    Attributes:
        buckets: the buckets, in the order of their first groups.
        first: number of each bucket's first kind, and the number of kinds at the end; shape (buckets + 1,), int64.
        kind: each column's kind, counted through all buckets, -1 for columns in no group; shape (columns,), int64.
    """

    buckets: tuple[Bucket, ...]
    first: Counts
    kind: Counts

    @cached_property
    def floors(self) -> Counts:
        """The least ||x||₁ that an integer x = W S other than 0 may have on each bucket's columns; shape (buckets,).

        Where the potentials differ within a connected component of the graph, they differ by whole numbers and ||x||₁
        is at least the least cut, whatever the people who return add. Where they do not, x is 0 but for people who
        return and whose stays, taken together, lead from one component to others: at least one kind of them counts.
        `NO_CUT` where x can only be 0. (A cut alone says nothing of a bucket with such people.)
        """
        floors = np.empty(len(self.buckets), dtype=np.int64)
        for places, graphs in self._stacks():
            floors[places] = min_cuts(graphs)[0]
            for place, labels in zip(places, components(graphs), strict=True):
                bucket = self.buckets[place]
                across = bucket.contracted(labels)[0].any(axis=1)
                floors[place] = min(floors[place], bucket.times[across].min(initial=NO_CUT))
        return floors

    def inseparable(self, places: Sequence[int], bound: int) -> list[Labels]:
        """Return classes of nodes whose potentials are equal in some buckets wherever ||x||₁ is at most the bound.

        Potentials of two nodes in one component differ by a whole number, and by 1 only if ||x||₁ is at least the
        least cut between them.
        """
        found: dict[int, Labels] = {}
        for chosen, graphs in self._stacks(places):
            found.update(zip(chosen.tolist(), inseparable(graphs, bound), strict=True))
        return [found[place] for place in places]

    def _stacks(self, places: Sequence[int] | None = None) -> Iterator[tuple[Counts, Weights]]:
        """Give some or all buckets of equal sizes together, with their graphs in a stack."""
        chosen = np.arange(len(self.buckets)) if places is None else np.asarray(places, dtype=np.int64)
        sizes = np.array([len(self.buckets[place].groups) for place in chosen])
        for size in np.unique(sizes):
            same = chosen[sizes == size]
            yield same, np.stack([self.buckets[place].graph for place in same])

    @classmethod
    def of(cls, matrix: Matrix) -> Buckets | None:
        """Return the buckets of a series, or None when it is no bucket series.

        Groups with the same values or with a common member are of one bucket, and so on; no release may have two
        groups of one bucket. (Values that are known beforehand may be missing in some groups of a bucket.)
        """
        bucket = _signatures(matrix)
        if _clash(matrix, bucket):
            return None
        start, group = matrix.by_column()
        bucket = _joined(bucket, start, group)
        if _clash(matrix, bucket):
            return None
        order, sizes = np.argsort(bucket, kind="stable"), np.bincount(bucket)
        base = np.concatenate([[0], np.cumsum(sizes + 1)])
        node = np.empty(matrix.groups, dtype=np.int64)
        node[order] = np.arange(matrix.groups) + np.repeat(np.arange(len(sizes)), sizes) + 1
        stays = _stays(start, node[group], base)
        kind, example = _kinds(stays, matrix.columns)
        times = np.bincount(kind[kind >= 0], minlength=len(example))
        home = bucket[group[start[example]]]
        first = np.searchsorted(home, np.arange(len(sizes) + 1))
        delta = _deltas(stays, example, base)
        buckets = []
        for number, (size, end) in enumerate(zip(sizes, np.cumsum(sizes), strict=True)):
            groups, mine = order[end - size : end], slice(first[number], first[number + 1])
            value, rise = _rises(matrix, groups)
            buckets.append(Bucket(groups.astype(np.int32), delta[mine, : size + 1].copy(), times[mine], value, rise))
        return cls(tuple(buckets), first, kind)


@dataclass(frozen=True, slots=True)
class _Stays:
    """Unbroken stays, by columns and in order of releases.

    Attributes:
        column: whose; shape (stays,), int64, ascending.
        begin, end: the node of the first group, and the node after the last one; shape (stays,), int64.
    """

    column: Counts
    begin: Counts
    end: Counts


def _signatures(matrix: Matrix) -> Counts:
    """Return a number for each group, the same for groups with the same values; shape (groups,)."""
    words = max(1, (matrix.values + 63) // 64)
    sizes = np.diff(matrix.value_start)
    place = np.repeat(np.arange(matrix.groups), sizes) * words + (matrix.value >> 6)
    masks = np.zeros(matrix.groups * words, dtype=np.uint64)
    np.bitwise_or.at(masks, place, np.uint64(1) << (matrix.value & 63).astype(np.uint64))
    rows = masks.reshape(-1, words).view(np.dtype((np.void, 8 * words)))[:, 0]
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)


def _clash(matrix: Matrix, bucket: Counts) -> bool:
    """Tell whether a release has two groups of one bucket."""
    key = matrix.release.astype(np.int64) * (int(bucket.max(initial=0)) + 1) + bucket
    return len(np.unique(key)) < len(key)


def _joined(bucket: Counts, start: Counts, group: Codes) -> Counts:
    """Return the same with buckets that have a member in common made one, numbered by their first groups."""
    inner = np.ones(len(group), dtype=np.bool_)
    inner[start[:-1][np.diff(start) > 0]] = False
    home = bucket[group]
    across = np.flatnonzero(inner[1:] & (home[1:] != home[:-1]))
    links = np.unique(np.stack([home[across], home[across + 1]]), axis=1)
    label = np.arange(int(bucket.max(initial=-1)) + 1)
    while not np.array_equal(label[links[0]], label[links[1]]):
        least = np.minimum(label[links[0]], label[links[1]])
        np.minimum.at(label, links[0], least)
        np.minimum.at(label, links[1], least)
    _, place, number = np.unique(label[bucket], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(place))[number]


def _stays(start: Counts, node: Counts, base: Counts) -> _Stays:
    """Return all stays from the nodes of each column's groups."""
    opens = np.ones(len(node) + 1, dtype=np.bool_)
    opens[1:-1] = node[1:] != node[:-1] + 1
    opens[start] = True
    after = np.arange(1, base[-1] + 1)
    after[base[1:] - 1] = base[:-1]
    begin = np.flatnonzero(opens[:-1])
    column = np.repeat(np.arange(len(start) - 1), np.diff(start))[begin]
    return _Stays(column, node[begin], after[node[opens[1:]]])


def _kinds(stays: _Stays, columns: int) -> tuple[Counts, Counts]:
    """Return each column's kind, -1 for none, and a column of each kind; kinds are ordered by their first stays."""
    first = np.searchsorted(stays.column, np.arange(columns + 1))
    number = np.diff(first)
    nodes = max(int(stays.begin.max(initial=0)), int(stays.end.max(initial=0))) + 1
    _, stay = np.unique(stays.begin * nodes + stays.end, return_inverse=True)
    history = np.full(columns, -1, dtype=np.int64)
    for step in range(int(number.max(initial=0))):
        mine = np.flatnonzero(number > step)
        before = history[mine] if step else np.zeros(len(mine), dtype=np.int64)
        _, code = np.unique(before * len(stay) + stay[first[mine] + step], return_inverse=True)
        history[mine] = code + (int(history.max(initial=-1)) + 1 if step else 0)
    kind = np.full(columns, -1, dtype=np.int64)
    present = np.flatnonzero(history >= 0)
    _, place, code = np.unique(history[present], return_index=True, return_inverse=True)
    example = present[place]
    order = np.argsort(stay[first[example]], kind="stable")
    kind[present] = np.argsort(order)[code]
    return kind, example[order]


def _deltas(stays: _Stays, example: Counts, base: Counts) -> Deltas:
    """Return 1 where a kind comes and -1 where it is gone, by kind and node; shape (kinds, most nodes)."""
    first, behind = np.searchsorted(stays.column, example), np.searchsorted(stays.column, example, side="right")
    sizes = behind - first
    kind = np.repeat(np.arange(len(example)), sizes)
    stay = np.arange(len(kind)) + np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    zero = base[np.searchsorted(base, stays.begin[stay], side="right") - 1]
    delta = np.zeros((len(example), int(np.diff(base).max(initial=1))), dtype=np.int8)
    delta[kind, stays.begin[stay] - zero] = 1
    delta[kind, stays.end[stay] - zero] = -1
    return delta


def _rises(matrix: Matrix, groups: Counts) -> tuple[Codes, Counts]:
    """Return the values of a bucket and by how many rows of each a group exceeds the one before, from node 0 on."""
    entry = np.concatenate([np.arange(matrix.value_start[group], matrix.value_start[group + 1]) for group in groups])
    value, place = np.unique(matrix.value[entry], return_inverse=True)
    rows = np.zeros((len(groups) + 1, len(value)), dtype=np.int64)
    sizes = np.diff(matrix.value_start)[groups]
    rows[np.repeat(np.arange(len(groups)), sizes) + 1, place] = matrix.rows[entry]
    rows[1:] -= rows[:-1].copy()
    return value, rows
