"""The audit beside brute force over every path of every person."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.helpers.comparing import assert_agrees
from tests.helpers.running import audit
from tests.helpers.strategies import classed_series, linked_series, register_series

BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]


@pytest.mark.parametrize("known", [pytest.param(False, id="nothing-known"), pytest.param(True, id="some-known")])
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_linked(changing, known, data):
    series = data.draw(linked_series(changing=changing, known=known))
    assert_agrees(audit(series), series, "linked")


@pytest.mark.parametrize("known", [pytest.param(False, id="nothing-known"), pytest.param(True, id="some-known")])
@pytest.mark.parametrize("changing", BOTH)
@given(data=st.data())
def test_register(changing, known, data):
    series = data.draw(register_series(changing=changing, known=known))
    assert_agrees(audit(series, adversary="register"), series, "register")


@pytest.mark.parametrize("known", [pytest.param(False, id="nothing-known"), pytest.param(True, id="some-known")])
@pytest.mark.parametrize("changing", BOTH)
@pytest.mark.parametrize("adversary", ["linked", "register"])
@given(data=st.data())
def test_rows_of_a_group_with_different_cells(adversary, changing, known, data):
    series = data.draw(classed_series(changing=changing, known=adversary if known else ""))
    assume(series.keyed or adversary == "register")
    assert_agrees(audit(series, adversary=adversary), series, adversary)
