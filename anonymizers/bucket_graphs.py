"""Graphs of buckets: what a release may change in the history of each signature, as cuts between releases.

The graph of a bucket has a node for each release and one more, the *end*, for "still there"; a stay is an edge from the
release of insertion to that of deletion, or to the end. An equivalence gives the nodes numbers, constant where nothing
is told, and costs each edge the difference of its ends, so that twice its e is no less than the least cut that parts a
connected component (equivalence paper, Theorem 2). Whoever came back has several stays and is no edge: these only have
to begin and end within one component of the others, where an equivalence that moves nobody else does not move them.

What a release adds are edges from its own node, *now*, to the end; who leaves is moved from the end to now. So the cuts
that leave both together are those of the release before, and a new release answers for those alone that part them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.signatures import Numbers
from audit.model.arrays import Codes, Flags
from audit.model.history import PresenceHistory, PresenceIntervals
from audit.model.minimum_cuts import Weights, components, min_cuts


@dataclass(frozen=True)
class Ties:
    """What holds now and the end of each bucket together before anybody new comes.

    Attributes:
        flow: the least cut between them, where that is the least of all; 0 where nothing connects them.
        bound: whether somebody who came back needs them to be connected, and they are not.
    """

    flow: Numbers
    bound: Flags


@dataclass(frozen=True)
class Graphs:
    """The graphs of some buckets before a release; node i is release i, the last but one is now, the last the end.

    Attributes:
        weights: the stays of everybody but those who came back; the counterfeits that may go on are left out; shape
            (buckets, nodes, nodes), int64.
        again: the stays of those who came back, by place of the bucket.
    """

    weights: Weights
    again: PresenceIntervals

    def ties(self, bucket: Numbers, begun: Codes, stay: Flags) -> Ties:
        """Return what ties now to the end when some counterfeits stay and the others leave.

        Args:
            bucket: of each counterfeit that may go on.
            begun: the release in which it was new.
            stay: whether it stays.
        """
        weights, now, end = self._with(bucket, begun, stay)
        label = components(weights)
        together = label[:, now] == label[:, end]
        flow = np.where(together, min_cuts(weights)[0], 0)
        bound = np.zeros(len(weights), dtype=np.bool_)
        bound[self.again.bucket[_apart(label, self.again)]] = True
        return Ties(flow, bound)

    def loose(self, bucket: Numbers, begun: Codes, stay: Flags, new: Numbers, least: int) -> Flags:
        """Return which buckets have a smaller cut than `least` after all, or somebody who came back on both sides.

        Args:
            bucket: as for `ties`.
            begun: as for `ties`.
            stay: as for `ties`.
            new: how many people and counterfeits are new in each bucket.
            least: the least cut that is enough.
        """
        weights, now, end = self._with(bucket, begun, stay)
        weights[:, now, end] += new
        weights[:, end, now] += new
        loose = min_cuts(weights)[0] < least
        loose[self.again.bucket[_apart(components(weights), self.again)]] = True
        return loose

    def _with(self, bucket: Numbers, begun: Codes, stay: Flags) -> tuple[Weights, int, int]:
        """Return the graphs with the counterfeits that may go on, and which nodes are now and the end."""
        now, end = self.weights.shape[1] - 2, self.weights.shape[1] - 1
        return _linked(self.weights.copy(), PresenceIntervals(bucket, begun, np.where(stay, end, now)), 1), now, end


def graphs_of(stays: PresenceHistory, place: Numbers, present: Flags, back: Numbers, free: Numbers) -> Graphs:
    """Return the graphs of some buckets.

    Args:
        stays: what has been published.
        place: the place of each signature among the buckets, -1 where it is not asked for.
        present: who is in the next release, by code.
        back: codes of those who come back with it.
        free: codes of the counterfeits that may go on, and are left out.
    """
    now = stays.releases
    known, here = stays.begun >= 0, stays.here()
    ended = np.where(here & present, now + 1, stays.last + 1)
    again = stays.returned.copy()
    again[back] = True
    once = known & ~again
    once[free] = False
    parts = [PresenceIntervals(stays.bucket[once], stays.begun[once], ended[once]), stays.nameless()]
    weights = _weighed([_placed(spans, place) for spans in parts], int((place >= 0).sum()), now + 2)
    several = np.flatnonzero(again)
    last = PresenceIntervals(stays.bucket[several], stays.begun[several], ended[several])
    coming = PresenceIntervals(stays.bucket[back], np.full_like(back, now), np.full_like(back, now + 1))
    parts = [_placed(spans, place) for spans in (stays.earlier(), last, coming)]
    return Graphs(weights, PresenceIntervals(*(np.concatenate(column) for column in zip(*parts, strict=True))))


def welcome(stays: PresenceHistory, place: Numbers, back: Numbers, least: int) -> Flags:
    """Return who of those who would come back can: without their earlier stays, no old cut may fall below `least`.

    The old cuts are those that leave now and the end together; nothing that a release adds makes them larger. Whoever
    comes first goes first; of those who left and came together it does not matter who.

    Args:
        stays: what has been published.
        place: as for `graphs_of`; everybody's bucket is asked for.
        back: their codes, in the order in which they are let in.
        least: the least cut that is enough.
    """
    edge = np.flatnonzero(~stays.returned[back])
    result = np.ones(len(back), dtype=np.bool_)
    if not len(edge):
        return result
    once = (stays.begun >= 0) & ~stays.returned
    parts = [PresenceIntervals(stays.bucket[once], stays.begun[once], stays.last[once] + 1), stays.nameless()]
    weights = _weighed([_placed(spans, place) for spans in parts], int((place >= 0).sum()), stays.releases + 1)
    code = back[edge]
    alike, kind, count = np.unique(
        np.stack([place[stays.bucket[code]], stays.begun[code], stays.last[code] + 1]),
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
    """Add so many edges for each stay to the graphs of buckets, and return them."""
    np.add.at(weights, tuple(spans), count)
    np.add.at(weights, (spans.bucket, spans.ended, spans.begun), count)
    return weights


def _weighed(parts: list[PresenceIntervals], buckets: int, nodes: int) -> Weights:
    """Return the graphs of buckets in which each stay is an edge; shape (buckets, nodes, nodes)."""
    bucket, begun, ended = (np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
    edges = np.bincount((bucket * nodes + begun) * nodes + ended, minlength=buckets * nodes * nodes)
    weights = edges.reshape(buckets, nodes, nodes)
    return weights + weights.transpose(0, 2, 1)


def _placed(spans: PresenceIntervals, place: Numbers) -> PresenceIntervals:
    """Return the stays in the buckets that are asked for, with their places."""
    bucket = place[spans.bucket]
    some = bucket >= 0
    return PresenceIntervals(bucket[some], spans.begun[some], spans.ended[some])


def _apart(label: Numbers, spans: PresenceIntervals) -> Flags:
    """Return which stays begin and end in different components."""
    return label[spans.bucket, spans.begun] != label[spans.bucket, spans.ended]
