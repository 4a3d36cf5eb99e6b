"""Attacks on people one by one beside their definitions: of one attribute or several, of all people or a part."""

import csv
import json
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from audit.model import arrays
from tests.helpers.amount import some
from tests.helpers.comparing import CLOSE, assert_agrees
from tests.helpers.records import RecordRow, RecordSeries, ages, inferred, record_series
from tests.helpers.running import audit, audit_folder, read_audit, run_audit, written
from tests.helpers.several import ATTRIBUTES, PAIRS, pair_series, write_pairs
from tests.helpers.strategies import classed_series, linked_series, register_series
from tests.helpers.tiny import Row, TinySeries
from tests.mutants.mutant import kills
from tests.oracle.inference_table import inference_table, mates
from tests.oracle.per_person import intersection, update_graph, version_weights
from tests.oracle.worlds import few, worlds

BOTH = [pytest.param(False, id="constant"), pytest.param(True, id="changing")]


KNOWN = [pytest.param(False, id="nothing-known"), pytest.param(True, id="some-known")]
ADVERSARIES = ["linked", "register"]


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("changing", BOTH)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@given(data=st.data())
def test_people_one_by_one(adversary, changing, known, data):
    drawn = register_series if adversary == "register" else linked_series
    series = data.draw(drawn(changing=changing, known=known))
    assert_agrees(audit(series, adversary=adversary), series, adversary)


@pytest.mark.many
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("changing", BOTH)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@given(data=st.data())
def test_rows_of_a_group_with_different_cells(adversary, changing, known, data):
    series = data.draw(classed_series(changing=changing, known=adversary if known else ""))
    assume(series.keyed or adversary == "register")
    assert_agrees(audit(series, adversary=adversary), series, adversary)


@settings(max_examples=some(15))
@given(series=linked_series(changing=False))
def test_people_of_several_blocks(series):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_CACHED", 2)
        assert_agrees(audit(series), series, "linked")


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


@kills("attacks.value_sets.Candidates.fold", "left &= allowed", "left |= allowed")
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


def highest_of(part):
    """The highest probability of a person's own value, over all worlds of a part."""
    own = {name: value for group in part for name, value in group}
    posteriors = worlds(alone(part)).posteriors()
    return max(float(shares[own[person]]) for (person, _), shares in posteriors.items())


def audited_parts(series, *words):
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
    assert (highest_of(part) >= LIMIT) == (state == "violated")
    clause, joint, result, risks = audited_parts(series_of(part))
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
        assert (violation["attack"], violation["value"]) == ("joint", pytest.approx(highest_of(part)))
        assert {each["individual"][:2] for each in joint["findings"]} == {"s0"}
    else:
        assert f"the worlds of {LARGE} people are too many" in clause["reason"]
        assert "raise --time-limit" not in clause["reason"]  # it would not help


def test_without_the_large_part_it_holds():
    with written(alone(EVEN)) as folder:
        _, result, _ = run_audit(folder, "--policy", f"max_risk={LIMIT}", "--policy", "min_e=1", "--policy", "k=1")
    assert [each["state"] for each in result["policy"]["clauses"] if each["clause"] == "max_risk"] == ["holds"]


KS = st.integers(1, 4)
FAKE_MATE = RecordSeries([[RecordRow("a", "2", "*", "1"), RecordRow("b", "2", "*", "1", real=False)]], keyed=True)
STARS_FIRST = RecordSeries([[RecordRow("0", age, "*", "1")] for age in ("*", ">=2")], changing=("Age", "City"))


@given(series=record_series(), k=KS, group_column=st.booleans())
@example(series=STARS_FIRST, k=2, group_column=False)
@example(series=FAKE_MATE, k=2, group_column=True)
def test_everything_it_says(series, k, group_column):
    answer = inference_table(series, k)
    audited = inferred(series, k, group_column=group_column)
    assert audited.measures("inference-table") == {
        "k": k,
        "records": answer.records,
        "unsafe": answer.timeline[-1],
        "once_unsafe": len(answer.fallen),
        "smallest_class": answer.smallest_class,
        "timeline": answer.timeline,
    }
    found = {finding["record"]: finding for finding in audited.findings("inference-table")}
    assert {
        record: (series.tags.index(finding["release"]), finding["class_size"], finding["cause"])
        for record, finding in found.items()
    } == {record: (fallen.release, fallen.size, fallen.cause) for record, fallen in answer.fallen.items()}
    for record, finding in found.items():
        assert_proves(finding, series, record)
    violation = {"attack": "inference-table", "measure": "k", "limit": k, "value": answer.worst}
    ours = [each for each in audited.result["policy"]["violations"] if each["attack"] == "inference-table"]
    assert ours == ([] if answer.worst is None else [violation])  # releases alone may violate k as well
    nobody = 0 if answer.records else 3  # where no record stands for a person, k is undecided
    assert audited.code == (1 if audited.result["policy"]["violations"] else nobody)


