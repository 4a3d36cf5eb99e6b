"""New groups: families, ends and batches beside what is meant by them."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from anonymizers.m_distinct.entries import entries_of, masks_of
from anonymizers.m_distinct.new_records import Ends, families, grouped
from audit.model.anonymizer import RefusalError
from audit.model.update_sets import UpdateSets
from tests.helpers.updates import is_apart, random_sets, sets_of

CASES = 600


def drawn(seed, most=8):
    """Draw closed sets, how many people have each value, and m."""
    rng = np.random.default_rng(seed)
    values = int(rng.integers(3, 9))
    counts = rng.integers(0, most, values) * (rng.random(values) < 0.8)
    return random_sets(rng, values), counts, int(rng.integers(2, 4))


def values_of(mask):
    return {value for value in range(mask.bit_length()) if mask >> value & 1}


# -- m-Distinct ---------------------------------------------------------------------------------------------------


def test_families_are_of_equal_sets_and_small_enough():
    cut = 0
    for seed in range(CASES):
        updates, counts, m = drawn(seed)
        masks, total = masks_of(updates), int(counts.sum())
        found = families(masks, counts, m)
        held = Counter(value for family in found for value in family.values)
        assert max(held.values()) == 1
        assert {value for value in held if counts[value]} == set(np.flatnonzero(counts).tolist())
        assert len(found) >= m
        for family in found:
            assert {masks[value] for value in family.values} == {family.entry}
            assert len(family.values) == 1 or sum(counts[list(family.values)]) * m <= total
        alike = Counter(masks[value] for value in np.flatnonzero(counts).tolist())
        whole = Counter()
        for value in np.flatnonzero(counts).tolist():
            whole[masks[value]] += int(counts[value])
        if len(alike) >= m and max(whole.values()) * m <= total:
            assert {family.entry: len(family.values) for family in found} == alike
        cut += len(found) > max(m, len(alike))
    assert cut > CASES / 20


def test_a_family_is_cut_into_halves_of_as_many_people():
    """Eight of ten people have values that may all become each other."""
    masks = [0b1111, 0b1111, 0b1111, 0b1111, 0b10000]
    found = families(masks, np.array([3, 2, 2, 1, 2]), 2)
    assert sorted((family.values, family.entry) for family in found) == [((0, 3), 15), ((1, 2), 15), ((4,), 16)]


def test_only_what_is_too_large_is_cut():
    found = families([0b11, 0b11, 0b1100, 0b1100, 0b10000], np.array([4, 4, 1, 1, 2]), 2)
    assert [family.values for family in found] == [(0,), (1,), (2, 3), (4,)]


def test_values_that_nobody_has_are_families_where_there_are_too_few():
    found = families([1, 2, 4, 8], np.array([0, 3, 0, 0]), 3)
    assert [family.values for family in found] == [(1,), (0,), (2,)]


# -- m-Distinct* --------------------------------------------------------------------------------------------------


def ends_of(updates):
    """Return the sets of values that no way leads out of, and within which every value leads to every other."""
    found = {frozenset(np.flatnonzero(row).tolist()) for row in updates.may}
    return [end for end in found if all(set(np.flatnonzero(updates.may[value]).tolist()) == end for value in end)]


def test_ends_are_where_values_lead():
    several = 0
    for seed in range(CASES):
        updates, _, _ = drawn(seed)
        ends = Ends.find(updates)
        leads = [frozenset(end for end in ends_of(updates) if end & values_of(mask)) for mask in masks_of(updates)]
        assert ends.of.shape == (len(updates), len(ends_of(updates)))
        for one, other in combinations(range(len(updates)), 2):
            assert (not (ends.of[one] & ends.of[other]).any()) == is_apart([one, other], updates)
        assert ends.of.sum(axis=1).tolist() == [len(each) for each in leads]
        alone = {end: {value for value, each in enumerate(leads) if each == {end}} for end in ends_of(updates)}
        assert sorted(family.values for family in ends.family) == sorted(tuple(sorted(each)) for each in alone.values())
        assert all(values_of(family.entry) == set(family.values) for family in ends.family)
        several += any(len(each) > 1 for each in leads)
    assert several > CASES / 10


def most_apart(value, updates):
    """Return how many values can be in a group with one, so that no two can ever be the same."""
    others = [other for other in range(len(updates)) if other != value]
    sizes = range(len(others), 0, -1)
    return 1 + next(
        (size for size in sizes if any(is_apart([value, *some], updates) for some in combinations(others, size))), 0
    )


def test_a_value_is_refused_exactly_when_it_has_too_few_others():
    refused = 0
    for seed in range(200):
        updates, counts, m = drawn(seed, most=3)
        names = [f"v{value}" for value in range(len(updates))]
        value = np.repeat(np.arange(len(updates)), counts)[::-1].astype(np.int32)
        wrong = [v for v in np.flatnonzero(counts).tolist() if most_apart(v, updates) < m]
        if not wrong:
            Ends.find(updates).check(value, np.arange(len(value)), m, names)
            continue
        with pytest.raises(RefusalError, match=r"m-Distinct\* cannot be met") as caught:
            Ends.find(updates).check(value, np.arange(len(value)), m, names)
        told = ", ".join(f"v{v} (at most {most_apart(v, updates)})" for v in wrong)
        assert str(caught.value).split(": ")[-1].startswith(f"{told};")
        assert f"of {sum(counts[wrong]):,} people" in str(caught.value)
        assert caught.value.column == "sensitive"
        refused += 1
    assert 20 < refused < 180


def test_a_few_of_many_refused_values_are_named():
    """Values 2 to 11 may all become 0 or 1."""
    updates = sets_of("", 12)
    updates.may[2:, :2] = True
    names = [f"v{value}" for value in range(12)]
    with pytest.raises(RefusalError) as caught:
        Ends.find(updates).check(np.arange(12, dtype=np.int32), np.arange(12)[::-1], 2, names)
    assert ": v2 (at most 1), " in str(caught.value)
    assert "v9 (at most 1) and 2 more; " in str(caught.value)
    assert caught.value.rows.tolist() == list(range(2, 12))


def test_values_with_several_ends_stand_beside_the_largest_families_without_their_ends():
    """Value 0 leads to 1 and 2; of the others 5 has most people, with 6, which leads there, and then 3."""
    updates = sets_of("01 02 65", 7)
    counts = np.array([2, 9, 9, 4, 1, 3, 2])
    first, *others = Ends.find(updates).beforehand(masks_of(updates), counts, 3)
    assert first.signature == (0b111, 0b1000, 0b1100000)
    assert [family.values for family in first.families] == [(0,), (5, 6), (3,)]
    assert [first.rows + sum(batch.rows for batch in others)] == [2]


def test_values_with_several_ends_stand_together_where_they_can():
    """Values 4 and 5 lead to two ends each; with a third value, no end would be left for a fourth."""
    updates = sets_of("40 41 52 53", 6)
    batches = Ends.find(updates).beforehand(masks_of(updates), np.array([0, 0, 0, 0, 8, 8]), 2)
    assert {batch.signature for batch in batches} == {(0b010011, 0b101100)}
    assert sum(batch.rows for batch in batches) == 8
    batches = Ends.find(updates).beforehand(masks_of(updates), np.array([0, 0, 0, 0, 8, 8]), 3)
    assert all(len(batch.signature) == 3 for batch in batches)
    assert not any({(4,), (5,)} <= {family.values for family in batch.families} for batch in batches)


def test_groups_beforehand_can_be_formed():
    some = 0
    for seed in range(3 * CASES):
        updates, counts, m = drawn(seed)
        ends, masks = Ends.find(updates), masks_of(updates)
        counts = counts * [len(ends.family) - number + 1 >= m for number in ends.of.sum(axis=1)]
        several = {value for value in np.flatnonzero(counts).tolist() if ends.of[value].sum() > 1}
        rows = Counter()
        for batch in ends.beforehand(masks, counts, m):
            assert batch.signature == tuple(sorted(family.entry for family in batch.families))
            assert len(batch.signature) == m
            assert any(several & set(family.values) for family in batch.families)
            assert sum(map(int.bit_count, batch.signature)) == len(set().union(*map(values_of, batch.signature)))
            entries = entries_of(batch.signature, len(updates))
            assert entries is not None
            for family in batch.families:
                assert all(entries.kind[value] >= 0 for value in family.values)
                assert len({masks[value] for value in family.values}) == 1 or family in ends.family
                rows[family] += batch.rows
        assert {value for family in rows for value in family.values} >= several
        for family, number in rows.items():
            if several & set(family.values):
                assert number >= counts[list(family.values)].sum()
        some += bool(several)
    assert some > CASES / 10  # most values with several ends leave too few others


# -- batches ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
def test_batches_have_everybody_and_as_few_others_as_can_be(apart):
    skewed = 0
    for seed in range(CASES):
        updates, counts, m = drawn(seed)
        masks = masks_of(updates)
        if apart:
            ends = Ends.find(updates)
            if len(ends.family) < m:
                continue
            counts = counts * (ends.of.sum(axis=1) == 1)
            found = list(ends.family)
        else:
            found = families(masks, counts, m)
        size = {family: int(counts[list(family.values)].sum()) for family in found}
        rows = Counter()
        for batch in grouped(found, counts, m, []):
            assert batch.signature == tuple(sorted(family.entry for family in batch.families))
            assert len(set(batch.families)) == len(batch.families) >= m
            assert batch.rows > 0
            assert entries_of(batch.signature, len(updates)) is not None
            for family in batch.families:
                rows[family] += batch.rows
        assert all(rows[family] >= number for family, number in size.items())
        assert sum(rows.values()) == max(counts.sum(), m * max(size.values()))
        skewed += counts.sum() < m * max(size.values())
    assert CASES / 20 < skewed < CASES * 0.9


def test_the_signatures_that_there_are_come_first():
    """Without them, 0 would be beside 1."""
    masks, counts = [1, 2, 4, 8], np.array([3, 3, 2, 2])
    found = families(masks, counts, 2)
    told = [(batch.signature, batch.rows) for batch in grouped(found, counts, 2, [])]
    assert (1, 2) in [signature for signature, _ in told]
    told = [(batch.signature, batch.rows) for batch in grouped(found, counts, 2, [(2, 16), (1, 8), (2, 4)])]
    assert told[:2] == [((1, 8), 2), ((2, 4), 2)]


def test_of_families_with_the_set_of_an_entry_the_largest_is_taken():
    masks, counts = [0b11, 0b11, 4, 8], np.array([3, 4, 4, 4])
    found = families(masks, counts, 3)
    assert sorted(family.values for family in found) == [(0,), (1,), (2,), (3,)]
    first = grouped(found, counts, 3, [(0b11, 4, 8)])[0]
    assert [family.values for family in first.families] == [(1,), (2,), (3,)]


def test_values_that_never_change_are_families_of_their_own():
    found = Ends.find(UpdateSets.unchanging(3))
    assert [(family.values, family.entry) for family in found.family] == [((0,), 1), ((1,), 2), ((2,), 4)]
