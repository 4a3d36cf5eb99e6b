"""SARIF 2.1.0: findings for code scanning, with the release files as their places.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, sections 3.11 (messages), 3.14
(runs), 3.20 (invocations), 3.24 (artifacts), 3.27 (results), 3.49 (rules).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from audit.core.errors import printable
from audit.core.report import (
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedNarrowed,
    ProofSteps,
    Report,
    Violation,
)
from reports.escaping import as_json
from reports.telling import sentence, steps
from reports.wording import contradicted, headline, undecided, violating, violation_told

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_ENDINGS = (".gz", ".csv", ".parquet", ".rows", ".values")
_WITHHOLD = "Withhold or regroup the rows of the groups named, so that they keep the values they had."
RULES: Mapping[str, tuple[str, str]] = {
    "intersection/disclosure": ("A person's groups have one value in common.", _WITHHOLD),
    "update-graph/disclosure": ("One value of a person is on a possible path through the person's groups.", _WITHHOLD),
    "equivalence/equivalence": (
        "Some people are known to have the same values, all together, as as many others.",
        "Publish whole buckets: once a value of one side is known, those of the other side follow.",
    ),
    "equivalence/disclosure": ("Groups, combined with weights, leave one person and one value.", _WITHHOLD),
    "joint/disclosure": ("Of all assignments of rows to people that fit, none leaves another value.", _WITHHOLD),
    "inference-table/narrowed": (
        "What the releases tell of a record fits fewer than k records.",
        "Split groups of records only into parts of k or more, and leave all other cells as they were.",
    ),
    "policy/max_risk": ("A risk reaches the policy's limit.", "Publish larger or more even groups."),
    "policy/min_e": ("There is an equivalence of fewer people than the policy allows.", "Publish whole buckets."),
    "policy/k": ("A record's class is smaller than the policy's k.", "Publish larger groups."),
}
_PLACES = {rule: place for place, rule in enumerate(RULES)}


@dataclass(frozen=True)
class Sarif:
    """Render a report as a SARIF log with one run."""

    ident: str = "sarif"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        run = {
            "tool": {"driver": _driver(report)},
            "invocations": [_invocation(report)],
            "artifacts": [
                {
                    "location": {"uri": quote(each.path, errors="surrogateescape"), "uriBaseId": _ROOT, "index": place},
                    "hashes": {"sha-256": each.sha256},
                }
                for place, each in enumerate(report.inputs)
            ],
            "results": list(_results(report)),
            "properties": {"series": printable(report.series.name, 200), "revealed": report.revealed},
        }
        return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(report: Report) -> dict[str, object]:
    rules = [
        {"id": rule, "shortDescription": {"text": what}, "fullDescription": {"text": what}, "help": {"text": remedy}}
        for rule, (what, remedy) in RULES.items()
    ]
    return {"name": "series-audit", "version": report.tool_version, "rules": rules}


def _invocation(report: Report) -> dict[str, object]:
    """Return whether everything that the policy asks was decided, and what was not."""
    told = [("error", contradicted(report))] if report.contradictions else []
    told += [("warning", line) for line in undecided(report)]
    for attack in report.attacks:
        if attack.reason:
            level = "warning" if attack.status == "incomplete" else "note"
            told.append((level, f"{attack.attack} is {attack.status}: {printable(attack.reason, 400)}"))
    told.append(("note", headline(report)[0]))
    return {
        "executionSuccessful": not report.policy.undecided,
        "toolExecutionNotifications": [{"level": level, "message": _message(line)} for level, line in told],
    }


def _results(report: Report) -> Iterator[dict[str, object]]:
    """Yield the findings, and violations that no finding shown stands for."""
    violated = {(each.attack, each.sensitive) for each in violating(report)}
    files = _files(report)
    for attack in report.attacks:
        for finding in attack.findings:
            level = _level(finding, report, violated=(attack.attack, attack.sensitive) in violated)
            lines = [sentence(finding, by_version="versions" in attack.measures), *steps(finding)]
            result = _result(f"{attack.attack}/{_kind(finding)}", level, lines, _releases(finding), files)
            if report.ids_are_stable:
                result["partialFingerprints"] = {"findingId/v1": finding.id}
            yield result
    shown = {(attack.attack, attack.sensitive) for attack in report.attacks if attack.findings}
    for violation in report.policy.violations:
        if (violation.attack, violation.sensitive) not in shown:
            yield _violation(violation, report.series.releases, files)


def _violation(
    violation: Violation, releases: Sequence[str], files: Mapping[str, dict[str, object]]
) -> dict[str, object]:
    return _result(f"policy/{violation.measure}", "error", [violation_told(violation)], releases[-1:], files)


def _result(
    rule: str, level: str, lines: Sequence[str], releases: Sequence[str], files: Mapping[str, dict[str, object]]
) -> dict[str, object]:
    return {
        "ruleId": rule,
        "ruleIndex": _PLACES[rule],
        "level": level,
        "message": _message(*lines),
        "locations": [{"physicalLocation": {"artifactLocation": files[tag]}} for tag in releases if tag in files],
    }


def _level(finding: NamedFinding, report: Report, *, violated: bool) -> str:
    """Return `error` for what the policy does not allow; an equivalence of enough people is worth a note."""
    if isinstance(finding, NamedEquivalence) and finding.e >= report.policy.limits.get("min_e", 0):
        return "note"
    return "error" if violated else "warning"


def _kind(finding: NamedFinding) -> str:
    if isinstance(finding, NamedEquivalence):
        return "equivalence"
    return "narrowed" if isinstance(finding, NamedNarrowed) else "disclosure"


def _message(*lines: str) -> dict[str, str]:
    """Return a plain text message; braces would be placeholders, and brackets could be links."""
    text = "\n".join(line.replace("{", "{{").replace("}", "}}") for line in lines)
    return {"text": text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")}


def _files(report: Report) -> dict[str, dict[str, object]]:
    """Return the place of each release's file by its tag, which is the file's name without endings."""
    files: dict[str, dict[str, object]] = {}
    for place, each in enumerate(report.inputs):
        tag = each.path.rsplit("/", 1)[-1]
        for ending in _ENDINGS:
            tag = tag.removesuffix(ending)
        files.setdefault(tag, {"uri": quote(each.path, errors="surrogateescape"), "uriBaseId": _ROOT, "index": place})
    return {tag: files[tag] for tag in report.series.releases if tag in files}


def _releases(finding: NamedFinding) -> list[str]:
    """Return the releases of a finding's certificate, in order of its steps."""
    tags = [step.release for step in finding.certificate]
    if isinstance(finding, NamedDisclosure) and finding.proof is not None:
        tags += _of_proof(finding.proof)
    return list(dict.fromkeys(tags))


def _of_proof(proof: ProofSteps) -> Iterator[str]:
    yield from (step.release for step in proof.exclusions)
    for case in proof.cases:
        yield case.release
        yield from _of_proof(case.leads_to)
