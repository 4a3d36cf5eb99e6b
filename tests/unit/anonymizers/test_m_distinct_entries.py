"""Entries of a bucket: which values are of use where, beside enumeration of all systems of representatives."""

from itertools import permutations

import numpy as np
import pytest

from anonymizers.m_distinct.entries import entries_of, intersected, masks_of, signed
from audit.model.update_sets import UpdateSets
from tests.helpers.updates import random_entries, random_sets, sets_of, systems

CASES = 800


def drawn(seed):
    """Draw a few sets of a few values."""
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    return rng, values, random_entries(rng, values)


def of_use(entries):
    """Return the (entry, value) pairs that are of use."""
    return {
        (entry, value)
        for entry, kinds in enumerate(entries.useful)
        for kind in kinds
        for value in entries.kinds[kind].tolist()
    }


def test_a_place_is_of_use_when_some_system_of_representatives_has_it():
    unrepresented = 0
    for seed in range(CASES):
        _, values, sets = drawn(seed)
        every = {pair for system in systems(sets) for pair in enumerate(system)}
        entries = entries_of(sets, values)
        if entries is None:
            assert not every, sets
            unrepresented += 1
            continue
        assert of_use(entries) == every, sets
        assert entries.sets == sets
        assert len(entries) == len(sets)
        useful = {value for _, value in every}
        assert [entries.kind[value] >= 0 for value in range(values)] == [value in useful for value in range(values)]
    assert 0 < unrepresented < CASES / 2


def test_values_of_a_kind_are_in_the_same_sets():
    for seed in range(CASES):
        _, values, sets = drawn(seed)
        entries = entries_of(sets, values)
        if entries is None:
            continue
        inside = {value: tuple(mask >> value & 1 for mask in sets) for value in range(values)}
        for number, kind in enumerate(entries.kinds):
            assert len({inside[value] for value in kind.tolist()}) == 1
            assert {entries.kind[value] for value in kind.tolist()} <= {number, -1}
        assert len({inside[kind[0]] for kind in entries.kinds}) == len(entries.kinds)
        assert sorted(value for kind in entries.kinds for value in kind.tolist()) == [
            value for value in range(values) if any(inside[value])
        ]


def test_the_counts_of_a_kind():
    entries = entries_of((0b011, 0b100), 3)
    number = {tuple(kind.tolist()): place for place, kind in enumerate(entries.kinds)}
    counts = entries.by_kind(np.array([5, 7, 9]))
    assert counts[number[0, 1]] == 12
    assert counts[number[2,]] == 9


def test_no_places_are_taken_at_first():
    places = entries_of((0b011, 0b111), 3).places()
    assert places.load == [0, 0]
    assert not np.array(places.taken).any()


def test_the_signature_of_a_group():
    masks = masks_of(sets_of("01 20 21", 3))
    assert masks == [0b011, 0b010, 0b111]
    assert signed([2, 0], masks) == signed([0, 2], masks) == (0b011, 0b111)
    assert signed([0, 1], masks_of(UpdateSets(np.ones((2, 2), dtype=np.bool_)))) == (0b11, 0b11)


def test_masks_hold_many_values():
    updates = random_sets(np.random.default_rng(5), 70)
    expected = [{value for value in range(70) if updates.may[first, value]} for first in range(70)]
    assert [{value for value in range(70) if mask >> value & 1} for mask in masks_of(updates)] == expected


# -- intersections ------------------------------------------------------------------------------------------------


def pairings(first, second):
    """Return all ways to pair sets that intersect: the intersections in order, and the score (Section V-A)."""
    for others in permutations(second):
        both = [one & other for one, other in zip(first, others, strict=True)]
        if all(both):
            shares = [
                (one & other).bit_count() / (one | other).bit_count() for one, other in zip(first, others, strict=True)
            ]
            yield tuple(sorted(both)), sum(shares)


def test_sets_are_paired_so_that_they_overlap_most():
    found = 0
    for seed in range(CASES):
        rng, values, first = drawn(seed)
        second = tuple(sorted(rng.integers(1, 2**values, len(first)).tolist()))
        ways = list(pairings(first, second))
        expected = {sets for sets, score in ways if score > max(score for _, score in ways) - 1e-9}
        result = intersected(first, second)
        assert (result in expected) if expected else (result is None), (first, second)
        found += len(ways) > 1 and len({sets for sets, _ in ways}) > len(expected)
    assert found > CASES / 10


def test_a_pair_that_does_not_overlap_is_never_made_for_the_sake_of_others():
    """Equal sets would be paired, which leaves two that have nothing in common."""
    assert intersected((0b0011, 0b0110), (0b0110, 0b1100)) == (0b0010, 0b0100)


def test_signatures_of_other_lengths_do_not_intersect():
    assert intersected((0b1,), (0b1, 0b1)) is None


@pytest.mark.parametrize("sets", [(0b1, 0b1), (0b01, 0b01, 0b10), (0b11, 0b11, 0b11)])
def test_too_few_values_represent_nothing(sets):
    assert entries_of(sets, 2) is None
