"""What has to hold of the per-person attacks on any series, told from the outside."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.helpers.comparing import CLOSE, sizes
from tests.helpers.running import attacks_for, audit, audit_folder, run_audit, written
from tests.helpers.strategies import (
    contradictory_series,
    register_series,
)
from tests.helpers.tiny import with_spans
from tests.oracle.per_person import intersection, update_graph

ADVERSARIES = ["linked", "register"]


def claims(audited, name):
    return {(found["individual"], found["release"], found["value"]) for found in audited.findings(name)}


def all_measures(audited, series):
    return {name: audited.measures(name) for name in attacks_for(series)}


def assert_same(one, other, series):
    """Equal measures, up to the last digits of a floating-point sum in another order."""
    assert one.code == other.code
    for name, measures in all_measures(one, series).items():
        others = dict(other.measures(name))
        for risk in ("max_risk", "mean_risk"):
            assert measures[risk] == pytest.approx(others.pop(risk), abs=CLOSE)
        assert others == {key: value for key, value in measures.items() if key in others}


@given(series=contradictory_series(changing=True))
def test_changes_that_are_not_listed_are_refused(series):
    with written(series) as folder:
        code, _, err = run_audit(folder, "--adversary", "linked")
    assert code == 2
    assert "changes that the key shows are not listed" in err


@given(series=contradictory_series())
def test_values_against_the_assumptions_never_pass(series):
    audited = audit(series)
    assert audited.code in {1, 3}
    assert not audited.result["policy"]["passed"]
    changed = {person for person in series.people() if contradicts(series, person)}
    assert audited.result["contradictions"]["changed"] == len(changed)
    nameless = [
        [replace(row, individual=None) if row.individual in changed else row for row in release]
        for release in series.releases
    ]
    consistent = replace(series, releases=nameless)
    graph = update_graph(consistent)
    counts = {"disclosed": len(graph.disclosed), "infeasible": len(graph.infeasible), "timeline": graph.timeline}
    measures = audited.measures("update-graph")
    assert counts == {name: measures[name] for name in counts}
    left = intersection(consistent).candidates.values()
    assert sizes(audited.measures("intersection")) == Counter(map(len, left))
    alone = {
        (row.individual, series.tags[j], row.value)
        for j, release in enumerate(series.releases)
        for row in release
        if row.individual in changed and len({other.value for other in release if other.group == row.group}) == 1
    }
    for name in attacks_for(series):
        assert {claim for claim in claims(audited, name) if claim[0] in changed} == alone
        assert audited.measures(name).get("alone", 0) == len({person for person, _, _ in alone})


def contradicts(series, person):
    stay = series.presence(person)
    return any(
        not series.step(series.truth(person, before), series.truth(person, after)) for before, after in pairwise(stay)
    )


@given(data=st.data())
def test_a_register_of_stays_says_as_much_as_one_of_releases(data):
    series = data.draw(register_series())
    for person in series.people("register"):
        stay = series.presence(person, "register")
        assume(stay == list(range(stay[0], stay[-1] + 1)))
        assume(len({line.exact for line in series.register if line.individual == person}) == 1)
    with written(series) as folder:
        by_release = audit_folder(folder, attacks_for(series), "--adversary", "register")
        with_spans(folder, series)
        by_stay = audit_folder(folder, attacks_for(series), "--adversary", "register")
    assert_same(by_release, by_stay, series)
