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

New records: form groups of people who were never published before.

Under m-Distinct any m different values may form a group, under m-Distinct* m values with disjoint candidate update sets
(m-Distinct paper, Sections IV-B and V-D). Values are divided into *families*, and a group has at most one row of each:

* m-Distinct: values with the same update set form a family, so that there are few update set signatures and later
  people find buckets that they fit into. A family with too many people is divided.
* m-Distinct*: an *end* is a value, or several that may become each other, that can become no other value. Closed sets
  are disjoint exactly if they lead to different ends, because a common value would lead both to its own ends. Values
  that lead to one end form the family of this end. Values with several ends exclude the families of all of these, and
  are put into groups first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from anonymizers.balancing import assignments, misplaced
from anonymizers.m_distinct import colouring
from anonymizers.m_distinct.entries import (
    Mask,
    SignatureBucket,
    UpdateSetSignature,
    entries_of,
    intersected,
    masks_of,
    signed,
)
from audit.model.anonymizer import COUNTERFEIT, Bounds, Draft, Form, Promise, PublicationHistory, RefusalError, Snapshot
from audit.model.arrays import Codes, Flags, Floats, Numbers
from audit.model.evidence import UpdateSets
from audit.model.options import option
from audit.runtime.phrases import printable, say

_SHOWN = 8


@dataclass(frozen=True)
class Family:
    """Values of which a group has at most one row.

    Attributes:
        values: the values.
        entry: the set of their entry.
    """

    values: tuple[int, ...]
    entry: Mask


@dataclass(frozen=True)
class Batch:
    """New people who go into the bucket of a signature: at most `rows` of each family."""

    signature: UpdateSetSignature
    rows: int
    families: tuple[Family, ...]


def families(masks: Sequence[Mask], counts: Numbers, m: int) -> list[Family]:
    """Return at least m families for people to be put into groups of m; some families may have no people.

    Args:
        masks: the candidate update set of each value.
        counts: the number of people of each value; shape (values,).
        m: the least number of values in a group.
    """
    alike: dict[Mask, list[int]] = {}
    for value in np.flatnonzero(counts).tolist():
        alike.setdefault(masks[value], []).append(value)
    found = [Family(tuple(values), mask) for mask, values in alike.items()]
    total = int(counts.sum())
    while True:
        size = [int(counts[list(family.values)].sum()) for family in found]
        wide = [place for place, family in enumerate(found) if len(family.values) > 1]
        if not wide or (len(found) >= m and max(size) * m <= total):
            break
        place = max(wide, key=lambda place: (size[place], -place))
        found[place : place + 1] = _halved(found[place], counts)
    absent = [value for value in range(len(masks)) if not counts[value]]
    return [*found, *(Family((value,), masks[value]) for value in absent[: max(0, m - len(found))])]


def _halved(family: Family, counts: Numbers) -> list[Family]:
    """Divide a family of two or more values into two families with similar numbers of people."""
    halves: tuple[list[int], list[int]] = [], []
    size = [0, 0]
    for value in sorted(family.values, key=lambda value: (-counts[value], value)):
        half = int(size[1] < size[0])
        halves[half].append(value)
        size[half] += int(counts[value])
    return [Family(tuple(sorted(half)), family.entry) for half in halves]


