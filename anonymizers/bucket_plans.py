"""Plans of e-equivalence: how many new people and counterfeits each bucket gets so that no cut is small.

Plans are numbers; who comes is drawn later. `Planning.plan` is Algorithm 2, with all buckets taken together, and its
steps are those of the paper: `test_insertions` (Algorithm 3: full sets of the signature, *layers*, until the minimum
cut is enough), `place_leftovers` (m-invariance's bucketization of those who remain) and `add_counterfeits`. Source:
equivalence paper, Section VI, Algorithms 2 and 3, and m-invariance paper, Sections 4.1 and 4.2.

Algorithm 3 takes all counterfeits of a bucket out, and puts in what is needed. What goes beyond it:

* A bucket is *unchanged* where no one comes or goes and its counterfeits remain: it needs no cut. `Planning.best`
  leaves those buckets unchanged where that takes fewer counterfeits: up to a third fewer where one person in a
  hundred comes and goes (docs/anonymizers/e-equivalence.md).
* In another bucket counterfeits that the balance needs remain, where new ones in their place would not make a
  difference. For the cut, one that leaves and one that comes are at least as good as one that remains.
* A layer that not all values have new people for is one of counterfeits only where they are missing.
* Leftovers go where they make a cut that is enough (`remaining_records`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonymizers.balancing import Signature, fill
from anonymizers.bucket_graphs import Graphs, Ties
from anonymizers.remaining_records import Layers, place_leftovers
from anonymizers.signatures import Slots
from audit.model.arrays import Codes, Flags, Numbers


@dataclass(frozen=True)
class PreviousCounterfeits:
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
        remain: which counterfeits of the last release remain.
        counterfeits: how many new counterfeits come into each slot.
        needed: how many counterfeits each bucket has then.
    """

    slots: Slots
    people: Numbers
    remain: Flags
    counterfeits: Numbers
    needed: Numbers


