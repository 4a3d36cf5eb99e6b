"""What has to hold of reasoning about everybody at once, whatever the series, counted or walked."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.amount import some
from tests.helpers.comparing import CLOSE
from tests.helpers.running import audit_folder
from tests.helpers.strategies import boxed, invariant_series
from tests.laws.families import any_series
from tests.oracle.asking import asked, forced
from tests.properties.test_anonymizers import histories, published

ADVERSARIES = ["linked", "register"]
WAYS = ["counted", "walked"]
FEW = settings(max_examples=some(6))


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("way", WAYS)
@FEW
@given(data=st.data())
def test_values_that_stay_are_identity_transitions(adversary, way, data):
    series = data.draw(any_series("intersection", adversary, known=None))
    identity = replace(
        series,
        transitions={(value, value): None for value in series.values},
        known=[replace(line, release=None) for line in series.known],
    )
    one, two = (asked(each, adversary, way=way) for each in (series, identity))
    assert (one.possible, one.claims, one.outcome.measures) == (two.possible, two.claims, two.outcome.measures)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_m_invariant_releases_leave_m_values_to_everybody(adversary, way, data):
    """m-invariance paper, Lemma 3; groups that others may be in as well are known to fewer."""
    series, m = data.draw(invariant_series())
    if adversary == "register":
        series = data.draw(boxed(series, alike=True))
    found = asked(series, adversary, way=way)
    assert found.settled
    assert all(len(values) >= m for values in found.possible.values())
    assert not found.claims
    if adversary == "linked":
        assert found.outcome.measures["eliminated"] == 0
        assert found.possible == found.shown == found.own
        for share in found.share.values():
            assert share == pytest.approx(dict.fromkeys(share, 1 / m), abs=CLOSE)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=some(25))
@given(data=st.data())
def test_what_m_invariance_publishes_survives(way, data):
    snapshots = data.draw(histories())
    form = data.draw(st.sampled_from(["generalization", "anatomy"]))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        series = published(Path(name), snapshots, "m-invariance", form=form)
        assume(series is not None)
        measures = audit_folder(series, ["joint"], "--adversary", "linked").measures("joint")
    assert (measures["certain"], measures["eliminated"], measures["open"]) == (0, 0, 0)
    assert (measures.get("max_risk") or 0) <= 1 / 2 + CLOSE
