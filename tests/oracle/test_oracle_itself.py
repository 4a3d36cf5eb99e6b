"""The oracles against the worked examples: two ways to the same numbers, neither of them the audit's."""

import json
from pathlib import Path

import pytest

from tests.helpers import tiny
from tests.oracle.per_person import intersection, update_graph
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parent.parent / "examples"


def examples_with(part):
    found = [path.parent.name for path in EXAMPLES.glob("*/expected.json") if part in expected(path.parent.name)]
    assert found
    return sorted(found)


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))


def load(name):
    series = tiny.read(EXAMPLES / name)
    return series, "linked" if series.register is None else "register"


@pytest.mark.parametrize("name", examples_with("intersection"))
def test_intersection(name):
    wanted = expected(name)["intersection"]
    answer = intersection(*load(name))
    assert answer.candidates == {person: set(left) for person, left in wanted["candidates"].items()}
    assert answer.timeline == wanted["timeline"]
    assert sorted(answer.vulnerable) == wanted["who"]
    assert len(answer.vulnerable) == wanted["vulnerable"]
    assert len(answer.candidates) == wanted["individuals"]


@pytest.mark.parametrize("name", examples_with("update-graph"))
def test_update_graph(name):
    wanted = expected(name)["update-graph"]
    answer = update_graph(*load(name))
    versions = {
        (person, version["release"] - 1): version
        for person, history in wanted["individuals"].items()
        for version in history
    }
    assert answer.feasible == {key: set(version["feasible"]) for key, version in versions.items()}
    assert {key: float(risk) for key, risk in answer.risks.items()} == pytest.approx(
        {key: version["risk"] for key, version in versions.items()}, abs=1e-12
    )
    assert len(versions) == wanted["versions"]
    assert sorted([person, j + 1] for person, j in answer.disclosed) == wanted["who"]
    assert float(max(answer.risks.values())) == pytest.approx(wanted["max_risk"], abs=1e-12)


@pytest.mark.parametrize("name", examples_with("joint"))
def test_worlds(name):
    wanted = expected(name)["joint"]
    series, adversary = load(name)
    answer = worlds(series, adversary)
    assert answer.count == wanted["worlds"]
    for person, history in wanted["posterior"].items():
        for tag, posterior in history.items():
            found = answer.posterior(person, int(tag) - 1)
            assert {value: float(part) for value, part in found.items()} == pytest.approx(posterior, abs=1e-12)
    certain = [
        [person, j + 1, *answer.possible(person, j)]
        for person in series.people()
        for j in series.presence(person)
        if len(answer.possible(person, j)) == 1
    ]
    assert sorted(certain) == wanted["who"]
    assert len(certain) == wanted["certain"]
