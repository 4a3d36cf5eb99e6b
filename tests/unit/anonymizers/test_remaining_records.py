"""Leftovers: all of them are placed, in buckets whose cuts are enough, with few counterfeits."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.balancing import keep
from anonymizers.remaining_records import Layers, place_leftovers

BUCKETS = [(0, 1), (1, 2), (0, 2, 3), (2, 3, 4, 5)]


def total(found):
    """The new people of each value, and the rows and counterfeits of each signature."""
    people, rows, counterfeits = Counter(), Counter(), Counter()
    for layers in found:
        assert layers.rows > 0
        assert set(layers.people) <= set(layers.signature)
        people.update(dict.fromkeys(layers.people, layers.rows))
        rows[layers.signature] += layers.rows * len(layers.signature)
        counterfeits[layers.signature] += layers.counterfeits
    return people, rows, counterfeits


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=6),
    st.sampled_from([2, 2, 3]),
    st.integers(0, 9),
    st.lists(st.tuples(st.sampled_from(BUCKETS), st.integers(-4, 12)), unique_by=lambda each: each[0], max_size=4),
)
def test_everybody_is_placed_where_the_cut_is_enough(counts, m, least, known):
    left = keep(np.array(counts), m)
    known = [(signature, lack) for signature, lack in known if len(signature) >= m and max(signature) < len(counts)]
    people, rows, counterfeits = total(place_leftovers(left, m, least, known))
    assert [people[value] for value in range(len(left))] == left.tolist()
    for signature, number in rows.items():
        assert len(signature) >= m
        assert number >= dict(known).get(signature, least)
    if least <= m and all(lack <= 0 for _, lack in known):
        assert not counterfeits.total()


@pytest.mark.parametrize(
    ("counts", "least", "known", "wanted"),
    [
        # A pair that is too small for a bucket of its own is filled up,
        ([1, 1], 3, [], [Layers((0, 1), (0, 1), 1), Layers((0, 1), (), 1)]),
        # or stands in large buckets, beside one counterfeit each,
        ([1, 1, 0, 0], 7, [((0, 2), 0), ((1, 3), 0)], [Layers((0, 2), (0,), 1), Layers((1, 3), (1,), 1)]),
        # as long as these are large,
        ([1, 1, 0, 0], 7, [((0, 2), 0), ((1, 3), 7)], [Layers((0, 1), (0, 1), 1), Layers((0, 1), (), 3)]),
        # and take fewer counterfeits.
        ([1, 1, 0, 0], 3, [((0, 2), 0), ((1, 2, 3), 0)], [Layers((0, 1), (0, 1), 1), Layers((0, 1), (), 1)]),
        # A bucket takes what its cut lacks, or nothing.
        ([2, 2], 3, [((0, 1), 4)], [Layers((0, 1), (0, 1), 2)]),
        ([1, 1, 1, 1], 4, [((0, 1), 4)], [Layers((0, 1, 2, 3), (0, 1, 2, 3), 1)]),
    ],
)
def test_few_counterfeits(counts, least, known, wanted):
    assert place_leftovers(np.array(counts), 2, least, known) == wanted


def test_of_batches_that_are_all_too_small_the_one_that_lacks_least_is_taken():
    people, rows, counterfeits = total(place_leftovers(np.array([1, 1, 1, 1]), 2, 5, []))
    assert (dict(rows), counterfeits.total(), people.total()) == ({(0, 1, 2, 3): 8}, 4, 4)


def test_a_bucket_that_was_filled_up_takes_what_is_small_too():
    people, rows, counterfeits = total(place_leftovers(np.array([2, 2, 1]), 2, 9, []))
    assert (dict(rows), counterfeits.total(), dict(people)) == ({(0, 1, 2): 12}, 7, {0: 2, 1: 2, 2: 1})
