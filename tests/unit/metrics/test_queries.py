"""Random COUNT queries: the ranges, the actual counts, the estimates and the errors, each beside a literal count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.metrics import queries
from audit.metrics.axes import DomainAxis, Extents
from audit.metrics.queries import ReleaseContents, Workload, actual, draw, errors, estimate

COUNTED = DomainAxis("Age", Fraction(20), Fraction(25))
TEXTS = DomainAxis("Gender", texts=("F", "M"))
MEASURED = DomainAxis("Height", Fraction(1), Fraction(3), counted=False)
SENSITIVE = DomainAxis("Disease", texts=("a", "b", "c", "d"))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def whole(values: list[tuple[int, int]], size: int) -> Extents:
    """Extents of cells that each cover whole numbers from one to another, both included."""
    start, stop = np.array(values, dtype=np.float64).reshape(-1, 2).T
    return Extents(start, stop + 1, np.arange(len(values) + 1), size, counted=True)


def points(size: int) -> Extents:
    return whole([(place, place) for place in range(size)], size)


def published(extents: list[Extents], rows: list[tuple[int, ...]], values: int, fake: list[int]) -> ReleaseContents:
    """Rows of (group, value, cell of each attribute)."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 2 + len(extents))
    ones = np.ones(len(rows), dtype=np.int64)
    group, value, cell = table[:, 0], table[:, 1], table[:, 2:]
    return ReleaseContents(
        tuple(extents), cell, group, ones, group, value, ones, values, np.array(fake, dtype=np.int64)
    )


# -- ranges -------------------------------------------------------------------------------------------------------


def test_a_range_has_the_papers_length_rounded_to_whole_values():
    axes = [
        DomainAxis("Age", Fraction(17), Fraction(95)),
        TEXTS,
        DomainAxis("Education", Fraction(1), Fraction(17)),
        MEASURED,
    ]
    axes.append(DomainAxis("Occupation", texts=tuple(map(str, range(50)))))
    work = draw(axes, 500, 0.1, "m-invariance", rng())
    length = work.high - work.low
    part = 0.1 ** (1 / 5)  # 0.631
    assert set(length[:, 0]) == {50}  # 79 values, 49.8
    assert set(length[:, 1]) == {1}  # 2 values, 1.26
    assert set(length[:, 2]) == {11}  # 17 values, 10.7
    assert length[:, 3] == pytest.approx(2 * part)
    assert set(length[:, 4]) == {32}  # 50 values, 31.5


def test_ranges_of_the_m_distinct_paper_take_theta_of_each_domain():
    work = draw([COUNTED, MEASURED, SENSITIVE], 50, 0.5, "m-distinct", rng())
    assert set(map(tuple, work.high - work.low)) <= {(3.0, length, 2.0) for length in (work.high - work.low)[:, 1]}
    assert (work.high - work.low)[:, 1] == pytest.approx(1.0)


def test_a_range_has_one_value_at_least_and_the_whole_domain_at_most():
    low = draw([COUNTED, SENSITIVE], 20, 1e-9, "m-distinct", rng())
    assert (low.high - low.low == 1).all()
    for style in ("m-invariance", "m-distinct"):
        every = draw([COUNTED, MEASURED, SENSITIVE], 20, 1.0, style, rng())
        assert (every.low == 0).all()
        assert (every.high == [6, 2, 4]).all()


def test_ranges_lie_anywhere_in_the_domain_with_equal_probability():
    work = draw([COUNTED, MEASURED, SENSITIVE], 40_000, 0.25, "m-distinct", rng())
    starts, times = np.unique(work.low[:, 0], return_counts=True)
    assert starts.tolist() == [0, 1, 2, 3, 4]  # 6 values, ranges of 2
    assert times / 40_000 == pytest.approx([0.2] * 5, abs=0.01)
    assert work.low[:, 1].min() >= 0
    assert work.high[:, 1].max() <= 2
    assert work.low[:, 1].mean() == pytest.approx(0.75, abs=0.01)
    # The axes are drawn independently.
    assert abs(np.corrcoef(work.low[:, 0], work.low[:, 2])[0, 1]) < 0.02


