"""Measures of utility: cells that are counted, widths, and errors of queries as the papers define them."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import prod
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy
from audit.io.cells import Kind
from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.metrics.queries import (
    DomainAxis,
    Extents,
    OutsideError,
    ReleaseContents,
    Workload,
    actual,
    draw,
    errors,
    estimate,
)
from audit.metrics.utility import Queries, axes_of, measure
from audit.model.errors import InputError, UsageError

EXAMPLES = Path(__file__).parents[2] / "examples"
AGES = DomainAxis("Age", Fraction(20), Fraction(29))
HEIGHTS = DomainAxis("Height", Fraction(1), Fraction(3), counted=False)
TOWNS = DomainAxis("Town", texts=("Rome", "Oslo", "Lima", "Bonn"))


def cover(axis: DomainAxis, *texts: str, kind: Kind = Kind.NUMERIC, hierarchy: Hierarchy | None = None) -> Extents:
    attribute = QuasiIdentifier(axis.name, kind, hierarchy, frozenset())
    return axis.cover(attribute, attribute.numbers(texts)[0])


# -- axes and extents ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "text", "kind"),
    [
        (AGES, "[30, 40]", Kind.NUMERIC),
        (AGES, "]20, 21[", Kind.NUMERIC),
        (AGES, "{20.5, 21.5}", Kind.NUMERIC),
        (HEIGHTS, ">3", Kind.NUMERIC),
        (HEIGHTS, "tall", Kind.CATEGORICAL),
        (TOWNS, "Paris", Kind.CATEGORICAL),
        (TOWNS, "[1, 2]", Kind.NUMERIC),
    ],
)
def test_a_cell_that_covers_nothing_of_the_domain_is_refused(axis: DomainAxis, text: str, kind: Kind):
    with pytest.raises(OutsideError):
        cover(axis, text, kind=kind)


half = st.integers(30, 70).map(lambda n: str(n / 2))
numeric_cell = st.one_of(
    half,
    st.tuples(half, half, st.sampled_from("[]"), st.sampled_from("[]")).map(
        lambda t: f"{t[2]}{min(t[:2], key=float)}, {max(t[:2], key=float)}{t[3]}"
    ),
    st.lists(half, min_size=1, max_size=4).map(lambda some: "{" + ",".join(some) + "}"),
    st.sampled_from(["*", ">=24", "<22", ">28.5"]),
)


@given(st.lists(numeric_cell, min_size=1, max_size=5), st.integers(0, 9), st.integers(1, 10))
def test_counted_cells_are_the_values_that_they_cover(texts: list[str], low: int, length: int):
    attribute = QuasiIdentifier("Age", Kind.NUMERIC, None, frozenset())
    numbers, errors = attribute.numbers(texts)
    cells = np.unique(np.delete(numbers, [place for place, _ in errors]))
    values = list(range(20, 30))
    grid = attribute.covers(cells, [str(value) for value in values])
    if not grid.any(axis=1).all():
        with pytest.raises(OutsideError):
            AGES.cover(attribute, cells)
        cells, grid = cells[grid.any(axis=1)], grid[grid.any(axis=1)]
    found = AGES.cover(attribute, cells)
    inside = found.fractions(np.array([float(low)]), np.array([float(low + length)]))[0]
    for covered, share, spread, part in zip(grid, found.share, found.spread, inside, strict=True):
        held = [value for value, is_held in zip(values, covered, strict=True) if is_held]
        assert share == pytest.approx(len(held) / 10 if len(held) > 1 else 0)
        assert spread == pytest.approx((max(held) - min(held)) / 9)
        assert part == pytest.approx(sum(low <= value - 20 < low + length for value in held) / len(held))


# -- whole releases -----------------------------------------------------------------------------------------------


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def interval(cell: str) -> tuple[int, int]:
    low, _, high = cell.strip("[]").partition(", ")
    return int(low), int(high or low)


DOMAINS = {"Age": (21, 65), "Zipcode": (12000, 44000)}


def literal_hospital(name: str, position: int, fake: dict[str, int], work: Workload, style: str):
    """Everything that is measured of one release of the hospital, by loops over its rows."""
    people = rows_of(EXAMPLES / "hospital-microdata" / f"{position + 1}.csv")
    rows = rows_of(EXAMPLES / name / "releases" / f"{position + 1}.csv")
    diseases = sorted({p["Disease"] for tag in "12" for p in rows_of(EXAMPLES / "hospital-microdata" / f"{tag}.csv")})
    reach = cost = 0.0
    for row in rows:
        for column, (least, most) in DOMAINS.items():
            low, high = interval(row[column])
            reach += (high - low) / (most - least)
            cost += (high - low + 1) / (most - least + 1) if high > low else 0
    relative = []
    for starts, ends in zip(work.low, work.high, strict=True):
        asked = [range(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
        act = sum(
            all(int(p[c]) - low in asked[i] for i, (c, (low, _)) in enumerate(DOMAINS.items()))
            and diseases.index(p["Disease"]) in asked[2]
            for p in people
        )
        est = 0.0
        for group in {row["Group-ID"] for row in rows}:
            members = [row for row in rows if row["Group-ID"] == group]
            boxes = [interval(members[0][column]) for column in DOMAINS]
            part = prod(
                len(range(max(low - least, asked[i].start), min(high - least + 1, asked[i].stop))) / (high - low + 1)
                for i, ((low, high), (least, _)) in enumerate(zip(boxes, DOMAINS.values(), strict=True))
            )
            qualify = sum(diseases.index(row["Disease"]) in asked[2] for row in members) / len(members)
            est += (len(members) - fake.get(group, 0)) * part * qualify
        divisor = act if style == "m-invariance" else est
        if divisor:
            relative.append(abs(act - est) / divisor)
    return {
        "rows": len(rows),
        "discernibility": sum(size**2 for size in Counter(row["Group-ID"] for row in rows).values()),
        "average_group": len(rows) / len({row["Group-ID"] for row in rows}),
        "perimeter": reach,
        "ncp": cost / len(rows) / 2,
        "query_error": median(relative),
        "skipped": len(work) - len(relative),
    }


@pytest.mark.parametrize("name", ["hospital-l-diverse", "hospital-2-invariant"])
@pytest.mark.parametrize("style", ["m-invariance", "m-distinct"])
def test_the_hospital_is_measured_as_by_hand(name: str, style: str):
    microdata = open_microdata(EXAMPLES / "hospital-microdata")
    found = measure([(name, open_series(EXAMPLES / name))], microdata, Queries(300, 0.3, style, seed=7))[0]
    for position, release in enumerate(found):
        work = draw(axes_of(microdata), 300, 0.3, style, np.random.default_rng([7, position]))
        fakes = rows_of(EXAMPLES / name / "counterfeits/2.csv") if "invariant" in name and position == 1 else []
        literal = literal_hospital(name, position, {row["Group-ID"]: int(row["Count"]) for row in fakes}, work, style)
        for measured, value in literal.items():
            assert getattr(release, measured) == pytest.approx(value), measured
        assert release.counterfeits == (2 if fakes else 0)


def test_a_release_is_matched_to_its_snapshot_by_name(tmp_path: Path):
    shutil.copytree(EXAMPLES / "hospital-2-invariant", tmp_path / "late")
    (tmp_path / "late/releases/1.csv").unlink()
    edit(tmp_path / "late/series.toml", '"releases/1.csv", ', "")
    microdata = open_microdata(EXAMPLES / "hospital-microdata")
    named = [("a", open_series(EXAMPLES / "hospital-2-invariant")), ("b", open_series(tmp_path / "late"))]
    whole_series, late = measure(named, microdata, Queries(50))
    assert late[0].comparable is None  # nothing stands before it to be compared with
    assert late == tuple(replace(each, comparable=None) for each in whole_series[1:])


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def hospital(folder: Path) -> tuple[Path, Path]:
    shutil.copytree(EXAMPLES / "hospital-2-invariant", folder / "series")
    shutil.copytree(EXAMPLES / "hospital-microdata", folder / "microdata")
    return folder / "series", folder / "microdata"


def test_other_microdata_are_found_out(tmp_path: Path):
    series, microdata = hospital(tmp_path)
    edit(microdata / "2.csv", "flu", "gastritis")
    with pytest.raises(InputError, match=r"series/releases/2\.csv: \d rows have values that the"):
        measure([("series", open_series(series))], open_microdata(microdata), Queries(50))


def test_cells_outside_the_domain_are_found_out(tmp_path: Path):
    series, microdata = hospital(tmp_path)
    edit(series / "releases/1.csv", "[52, 56]", "[66, 70]")
    with pytest.raises(InputError, match=r'series/releases/1\.csv, column "Age": a cell covers no value'):
        measure([("series", open_series(series))], open_microdata(microdata), Queries(50))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('sensitive = "Disease"', 'sensitive = "Zipcode"', "no sensitive column"),
        ('["Age", "Zipcode"]', '["Age"]', 'no quasi-identifier "Zipcode"'),
        ('["1.csv", "2.csv"]', '["1.csv"]', 'no snapshot for release "2"'),
    ],
)
def test_a_series_of_other_microdata_is_refused(tmp_path: Path, old: str, new: str, told: str):
    series, microdata = hospital(tmp_path)
    if "Zipcode" in new and "sensitive" in new:
        edit(microdata / "microdata.toml", '["Age", "Zipcode"]', '["Age"]')
        edit(series / "series.toml", '["Age", "Zipcode"]', '["Age"]')
    edit(microdata / "microdata.toml", old, new)
    with pytest.raises(UsageError, match=told):
        measure([("series", open_series(series))], open_microdata(microdata), Queries(50))


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
