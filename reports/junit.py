"""JUnit XML: each clause of the policy is a test case, so that any CI server shows which one fails.

The dialect is the one that Jenkins, GitLab and GitHub's test reporters read: `testsuite` with `testcase`s, each of
which may have one `failure` (the clause is violated), `error` (it is undecided) or `skipped` (not asked, or nothing
in this series can decide it).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from audit.model.errors import SENTENCE
from audit.model.report import ClauseReport, Report
from audit.runtime.phrases import printable
from reports.sentences import broken_by, steps, violation_text, waivers, warnings
from reports.verdict import headline

_TAGS = {"violated": "failure", "undecided": "error", "not asked": "skipped", "not judged": "skipped"}


class JUnit:
    """Render a report as one JUnit test suite."""

    name = "junit"

    def render(self, report: Report) -> str:
        """Return indented XML with a final line break."""
        # A report about one person decides no clause.
        clauses = report.policy.clauses if report.about is None else ()
        states = [each.state for each in clauses]
        seconds = sum(attack.seconds for attack in report.attacks)
        suite = ET.Element(
            "testsuite",
            name=f"series-audit: {printable(report.series.name, 200)}",
            tests=str(len(states)),
            failures=str(states.count("violated")),
            errors=str(states.count("undecided")),
            skipped=str(states.count("not asked") + states.count("not judged")),
            time=f"{seconds:.3f}",
        )
        for clause in clauses:
            _case(suite, clause, report)
        ET.SubElement(suite, "system-out").text = "\n".join(
            [headline(report)[0], *waivers(report), *warnings(report), *_findings(report)]
        )
        ET.indent(suite)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _case(suite: ET.Element, clause: ClauseReport, report: Report) -> None:
    """Add the test case of one clause of the policy."""
    case = ET.SubElement(suite, "testcase", classname="policy", name=f"{clause.clause} {clause.limit:.12g}", time="0")
    if clause.state not in _TAGS:
        return
    why = [violation_text(each) for each in report.policy.violations if clause.clause in broken_by(each, report)]
    message = "; ".join(why) or printable(clause.reason or clause.state, SENTENCE)
    ET.SubElement(case, _TAGS[clause.state], message=message, type=clause.state)


def _findings(report: Report) -> Iterator[str]:
    """Yield the findings that are shown, each with its certificate below it."""
    for attack in report.attacks:
        for finding in attack.findings:
            yield f"{attack.attack}: {finding.sentence(by_version=attack.measures.by_version)}"
            yield from (f"  {step}" for step in steps(finding))
