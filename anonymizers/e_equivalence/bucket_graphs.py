"""Bucket graphs: the history of each signature as a graph whose small cuts allow equivalences.

The graph of a bucket has a node for each release, and the *end*, for "still present": node 0 of Algorithm 1 and of
`attacks.equivalence.parts`; here it is the last node, so that node i is release i. An unbroken presence is an edge from
the release of insertion to that of deletion, or to the end. An equivalence assigns numbers to the nodes, and each edge
costs the difference of its ends; so twice its e is at least the smallest cut that separates a component (equivalence
paper, Theorem 2). A person who returned has several presences and adds no edge: these only have to begin and end within
one component of the others, where an equivalence cannot move them alone.

A release adds edges from its own node, *now*, to the end; the edges of people who leave move from the end to now. Cuts
with both nodes on one side are those of the release before; so only cuts that separate them must be checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.model.anonymizer import PresenceHistory, PresenceIntervals
from audit.model.arrays import Codes, Flags, Integers, Numbers, flagged, ranks_within
from audit.model.minimum_cuts import Weights, components, min_cuts


@dataclass(frozen=True)
class Ties:
    """How now and the end of each bucket are connected before new people are added.

    Attributes:
        cut: the smallest cut of the graph, if now and the end are connected; otherwise 0; shape (buckets,).
        cut_off: whether a returned person needs them to be connected, and they are not; shape (buckets,), bool.
    """

    cut: Numbers
    cut_off: Flags


@dataclass(frozen=True)
class Graphs:
    """The graphs of buckets before a release: node i is release i, the last node but one is now, the last is the end.

    Attributes:
        weights: the number of presences of people who never returned, and of counterfeits except those that may
            remain, between two nodes; shape (buckets, nodes, nodes), int64.
        again: the presences of people who returned, by place of the bucket.
    """

    weights: Weights
    again: PresenceIntervals

    def ties(self, bucket: Numbers, begun: Codes, remain: Flags) -> Ties:
        """Return how now and the end are connected if some counterfeits remain and the others leave.

        Args:
            bucket: the bucket of each counterfeit that may remain.
            begun: the release in which it was new.
            remain: whether it remains.
        """
        weights, now, end = self._with(bucket, begun, remain)
        label = components(weights)
        together = label[:, now] == label[:, end]
        cut = np.where(together, min_cuts(weights), 0)
        cut_off = flagged(self.again.bucket[_in_two_components(label, self.again)], len(weights))
        return Ties(cut, cut_off)

    def broken(self, bucket: Numbers, begun: Codes, remain: Flags, new: Numbers, least: int) -> Flags:
        """Return which buckets have a cut below `least`, or a returned person on both sides of a component.

        Args:
            bucket: as for `ties`.
            begun: as for `ties`.
            remain: as for `ties`.
            new: the number of new people and counterfeits in each bucket.
            least: the smallest cut that is large enough.
        """
        weights, now, end = self._with(bucket, begun, remain)
        weights[:, now, end] += new
        weights[:, end, now] += new
        broken = min_cuts(weights) < least
        broken[self.again.bucket[_in_two_components(components(weights), self.again)]] = True
        return broken

    def _with(self, bucket: Numbers, begun: Codes, remain: Flags) -> tuple[Weights, int, int]:
        """Return the graphs with the counterfeits that may remain, and the nodes now and end."""
        now, end = self.weights.shape[1] - 2, self.weights.shape[1] - 1
        return _linked(self.weights.copy(), PresenceIntervals(bucket, begun, np.where(remain, end, now)), 1), now, end


def graphs_of(presence: PresenceHistory, place: Numbers, present: Flags, back: Numbers, free: Numbers) -> Graphs:
    """Return the graphs of buckets.

    Args:
        presence: the published presences.
        place: the place of each signature among the buckets, -1 if it is not needed.
        present: who is in the next release, by code.
        back: codes of people who return with it.
        free: codes of the counterfeits that may remain, which are left out.
    """
    now = presence.releases
    known = presence.begun >= 0
    ended = np.where(presence.here() & present, now + 1, presence.last + 1)
    again = presence.returned.copy()
    again[back] = True
    once = known & ~again
    once[free] = False
    parts = [PresenceIntervals(presence.bucket[once], presence.begun[once], ended[once]), presence.nameless()]
    weights = _weighed(parts, place, now + 2)
    several = np.flatnonzero(again)
    last = PresenceIntervals(presence.bucket[several], presence.begun[several], ended[several])
    coming = PresenceIntervals(presence.bucket[back], np.full_like(back, now), np.full_like(back, now + 1))
    return Graphs(weights, _placed([presence.earlier(), last, coming], place))


def may_return(presence: PresenceHistory, place: Numbers, back: Numbers, least: int) -> Flags:
    """Return which people may return; shape (len(back),), bool.

    A person who returns adds no edge any more, and without the edges of their earlier presences no old cut may be below
    `least`. Old cuts have now and the end on one side; a release cannot make them larger. People are admitted in the
    order of `back`; those with the same first and last release are interchangeable.

    Args:
        presence: the published presences.
        place: as for `graphs_of`; it has the bucket of each person.
        back: the codes of people who would return, in the order of admission.
        least: the smallest cut that is large enough.
    """
    edge = np.flatnonzero(~presence.returned[back])
    result = np.ones(len(back), dtype=np.bool_)
    if not len(edge):
        return result
    once = (presence.begun >= 0) & ~presence.returned
    parts = [
        PresenceIntervals(presence.bucket[once], presence.begun[once], presence.last[once] + 1),
        presence.nameless(),
    ]
    weights = _weighed(parts, place, presence.releases + 1)
    code = back[edge]
    alike, same, count = np.unique(
        np.stack([place[presence.bucket[code]], presence.begun[code], presence.last[code] + 1]),
        axis=1,
        return_inverse=True,
        return_counts=True,
    )
    same = same.reshape(-1)
    result[edge] = ranks_within(same) < _allowed(weights, PresenceIntervals(*alike), count, least)[same]
    return result


def _allowed(weights: Weights, alike: PresenceIntervals, count: Numbers, least: int) -> Numbers:
    """Return how many equal edges can be removed of each presence, one after the other, without a cut below `least`.

    All edges are removed if possible. In the other buckets, bisection finds the number for each presence in turn.
    """
    label = components(weights)

    def holds(buckets: Integers, without: Weights) -> Flags:
        same = (components(without) == label[buckets]).all(axis=1)
        return same & (min_cuts(without) >= least)

    fine = holds(np.arange(len(weights)), _linked(weights.copy(), alike, -count))
    tight = ~fine[alike.bucket]
    allowed = np.where(tight, 0, count)
    turn = np.arange(len(count)) - np.searchsorted(alike.bucket, alike.bucket)
    for number in range(int(turn[tight].max(initial=-1)) + 1):
        chosen = np.flatnonzero((turn == number) & tight)
        edges = PresenceIntervals(*(column[chosen] for column in alike))
        place = edges._replace(bucket=np.arange(len(chosen)))
        low, high = np.zeros(len(chosen), dtype=np.int64), count[chosen]
        while (low < high).any():
            middle = (low + high + 1) // 2
            good = holds(edges.bucket, _linked(weights[edges.bucket], place, -middle))
            low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
        allowed[chosen] = low
        weights = _linked(weights, edges, -low)
    return allowed


def _linked(weights: Weights, spans: PresenceIntervals, count: Numbers | int) -> Weights:
    """Add `count` edges for each presence to the graphs of buckets, and return them."""
    np.add.at(weights, tuple(spans), count)
    np.add.at(weights, (spans.bucket, spans.ended, spans.begun), count)
    return weights


def _weighed(parts: list[PresenceIntervals], place: Numbers, nodes: int) -> Weights:
    """Return the graphs of the needed buckets with an edge for each presence; shape (buckets, nodes, nodes)."""
    bucket, begun, ended = (column.astype(np.int64) for column in _placed(parts, place))
    buckets = int((place >= 0).sum())
    edges = np.bincount((bucket * nodes + begun) * nodes + ended, minlength=buckets * nodes * nodes)
    weights = edges.reshape(buckets, nodes, nodes)
    return weights + weights.transpose(0, 2, 1)


def _placed(parts: list[PresenceIntervals], place: Numbers) -> PresenceIntervals:
    """Return the presences in the needed buckets, by the places of these."""
    bucket, begun, ended = (np.concatenate(column) for column in zip(*parts, strict=True))
    needed = place[bucket] >= 0
    return PresenceIntervals(place[bucket[needed]], begun[needed], ended[needed])


def _in_two_components(label: Numbers, spans: PresenceIntervals) -> Flags:
    """Return which presences begin and end in different components."""
    return label[spans.bucket, spans.begun] != label[spans.bucket, spans.ended]
