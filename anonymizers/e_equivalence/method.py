"""e-equivalence: no equivalence of a group of fewer than e people with another group can be proved.

Whole buckets are published: one group for each signature and release, with each value of the signature equally often,
so that no value is more probable than 1/m. An attack that combines releases linearly uses the cuts of a bucket's graph
(`bucket_plans.Graphs`); all cuts that separate a connected component are kept above 2(e - 1). This is sufficient,
whatever the buckets have in common (equivalence paper, Theorem 2). Source: equivalence paper, Section VI, Algorithm 1
(`bucket_plans.graphs_of`), Algorithm 2 (`bucket_plans.Planning.plan`) and Algorithm 3
(`bucket_plans.Planning.heights_needed`).

Differences from the paper, besides those of `bucket_plans`: Cuts are tested after all people are placed; Algorithm 2
places the leftovers after the test. (A new bucket has one cut, all its rows, and gets enough of them.) People who
return after an absence keep their bucket, and do not count for its cut: as one long presence they would make it seem
too large. Counterfeits keep their identity, as in Table VII. If too many new people share a value, as few of them as
possible can be withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from anonymizers.balancing import Slots, divide, newcomers
from anonymizers.e_equivalence.bucket_plans import BucketPlan, Planning, PreviousCounterfeits, graphs_of, may_return
from audit.model.anonymizer import (
    COUNTERFEIT,
    Bounds,
    Draft,
    Form,
    PresenceHistory,
    Promise,
    PublicationHistory,
    RefusalError,
    Snapshot,
)
from audit.model.arrays import Codes, Flags, Numbers, flagged, numbered
from audit.model.options import option
from audit.runtime.phrases import say

# A release with more counterfeits than this must not have more counterfeits than people.
_FEW_COUNTERFEITS = 1000


class _Division(NamedTuple):
    """The people and counterfeits that are published again.

    Attributes:
        back: the rows of people who were published before.
        slots: the slots of their buckets.
        home: the slot of each of these people.
        place: the place of each signature among their buckets, -1 for other signatures; shape (signatures,).
        counterfeits: codes of the counterfeits that may remain, in the order of preference.
        slot: the slot of each of these counterfeits.
        present: whether each person is published again, by person code.
    """

    back: Numbers
    slots: Slots
    home: Numbers
    place: Numbers
    counterfeits: Numbers
    slot: Numbers
    present: Flags


@dataclass(frozen=True)
class EEquivalenceAnonymizer:
    """Publish buckets that allow no equivalence of fewer than e people.

    Attributes:
        m: the least number of sensitive values in a group; at least 2.
        e: the least number of people on a side of an equivalence; at least 1, which promises nothing.
        withhold: instead of refusing, withhold as few new people as possible if too many share a value, and people
            whose return would break the promise of earlier releases.
    """

    m: int = option(help="the promise: number of values in a group", least=2)
    e: int = option(help="the promise: number of people on a side of an equivalence", least=1)
    withhold: bool = option(False, help="if needed, hold back as few rows as possible until a later release")
    name: ClassVar[str] = "e-equivalence"
    forms: ClassVar[tuple[Form, ...]] = ("anatomy", "generalization")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False
    constant_values: ClassVar[bool] = True

    @property
    def promise(self) -> Promise:
        """Return e-equivalence with the parameter e (Definition 10)."""
        return Promise("e-equivalence", {"e": self.e})

    @property
    def _least(self) -> int:
        """The smallest cut that is large enough: above 2(e - 1)."""
        return 2 * self.e - 1 if self.e > 1 else 0

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release: all people who were published before, and the new people unless withheld.

        Raises:
            RefusalError: values may change, or one did; a person's last group is too small or lacks the value; too many
                new people share a value; a return would break the promise of earlier releases; no one would be
                published; counterfeits would outnumber people; or the promise is broken already.
        """
        if snapshot.updates is not None and self.e > 1:
            raise RefusalError(
                say("equivalences are between values that never change, and the microdata have transitions"),
                say("choose a method for values that change, such as m-distinct, or leave the transitions out"),
            )
        signature = so_far.signatures_of(snapshot.person)
        new = newcomers(snapshot, signature, self.m, rng, withhold=self.withhold)
        division = self._divide(snapshot, so_far, signature, rng)
        if not len(division.back) and not len(new):
            raise RefusalError(say("nobody would be published"), say("publish the next snapshot instead"))
        planning = self._planning(snapshot, so_far.presence, division, snapshot.value[new])
        plan = planning.best()
        broken = planning.broken(plan)
        if len(broken):
            few = "; ".join(_named(snapshot, division.slots.signatures[bucket]) for bucket in broken[:3].tolist())
            raise RefusalError(
                say(
                    "the releases so far allow smaller equivalences than e = {e} in {count} buckets ({few})",
                    e=self.e,
                    count=len(broken),
                    few=few,
                ),
                say("choose an e that the series has kept so far, or begin a new series"),
            )
        self._check_number(plan, len(division.back) + len(new))
        return _drafted(snapshot, division, new, plan)

    def _divide(
        self, snapshot: Snapshot, so_far: PublicationHistory, signature: Codes, rng: np.random.Generator
    ) -> _Division:
        """Return the people and counterfeits that are published again.

        Raises:
            RefusalError: a person's last group is too small or lacks the value, or a person must not return.
        """
        presence = so_far.presence
        in_last = np.append(presence.here(), False)
        size = len(in_last) - 1
        known = np.flatnonzero(signature >= 0)
        returning = rng.permutation(known[~in_last[np.minimum(snapshot.person[known], size)]])
        shut = self._shut_out(snapshot, so_far, signature, returning)
        back = np.setdiff1d(known, shut, assume_unique=True)
        slots, home, needed = divide(snapshot, so_far.signatures, signature, back, self.m)
        place = numbered(needed, len(so_far.signatures)).astype(np.int64)
        present = flagged(snapshot.person[back], size)
        counterfeits = rng.permutation(
            np.flatnonzero(presence.counterfeit & in_last[:size] & ~presence.returned & (presence.value >= 0))
        )
        counterfeits = counterfeits[place[presence.bucket[counterfeits]] >= 0]
        slot = slots.find(place[presence.bucket[counterfeits]], presence.value[counterfeits])
        return _Division(back, slots, home, place, counterfeits[slot >= 0], slot[slot >= 0], present)

    def _shut_out(
        self, snapshot: Snapshot, so_far: PublicationHistory, signature: Codes, returning: Numbers
    ) -> Numbers:
        """Return the rows of people who must not return yet.

        Raises:
            RefusalError: there are such people, and `withhold` is not set.
        """
        if not self._least or not len(returning):
            return returning[:0]
        presence, codes = so_far.presence, snapshot.person[returning].astype(np.int64)
        concerned = np.flatnonzero(np.bincount(presence.bucket[codes], minlength=len(so_far.signatures)))
        place = numbered(concerned, len(so_far.signatures)).astype(np.int64)
        shut = returning[~may_return(presence, place, codes, self._least)]
        if len(shut) and not self.withhold:
            buckets = [so_far.signatures[number] for number in np.unique(signature[shut]).tolist()]
            few = "; ".join(_named(snapshot, bucket) for bucket in buckets[:3])
            raise RefusalError(
                say(
                    "{people} people return after an absence; without their earlier stays the releases so far would "
                    "allow smaller equivalences than e = {e} in {count} buckets ({few})",
                    people=len(shut),
                    e=self.e,
                    count=len(buckets),
                    few=few,
                ),
                say("let them wait with --withhold, or choose a smaller e"),
                rows=np.sort(shut),
                column="individual",
            )
        return shut

    def _planning(self, snapshot: Snapshot, presence: PresenceHistory, division: _Division, value: Codes) -> Planning:
        """Return the state from which the release is planned; `value` holds the values of the new people."""
        slots, place = division.slots, division.place
        in_last = presence.here()
        coming = snapshot.person[division.back].astype(np.int64)
        coming = coming[~in_last[coming]]
        going = np.flatnonzero(in_last & ~division.present)
        going = np.setdiff1d(going, division.counterfeits, assume_unique=True)
        moved = np.concatenate(
            [place[presence.bucket[coming]], place[presence.bucket[going]], place[_nameless(presence)]]
        )
        return Planning(
            m=self.m,
            least=self._least,
            slots=slots,
            held=np.bincount(division.home, minlength=len(slots)),
            counts=np.bincount(value, minlength=int(slots.value.max(initial=-1)) + 1),
            counterfeits=PreviousCounterfeits(division.slot, presence.begun[division.counterfeits]),
            still=np.bincount(moved[moved >= 0], minlength=len(slots.signatures)) == 0,
            graphs=graphs_of(presence, place, division.present, coming, division.counterfeits),
        )

    def _check_number(self, plan: BucketPlan, people: int) -> None:
        """Refuse a large release with more counterfeits than people.

        Raises:
            RefusalError: it has more.
        """
        counterfeits = int(plan.needed.sum())
        if counterfeits > max(people, _FEW_COUNTERFEITS):
            raise RefusalError(
                say(
                    "{people} people would need {counterfeits} counterfeits among them",
                    people=people,
                    counterfeits=counterfeits,
                ),
                say("choose an e below {e}, or an m below {m}, or publish later, with more people", e=self.e, m=self.m),
            )


