"""Methods m-Distinct and m-Distinct*: later groups rule out no value of a person's history, though values change.

Every group has at least m rows, all with different sensitive values. The values of a person's group are a legal update
instance of those of the person's last group: there are as many, each can follow from one of these, and one can follow
from each of these (m-Distinct paper, Definitions 14 and 15). So no value of a person's history can be ruled out
(Lemma 3). m-Distinct* also requires that no two values of a person's first group may ever become the same.

Source: m-Distinct paper, Sections IV and V, whose phases are buckets, assignment, and generating groups. Differences:

* A bucket's records are put into entries last, see `entries`, and groups are formed by colouring, see `colouring`.
* Buckets of intersections are made only if that saves counterfeits (`mergers`).
* New people fill the gaps of existing buckets. The others go into as few kinds of buckets as possible, in full layers;
  the paper partitions them anew, which makes new signatures in each release.
* If a value is too frequent among them, counterfeits balance it, as in the paper; no person is withheld.

`mergers` move the people of two buckets into one whose sets are the intersections of theirs, to save counterfeits.
People of both buckets may be in that bucket, because its sets are subsets of theirs, one by one (m-Distinct paper,
Section V-A). The paper makes such a bucket for every pair that intersects, and the score of each record decides. This
implementation merges two buckets if that saves counterfeits, first the pair that saves most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from anonymizers.division import misplaced
from anonymizers.m_distinct import colouring
from anonymizers.m_distinct.entries import (
    SignatureBucket,
    UpdateSetSignature,
    entries_of,
    intersected,
    masks_of,
    signed,
)
from anonymizers.m_distinct.new_records import Batch, Ends, Family, families, grouped
from audit.model.anonymizer import COUNTERFEIT, Bounds, Draft, Form, Promise, PublicationHistory, RefusalError, Snapshot
from audit.model.arrays import Codes, Floats, Numbers
from audit.model.evidence import UpdateSets
from audit.model.options import option
from audit.runtime.phrases import say

# The number of pairs of buckets grows with the square, and each pair costs at least a third of a millisecond.
_MOST_BUCKETS = 24


Merger = tuple[tuple[int, int], UpdateSetSignature]
"""Two buckets whose rows go into the bucket of a signature, if it covers their values."""


def mergers(buckets: Sequence[SignatureBucket]) -> list[Merger]:
    """Return the mergers in order; a new bucket gets the next number.

    Only the buckets that need the most counterfeits are considered.
    """
    numbered = list(buckets)
    places = {bucket.entries.sets: number for number, bucket in enumerate(numbered)}
    needed = {number: bucket.counterfeits() for number, bucket in enumerate(numbered)}
    needy = sorted((number for number in needed if needed[number]), key=lambda number: (-needed[number], number))
    candidates = needy[:_MOST_BUCKETS]
    known: dict[tuple[int, int], _Plan | None] = {}
    found: list[Merger] = []
    while True:
        pairs = list(combinations(candidates, 2))
        for pair in pairs:
            if pair not in known:
                known[pair] = _planned(numbered, pair, places)
        plans = [(known[pair], pair) for pair in pairs]
        best = max(plans, key=lambda each: each[0].saved if each[0] is not None else 0, default=(None, None))
        plan, chosen = best
        if plan is None or chosen is None or not plan.saved:
            return found
        found.append((chosen, plan.signature))
        place = places.setdefault(plan.signature, len(numbered))
        if place == len(numbered):
            numbered.append(plan.merged)
        for number, rest in zip(chosen, plan.rest, strict=True):
            numbered[number] = rest
        numbered[place] = plan.merged
        candidates = [number for number in dict.fromkeys([*candidates, place]) if numbered[number].counterfeits()]
        known = {
            pair: each
            for pair, each in known.items()
            if not {*chosen, place} & {*pair} and (each is None or each.signature != plan.signature)
        }


@dataclass(frozen=True)
class _Plan:
    """The result of merging two buckets, and the number of counterfeits that it saves."""

    signature: UpdateSetSignature
    merged: SignatureBucket
    rest: tuple[SignatureBucket, SignatureBucket]
    saved: int


def _planned(
    buckets: Sequence[SignatureBucket], pair: tuple[int, int], places: dict[UpdateSetSignature, int]
) -> _Plan | None:
    first, second = (buckets[number] for number in pair)
    signature = intersected(first.entries.sets, second.entries.sets)
    taken = places.get(signature, pair[0]) if signature is not None else -1
    if signature is None or (taken not in pair and len(buckets[taken])):
        return None
    entries = entries_of(signature, len(first.counts))
    if entries is None:
        return None
    covered = entries.value_class >= 0
    merged = SignatureBucket(entries, np.where(covered, first.counts + second.counts, 0))
    rest = (
        SignatureBucket(first.entries, np.where(covered, 0, first.counts)),
        SignatureBucket(second.entries, np.where(covered, 0, second.counts)),
    )
    saved = sum(each.counterfeits() for each in (first, second)) - sum(each.counterfeits() for each in (merged, *rest))
    return _Plan(signature, merged, rest, max(0, saved))


_GRAIN = 0.01  # share of a domain, added to each length, so that a box of length 0 can grow by a factor


@dataclass(frozen=True)
class MDistinctAnonymizer:
    """Publish m-Distinct releases.

    Attributes:
        m: the least number of rows, and so of sensitive values, in a group; at least 2.
    """

    m: int = option(help="the promise: number of values in a group", least=2)
    name: ClassVar[str] = "m-distinct"
    forms: ClassVar[tuple[Form, ...]] = ("generalization", "anatomy")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = True

    @property
    def promise(self) -> Promise:
        """Return m-Distinct, or m-Distinct*, with the parameter m (Definition 15, Section IV-B)."""
        return Promise(self.name, {"m": self.m})

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, rng: np.random.Generator, /) -> Draft:
        """Return the next release, with all people of the snapshot.

        Raises:
            RefusalError: a key contradicts the releases, or there are too few values for a group. (That values follow
                the people's last ones is checked before, in `audit.publishing.publish`.)
        """
        release = _Release(snapshot, rng, self.m)
        release.put_back(so_far)
        ends = self._ends(snapshot, release)
        release.fill_up()
        if ends is not None:
            release.put_new(ends.beforehand(release.masks, release.waiting(), self.m))
        release.merge()
        waiting = release.waiting()
        if waiting.any():
            found = list(ends.family) if ends is not None else families(release.masks, waiting, self.m)
            release.put_new(grouped(found, waiting, self.m, release.known()))
        return release.draft()

    def _ends(self, snapshot: Snapshot, release: _Release) -> Ends | None:
        """Return the ends of values for m-Distinct*, None for m-Distinct.

        Raises:
            RefusalError: there are too few values for a group.
        """
        if release.waiting().any() and len(snapshot.values) < self.m:
            what = say("there are {values} sensitive values, fewer than m = {m}", values=len(snapshot.values), m=self.m)
            raise RefusalError(what, say("choose a smaller m"), column="sensitive")
        return None


@dataclass(frozen=True)
class MDistinctStarAnonymizer(MDistinctAnonymizer):
    """Publish m-Distinct* releases."""

    name: ClassVar[str] = "m-distinct-star"

    def _ends(self, snapshot: Snapshot, release: _Release) -> Ends | None:
        ends = Ends.find(release.updates)
        ends.check(snapshot.value, release.new, self.m, snapshot.values)
        return ends


class _Release:
    """A release that is being formed.

    Attributes:
        new: the rows of people who were never published before, in random order.
        masks: the candidate update set of each value.
    """

    def __init__(self, snapshot: Snapshot, rng: np.random.Generator, m: int) -> None:
        self.snapshot, self.rng, self.m = snapshot, rng, m
        self.updates = snapshot.updates or UpdateSets.unchanging(len(snapshot.values))
        self.masks = masks_of(self.updates)
        self.new: Numbers = np.zeros(0, dtype=np.int64)
        self._buckets: list[SignatureBucket] = []
        self._number: dict[UpdateSetSignature, int] = {}
        self._home: Numbers = np.full(len(snapshot), -1, dtype=np.int64)

    def _bucket(self, signature: UpdateSetSignature) -> int:
        """Return the number of the bucket of a signature, and make the bucket if there is none."""
        if signature not in self._number:
            entries = entries_of(signature, len(self.updates))
            if entries is None:
                raise AssertionError("the values of a group with this signature represent its sets")
            self._number[signature] = len(self._buckets)
            self._buckets.append(SignatureBucket(entries, np.zeros(len(self.updates), dtype=np.int64)))
        return self._number[signature]

    def waiting(self) -> Numbers:
        """Return the number of new people of each value who have no bucket yet; shape (values,)."""
        return np.bincount(self.snapshot.value[self._unplaced()], minlength=len(self.updates))

    def _unplaced(self) -> Numbers:
        """Return the rows of these people, in their random order."""
        return self.new[self._home[self.new] < 0]

    def known(self) -> list[UpdateSetSignature]:
        """Return the signatures of the buckets, those with most layers first."""
        layers = [len(bucket) // len(bucket.entries) for bucket in self._buckets]
        order = sorted(range(len(layers)), key=lambda number: (-layers[number], number))
        return [self._buckets[number].entries.sets for number in order]

    def put_back(self, so_far: PublicationHistory) -> None:
        """Put people who were published before into the bucket of their last group's signature.

        Raises:
            RefusalError: a person's value is in no set of the bucket, so the key contradicts the releases.
        """
        signature = so_far.signatures_of(self.snapshot.person)
        back = np.flatnonzero(signature >= 0)
        self.new = self.rng.permutation(np.flatnonzero(signature < 0))
        value = self.snapshot.value[back]
        needed = np.flatnonzero(np.bincount(signature[back], minlength=len(so_far.signatures)))
        bucket = np.full(len(so_far.signatures), -1, dtype=np.int64)
        for number in needed.tolist():
            bucket[number] = self._bucket(signed(so_far.signatures[number], self.masks))
        self._home[back] = bucket[signature[back]]
        self._count()
        self._check_covered(back, value)

    def _count(self) -> None:
        """Count the rows of each bucket by value."""
        rows, values = np.flatnonzero(self._home >= 0), len(self.updates)
        cell = self._home[rows] * values + self.snapshot.value[rows]
        counts = np.bincount(cell, minlength=len(self._buckets) * values).reshape(-1, values)
        for bucket, each in zip(self._buckets, counts, strict=True):
            bucket.counts = each.astype(np.int64)

    def _check_covered(self, back: Numbers, value: Codes) -> None:
        if not self._buckets:
            return
        classes = np.stack([each.entries.value_class for each in self._buckets])
        wrong = back[classes[self._home[back], value] < 0]
        if len(wrong):
            raise misplaced(wrong)

    def fill_up(self) -> None:
        """Fill the gaps of the buckets with the new people that widen the bucket's box least."""
        snapshot, places = self.snapshot, self.snapshot.places()
        waiting, left = self.waiting(), self._unplaced()
        rows_of = np.split(left[np.argsort(snapshot.value[left], kind="stable")], np.cumsum(waiting)[:-1])
        # The buckets that cover the fewest values first.
        choice = sorted(
            range(len(self._buckets)), key=lambda each: ((self._buckets[each].entries.value_class >= 0).sum(), each)
        )
        for number in choice:
            if not waiting.any():
                return
            taken = self._buckets[number].fitting(waiting)
            if not taken.any():
                continue
            self._buckets[number].counts = self._buckets[number].counts + taken
            waiting -= taken
            inside = places[self._home == number]
            for value in np.flatnonzero(taken).tolist():
                fits = closest(inside, places[rows_of[value]], int(taken[value]))
                self._home[rows_of[value][fits]] = number
                rows_of[value] = np.delete(rows_of[value], fits)

    def merge(self) -> None:
        """Move people to buckets of intersections if that saves counterfeits."""
        for pair, signature in mergers(self._buckets):
            number = self._bucket(signature)
            covered = self._buckets[number].entries.value_class >= 0
            moved = np.isin(self._home, pair) & covered[self.snapshot.value]
            self._home[moved] = number
        self._count()

    def put_new(self, batches: Sequence[Batch]) -> None:
        """Put new people into the buckets of their batches."""
        rows_of, left = dict[Family, Numbers](), self._unplaced()
        for batch in batches:
            number = self._bucket(batch.signature)
            for family in batch.families:
                if family not in rows_of:
                    rows_of[family] = left[np.isin(self.snapshot.value[left], family.values)]
                rows, rows_of[family] = rows_of[family][: batch.rows], rows_of[family][batch.rows :]
                self._home[rows] = number
                added = np.bincount(self.snapshot.value[rows], minlength=len(self.updates))
                self._buckets[number].counts = self._buckets[number].counts + added

    def draft(self) -> Draft:
        """Return the release: the buckets, filled up with counterfeits and divided into groups."""
        snapshot, parts = self.snapshot, []
        places = snapshot.places()
        order = np.argsort(self._home, kind="stable")
        ends = np.cumsum(np.bincount(self._home, minlength=len(self._buckets)))
        for number, bucket in enumerate(self._buckets):
            if not len(bucket):
                continue
            taken, height, counterfeits = bucket.completed(self.rng)
            real = order[ends[number] - len(bucket) : ends[number]]
            row = np.concatenate([real, np.full(counterfeits.sum(), COUNTERFEIT)])
            value = np.concatenate([snapshot.value[real], np.repeat(np.arange(len(counterfeits)), counterfeits)])
            whole = colouring.ColouredBucket(
                height=height,
                taken=taken.taken,
                value_class=bucket.entries.value_class[value],
                value=value.astype(np.int64),
                point=snapshot.point[row],
                place=places[row],
                real=row != COUNTERFEIT,
            )
            parts.append((row, whole))
        groups = [colouring.split(whole) for _, whole in parts]
        before = np.cumsum([0, *(whole.height for _, whole in parts)])
        row = np.concatenate([row for row, _ in parts])
        value = np.concatenate([whole.value for _, whole in parts])
        group = np.concatenate([first + each for first, each in zip(before, groups, strict=False)])
        real = row != COUNTERFEIT
        return Draft(
            row=row.astype(np.int32),
            group=group.astype(np.int32),
            value=value.astype(np.int32),
            cells=Bounds.of(snapshot.point[row[real]], group[real], int(before[-1])),
        )


def closest(inside: Floats, places: Floats, number: int) -> Numbers:
    """Return the rows with which a box grows by the least factor; the first among equals (Equation 3).

    Args:
        inside: the places in the domains of the rows that the box surrounds, one or more; shape (n, attributes).
        places: the places of the rows to choose from; shape (rows, attributes).
        number: how many rows to return, at most as many as there are.

    Returns:
        Places among the rows; shape (number,).
    """
    low, high = inside.min(axis=0), inside.max(axis=0)
    after = np.maximum(places, high) - np.minimum(places, low) + _GRAIN
    growth = np.log(after / (high - low + _GRAIN)).sum(axis=1)
    return np.argsort(growth, kind="stable")[:number]
