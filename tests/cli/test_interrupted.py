"""An interrupt keeps what has come to an end: the report is written, the rest is marked, and nothing passes."""

import json

import pytest

from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

HOSPITAL = str(EXAMPLES / "hospital-l-diverse")
SAFE = str(EXAMPLES / "clinic-2-equivalence")


def stopped(*_):
    raise KeyboardInterrupt


@pytest.fixture
def at_joint(monkeypatch):
    """The user interrupts while `joint` runs."""
    monkeypatch.setattr("attacks.joint.attack.JointAttack.run", stopped)


def test_what_is_finished_is_reported(at_joint):
    code, out, err = run_main(HOSPITAL, "--format", "json")
    result = json.loads(out)
    assert (code, err, result["interrupted"]) == (130, "", True)
    status = {entry["attack"]: entry["status"] for entry in result["attacks"]}
    assert (status["intersection"], status["equivalence"], status["joint"]) == ("complete", "complete", "skipped")
    reasons = {entry["attack"]: entry["reason"] for entry in result["attacks"]}
    assert "interrupted" in reasons["joint"]
    assert "interrupted" in reasons["inference-table"]
    assert not result["policy"]["passed"]


def test_nothing_passes_that_was_interrupted(at_joint):
    code, out, _ = run_main(SAFE, "--format", "json")
    policy = json.loads(out)["policy"]
    assert (code, policy["passed"], policy["violations"]) == (130, False, [])
    assert {each["state"] for each in policy["clauses"]} == {"undecided"}


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_every_format_says_so(name, at_joint, tmp_path):
    target = tmp_path / "report"
    code, out, err = run_main(SAFE, "--format", name, "--output", str(target))
    assert (code, out, err) == (130, "", "")
    assert "interrupted" in target.read_text().lower()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_before_anything_is_finished_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr("attacks.intersection.IntersectionAttack.run", stopped)
    target = tmp_path / "report"
    code, out, err = run_main(SAFE, "--output", str(target))
    assert (code, out, err.splitlines()) == (130, "", ["audit: interrupted"])
    assert not target.exists()
