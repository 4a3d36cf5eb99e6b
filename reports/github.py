"""Annotations of GitHub Actions: lines that a workflow's log shows beside the run, and in the diff for a file.

Source: GitHub, *Workflow commands for GitHub Actions* (`::error file=…,title=…::message`), where `%`, line breaks and,
in properties, `:` and `,` are written as percent codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from audit.model.report import Report
from audit.runtime.phrases import say
from reports.repair import recommended
from reports.sentences import broken_by, steps, undecided, violation_text, waivers, warnings
from reports.verdict import contradicted, headline


class GitHub:
    """Render a report as workflow commands, the verdict last."""

    name = "github"

    def render(self, report: Report) -> str:
        """Return one command a line, with a final line break."""
        return "".join(f"{line}\n" for line in _commands(report))


def _commands(report: Report) -> Iterator[str]:
    if report.contradictions:
        yield command("error", say("the assumptions do not hold"), contradicted(report))
    for violation in report.policy.violations:
        title = say("{clause} is violated", clause=", ".join(broken_by(violation, report)))
        yield command("error", title, violation_text(violation))
    for attack in report.attacks:
        for finding in attack.findings:
            lines = [finding.sentence(by_version=attack.measures.by_version), *steps(finding)]
            yield command("warning", attack.attack, "\n".join(lines))
    for line in undecided(report):
        yield command("warning", say("not decided"), line)
    news = tuple(each for each in report.warnings if each.kind == "candidate")
    for line in warnings(replace(report, warnings=report.warnings[len(news) :])):
        yield command("warning", say("irregular input"), line)
    if news:
        changes = "\n".join(warnings(replace(report, warnings=news)))
        yield command("notice", say("What the candidate changes"), changes)
    if (found := recommended(report)) is not None:
        yield command("notice", say("recommendation"), str(found))
    for line in waivers(report):
        yield command("notice", say("waiver"), line)
    yield command("notice", "series-audit", headline(report)[0])


def command(level: str, title: str, message: str) -> str:
    r"""Return a workflow command with its texts escaped.

    >>> command("error", "k: 2, violated", "50 % of\nall")
    '::error title=k%3A 2%2C violated::50 %25 of%0Aall'
    """
    return f"::{level} title={_escaped(title, ':,')}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + more else c for c in text)
