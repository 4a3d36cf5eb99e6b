"""Risks of people in small parts beside a part that is too large to be counted, against worlds of the small ones."""

import csv

import numpy as np
import pytest

from tests.helpers.running import read_audit, run_audit, written
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.worlds import worlds

LARGE = 90
LIMIT = 0.7
EVEN = [[("A", "x"), ("B", "x"), ("C", "y"), ("D", "y")], [("A", "x"), ("D", "y")]]
LIKELY = [[("A", "x"), ("B", "x"), ("C", "x"), ("D", "y")], [("E", "x"), ("F", "y")]]


def rows(groups, prefix):
    return [
        Row(f"{prefix}{name}", f"{prefix}{number}", value)
        for number, group in enumerate(groups, 1)
        for name, value in group
    ]


def large():
    """People in groups of ten that are drawn anew in each release, whose worlds nobody counts."""
    rng = np.random.default_rng(5)
    values = [f"v{value}" for value in rng.integers(0, 4, LARGE)]
    return [
        [[(str(i), values[i]) for i in group] for group in np.split(rng.permutation(LARGE), LARGE // 10)]
        for _ in range(2)
    ]


def series_of(*small):
    """Small parts of two releases, and the large one."""
    return TinySeries(
        [
            [row for n, part in enumerate(small) for row in rows([part[j]], f"s{n}")] + rows(groups, "l")
            for j, groups in enumerate(large())
        ]
    )


def alone(part):
    return TinySeries([rows([group], "") for group in part])


def highest(part):
    """The highest probability of a person's own value, over all worlds of a part."""
    own = {name: value for group in part for name, value in group}
    posteriors = worlds(alone(part)).posteriors()
    return max(float(shares[own[person]]) for (person, _), shares in posteriors.items())


def audited(series, *words):
    with written(series) as folder:
        risks = folder / "risks.csv"
        _, result = read_audit(folder, "--policy", f"max_risk={LIMIT}", "--reveal", "--risks", str(risks), *words)
        with risks.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["attack"] == "joint"]
    clause = next(each for each in result["policy"]["clauses"] if each["clause"] == "max_risk")
    joint = next(each for each in result["attacks"] if each["attack"] == "joint")
    return clause, joint, result, {(line["individual"], line["release"]): float(line["risk"]) for line in lines}


@pytest.mark.parametrize(("part", "state"), [(LIKELY, "violated"), (EVEN, "undecided")])
def test_people_of_small_parts_have_exact_risks(part, state):
    assert (highest(part) >= LIMIT) == (state == "violated")
    clause, joint, result, risks = audited(series_of(part))
    assert clause["state"] == state, clause
    posteriors = worlds(alone(part)).posteriors()
    own = {name: value for group in part for name, value in group}
    assert risks == {
        (f"s0{person}", str(j + 1)): pytest.approx(float(shares[own[person]]))
        for (person, j), shares in posteriors.items()
    }
    # Of a part of the people nothing is measured.
    assert (joint["measures"]["max_risk"], joint["measures"]["mean_risk"]) == (None, None)
    if state == "violated":
        [violation] = [each for each in result["policy"]["violations"] if each["measure"] == "max_risk"]
        assert (violation["attack"], violation["value"]) == ("joint", pytest.approx(highest(part)))
        assert {each["individual"][:2] for each in joint["findings"]} == {"s0"}
    else:
        assert f"the worlds of {LARGE} people are too many" in clause["reason"]
        assert "raise --time-limit" in clause["reason"]


def test_without_the_large_part_it_holds():
    with written(alone(EVEN)) as folder:
        _, result, _ = run_audit(folder, "--policy", f"max_risk={LIMIT}", "--policy", "min_e=1", "--policy", "k=1")
    assert [each["state"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"] == ["holds"]