@dataclass(frozen=True)
class Planning:
    """What there is before a release.

    Attributes:
        m, least: the parameter of m-invariance, and the least cut that is enough; 0 where none is needed.
        slots: of the buckets of those who stay or come back.
        held: how many of them are in each slot.
        counts: new people of each value; m-eligible, shape (values,).
        counterfeits: the counterfeits that may go on.
        still: the buckets whose other members neither come nor go.
        graphs: what has been published in these buckets.
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
        """Return the plan with the fewest counterfeits of those tried.

        All buckets that can be unchanged are; or none; or those that have fewer counterfeits so.
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
        """Return the plan in which all counterfeits of some buckets remain, and are not replaced (Algorithm 2)."""
        remaining = unchanged[self._bucket]
        held = self.held + np.bincount(self.counterfeits.slot[remaining], minlength=len(self.slots))
        ties = self.graphs.ties(self._bucket, self.counterfeits.begun, remaining)
        height = self.test_insertions(held, ties)
        short = self.slots.spread(height) - held
        left, people = self._balance(short)
        remain, ties = self._keep_counterfeits(remaining, ties, short - people, self.slots.total(short))
        kept = np.bincount(self.counterfeits.slot[remain & ~remaining], minlength=len(self.slots))
        missing = short - people - kept
        cut = ties.flow + self.slots.total(people + missing)
        layers = place_leftovers(left, self.m, self.least, self._highest_first(height, self.least - cut))
        return self.add_counterfeits(people, missing, layers, remain)

    def test_insertions(self, held: Numbers, ties: Ties) -> Numbers:
        """Return how many rows of each value a bucket gets so that the minimum cut is enough (Algorithm 3).

        The fewest that m-invariance asks for are tested first, the height of the highest list; then come so many full
        sets of the signature as the cut is short of.
        """
        height = self.slots.height(held)
        return height + self._layers(ties, self.slots.total(self.slots.spread(height) - held))

    def add_counterfeits(self, people: Numbers, missing: Numbers, layers: list[Layers], remain: Flags) -> BucketPlan:
        """Return the plan in which counterfeits stand for the people who are missing.

        Args:
            people: how many new people come into each slot that there is.
            missing: how many rows each slot lacks then.
            layers: of the leftovers, perhaps in new buckets.
            remain: which counterfeits of the last release remain.
        """
        signatures = dict.fromkeys([*self.slots.signatures, *(each.signature for each in layers)])
        slots = Slots.of(list(signatures))
        first = dict(zip(signatures, slots.start.tolist(), strict=True))
        created = (0, len(slots) - len(people))
        people, counterfeits = np.pad(people, created), np.pad(missing, created)
        for each in layers:
            bucket = slice(first[each.signature], first[each.signature] + len(each.signature))
            theirs = np.isin(slots.value[bucket], each.people)
            people[bucket] += each.rows * theirs
            counterfeits[bucket] += each.rows * ~theirs
        needed = slots.total(counterfeits) + np.bincount(self._bucket[remain], minlength=len(slots.start))
        return BucketPlan(slots, people, remain, counterfeits, needed)

    @cached_property
    def _bucket(self) -> Numbers:
        """The bucket of each counterfeit."""
        return self.slots.spread(np.arange(len(self.slots.start)))[self.counterfeits.slot]

    def _balance(self, short: Numbers) -> tuple[Numbers, Numbers]:
        """Return the new people of each value that are left, and how many come into each slot that is short."""
        lacking = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(lacking, self.slots.value, short)
        moved = fill(self.counts, lacking, self.m)
        return self.counts - moved, self.slots.hand_out(moved, short)

    def _keep_counterfeits(self, remaining: Flags, ties: Ties, gap: Numbers, fresh: Numbers) -> tuple[Flags, Ties]:
        """Return which counterfeits remain, and what ties now and the end of each bucket together then.

        Args:
            remaining: the counterfeits of unchanged buckets.
            ties: when no others remain.
            gap: how many counterfeits there are to be in each slot of the other buckets.
            fresh: how many rows of each bucket are new when none of these remains.
        """
        candidate = ~remaining & (_rank(self.counterfeits.slot) < gap[self.counterfeits.slot])
        if not candidate.any():
            return remaining, ties
        with_them = self.graphs.ties(self._bucket, self.counterfeits.begun, remaining | candidate)
        fresh = fresh - np.bincount(self._bucket[candidate], minlength=len(fresh))
        enough = self._layers(with_them, fresh) == 0
        flow, cut_off = np.where(enough, with_them.flow, ties.flow), np.where(enough, with_them.cut_off, ties.cut_off)
        return remaining | (candidate & enough[self._bucket]), Ties(flow, cut_off)

    def _layers(self, ties: Ties, fresh: Numbers) -> Numbers:
        """Return how many layers the cut between now and the end needs in each bucket, if one component has both."""
        lacking = np.maximum(0, self.least - ties.flow - fresh)
        separate = (ties.flow + fresh == 0) & ~ties.cut_off
        return np.where(separate, 0, -(-lacking // self.slots.width()))

    def _highest_first(self, height: Numbers, lack: Numbers) -> list[tuple[Signature, int]]:
        """Return the signatures of the buckets, the highest first, each with how many new rows its cut lacks."""
        order = np.argsort(-height, kind="stable").tolist()
        return [(self.slots.signatures[bucket], int(lack[bucket])) for bucket in order]

    def broken(self, plan: BucketPlan) -> Numbers:
        """Return the buckets that there are in which some cut is too small after all: no plan can help."""
        if not self.least:
            return np.zeros(0, dtype=np.int64)
        fresh = plan.slots.total(plan.people + plan.counterfeits)[: len(self.still)]
        return np.flatnonzero(self.graphs.broken(self._bucket, self.counterfeits.begun, plan.remain, fresh, self.least))


def _rank(slot: Numbers) -> Numbers:
    """Return how many of the same slot stand before each."""
    order = np.argsort(slot, kind="stable")
    first = np.searchsorted(slot[order], slot[order])
    rank = np.empty(len(slot), dtype=np.int64)
    rank[order] = np.arange(len(slot)) - first
    return rank
