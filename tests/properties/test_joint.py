"""What has to hold of reasoning about everybody at once, whatever the series, counted or walked."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.helpers.comparing import CLOSE
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import attacks_for, audit_folder, written
from tests.helpers.strategies import boxed, invariant_series, linked_series, register_series, with_knowledge
from tests.oracle.asking import asked, forced
from tests.oracle.per_person import known_values
from tests.properties.test_anonymizers import histories, published
from tests.properties.test_attacks import claims, disguised

ADVERSARIES = ["linked", "register"]
WAYS = ["counted", "walked"]
FEW = settings(max_examples=6)

every_kind = [
    pytest.mark.parametrize("adversary", ADVERSARIES),
    pytest.mark.parametrize("kind", KINDS),
    pytest.mark.parametrize("way", WAYS),
]


def of_every_kind(test):
    """Run a law for both adversaries, all kinds of transitions and both ways."""
    for mark in every_kind:
        test = mark(test)
    return test


def any_series(adversary, kind):
    """Small groups of people who stay, or anybody in groups of any size."""
    draw = register_series if adversary == "register" else linked_series
    spread = [draw(changing=kind == "any", known=known) for known in (False, True)]
    return st.one_of(crowds(adversary, kind), *spread) if kind in {"constant", "any"} else crowds(adversary, kind)


def told(series, adversary, *attacks, way="counted"):
    """Audit the files of a series."""
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        return audit_folder(folder, list(attacks), "--adversary", adversary)


@of_every_kind
@FEW
@given(data=st.data())
def test_a_release_more_never_widens_what_is_possible(adversary, kind, way, data):
    series = data.draw(any_series(adversary, kind))
    assume(len(series.releases) > 1)
    count = data.draw(st.integers(1, len(series.releases) - 1))
    assume(series.until(count).people(adversary))
    before = asked(series.until(count), adversary, way=way)
    after = asked(series, adversary, way=way)
    for version, values in after.possible.items():
        assert values <= before.possible.get(version, values)
    assert before.claims <= after.claims
    timeline = after.outcome.measures["timeline"]
    assert timeline == sorted(timeline)
    assert timeline[:count] == before.outcome.measures["timeline"]


@of_every_kind
@FEW
@given(data=st.data())
def test_knowledge_never_widens_what_is_possible(adversary, kind, way, data):
    series = replace(data.draw(any_series(adversary, kind)), known=())
    informed = data.draw(with_knowledge(series, adversary))
    before, after = (asked(each, adversary, way=way) for each in (series, informed))
    assert before.feasible
    assert after.feasible
    assert after.possible.keys() <= before.possible.keys()
    for version, values in after.possible.items():
        assert values <= before.possible[version]
    known = {(who, j) for j in range(len(series.releases)) for who in known_values(informed, j, adversary)}
    assert known == before.possible.keys() - after.possible.keys()
    assert {claim for claim in before.claims if claim[:2] not in known} <= after.claims


@of_every_kind
@FEW
@given(data=st.data())
def test_order_and_names_do_not_matter(adversary, kind, way, data):
    series = data.draw(any_series(adversary, kind))
    other, people, values = data.draw(disguised(series))
    one, two = (told(each, adversary, "joint", way=way) for each in (series, other))
    assert one.code == two.code
    mine, others = (each.measures("joint") for each in (one, two))
    assert mine == {name: pytest.approx(each, abs=CLOSE) if "risk" in name else each for name, each in others.items()}
    assert {(people[who], j, values[value]) for who, j, value in claims(one, "joint")} == claims(two, "joint")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
@FEW
@given(data=st.data())
def test_truth_is_never_ruled_out(kind, way, data):
    series = data.draw(any_series("linked", kind))
    found = asked(series, "linked", way=way)
    assert found.feasible
    for (person, release), values in found.shown.items():
        assert series.truth(person, release) in values
    assert all(series.truth(person, release) == value for person, release, value in found.claims)


@of_every_kind
@FEW
@given(data=st.data())
def test_whom_a_lower_rung_convicts_joint_convicts(adversary, kind, way, data):
    series = data.draw(any_series(adversary, kind))
    lower = attacks_for(series)
    audited = told(series, adversary, *lower, "joint", way=way)
    certain = claims(audited, "joint")
    assert claims(audited, "update-graph") <= certain
    if "intersection" in lower:  # it claims a value of all versions at once
        for person, _, value in claims(audited, "intersection"):
            for release in series.presence(person, adversary):
                assert (person, series.tags[release], value) in certain


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("way", WAYS)
@FEW
@given(data=st.data())
def test_values_that_stay_are_identity_transitions(adversary, way, data):
    series = data.draw(any_series(adversary, "constant"))
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
@settings(max_examples=25)
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