def test_about_theta_of_evenly_spread_rows_answer_a_query():
    axes = [DomainAxis(name, Fraction(0), Fraction(99)) for name in "abcd"] + [
        DomainAxis("s", texts=tuple(map(str, range(100))))
    ]
    places = rng(1).integers(0, 100, size=(20_000, 5)) + 0.5
    for theta in (0.02, 0.1, 0.5):
        found = actual(places, draw(axes, 200, theta, "m-invariance", rng()))
        assert found.mean() / len(places) == pytest.approx(theta, rel=0.1)


def test_the_same_seed_draws_the_same_queries():
    axes = [COUNTED, MEASURED, SENSITIVE]
    one, same, other = (draw(axes, 30, 0.1, "m-invariance", rng(seed)) for seed in (5, 5, 6))
    assert (one.low == same.low).all()
    assert (one.high == same.high).all()
    assert (one.low != other.low).any()


@pytest.mark.parametrize(("number", "theta"), [(0, 0.1), (1, 0.0), (1, 1.1), (1, float("nan"))])
def test_queries_that_cannot_be_drawn(number: int, theta: float):
    with pytest.raises(ValueError, match="theta"):
        draw([SENSITIVE], number, theta, "m-invariance", rng())


def test_a_domain_of_one_number_is_asked_for_whole():
    alone = DomainAxis("Height", Fraction(2), Fraction(2), counted=False)
    work = draw([alone, SENSITIVE], 5, 0.1, "m-invariance", rng())
    assert (work.low[:, 0] == 0).all()
    assert (work.high[:, 0] == 0).all()


# -- counts and estimates beside a literal count ------------------------------------------------------------------


@st.composite
def settings(draw_: st.DrawFn) -> tuple[ReleaseContents, Workload, list[list[set[int]]]]:
    """A tiny release on counted axes, queries, and each attribute's cells as sets of values."""
    sizes = draw_(st.lists(st.integers(1, 5), max_size=3))
    cells: list[list[set[int]]] = []
    extents = []
    exact = draw_(st.booleans())
    for size in sizes:
        if exact:
            some = [{value} for value in range(size)]
        else:
            some = draw_(st.lists(st.sets(st.integers(0, size - 1), min_size=1), min_size=1, max_size=4))
        cells.append(some)
        runs = [[(v, v + 1.0) for v in sorted(cell)] for cell in some]
        first = np.cumsum([0, *map(len, runs)])
        start, stop = np.array([run for each in runs for run in each]).reshape(-1, 2).T
        extents.append(Extents(start.astype(float), stop.astype(float), first, size, counted=True))
    values = draw_(st.integers(1, 4))
    groups = draw_(st.integers(1, 4))
    row = st.tuples(
        st.integers(0, groups - 1), st.integers(-1, values - 1), *(st.integers(0, len(some) - 1) for some in cells)
    )
    rows = [(group, 0, *(0 for _ in cells)) for group in range(groups)] + draw_(st.lists(row, max_size=12))
    release = published(extents, rows, values, [0] * groups)
    release = replace(release, fake=np.array([draw_(st.integers(0, int(size))) for size in release.sizes]))
    if draw_(st.booleans()):
        times = np.array(draw_(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))))
        release = replace(release, count=times, entry_count=times)
        release.__dict__.pop("sizes", None)
    bounds = [st.tuples(st.integers(0, n), st.integers(0, n)).map(sorted) for n in [*sizes, values]]
    asked = draw_(st.lists(st.tuples(*bounds), min_size=1, max_size=6))
    ends = np.array(asked, dtype=np.float64).reshape(len(asked), len(sizes) + 1, 2)
    return release, Workload(ends[:, :, 0], ends[:, :, 1]), cells


def count_values(release: ReleaseContents, group: int, low: float, high: float) -> int:
    return sum(
        int(times)
        for g, v, times in zip(release.entry_group, release.entry_value, release.entry_count, strict=True)
        if g == group and low <= v < high
    )


