"""Whether a JSON result has everything that is promised, each in its form."""

import re
from fractions import Fraction
from typing import Any

MEASURES = {
    "intersection": {
        "individuals",
        "vulnerable",
        "candidate_sizes",
        "max_risk",
        "mean_risk",
        "risk_counts",
        "at_limit",
        "above_0.9",
        "above_0.5",
        "timeline",
    },
    "update-graph": {
        "individuals",
        "versions",
        "disclosed",
        "infeasible",
        "max_risk",
        "mean_risk",
        "risk_counts",
        "at_limit",
        "above_0.9",
        "above_0.5",
        "timeline",
    },
    "equivalence": {"individuals", "min_e", "compromised", "classes", "pinned", "ways", "timeline"},
    "inference-table": {"k", "records", "unsafe", "once_unsafe", "smallest_class", "timeline"},
    "joint": {"versions", "certain", "certain_unproved", "eliminated", "open", "timeline"},
    "correspondence": {
        "subjects_looked_at",
        "narrowed",
        "disclosed",
        "open",
        "smallest",
        "links",
        "certain",
        "excluded",
        "worlds",
    },
    "inference": {"individuals", "attack", "control", "baseline", "advantage"},
    "homogeneity": {"classes", "rows", "homogeneous", "at_limit", "rows_at_limit", "max_risk", "mean_risk", "timeline"},
}
COUNTED = {
    "intersection": "vulnerable",
    "update-graph": "disclosed",
    "inference-table": "unsafe",
    "joint": "certain",
    "homogeneity": "at_limit",
}
DISCLOSURE = {"id", "kind", "individual", "release", "value", "risk", "certificate"}
EQUIVALENCE = {"id", "kind", "e", "left", "right", "certificate"}
LINKAGE = {"id", "kind", "first", "release", "rows", "groups", "risk", "certificate", "evidence"}
SHOWN = {"evidence", "error", "rows"}
NARROWED = {"id", "kind", "record", "release", "class_size", "risk", "cause", "certificate", "evidence"}
EVER = {"id", "kind", "individual", "release", "risk", "certificate", "evidence"}
LIKELY = {"risk": EVER | {"value", "everywhere"}, "ever": EVER}
CAUSES = {"group change", "subgroup expanding", "widow", "small group"}


