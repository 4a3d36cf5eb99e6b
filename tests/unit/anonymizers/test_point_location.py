"""Which cell covers a point, beside what a look at every pair says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers import previous_partition
from anonymizers.previous_partition import first_covering


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


@given(pairs(), st.sampled_from([1, 1_000, 1 << 24]))
def test_the_first_covering_cell(drawn, at_a_time):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(previous_partition, "_PAIRS", at_a_time)
        found = first_covering(*drawn)
    assert found.tolist() == expected(*drawn)
    assert found.dtype == np.int32
