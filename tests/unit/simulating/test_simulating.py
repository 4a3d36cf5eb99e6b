"""Simulating: slopes, update sets, moves, correlated people, and who comes and goes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.model.errors import UsageError
from audit.simulating.population import Updates, declared, generate, make_plan, moves, sloped_counts, update_sets
from audit.simulating.simulation import Simulation, Streams

QUASI = declared("Age=17..95,Gender=2,Education=1..17,Birthplace=57", "")
[OCCUPATION] = declared("Occupation=50", "")


def people(size, quasi=QUASI, sensitive=OCCUPATION, batches=None, seed=1):
    cohorts = [size] if batches is None else [size, *(int(counts.sum()) for counts in batches)]
    return generate(quasi, sensitive, cohorts, batches, np.random.default_rng(seed))


def information(left, right):
    """Mutual information of two columns of codes, in nats."""
    joint = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(joint, (left, right), 1 / len(left))
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    there = joint > 0
    return (joint[there] * np.log(joint[there] / expected[there])).sum()


# -- slopes -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 30_000), st.integers(1, 60), st.integers(0, 40))
def test_slopes(size, values, slope):
    pairs = values * (values - 1) // 2
    if slope * pairs > size:
        with pytest.raises(UsageError) as told:
            sloped_counts(size, values, slope)
        largest = int(str(told.value).rpartition(" ")[2])
        assert sloped_counts(size, values, largest).sum() == size
        with pytest.raises(UsageError):
            sloped_counts(size, values, largest + 1)
        return
    counts = sloped_counts(size, values, slope)
    assert counts.sum() == size
    assert counts.min() >= 0
    left = (size - slope * pairs) % values
    beyond = counts - counts[0] - slope * np.arange(values)
    assert beyond.tolist() == [0] * (values - left) + [1] * left


# -- update sets --------------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_update_sets(values, diameter, closed):
    if diameter > values or (closed and values % diameter):
        with pytest.raises(UsageError):
            update_sets(values, diameter, closed=closed)
        return
    sets, found = {}, update_sets(values, diameter, closed=closed)
    for value, follower in found.pairs():
        sets.setdefault(value, set()).add(follower)
    assert found.closed == all(sets[follower] <= followers for followers in sets.values() for follower in followers)
    assert list(sets) == list(range(values))
    for value, followers in sets.items():
        assert value in followers
        assert len(followers) == diameter
        assert followers <= set(range(values))
        assert max(followers) - min(followers) == diameter - 1
        if closed:
            assert all(sets[follower] == followers for follower in followers)


@pytest.mark.parametrize("closed", [False, True])
def test_changes_are_to_all_others_equally(closed):
    sets = update_sets(12, 4, closed=closed)
    value = np.repeat(np.arange(12, dtype=np.uint8), 3_000)
    changed = sets.changed(value, np.random.default_rng(1))
    assert changed.dtype == value.dtype
    counts = np.zeros((12, 12), dtype=int)
    np.add.at(counts, (value, changed), 1)
    for value, row in enumerate(counts):
        first = sets.first[value]
        others = [v for v in range(first, first + 4) if v != value]
        assert row.sum() == row[others].sum()
        assert row[others].min() > 850


# -- people -------------------------------------------------------------------------------------------------------


def test_attributes_depend_on_each_other():
    made = people(40_000)
    rng = np.random.default_rng(2)
    columns = [*made.columns, made.value]
    for place, left in enumerate(columns):
        for right in columns[:place]:
            by_chance = max(information(left, rng.permutation(right)) for _ in range(3))
            assert information(left, right) > 1.2 * by_chance + 0.003, place
    for column in made.columns:
        assert information(made.value, column) > 0.1 + information(made.value, rng.permutation(column))


# -- who comes and goes -------------------------------------------------------------------------------------------


def test_who_comes_back_is_drawn_from_all_who_are_gone():
    plan = make_plan(2_000, 400, 400, 4, Fraction(1, 4))
    made = people(sum(plan.cohorts), quasi=declared("A=2", ""))
    first, second, third, last = (
        set(rows.tolist()) for rows in Simulation(made, plan, Updates(), Streams.of(1)).snapshots()
    )
    left_first, left_second = first - second - third, second - third
    assert len(left_first & last) > 20
    assert len(left_second & last) > 60


def test_absent_people_age_and_keep_their_value():
    plan = make_plan(200, 100, 100, 6, Fraction(1, 2))
    quasi = declared("Age=0..1000", "")
    made = people(sum(plan.cohorts), quasi=quasi)
    updates = Updates(update_sets(50, 10, closed=False), 100, moves(quasi))
    last, returned = {}, 0
    for number, rows in enumerate(Simulation(made, plan, updates, Streams.of(1)).snapshots()):
        for row, age, value in zip(rows.tolist(), made.columns[0][rows].tolist(), made.value[rows], strict=True):
            if row in last:
                then, old, former = last[row]
                assert age - old == number - then
                assert former == value or number - then == 1
                returned += number - then > 1
            last[row] = (number, age, value)
    assert returned > 50
