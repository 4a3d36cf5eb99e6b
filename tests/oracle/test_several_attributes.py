"""Attacks on the combinations of two sensitive attributes beside brute force over every path of every person."""

import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.helpers.comparing import CLOSE
from tests.helpers.running import audit_folder
from tests.helpers.several import ATTRIBUTES, PAIRS, pair_series, write_pairs
from tests.oracle.per_person import intersection, update_graph, version_weights
from tests.oracle.worlds import few, worlds

ADVERSARIES = ["linked", "register"]


def audited(series, table, adversary, attack):
    with tempfile.TemporaryDirectory() as name:
        folder = write_pairs(series, table, Path(name))
        found = audit_folder(folder, [attack], "--adversary", adversary)
    [entry] = [each for each in found.result["attacks"] if each["sensitive"] == ATTRIBUTES]
    return found, entry


def common(values):
    """The attributes of which all of some pairs have one value, with these."""
    parts = {name: {PAIRS[value][at] for value in values} for at, name in enumerate(ATTRIBUTES)}
    return {(name, *held) for name, held in parts.items() if len(held) == 1}


def highest(weights, truth):
    """The probability of the true value of that attribute of which it is the highest."""
    if not weights:
        return Fraction(0)
    best = Fraction(0)
    for at in range(len(ATTRIBUTES)):
        sums = Counter()
        for value, weight in weights.items():
            sums[PAIRS[value][at]] += weight
        best = max(best, max(sums.values()) if truth is None else sums[PAIRS[truth][at]])
    return best / sum(weights.values())


@pytest.mark.parametrize("adversary", ADVERSARIES)
@given(data=st.data())
def test_intersection(adversary, data):
    series, table = data.draw(pair_series(adversary=adversary, changing=False))
    found, entry = audited(series, table, adversary, "intersection")
    wanted, measures = intersection(series, adversary), entry["measures"]
    certain = {(person, *each) for person, left in wanted.candidates.items() for each in common(left)}
    assert {(one["individual"], one["attribute"], one["value"]) for one in entry["findings"]} == certain
    assert entry["findings_total"] == len(certain) == len(entry["findings"])
    assert measures["vulnerable"] == len({person for person, *_ in certain})
    assert measures["candidate_sizes"] == {
        str(size): count for size, count in sorted(Counter(map(len, wanted.candidates.values())).items())
    }
    timeline = []
    for j in range(1, len(series.releases) + 1):
        early = intersection(series.until(j), adversary).candidates if series.until(j).people(adversary) else {}
        timeline.append(sum(bool(common(left)) for left in early.values()))
    assert measures["timeline"] == timeline
    assert (found.code == 1) == bool(certain) or measures["max_risk"] == 1
    weights = {}
    for person in wanted.candidates:
        stay = series.presence(person, adversary)
        weights[person] = version_weights(series, adversary, len(series.releases))[person, stay[0]]
    risks = [
        highest(weights[person], series.truth(person, series.presence(person, adversary)[0])) for person in weights
    ]
    if risks:
        assert measures["max_risk"] == pytest.approx(float(max(risks)), abs=CLOSE)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("changing", [False, True])
@given(data=st.data())
def test_update_graph(adversary, changing, data):
    series, table = data.draw(pair_series(adversary=adversary, changing=changing))
    _, entry = audited(series, table, adversary, "update-graph")
    wanted, measures = update_graph(series, adversary), entry["measures"]
    certain = {
        (person, series.tags[j], *each)
        for (person, j), left in wanted.feasible.items()
        if left
        for each in common(left)
    }
    told = {(one["individual"], one["release"], one["attribute"], one["value"]) for one in entry["findings"]}
    assert told == certain
    assert entry["findings_total"] == len(certain)
    assert measures["disclosed"] == len({version[:2] for version in certain})
    timeline = []
    for j in range(1, len(series.releases) + 1):
        early = version_weights(series, adversary, j)
        timeline.append(sum(bool(left) and bool(common(left)) for left in early.values()))
    assert measures["timeline"] == timeline
    weights = version_weights(series, adversary, len(series.releases))
    risks = [highest(left, series.truth(*version)) for version, left in weights.items() if left]
    if risks:
        assert measures["max_risk"] == pytest.approx(float(max(risks)), abs=CLOSE)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("changing", [False, True])
@given(data=st.data())
def test_joint(adversary, changing, data):
    series, table = data.draw(pair_series(adversary=adversary, changing=changing))
    assume(few(series, adversary, 2_000))
    _, entry = audited(series, table, adversary, "joint")
    every, measures = worlds(series, adversary), entry["measures"]
    versions = [(person, j) for person in series.people(adversary) for j in series.presence(person, adversary)]
    certain = {(person, series.tags[j], *each) for person, j in versions for each in common(every.possible(person, j))}
    told = {(one["individual"], one["release"], one["attribute"], one["value"]) for one in entry["findings"]}
    assert told == certain
    assert {one["evidence"] for one in entry["findings"]} <= {"proof"}
    assert measures["certain"] == len({version[:2] for version in certain})
    timeline = []
    for j in range(1, len(series.releases) + 1):
        early = worlds(series.until(j), adversary)
        timeline.append(sum(bool(common(early.possible(person, at))) for person, at in versions if at < j))
    assert measures["timeline"] == timeline
    risks = [highest(every.weights[version], series.truth(*version)) for version in versions]
    if risks:
        assert measures["max_risk"] == pytest.approx(float(max(risks)), abs=CLOSE)