def assert_complete(result: dict[str, Any]) -> None:
    """Check a whole result."""
    assert result["schema_version"] == 1
    assert set(result) >= {"tool", "inputs", "series", "adversary", "attacks", "panel", "policy"}
    assert set(result["tool"]) >= {"name", "version"}
    assert result["inputs"]
    for entry in result["inputs"]:
        assert set(entry) >= {"path", "sha256", "rows"}
        assert re.fullmatch("[0-9a-f]{64}", entry["sha256"])
        assert not entry["path"].startswith("/")
    series = result["series"]
    assert isinstance(series["name"], str)
    assert all(isinstance(tag, str) for tag in series["releases"])
    for name in ("individuals", "rows", "counterfeits", "groups", "sensitive_values"):
        assert _is_count(series[name]), name
    assert result["adversary"]["kind"] in {"linked", "register", "pseudonym", "published"}
    assert isinstance(result["adversary"]["transitions"], bool)
    assert _is_count(result["adversary"]["known"])
    assert result["attacks"]
    for entry in result["attacks"]:
        _assert_attack(entry, series["releases"])
    _assert_panel(result["panel"], series["releases"])
    _assert_policy(result["policy"])


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
    assert set(entry) >= {
        "attack",
        "status",
        "reason",
        "seconds",
        "measures",
        "findings",
        "findings_total",
    }
    assert entry["status"] in {"complete", "incomplete", "skipped", "failed"}
    if entry["status"] in {"skipped", "failed"}:
        assert entry["reason"]
        assert not entry["findings"]
        return
    assert (entry["reason"] is None) == (entry["status"] == "complete")
    assert entry["seconds"] >= 0
    measures = entry["measures"]
    assert set(measures) >= MEASURES[entry["attack"]]
    if "timeline" in MEASURES[entry["attack"]]:
        assert len(measures["timeline"]) == len(tags)
    if (counted := COUNTED.get(entry["attack"])) is not None:
        assert measures["timeline"][-1] == measures[counted]
    for name in ("max_risk", "mean_risk"):
        assert measures.get(name) is None or 0 <= measures[name] <= 1
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
    assert len(findings) <= entry["findings_total"]
    assert len({finding["id"] for finding in findings}) == len(findings)
    for finding in findings:
        if finding["kind"] == "linkage":
            _assert_linkage(finding, tags)
        elif finding["kind"] == "equivalence":
            assert bool(finding["certificate"]) == (finding["evidence"] == "proof")
        elif finding["kind"] != "group":
            assert finding["certificate"] or finding["kind"] in LIKELY or finding["evidence"] == "fingerprint"
        if finding["kind"] == "disclosure":
            assert set(finding) - {"alone", "attribute", "rows", *SHOWN} == DISCLOSURE
            assert 0 <= finding["risk"] <= 1
        elif finding["kind"] == "equivalence":
            _assert_equivalence(finding, entry["measures"]["min_e"]["lower"])
        elif finding["kind"] == "group":
            assert set(finding) - {"located", "after"} == {"id", "kind", "release", "group", "value", "risk", "rows"}
            assert 0 < finding["risk"] <= 1 <= finding["rows"]
        elif finding["kind"] == "narrowed":
            _assert_narrowed(finding, tags, entry["measures"]["k"])
        elif finding["kind"] in LIKELY:
            assert set(finding) - {"rows"} == LIKELY[finding["kind"]]
            assert 0 < finding["risk"] < 1 or (finding["kind"], finding["risk"]) == ("ever", 1)
    order = [
        (-finding["risk"], finding["kind"], tags.index(finding["release"]), finding["id"])
        for finding in findings
        if finding["kind"] in {"disclosure", "narrowed", "group"}
    ]
    assert order == sorted(order)
    sizes = [finding.get("e", 0) for finding in findings if entry["attack"] == "equivalence"]
    assert sizes == sorted(sizes)


def _assert_equivalence(finding: dict[str, Any], lower: int | None) -> None:
    assert set(finding) - {"error", "rows"} == EQUIVALENCE | {"evidence"}
    assert finding.get("error", 0) < 1e-5
    assert (finding["evidence"] == "fingerprint") == ("error" in finding)
    assert not finding["left"].keys() & finding["right"].keys()
    assert finding["e"] == sum(finding["left"].values()) == sum(finding["right"].values())
    # Bounds are those of the published groups; pairs that are equal in all worlds come without weights.
    assert (lower or 1 << 30) <= finding["e"] or (finding["e"] == 1 and finding["evidence"] != "proof")
    for group in finding["certificate"]:
        assert set(group) == {"release", "group", "weight"}
        assert Fraction(group["weight"]) != 0


def _assert_linkage(finding: dict[str, Any], tags: list[str]) -> None:
    assert set(finding) - {"point", "value", "located"} == LINKAGE
    assert tags.index(finding["first"]) <= tags.index(finding["release"])
    assert finding["rows"] >= 1
    assert finding["groups"]
    assert finding["risk"] == (1 if "value" in finding else 1 / finding["rows"])
    assert finding["evidence"] in {"proof", "solver"}


def _assert_narrowed(finding: dict[str, Any], tags: list[str], k: int) -> None:
    assert set(finding) - {"description", "rows"} == NARROWED
    assert 1 <= finding["class_size"] < k
    assert finding["risk"] == 1 / finding["class_size"]
    assert finding["cause"] in CAUSES
    releases = [tags.index(step["release"]) for step in finding["certificate"]]
    assert releases == sorted(set(releases))
    assert releases[-1] <= tags.index(finding["release"])
    revealed = "description" in finding
    for step in finding["certificate"]:
        assert set(step) == {"release", "group", "size"} | ({"cells"} if revealed else set())
        assert _is_count(step["size"])


def _assert_policy(policy: dict[str, Any]) -> None:
    assert isinstance(policy["passed"], bool)
    assert isinstance(policy["waived"], list)
    for violation in policy["violations"]:
        assert set(violation) >= {"attack", "measure", "limit", "value"}
    assert not (policy["passed"] and policy["violations"])


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
