"""Links between a person's versions: which columns lie on a path through all versions of the person."""

from __future__ import annotations

import numpy as np

from attacks.ragged import starts
from audit.model.arrays import Flags, Integers, Numbers

NEVER = np.int64(1) << 60
# The most cells of a table of versions by classes of values that is held at a time.
_AT_A_TIME = 1 << 24


def chain_positions(link: Integers) -> Numbers:
    """Return the position of each link in its chain, from 0; shape (links,). Links of a chain follow one another.

    >>> chain_positions(np.array([[0, 1], [1, 2], [5, 6]])).tolist()
    [0, 1, 0]
    """
    first = np.ones(len(link), dtype=np.bool_)
    first[1:] = link[1:, 0] != link[:-1, 1]
    at = np.flatnonzero(first)
    return np.arange(len(link), dtype=np.int64) - np.repeat(at, np.diff(np.append(at, len(link))))


def consistent(owner: Integers, kind: Integers, alive: Flags, link: Integers, may: Flags | None) -> Flags:
    """Return which of the remaining columns are on a path through all versions of their person; shape (columns,), bool.

    Args:
        owner: the variable of each column, ascending; shape (columns,).
        kind: its class of values; of the same shape.
        alive: which columns remain; of the same shape.
        link: pairs of variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: whether a class may be followed by another, shape (kinds, kinds); None if they must be equal.
    """
    found = alive.copy()
    heads = np.append(np.flatnonzero(chain_positions(link) == 0), len(link))
    kinds = int(kind.max(initial=0)) + 1
    for chunk in np.array_split(np.arange(len(heads) - 1), max(1, int(owner.max(initial=0)) * kinds // _AT_A_TIME)):
        if len(chunk):
            chains = link[heads[chunk[0]] : heads[chunk[-1] + 1]]
            low = int(chains[0, 0])
            columns = slice(*np.searchsorted(owner, [low, int(chains[-1, 1]) + 1]).tolist())
            cost = np.where(alive[columns], 0, NEVER)
            found[columns] = cheapest(owner[columns] - low, kind[columns], cost, chains - low, may) < NEVER
    return found


def cheapest(owner: Integers, kind: Integers, cost: Numbers, link: Integers, may: Flags | None) -> Numbers:
    """Return the cost of the cheapest path through a person's versions with each column; shape (columns,), int64.

    The cost is `NEVER` if no path has the column.

    Args:
        owner: the variable of each column; shape (columns,).
        kind: its class of values; of the same shape.
        cost: the cost of each column by itself, at most `NEVER`; of the same shape.
        link: pairs of variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: whether a class may be followed by another, shape (kinds, kinds); None if they must be equal.
    """
    if not len(link):
        return cost
    kinds = int(kind.max(initial=0)) + 1 if may is None else len(may)
    own = np.full((int(owner.max(initial=-1)) + 1, kinds), NEVER)
    np.minimum.at(own, (owner, kind), cost)
    before, after = own.copy(), np.zeros_like(own)
    position = chain_positions(link)
    layers = np.split(np.argsort(position, kind="stable"), starts(np.bincount(position))[1:-1])
    for earlier, later in (link[layer].T for layer in layers):
        before[later] = np.minimum(_stepped(before[earlier], may) + own[later], NEVER)
    for earlier, later in (link[layer].T for layer in layers[::-1]):
        after[earlier] = _stepped(np.minimum(after[later] + own[later], NEVER), None if may is None else may.T)
    found: Numbers = np.minimum((before - own + after)[owner, kind] + cost, NEVER)
    return found


def _stepped(costs: Numbers, may: Flags | None) -> Numbers:
    """Return the least cost of reaching each class of values one version later; shape (versions, kinds)."""
    if may is None:
        return costs
    found = np.full_like(costs, NEVER)
    for kind in range(len(may)):
        np.minimum(found, np.where(may[kind], costs[:, kind : kind + 1], NEVER), out=found)
    return found
