"""Bucket graphs: what a release may change in the history of each signature, as cuts between releases.

The graph of a bucket has a node for each release and one more, the *end*, for "still there"; it is the special node 0
of Algorithm 1. An unbroken presence is an edge from the release of insertion to that of deletion, or to the end. An
equivalence gives the nodes numbers, constant where no one comes or goes, and costs each edge the difference of its
ends, so that twice its e is no less than the least cut that separates a component (equivalence paper, Theorem 2).
A person who came back has several presences and is no edge: these only have to begin and end within one component of
the others, where an equivalence that moves no one else does not move them.

What a release adds are edges from its own node, *now*, to the end; who leaves is moved from the end to now. So the cuts
that leave both together are those of the release before, and a new release answers for those alone that separate them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Flags, Numbers
from audit.model.history import PresenceHistory, PresenceIntervals
from audit.model.minimum_cuts import Weights, components, min_cuts


@dataclass(frozen=True)
class Ties:
    """What holds now and the end of each bucket together before anybody new comes.

    Attributes:
        flow: the least cut between them, where that is the least of all; 0 where nothing connects them.
        cut_off: whether a person who came back needs them to be connected, and they are not.
    """

    flow: Numbers
    cut_off: Flags


@dataclass(frozen=True)
class Graphs:
    """The graphs of some buckets before a release; node i is release i, the last but one is now, the last the end.

    Attributes:
        weights: the presences of all but those who came back; the counterfeits that may go on are left out; shape
            (buckets, nodes, nodes), int64.
        again: the presences of those who came back, by place of the bucket.
    """

    weights: Weights
    again: PresenceIntervals

    def ties(self, bucket: Numbers, begun: Codes, remain: Flags) -> Ties:
        """Return what ties now to the end when some counterfeits remain and the others leave.

        Args:
            bucket: of each counterfeit that may go on.
            begun: the release in which it was new.
            remain: whether it remains.
        """
        weights, now, end = self._with(bucket, begun, remain)
        label = components(weights)
        together = label[:, now] == label[:, end]
        flow = np.where(together, min_cuts(weights)[0], 0)
        cut_off = np.zeros(len(weights), dtype=np.bool_)
        cut_off[self.again.bucket[_in_two_components(label, self.again)]] = True
        return Ties(flow, cut_off)

    def broken(self, bucket: Numbers, begun: Codes, remain: Flags, new: Numbers, least: int) -> Flags:
        """Return which buckets have a smaller cut than `least` after all, or a person who came back on both sides.

        Args:
            bucket: as for `ties`.
            begun: as for `ties`.
            remain: as for `ties`.
            new: how many people and counterfeits are new in each bucket.
            least: the least cut that is enough.
        """
        weights, now, end = self._with(bucket, begun, remain)
        weights[:, now, end] += new
        weights[:, end, now] += new
        broken = min_cuts(weights)[0] < least
        broken[self.again.bucket[_in_two_components(components(weights), self.again)]] = True
        return broken

    def _with(self, bucket: Numbers, begun: Codes, remain: Flags) -> tuple[Weights, int, int]:
        """Return the graphs with the counterfeits that may go on, and which nodes are now and the end."""
        now, end = self.weights.shape[1] - 2, self.weights.shape[1] - 1
        return _linked(self.weights.copy(), PresenceIntervals(bucket, begun, np.where(remain, end, now)), 1), now, end


def graphs_of(presence: PresenceHistory, place: Numbers, present: Flags, back: Numbers, free: Numbers) -> Graphs:
    """Return the graphs of some buckets.

    Args:
        presence: what has been published.
        place: the place of each signature among the buckets, -1 where it is not asked for.
        present: who is in the next release, by code.
        back: codes of those who come back with it.
        free: codes of the counterfeits that may go on, and are left out.
    """
    now = presence.releases
    known, here = presence.begun >= 0, presence.here()
    ended = np.where(here & present, now + 1, presence.last + 1)
    again = presence.returned.copy()
    again[back] = True
    once = known & ~again
    once[free] = False
    parts = [PresenceIntervals(presence.bucket[once], presence.begun[once], ended[once]), presence.nameless()]
    weights = _weighed([_placed(spans, place) for spans in parts], int((place >= 0).sum()), now + 2)
    several = np.flatnonzero(again)
    last = PresenceIntervals(presence.bucket[several], presence.begun[several], ended[several])
    coming = PresenceIntervals(presence.bucket[back], np.full_like(back, now), np.full_like(back, now + 1))
    parts = [_placed(spans, place) for spans in (presence.earlier(), last, coming)]
    return Graphs(weights, PresenceIntervals(*(np.concatenate(column) for column in zip(*parts, strict=True))))


def may_return(presence: PresenceHistory, place: Numbers, back: Numbers, least: int) -> Flags:
    """Return who of those who would come back may: without their earlier presences no old cut may fall below `least`.

    The old cuts are those that leave now and the end together; nothing that a release adds makes them larger. The
    first to come goes first; of those who left and came together it does not matter who.

    Args:
        presence: what has been published.
        place: as for `graphs_of`; the bucket of each is asked for.
        back: their codes, in the order in which they are let in.
        least: the least cut that is enough.
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
    weights = _weighed([_placed(spans, place) for spans in parts], int((place >= 0).sum()), presence.releases + 1)
    code = back[edge]
    alike, kind, count = np.unique(
        np.stack([place[presence.bucket[code]], presence.begun[code], presence.last[code] + 1]),
        axis=1,
        return_inverse=True,
        return_counts=True,
    )
    kind = kind.reshape(-1)
    order = np.argsort(kind, kind="stable")
    rank = np.empty(len(kind), dtype=np.int64)
    rank[order] = np.arange(len(kind)) - np.repeat(np.cumsum(count) - count, count)
    result[edge] = rank < _allowed(weights, PresenceIntervals(*alike), count, least)[kind]
    return result


