"""The split of balanced buckets: each cut beside every other, the compiled kernel beside the numpy one."""

import subprocess
import sys
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers import splitting
from anonymizers.splitting import SlotBuckets, best_cut, sorted_lists, split, split_plain
from anonymizers.splitting_compiled import split_compiled

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


def compiled(given_buckets):
    """Return the same as `split`, by the compiled kernel."""
    each = given_buckets
    return split_compiled(each.width, each.height, each.point, each.units(), each.settling())


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
            (each.point[row, attribute], *(each.point[row, other] for other in each.settling()), row)
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
    for start, width, height in zip(each.starts(), each.width, each.height, strict=True):
        yield np.arange(start, start + width * height).reshape(width, height)


@given(buckets(most_buckets=1))
def test_the_first_cut_is_the_best_of_all(each):
    lists = next(lists_of(each))
    if lists.shape[1] == 1:
        return
    attribute, at = best_cut(sorted_lists(lists, each.point, each.settling()), each.point, each.units())
    cuts = by_definition(each, lists.tolist())
    (chosen,) = [cut[:4] for cut in cuts if cut[2:4] == (attribute, at)]
    assert chosen == min(cut[:4] for cut in cuts)


@given(buckets())
def test_both_kernels_split_as_defined(each):
    expected = [row for lists in lists_of(each) for part in split_by_definition(each, lists.tolist()) for row in part]
    assert split_plain(each).tolist() == expected
    assert compiled(each).tolist() == expected


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_kernels_agree_on_tall_buckets_with_many_ties(seed, coarse):
    rng = np.random.default_rng(seed)
    width, height = rng.integers(2, 6, 4), rng.integers(1, 120, 4)
    sizes = rng.integers(1, 4, 3) if coarse else np.array([79, 2, 1000])
    rows = int((width * height).sum())
    point = np.stack([np.minimum(rng.geometric(3 / (size + 2), rows) - 1, size - 1) for size in sizes], axis=1)
    point[rng.random(rows) < 0.1] = -1
    start = np.cumsum(width * height) - width * height
    for first, layers in zip(start, height, strict=True):
        point[first : first + layers] = np.maximum(point[first : first + layers], 0)
    scales = [np.sort(rng.random(size)) for size in sizes]
    each = made(width, height, point, scales)
    assert np.array_equal(split_plain(each), compiled(each))


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


def test_counterfeits_stretch_nothing():
    """The counterfeit stands beside the lone row at the far end, whatever place it is said to have."""
    each = made([2], [2], [[-1], [0], [0], [1]], [np.array([0.0, 1.0])])
    assert split_plain(each).reshape(2, 2).T.tolist() == [[0, 2], [1, 3]] == compiled(each).reshape(2, 2).T.tolist()
    lengths = [perimeter(each, group) for group in split_plain(each).reshape(2, 2).T.tolist()]
    assert lengths == [0, STEPS]


def test_ties_are_settled_by_the_attribute_with_most_values_first_then_by_the_others_then_as_given():
    points = [[0, 1, 0], [0, 0, 2], [1, 0, 1], [0, 0, 0], [0, 1, 0]]
    each = made([1], [5], points, [np.arange(2.0), np.arange(2.0), np.arange(3) / 2])
    assert each.settling().tolist() == [2, 0, 1]
    by_first = sorted_lists(np.arange(5)[np.newaxis], each.point, each.settling())[0, 0]
    assert by_first.tolist() == [3, 0, 4, 1, 2]


@pytest.mark.parametrize(("layers", "at"), [(2, 1), (3, 1), (8, 4), (9, 4)])
def test_of_equal_cuts_the_middle_one_is_made(layers, at):
    each = made([1], [layers], [[0, 0]] * layers, [np.array([0.0])] * 2)
    lists = np.arange(layers)[np.newaxis]
    assert best_cut(sorted_lists(lists, each.point, each.settling()), each.point, each.units()) == (0, at)


@pytest.mark.parametrize("off", [-1, 1])
def test_small_differences_decide(off):
    """The middle one of three rows joins the nearer."""
    scales = [np.array([0, 0.5 + off / 2**29, 1])]
    each = made([1, 1], [3, 3], [[0], [1], [2]] * 2, scales)
    lists = np.arange(3)[np.newaxis]
    expected = (0, 1) if off > 0 else (0, 2)
    assert best_cut(sorted_lists(lists, each.point, each.settling()), each.point, each.units()) == expected


def test_without_quasi_identifiers_rows_stay_as_they_are():
    each = SlotBuckets(np.array([2]), np.array([3]), np.zeros((6, 0), dtype=np.int32), np.zeros((6, 0)))
    assert split(each).tolist() == [0, 1, 2, 3, 4, 5]


def test_no_buckets_are_split_into_nothing():
    nothing = np.zeros(0, dtype=np.int64)
    each = SlotBuckets(nothing, nothing, np.zeros((0, 2), dtype=np.int32), np.zeros((0, 2)))
    assert len(split_plain(each)) == len(compiled(each)) == 0


@given(buckets())
def test_rows_stay_in_their_lists(each):
    order = split(each)
    for lists in lists_of(each):
        for rows in lists:
            assert sorted(order[rows].tolist()) == rows.tolist()


def test_small_buckets_do_not_load_the_compiler():
    """A one-shot command on a small series must not wait for it."""
    program = """
import sys
import numpy as np
from anonymizers.splitting import SlotBuckets, split
split(SlotBuckets(np.array([2]), np.array([3]), np.zeros((6, 1), dtype=np.int32), np.zeros((6, 1))))
sys.exit("numba" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0


def test_many_cuts_are_made_by_the_compiled_kernel(monkeypatch):
    asked = []
    monkeypatch.setattr(splitting, "pays", lambda module, saved, _: asked.append((module, saved)) or True)
    monkeypatch.setattr(splitting, "split_plain", lambda _: pytest.fail("numpy"))
    layers = 41
    each = made([1], [layers], [[0]] * layers, [np.array([0.0])])
    assert split(each).tolist() == list(range(layers))
    assert asked == [("anonymizers.splitting_compiled", pytest.approx(40 * splitting._SECONDS_SAVED_PER_CUT))]