def literal_estimate(release: ReleaseContents, cells: list[list[set[int]]], low, high) -> Fraction:
    """The sum over the groups of (|G| - c3) · c1 · c2, with c1 averaged over the group's rows."""
    total = Fraction(0)
    for group, fake in enumerate(release.fake):
        rows = [place for place in range(len(release.group)) if release.group[place] == group]
        size = int(sum(release.count[rows]))
        covered = Fraction(0)
        for row in rows:
            part = Fraction(int(release.count[row]))
            for a, some in enumerate(cells):
                cell = some[release.cell[row, a]]
                part *= Fraction(sum(low[a] <= value < high[a] for value in cell), len(cell))
            covered += part
        qualify = Fraction(count_values(release, group, low[-1], high[-1]), size)
        total += (size - int(fake)) * (covered / size) * qualify
    return total


@given(settings())
def test_estimates_are_the_papers_sum(setting: tuple[ReleaseContents, Workload, list[list[set[int]]]]):
    release, work, cells = setting
    found = estimate(release, work)
    for query in range(len(work)):
        assert found[query] == pytest.approx(
            float(literal_estimate(release, cells, work.low[query], work.high[query])), abs=1e-9
        )


@given(settings(), st.integers(1, 40), st.integers(1, 8))
def test_working_bit_by_bit_changes_nothing(setting, tile: int, block: int):
    release, work, _ = setting
    places = np.column_stack(
        [*(each.middle[release.cell[:, a]] for a, each in enumerate(release.extents)), release.entry_value + 0.5]
    )
    at_once = estimate(release, work), actual(places, work)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "TILE", tile)
        patch.setattr(queries, "BLOCK", block)
        fresh = Workload(work.low, work.high)
        assert estimate(release, fresh) == pytest.approx(at_once[0], abs=1e-12)
        assert actual(places, fresh).tolist() == at_once[1].tolist()


@given(st.integers(0, 2**32), st.integers(0, 300))
def test_actual_counts_are_those_of_a_loop(seed: int, rows: int):
    some = rng(seed)
    axes = [COUNTED, TEXTS, MEASURED, SENSITIVE]
    height = some.choice([0.0, 0.25, 1.0, 2.0], rows)
    numbers = [some.integers(0, int(axis.size), rows) for axis in (COUNTED, TEXTS, SENSITIVE)]
    places = np.column_stack([numbers[0] + 0.5, numbers[1] + 0.5, height, numbers[2] + 0.5])
    work = draw(axes, 12, 0.3, "m-invariance", some)
    # Ranges that end exactly at a number hold it.
    work.low[0, 2], work.high[0, 2] = 0.25, 1.0
    found = actual(places, work)
    for query, (low, high) in enumerate(zip(work.low, work.high, strict=True)):
        literal = sum(
            all(low[a] <= row[a] - 0.5 < high[a] for a in (0, 1, 3)) and low[2] <= row[2] <= high[2] for row in places
        )
        assert found[query] == literal


@given(st.integers(0, 2**32))
def test_estimates_are_exact_where_each_group_is_a_single_point(seed: int):
    some = rng(seed)
    place = some.integers(0, [6, 2], size=(40, 2))
    keys, group = np.unique(place, axis=0, return_inverse=True)
    group = group.reshape(-1)
    value = some.integers(0, 4, 40)
    # All of a group's people are alike, whatever the order in which their values were published.
    rows = [(int(g), int(v), int(a), int(b)) for g, v, (a, b) in zip(group, value, place, strict=True)]
    release = published([points(6), points(2)], rows, 4, [0] * len(keys))
    work = draw([COUNTED, TEXTS, SENSITIVE], 60, 0.3, "m-invariance", some)
    truth = actual(np.column_stack([place, value]) + 0.5, work)
    assert estimate(release, work) == pytest.approx(truth, abs=1e-9)
    # The same table with a count instead of repeated rows goes the other way, through boxes.
    first = np.unique(group, return_index=True)[1]
    counted = replace(
        release, group=group[first], cell=place[first], count=np.bincount(group), entry_group=group, entry_value=value
    )
    assert estimate(counted, work) == pytest.approx(truth, abs=1e-9)


