"""Plans: how many new people and how many counterfeits come into each bucket, so that no cut between releases is small.

Told in numbers alone, before anybody is chosen. A bucket is as high as its highest list of people, and by full sets of
its values, *layers*, higher where the cut between now and the end would not be enough: only rows that are new raise it.
What it is short of then comes from S-, the new people, and else from counterfeits. Source: equivalence paper,
Section VI, Algorithms 2 and 3, and m-invariance paper, Sections 4.1 and 4.2.

Algorithm 3 takes all counterfeits of a bucket out, and puts in what is needed. What goes beyond it:

* A bucket in which nobody comes or goes needs no cut at all, as long as its counterfeits stay as well; it is *quiet*.
  They stay where taking them out would leave more counterfeits in the release.
* In another bucket counterfeits that the balance needs stay, where new ones in their place would not make a difference.
  For the cut, one that leaves and one that comes are at least as good as one that stays.
* A layer that not all values have new people for is one of counterfeits only where they are missing.
* Leftovers go where they make a cut that is enough (`leftovers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonymizers.balancing import fill
from anonymizers.bucket_graphs import Graphs, Ties
from anonymizers.remaining_records import Layers, place
from anonymizers.signatures import Numbers, Slots
from audit.model.arrays import Codes, Flags


@dataclass(frozen=True)
class Fakes:
    """The counterfeits of the last release that may go on, in the order in which they are asked to.

    Attributes:
        slot: the slot of each.
        begun: the release in which it was new.
    """

    slot: Numbers
    begun: Codes


@dataclass(frozen=True)
class BucketPlan:
    """What comes into the buckets of a release.

    Attributes:
        slots: of all buckets, those that there are before the others.
        people: how many new people come into each slot.
        stay: which counterfeits stay.
        fakes: how many new counterfeits come into each slot.
        needed: how many counterfeits each bucket has then.
    """

    slots: Slots
    people: Numbers
    stay: Flags
    fakes: Numbers
    needed: Numbers


@dataclass(frozen=True)
class Planning:
    """What there is before a release.

    Attributes:
        m, least: the parameter of m-invariance, and the least cut that is enough; 0 where none is needed.
        slots: of the buckets of those who stay or come back.
        held: how many of them are in each slot.
        counts: new people of each value; m-eligible, shape (values,).
        fakes: the counterfeits that may go on.
        still: the buckets whose other members neither come nor go.
        graphs: what has been published in these buckets.
    """

    m: int
    least: int
    slots: Slots
    held: Numbers
    counts: Numbers
    fakes: Fakes
    still: Flags
    graphs: Graphs

    def best(self) -> BucketPlan:
        """Return the plan with the fewest counterfeits of those tried.

        All buckets that can be quiet are; or none; or those that have fewer counterfeits so.
        """
        able = self.still & (np.bincount(self._bucket, minlength=len(self.still)) > 0)
        plans = [self.plan(able)]
        if able.any():
            plans.append(self.plan(np.zeros_like(able)))
            fewer = able & (plans[0].needed[: len(able)] <= plans[1].needed[: len(able)])
            if fewer.any() and (able & ~fewer).any():
                plans.append(self.plan(fewer))
        return min(plans, key=lambda plan: int(plan.needed.sum()))

    def plan(self, quiet: Flags) -> BucketPlan:
        """Return the plan in which some buckets are quiet: all their counterfeits stay, and are not replaced."""
        resting = quiet[self._bucket]
        filled = self.held + np.bincount(self.fakes.slot[resting], minlength=len(self.slots))
        ties = self.graphs.ties(self._bucket, self.fakes.begun, resting)
        height = self.slots.height(filled)
        height += self._layers(ties, self.slots.total(self.slots.spread(height) - filled), self.slots)
        short = self.slots.spread(height) - filled
        left, people = self._balanced(short)
        stay, ties = self._kept(resting, ties, short - people, self.slots.total(short))
        gap = short - people - np.bincount(self.fakes.slot[stay & ~resting], minlength=len(self.slots))
        fresh = self.slots.total(people + gap)
        order = np.argsort(-height, kind="stable")
        lack = (self.least - ties.flow - fresh)[order]
        known = [
            (self.slots.signatures[bucket], rows) for bucket, rows in zip(order.tolist(), lack.tolist(), strict=True)
        ]
        slots, more, fakes = self._told(place(left, self.m, self.least, known))
        fakes[: len(gap)] += gap
        return BucketPlan(
            slots=slots,
            people=more + np.pad(people, (0, len(slots) - len(people))),
            stay=stay,
            fakes=fakes,
            needed=slots.total(fakes) + np.bincount(self._bucket[stay], minlength=len(slots.start)),
        )

    @cached_property
    def _bucket(self) -> Numbers:
        """The bucket of each counterfeit."""
        return self.slots.spread(np.arange(len(self.slots.start)))[self.fakes.slot]

    def _balanced(self, short: Numbers) -> tuple[Numbers, Numbers]:
        """Return the new people of each value that are left, and how many come into each slot that is short."""
        lacking = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(lacking, self.slots.value, short)
        moved = fill(self.counts, lacking, self.m)
        return self.counts - moved, self.slots.hand_out(moved, short)

    def _kept(self, resting: Flags, ties: Ties, gap: Numbers, fresh: Numbers) -> tuple[Flags, Ties]:
        """Return which counterfeits stay, and what ties now and the end of each bucket together then.

        Args:
            resting: the counterfeits of quiet buckets.
            ties: when no others stay.
            gap: how many counterfeits there are to be in each slot of the other buckets.
            fresh: how many rows of each bucket are new when none of these stays.
        """
        staying = ~resting & (_rank(self.fakes.slot) < gap[self.fakes.slot])
        if not staying.any():
            return resting, ties
        some = self.graphs.ties(self._bucket, self.fakes.begun, resting | staying)
        fresh = fresh - np.bincount(self._bucket[staying], minlength=len(fresh))
        enough = self._layers(some, fresh, self.slots) == 0
        chosen = Ties(np.where(enough, some.flow, ties.flow), np.where(enough, some.bound, ties.bound))
        return resting | (staying & enough[self._bucket]), chosen

    def _layers(self, ties: Ties, fresh: Numbers, slots: Slots) -> Numbers:
        """Return how many layers the cut between now and the end needs in each bucket, if they hang together at all."""
        lacking = np.maximum(0, self.least - ties.flow - fresh)
        apart = (ties.flow + fresh == 0) & ~ties.bound
        return np.where(apart, 0, -(-lacking // slots.width()))

    def _told(self, placed: list[Layers]) -> tuple[Slots, Numbers, Numbers]:
        """Return the slots of all buckets, those that there are first, and how many people and counterfeits come in."""
        signatures = dict.fromkeys([*self.slots.signatures, *(layers.signature for layers in placed)])
        slots = Slots.of(list(signatures))
        first = dict(zip(signatures, slots.start.tolist(), strict=True))
        people, fakes = np.zeros(len(slots), dtype=np.int64), np.zeros(len(slots), dtype=np.int64)
        for layers in placed:
            some = slice(first[layers.signature], first[layers.signature] + len(layers.signature))
            theirs = np.isin(slots.value[some], layers.people)
            people[some] += layers.rows * theirs
            fakes[some] += layers.rows * ~theirs
        return slots, people, fakes

    def loose(self, plan: BucketPlan) -> Numbers:
        """Return the buckets that there are in which some cut is too small after all: no plan can help."""
        if not self.least:
            return np.zeros(0, dtype=np.int64)
        fresh = plan.slots.total(plan.people + plan.fakes)[: len(self.still)]
        return np.flatnonzero(self.graphs.loose(self._bucket, self.fakes.begun, plan.stay, fresh, self.least))


def _rank(slot: Numbers) -> Numbers:
    """Return how many of the same slot stand before each."""
    order = np.argsort(slot, kind="stable")
    first = np.searchsorted(slot[order], slot[order])
    rank = np.empty(len(slot), dtype=np.int64)
    rank[order] = np.arange(len(slot)) - first
    return rank
