"""Check that the figures of a JSON result agree with one another; the schema checks its form."""

import re
from fractions import Fraction
from typing import Any

COUNTED = {
    "intersection": "vulnerable",
    "update-graph": "disclosed",
    "inference-table": "unsafe",
    "joint": "certain",
    "homogeneity": "at_limit",
}
WITHOUT_CERTIFICATE = {"group", "risk", "ever"}


def assert_complete(result: dict[str, Any]) -> None:
    """Check a whole result."""
    assert all(re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in result["inputs"])
    assert not any(entry["path"].startswith("/") for entry in result["inputs"])
    assert result["attacks"]
    for entry in result["attacks"]:
        _assert_attack(entry, result["series"]["releases"])
    _assert_panel(result["panel"], result["series"]["releases"])
    assert not (result["policy"]["passed"] and result["policy"]["violations"])


def _assert_panel(entries: list[dict[str, Any]], tags: list[str]) -> None:
    """Check that each release is there by itself, once for each attribute, and that figures agree with one another."""
    assert list(dict.fromkeys(entry["release"] for entry in entries)) == tags
    assert len(entries) % len(tags) == 0
    for entry in entries:
        counted = entry["classes"] - (entry["suppressed"] > 0)
        assert 1 <= entry["k"] * counted <= entry["rows"] - entry["suppressed"]
        assert 1 <= entry["distinct_l"] <= entry["rows"]
        assert entry["entropy_l"] >= 1
        assert 0 <= entry["t"] <= 1
        assert 0 <= entry["uniqueness"] <= entry["prosecutor_mean"] <= entry["prosecutor_max"] <= 1
        assert 0 < entry["marketer"] <= entry["prosecutor_mean"]
        assert (entry["journalist_max"] is None) == (entry["journalist_mean"] is None)
        assert (entry["journalist_max"] is None) == isinstance(entry["no_journalist"], str)


def _assert_attack(entry: dict[str, Any], tags: list[str]) -> None:
    if entry["status"] in {"skipped", "failed"}:
        assert entry["reason"]
        assert not entry["findings"]
        return
    assert (entry["reason"] is None) == (entry["status"] == "complete")
    measures = entry["measures"]
    assert len(measures.get("timeline", tags)) == len(tags)
    if (counted := COUNTED.get(entry["attack"])) is not None:
        assert measures["timeline"][-1] == measures[counted]
    if (counts := measures.get("risk_counts")) is not None:
        assert len(counts) == 11
        assert (counts[10] > 0 or measures.get("alone", 0) > 0) == (measures["max_risk"] == 1)
        highest = max((tenth for tenth, count in enumerate(counts) if count), default=0)
        assert (
            measures["max_risk"] is None
            or measures.get("alone", 0)
            or highest == min(int(10 * measures["max_risk"] + 1e-9), 9 + (measures["max_risk"] == 1))
        )
        assert measures["max_risk"] is not None or sum(counts) == 0
    if "candidate_sizes" in measures:
        assert sum(measures["candidate_sizes"].values()) == measures["individuals"]
    _assert_findings(entry, tags)


def _assert_findings(entry: dict[str, Any], tags: list[str]) -> None:
    findings = entry["findings"]
    assert len({finding["id"] for finding in findings}) == len(findings) <= entry["findings_total"]
    for finding in findings:
        if finding["kind"] == "equivalence":
            _assert_equivalence(finding, entry["measures"]["min_e"]["lower"])
        elif finding["kind"] == "linkage":
            assert tags.index(finding["first"]) <= tags.index(finding["release"])
            assert finding["risk"] == (1 if "value" in finding else 1 / finding["rows"])
        elif finding["kind"] == "narrowed":
            assert finding["class_size"] < entry["measures"]["k"]
            assert finding["risk"] == 1 / finding["class_size"]
            releases = [tags.index(step["release"]) for step in finding["certificate"]]
            assert releases == sorted(set(releases))
            assert releases[-1] <= tags.index(finding["release"])
        elif finding["kind"] in ("close", "similar"):
            assert ("individual" in finding) != ("group" in finding)
            assert finding.get("certificate") or "group" in finding or finding["risk"] < 1
        elif finding["kind"] not in WITHOUT_CERTIFICATE:
            assert finding["certificate"] or finding["evidence"] == "fingerprint"
    order = [
        (-finding["risk"], finding["kind"], tags.index(finding["release"]), finding["id"])
        for finding in findings
        if finding["kind"] in {"disclosure", "narrowed", "group"}
    ]
    assert order == sorted(order)
    sizes = [finding.get("e", 0) for finding in findings if entry["attack"] == "equivalence"]
    assert sizes == sorted(sizes)


def _assert_equivalence(finding: dict[str, Any], lower: int | None) -> None:
    assert bool(finding["certificate"]) == (finding["evidence"] == "proof")
    assert finding.get("error", 0) < 1e-5
    assert (finding["evidence"] == "fingerprint") == ("error" in finding)
    assert not finding["left"].keys() & finding["right"].keys()
    assert finding["e"] == sum(finding["left"].values()) == sum(finding["right"].values())
    # Bounds are those of the published groups; pairs that are equal in all worlds come without weights.
    assert (lower or 1 << 30) <= finding["e"] or (finding["e"] == 1 and finding["evidence"] != "proof")
    assert all(Fraction(group["weight"]) != 0 for group in finding["certificate"])
