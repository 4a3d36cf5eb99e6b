"""Merging buckets: legal for everybody who moves, and it saves counterfeits each time."""

from itertools import combinations, permutations

import numpy as np

from anonymizers.m_distinct import merging
from anonymizers.m_distinct.buckets import SignatureBucket
from anonymizers.m_distinct.entries import entries_of, intersected
from anonymizers.m_distinct.merging import Merger, merge

CASES = 600


def bucket(sets, counts):
    entries = entries_of(sets, len(counts))
    assert entries is not None
    return SignatureBucket(entries, np.array(counts))


def drawn(seed):
    """Draw buckets of different signatures, few of whose rows make layers."""
    rng = np.random.default_rng(seed)
    values, length, found = int(rng.integers(3, 7)), int(rng.integers(2, 4)), {}
    for _ in range(rng.integers(2, 7)):
        entries = entries_of(tuple(sorted(rng.integers(1, 2**values, length).tolist())), values)
        if entries is not None:
            counts = rng.choice([0, 0, 1, 2], values) * (entries.kind >= 0)
            found.setdefault(entries.sets, SignatureBucket(entries, counts))
    return list(found.values())


def joined(first, second):
    """Return what becomes of two buckets whose people meet, or None where they cannot: merged, and the two rests."""
    signature = intersected(first.entries.sets, second.entries.sets)
    entries = None if signature is None else entries_of(signature, len(first.counts))
    if entries is None:
        return None
    useful = entries.kind >= 0
    merged = SignatureBucket(entries, np.where(useful, first.counts + second.counts, 0))
    return merged, *(SignatureBucket(each.entries, np.where(useful, 0, each.counts)) for each in (first, second))


def follow(buckets, mergers):
    """Move people as told, and yield the buckets after each merger; those of a signature that is there join it."""
    buckets = list(buckets)
    for merger in mergers:
        merged, *rests = joined(*(buckets[number] for number in merger.buckets))
        assert merged.entries.sets == merger.signature
        for number, rest in zip(merger.buckets, rests, strict=True):
            buckets[number] = rest
        signatures = [each.entries.sets for each in buckets]
        if merger.signature in signatures:
            place = signatures.index(merger.signature)
            merged.counts = merged.counts + buckets[place].counts
            buckets[place] = merged
        else:
            buckets.append(merged)
        yield list(buckets)


def fakes(buckets):
    return sum(each.counterfeits() for each in buckets)


def test_each_merger_saves_counterfeits_and_none_is_left_that_would():
    done = into_own = 0
    for seed in range(CASES):
        buckets = drawn(seed)
        mergers, people, before = merge(buckets), sum(each.counts for each in buckets), fakes(buckets)
        for merger, now in zip(mergers, follow(buckets, mergers), strict=True):
            assert fakes(now) < before, seed
            assert np.array_equal(sum(each.counts for each in now), people)
            before, buckets = fakes(now), now
            done += 1
            into_own += merger.signature in [buckets[number].entries.sets for number in merger.buckets]
        assert not best_saved(buckets), seed
    assert done > CASES / 4
    assert into_own > CASES / 20


def saved(buckets, first, second):
    """Return how many counterfeits are saved when two buckets are merged, if they may be."""
    after = joined(first, second)
    others = [each.entries.sets for each in buckets if len(each) and each is not first and each is not second]
    if after is None or after[0].entries.sets in others:
        return 0
    return first.counterfeits() + second.counterfeits() - fakes(after)


def best_saved(buckets):
    """Return the most counterfeits that one merger more could save, whichever of several best ways sets are paired."""
    pairs = combinations([each for each in buckets if each.counterfeits()], 2)
    return max([0, *(min(saved(buckets, one, other), saved(buckets, other, one)) for one, other in pairs)])


def test_the_first_merger_saves_most():
    for seed in range(300):
        buckets = drawn(seed)
        for merger in merge(buckets)[:1]:
            assert saved(buckets, *(buckets[number] for number in merger.buckets)) >= best_saved(buckets)


def test_moved_people_are_in_subsets_of_the_sets_they_were_in():
    for seed in range(CASES):
        buckets = drawn(seed)
        signatures = [each.entries.sets for each in buckets]
        for merger in merge(buckets):
            if merger.signature not in signatures:
                signatures.append(merger.signature)
            for number in merger.buckets:
                wide = signatures[number]
                assert any(
                    all(not narrow & ~whole for narrow, whole in zip(merger.signature, way, strict=True))
                    for way in permutations(wide)
                )


def test_nobody_is_moved_into_a_bucket_that_has_others():
    """Both pairs could meet in buckets of one signature; whoever is second would have to count those of the first."""
    pairs = [
        [bucket((0b010, 0b101, 0b110), [1, 2, 0]), bucket((0b001, 0b110, 0b111), [1, 0, 2])],
        [bucket((0b010, 0b011, 0b111), [1, 0, 0]), bucket((0b101, 0b110, 0b110), [0, 0, 1])],
    ]
    for pair in pairs:
        assert [merger.signature for merger in merge(pair)] == [(0b001, 0b010, 0b110)]
    assert [merger.signature for merger in merge([*pairs[0], *pairs[1]])].count((0b001, 0b010, 0b110)) == 1
    for seed in range(CASES):
        buckets = drawn(seed)
        mergers = merge(buckets)
        for merger, before in zip(mergers, [buckets, *follow(buckets, mergers)], strict=False):
            there = [place for place, each in enumerate(before) if each.entries.sets == merger.signature and len(each)]
            assert set(there) <= set(merger.buckets), seed


def test_two_lonely_people_meet():
    """In the ward: one of pneumonia and flu, the other of pneumonia and lung cancer, each beside a counterfeit."""
    buckets = [bucket((0b0111, 0b1000), [1, 0, 0, 0]), bucket((0b0110, 0b1000), [0, 0, 0, 1])]
    assert [each.counterfeits() for each in buckets] == [1, 1]
    assert merge(buckets) == []  # the first could have no value that the second may have
    buckets[0].counts = np.array([0, 1, 0, 0])
    assert merge(buckets) == [Merger((0, 1), (0b0110, 0b1000))]


def test_buckets_that_lack_nobody_are_left_alone():
    assert merge([bucket((1, 2), [1, 1]), bucket((1, 2 + 4), [1, 0, 1]), bucket((1, 4), [0, 0, 0])]) == []


def test_only_the_buckets_that_need_most_are_looked_at(monkeypatch):
    buckets = [
        bucket((0b0011, 0b0100), [0, 1, 0, 0]),
        bucket((0b0010, 0b0100), [0, 0, 1, 0]),
        bucket((0b0001, 0b1110), [5, 0, 0, 0]),
        bucket((0b0111, 0b1000), [4, 0, 0, 0]),
    ]
    assert {0, 1} in [set(merger.buckets) for merger in merge(buckets)]
    monkeypatch.setattr(merging, "_MOST_BUCKETS", 2)
    assert {0, 1} not in [set(merger.buckets) for merger in merge(buckets)]
