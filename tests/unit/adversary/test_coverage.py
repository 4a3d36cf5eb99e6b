"""Coverage: every kernel compared with a loop over all points and groups that uses the algebra of cells."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.adversary import coverage
from audit.adversary.coverage import Boxes, Space, cover, covering_groups
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import parse
from audit.io.cells import Kind, ValueSet, contains, intersect
from audit.model.evidence import ValueCounts

MISSING = frozenset({"?"})
NUMBERS = ["1", "2", "3.5", "10", "11", "20", "?"]
TEXTS = ["aa", "ab", "b", "bb", "c", "?"]
COUNTS = [1, 2, 3, 40_000, 70_000, 3_000_000_000, 10**12]
DAY_CELLS = ["*", "?", "2024-03", "2024-03-17", "2024Q1", "<2024-03-17", ">17.03.2024", "2024", "2024-02 to 2024-03"]
DAYS = ["2024-03-17", "2024-03-01", "2024-03", "2024-04-01", "2023-12", "2024", "?"]
EXACT = {Kind.NUMERIC: NUMBERS, Kind.CATEGORICAL: TEXTS, Kind.DATE: DAYS}


@st.composite
def numeric_cells(draw):
    low, high = sorted(draw(st.lists(st.sampled_from([1, 2, 3.5, 10, 11, 20]), min_size=2, max_size=2)))
    forms = ["*", "?", str(low), f"[{low}, {high}]", f">={low}", f"<{high}", f"{{{low}, {high}}}", "1*", "2*"]
    return draw(st.sampled_from([*forms, f"[{low}, {high + 1}[", f"({low - 1}, {high}]"]))


@st.composite
def text_cells(draw):
    members = draw(st.lists(st.sampled_from(["aa", "ab", "b", "bb", "c", "zz"]), min_size=1, max_size=3, unique=True))
    return draw(st.sampled_from(["*", "?", "a*", "b*", members[0], ",".join(members), "{" + ", ".join(members) + "}"]))


@st.composite
def releases(draw, *, single: bool):
    """Attributes, rows as (group, cells), entries as (group, value, count) or without counts, points as texts."""
    kinds = draw(st.lists(st.sampled_from([*EXACT]), min_size=1, max_size=3))
    cell = {Kind.NUMERIC: numeric_cells(), Kind.CATEGORICAL: text_cells(), Kind.DATE: st.sampled_from(DAY_CELLS)}
    rows, entries = [], []
    counted = draw(st.booleans())
    for group in draw(st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True)):
        several = [tuple(draw(cell[kind]) for kind in kinds) for _ in range(1 if single else draw(st.integers(1, 3)))]
        for _ in range(draw(st.integers(0, 4))):
            rows.append((group, draw(st.sampled_from(several))))
            entries.append((group, draw(st.integers(0, 5)), draw(st.sampled_from(COUNTS)) if counted else 1))
        rows += [(group, cells) for cells in several]
    values = [draw(st.lists(st.sampled_from(EXACT[kind]), min_size=1, unique=True)) for kind in kinds]
    points = draw(st.lists(st.sampled_from(list(product(*values))), min_size=1, max_size=12, unique=True))
    return kinds, draw(st.permutations(rows)), draw(st.permutations(entries)), counted, values, points


def covers(cell, exact, kind):
    if exact in MISSING:
        return True
    if kind is Kind.DATE:
        return intersect(parse(cell, kind, None, MISSING), parse(exact, kind)) is not None
    point = parse(exact, kind) if kind is Kind.NUMERIC else ValueSet(frozenset({exact}))
    return contains(parse(cell, kind, None, MISSING), point)


def naive(release):
    """Return the groups that cover each point, by trying every row."""
    kinds, rows, _, _, _, points = release
    return [
        sorted({g for g, cells in rows if all(covers(c, x, k) for c, x, k in zip(cells, point, kinds, strict=True))})
        for point in points
    ]


def prepared(release):
    """Return the boxes, the space, the places of the points and the entries of a release, as the program has them."""
    kinds, rows, entries, counted, values, points = release
    attributes = [QuasiIdentifier(str(i), kind, None, MISSING) for i, kind in enumerate(kinds)]
    columns = [a.numbers([cells[i] for _, cells in rows])[0] for i, a in enumerate(attributes)]
    group = np.array([g for g, _ in rows], dtype=np.int32)
    every = np.unique(np.stack([group, *columns], axis=1), axis=0).astype(np.int32)
    found = Boxes(every[:, 0], every[:, 1:], single=len(set(group.tolist())) == len(every))
    codes = [[values[i].index(x) for i, x in enumerate(point)] for point in points]
    space = Space(attributes, values, np.array(codes, dtype=np.int32))
    bag, value, count = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    listed = ValueCounts(bag.astype(np.int32), value.astype(np.int32), count if counted else None)
    return found, space, np.arange(len(points)), listed, attributes


def tabled(release, groups):
    """Return what the pools of the points hold, given the groups that cover each."""
    table = np.zeros((len(groups), 6), dtype=np.int64)
    for point, some in enumerate(groups):
        for group, value, count in release[2]:
            table[point, value] += count * (group in some)
    return table


def check(release):
    groups = naive(release)
    found, space, points, entries, _ = prepared(release)
    covered = cover(found, space, points, entries, 6)
    contents = covered.contents
    table = contents.tabled(len(points), 6) if isinstance(contents, ValueCounts) else contents
    assert table.tolist() == tabled(release, groups).tolist()
    assert covered.groups.tolist() == [len(some) for some in groups]
    every = [(point, value) for point in range(len(points)) for value in range(6)]
    pool, value = np.array(every, dtype=np.int32).T
    assert covered.hold(pool, value).tolist() == (table[pool, value] > 0).tolist()


@given(release=releases(single=True))
def test_sweep(release):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "_sweep_pays", lambda *_: True)
        patch.setattr(coverage, "_bitmaps", lambda *_: pytest.fail("no sweep"))
        check(release)


@pytest.mark.parametrize("limit", [coverage._TABLE_CELLS, 7])
@given(release=st.booleans().flatmap(lambda single: releases(single=single)))
def test_bitmaps(limit, release):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "_sweep_pays", lambda *_: False)
        patch.setattr(coverage, "_TABLE_CELLS", limit)
        patch.setattr(coverage, "_CHUNK_WORDS", 3)
        patch.setattr(coverage, "_BATCH", 5)
        check(release)


@given(releases(single=True))
def test_too_many_corners_for_a_sweep(release):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage, "_sweep_pays", lambda *_: True)
        patch.setattr(coverage, "_MOST_CORNERS", -1)
        check(release)


@given(st.booleans().flatmap(lambda single: releases(single=single)))
def test_covering_groups(release):
    found, space, points, *_ = prepared(release)
    point, group = covering_groups(found, space, points)
    pairs = [(p, g) for p, some in enumerate(naive(release)) for g in some]
    assert list(zip(point.tolist(), group.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("single", [False, True])
def test_more_boxes_than_a_word_has_bits(single):
    """A hundred and fifty boxes of numbers, each of a group of its own or three of one."""
    rng = np.random.default_rng(5)
    lows = rng.integers(0, 15, 150).tolist()
    rows = [(box if single else box % 50, (f"[{low}, {low + box % 5}]",)) for box, low in enumerate(lows)]
    entries = [(box if single else box % 50, box % 6, 1) for box in range(150)]
    points = [(number,) for number in ("1", "2", "3.5", "10", "11")]
    release = [Kind.NUMERIC], rows, entries, False, [[number for (number,) in points]], points
    check(release)
    found, space, places, *_ = prepared(release)
    point, group = covering_groups(found, space, places)
    assert list(zip(point.tolist(), group.tolist(), strict=True)) == [
        (p, g) for p, some in enumerate(naive(release)) for g in some
    ]
