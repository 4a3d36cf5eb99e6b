"""Cuts of small dense graphs, many at once: the least cut, the components, and the nodes that no small cut separates.

Graphs are symmetric matrices of weights with a diagonal of zeros, stacked: shape (graphs, nodes, nodes), int64, no
weight below 0. Nodes without edges do no harm, so that graphs of different sizes can be padded. Everything rests on
*adjacency orders*: start somewhere and go on with the node most heavily connected to those before it. Cost: nodes³ a
graph. Large stacks use the compiled twins in `audit.model.minimum_cuts_compiled`, of which these kernels are the
oracle.

Sources: M. Stoer, F. Wagner, "A simple min-cut algorithm", J. ACM 44 (1997); H. Nagamochi, T. Ibaraki, "Computing
edge-connectivity in multigraphs and capacitated graphs", SIAM J. Discrete Math. 5 (1992).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from audit.runtime.kernels import pays

Weights: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[np.int64]
Sides: TypeAlias = npt.NDArray[np.bool_]
Labels: TypeAlias = npt.NDArray[np.int64]
_COMPILED, _SAVED = "audit.model.minimum_cuts_compiled", 2e-8  # seconds
NO_CUT = int(np.iinfo(np.int64).max)


def min_cuts(weights: Weights) -> tuple[Values, Sides]:
    """Return the least weight that parts a connected component of each graph, over its components.

    Source: Stoer, Wagner; an order that ends where a component ends makes it work on graphs that fall into pieces.

    Returns:
        The values, shape (graphs,); `NO_CUT` where no component has two nodes. One side of a cut of that value,
        within one component, shape (graphs, nodes); no node where there is no cut.

    >>> values, sides = min_cuts(np.array([[[0, 3, 1], [3, 0, 1], [1, 1, 0]]]))
    >>> values.tolist(), sides.tolist()
    ([2], [[False, False, True]])
    """
    if pays(_COMPILED, _SAVED * weights.size * weights.shape[1]):
        from audit.model import minimum_cuts_compiled

        return minimum_cuts_compiled.min_cuts(weights)
    graphs, nodes, _ = weights.shape
    best, side = np.full(graphs, NO_CUT, dtype=np.int64), np.zeros((graphs, nodes), dtype=np.bool_)
    left, at = weights.copy(), np.arange(graphs)
    merged = np.broadcast_to(np.eye(nodes, dtype=np.bool_), weights.shape).copy()
    while True:
        going = left.any(axis=(1, 2))
        left, merged, at = left[going], merged[going], at[going]
        if not len(at):
            return best, side
        last, before, cut = _last_two(left)
        rows = np.arange(len(at))
        lesser = cut < best[at]
        best[at[lesser]] = cut[lesser]
        side[at[lesser]] = merged[rows, last][lesser]
        merged[rows, before] |= merged[rows, last]
        _merge(left, last, before)


def _order(weights: Weights) -> tuple[Labels, Values]:
    """Return the nodes of each graph in an adjacency order, and what each weighed when it was taken.

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
        # Whoever is in the order stays below 0, however much is added.
        tied[rows, node] = -NO_CUT
        node = tied.argmax(axis=1)
        order[place], heavy[place] = node, tied[rows, node]
    return order, heavy


def _last_two(weights: Weights) -> tuple[Labels, Labels, Values]:
    """Return the last node of an adjacency order of one component of each graph, the one before it, and its weight.

    Cutting off the last node is a least cut between the two.
    """
    order, heavy = _order(weights)
    heavy[0] = 1
    # Behind the first node of weight 0 stands another component.
    end = np.where((heavy <= 0).any(axis=0), (heavy <= 0).argmax(axis=0), len(heavy)) - 1
    rows = np.arange(len(weights))
    return order[end, rows], order[end - 1, rows], heavy[end, rows]


def _merge(weights: Weights, gone: Labels, into: Labels) -> None:
    """Merge one node of each graph into another."""
    rows = np.arange(len(weights))
    weights[rows, into] += weights[rows, gone]
    weights[rows, :, into] += weights[rows, :, gone]
    weights[rows, gone] = 0
    weights[rows, :, gone] = 0
    weights[rows, into, into] = 0


def components(weights: Weights) -> Labels:
    """Return the least node of each node's connected component; shape (graphs, nodes).

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
    """Return classes of nodes that every cut up to some weight leaves together, by their least nodes.

    Nodes of different classes may be inseparable as well: what is said is true, but not all that is true.

    Source: Nagamochi, Ibaraki: no cut between a node and the one before it in an adjacency order weighs less than the
    node's weight when it was taken.

    >>> inseparable(np.array([[[0, 3, 1], [3, 0, 1], [1, 1, 0]]]), 2).tolist()
    [[0, 0, 2]]
    """
    if pays(_COMPILED, _SAVED * weights.size * weights.shape[1]):
        from audit.model import minimum_cuts_compiled

        return minimum_cuts_compiled.inseparable(weights, bound)
    graphs, nodes, _ = weights.shape
    labels = np.broadcast_to(np.arange(nodes), (graphs, nodes)).copy()
    left, at = weights, np.arange(graphs)
    while len(at):
        runs = _runs(left, bound)
        fewer = runs != np.arange(nodes)
        going = fewer.any(axis=1)
        runs, left, at = runs[going], left[going], at[going]
        labels[at] = np.take_along_axis(runs, labels[at], axis=1)
        left = _contracted(left, runs)
    return labels


def _runs(weights: Weights, bound: int) -> Labels:
    """Return classes of nodes that follow each other in an adjacency order with more weight than the bound."""
    graphs, nodes, _ = weights.shape
    order, heavy = _order(weights)
    rows = np.arange(graphs)
    runs = np.broadcast_to(np.arange(nodes), (graphs, nodes)).copy()
    first = order[0]
    for node, weight in zip(order[1:], heavy[1:], strict=True):
        first = np.where(weight > bound, first, node)
        runs[rows, node] = first
    least = np.full((graphs, nodes), nodes, dtype=np.int64)
    np.minimum.at(least, (rows[:, None], runs), np.arange(nodes))
    return np.take_along_axis(least, runs, axis=1)


def _contracted(weights: Weights, labels: Labels) -> Weights:
    """Return the graphs with each class of nodes as one, at the place of its label."""
    nodes = weights.shape[1]
    onto = (labels[:, :, None] == np.arange(nodes)).astype(np.int64)
    merged = onto.transpose(0, 2, 1) @ weights @ onto
    merged[:, np.arange(nodes), np.arange(nodes)] = 0
    return merged
