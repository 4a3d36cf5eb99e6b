"""Ragged arrays, lookups, sorting by keys, and connected components, in numpy.

For small graphs `scipy.sparse.csgraph` is not imported: that takes a third of a second, as long as a small audit.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Counts, Integers, Numbers, Words

_SMALL_GRAPH_NODES = 256


def component_of(tail: Integers, head: Integers, nodes: int, *, strong: bool = False) -> Counts:
    """Return the component of each node, as a number; undirected components are numbered by their first nodes.

    Args:
        tail: one end of each edge; shape (edges,).
        head: the other end; shape (edges,).
        nodes: the number of nodes.
        strong: whether edges are directed from tail to head, and components are strongly connected.

    >>> component_of(np.array([3, 1]), np.array([0, 2]), 5).tolist()
    [0, 1, 1, 0, 2]
    >>> label = component_of(np.array([0, 1, 1]), np.array([1, 0, 2]), 3, strong=True)
    >>> bool(label[0] == label[1] != label[2])
    True
    """
    if nodes > _SMALL_GRAPH_NODES:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = coo_array((np.ones(len(tail), dtype=np.bool_), (tail, head)), shape=(nodes, nodes))
        label: Counts = connected_components(graph, directed=strong, connection="strong")[1]
        return label.astype(np.int64)
    reached = np.eye(nodes, dtype=np.float32)
    reached[tail, head] = 1
    if not strong:
        reached[head, tail] = 1
    for _ in range(nodes.bit_length()):  # each round doubles the length of the paths
        reached = np.minimum(reached @ reached, 1)
    return np.unique((reached * reached.T).argmax(axis=1), return_inverse=True)[1] if nodes else np.zeros(0, np.int64)


def grouped(keys: Integers, size: int) -> tuple[Counts, Counts]:
    """Return where the indices of each key below `size` begin, shape (size + 1,), and the indices sorted by key.

    >>> [found.tolist() for found in grouped(np.array([1, 0, 1]), 3)]
    [[0, 1, 3, 3], [1, 0, 2]]
    """
    begin = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=size), out=begin[1:])
    return begin, np.argsort(keys, kind="stable")


def starts(sizes: Integers) -> Numbers:
    """Return where segments of given sizes begin, and where the last one ends; shape (segments + 1,), int64.

    >>> starts(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    found = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, dtype=np.int64, out=found[1:])
    return found


def ragged(first: Integers, size: Integers) -> Numbers:
    """Return the places of segments with given first places and sizes, one segment after the other.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(size) - size
    return np.arange(int(size.sum()), dtype=np.int64) + np.repeat(first - before, size)


def segments(start: Integers, some: Integers) -> Numbers:
    """Return the places of the entries of some items of a ragged array, one item after the other."""
    return ragged(start[some], start[some + 1] - start[some])


def mixed(numbers: Integers, seed: int) -> Words:
    """Return well mixed 64-bit numbers (splitmix64), for fingerprints that are verified afterwards."""
    z = numbers.astype(np.uint64) + np.uint64((0x9E3779B97F4A7C15 * (2 * seed + 1)) & (2**64 - 1))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def renumbered(used: Integers, size: int) -> tuple[Numbers, Numbers]:
    """Return the distinct numbers of `used`, ascending, and the rank of each number below `size`, -1 for unused ones.

    >>> [found.tolist() for found in renumbered(np.array([4, 1, 4]), 5)]
    [[1, 4], [-1, 0, -1, -1, 1]]
    """
    flags = np.zeros(size, dtype=np.bool_)
    flags[used] = True
    distinct = np.flatnonzero(flags)
    rank = np.full(size, -1, dtype=np.int64)
    rank[distinct] = np.arange(len(distinct))
    return distinct, rank


def places_of(numbers: Integers, some: Integers) -> Numbers:
    """Return the place of each number in `some`, whose numbers are distinct; -1 for numbers that it lacks.

    >>> places_of(np.array([[4, 3], [1, 4]]), np.array([4, 1])).tolist()
    [[0, -1], [1, 0]]
    """
    if not len(some):
        return np.full(numbers.shape, -1, dtype=np.int64)
    order = np.argsort(some, kind="stable")
    found = order[np.minimum(np.searchsorted(some, numbers, sorter=order), len(some) - 1)]
    return np.where(some[found] == numbers, found, -1)
