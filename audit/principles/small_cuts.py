"""Small cuts: find the graphs with a small cut, all at once by the algorithm of Stoer and Wagner (no compiled code)."""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Flags, Numbers


def small_cuts(weights: Numbers, least: int) -> Flags:
    """Return which graphs have a connected component with a cut below `least`; shape (graphs,), bool.

    Args:
        weights: the weights of edges: symmetric, not negative, 0 on the diagonal; shape (graphs, nodes, nodes).
        least: the smallest cut that is large enough, at least 1.
    """
    between, component = weights.copy(), connected(weights > 0)
    graphs, nodes = np.nonzero(component != 0)
    # Components are tied to the first node, so that no cut between two of them is small.
    between[graphs, component[graphs, nodes], 0] += least
    between[graphs, 0, component[graphs, nodes]] += least
    return _least_cuts(between) < least


def connected(near: Flags) -> Numbers:
    """Return the least node of each node's component; `near`: symmetric, shape (graphs, nodes, nodes)."""
    reached = near | np.eye(near.shape[1], dtype=np.bool_)
    while True:
        further = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached.argmax(axis=2)
        reached = further


def _least_cuts(weights: Numbers) -> Numbers:
    """Return the weight of the least cut of each graph (Stoer and Wagner), the largest int64 if it has one node.

    `weights` is overwritten.
    """
    all_graphs, nodes = np.arange(len(weights)), weights.shape[1]
    merged, least = np.zeros(weights.shape[:2], dtype=np.bool_), np.full(len(weights), np.iinfo(np.int64).max)
    for left in range(nodes, 1, -1):
        taken, to_taken = merged.copy(), np.zeros(weights.shape[:2], dtype=np.int64)
        into = last = np.zeros(len(weights), dtype=np.intp)
        for _ in range(left):
            into, last = last, np.where(taken, -1, to_taken).argmax(axis=1)
            taken[all_graphs, last] = True
            to_taken += weights[all_graphs, last]
        least = np.minimum(least, weights[all_graphs, last].sum(axis=1))
        weights[all_graphs, into] += weights[all_graphs, last]
        weights[all_graphs, :, into] = weights[all_graphs, into]
        weights[all_graphs, last] = weights[all_graphs, :, last] = weights[all_graphs, into, into] = 0
        merged[all_graphs, last] = True
    return least
