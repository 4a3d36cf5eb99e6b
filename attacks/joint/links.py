"""Links between a person's versions: which choices lie on a path through all of them."""

from __future__ import annotations

import numpy as np

from attacks.joint.arrays import Integers, Numbers, starts
from audit.model.arrays import Flags

# Cells of the tables of (version, class of values) that are made at a time.
_AT_A_TIME = 1 << 27


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
    """Return which of the living columns lie on a path through all versions of their person.

    Args:
        owner: the variable of each column; shape (columns,).
        kind: its class of values; likewise.
        alive: which columns are left; likewise.
        link: variables of consecutive versions, those of a chain one after the other; shape (links, 2).
        may: which class may follow which; None where they have to be equal; shape (kinds, kinds).
    """
    found = alive.copy()
    if not len(link):
        return found
    kinds = int(kind.max(initial=0)) + 1 if may is None else len(may)
    position = chain_positions(link)
    heads = np.append(np.flatnonzero(position == 0), len(link))
    size = max(1, _AT_A_TIME // max(1, kinds))
    for first in range(0, len(heads) - 1, size):
        some = slice(int(heads[first]), int(heads[min(first + size, len(heads) - 1)]))
        _narrow(owner, kind, found, (link[some], position[some]), may, kinds)
    return found


def _narrow(
    owner: Integers, kind: Integers, found: Flags, chains: tuple[Integers, Numbers], may: Flags | None, kinds: int
) -> None:
    """Narrow the columns of some chains, forward and backward."""
    link, position = chains
    some = np.unique(link)
    number = np.full(int(owner.max(initial=-1)) + 1, -1, dtype=np.int64)
    number[some] = np.arange(len(some))
    mine = np.flatnonzero((number[owner] >= 0) & found)
    table = np.zeros((len(some), kinds), dtype=np.bool_)
    table[number[owner[mine]], kind[mine]] = True
    order = np.argsort(position, kind="stable")
    layers = np.split(order, starts(np.bincount(position))[1:-1])
    forward = None if may is None else may.astype(np.float32)
    for layer in layers:
        before, after = number[link[layer, 0]], number[link[layer, 1]]
        table[after] &= table[before] if forward is None else (table[before].astype(np.float32) @ forward) > 0
    for layer in layers[::-1]:
        before, after = number[link[layer, 0]], number[link[layer, 1]]
        table[before] &= table[after] if forward is None else (table[after].astype(np.float32) @ forward.T) > 0
    found[mine] = table[number[owner[mine]], kind[mine]]


NEVER = np.int64(1) << 60


def cheapest(owner: Integers, kind: Integers, cost: Numbers, link: Integers, may: Flags | None) -> Numbers:
    """Return the least that a person's versions cost all together, with each column; `NEVER` where no path has it.

    Args:
        owner: the variable of each column; shape (columns,).
        kind: its class of values; likewise.
        cost: of each column by itself, below `NEVER`; likewise.
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
