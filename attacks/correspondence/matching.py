"""Matchings of two releases: which classes of rows can correspond, exactly, by one flow.

Every row of the earlier release is a row of the later one, and the other rows there are new: a transportation problem
in which all supplies and all demands are used up. An arc is used by some solution if and only if a given solution uses
it, or it lies on a cycle of the residual graph, that is, its ends are in one strongly connected component (Dulmage and
Mendelsohn, *Coverings of bipartite graphs*, 1958; linear after one flow).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, perm
from typing import Any

import numpy as np

from attacks.flows import flow
from audit.model.arrays import Counts, Flags, component_of

_STATES = 20_000
"""The most different remainders that counting distinguishes."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The arcs that occur in some complete matching of supplies and demands.

    Attributes:
        possible: by arc; shape (arcs,).
        residual: the residual graph of one matching: right nodes, numbered after the left ones, lead back along used
            arcs.
        left: the number of nodes on the left.
    """

    possible: Flags
    residual: Any
    left: int

    def tight(self, right: int) -> tuple[Counts, Counts]:
        """Return a set of nodes on the left that uses up all of its neighbours, and these neighbours (Hall).

        No other node on the left can use these neighbours.

        Args:
            right: a node on the right that is one of the neighbours.
        """
        from scipy.sparse.csgraph import breadth_first_order

        reached = np.sort(breadth_first_order(self.residual, self.left + right, return_predecessors=False))
        return reached[reached < self.left], reached[reached >= self.left] - self.left


def matching(supply: Counts, demand: Counts, left: Counts, right: Counts) -> Matching | None:
    """Return which arcs occur in some complete matching of supplies and demands; None if there is none.

    Args:
        supply: the supply of each node on the left; shape (m,).
        demand: the demand of each node on the right; shape (n,), with the same sum.
        left: the node on the left of each arc; shape (arcs,). Arcs are distinct.
        right: the node on the right of each arc; shape (arcs,).

    Raises:
        OverflowError: there are 2³¹ rows or more.
    """
    from scipy.sparse import csr_array

    m, nodes, sent = len(supply), len(supply) + len(demand), flow(supply, demand, left, right)
    if sent.sum() < supply.sum():
        return None
    used = sent > 0
    # Every arc can carry more, and a used arc can carry less.
    tail, head = np.concatenate([left, m + right[used]]), np.concatenate([m + right, left[used]])
    residual = csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(nodes, nodes))
    label = component_of(tail, head, nodes, strong=True)
    return Matching(used | (label[left] == label[m + right]), residual, m)


def worlds(supply: Counts, demand: Counts, left: Counts, right: Counts) -> int | None:
    """Return the number of ways to assign the rows on the left to rows on the right; None if counting takes too much.

    New rows are not distinguished. Classes on the left are placed one after the other; the state is the number of
    remaining rows of each class on the right.
    """
    ways = {tuple(demand.tolist()): 1}
    for node, rows in enumerate(supply.tolist()):
        ends = right[left == node].tolist()
        following: dict[tuple[int, ...], int] = {}
        for rest, times in ways.items():
            for spread, each in _spread(rest, ends, rows):
                following[spread] = following.get(spread, 0) + times * each
                if len(following) > _STATES:
                    return None
        ways = following
    return sum(ways.values())


def _spread(rest: tuple[int, ...], ends: list[int], rows: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the remainders after some rows were placed on some ends, with the number of ways for each."""
    found = [(rest, rows, 1)]
    for end in ends:
        following = []
        for left, more, times in found:
            for placed in range(min(more, left[end]) + 1):
                ways = times * comb(more, placed) * perm(left[end], placed)
                following.append(((*left[:end], left[end] - placed, *left[end + 1 :]), more - placed, ways))
        found = following
    return [(left, times) for left, more, times in found if not more]
