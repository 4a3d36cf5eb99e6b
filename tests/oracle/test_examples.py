"""The audit on the worked examples, whose answers come from exhaustive enumeration."""

import json
from pathlib import Path

import pytest

from tests.helpers.running import audit_folder, run_audit

EXAMPLES = Path(__file__).parent.parent / "examples"


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))


def examples_with(part):
    found = sorted(path.parent.name for path in EXAMPLES.glob("*/expected.json"))
    found = [name for name in found if part in expected(name)]
    assert found
    return found


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


def test_the_adversary_is_the_worst_that_the_series_allows():
    kinds = {
        name: audit_folder(EXAMPLES / name, ["intersection"]).result["adversary"]["kind"]
        for name in ("hospital-l-diverse", "hospital-l-diverse-outsider")
    }
    assert kinds == {"hospital-l-diverse": "linked", "hospital-l-diverse-outsider": "register"}


def test_an_attack_that_does_not_apply_is_skipped_with_its_reason():
    code, result, _ = run_audit(EXAMPLES / "ward-l-diverse")
    [entry] = [entry for entry in result["attacks"] if entry["attack"] == "intersection"]
    assert entry["status"] == "skipped"
    assert entry["reason"]
    assert code == 1
