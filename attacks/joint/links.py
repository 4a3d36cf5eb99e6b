"""Links between a person's versions: which choices lie on a path through all of them."""

from __future__ import annotations

import numpy as np

from attacks.ragged import starts
from audit.model.arrays import Flags, Integers, Numbers

NEVER = np.int64(1) << 60
# Cells of the tables of (version, class of values) that are made at a time.
_AT_A_TIME = 1 << 24


def chain_positions(link: Integers) -> Numbers:
    """Return the position of each link in its chain, from 0; links of a chain follow one another.

    >>> chain_positions(np.array([[0, 1], [1, 2], [5, 6]])).tolist()
    [0, 1, 0]
    """
    first = np.ones(len(link), dtype=np.bool_)
    first[1:] = link[1:, 0] != link[:-1, 1]
    at = np.flatnonzero(first)
    return np.arange(len(link), dtype=np.int64) - np.repeat(at, np.diff(np.append(at, len(link))))


def consistent(owner: Integers, kind: Integers, alive: Flags, link: Integers, may: Flags | None) -> Flags:
    """Return which of the living columns are on a path through all versions of their person.

    Args:
        owner: the variable of each column, ascending; shape (columns,).
        kind: its class of values; of the same shape.
        alive: which columns are left; of the same shape.
        link: variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: which class may follow which; None where they have to be equal; shape (kinds, kinds).
    """
    found = alive.copy()
    heads = np.append(np.flatnonzero(chain_positions(link) == 0), len(link))
    kinds = int(kind.max(initial=0)) + 1
    for some in np.array_split(np.arange(len(heads) - 1), max(1, int(owner.max(initial=0)) * kinds // _AT_A_TIME)):
        if len(some):
            chains = link[heads[some[0]] : heads[some[-1] + 1]]
            low = int(chains[0, 0])
            mine = slice(*np.searchsorted(owner, [low, int(chains[-1, 1]) + 1]).tolist())
            cost = np.where(alive[mine], 0, NEVER)
            found[mine] = cheapest(owner[mine] - low, kind[mine], cost, chains - low, may) < NEVER
    return found


def cheapest(owner: Integers, kind: Integers, cost: Numbers, link: Integers, may: Flags | None) -> Numbers:
    """Return the least that a person's versions cost all together, with each column; `NEVER` where no path has it.

    Args:
        owner: the variable of each column; shape (columns,).
        kind: its class of values; of the same shape.
        cost: of each column by itself, below `NEVER`; of the same shape.
        link: variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: which class may follow which; None where they have to be equal; shape (kinds, kinds).
    """
    if not len(link):
        return cost
    kinds = int(kind.max(initial=0)) + 1 if may is None else len(may)
    own = np.full((int(owner.max(initial=-1)) + 1, kinds), NEVER)
    np.minimum.at(own, (owner, kind), cost)
    before, after = own.copy(), np.zeros_like(own)
    position = chain_positions(link)
    layers = np.split(np.argsort(position, kind="stable"), starts(np.bincount(position))[1:-1])
    for one, other in (link[layer].T for layer in layers):
        before[other] = np.minimum(_stepped(before[one], may) + own[other], NEVER)
    for one, other in (link[layer].T for layer in layers[::-1]):
        after[one] = _stepped(np.minimum(after[other] + own[other], NEVER), None if may is None else may.T)
    found: Numbers = np.minimum((before - own + after)[owner, kind] + cost, NEVER)
    return found


def _stepped(costs: Numbers, may: Flags | None) -> Numbers:
    """Return the least that each class of values costs one version later; shape (versions, kinds)."""
    if may is None:
        return costs
    found = np.full_like(costs, NEVER)
    for kind in range(len(may)):
        np.minimum(found, np.where(may[kind], costs[:, kind : kind + 1], NEVER), out=found)
    return found