@dataclass(frozen=True)
class Ends:
    """The ends of values, see above.

    Attributes:
        of: whether a value leads to an end; shape (values, ends).
        family: the values that lead to one end only, by end.
    """

    of: Flags
    family: tuple[Family, ...]

    @classmethod
    def find(cls, updates: UpdateSets) -> Ends:
        """Return the ends of values whose update sets are reflexive and closed."""
        may = updates.may
        final = np.flatnonzero((~may | may.T).all(axis=1))  # all that it may become may become it again
        first = [value for value in final.tolist() if not (may[value] & may[:, value])[:value].any()]
        of = may[:, first]
        single = of & (of.sum(axis=1) == 1)[:, np.newaxis]
        values = [tuple(np.flatnonzero(single[:, end]).tolist()) for end in range(len(first))]
        return cls(of, tuple(Family(each, sum(1 << value for value in each)) for each in values))

    def check(self, value: Codes, new: Numbers, m: int, names: Sequence[str]) -> None:
        """Refuse values that fit into no group of m disjoint update sets.

        Args:
            value: the value of each row of the snapshot; shape (rows,).
            new: the rows of people who were never published before.
            m: the number of sets.
            names: the values.

        Raises:
            RefusalError: a new person has such a value.
        """
        most = len(self.family) - self.of.sum(axis=1) + 1
        rows = new[most[value[new]] < m]
        if not len(rows):
            return
        wrong = np.unique(value[rows]).tolist()
        values = ", ".join(
            say("{value} (at most {count})", value=printable(names[each], 24), count=most[each])
            for each in wrong[:_SHOWN]
        )
        if len(wrong) > _SHOWN:
            values = say("{items} and {more} more", items=values, more=len(wrong) - _SHOWN)
        raise RefusalError(
            say(
                "m-Distinct* cannot be met: the values of {count} people fit into no group of {m} values with disjoint "
                "update sets: {values}",
                count=len(rows),
                m=m,
                values=values,
            ),
            say("choose a smaller m, publish by m-distinct, or drop these people's rows"),
            rows=np.sort(rows).astype(np.int32),
            column="sensitive",
        )

    def beforehand(self, masks: Sequence[Mask], counts: Numbers, m: int) -> list[Batch]:
        """Return the batches of people whose values have several ends.

        Each batch consists of the largest family with several ends, and the largest other families that share no end
        with it or each other and leave enough ends for the rest; counterfeits stand for families without people. It
        takes half of the smallest family, so that families shrink together.
        """
        alike: dict[tuple[Mask, bytes], list[int]] = {}
        for value in np.flatnonzero((counts > 0) & (self.of.sum(axis=1) > 1)).tolist():
            alike.setdefault((masks[value], self.of[value].tobytes()), []).append(value)
        several = [Family(tuple(values), mask) for (mask, _), values in alike.items()]
        every = [*several, *self.family]
        ends = np.stack([*(self.of[family.values[0]] for family in several), *np.eye(len(self.family), dtype=np.bool_)])
        left = [int(counts[list(family.values)].sum()) for family in every]
        found: list[Batch] = []
        while any(left[: len(several)]):
            leader = max(range(len(several)), key=lambda place: (left[place], -place))
            chosen = self._joined(leader, ends, left, m)
            rows = max(1, min(left[place] for place in chosen if left[place]) // 2)
            for place in chosen:
                left[place] -= min(rows, left[place])
            together = tuple(every[place] for place in chosen)
            found.append(Batch(tuple(sorted(family.entry for family in together)), rows, together))
        return found

    @staticmethod
    def _joined(leader: int, ends: Flags, left: Sequence[int], m: int) -> list[int]:
        """Return the families of a batch, the leader included; `ends` holds the ends of each family, at least one."""
        chosen, free = [leader], ~ends[leader]
        for place in sorted(range(len(left)), key=lambda place: (-left[place], ends[place].sum(), place)):
            missing = m - len(chosen) - 1
            fits = free[ends[place]].all() and free.sum() - ends[place].sum() >= missing
            if missing >= 0 and fits:
                chosen.append(place)
                free &= ~ends[place]
        return chosen


def grouped(found: Sequence[Family], counts: Numbers, m: int, known: Sequence[UpdateSetSignature]) -> list[Batch]:
    """Return the batches that put people into buckets; existing buckets are filled first.

    If more than 1/m of the people belong to one family, counterfeits of other families balance it.

    Args:
        found: the families, at least m.
        counts: the number of people of each value; shape (values,).
        m: the least number of families in a group.
        known: the signatures of existing buckets, in the order to fill them.
    """
    size = np.array([counts[list(family.values)].sum() for family in found], dtype=np.int64)
    largest = int(size.max(initial=0))
    lacking = largest * m - int(size.sum())
    filled = size.copy()
    for place in np.argsort(-size, kind="stable").tolist():
        added = min(max(lacking, 0), largest - int(size[place]))
        filled[place] += added
        lacking -= added
    signatures = [places for each in known if (places := _families_of(each, found, size)) is not None]
    return [
        Batch(tuple(sorted(found[place].entry for place in places)), rows, tuple(found[place] for place in places))
        for places, rows in assignments(filled, m, dict.fromkeys(signatures))
    ]


def _families_of(signature: UpdateSetSignature, found: Sequence[Family], size: Numbers) -> tuple[int, ...] | None:
    """Return the largest families that fit the entries of a bucket, ascending; None if there are too few."""
    of: dict[Mask, list[int]] = {}
    for place in np.argsort(size, kind="stable").tolist():
        of.setdefault(found[place].entry, []).append(place)
    places = [of[entry].pop() if of.get(entry) else -1 for entry in signature]
    return None if -1 in places else tuple(sorted(places))


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
