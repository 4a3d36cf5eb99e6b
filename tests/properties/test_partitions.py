"""Attacked in ranges of people, a series gives the same answers as at once, byte for byte."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.runtime.engine import Local
from tests.cli.forms import FORMS
from tests.cli.mutating import MUTATIONS
from tests.cli.test_mutations import mutated
from tests.helpers.amount import some
from tests.helpers.engines import told, with_key
from tests.helpers.running import written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.travelling import Travelling

ROUNDS = some(5)
CASES = [(kind, number) for kind in MUTATIONS for number in range(ROUNDS)]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("form", sorted(FORMS))
def test_every_form_of_a_series(form, jobs, tmp_path):
    FORMS[form](tmp_path / "series")
    folder = with_key(tmp_path / "series")
    at_once = told(folder)
    assert told(folder, engine=Local(jobs), distributed=True) == at_once
    assert told(folder, engine=Local(jobs), distributed=True, ranges=1) == at_once


@pytest.mark.parametrize("form", sorted(FORMS))
def test_whatever_a_range_is_given_can_be_sent(form, tmp_path):
    FORMS[form](tmp_path / "series")
    folder = with_key(tmp_path / "series")
    assert told(folder, engine=Travelling(), distributed=True) == told(folder)


@pytest.mark.parametrize("changing", [False, True])
@pytest.mark.parametrize("draw", [linked_series, register_series])
@given(data=st.data())
def test_random_series(draw, changing, data):
    series = data.draw(draw(changing=changing, known=data.draw(st.booleans())))
    with written(series) as folder:
        with_key(folder)
        at_once = told(folder)
        ranges = data.draw(st.integers(1, 9))
        assert told(folder, engine=Local(data.draw(st.integers(1, 2))), distributed=True, ranges=ranges) == at_once


@pytest.mark.parametrize(("kind", "number"), CASES, ids=[f"{kind}-{number}" for kind, number in CASES])
def test_a_spoilt_series_gets_the_same_lines(kind, number, tmp_path):
    _, folder, _ = mutated(tmp_path, kind, random.Random(f"{kind}-{number}-apart"))  # noqa: S311
    with_key(folder)
    assert told(folder, engine=Local(1), distributed=True) == told(folder)
