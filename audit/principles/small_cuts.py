"""Small cuts: find graphs with a small cut by merging nodes that no small cut separates (no compiled code)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from audit.model.arrays import Flags

Weights = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int64]


def small_cuts(weights: Weights, least: int) -> Flags:
    """Return which graphs have a connected component with a cut below `least`.

    Args:
        weights: symmetric, not negative, 0 on the diagonal; shape (graphs, nodes, nodes).
        least: the smallest cut that is large enough, at least 1.
    """
    _, between = _merged(weights, least)
    component = connected(between > 0)
    graphs, nodes = np.nonzero(component != 0)
    # Components are tied to the first node, so that no cut between two of them is small.
    between[graphs, component[graphs, nodes], 0] += least
    between[graphs, 0, component[graphs, nodes]] += least
    return _least_cuts(between) < least


def small_between(weights: Weights, first: int, last: int, least: int) -> Flags:
    """Return which graphs have a cut below `least`, but not 0, between two nodes.

    Args:
        weights: as for `small_cuts`.
        first: one of the nodes.
        last: the other node.
        least: as for `small_cuts`.
    """
    label, between = _merged(weights, least)
    small = np.zeros(len(weights), dtype=np.bool_)
    for number in np.flatnonzero(label[:, first] != label[:, last]).tolist():
        source, sink = int(label[number, first]), int(label[number, last])
        small[number] = 0 < _flow(between[number], source, sink, least) < least
    return small


def connected(near: Flags) -> Labels:
    """Return the least node of each node's component; `near`: symmetric, shape (graphs, nodes, nodes)."""
    reached = near | np.eye(near.shape[1], dtype=np.bool_)
    while True:
        further = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached.argmax(axis=2)
        reached = further


def _merged(weights: Weights, least: int) -> tuple[Labels, Weights]:
    """Return the least node of each node's class, and the weights between classes, after merging heavy edges.

    Nodes are merged while the edge between them weighs `least` or more.
    """
    label = np.broadcast_to(np.arange(weights.shape[1]), weights.shape[:2])
    while True:
        between = _between(weights, label)
        merged = np.take_along_axis(connected(between >= least), label, axis=1)
        if np.array_equal(merged, label):
            return label, between
        label = merged


def _between(weights: Weights, label: Labels) -> Weights:
    """Return the weights between classes of nodes, each at the place of its least node."""
    nodes = weights.shape[1]
    member = (label[:, :, np.newaxis] == np.arange(nodes)).astype(np.float64)
    # Whole numbers below 2**53 are added exactly.
    between = np.rint(member.transpose(0, 2, 1) @ weights.astype(np.float64) @ member).astype(np.int64)
    between[:, np.arange(nodes), np.arange(nodes)] = 0
    return between


def _least_cuts(weights: Weights) -> Weights:
    """Return the weight of the least cut of each graph (Stoer and Wagner), none of a single node; uses them up."""
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


def _flow(weights: Weights, first: int, last: int, most: int) -> int:
    """Return the greatest flow from one node to another, at most `most`; its cut separates them."""
    flow = maximum_flow(csr_array(np.minimum(weights, most).astype(np.int32)), first, last).flow_value
    return min(int(flow), most)
