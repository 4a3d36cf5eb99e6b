"""Edge colouring: construct a world of two releases whose groups hold each of their values equally often.

Groups are vertices, people are edges between their groups, values are colours. A bipartite graph in which no vertex has
more edges than there are colours can be coloured so that all edges of a vertex have different colours (König 1916).
Edges are added until every vertex has as many edges as there are colours; then each perfect matching is a colour.
"""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Numbers, ranks_within, starts


def coloured(left: Numbers, right: Numbers, colours: int) -> Numbers:
    """Return a colour for each edge so that all edges of a vertex have different colours; shape (edges,), int64.

    Args:
        left: the left vertex of each edge, -1 if it has none; shape (edges,).
        right: the right vertex of each edge, -1 if it has none; shape (edges,).
        colours: the number of colours; no vertex has more edges.

    >>> coloured(np.array([0, 0, 1, -1]), np.array([0, 1, 0, 1]), 2).tolist() in ([0, 1, 1, 0], [1, 0, 0, 1])
    True
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    vertices = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    both = np.flatnonzero((left >= 0) & (right >= 0))
    ends, of_edge = list[Numbers](), list[Numbers]()
    for end, far_end in ((left, right), (right, left)):
        # A vertex gets one free end for each missing edge; edges with only one vertex use some of these.
        lack = colours - np.bincount(end[both], minlength=vertices)
        begin, single = starts(lack), np.flatnonzero((end >= 0) & (far_end < 0))
        edge = np.full(int(begin[-1]), -1, dtype=np.int64)
        edge[begin[end[single]] + ranks_within(end[single])] = single
        ends.append(np.concatenate([end[both], np.repeat(np.arange(vertices), lack)]))
        of_edge.append(np.concatenate([both, edge]))
    order = np.lexsort(ends[::-1])
    key, colour = ends[0][order] * vertices + ends[1][order], np.full(len(order), -1, dtype=np.int64)
    for each in range(colours):
        left_over = np.flatnonzero(colour < 0)
        distinct, first = np.unique(key[left_over], return_index=True)
        graph = csr_array(
            (np.ones(len(distinct), dtype=np.bool_), (distinct // vertices, distinct % vertices)),
            shape=(vertices, vertices),
        )
        partner = maximum_bipartite_matching(graph, perm_type="column")
        taken = np.searchsorted(distinct, np.arange(vertices) * np.int64(vertices) + partner)
        colour[left_over[first[taken]]] = each
    found = np.full(len(left), -1, dtype=np.int64)
    for edge in of_edge:
        edges = edge[order]
        found[edges[edges >= 0]] = colour[edges >= 0]
    return found
