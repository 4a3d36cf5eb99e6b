"""SARIF 2.1.0: findings for code scanning, with the release files as their places.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, sections 3.11 (messages), 3.14
(runs), 3.20 (invocations), 3.24 (artifacts), 3.27 (results), 3.49 (rules).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from audit.clauses.registry import CLAUSES
from audit.model.errors import printable
from audit.model.report import (
    FindingRule,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    ProofSteps,
    Report,
    Violation,
)
from reports.escaping import as_json
from reports.finding_text import sentence, steps
from reports.sentences import contradicted, headline, undecided, violating, violation_told

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_ENDINGS = (".gz", ".csv", ".parquet", ".rows", ".values")


@dataclass(frozen=True)
class Sarif:
    """Render a report as a SARIF log with one run."""

    name: str = "sarif"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        run = {
            "tool": {"driver": _driver(report)},
            "invocations": [_invocation(report)],
            "artifacts": [
                {
                    "location": {"uri": quote(each.path, errors="surrogateescape"), "uriBaseId": ROOT, "index": place},
                    **({"hashes": {"sha-256": each.sha256}} if each.columns is None else {}),
                }
                for place, each in enumerate(report.inputs)
            ],
            "results": list(_results(report)),
            "properties": {"series": printable(report.series.name, 200), "revealed": report.revealed},
        }
        return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(report: Report) -> dict[str, object]:
    rules = [
        {"id": name, "shortDescription": {"text": what}, "fullDescription": {"text": what}, "help": {"text": remedy}}
        for name, (what, remedy) in rules_of(report).items()
    ]
    return {"name": "series-audit", "version": report.tool_version, "rules": rules}


def rules_of(report: Report) -> dict[str, FindingRule]:
    """Return the rules of the attacks that were asked for and of the policy, by their ids."""
    rules: dict[str, FindingRule] = {}
    for attack in report.attacks:
        found = {
            finding.kind: FindingRule("The attack is certain of this.", attack.measures.remedy)
            for finding in attack.findings
        }
        if "risk" in found:
            found["risk"] = FindingRule(
                "A value is as probable as the policy's limit, or more.", attack.measures.remedy
            )
        rules |= {f"{attack.attack}/{kind}": rule for kind, rule in (found | dict(attack.rules)).items()}
    return rules | {f"policy/{name}": FindingRule(clause.fails, clause.remedy) for name, clause in CLAUSES.items()}


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
        "toolExecutionNotifications": [{"level": level, "message": message(line)} for level, line in told],
    }


def _results(report: Report) -> Iterator[dict[str, object]]:
    """Yield the findings, and violations that no finding shown stands for."""
    violated = {(each.attack, each.sensitive) for each in violating(report)}
    files, places = _files(report), {name: place for place, name in enumerate(rules_of(report))}
    for attack in report.attacks:
        for finding in attack.findings:
            level = _level(finding, report, violated=(attack.attack, attack.sensitive) in violated)
            lines = [sentence(finding, by_version=attack.measures.by_version), *steps(finding)]
            rule = f"{attack.attack}/{finding.kind}"
            result = _result((rule, places[rule]), level, lines, _releases(finding) or report.series.releases, files)
            if report.ids_are_stable:
                result["partialFingerprints"] = {"findingId/v1": finding.id}
            yield result
    shown = {(attack.attack, attack.sensitive) for attack in report.attacks if attack.findings}
    for violation in report.policy.violations:
        if (violation.attack, violation.sensitive) not in shown:
            rule = f"policy/{violation.measure}"
            yield _violation(violation, (rule, places[rule]), report.series.releases, files)


def _violation(
    violation: Violation, rule: tuple[str, int], releases: Sequence[str], files: Mapping[str, dict[str, object]]
) -> dict[str, object]:
    where = releases[-1:] if violation.release is None else [violation.release]
    return _result(rule, "error", [violation_told(violation)], where, files)


def _result(
    rule: tuple[str, int],
    level: str,
    lines: Sequence[str],
    releases: Sequence[str],
    files: Mapping[str, dict[str, object]],
) -> dict[str, object]:
    places = [{"physicalLocation": {"artifactLocation": files[tag]}} for tag in releases if tag in files]
    return {
        "ruleId": rule[0],
        "ruleIndex": rule[1],
        "level": level,
        "message": message(*lines),
        "locations": places,
    }


def _level(finding: NamedFinding, report: Report, *, violated: bool) -> str:
    """Return `error` for what the policy does not allow; an equivalence of enough people is worth a note."""
    if isinstance(finding, NamedEquivalence) and finding.e >= report.policy.limits.get("min_e", 0):
        return "note"
    return "error" if violated else "warning"


def message(*lines: str) -> dict[str, str]:
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
        files.setdefault(tag, {"uri": quote(each.path, errors="surrogateescape"), "uriBaseId": ROOT, "index": place})
    return {tag: files[tag] for tag in report.series.releases if tag in files}


def _releases(finding: NamedFinding) -> list[str]:
    """Return the releases of a finding's certificate, in order of its steps."""
    if isinstance(finding, NamedGroup | NamedLinkage):
        return [finding.release]
    tags = [step.release for step in finding.certificate]
    if isinstance(finding, NamedDisclosure) and finding.proof is not None:
        tags += _of_proof(finding.proof)
    return list(dict.fromkeys(tags))


def _of_proof(proof: ProofSteps) -> Iterator[str]:
    yield from (each.release for each in proof.points)
    for case in proof.cases:
        yield case.release
        yield from _of_proof(case.leads_to)
