"""e-equivalence: nobody learns that fewer than e people share their values with as many others.

Whole buckets are published, one group for each signature and release, each value of the signature equally often, so
that nobody's value is more probable than 1/m. Whoever combines releases linearly moves along the cuts of a bucket's
graph (`bucket_graphs`); all cuts that part a connected component are kept above 2(e - 1). This is sufficient, whatever
the buckets have in common (equivalence paper, Theorem 2). Source: equivalence paper, Section VI, Algorithms 1 to 3.

Beside what `bucket_plans` tells, four things go beyond the paper. Cuts are looked at when everybody is placed, new
buckets included: Algorithm 2 places the leftovers after the test. Everybody who returns after an absence keeps the
bucket, and is left out of the cut: taken for one long stay they would make it seem larger than it is. Counterfeits keep
their identity, as in Table VII. And where too many new people share a value, the fewest possible can be made to wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from anonymizers.bucket_graphs import graphs_of, welcome
from anonymizers.bucket_plans import BucketPlan, Fakes, Planning
from anonymizers.division import Rows, bounds, check_values, divide, newcomers
from anonymizers.signatures import Numbers, Slots
from audit.model.anonymizer import COUNTERFEIT, Draft, Form, Promise, RefusalError, Snapshot
from audit.model.arrays import Codes, Flags
from audit.model.errors import UsageError
from audit.model.history import PresenceHistory, PublicationHistory
from audit.model.options import option

# Of a small release more rows may be counterfeits than people.
_FEW = 1000


class _Division(NamedTuple):
    """Who goes on.

    Attributes:
        back: the rows of those who were published before.
        slots: of their buckets.
        home: the slot of each.
        place: the place of each signature among their buckets, -1 where nobody is back; shape (signatures,).
        fakes: codes of the counterfeits that may go on, in the order in which they are asked to.
        slot: the slot of each.
        present: by code, who is published again.
    """

    back: Rows
    slots: Slots
    home: Numbers
    place: Numbers
    fakes: Numbers
    slot: Numbers
    present: Flags


@dataclass(frozen=True)
class EEquivalenceAnonymizer:
    """Publish buckets that allow no equivalence of fewer than e people.

    Attributes:
        m: the least number of sensitive values in a group; at least 2.
        e: the least number of people on a side of an equivalence; at least 1, which promises nothing.
        withhold: make the fewest new people wait where too many share a value, and those who return where that would
            break a promise of old, instead of refusing.

    Raises:
        UsageError: m is below 2, or e below 1.
    """

    m: int = option(help="the promise: number of values in a group", least=2)
    e: int = option(help="the promise: number of people on a side of an equivalence", least=1)
    withhold: bool = option(False, help="if needed, hold back as few rows as possible until a later release")
    name: ClassVar[str] = "e-equivalence"
    forms: ClassVar[tuple[Form, ...]] = ("anatomy", "generalization")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse what would promise nothing."""
        if self.m < 2:
            raise UsageError(f"e-equivalence with m = {self.m} hides no value; choose m from 2 on")
        if self.e < 1:
            raise UsageError(f"there is no e-equivalence with e = {self.e}; choose e from 1 on")

    @property
    def promise(self) -> Promise:
        """Return e-equivalence with the parameter e (Definition 6)."""
        return Promise("e-equivalence", {"e": self.e})

    @property
    def _least(self) -> int:
        """The least cut that is enough: above 2(e - 1)."""
        return 2 * self.e - 1 if self.e > 1 else 0

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release: everybody who was ever published before, and the new people unless withheld.

        Raises:
            RefusalError: values may change, or somebody's did, somebody's last group is of no use, too many new people
                share a value, somebody returns whose absence a promise rests on, nobody would be published,
                counterfeits would outnumber people, or the promise is broken already.
        """
        if snapshot.updates is not None and self.e > 1:
            raise RefusalError(
                "equivalences are between values that never change, and the microdata have transitions",
                "choose a method for values that change, such as m-distinct, or leave the transitions out",
            )
        check_values(snapshot, so_far)
        signature = so_far.signatures_of(snapshot.person)
        new = newcomers(snapshot, rng.permutation(np.flatnonzero(signature < 0)), self.m, withhold=self.withhold)
        division = self._divide(snapshot, so_far, signature, rng)
        if not len(division.back) and not len(new):
            raise RefusalError("nobody would be published", "publish the next snapshot instead")
        planning = self._planning(snapshot, so_far.stays, division, snapshot.value[new])
        plan = planning.best()
        loose = planning.loose(plan)
        if len(loose):
            told = "; ".join(_named(snapshot, division.slots.signatures[bucket]) for bucket in loose[:3].tolist())
            raise RefusalError(
                f"the releases so far allow smaller equivalences than e = {self.e} in {len(loose):,} buckets ({told})",
                "choose an e that the series has kept so far, or begin a new series",
            )
        self._check_number(plan, len(division.back) + len(new))
        return _drafted(snapshot, division, new, plan)

    def _divide(
        self, snapshot: Snapshot, so_far: PublicationHistory, signature: Codes, rng: np.random.Generator
    ) -> _Division:
        """Return who goes on, people and counterfeits.

        Raises:
            RefusalError: somebody's last group is of no use, or somebody returns and must not.
        """
        stays = so_far.stays
        here = np.append(stays.here(), False)
        size = len(here) - 1
        known = np.flatnonzero(signature >= 0)
        returning = rng.permutation(known[~here[np.minimum(snapshot.person[known], size)]])
        shut = self._shut_out(snapshot, so_far, signature, returning)
        back = np.setdiff1d(known, shut, assume_unique=True)
        slots, home, needed = divide(snapshot, so_far.signatures, signature, back, self.m)
        place = np.full(len(so_far.signatures), -1, dtype=np.int64)
        place[needed] = np.arange(len(needed))
        present = np.zeros(size, dtype=np.bool_)
        present[snapshot.person[back]] = True
        fakes = rng.permutation(np.flatnonzero(stays.fake & here[:size] & ~stays.returned & (stays.value >= 0)))
        fakes = fakes[place[stays.bucket[fakes]] >= 0]
        slot = slots.find(place[stays.bucket[fakes]], stays.value[fakes])
        return _Division(back, slots, home, place, fakes[slot >= 0], slot[slot >= 0], present)

    def _shut_out(self, snapshot: Snapshot, so_far: PublicationHistory, signature: Codes, returning: Rows) -> Rows:
        """Return the rows of those who return and have to wait.

        Raises:
            RefusalError: there are some, and nobody is to wait.
        """
        if not self._least or not len(returning):
            return returning[:0]
        stays, codes = so_far.stays, snapshot.person[returning].astype(np.int64)
        concerned = np.flatnonzero(np.bincount(stays.bucket[codes], minlength=len(so_far.signatures)))
        place = np.full(len(so_far.signatures), -1, dtype=np.int64)
        place[concerned] = np.arange(len(concerned))
        shut = returning[~welcome(stays, place, codes, self._least)]
        if len(shut) and not self.withhold:
            buckets = [so_far.signatures[number] for number in np.unique(signature[shut]).tolist()]
            told = "; ".join(_named(snapshot, bucket) for bucket in buckets[:3])
            raise RefusalError(
                f"{len(shut):,} people return after an absence; without their earlier stays the releases so far would "
                f"allow smaller equivalences than e = {self.e} in {len(buckets):,} buckets ({told})",
                "let them wait with --withhold, or choose a smaller e",
                rows=np.sort(shut),
                column="individual",
            )
        return shut

    def _planning(self, snapshot: Snapshot, stays: PresenceHistory, division: _Division, value: Codes) -> Planning:
        """Return what the release is planned from; `value` are the values of the new people."""
        slots, place = division.slots, division.place
        here = stays.here()
        coming = snapshot.person[division.back].astype(np.int64)
        coming = coming[~here[coming]]
        going = np.flatnonzero(here & ~division.present)
        going = np.setdiff1d(going, division.fakes, assume_unique=True)
        moved = np.concatenate([place[stays.bucket[coming]], place[stays.bucket[going]], place[_nameless(stays)]])
        values = int(max(slots.value.max(initial=-1), value.max(initial=-1))) + 1
        return Planning(
            m=self.m,
            least=self._least,
            slots=slots,
            held=np.bincount(division.home, minlength=len(slots)),
            counts=np.bincount(value, minlength=values),
            fakes=Fakes(division.slot, stays.begun[division.fakes]),
            still=np.bincount(moved[moved >= 0], minlength=len(slots.signatures)) == 0,
            graphs=graphs_of(stays, place, division.present, coming, division.fakes),
        )

    def _check_number(self, plan: BucketPlan, people: int) -> None:
        """Refuse a release that would be counterfeits for the most part.

        Raises:
            RefusalError: it would.
        """
        fakes = int(plan.needed.sum())
        if fakes > max(people, _FEW):
            raise RefusalError(
                f"{people:,} people would need {fakes:,} counterfeits among them",
                f"choose an e below {self.e}, or an m below {self.m}, or publish later, with more people",
            )


def _nameless(stays: PresenceHistory) -> Codes:
    """Return the buckets of the counterfeits without identity in the last release."""
    spans = stays.nameless()
    return spans.bucket[spans.ended == stays.releases]


def _named(snapshot: Snapshot, signature: tuple[int, ...]) -> str:
    """Return the values of a bucket, at most five of them."""
    names = [snapshot.values[code] for code in signature[:5]]
    return ", ".join(names) + (" and others" if len(signature) > 5 else "")


def _drafted(snapshot: Snapshot, division: _Division, new: Rows, plan: BucketPlan) -> Draft:
    """Return the release: a group for each bucket; the new people are in the order of their values."""
    slots, fakes = plan.slots, int(plan.fakes.sum())
    # They go to the slots of their value one after the other.
    by_value = np.argsort(slots.value, kind="stable")
    stay = division.fakes[plan.stay]
    people = len(division.back) + len(new)
    row = np.concatenate([division.back, new, np.full(len(stay) + fakes, COUNTERFEIT)])
    identity = np.concatenate([np.full(people, COUNTERFEIT), stay, np.full(fakes, COUNTERFEIT)])
    home = np.concatenate(
        [
            division.home,
            np.repeat(by_value, plan.people[by_value]),
            division.slot[plan.stay],
            np.repeat(np.arange(len(slots)), plan.fakes),
        ]
    )
    group = slots.spread(np.arange(len(slots.start)))[home]
    return Draft(
        row=row.astype(np.int32),
        group=group.astype(np.int32),
        value=slots.value[home].astype(np.int32),
        cells=bounds(snapshot.point[row[:people]], group[:people], len(slots.start)),
        identity=identity.astype(np.int32),
    )
