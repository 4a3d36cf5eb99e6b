"""Bucket plans of e-equivalence: how many new people and counterfeits each bucket gets so that no cut is small.

Plans hold numbers; which people come into a bucket is drawn later. `Planning.plan` is Algorithm 2 for all buckets at
once, with the paper's steps: `heights_needed` (Algorithm 3: full sets of the signature, *layers*, until the minimum
cut is large enough), `place_leftovers` (m-invariance's bucketization of the remaining people) and `add_counterfeits`.
Source: equivalence paper, Section VI, Algorithms 2 and 3, and m-invariance paper, Sections 4.1 and 4.2.

Algorithm 3 removes all counterfeits of a bucket and adds those that are needed. Differences from it:

* A bucket is *unchanged* if no one arrives or leaves and its counterfeits remain: it needs no cut. `Planning.best`
  leaves buckets unchanged if that takes fewer counterfeits: up to a third fewer if one person in a hundred arrives and
  leaves (docs/anonymizers/e-equivalence.md).
* In other buckets, counterfeits that the balance needs remain, if new ones would not improve the cut. For the cut, a
  counterfeit that leaves and a new one are at least as good as one that remains.
* A layer has counterfeits only for values without enough new people.
* Leftovers, the new people who fill no gap of a bucket, go into buckets where they make the cut large enough.

Bucket graphs: the history of each signature as a graph whose small cuts allow equivalences.

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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anonymizers.balancing import Signature, Slots, assignments, most
from audit.model.anonymizer import PresenceHistory, PresenceIntervals
from audit.model.arrays import Codes, Counts, Flags, Integers, Numbers, flagged, ranks_within
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


class Layers(NamedTuple):
    """Rows for a bucket, the same number of each value of its signature.

    Attributes:
        signature: the signature of the bucket.
        people: the values whose rows are new people; the rows of the other values are counterfeits.
        rows: the number of rows of each value.
    """

    signature: Signature
    people: Signature
    rows: int

    @property
    def counterfeits(self) -> int:
        """The number of counterfeits."""
        return self.rows * (len(self.signature) - len(self.people))


def place_leftovers(left: Counts, m: int, least: int, known: Sequence[tuple[Signature, int]]) -> list[Layers]:
    """Return the layers that put all remaining new people into buckets.

    Existing buckets are filled first, if their cuts are then large enough; the other people form new buckets. A batch
    that is too small for a bucket is filled up with counterfeits; or, if that needs fewer counterfeits, its people are
    distributed over larger buckets.

    Args:
        left: the number of remaining new people of each value; m-eligible, shape (values,).
        m: the parameter of m-invariance.
        least: the least number of rows of a new bucket.
        known: the signatures of existing buckets, in the order to fill them, each with the number of new rows that it
            needs if it gets any; 0 or less if any number is enough.
    """
    left, lacks, found, small = left.copy(), dict(known), list[Layers](), list[Layers]()
    for signature, lack in known:
        rows = most(left, signature, m)
        if rows and rows * len(signature) >= lack:
            left[np.array(signature)] -= rows
            lacks[signature] = 0
            found.append(Layers(signature, signature, rows))
    together: dict[Signature, int] = {}
    for signature, rows in assignments(left, m, enough=least):
        together[signature] = together.get(signature, 0) + rows
    for signature, rows in together.items():
        large = rows * len(signature) >= lacks.get(signature, least)
        (found if large else small).append(Layers(signature, signature, rows))
        lacks[signature] = 0 if large else lacks.get(signature, least)
    for batch in small:
        found += _squeezed(batch, lacks)
    return found


def _squeezed(batch: Layers, lacks: dict[Signature, int]) -> list[Layers]:
    """Return the layers for a batch that is too small for its bucket, in the way that needs fewer counterfeits."""
    distributed = _distributed(batch, [signature for signature, lack in lacks.items() if lack <= 0])
    width = len(batch.signature)
    filled = Layers(batch.signature, (), -(-lacks[batch.signature] // width) - batch.rows)
    if distributed is not None and sum(layers.counterfeits for layers in distributed) < filled.counterfeits:
        return distributed
    lacks[batch.signature] = 0
    return [batch, filled]


def _distributed(batch: Layers, large: list[Signature]) -> list[Layers] | None:
    """Return layers of large buckets for the people of a batch, greedily with the fewest counterfeits for each person.

    None if a value is in none of the buckets.
    """
    waiting, found = set(batch.signature), list[Layers]()
    while waiting:
        fitting = [signature for signature in large if waiting.intersection(signature)]
        if not fitting:
            return None
        signature = min(fitting, key=lambda each: len(each) / len(waiting.intersection(each)))
        people = tuple(value for value in signature if value in waiting)
        waiting.difference_update(people)
        found.append(Layers(signature, people, batch.rows))
    return found


@dataclass(frozen=True)
class PreviousCounterfeits:
    """The counterfeits of the last release that may remain, in the order of preference.

    Attributes:
        slot: the slot of each counterfeit; shape (counterfeits,).
        begun: the release in which it was new; shape (counterfeits,).
    """

    slot: Numbers
    begun: Codes


@dataclass(frozen=True)
class BucketPlan:
    """The rows that a release adds to its buckets.

    Attributes:
        slots: the slots of all buckets, existing ones first.
        people: the number of new people in each slot; shape (slots,).
        remain: which counterfeits of the last release remain; shape (counterfeits,), bool.
        counterfeits: the number of new counterfeits in each slot; shape (slots,).
        needed: the number of all counterfeits in each bucket; shape (buckets,).
    """

    slots: Slots
    people: Numbers
    remain: Flags
    counterfeits: Numbers
    needed: Numbers


@dataclass(frozen=True)
class Planning:
    """The state of the buckets before a release, and the people to publish.

    Attributes:
        m, least: the parameter of m-invariance, and the smallest cut that is large enough; 0 if none is required.
        slots: the slots of the buckets of people who remain or return.
        held: the number of these people in each slot; shape (slots,).
        counts: the number of new people of each value; m-eligible, shape (values,).
        counterfeits: the counterfeits that may remain.
        still: which buckets no one enters or leaves, except perhaps these counterfeits; shape (buckets,), bool.
        graphs: the graphs of these buckets.
    """

    m: int
    least: int
    slots: Slots
    held: Numbers
    counts: Numbers
    counterfeits: PreviousCounterfeits
    still: Flags
    graphs: Graphs

    def best(self) -> BucketPlan:
        """Return the plan with the fewest counterfeits of three.

        They leave all buckets unchanged that can be, or none, or those that need no more counterfeits if unchanged.
        """
        able = self.still & (np.bincount(self._bucket, minlength=len(self.still)) > 0)
        plans = [self.plan(able)]
        if able.any():
            plans.append(self.plan(np.zeros_like(able)))
            fewer = able & (plans[0].needed[: len(able)] <= plans[1].needed[: len(able)])
            if fewer.any() and (able & ~fewer).any():
                plans.append(self.plan(fewer))
        return min(plans, key=lambda plan: int(plan.needed.sum()))

    def plan(self, unchanged: Flags) -> BucketPlan:
        """Return the plan that keeps all counterfeits of the unchanged buckets (Algorithm 2)."""
        remaining = unchanged[self._bucket]
        held = self.held + np.bincount(self.counterfeits.slot[remaining], minlength=len(self.slots))
        ties = self.graphs.ties(self._bucket, self.counterfeits.begun, remaining)
        height = self.heights_needed(held, ties)
        short = self.slots.spread(height) - held
        left, people = self.slots.balance(self.counts, short, self.m)
        remain, ties = self._keep_counterfeits(remaining, ties, short - people, self.slots.total(short))
        kept = np.bincount(self.counterfeits.slot[remain & ~remaining], minlength=len(self.slots))
        missing = short - people - kept
        cut = ties.cut + self.slots.total(people + missing)
        layers = place_leftovers(left, self.m, self.least, self._highest_first(height, self.least - cut))
        return self.add_counterfeits(people, missing, layers, remain)

    def heights_needed(self, held: Numbers, ties: Ties) -> Numbers:
        """Return the number of rows of each value that a bucket needs for a large enough minimum cut (Algorithm 3).

        m-invariance requires the height of the highest list; each layer that the cut lacks adds one row of each value.
        Shape (buckets,).
        """
        height = self.slots.height(held)
        return height + self._layers(ties, self.slots.total(self.slots.spread(height) - held))

    def add_counterfeits(self, people: Numbers, missing: Numbers, layers: list[Layers], remain: Flags) -> BucketPlan:
        """Return the plan that fills the remaining gaps with counterfeits.

        Args:
            people: the number of new people in each existing slot.
            missing: the number of rows that each slot still lacks.
            layers: the layers of the leftovers, perhaps in new buckets.
            remain: which counterfeits of the last release remain.
        """
        signatures = dict.fromkeys([*self.slots.signatures, *(each.signature for each in layers)])
        slots = Slots.of(list(signatures))
        first = dict(zip(signatures, slots.start.tolist(), strict=True))
        created = (0, len(slots) - len(people))
        people, counterfeits = np.pad(people, created), np.pad(missing, created)
        for each in layers:
            bucket = slice(first[each.signature], first[each.signature] + len(each.signature))
            real = np.isin(slots.value[bucket], each.people)
            people[bucket] += each.rows * real
            counterfeits[bucket] += each.rows * ~real
        needed = slots.total(counterfeits) + np.bincount(self._bucket[remain], minlength=len(slots.start))
        return BucketPlan(slots, people, remain, counterfeits, needed)

    @cached_property
    def _bucket(self) -> Numbers:
        """The bucket of each counterfeit."""
        return self.slots.spread(np.arange(len(self.slots.start)))[self.counterfeits.slot]

    def _keep_counterfeits(self, remaining: Flags, ties: Ties, gap: Numbers, fresh: Numbers) -> tuple[Flags, Ties]:
        """Return which counterfeits remain, and how now and the end of each bucket are then connected.

        Args:
            remaining: the counterfeits of unchanged buckets.
            ties: the connection if no others remain.
            gap: the number of counterfeits that each slot of the other buckets needs.
            fresh: the number of new rows of each bucket if no others remain.
        """
        candidate = ~remaining & (ranks_within(self.counterfeits.slot) < gap[self.counterfeits.slot])
        if not candidate.any():
            return remaining, ties
        with_them = self.graphs.ties(self._bucket, self.counterfeits.begun, remaining | candidate)
        fresh = fresh - np.bincount(self._bucket[candidate], minlength=len(fresh))
        enough = self._layers(with_them, fresh) == 0
        cut, cut_off = np.where(enough, with_them.cut, ties.cut), np.where(enough, with_them.cut_off, ties.cut_off)
        return remaining | (candidate & enough[self._bucket]), Ties(cut, cut_off)

    def _layers(self, ties: Ties, fresh: Numbers) -> Numbers:
        """Return how many layers the cut between now and the end lacks in each bucket that connects them.

        The quotient is exactly what the loop of Algorithm 3 finds: a layer is edges between now and the end alone,
        so that each layer adds as much to all cuts between them; the others are large enough from before.
        """
        lacking = np.maximum(0, self.least - ties.cut - fresh)
        separate = (ties.cut + fresh == 0) & ~ties.cut_off
        return np.where(separate, 0, -(-lacking // self.slots.width()))

    def _highest_first(self, height: Numbers, lack: Numbers) -> list[tuple[Signature, int]]:
        """Return the signatures of the buckets, the highest first, with the number of new rows that its cut lacks."""
        order = np.argsort(-height, kind="stable").tolist()
        return [(self.slots.signatures[bucket], int(lack[bucket])) for bucket in order]

    def broken(self, plan: BucketPlan) -> Numbers:
        """Return the existing buckets in which a cut is too small with the plan; no plan can mend them."""
        if not self.least:
            return np.zeros(0, dtype=np.int64)
        fresh = plan.slots.total(plan.people + plan.counterfeits)[: len(self.still)]
        return np.flatnonzero(self.graphs.broken(self._bucket, self.counterfeits.begun, plan.remain, fresh, self.least))
