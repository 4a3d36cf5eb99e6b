"""Exchanges: worlds that differ from a known one in that people exchange their rows of one release.

Walks do not apply where values change. There, two people of a group may exchange their rows if the values that they
have in the releases before and after allow both new values. Exchanges of different people are made at once.
"""

from __future__ import annotations

import numpy as np

from attacks.joint.knowledge import Knowledge
from audit.model.arrays import Flags, Numbers
from audit.runtime.budget import Budget

_IN_VAIN, _COLUMNS = 100, 1_000_000
"""Random exchanges end after so many rounds that showed nothing; after fewer where a round has so many columns."""


def exchange(known: Knowledge, enough: int, budget: Budget, rng: np.random.Generator) -> None:
    """Adopt worlds with undecided columns, and worlds by random exchanges between, until these show no more.

    Args:
        known: the knowledge, with a known world of some parts.
        enough: the number of options to show for each variable; 0 for all.
        budget: the time limit.
        rng: chooses among the exchanges that exclude one another.
    """
    net, seat, vain = known.network, _seats(known), 0
    size = int(seat.max(initial=0)) + 1
    while vain < min(_IN_VAIN, 2 + _COLUMNS // net.columns) and not budget.exhausted():
        places, now = _fitting(known), np.where(known.chosen >= 0, seat[known.chosen], -1)
        asked = known.undecided(enough)
        if not asked[places].any():
            return
        key, wanted = now[net.owner[places]] * size + seat[places], seat[places] * size + now[net.owner[places]]
        order = np.argsort(key)
        first, last = (np.searchsorted(key[order], wanted, side) for side in ("left", "right"))
        able = np.flatnonzero(first < last)
        pairs = np.stack([places[able], places[order[rng.integers(first[able], last[able])]]])
        pairs = pairs[:, np.lexsort((rng.random(len(able)), ~asked[pairs[0]]))]
        chosen = pairs[:, _disjoint(net.chain[net.owner[pairs]])].ravel()
        if not len(chosen):
            return
        vain = 0 if asked[chosen].any() else vain + 1
        known.follow(net.owner[chosen], chosen, np.array([len(chosen)]))


def _seats(known: Knowledge) -> Numbers:
    """Return a number for each column that columns with the same rows share; shape (columns,)."""
    net = known.network
    width, seat = np.diff(net.row_start), np.zeros(net.columns, dtype=np.int64)
    for at in range(int(width.max(initial=0))):
        row = np.append(net.row, 0)[np.minimum(net.row_start[:-1] + at, len(net.row))]
        row = np.where(at < width, row + 1, 0)
        seat = np.unique(seat * (len(net.capacity) + 1) + row, return_inverse=True)[1].reshape(-1)
    return seat


def _fitting(known: Knowledge) -> Numbers:
    """Return the columns that their variables could have if all others kept theirs, but for rows; ascending."""
    net, world = known.network, known.chosen
    fits = known.alive & (world >= 0)[net.owner]
    fits[world[world >= 0]] = False
    for side, near in enumerate(known.worlds.linked_to):
        linked = np.flatnonzero(fits & (near >= 0)[net.owner])
        pair = world[near[net.owner[linked]]], linked
        fits[linked] = net.may_follow(*(pair[::-1] if side else pair))
    return np.flatnonzero(fits)


def _disjoint(chains: Numbers) -> Flags:
    """Return which of some pairs of chains to take, the first ones of each chain; shape (pairs,), bool."""
    lot = np.arange(chains.shape[1])
    best = np.full(int(chains.max(initial=-1)) + 1, len(lot))
    np.minimum.at(best, chains.ravel(), np.tile(lot, 2))
    found: Flags = (best[chains] == lot).all(axis=0) & (chains[0] != chains[1])
    return found
