"""Mondrian's partition beside its definition, and beside every cut that could be made."""

import numpy as np
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
