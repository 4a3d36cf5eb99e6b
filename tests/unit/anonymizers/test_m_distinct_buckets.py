"""Buckets: how high they are, whom they take in and which counterfeits they need, beside enumeration."""

from itertools import chain, combinations, product

import numpy as np

from anonymizers.m_distinct.buckets import SignatureBucket
from anonymizers.m_distinct.entries import entries_of
from tests.helpers.updates import random_entries, systems

CASES = 700


def drawn(seed, most=4):
    """Draw a bucket with rows, some new people, and the entries of use to each value; None where there are none."""
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    sets = random_entries(rng, values)
    entries = entries_of(sets, values)
    if entries is None:
        return None
    of_use = [
        {entry for system in systems(sets) for entry, its in enumerate(system) if its == v} for v in range(values)
    ]
    counts = rng.integers(0, most + 1, values) * [len(each) > 0 for each in of_use]
    return SignatureBucket(entries, counts), rng.integers(0, 4, values), of_use, rng


def cases(number=CASES, most=4):
    found = [each for seed in range(number) if (each := drawn(seed, most)) is not None]
    assert len(found) > number / 2
    return found


def least_height(counts, of_use):
    """Return the layers that the rows need: no value twice in one, and in every entry one row at most (Hall)."""
    there = np.flatnonzero(counts).tolist()
    groups = chain.from_iterable(combinations(there, size) for size in range(1, len(there) + 1))
    shares = [-(-sum(counts[v] for v in some) // len(set().union(*(of_use[v] for v in some)))) for some in groups]
    return max([0, *counts.tolist(), *shares])


def test_the_height_is_the_least():
    below = 0
    for bucket, _, of_use, _ in cases():
        places, height = bucket.settled()
        assert height == least_height(bucket.counts, of_use)
        assert [sum(taken[kind] for taken in places.taken) for kind in range(len(bucket.entries.kinds))] == (
            bucket.entries.by_kind(bucket.counts)
        )
        assert max(places.load) <= height
        assert bucket.counterfeits() == height * len(bucket.entries) - bucket.counts.sum()
        below += height > max(bucket.counts.max(), -(-len(bucket) // len(bucket.entries)))
    assert below > CASES / 20  # there are entries that few values are of use in


def test_a_bucket_without_rows_needs_nothing():
    bucket = SignatureBucket(entries_of((0b01, 0b11), 2), np.zeros(2, dtype=np.int64))
    assert (bucket.settled()[1], bucket.counterfeits(), len(bucket)) == (0, 0, 0)
    assert not bucket.absorb(np.array([3, 3])).any()


def test_counterfeits_fill_every_entry_and_make_no_value_too_frequent():
    for bucket, _, of_use, rng in cases():
        places, height, fakes = bucket.completed(rng)
        every = bucket.counts + fakes
        assert height == least_height(bucket.counts, of_use)
        assert (fakes >= 0).all()
        assert every.max() <= height
        assert all(sum(taken) == height == load for taken, load in zip(places.taken, places.load, strict=True))
        for kind, values in enumerate(bucket.entries.kinds):
            assert every[values].sum() == sum(taken[kind] for taken in places.taken)
        assert fakes.sum() == bucket.counterfeits()


def test_which_counterfeits_are_made_is_drawn():
    entries = entries_of((0b0111, 0b1000), 4)
    found = {
        tuple(SignatureBucket(entries, np.array([1, 0, 0, 3])).completed(np.random.default_rng(seed))[2].tolist())
        for seed in range(60)
    }
    assert found == {(0, 0, 2, 0), (0, 1, 1, 0), (0, 2, 0, 0), (1, 0, 1, 0), (1, 1, 0, 0), (2, 0, 0, 0)}


def test_as_many_new_people_are_taken_as_make_it_no_higher():
    gained = 0
    for bucket, waiting, of_use, _ in cases(120, most=3):
        counts, height, fakes = bucket.counts.copy(), bucket.settled()[1], bucket.counterfeits()
        taken = bucket.absorb(waiting)
        assert (taken >= 0).all()
        assert (taken <= waiting).all()
        assert np.array_equal(bucket.counts, counts + taken)
        assert bucket.settled()[1] == height
        assert bucket.counterfeits() == fakes - taken.sum()
        useful = [range(int(number) + 1 if each else 1) for number, each in zip(waiting, of_use, strict=True)]
        ways = sorted((np.array(way) for way in product(*useful)), key=lambda way: -way.sum())
        assert taken.sum() == next(way.sum() for way in ways if least_height(counts + way, of_use) <= height)
        gained += taken.any()
    assert gained > 20


def test_of_a_kind_those_of_whom_most_wait_are_taken_first():
    bucket = SignatureBucket(entries_of((0b0111, 0b1000), 4), np.array([4, 0, 0, 9]))
    assert bucket.absorb(np.array([5, 4, 1, 0])).tolist() == [3, 2, 0, 0]
    bucket = SignatureBucket(entries_of((0b0111, 0b1000), 4), np.array([0, 4, 0, 5]))
    assert bucket.absorb(np.array([1, 9, 0, 7])).tolist() == [0, 1, 0, 0]


def test_nobody_of_no_use_is_taken():
    """Value 0 stands in the first entry alone, and 3 in none."""
    bucket = SignatureBucket(entries_of((0b0001, 0b0011), 4), np.array([2, 0, 0, 0]))
    assert bucket.absorb(np.array([5, 1, 5, 5])).tolist() == [0, 1, 0, 0]