@given(settings())
def test_rows_and_boxes_agree_on_exact_values(setting):
    release, work, _ = setting
    if release.exact and release.extents:
        assert queries._by_rows(release, work) == pytest.approx(queries._by_boxes(release, work), abs=1e-9)


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_merging_groups_of_one_signature_changes_no_anatomy_estimate(seed: int, signatures: int):
    """Equivalence paper, Proposition 1 (1)."""
    some = rng(seed)
    rows, bucket = [], []
    for group in range(120):
        signature = int(some.integers(0, signatures))
        bucket.append(signature)
        rows += [(group, 2 * signature + which, *map(int, some.integers(0, [6, 2]))) for which in (0, 1)]
    fine = published([points(6), points(2)], rows, 6, [0] * 120)
    merged_group = np.unique(np.array(bucket), return_inverse=True)[1].reshape(-1)[fine.group]
    fake = np.zeros(int(merged_group.max()) + 1, dtype=np.int64)
    merged = replace(fine, group=merged_group, entry_group=merged_group, fake=fake)
    work = draw([COUNTED, TEXTS, DomainAxis("s", texts=tuple("abcdef"))], 60, 0.3, "m-invariance", some)
    assert estimate(fine, work) == pytest.approx(estimate(merged, work), abs=1e-9)
    assert estimate(fine, work).any()


def test_an_example_by_hand():
    # Ages 20 to 25. One group {21, 22}, two people and a counterfeit: values a, b, c. Another {24}: value a.
    release = published([whole([(1, 2), (4, 4)], 6)], [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 1)], 4, [1, 0])
    # Ages from 22 on, values a and b: (3 - 1) · 1/2 · 2/3 of the first group, all of the second.
    work = Workload(np.array([[2.0, 0.0]]), np.array([[6.0, 2.0]]))
    assert estimate(release, work) == pytest.approx([2 / 3 + 1])


def test_counterfeits_make_each_anatomy_row_less_probable():
    # Three rows at 21, 21, 23, one of which (nobody knows which) is no person.
    release = published([points(6)], [(0, 0, 1), (0, 1, 1), (0, 2, 3)], 4, [1])
    work = Workload(np.array([[1.0, 0.0]]), np.array([[2.0, 4.0]]))
    assert estimate(release, work) == pytest.approx([2 * (1 - 1 / 3)])


def test_a_measured_cell_answers_by_length_and_a_number_wholly():
    cells = Extents(np.array([0.0, 0.5, 0.0, 1.5]), np.array([1.0, 0.5, 0.0, 1.5]), np.array([0, 1, 2, 4]), 2.0, False)
    low, high = np.array([0.25, 0.5, 0.6]), np.array([0.75, 0.5, 2.0])
    assert cells.fractions(low, high).tolist() == [[0.5, 1.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.0, 0.5]]
    rows = [(0, 0, 0), (1, 0, 1), (2, 0, 2)]
    release = published([cells], rows, 4, [0, 0, 0])
    work = Workload(np.column_stack([low, np.zeros(3)]), np.column_stack([high, np.full(3, 4.0)]))
    assert estimate(release, work) == pytest.approx([1.5, 1.0, 0.9])


def test_a_release_without_rows_answers_nothing():
    release = published([points(6)], [], 4, [])
    work = draw([COUNTED, SENSITIVE], 5, 0.3, "m-invariance", rng())
    assert estimate(release, work).tolist() == [0] * 5
    assert actual(np.zeros((0, 2)), work).tolist() == [0] * 5


# -- errors -------------------------------------------------------------------------------------------------------


def test_errors_are_relative_to_the_actual_count_and_leave_out_zeros():
    found = errors(np.array([4, 0, 2, 5]), np.array([3.0, 1.0, 0.0, 5.0]), "m-invariance")
    assert found.tolist() == [0.25, 1.0, 0.0]


def test_errors_of_the_m_distinct_paper_are_relative_to_the_estimate():
    found = errors(np.array([4, 0, 2, 5]), np.array([3.0, 1.0, 0.0, 5.0]), "m-distinct")
    assert found == pytest.approx([1 / 3, 1.0, 0.0])


def test_no_query_may_have_an_error():
    assert len(errors(np.zeros(3, dtype=np.int64), np.ones(3), "m-invariance")) == 0
