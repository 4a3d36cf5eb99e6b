"""The attack `equivalence` on the worked examples and on the paper's own, held against exhaustive enumeration."""

import json
from pathlib import Path

import pytest

from tests.helpers.running import run_audit, run_main

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(
    path.parent.name for path in EXAMPLES.glob("*/expected.json") if "equivalence" in json.loads(path.read_text())
)

assert len(NAMES) == 6


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))["equivalence"]


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_reached_is_no_pass(name):
    """Where the time is up, only what is proved counts: less than everything, and never more."""
    wanted = expected(name)
    code, result, _ = run_audit(EXAMPLES / name, "--attack", "equivalence", "--time-limit", "1e-9")
    [entry] = result["attacks"]
    bounds = entry["measures"]["min_e"]
    assert bounds["lower"] <= wanted["min_e"] <= (bounds["upper"] or 99)
    assert all(count <= wanted["compromised"][e] for e, count in entry["measures"]["compromised"].items())
    assert (code == 0) <= (wanted["min_e"] >= 2)
    assert (code == 1) <= (wanted["min_e"] < 2)


def test_findings_without_weights_say_how_they_are_known(monkeypatch):
    """Everybody who was found out is told, with weights or without; what no weights show has the chance of an error."""
    folder = EXAMPLES / "clinic-2-invariant"
    _, shown, _ = run_audit(folder, "--attack", "equivalence", "--reveal", "--findings", "all")
    monkeypatch.setattr("attacks.equivalence.weights.Solver.weights", lambda *_: None)
    code, result, _ = run_audit(folder, "--attack", "equivalence", "--reveal", "--findings", "all")
    [entry], [before] = result["attacks"], shown["attacks"]
    assert (code, entry["status"], entry["measures"]) == (1, "complete", before["measures"])
    assert [len(each["findings"]) for each in (entry, before)] == [before["findings_total"]] * 2
    assert {finding["evidence"] for finding in before["findings"]} == {"proof"}
    for finding in entry["findings"]:
        assert (finding["evidence"], finding["certificate"]) == ("fingerprint", [])
        assert 0 < finding["error"] < 1e-12
    text = run_main(str(folder), "--attack", "equivalence")[1]
    assert "shown by random linear algebra over all groups; probability of an error below 1e-12" in text
