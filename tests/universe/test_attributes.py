"""Every small series with two sensitive attributes, through the program: each attribute by itself, and both at once."""

import csv
from collections import defaultdict
from functools import cache
from math import isclose

import pytest

from tests.universe.attributes import PAIRS, alone, everything
from tests.universe.program import of_folder
from tests.universe.unions import union
from tests.universe.worlds import worlds_of

ATTRIBUTES = ("V", "W")


@cache
def chosen():
    return list(everything())


@pytest.fixture
def folder(tmp_path):
    """The union of all, with a column for either attribute."""
    union(chosen()).write(tmp_path)
    for path in sorted((tmp_path / "releases").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*head[:-1], *ATTRIBUTES], *([*row[:-1], *PAIRS[row[-1]]] for row in rows)])
    manifest = tmp_path / "series.toml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace('sensitive = "Value"', 'sensitive = ["V", "W"]'), encoding="utf-8")
    return tmp_path


def marginals(series):
    """For each version and attribute the probability of each value, by the worlds of pairs."""
    found = defaultdict(lambda: defaultdict(int))
    for (person, release), pairs in worlds_of(series).posteriors().items():
        for pair, probability in pairs.items():
            for attribute, value in zip(ATTRIBUTES, PAIRS[pair], strict=True):
                found[person, release, attribute][value] += probability
    return found


def test_joint_on_each_attribute(folder):
    found = of_folder(folder, "joint")
    for place, attribute in enumerate(ATTRIBUTES):
        certain = 0
        for n, each in enumerate(chosen()):
            posteriors = worlds_of(alone(each, place)).posteriors()
            certain += sum(len(values) == 1 for values in posteriors.values())
            for j, rows in enumerate(each.releases):
                for row in rows:
                    risk = found.risks["joint", attribute][f"s{n}{row.individual}", j]
                    own = posteriors[row.individual, j][PAIRS[row.value][place]]
                    assert isclose(risk, own, rel_tol=1e-9), (row, risk, each)
        assert found.attack("joint", attribute)["measures"]["certain"] == certain


def test_joint_on_pairs(folder):
    """A person's risk is that of the attribute that is told more of; what is certain of either is a finding."""
    found = of_folder(folder, "joint", findings="all")
    [entry] = [entry for entry in found.report["attacks"] if entry["sensitive"] == [*ATTRIBUTES]]
    certain = set()
    for n, each in enumerate(chosen()):
        told = marginals(each)
        for (person, release, attribute), values in told.items():
            if len(values) == 1:
                certain.add((f"s{n}{person}", str(release + 1), attribute, *values))
        for j, rows in enumerate(each.releases):
            for row in rows:
                own = zip(ATTRIBUTES, PAIRS[row.value], strict=True)
                most = max(told[row.individual, j, attribute][value] for attribute, value in own)
                assert isclose(found.risks["joint", "V + W"][f"s{n}{row.individual}", j], most, rel_tol=1e-9), (
                    row,
                    each,
                )
    assert {
        (finding["individual"], finding["release"], finding["attribute"], finding["value"])
        for finding in entry["findings"]
    } == certain
