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

assert len(NAMES) == 6


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