def _nameless(presence: PresenceHistory) -> Codes:
    """Return the buckets of the counterfeits without identity in the last release."""
    spans = presence.nameless()
    return spans.bucket[spans.ended == presence.releases]


def _named(snapshot: Snapshot, signature: tuple[int, ...]) -> str:
    """Return the names of at most five values of a bucket."""
    names = ", ".join(snapshot.values[code] for code in signature[:5])
    return say("{items} and others", items=names) if len(signature) > 5 else names


def _drafted(snapshot: Snapshot, division: _Division, new: Numbers, plan: BucketPlan) -> Draft:
    """Return the release, with a group for each bucket; the new people are sorted by value."""
    slots, counterfeits = plan.slots, int(plan.counterfeits.sum())
    kept = division.counterfeits[plan.remain]
    people = len(division.back) + len(new)
    row = np.concatenate([division.back, new, np.full(len(kept) + counterfeits, COUNTERFEIT)])
    identity = np.concatenate([np.full(people, COUNTERFEIT), kept, np.full(counterfeits, COUNTERFEIT)])
    home = np.concatenate(
        [
            division.home,
            slots.by_value(plan.people),
            division.slot[plan.remain],
            np.repeat(np.arange(len(slots)), plan.counterfeits),
        ]
    )
    group = slots.spread(np.arange(len(slots.start)))[home]
    return Draft(
        row=row.astype(np.int32),
        group=group.astype(np.int32),
        value=slots.value[home].astype(np.int32),
        cells=Bounds.of(snapshot.point[row[:people]], group[:people], len(slots.start)),
        identity=identity.astype(np.int32),
    )
