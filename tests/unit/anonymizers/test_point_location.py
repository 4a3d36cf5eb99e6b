"""Which cell covers a point: the compiled kernel beside the one that looks at every pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers import point_location
from anonymizers.partition import partition
from anonymizers.point_location import covered_plain, first_covering, first_covering_plain
from anonymizers.point_location_compiled import covered_compiled, first_covering_compiled
from audit.model.anonymizer import Scale


@st.composite
def pairs(draw):
    """Points and cells that overlap, cover nothing, or leave points uncovered; enough of both to be split."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points, cells = draw(st.integers(0, 120)), draw(st.integers(0, 120))
    attributes, width = draw(st.integers(0, 3)), draw(st.integers(2, 40))
    point = rng.integers(0, width, (points, attributes)).astype(np.int32)
    low = rng.integers(0, width, (cells, attributes)).astype(np.int32)
    high = (low + rng.integers(-1, draw(st.integers(1, width)), low.shape)).astype(np.int32)
    beyond = rng.integers(-1, max(0, draw(st.sampled_from([0, 1, cells]))), points, endpoint=True).astype(np.int32)
    return point, low, high, beyond


def expected(point, low, high, beyond):
    cells = [
        [cell for cell in range(begin + 1, len(low)) if all(low[cell] <= here) and all(here <= high[cell])]
        for here, begin in zip(point, beyond, strict=True)
    ]
    return [found[0] if found else -1 for found in cells]


@given(pairs())
def test_the_first_covering_cell(drawn):
    assert first_covering_plain(*drawn).tolist() == expected(*drawn)
    assert first_covering_compiled(*drawn).tolist() == expected(*drawn)
    assert first_covering(*drawn).dtype == np.int32


@given(pairs(), st.integers(0, 2**32 - 1))
def test_whether_a_cell_covers_a_point(drawn, seed):
    point, low, high, _ = drawn
    cell = np.random.default_rng(seed).integers(-1, len(low), len(point)).astype(np.int32)
    answer = [c >= 0 and bool(all(low[c] <= p) and all(p <= high[c])) for p, c in zip(point, cell, strict=True)]
    assert covered_plain(point, low, high, cell).tolist() == answer
    assert covered_compiled(point, low, high, cell).tolist() == answer


@pytest.mark.parametrize("width", [6, 100_000])
def test_newcomers_among_the_cells_of_a_partition(width):
    rng = np.random.default_rng(width)
    point = rng.integers(0, width, (6_000, 3)).astype(np.int32)
    new = rng.integers(0, width, (3_000, 3)).astype(np.int32)
    parts = partition(point, [Scale("a", np.arange(width) / width)] * 3, 5)
    low, high = parts.after + np.int32(1), np.where(parts.upto < 0, width - 1, parts.upto).astype(np.int32)
    everywhere = np.full(len(new), -1, dtype=np.int32)
    found = first_covering_compiled(new, low, high, everywhere)
    assert np.array_equal(found, first_covering_plain(new, low, high, everywhere))
    assert np.all((low[found] <= new) & (new <= high[found]))
    # No cell is beyond the only one.
    assert np.all(first_covering_compiled(new, low, high, found) == -1)


def test_many_pairs_go_to_the_compiled_kernel(monkeypatch):
    pairs = 4 * point_location._SECONDS_SAVED_PER_PAIR
    monkeypatch.setattr(point_location, "pays", lambda _, saved: saved >= pairs)
    monkeypatch.setattr(point_location, "first_covering_plain", None)
    point = np.zeros((2, 1), dtype=np.int32)
    assert first_covering(point, point, point, np.array([-1, 0], dtype=np.int32)).tolist() == [0, 1]
