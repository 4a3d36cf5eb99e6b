"""Merging: people of two buckets that lack rows meet in one whose sets are the intersections of theirs.

Whoever was last in a group of either signature may be in a bucket of the intersected one, since its sets are subsets,
one by one (m-Distinct paper, Section V-A). The paper makes a bucket of every two that intersect and lets the score of
each record decide. Here two buckets are merged when that saves counterfeits: first the two that save most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonymizers.m_distinct.buckets import SignatureBucket
from anonymizers.m_distinct.entries import Signature, entries_of, intersected

# Pairs grow with the square, and each costs a third of a millisecond or more.
_MOST_BUCKETS = 24


@dataclass(frozen=True)
class Merger:
    """Buckets whose rows, where they are of use there, go into the bucket of a signature."""

    buckets: tuple[int, int]
    signature: Signature


def merge(buckets: Sequence[SignatureBucket]) -> list[Merger]:
    """Return how to merge buckets, one merger after the other; a new bucket has the next number.

    Of the buckets that need counterfeits, those that need most are looked at.
    """
    numbered = list(buckets)
    places = {bucket.entries.sets: number for number, bucket in enumerate(numbered)}
    fakes = {number: bucket.fakes() for number, bucket in enumerate(numbered)}
    needy = sorted((number for number in fakes if fakes[number]), key=lambda number: (-fakes[number], number))
    open_ = needy[:_MOST_BUCKETS]
    known: dict[tuple[int, int], _Plan | None] = {}
    found: list[Merger] = []
    while True:
        pairs = [(one, two) for place, one in enumerate(open_) for two in open_[place + 1 :]]
        for pair in pairs:
            if pair not in known:
                known[pair] = _planned(numbered, pair, places)
        plans = [(known[pair], pair) for pair in pairs]
        best = max(plans, key=lambda each: each[0].saved if each[0] is not None else 0, default=(None, None))
        plan, chosen = best
        if plan is None or chosen is None or not plan.saved:
            return found
        found.append(Merger(chosen, plan.signature))
        place = places.setdefault(plan.signature, len(numbered))
        if place == len(numbered):
            numbered.append(plan.merged)
        for number, rest in zip(chosen, plan.rest, strict=True):
            numbered[number] = rest
        numbered[place] = plan.merged
        open_ = [number for number in dict.fromkeys([*open_, place]) if numbered[number].fakes()]
        known = {
            pair: each
            for pair, each in known.items()
            if not {*chosen, place} & {*pair} and (each is None or each.signature != plan.signature)
        }


@dataclass(frozen=True)
class _Plan:
    """What becomes of two buckets that are merged, and how many counterfeits that saves, if any."""

    signature: Signature
    merged: SignatureBucket
    rest: tuple[SignatureBucket, SignatureBucket]
    saved: int


def _planned(buckets: Sequence[SignatureBucket], pair: tuple[int, int], places: dict[Signature, int]) -> _Plan | None:
    one, two = (buckets[number] for number in pair)
    signature = intersected(one.entries.sets, two.entries.sets)
    taken = places.get(signature, pair[0]) if signature is not None else -1
    if signature is None or (taken not in pair and len(buckets[taken])):
        return None
    entries = entries_of(signature, len(one.counts))
    if entries is None:
        return None
    useful = entries.kind >= 0
    merged = SignatureBucket(entries, np.where(useful, one.counts + two.counts, 0))
    rest = (
        SignatureBucket(one.entries, np.where(useful, 0, one.counts)),
        SignatureBucket(two.entries, np.where(useful, 0, two.counts)),
    )
    saved = one.fakes() + two.fakes() - merged.fakes() - sum(each.fakes() for each in rest)
    return _Plan(signature, merged, rest, max(0, saved))
