"""Minimum cuts of many small dense graphs at once, their components, and the nodes that no small cut separates.

Graphs are stacked symmetric matrices of weights with a diagonal of zeros: shape (graphs, nodes, nodes), int64, no
weight below 0. Nodes without edges change no result, so graphs of different sizes can be padded. Cuts are found by
*adjacency orders*: start at some node and continue with the node most heavily connected to those before it. An order
costs nodes² steps for a graph; few orders are needed, because each merges many nodes.

The check of e-equivalence (`audit.principles.e_equivalence`) finds minimum cuts by another algorithm and shares no code
with this one, on purpose: it checks what was planned by these.

Source: H. Nagamochi, T. Ibaraki, "Computing edge-connectivity in multigraphs and capacitated graphs", SIAM J. Discrete
Math. 5 (1992).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from audit.model.arrays import Numbers, Places

Weights: TypeAlias = Numbers
Values: TypeAlias = Numbers
Labels: TypeAlias = Numbers
NO_CUT = int(np.iinfo(np.int64).max)


def min_cuts(weights: Weights) -> Values:
    """Return the weight of the lightest cut of a connected component of each graph; shape (graphs,), int64.

    `NO_CUT` if no component has two nodes. Nodes are merged if no cut lighter than the best known one separates them,
    until there are no such nodes.

    >>> min_cuts(np.array([[[0, 3, 1], [3, 0, 1], [1, 1, 0]]])).tolist()
    [2]
    """
    best, at = np.full(len(weights), NO_CUT, dtype=np.int64), np.arange(len(weights))
    while len(at):
        own = weights.sum(axis=2)
        best[at] = np.minimum(best[at], np.where(own > 0, own, NO_CUT).min(axis=1, initial=NO_CUT))
        weights, _, going = _contracted(weights, best[at] - 1)
        at = at[going]
    return best


def _order(weights: Weights) -> tuple[Labels, Values]:
    """Return the nodes of each graph in an adjacency order, and the weight of each when it was taken.

    Nodes without edges may be left out at the end.

    Returns:
        Both of shape (places, graphs).
    """
    graphs, nodes, _ = weights.shape
    rows = np.arange(graphs)
    places = max(1, int(weights.any(axis=2).sum(axis=1).max(initial=0)))
    order, heavy = np.zeros((places, graphs), dtype=np.int64), np.zeros((places, graphs), dtype=np.int64)
    tied = np.zeros((graphs, nodes), dtype=np.int64)
    node = weights.sum(axis=2).argmax(axis=1)
    order[0] = node
    for place in range(1, places):
        tied += weights[rows, node]
        # Nodes that were taken remain below 0, however much is added.
        tied[rows, node] = -NO_CUT
        node = tied.argmax(axis=1)
        order[place], heavy[place] = node, tied[rows, node]
    return order, heavy


def components(weights: Weights) -> Labels:
    """Return the least node of each node's connected component; shape (graphs, nodes), int64.

    >>> components(np.array([[[0, 0, 2], [0, 0, 0], [2, 0, 0]]])).tolist()
    [[0, 1, 0]]
    """
    nodes = weights.shape[1]
    near = (weights > 0) | np.eye(nodes, dtype=np.bool_)
    labels = np.broadcast_to(np.arange(nodes), weights.shape[:2])
    while True:
        least = np.where(near, labels[:, None, :], nodes).min(axis=2)
        if np.array_equal(least, labels):
            return labels.copy()
        labels = least


def inseparable(weights: Weights, bound: int) -> Labels:
    """Return the class of each node, by its least node; no cut of weight up to `bound` separates nodes of one class.

    The result has shape (graphs, nodes), int64. Nodes of different classes may be inseparable, too.

    >>> inseparable(np.array([[[0, 3, 1], [3, 0, 1], [1, 1, 0]]]), 2).tolist()
    [[0, 0, 2]]
    """
    labels, at = np.tile(np.arange(weights.shape[1]), (len(weights), 1)), np.arange(len(weights))
    while len(at):
        weights, merged, going = _contracted(weights, np.full(len(at), bound))
        at = at[going]
        labels[at] = np.take_along_axis(merged, labels[at], axis=1)
    return labels


def _contracted(weights: Weights, bound: Values) -> tuple[Weights, Labels, Places]:
    """Merge consecutive nodes of an adjacency order whose weight exceeds each graph's bound.

    A cut between a node and the one before it in the order weighs at least as much as the node when it was taken.

    Returns:
        The graphs in which there are such nodes, each class of nodes at the place of its least one; the least node of
        each node's class in these graphs; and which graphs they are.
    """
    graphs, nodes, _ = weights.shape
    order, heavy = _order(weights)
    rows = np.arange(graphs)
    runs = np.tile(np.arange(nodes), (graphs, 1))
    first = order[0]
    for node, weight in zip(order[1:], heavy[1:], strict=True):
        first = np.where(weight > bound, first, node)
        runs[rows, node] = first
    least = np.full((graphs, nodes), nodes, dtype=np.int64)
    np.minimum.at(least, (rows[:, None], runs), np.arange(nodes))
    labels = np.take_along_axis(least, runs, axis=1)
    going = np.flatnonzero((labels != np.arange(nodes)).any(axis=1))
    labels, weights = labels[going], weights[going]
    merged = np.zeros_like(weights)
    np.add.at(merged, (np.arange(len(going))[:, None, None], labels[:, :, None], labels[:, None, :]), weights)
    merged[:, np.arange(nodes), np.arange(nodes)] = 0
    return merged, labels, going
