"""Simulating: slopes, update sets, moves, correlated people, and who comes and goes."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.model.errors import InputError, UsageError
from audit.simulating.microdata_writer import _domain, _number
from audit.simulating.population import Attribute, check_names, declared, generate, sensitive_shares
from audit.simulating.sampling import Source
from audit.simulating.simulation import Simulation, Streams
from audit.simulating.updates import (
    MOST_PEOPLE,
    YEARLY,
    SimulatedUpdates,
    Updates,
    make_plan,
    moves,
    sloped_batches,
    sloped_counts,
    update_sets,
)

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


def test_the_papers_steepest_slope_and_one_more_fit():
    assert sloped_counts(20_000, 50, 15)[[0, -1]].tolist() == [32, 33 + 15 * 49]
    with pytest.raises(UsageError, match=r"--slope 17 does not fit 20,000 .* the largest that does is 16"):
        sloped_counts(20_000, 50, 17)


def test_every_batch_has_another_order():
    plan = make_plan(1_000, 500, 0, 6)
    batches = sloped_batches(plan, 10, 5, np.random.default_rng(1))
    assert len(batches) == 5
    assert all(sorted(batch) == sloped_counts(500, 10, 5).tolist() for batch in batches)
    assert len({tuple(batch) for batch in batches}) == 5


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


@pytest.mark.parametrize(
    ("first", "closed"), [([0, 0, 2, 2], True), ([0, 0, 1], False), ([0, 1, 1], False), ([0, 1, 2, 2], False)]
)
def test_sets_are_closed_that_hold_the_sets_of_all_their_members(first, closed):
    assert SimulatedUpdates(np.array(first), 2).closed == closed


def test_open_sets_are_no_blocks():
    sets = update_sets(50, 10, closed=False)
    assert len(set(sets.first.tolist())) == 41
    assert abs(sets.first[25] + 4.5 - 25) < 1


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


# -- moves --------------------------------------------------------------------------------------------------------


def moved(declaration, start, steps=1):
    [attribute] = declared(declaration, "")
    codes = np.array(start, dtype=attribute.dtype)
    rng = np.random.default_rng(1)
    history = [codes.copy()]
    for _ in range(steps):
        moves([attribute])[0](codes, rng)
        history.append(codes.copy())
    return np.array(history, dtype=int)


def test_age_grows_up_to_the_top():
    assert moved("Age=1..256", [0, 7, 253, 255], steps=3).tolist() == [
        [0, 7, 253, 255],
        [1, 8, 254, 255],
        [2, 9, 255, 255],
        [3, 10, 255, 255],
    ]


def test_education_never_falls_and_reaches_every_higher_level():
    history = moved("Education=1..17", np.repeat(np.arange(17), 4_000))
    rises = np.diff(history, axis=0)[0]
    assert rises.min() == 0
    for level in range(16):
        at = rises[history[0] == level]
        assert abs((at > 0).mean() - YEARLY) < 0.02
        assert set((at[at > 0] + level).tolist()) == set(range(level + 1, 17))
    assert not rises[history[0] == 16].any()


@pytest.mark.parametrize("name", ["Marital", "marital-status", "Marital Status"])
def test_nobody_becomes_never_married(name):
    history = moved(f"{name}=6", np.repeat(np.arange(6), 4_000))
    assert not (history[1][history[0] > 0] == 0).any()
    for status in range(6):
        at = history[1][history[0] == status]
        assert set(at.tolist()) == {1, 2, 3, 4, 5} | {status}
        share = (at != status).mean()
        assert abs(share - YEARLY * (1 if status == 0 else 0.8)) < 0.015


def test_what_does_not_move():
    assert set(moves(QUASI)) == {0, 2}


@pytest.mark.parametrize(
    ("attribute", "why"),
    [
        (Attribute("Age", ["young", "old"], is_numeric=False), "whole numbers"),
        (Attribute("Age", ["1", "3"], is_numeric=True), "not consecutive whole numbers"),
        (Attribute("Age", ["1", "2.5"], is_numeric=True), "whole numbers"),
        (Attribute("Education", ["bachelor", "none"], is_numeric=False), "the order of levels is not known"),
        (Attribute("Marital", ["a", "b"], is_numeric=False), "never-married"),
        (Attribute("Gender", ["F", "M"], is_numeric=False), "Age, Education and Marital"),
    ],
)
def test_moves_that_are_not_known(attribute, why):
    with pytest.raises(UsageError, match=why):
        moves([attribute])


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


def test_quasi_identifiers_depend_on_each_other_among_those_with_one_value():
    made = people(60_000)
    age, gender, education, _ = made.columns
    alike, apart = [], []
    for value in np.argsort(np.bincount(made.value))[-10:]:
        at = made.value == value
        alike.append(np.corrcoef(age[at], education[at])[0, 1])
        apart.append(np.corrcoef(gender[at], education[at])[0, 1])
    assert min(alike) > 0.05
    assert min(np.abs(apart)) > 0.05
    assert abs(np.mean(np.sign(apart))) == 1


def test_neighbours_in_the_domain_are_similar():
    made = people(100_000)
    mean = np.array([made.columns[0][made.value == value].mean() for value in range(50)])
    next_to = np.abs(np.diff(mean)).mean()
    assert np.abs(mean[:, None] - mean).sum() / (50 * 49) > 4 * next_to


def test_every_value_occurs_and_the_types_are_small():
    made = people(100_000)
    for attribute, column in zip([*QUASI, OCCUPATION], [*made.columns, made.value], strict=True):
        assert set(np.unique(column).tolist()) == set(range(len(attribute)))
        assert column.dtype == np.uint8


@pytest.mark.parametrize("seed", range(5))
def test_shares_leave_room_for_ten_values_a_group(seed):
    shares = sensitive_shares(50, np.random.default_rng(seed))
    assert shares.sum() == pytest.approx(1)
    assert 0.075 < shares.max() < 0.09
    assert 0.001 < shares.min() < 0.0015
    drawn = np.bincount(people(20_000, seed=seed).value, minlength=50)
    assert drawn.max() < 2_000
    assert drawn.min() > 0


def test_batches_have_their_counts():
    batches = sloped_batches(make_plan(1_000, 500, 0, 4), 50, 0, np.random.default_rng(1))
    batches[1][:] = np.arange(50)
    made = people(1_000, batches=batches)
    ends = np.cumsum([1_000, *(batch.sum() for batch in batches)])
    for start, end, batch in zip(ends[:-1], ends[1:], batches, strict=True):
        assert np.bincount(made.value[start:end], minlength=50).tolist() == batch.tolist()


def test_identifiers_do_not_tell_who_came_first():
    made = people(5_000)
    identifiers = np.array(made.individual)
    assert sorted(identifiers.tolist()) == list(range(1, 5_001))
    assert abs(np.corrcoef(identifiers, np.arange(5_000))[0, 1]) < 0.05


@pytest.mark.parametrize("declaration", ["Zip=10000..19999", "A=2", "A=2,B=3,C=4,D=5,E=6,F=7", "Age=-5..300"])
def test_any_quasi_identifiers(declaration):
    quasi = declared(declaration, "")
    made = people(3_000, quasi=quasi)
    assert len(made.columns) == len(quasi)
    for attribute, column in zip(quasi, made.columns, strict=True):
        assert column.max() < len(attribute)
        assert len(np.unique(column)) > min(len(attribute), 300) * 0.6


def test_a_name_for_identifiers_that_is_free():
    quasi = declared("individual=3,individual_=4", "")
    assert people(10, quasi=quasi).individual_name == "individual__"


# -- who comes and goes -------------------------------------------------------------------------------------------


@given(
    st.integers(1, 60), st.integers(0, 30), st.integers(0, 30), st.integers(1, 8), st.fractions(0, 1, max_denominator=9)
)
def test_snapshots(rows, insertions, deletions, count, returning):
    try:
        plan = make_plan(rows, insertions, deletions, count, returning)
    except UsageError:
        sizes = rows + (insertions - deletions) * np.arange(count)
        assert (sizes <= 0).any() or (sizes[:-1] < deletions).any()
        return
    made = people(sum(plan.cohorts), quasi=declared("Age=1..9", ""))
    shown = [set(each.tolist()) for each in Simulation(made, plan, Updates(), Streams.of(3)).snapshots()]
    assert len(shown) == count == plan.snapshots
    ever, gone = set(shown[0]), set()
    assert len(shown[0]) == rows
    for before, after, step in zip(shown[:-1], shown[1:], plan.steps, strict=True):
        assert len(before - after) == deletions
        assert len(after - before) == insertions
        back = after & gone
        assert len(back) == step.back == min(insertions, (returning * len(gone)).__floor__())
        assert len(after - ever) == step.newcomers == insertions - len(back)
        gone = (gone - back) | (before - after)
        ever |= after
    assert ever == set(range(sum(plan.cohorts)))


def test_rows_are_shuffled():
    plan = make_plan(2_000, 200, 200, 3)
    made = people(sum(plan.cohorts))
    for rows in Simulation(made, plan, Updates(), Streams.of(1)).snapshots():
        assert abs(np.corrcoef(rows, np.arange(len(rows)))[0, 1]) < 0.1


def test_who_comes_back_is_drawn_from_all_who_are_gone():
    plan = make_plan(2_000, 400, 400, 4, Fraction(1, 4))
    made = people(sum(plan.cohorts), quasi=declared("A=2", ""))
    first, second, third, last = (
        set(rows.tolist()) for rows in Simulation(made, plan, Updates(), Streams.of(1)).snapshots()
    )
    left_first, left_second = first - second - third, second - third
    assert len(left_first & last) > 20
    assert len(left_second & last) > 60


def test_another_diameter_leaves_everybody_where_they_were():
    plan = make_plan(500, 50, 50, 4)
    shown = []
    for updates in (Updates(), Updates(update_sets(50, 5, closed=True), 20, moves(QUASI))):
        streams = Streams.of(1)
        made = generate(QUASI, OCCUPATION, plan.cohorts, None, streams.people)
        shown.append([rows.tolist() for rows in Simulation(made, plan, updates, streams).snapshots()])
    assert shown[0] == shown[1]


def test_whoever_is_away_ages_and_keeps_the_value():
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


def test_too_many_people():
    with pytest.raises(UsageError, match="are more than"):
        make_plan(MOST_PEOPLE, 1, 0, 2)


# -- people of a table --------------------------------------------------------------------------------------------


def table(rows=1_000):
    rng = np.random.default_rng(1)
    value = rng.integers(5, size=rows).astype(np.uint8)
    [value_of], quasi = declared("S=5", ""), tuple(declared("A=250", ""))
    return Source(
        "t.csv", quasi, value_of, [(np.arange(rows) % 250).astype(np.uint8)], value, ("I", pa.array(range(rows)))
    )


def test_drawn_without_replacement_and_as_the_batches_ask():
    source = table()
    plan = make_plan(200, 100, 0, 4)
    batches = sloped_batches(plan, 5, 3, np.random.default_rng(1))
    drawn = source.draw(plan.cohorts, batches, np.random.default_rng(2))
    rows = np.array(drawn.individual)
    assert len(set(rows.tolist())) == 500
    assert (drawn.value == source.value[rows]).all()
    assert (drawn.columns[0] == source.columns[0][rows]).all()
    for place, batch in enumerate(batches):
        part = slice(200 + 100 * place, 300 + 100 * place)
        assert np.bincount(drawn.value[part], minlength=5).tolist() == batch.tolist()


def test_everybody_of_a_table():
    drawn = table(50).draw([20, 15, 15], None, np.random.default_rng(1))
    assert sorted(np.array(drawn.individual).tolist()) == list(range(50))
    with pytest.raises(InputError, match="50 rows, and 51 people are needed"):
        table(50).draw([20, 15, 16], None, np.random.default_rng(1))


def test_too_few_of_a_value():
    batches = [np.array([0, 0, 0, 300, 0])]
    with pytest.raises(InputError, match=r't\.csv: \d+ rows with "s 4" in "S" are left .* need 300; .*--slope'):
        table().draw([10, 300], batches, np.random.default_rng(1))


def test_no_batch_at_all():
    assert len(table().draw([10], [], np.random.default_rng(1)).value) == 10


# -- names and domains --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "A", "A=", "=3", "A=x", "A=1", "A=0", "A=3..3", "A=4..3", "A=1..", "A=100001", "A=2,,B=2", "A=0..100000"],
)
def test_no_declaration(text):
    with pytest.raises(UsageError) as told:
        declared(text, "--sensitive")
    assert str(told.value).startswith("--sensitive: ")
    assert "\n" not in str(told.value)


def test_names_that_stand_twice():
    check_names(["a", "b"])
    with pytest.raises(UsageError, match='"b" is named twice'):
        check_names(["a", "b", "b"])


@given(st.fractions())
def test_domains_hold_their_ends(exact):
    low, high = (Fraction(str(_number(exact, end))) for end in (-np.inf, np.inf))
    assert low <= exact <= high
    assert float(high - low) <= 1e-12 * max(1.0, abs(float(exact)))


def test_the_text_of_domains():
    assert _domain(Attribute("A", ["-1", "0", "2.5"], is_numeric=True)) == [-1, 2.5]
    assert _domain(Attribute("A", ["7", "7.0"], is_numeric=True)) is None
    assert _domain(Attribute("A", ['a"b', "c\x7f"], is_numeric=False)) == ['a"b', "c\x7f"]
