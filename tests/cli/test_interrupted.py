"""An interrupt keeps what has come to an end: the report is written, the rest is marked, and nothing passes."""

import json
import re

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


@pytest.mark.parametrize("words", [(), ("--time-limit", "0.000001")], ids=["interrupted", "out of time"])
def test_what_is_decided_is_said_in_three_lines(words, request):
    """Each clause is in one of the first two lines, as JSON has it; a run that ended in time has no such lines."""
    if not words:
        request.getfixturevalue("at_joint")
    policy = json.loads(run_main(HOSPITAL, "--format", "json", *words)[1])["policy"]
    lines = run_main(HOSPITAL, *words)[1].split("\nWhere it stands\n")[1].split("\n\n")[0]
    decided, still_open, finished = (" ".join(each.split()) for each in re.split(r"\n  (?=[A-Z])", lines))
    states = {each["clause"]: each["state"] for each in policy["clauses"]}
    how = {"holds": "holds", "violated": "is violated"}
    said = [f"{clause} {how[state]}" for clause, state in states.items() if state in how]
    assert decided == f"Decided: {', '.join(said) or 'none'}."
    assert still_open == f"Open: {', '.join(clause for clause, state in states.items() if state not in how) or 'none'}."
    assert "joint" in finished.split("Cut off: ")[1]
    assert ("intersection" in finished.split("Cut off: ")[0]) == (not words)


def test_a_run_that_ended_says_nothing_of_where_it_stands():
    assert "Where it stands" not in run_main(HOSPITAL)[1]
