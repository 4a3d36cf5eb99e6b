"""A report on count tables for machines that show findings: SARIF, JUnit, GitHub Actions."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from audit.model.count_report import CountFinding, CountReport
from audit.model.errors import printable
from audit.model.finding import FindingRule
from audit.runtime.phrases import say
from reports.count_tables.sentences import headline, reasons, sentence, steps
from reports.github import command
from reports.sarif_log import artifact, automation, location, log, message, tool

_RULES = {
    "recovered": "A small or hidden count can be told exactly.",
    "narrowed": "A hidden count has fewer possible values left than the policy asks.",
    "small": "A count is certainly smaller than the least that may be known.",
    "all": "Everybody who is counted in a cell is of one kind.",
}
_REMEDY = "Hide further cells in the same lines, or round coarser and by one rule in all tables and rates."


@dataclass(frozen=True)
class CountSarif:
    """Render a report on count tables as a SARIF log; findings point at the lines of the numbers that show them."""

    name: str = "sarif"
    folder: str = ""

    def render(self, report: CountReport) -> str:
        """Return the report as indented JSON with a final line break."""
        rules = {f"differencing/{kind}": FindingRule(what, _REMEDY) for kind, what in _RULES.items()}
        told = [{"level": "warning", "message": message(f"{u.measure}: {u.reason}")} for u in report.policy.undecided]
        files = {each.path: artifact(each.path, self.folder, place) for place, each in enumerate(report.inputs)}
        run = {
            "tool": tool(report.tool_version, rules),
            "automationDetails": automation(report.series.name, self.folder),
            "invocations": [
                {
                    "executionSuccessful": not report.policy.undecided,
                    "toolExecutionNotifications": [*told, {"level": "note", "message": message(headline(report)[0])}],
                }
            ],
            "artifacts": [{"location": files[each.path], "hashes": {"sha-256": each.sha256}} for each in report.inputs],
            "results": [_result(each, report, files) for each in report.attack.findings],
        }
        return log(run)


def _result(finding: CountFinding, report: CountReport, files: dict[str, dict[str, object]]) -> dict[str, object]:
    places = {(each.file, each.line): None for each in finding.terms}
    return {
        "ruleId": f"differencing/{finding.kind}",
        "ruleIndex": list(_RULES).index(finding.kind),
        "level": "error",
        "message": message(sentence(finding, report), *steps(finding, report)),
        "locations": [location(files[file], line) for file, line in places if file is not None],
        "partialFingerprints": {"findingId/v1": finding.id},
    }


@dataclass(frozen=True)
class CountGitHub:
    """Render a report on count tables as workflow commands, the verdict last."""

    name: str = "github"

    def render(self, report: CountReport) -> str:
        """Return one command a line, with a final line break."""
        lines = [
            command("error", finding.kind, "\n".join([sentence(finding, report), *steps(finding, report)]))
            for finding in report.attack.findings
        ]
        lines += [
            command("warning", say("not decided"), f"{each.measure}: {each.reason}") for each in report.policy.undecided
        ]
        lines.append(command("notice", "series-audit", headline(report)[0]))
        return "".join(f"{line}\n" for line in lines)


@dataclass(frozen=True)
class CountJUnit:
    """Render a report on count tables as one JUnit test suite, a case for each clause of the policy."""

    name: str = "junit"

    def render(self, report: CountReport) -> str:
        """Return indented XML with a final line break."""
        states = [each.state for each in report.policy.clauses]
        suite = ET.Element(
            "testsuite",
            name=f"series-audit: {printable(report.series.name, 200)}",
            tests=str(len(states)),
            failures=str(states.count("violated")),
            errors=str(states.count("undecided")),
            time=f"{report.attack.seconds:.3f}",
        )
        for clause in report.policy.clauses:
            case = ET.SubElement(
                suite, "testcase", classname="policy", name=f"{clause.clause} {clause.limit:g}", time="0"
            )
            if clause.state != "holds":
                tag = "failure" if clause.state == "violated" else "error"
                ET.SubElement(case, tag, message="; ".join(reasons(report)), type=clause.state)
        told = [sentence(finding, report) for finding in report.attack.findings]
        ET.SubElement(suite, "system-out").text = "\n".join([headline(report)[0], *told])
        ET.indent(suite)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"
