"""Charts: what is drawn is where its figures are, whatever things are called."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.charts import bars, levels_of, lines

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=30
)
VALUES = st.lists(st.none() | st.integers(0, 10**9) | st.floats(0, 1e12, allow_nan=False), min_size=1, max_size=30)


def picture(chart):
    return ElementTree.fromstring(chart.svg)  # noqa: S314 - it is ours


@given(st.lists(st.tuples(NAMES, VALUES), min_size=1, max_size=9), st.sampled_from([lines, bars]), NAMES)
def test_any_names_and_figures_can_be_drawn(series, kind, tick):
    length = max(len(values) for _, values in series)
    padded = [(name, [*values, *[None] * (length - len(values))]) for name, values in series]
    chart = kind("title", [f"{tick}{place}" for place in range(length)], padded, axes=("x", tick))
    root = picture(chart)
    texts = {text.text or "" for text in root.iter("text")}
    assert {name for name, _ in series if len(series) > 1} | {"x", tick} <= texts
    assert len(chart.rows) == length
    assert kind("title", [f"{tick}{place}" for place in range(length)], padded, axes=("x", tick)) == chart


@given(st.floats(0, 1e15, allow_nan=False), st.booleans())
def test_levels_are_few_and_reach_as_far_as_the_figures(most, whole):
    levels = levels_of(float(int(most)) if whole else most, whole=whole)
    assert levels[0] == 0
    assert 2 <= len(levels) <= 7
    assert levels[-1] >= (int(most) if whole else most) * (1 - 1e-9)
    assert not whole or all(level == int(level) for level in levels)
    gaps = [after - before for before, after in pairwise(levels)]
    assert gaps == pytest.approx([gaps[0]] * len(gaps))


def test_points_stand_where_their_numbers_do():
    root = picture(lines("t", ["a", "b", "c"], [("one", [0, None, 50]), ("two", [100, 100, 100])], axes=("x", "y")))
    points = [re.findall(r"[\d.]+", mark.get("transform")) for mark in root.iter("path") if mark.get("transform")]
    height = [float(y) for _, y in points[:5]]
    top, bottom = height[2], height[0]
    assert height == pytest.approx([bottom, (top + bottom) / 2, top, top, top], abs=0.11)
    levels = {text.text: float(text.get("y")) for text in root.iter("text") if text.get("y")}
    assert (levels["0"], levels["100"]) == pytest.approx((bottom, top), abs=0.11)