def assert_proves(finding, series, record):
    """The certificate has every release that the record is in, up to that of the finding."""
    upto = series.tags.index(finding["release"])
    rows = {j: row for j, rows in enumerate(series.releases[: upto + 1]) for row in rows if row.record == record}
    assert [series.tags.index(step["release"]) for step in finding["certificate"]] == sorted(rows)
    for step in finding["certificate"]:
        release = series.tags.index(step["release"])
        assert step["size"] == len(mates(series, release, record))
        # A cell may be told as another row has written the same values; one that is not told may be any.
        told = f"Age ({step['release']})" if "Age" in series.changing else "Age"
        assert ages(step.get("cells", {}).get(told, "*")) == ages(rows[release].age)
    if len({row.age for row in rows.values()}) == 1 and "Age" not in series.changing:
        [age] = {row.age for row in rows.values()}
        assert ages(finding["description"]["Age"]) == ages(age)


@given(series=record_series(keyed=True), k=KS)
def test_counterfeits_are_never_findings(series, k):
    people = {row.record for rows in series.releases for row in rows if row.real}
    assert {finding["record"] for finding in inferred(series, k).findings("inference-table")} <= people


EXAMPLES = Path(__file__).parent.parent / "examples"


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))


def examples_with(part):
    found = sorted(path.parent.name for path in EXAMPLES.glob("*/expected.json"))
    found = [name for name in found if part in expected(name)]
    assert found
    return found


@kills("attacks.inference_table.DescriptionTable.fold", "(size < self.k)", "(size < self.k - 1)")
@pytest.mark.parametrize("name", examples_with("inference-table"))
def test_inference_table(name):
    wanted = expected(name)["inference-table"]
    audited = audit_folder(EXAMPLES / name, ["inference-table"])
    measures = audited.measures("inference-table")
    assert {field: measures[field] for field in wanted if field != "who"} == {
        field: value for field, value in wanted.items() if field != "who"
    }
    assert sorted(finding["record"] for finding in audited.findings("inference-table")) == wanted["who"]
    assert audited.code == (1 if wanted["unsafe"] else 0)
    assert run_audit(EXAMPLES / name)[0] == audited.code, "alone, under `pseudonym`, it decides everything"


def test_the_inferred_table_of_the_cases():
    """The monotonic paper's Table 6, and the situations of its Examples 4 to 6."""
    audited = audit_folder(EXAMPLES / "cases-independent", ["inference-table"])
    found = {finding["record"]: finding for finding in audited.findings("inference-table")}
    assert {record: tuple(finding["description"].values()) for record, finding in found.items()} == {
        "1": ("20433", "female", "[21-26]"),
        "2": ("20437", "male", "48"),
        "3": ("20433", "female", "26"),
        "5": ("20437", "male", "[48-54]"),
    }
    assert {record: finding["cause"] for record, finding in found.items()} == {
        "1": "group change",
        "2": "subgroup expanding",
        "3": "group change",
        "5": "widow",
    }
    assert found["2"]["certificate"] == [
        {
            "release": "1",
            "group": "1",
            "size": 2,
            "cells": {"Zipcode": "2043*", "Gender": "*", "Age": "[21-48]"},
        },
        {
            "release": "2",
            "group": "2",
            "size": 2,
            "cells": {"Zipcode": "20437", "Gender": "male", "Age": "[48-54]"},
        },
    ]
    [violation] = audited.result["policy"]["violations"]
    assert violation == {"attack": "inference-table", "measure": "k", "limit": 2, "value": 1}


def test_an_attack_that_does_not_apply_is_skipped_with_its_reason():
    code, result, _ = run_audit(EXAMPLES / "ward-l-diverse")
    [entry] = [entry for entry in result["attacks"] if entry["attack"] == "intersection"]
    assert entry["status"] == "skipped"
    assert entry["reason"]
    assert code == 1