def _allowed(weights: Weights, kinds: PresenceIntervals, count: Numbers, least: int) -> Numbers:
    """Return how many edges of each kind can be taken away, kind by kind, without a cut below `least`.

    First all are taken away everywhere; then, in buckets where that is too much, as many as can of one kind after the
    other, by halving.
    """
    label = components(weights)

    def holds(buckets: npt.NDArray[np.integer], without: Weights) -> Flags:
        same = (components(without) == label[buckets]).all(axis=1)
        return same & (min_cuts(without)[0] >= least)

    fine = holds(np.arange(len(weights)), _linked(weights.copy(), kinds, -count))
    tight = ~fine[kinds.bucket]
    allowed = np.where(tight, 0, count)
    turn = np.arange(len(count)) - np.searchsorted(kinds.bucket, kinds.bucket)
    for number in range(int(turn[tight].max(initial=-1)) + 1):
        some = np.flatnonzero((turn == number) & tight)
        here = PresenceIntervals(*(column[some] for column in kinds))
        place = here._replace(bucket=np.arange(len(some)))
        low, high = np.zeros(len(some), dtype=np.int64), count[some]
        while (low < high).any():
            middle = (low + high + 1) // 2
            good = holds(here.bucket, _linked(weights[here.bucket], place, -middle))
            low, high = np.where(good, middle, low), np.where(good, high, middle - 1)
        allowed[some] = low
        weights = _linked(weights, here, -low)
    return allowed


def _linked(weights: Weights, spans: PresenceIntervals, count: Numbers | int) -> Weights:
    """Add so many edges for each presence to the graphs of buckets, and return them."""
    np.add.at(weights, tuple(spans), count)
    np.add.at(weights, (spans.bucket, spans.ended, spans.begun), count)
    return weights


def _weighed(parts: list[PresenceIntervals], buckets: int, nodes: int) -> Weights:
    """Return the graphs of buckets in which each presence is an edge; shape (buckets, nodes, nodes)."""
    bucket, begun, ended = (np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
    edges = np.bincount((bucket * nodes + begun) * nodes + ended, minlength=buckets * nodes * nodes)
    weights = edges.reshape(buckets, nodes, nodes)
    return weights + weights.transpose(0, 2, 1)


def _placed(spans: PresenceIntervals, place: Numbers) -> PresenceIntervals:
    """Return the presences in the buckets that are asked for, with their places."""
    bucket = place[spans.bucket]
    some = bucket >= 0
    return PresenceIntervals(bucket[some], spans.begun[some], spans.ended[some])


def _in_two_components(label: Numbers, spans: PresenceIntervals) -> Flags:
    """Return which presences begin and end in different components."""
    return label[spans.bucket, spans.begun] != label[spans.bucket, spans.ended]
