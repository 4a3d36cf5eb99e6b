"""Flows: send as much as possible from supplies to demands, over arcs between them."""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Counts, Numbers


def flow(supply: Counts, demand: Counts, left: Numbers, right: Numbers) -> Counts:
    """Return how much is sent along each arc, so that as much as possible is sent in all; shape (arcs,).

    Args:
        supply: the supply of each node on the left; shape (m,).
        demand: the demand of each node on the right; shape (n,).
        left: the node on the left of each arc; shape (arcs,).
        right: the node on the right of each arc; shape (arcs,).

    Raises:
        OverflowError: the supplies add up to 2³¹ or more.

    >>> flow(np.array([1, 2]), np.array([2, 1]), np.array([0, 1, 1]), np.array([0, 0, 1])).tolist()
    [1, 1, 1]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    m, n, total = len(supply), len(demand), int(supply.sum())
    if total >= 2**31:
        raise OverflowError("flows of so many rows are not computed")
    if not len(left):
        return np.zeros(0, dtype=np.int64)
    source, sink = m + n, m + n + 1
    tail = np.concatenate([left, np.full(m, source), m + np.arange(n)])
    head = np.concatenate([m + right, np.arange(m), np.full(n, sink)])
    most = np.minimum(demand, total)
    capacity = np.concatenate([np.minimum(supply[left], most[right]), supply, most]).astype(np.int32)
    found = maximum_flow(csr_array((capacity, (tail, head)), shape=(m + n + 2, m + n + 2)), source, sink).flow
    return np.asarray(csr_array(found)[left, m + right]).ravel()
