"""SARIF 2.1.0: findings for code scanning, with the release files as their places.

Source: OASIS, *Static Analysis Results Interchange Format (SARIF) Version 2.1.0*, sections 3.20 (invocations), 3.24
(artifacts), 3.27 (results).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from audit.clauses.registry import CLAUSES
from audit.findings.wording import stretches
from audit.model.finding import Finding, FindingRule
from audit.model.report import Report
from audit.runtime.phrases import printable
from reports.sarif_log import artifact, automation, location, log, message, tool
from reports.sentences import ended_early, steps, undecided, violating, violation_text
from reports.text import PAPER
from reports.verdict import contradicted, headline

_MOST_PLACES = 100
_ENDINGS = (".gz", ".csv", ".parquet", ".rows", ".values")


class Sarif:
    """Render a report as a SARIF log with one run."""

    name = "sarif"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        folder = PAPER.get().folder
        artifacts = [
            {
                "location": artifact(each.path, folder, place),
                **({"hashes": {"sha-256": each.sha256}} if each.columns is None else {}),
            }
            for place, each in enumerate(report.inputs)
        ]
        run = {
            "tool": tool(report.tool_version, rules_of(report)),
            "automationDetails": automation(report.series.name, folder),
            "invocations": [_invocation(report)],
            "artifacts": artifacts,
            "results": list(_results(report, folder)),
            "properties": {"series": printable(report.series.name, 200), "revealed": report.revealed},
        }
        return log(run)


def rules_of(report: Report) -> dict[str, FindingRule]:
    """Return the rules of the requested attacks and of the policy, by their ids."""
    rules: dict[str, FindingRule] = {}
    for attack in report.attacks:
        remedy = str(attack.measures.remedy)
        found = {finding.kind: FindingRule(str(finding.meaning), remedy) for finding in attack.findings}
        rules |= {f"{attack.attack}/{kind}": rule for kind, rule in (found | dict(attack.rules)).items()}
    clauses = CLAUSES.items() if report.tables is None else ()
    return rules | {f"policy/{name}": FindingRule(clause.fails, clause.remedy) for name, clause in clauses}


def _invocation(report: Report) -> dict[str, object]:
    """Return whether the run decided every clause of the policy, and what it left undecided."""
    notes = [("error", contradicted(report))] if report.contradictions else []
    notes += [("warning", line) for line in undecided(report)]
    for attack in report.attacks:
        if attack.reason:
            level = "warning" if attack.status == "incomplete" else "note"
            notes.append((level, ended_early(attack.attack, attack)))
    notes += [("note", each.text) for each in report.warnings if each.kind == "candidate"]
    notes.append(("note", headline(report)[0]))
    return {
        "executionSuccessful": not report.policy.undecided,
        "toolExecutionNotifications": [{"level": level, "message": message(line)} for level, line in notes],
    }


def _results(report: Report, folder: str) -> Iterator[dict[str, object]]:
    """Yield the findings, and the violations without a finding."""
    violated = {(each.attack, each.sensitive) for each in violating(report)}
    files, by_path = _files(report, folder)
    places = {name: place for place, name in enumerate(rules_of(report))}
    for attack in report.attacks:
        for finding in attack.findings:
            level = finding.level(report.policy.limits, violated=(attack.attack, attack.sensitive) in violated)
            lines = [finding.sentence(by_version=attack.measures.by_version), *steps(finding)]
            rule = f"{attack.attack}/{finding.kind}"
            where = _lines(finding, by_path) or _whole(finding.releases or report.series.releases, files)
            result = _result((rule, places[rule]), level, lines, where)
            if report.ids_are_stable:
                result["partialFingerprints"] = {"findingId/v1": finding.id}
            yield result
    shown = {(attack.attack, attack.sensitive) for attack in report.attacks if attack.findings}
    for violation in report.policy.violations:
        if (violation.attack, violation.sensitive) not in shown:
            rule = f"policy/{violation.measure}"
            if rule not in places:  # a finding about counts is no clause, but a kind of finding
                rule = f"{violation.attack}/{violation.measure}"
            releases = report.series.releases[-1:] if violation.release is None else [violation.release]
            yield _result((rule, places[rule]), "error", [violation_text(violation)], _whole(releases, files))


def _result(
    rule: tuple[str, int], level: str, lines: Sequence[str], places: Sequence[dict[str, object]]
) -> dict[str, object]:
    return {
        "ruleId": rule[0],
        "ruleIndex": rule[1],
        "level": level,
        "message": message(*lines),
        "locations": list(places),
    }


def _whole(releases: Sequence[str], files: Mapping[str, dict[str, object]]) -> list[dict[str, object]]:
    """Return the files of some releases as locations."""
    return [location(files[tag]) for tag in releases if tag in files]


def _lines(finding: Finding[str], files: Mapping[str, dict[str, object]]) -> list[dict[str, object]]:
    """Return the lines of a finding's groups, at most a hundred stretches; none if people are hidden."""
    places = (
        location(files[file], *stretch)
        for file, lines in finding.lines()
        if file in files
        for stretch in stretches(lines)
    )
    found: list[dict[str, object]] = []
    for place in islice(places, _MOST_PLACES):
        if place not in found:
            found.append(place)
    return found


def _files(report: Report, folder: str) -> tuple[dict[str, dict[str, object]], dict[str, dict[str, object]]]:
    """Return each release's file by its tag, which is the file's name without endings, and all files by their paths."""
    files: dict[str, dict[str, object]] = {}
    by_path: dict[str, dict[str, object]] = {}
    for place, each in enumerate(report.inputs):
        tag = each.path.rsplit("/", 1)[-1]
        for ending in _ENDINGS:
            tag = tag.removesuffix(ending)
        by_path[each.path] = artifact(each.path, folder, place)
        files.setdefault(tag, by_path[each.path])
    return {tag: files[tag] for tag in report.series.releases if tag in files}, by_path
