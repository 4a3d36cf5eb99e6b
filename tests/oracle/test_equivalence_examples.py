"""The attack `equivalence` on the worked examples and on the paper's own, held against exhaustive enumeration."""

import csv
import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from tests.helpers.running import audit_folder, run_audit, run_main

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(
    path.parent.name for path in EXAMPLES.glob("*/expected.json") if "equivalence" in json.loads(path.read_text())
)


def expected(name):
    return json.loads((EXAMPLES / name / "expected.json").read_text(encoding="utf-8"))["equivalence"]


def values_of(name):
    """Everybody's value by identifier, from the keys of all releases."""
    found = {}
    for path in sorted((EXAMPLES / name / "releases").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                sensitive = list(row)[-1]
                found[row.get("Owner") or row.get("individual") or ""] = row[sensitive]
    return found


def test_there_are_examples():
    assert len(NAMES) == 6


@pytest.mark.parametrize("name", NAMES)
def test_measures(name):
    wanted = expected(name)
    measures = audit_folder(EXAMPLES / name, ["equivalence"]).measures("equivalence")
    assert measures["min_e"] == {"lower": wanted["min_e"], "upper": wanted["min_e"]}
    assert measures["compromised"] == {e: wanted["compromised"][e] for e in "1234"}
    assert measures["timeline"][-1] == wanted["compromised"]["4"]
    assert measures["timeline"] == sorted(measures["timeline"])


@pytest.mark.parametrize("name", NAMES)
def test_max_e(name):
    wanted = expected(name)
    audited = audit_folder(EXAMPLES / name, ["equivalence"], "--max-e", "6")
    assert audited.measures("equivalence")["compromised"] == wanted["compromised"]


@pytest.mark.parametrize("name", NAMES)
def test_findings_cover_everybody_compromised_and_are_true(name):
    wanted, truth = expected(name), values_of(name)
    audited = audit_folder(EXAMPLES / name, ["equivalence"])
    least = {}
    for finding in audited.findings("equivalence"):
        if finding["kind"] != "equivalence":
            assert truth[finding["individual"]] == finding["value"]
            continue
        for who in [*finding["left"], *finding["right"]]:
            least[who] = min(finding["e"], least.get(who, finding["e"]))
        assert all(Fraction(group["weight"]) for group in finding["certificate"])
        if all(who in truth for who in [*finding["left"], *finding["right"]]):
            left, right = (
                sum((Counter({truth[who]: times}) for who, times in finding[side].items()), Counter())
                for side in ("left", "right")
            )
            assert left == right
    named = {who: e for who, e in wanted["per_individual"].items() if not who.startswith("~row")}
    assert {who: least.get(who) for who in named} == {who: e if e and e <= 4 else None for who, e in named.items()}


@pytest.mark.parametrize("name", NAMES)
def test_verdict(name):
    code, result, _ = run_audit(EXAMPLES / name, "--attack", "equivalence")
    violation = next((v for v in result["policy"]["violations"] if v["measure"] == "min_e"), None)
    if expected(name)["min_e"] < 2:
        assert code == 1
        assert (violation["value"], violation["limit"]) == (1, 2)
    else:
        assert (code, violation) == (0, None)


def test_a_policy_that_asks_for_more():
    code, result, _ = run_audit(EXAMPLES / "clinic-2-equivalence", "--attack", "equivalence", "--policy", "min_e=3")
    assert code == 1
    assert result["policy"]["violations"][0]["value"] == 2


def test_pseudonyms_and_secrecy():
    code, result, _ = run_audit(EXAMPLES / "clinic-2-invariant", "--attack", "equivalence", "--findings", "all")
    text = json.dumps(result["attacks"])
    assert code == 1
    assert not any(name in text for name in ("Bob", "Greg", "Alice", "Harry", "~c1"))
    assert "person-000001" in text
    assert "counterfeit-000001" in text


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


def test_pinned_values_without_weights_are_told(monkeypatch):
    """D's value is pinned in the fourth release."""
    words = ("--attack", "equivalence", "--policy", "min_e=1", "--reveal")
    for evidence in ("proof", "fingerprint"):
        code, result, _ = run_audit(EXAMPLES / "fractional-weights", *words)
        assert (code, result["policy"]["violations"][0]["measure"]) == (1, "max_risk")
        pins = [finding for finding in result["attacks"][0]["findings"] if finding["kind"] == "disclosure"]
        assert {pin["evidence"] for pin in pins} == {evidence}
        assert "D" in {pin["individual"] for pin in pins}
        monkeypatch.setattr("attacks.equivalence.weights.Solver.weights", lambda *_: None)
