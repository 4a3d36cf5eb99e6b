"""Merging: move the people of two buckets into one whose sets are the intersections of theirs, to save counterfeits.

People of both buckets may be in that bucket, because its sets are subsets of theirs, one by one (m-Distinct paper,
Section V-A). The paper makes such a bucket for every pair that intersects, and the score of each record decides. This
implementation merges two buckets if that saves counterfeits, first the pair that saves most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from anonymizers.m_distinct.buckets import SignatureBucket
from anonymizers.m_distinct.entries import Signature, entries_of, intersected

# The number of pairs of buckets grows with the square, and each pair costs at least a third of a millisecond.
_MOST_BUCKETS = 24


@dataclass(frozen=True)
class Merger:
    """Two buckets whose rows go into the bucket of a signature, if their values are useful in it."""

    buckets: tuple[int, int]
    signature: Signature


def merge(buckets: Sequence[SignatureBucket]) -> list[Merger]:
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
        found.append(Merger(chosen, plan.signature))
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

    signature: Signature
    merged: SignatureBucket
    rest: tuple[SignatureBucket, SignatureBucket]
    saved: int


def _planned(buckets: Sequence[SignatureBucket], pair: tuple[int, int], places: dict[Signature, int]) -> _Plan | None:
    first, second = (buckets[number] for number in pair)
    signature = intersected(first.entries.sets, second.entries.sets)
    taken = places.get(signature, pair[0]) if signature is not None else -1
    if signature is None or (taken not in pair and len(buckets[taken])):
        return None
    entries = entries_of(signature, len(first.counts))
    if entries is None:
        return None
    useful = entries.kind >= 0
    merged = SignatureBucket(entries, np.where(useful, first.counts + second.counts, 0))
    rest = (
        SignatureBucket(first.entries, np.where(useful, 0, first.counts)),
        SignatureBucket(second.entries, np.where(useful, 0, second.counts)),
    )
    saved = sum(each.counterfeits() for each in (first, second)) - sum(each.counterfeits() for each in (merged, *rest))
    return _Plan(signature, merged, rest, max(0, saved))
