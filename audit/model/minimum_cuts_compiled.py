"""Compiled twins of the kernels in `audit.model.minimum_cuts`, for many or large graphs.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel. The
numpy kernels are the oracle of these.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

NO_CUT = np.int64(2**63 - 1)


@kernel
def _heaviest(weights: Array) -> int:
    """Return the node with the largest sum of weights."""
    node, most = 0, np.int64(-1)
    for i in range(len(weights)):
        total = weights[i].sum()
        if total > most:
            node, most = i, total
    return node


@kernel
def _next(tied: Array, weights: Array, node: int) -> int:
    """Take a node into the order and return the one that follows; nodes in the order are negative."""
    tied[node] = -1
    follower, most = node, np.int64(-1)
    for i in range(len(tied)):
        if tied[i] >= 0:
            tied[i] += weights[node, i]
            if tied[i] > most:
                follower, most = i, tied[i]
    return follower


@kernel
def _last_two(weights: Array, tied: Array) -> tuple[int, int, np.int64]:
    """Return the last node of an adjacency order of one component, the one before it, and its weight."""
    tied[:] = 0
    last = before = _heaviest(weights)
    cut = np.int64(0)
    node = _next(tied, weights, last)
    while node != last and tied[node] > 0:
        before, last, cut = last, node, tied[node]
        node = _next(tied, weights, node)
    return last, before, cut


@kernel
def _merge(weights: Array, gone: int, into: int) -> None:
    """Merge one node into another."""
    for i in range(len(weights)):
        weights[into, i] += weights[gone, i]
        weights[i, into] = weights[into, i]
        weights[gone, i] = 0
        weights[i, gone] = 0
    weights[into, into] = 0


@kernel
def min_cuts(weights: Array) -> tuple[Array, Array]:
    """Return the least weight that parts a connected component of each graph, and a side of such a cut."""
    graphs, nodes = weights.shape[:2]
    values = np.full(graphs, NO_CUT, dtype=np.int64)
    sides = np.zeros((graphs, nodes), dtype=np.bool_)
    tied = np.zeros(nodes, dtype=np.int64)
    for graph in range(graphs):
        left = weights[graph].copy()
        head = np.arange(nodes)
        while True:
            last, before, cut = _last_two(left, tied)
            if cut == 0:
                break
            if cut < values[graph]:
                values[graph] = cut
                sides[graph] = head == last
            head[head == last] = before
            _merge(left, last, before)
    return values, sides


@kernel
def _runs(weights: Array, bound: int, tied: Array) -> Array:
    """Return classes of nodes that follow each other in an adjacency order with more weight than the bound."""
    nodes = len(weights)
    runs, least = np.arange(nodes), np.arange(nodes)
    tied[:] = 0
    last = _heaviest(weights)
    for _ in range(nodes - 1):
        node = _next(tied, weights, last)
        if tied[node] > bound:
            runs[node] = runs[last]
            least[runs[node]] = min(least[runs[node]], node)
        last = node
    return least[runs]


@kernel
def inseparable(weights: Array, bound: int) -> Array:
    """Return classes of nodes that every cut up to some weight leaves together, by their least nodes."""
    graphs, nodes = weights.shape[:2]
    labels = np.zeros((graphs, nodes), dtype=np.int64)
    tied = np.zeros(nodes, dtype=np.int64)
    for graph in range(graphs):
        left = weights[graph].copy()
        mine = np.arange(nodes)
        while True:
            runs = _runs(left, bound, tied)
            fewer = False
            for node in range(nodes):
                if runs[node] != node:
                    _merge(left, node, runs[node])
                    fewer = True
            if not fewer:
                break
            mine = runs[mine]
        labels[graph] = mine
    return labels
