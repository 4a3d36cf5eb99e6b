"""Random COUNT queries: the ranges, the actual counts, the estimates and the errors, each beside a literal count."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.metrics.axes import DomainAxis, Extents
from audit.metrics.queries import ReleaseContents, Workload, actual, draw, errors, estimate

COUNTED = DomainAxis("Age", Fraction(20), Fraction(25))
TEXTS = DomainAxis("Gender", texts=("F", "M"))
MEASURED = DomainAxis("Height", Fraction(1), Fraction(3), counted=False)
SENSITIVE = DomainAxis("Disease", texts=("a", "b", "c", "d"))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


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


@pytest.mark.parametrize(("number", "theta"), [(0, 0.1), (1, 0.0), (1, 1.1), (1, float("nan"))])
def test_queries_that_cannot_be_drawn(number: int, theta: float):
    with pytest.raises(ValueError, match="theta"):
        draw([SENSITIVE], number, theta, "m-invariance", rng())


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


# -- errors -------------------------------------------------------------------------------------------------------


def test_errors_are_relative_to_the_actual_count_and_leave_out_zeros():
    found = errors(np.array([4, 0, 2, 5]), np.array([3.0, 1.0, 0.0, 5.0]), "m-invariance")
    assert found.tolist() == [0.25, 1.0, 0.0]


def test_errors_of_the_m_distinct_paper_are_relative_to_the_estimate():
    found = errors(np.array([4, 0, 2, 5]), np.array([3.0, 1.0, 0.0, 5.0]), "m-distinct")
    assert found == pytest.approx([1 / 3, 1.0, 0.0])
