"""Graphs: connected components, and sorting by keys.

For small graphs `scipy.sparse.csgraph` is not imported: that takes a third of a second, as long as a small audit.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Counts, Integers

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
