"""The split of balanced buckets: each cut beside every other."""

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizers import splitting
from anonymizers.splitting import SlotBuckets, split

STEPS = 1 << 12


@st.composite
def buckets(draw, most_buckets=3, most_layers=9):
    """Draw balanced buckets; places are exact fractions, and one list of each bucket has no counterfeits."""
    attributes = draw(st.integers(1, 3))
    scales = [
        np.array(sorted(draw(st.sets(st.integers(0, STEPS), min_size=1, max_size=6)))) / STEPS
        for _ in range(attributes)
    ]
    width = draw(st.lists(st.integers(1, 4), min_size=1, max_size=most_buckets))
    height = [draw(st.integers(1, most_layers)) for _ in width]
    points = []
    for lists, layers in zip(width, height, strict=True):
        full = draw(st.integers(0, lists - 1))
        for number in range(lists):
            for _ in range(layers):
                if number != full and draw(st.integers(0, 3)) == 0:
                    points.append([-1] * attributes)
                else:
                    points.append([draw(st.integers(0, len(scale) - 1)) for scale in scales])
    return made(width, height, points, scales)


def made(width, height, points, scales):
    """Return buckets of plain lists."""
    point = np.array(points, dtype=np.int32)
    place = np.stack([scale[point[:, column]] for column, scale in enumerate(scales)], axis=1)
    return SlotBuckets(np.array(width), np.array(height), point, place)


def perimeter(each, rows):
    """Return a part's perimeter, by one list of its width."""
    real = [row for row in rows if each.point[row, 0] >= 0]
    places = [[int(each.place[row, column] * STEPS) for row in real] for column in range(each.point.shape[1])]
    return sum(max(column) - min(column) for column in places)


def by_definition(each, lists):
    """Return all cuts of a bucket: perimeter sum, distance from the middle, attribute, layers below; and its parts."""
    layers, cuts = len(lists[0]), []
    for attribute in range(each.point.shape[1]):
        key = [
            (
                each.point[row, attribute],
                *(each.point[row, other] for other in splitting.settling_order(each.point)),
                row,
            )
            for row in range(len(each.point))
        ]
        ordered = [sorted(rows, key=key.__getitem__) for rows in lists]
        for at in range(1, layers):
            below, above = [rows[:at] for rows in ordered], [rows[at:] for rows in ordered]
            cost = at * perimeter(each, chain(*below)) + (layers - at) * perimeter(each, chain(*above))
            cuts.append((cost, abs(2 * at - layers), attribute, at, below, above))
    return cuts


def split_by_definition(each, lists):
    """Return the lists in the order of the groups, from the definition."""
    if len(lists[0]) == 1:
        return lists
    *_, below, above = min(by_definition(each, lists), key=lambda cut: cut[:4])
    parts = split_by_definition(each, below), split_by_definition(each, above)
    return [first + second for first, second in zip(*parts, strict=True)]


def lists_of(each):
    """Return the rows of each list of each bucket."""
    starts = np.cumsum(each.width * each.height) - each.width * each.height
    for start, width, height in zip(starts, each.width, each.height, strict=True):
        yield np.arange(start, start + width * height).reshape(width, height)


@given(buckets())
def test_buckets_are_split_as_defined(each):
    expected = [row for lists in lists_of(each) for part in split_by_definition(each, lists.tolist()) for row in part]
    assert split(each).tolist() == expected


def test_the_papers_bucket_is_split_as_in_the_paper():
    """BUC1 of Figure 2c becomes the groups 2, 4 and 6 of Table 3a."""
    flu = {"Emily": (25, 21), "Gary": (41, 20), "Vince": (65, 36)}
    gastritis = {"David": (23, 25), "Mary": (46, 30), "Tom": (60, 44)}
    names, points = [*flu, *gastritis], np.array([*flu.values(), *gastritis.values()])
    scales = [np.arange(101) / 100, np.arange(61) / 60]
    each = made([2], [3], points, scales)
    order = split(each).reshape(2, 3).T
    assert {frozenset(names[row] for row in group) for group in order} == {
        frozenset({"David", "Emily"}),
        frozenset({"Gary", "Mary"}),
        frozenset({"Vince", "Tom"}),
    }
