"""Small cuts, the plain way: join what heavy edges hold together, and look for enough ways between what is left."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Flags

Weights = npt.NDArray[np.int64]
Labels = npt.NDArray[np.int64]
Graph = dict[int, dict[int, int]]


def small_cuts(weights: Weights, least: int) -> Flags:
    """Return which graphs have a connected component that some cut below `least` parts.

    Args:
        weights: symmetric, none below 0, nothing on the diagonal; shape (graphs, nodes, nodes).
        least: the least cut that is not small, at least 1.
    """
    _, between = _joined(weights, least)
    return np.array([graph.any() and _parted(_edges(graph), least) for graph in between], dtype=np.bool_)


def small_between(weights: Weights, first: int, last: int, least: int) -> Flags:
    """Return which graphs have a cut below `least`, but not 0, between two nodes.

    Args:
        weights: as for `small_cuts`.
        first: one of the nodes.
        last: the other one.
        least: as for `small_cuts`.
    """
    label, between = _joined(weights, least)
    small = np.zeros(len(weights), dtype=np.bool_)
    for number in np.flatnonzero(label[:, first] != label[:, last]).tolist():
        graph, one, other = _edges(between[number]), int(label[number, first]), int(label[number, last])
        small[number] = 0 < _ways(graph, one, other, least) < least
    return small


def connected(near: Flags) -> Labels:
    """Return the least node that each node is connected with; `near` is symmetric, shape (graphs, nodes, nodes)."""
    reached = near | np.eye(near.shape[1], dtype=np.bool_)
    while True:
        further = np.matmul(reached.astype(np.float32), reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return reached.argmax(axis=2)
        reached = further


def _joined(weights: Weights, least: int) -> tuple[Labels, Weights]:
    """Return classes of nodes that edges of weight `least` hold together, and the weights between them.

    A class is named by its least node, and has its weights there.
    """
    label = np.broadcast_to(np.arange(weights.shape[1]), weights.shape[:2])
    while True:
        between = _between(weights, label)
        joined = np.take_along_axis(connected(between >= least), label, axis=1)
        if np.array_equal(joined, label):
            return label, between
        label = joined


def _between(weights: Weights, label: Labels) -> Weights:
    """Return the weights between classes of nodes, each at the place of its label."""
    nodes = weights.shape[1]
    member = (label[:, :, np.newaxis] == np.arange(nodes)).astype(np.float64)
    # Whole numbers below 2**53 are added exactly.
    between = np.rint(member.transpose(0, 2, 1) @ weights.astype(np.float64) @ member).astype(np.int64)
    between[:, np.arange(nodes), np.arange(nodes)] = 0
    return between


def _edges(weights: Weights) -> Graph:
    """Return the neighbours of each node that has any, with the weights of the edges."""
    graph: Graph = {}
    one, other = np.nonzero(weights)
    for node, neighbour, weight in zip(one.tolist(), other.tolist(), weights[one, other].tolist(), strict=True):
        graph.setdefault(node, {})[neighbour] = weight
    return graph


def _parted(graph: Graph, least: int) -> bool:
    """Return whether some cut below `least` parts a component; the graph is used up.

    Neighbours that are joined in so many ways are on one side of every other small cut, and so become one.
    """
    while graph:
        node = max(graph, key=lambda each: len(graph[each]))
        while graph[node]:
            other = max(graph[node], key=graph[node].__getitem__)
            if graph[node][other] < least and _ways(graph, node, other, least) < least:
                return True
            _merge(graph, other, node)
        del graph[node]
    return False


def _merge(graph: Graph, gone: int, into: int) -> None:
    for other, weight in graph.pop(gone).items():
        del graph[other][gone]
        if other != into:
            graph[into][other] = graph[other][into] = graph[into].get(other, 0) + weight


def _ways(graph: Graph, first: int, last: int, enough: int) -> int:
    """Return how many ways there are from one node to another that share no edge, up to `enough` (Ford, Fulkerson)."""
    left = {node: edges.copy() for node, edges in graph.items()}
    for found in range(enough):
        before = _search(left, first, last)
        if last not in before:
            return found
        node = last
        while node != first:
            left[before[node]][node] -= 1
            left[node][before[node]] += 1
            node = before[node]
    return enough


def _search(graph: Graph, first: int, last: int) -> dict[int, int]:
    """Return the nodes that are reached from one until another is, each with the node before it."""
    before, waiting = {first: first}, deque([first] if first in graph else [])
    while waiting and last not in before:
        node = waiting.popleft()
        for other, weight in graph[node].items():
            if weight > 0 and other not in before:
                before[other] = node
                waiting.append(other)
    return before
