"""`audit plan`: what is recommended keeps the policy, and is what `audit` says of it."""

import json

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

CLINIC = str(EXAMPLES / "clinic-microdata")


@pytest.fixture(scope="module")
def clinic():
    code, out, err = run_main("plan", CLINIC, "--queries", "20", "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_what_is_recommended_keeps_the_policy(clinic, tmp_path):
    best = clinic["recommended"]
    words = ["--method", best["method"], *best["parameters"].split()]
    assert run_main("anonymize", CLINIC, *words, "--output", str(tmp_path / "s"), "--seed", "0")[0] == 0
    assert run_main(str(tmp_path / "s"))[0] == 0


def test_each_method_ends_as_its_own_audit_says(clinic, tmp_path):
    [tried] = [each for each in clinic["tried"] if (each["method"], each["parameters"]) == ("m-invariance", "--m 2")]
    run_main(
        "anonymize", CLINIC, "--method", "m-invariance", "--m", "2", "--output", str(tmp_path / "s"), "--seed", "0"
    )
    assert run_main(str(tmp_path / "s"))[0] == tried["exit_code"] == 1


def test_a_refusal_says_why(clinic):
    refused = [each for each in clinic["tried"] if each["method"] == "monotonic-mondrian"]
    assert refused
    assert all("not published" in each["refused"] for each in refused)
    assert clinic["recommended"]["method"] != "monotonic-mondrian"
