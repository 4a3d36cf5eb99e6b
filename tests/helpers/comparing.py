"""Compare the audit's measures and findings with the oracle's answers."""

from collections import Counter
from typing import Any

import pytest

from tests.helpers.running import DECIDED_BY_ANOTHER, Audited, attacks_for
from tests.helpers.tiny import TinySeries
from tests.oracle.per_person import Intersection, UpdateGraph, intersection, update_graph

CLOSE = 1e-12


def assert_agrees(audited: Audited, series: TinySeries, adversary: str) -> None:
    """Compare everything that both per-person attacks say, and the exit code that follows from it."""
    certain = False
    for name in attacks_for(series):
        if name == "intersection":
            answer = intersection(series, adversary)
            assert_intersection(audited, answer, series)
            risks = answer.risks
        else:
            graph = update_graph(series, adversary)
            assert_update_graph(audited, graph, series)
            risks = graph.risks
        certain = certain or 1 in risks.values()
    assert audited.code in ({1} if certain else DECIDED_BY_ANOTHER)


def assert_intersection(audited: Audited, answer: Intersection, series: TinySeries) -> None:
    measures = audited.measures("intersection")
    assert measures["individuals"] == len(answer.candidates)
    assert measures["vulnerable"] == len(answer.vulnerable)
    assert measures["timeline"] == answer.timeline
    assert sizes(measures) == Counter(map(len, answer.candidates.values()))
    adversary = audited.result["adversary"]["kind"]
    stays = {person: series.presence(person, adversary) for person in answer.risks}
    assert_risks(measures, {(person, j): risk for person, risk in answer.risks.items() for j in stays[person]})
    assert {
        (finding["individual"], finding["release"], finding["value"], finding["risk"])
        for finding in audited.findings("intersection")
    } == {
        (person, series.tags[answer.certain_since[person]], *answer.candidates[person], float(answer.risks[person]))
        for person in answer.vulnerable
    }
    assert audited.attack("intersection")["findings_total"] == len(answer.vulnerable)


def assert_update_graph(audited: Audited, answer: UpdateGraph, series: TinySeries) -> None:
    measures = audited.measures("update-graph")
    assert measures["individuals"] == len(answer.individuals)
    assert measures["versions"] == len(answer.feasible)
    assert measures["disclosed"] == len(answer.disclosed)
    assert measures["infeasible"] == len(answer.infeasible)
    assert measures["timeline"] == answer.timeline
    assert_risks(measures, answer.risks)
    assert {
        (finding["individual"], finding["release"], finding["value"], finding["risk"])
        for finding in audited.findings("update-graph")
    } == {
        (person, series.tags[j], *answer.feasible[person, j], float(answer.risks[person, j]))
        for person, j in answer.disclosed
    }
    assert audited.attack("update-graph")["findings_total"] == len(answer.disclosed)
    [exposed] = [each["after_release"] for each in audited.result["exposure"] if each["attack"] == "update-graph"]
    assert exposed[-1] == len({person for person, _ in answer.disclosed})


def assert_risks(measures: dict[str, Any], risks: dict[Any, Any]) -> None:
    """The highest and the average risk, over versions."""
    if risks:
        assert measures["max_risk"] == pytest.approx(float(max(risks.values())), abs=CLOSE)
        mean = float(sum(risks.values()) / len(risks))
        assert measures["mean_risk"] == pytest.approx(mean, abs=CLOSE)


def sizes(measures: dict[str, Any]) -> dict[int, int]:
    """Return the number of people by number of candidates; JSON keys are texts."""
    return {int(size): count for size, count in measures["candidate_sizes"].items() if count}
