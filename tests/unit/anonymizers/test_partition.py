"""Mondrian's partition beside its definition, and beside every cut that could be made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.partition import partition
from audit.model.anonymizer import OLD_END, Scale

FIELDS = ("region", "root", "after", "upto", "low", "high")


def scale(places) -> Scale:
    return Scale("a", np.array(places, dtype=np.float64))


def column(*places) -> np.ndarray:
    return np.array(places, dtype=np.int32)[:, np.newaxis]


@st.composite
def tables(draw):
    """Points with many ties, at places that need not be at equal distances, sensitive values, roots."""
    rows = draw(st.integers(1, 40))
    widths = draw(st.lists(st.integers(1, 7), max_size=3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    point = np.stack([rng.integers(0, width, rows) for width in widths] or [[]] * rows, axis=-1).astype(np.int32)
    point = point.reshape(rows, len(widths))
    # Tenths, so that two attributes are often equally wide.
    scales = [scale(np.sort(rng.choice(11, width, replace=False)) / 10) for width in widths]
    value = np.minimum(rng.geometric(draw(st.sampled_from([0.2, 0.6])), rows) - 1, 5).astype(np.int32)
    root = np.unique(rng.integers(0, draw(st.integers(1, 4)), rows), return_inverse=True)[1].astype(np.int32)
    return point, scales, value, root


def expected(point, scales, k, value, l):  # noqa: E741 - the literature's name
    """Return the rows of each region of one root."""
    spread = [each.place[column.max()] - each.place[column.min()] for each, column in zip(scales, point.T, strict=True)]
    for attribute in sorted(range(len(scales)), key=lambda each: -spread[each]):
        sides = [(point[:, attribute] <= cut, cut) for cut in np.unique(point[:, attribute])[:-1]]
        sides = [(side, cut) for side, cut in sides if holds(value[side], k, l) and holds(value[~side], k, l)]
        if sides:
            left, _ = min(sides, key=lambda each: (abs(2 * each[0].sum() - len(point)), each[1]))
            rows = np.arange(len(point))
            return [
                rows[side][part] for side in (left, ~left) for part in expected(point[side], scales, k, value[side], l)
            ]
    return [np.arange(len(point))]


def both(point, scales, k, root, value, l):  # noqa: E741 - the literature's name
    """Return the partition, whose regions must be those that the definition asks for."""
    made = partition(point, scales, k, root=root, value=value, l=l)
    assert all(getattr(made, name).dtype == np.int32 for name in FIELDS)
    regions = []
    for each in range(root.max() + 1):
        rows = np.flatnonzero(root == each)
        regions += [rows[part].tolist() for part in expected(point[rows], scales, k, value[rows], l)]
    assert [np.flatnonzero(made.region == region).tolist() for region in range(len(made.root))] == regions
    return made


def holds(value, k, l) -> bool:  # noqa: E741 - as above
    return len(value) >= k and max(np.bincount(value), default=0) * l <= len(value)


def inside(point, after, upto):
    return all(a < p and (u in (OLD_END, p) or p < u) for p, a, u in zip(point, after, upto, strict=True))


@given(tables(), st.integers(1, 5), st.integers(1, 3))
def test_regions_hold_what_they_must_and_no_cut_is_left(table, k, l):  # noqa: E741 - as above
    point, scales, value, root = table
    made = both(point, scales, k, root, value, l)
    count = len(made.root)
    assert np.array_equal(np.unique(made.region), np.arange(count))
    assert np.array_equal(made.root[made.region], root)
    assert np.all(np.diff(made.root) >= 0)
    for region in range(count):
        rows = made.region == region
        assert np.count_nonzero(made.root == made.root[region]) == 1 or holds(value[rows], k, l)
        assert np.array_equal(made.low[region], point[rows].min(axis=0))
        assert np.array_equal(made.high[region], point[rows].max(axis=0))
        for attribute in range(point.shape[1]):
            for cut in range(len(scales[attribute].place)):
                left = rows & (point[:, attribute] <= cut)
                right = rows & (point[:, attribute] > cut)
                assert not (holds(value[left], k, l) and holds(value[right], k, l))


@given(tables(), st.integers(1, 5), st.integers(1, 3))
def test_a_row_is_in_the_cells_of_its_region_alone(table, k, l):  # noqa: E741 - as above
    point, scales, value, root = table
    made = both(point, scales, k, root, value, l)
    for row in range(len(point)):
        of_root = np.flatnonzero(made.root == root[row])
        found = [region for region in of_root if inside(point[row], made.after[region], made.upto[region])]
        assert found == [made.region[row]]


@given(tables(), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(table, k, l, seed):  # noqa: E741 - as above
    point, scales, value, root = table
    order = np.random.default_rng(seed).permutation(len(point))
    made = both(point, scales, k, root, value, l)
    again = both(point[order], scales, k, root[order], value[order], l)
    assert np.array_equal(made.region[order], again.region)


@given(tables(), st.integers(1, 5))
def test_roots_are_cut_as_if_each_were_alone(table, k):
    point, scales, _, root = table
    made = partition(point, scales, k, root=root)
    for each in range(root.max() + 1):
        alone = partition(point[root == each], scales, k)
        assert np.array_equal(alone.region, made.region[root == each] - np.flatnonzero(made.root == each)[0])
        assert np.array_equal(alone.upto, made.upto[made.root == each])


@given(tables(), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_rows_in_no_root_are_left_out(table, k, l, seed):  # noqa: E741 - as above
    point, scales, value, root = table
    made = partition(point, scales, k, root=root, value=value, l=l)
    # As many rows more, which are anywhere, in no root.
    there = np.sort(np.random.default_rng(seed).permutation(2 * len(point))[: len(point)])
    points, values, roots = point.repeat(2, axis=0), value.repeat(2), np.full(2 * len(point), -1, dtype=np.int32)
    points[there], values[there], roots[there] = point, value, root
    more = partition(points, scales, k, root=roots, value=values, l=l)
    assert np.array_equal(more.region[there], made.region)
    assert np.all(more.region[roots < 0] == -1)
    assert all(np.array_equal(getattr(more, name), getattr(made, name)) for name in FIELDS[1:])


@pytest.mark.parametrize(
    ("places", "k", "uptos"),
    [
        ([0, 1, 2, 3], 2, [1, OLD_END]),  # at the median
        ([0, 1, 2, 3, 4], 2, [1, OLD_END]),  # 2 and 3 rows are as near as 3 and 2: the lower cut
        ([0, 1, 1, 1, 1, 2, 2], 2, [1, OLD_END]),  # beside the ties at the median, the upper cut is nearer
        ([0, 0, 1, 1, 1, 1, 2], 2, [0, OLD_END]),  # the lower one
        ([0, 1, 1, 1, 2], 2, [OLD_END]),  # neither leaves 2 rows on both sides
        ([0, 0, 0, 0], 2, [OLD_END]),
        ([0, 1, 2], 2, [OLD_END]),
    ],
)
def test_cuts_are_as_near_to_the_middle_as_ties_allow(places, k, uptos):
    point = column(*places)
    root, value = np.zeros(len(point), dtype=np.int32), np.zeros(len(point), dtype=np.int32)
    made = both(point, [scale([0, 0.1, 0.2, 0.3, 1])], k, root, value, 1)
    assert made.upto[:, 0].tolist() == uptos
    assert made.after[:, 0].tolist() == [OLD_END, *uptos[:-1]]


def test_cuts_farther_from_the_middle_when_the_near_ones_are_not_diverse():
    # In order: a a | b c b c b c. The cut in the middle leaves "a a b c"; beyond 4 rows on the left all are 2-diverse.
    value = np.array([0, 0, 0, 1, 2, 1, 2, 3], dtype=np.int32)
    point = column(0, 1, 2, 3, 4, 5, 6, 7)
    made = both(point, [scale(np.arange(8) / 7)], 2, np.zeros(8, dtype=np.int32), value, 2)
    assert made.upto[:, 0].tolist() == [5, OLD_END]


def test_the_attribute_that_is_widest_in_its_domain_is_cut():
    # The first attribute has more values, the second is wider.
    point = np.array([[0, 0], [1, 1], [2, 0], [3, 1]], dtype=np.int32)
    scales = [scale([0, 0.1, 0.2, 0.3]), scale([0.2, 0.6])]
    made = both(point, scales, 2, np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32), 1)
    assert made.upto.tolist() == [[OLD_END, 0], [OLD_END, OLD_END]]
    assert made.region.tolist() == [0, 1, 0, 1]


def test_the_next_widest_attribute_is_cut_when_ties_forbid_the_widest():
    point = np.array([[0, 0], [0, 1], [0, 2], [1, 3]], dtype=np.int32)
    scales = [scale([0, 1]), scale([0, 0.1, 0.2, 0.3])]
    made = both(point, scales, 2, np.zeros(4, dtype=np.int32), np.zeros(4, dtype=np.int32), 1)
    assert made.upto.tolist() == [[OLD_END, 1], [OLD_END, OLD_END]]


@pytest.mark.parametrize("l", [1, 2, 10])
@pytest.mark.parametrize("width", [8, 3_000])
def test_larger_tables_are_cut_alike(width, l):  # noqa: E741 - as above
    rng = np.random.default_rng(width + l)
    point = rng.integers(0, width, (3_000, 3)).astype(np.int32)
    value = np.minimum(rng.geometric(0.08, 3_000), 300).astype(np.int32)
    scales = [scale(np.sort(rng.random(width))) for _ in range(3)]
    made = both(point, scales, 5, np.zeros(3_000, dtype=np.int32), value, l)
    assert len(made.root) > 20
