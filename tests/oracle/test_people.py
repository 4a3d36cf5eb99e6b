"""Every person's candidates and risks, as the kernels hold them, beside the examples' exhaustive enumeration."""

import json
from pathlib import Path

import numpy as np
import pytest

from attacks.candidates import fold_all
from attacks.feasible_values import FeasibleValues
from attacks.registry import find
from audit.adversary.build_evidence import build_evidence
from audit.io.series import open_series
from audit.runtime.budget import Budget

EXAMPLES = Path(__file__).parent.parent / "examples"


def with_answer(attack, key):
    found = []
    for path in sorted(EXAMPLES.glob("*/expected.json")):
        answer = json.loads(path.read_text()).get(attack, {})
        if key in answer:
            found.append(pytest.param(path.parent, answer[key], id=path.parent.name))
    return found


def opened(folder):
    series = open_series(folder)
    (evidence,) = build_evidence(series)
    return series, evidence


@pytest.mark.parametrize(("folder", "expected"), with_answer("intersection", "candidates"))
def test_candidates(folder, expected):
    series, evidence = opened(folder)
    state, done = fold_all(evidence, Budget())
    assert done == len(evidence.tags)
    people = np.flatnonzero(state.versions).astype(np.int32)
    found = {series.people.name(p): [] for p in people.tolist()}
    for place, value in zip(*state.listed(people), strict=True):
        found[series.people.name(int(people[place]))].append(evidence.values[value])
    assert {name: sorted(values) for name, values in found.items()} == expected


@pytest.mark.parametrize(("folder", "expected"), with_answer("update-graph", "individuals"))
def test_risks_of_versions(folder, expected):
    series, evidence = opened(folder)
    outcome = find("update-graph").run(evidence, Budget())
    risks = outcome.model.risks(evidence.key, Budget())
    found = {}
    for person, release, risk in zip(risks.person.tolist(), risks.release.tolist(), risks.risk.tolist(), strict=True):
        found.setdefault(series.people.name(person), {})[release + 1] = risk
    for name, versions in expected.items():
        for version in versions:
            # Values that never change have one risk for all versions of a person, marked by release -1.
            mine = found[name]
            assert mine.get(version["release"], mine.get(0)) == pytest.approx(version["risk"], abs=1e-12)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [p for p in with_answer("update-graph", "individuals") if (p.values[0] / "transitions.csv").exists()],
)
def test_feasible_values_along_transitions(folder, expected):
    series, evidence = opened(folder)
    feasible = FeasibleValues(evidence, Budget())
    feasible.run()
    for release in range(len(evidence.tags)):
        person, sets = feasible.counting(release)
        bits = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little")
        for who, row in zip(person.tolist(), bits, strict=True):
            told = next(v for v in expected[series.people.name(who)] if v["release"] == release + 1)
            assert {evidence.values[value] for value in np.flatnonzero(row).tolist()} == set(told["feasible"])
