"""Formats for programs: SARIF for code scanning, JUnit for CI servers, and what they get when the input is wrong.

SARIF 2.1.0 has the findings, with the release files as their places. Source: OASIS, *Static Analysis Results
Interchange Format (SARIF) Version 2.1.0*, sections 3.11 (messages), 3.14 (runs), 3.17 (automation details), 3.20
(invocations), 3.24 (artifacts), 3.27 (results), 3.29 (physical locations), 3.30 (regions), 3.49 (rules).

In JUnit XML each clause of the policy is a test case, so that any CI server shows which one fails. The dialect is the
one that Jenkins, GitLab and GitHub's test reporters read: `testsuite` with `testcase`s, each of which may have one
`failure` (the clause is violated), `error` (it is undecided) or `skipped` (not asked, or nothing in this series can
decide it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from posixpath import join
from typing import Annotated, ClassVar, Literal
from urllib.parse import quote
from xml.etree import ElementTree as ET

from audit.clauses.registry import CLAUSES
from audit.model.arrays import stretches
from audit.model.errors import SENTENCE, InputError, Problem
from audit.model.finding import Finding, FindingRule
from audit.model.json_types import Items
from audit.model.report import ClauseReport, Report, Tool
from audit.runtime.phrases import printable, printable_path
from audit.runtime.version import VERSION, documentation
from reports.json_values import as_json, json_object
from reports.markdown import escaped
from reports.sentences import broken_by, ended_early, steps, undecided, violating, violation_text, waivers, warnings
from reports.summary_text import ATTACKS as DESCRIBED
from reports.text import PAPER
from reports.verdict import contradicted, headline

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
_PAGES = {
    **{name: f"attacks/{name}.md" for name in DESCRIBED},
    "policy": "policy.md",
    "differencing": "tables.md",
}
_LINES_OF_TEXT = (".csv", ".tsv", ".txt", ".toml")


def log(run: Mapping[str, object]) -> str:
    """Return a log with one run, as indented JSON with a final line break."""
    return as_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def tool(version: str, rules: Mapping[str, FindingRule]) -> dict[str, object]:
    """Return the tool with its rules; rules of attacks described here have a link."""
    described = [
        {
            "id": name,
            "shortDescription": {"text": what},
            "fullDescription": {"text": what},
            "help": {"text": remedy, "markdown": _in_markdown(what, remedy, help_link(name).get("helpUri"))},
            **help_link(name),
        }
        for name, (what, remedy) in rules.items()
    ]
    home = documentation()
    about = {} if home is None else {"informationUri": home}
    return {"driver": {"name": "series-audit", "version": version, **about, "rules": described}}


def _in_markdown(what: str, remedy: str, page: str | None) -> str:
    """Return the subject of a rule and what to do, for viewers of Markdown."""
    described = f"**{escaped(what)}**\n\n{escaped(remedy)}"
    return described if page is None else f"{described}\n\n[{page.rsplit('/', 1)[-1]}](<{page}>)"


def help_link(rule: str) -> dict[str, str]:
    """Return the page about a rule; none for attacks of other packages, or if the package names no pages.

    >>> help_link("another-package/disclosure")
    {}
    """
    home, page = documentation(), _PAGES.get(rule.partition("/")[0])
    return {} if home is None or page is None else {"helpUri": f"{home}/{page}"}


def automation(series: str, folder: str = "") -> dict[str, str]:
    """Return the identity of runs on one series among those in the same repository.

    >>> automation("Ward", "data/published")
    {'id': 'series-audit/data/published/'}
    """
    return {"id": f"series-audit/{uri(folder or printable(series, 200))}/"}


def uri(path: str, folder: str = "") -> str:
    """Return a path of the series as a URI relative to the root; `folder` is the folder of the series."""
    return quote(join(folder, path), errors="surrogateescape")


def artifact(path: str, folder: str, index: int | None = None) -> dict[str, object]:
    """Return a file of the series; `index` is its index in the list of artifacts."""
    place: dict[str, object] = {"uri": uri(path, folder), "uriBaseId": ROOT}
    return place if index is None else {**place, "index": index}


def location(where: Mapping[str, object], first: int | None = None, last: int | None = None) -> dict[str, object]:
    """Return a location: a file, and its lines if it has any."""
    place: dict[str, object] = {"artifactLocation": where}
    if first is not None and str(where["uri"]).endswith(_LINES_OF_TEXT):
        place["region"] = {"startLine": first, **({} if last in (None, first) else {"endLine": last})}
    return {"physicalLocation": place}


def message(*lines: str) -> dict[str, str]:
    """Return a plain text message; braces would be placeholders, and brackets might be links."""
    text = "\n".join(line.replace("{", "{{").replace("}", "}}") for line in lines)
    return {"text": text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")}


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
            [headline(report)[0], *waivers(report), *warnings(report), *_findings_in_words(report)]
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


def _findings_in_words(report: Report) -> Iterator[str]:
    """Yield the findings that are shown, each with its certificate below it."""
    for attack in report.attacks:
        for finding in attack.findings:
            yield f"{attack.attack}: {finding.sentence(by_version=attack.measures.by_version)}"
            yield from (f"  {step}" for step in steps(finding))


_LONGEST_LINE = 1500


@dataclass(frozen=True)
class ErrorEntry:
    """One problem.

    Attributes:
        file: its file, relative to the series if it is inside; null if the problem is not in a file.
        line: counted from 1, the header included; null for the whole file.
        column: the column's name, or null.
        message: the problem.
        remedy: what to do about it; null if the message contains it.
    """

    file: str | None
    line: int | None
    column: str | None
    message: str
    remedy: str | None


@dataclass(frozen=True)
class ErrorDocument:
    """What a command writes on standard output with --format json when usage or input is wrong (exit code 2).

    Attributes:
        schema_version: the version of this form.
        tool: what made this.
        exit_code: the exit code of the command.
        problems: all problems.
    """

    schema_version: ClassVar[Literal[2]] = 2
    exit_code: ClassVar[Literal[2]] = 2
    tool: Tool
    problems: Annotated[tuple[ErrorEntry, ...], Items(1)]


def written(form: str, error: BaseException, lines: Sequence[str], series: str, folder: str) -> str:
    """Return the document of an error, as JSON or SARIF.

    Args:
        form: `json` or `sarif`.
        error: the error.
        lines: the text on standard error.
        series: the name of the series' folder.
        folder: the series' folder in its repository; empty outside a repository.
    """
    entries = tuple(map(_of_line, lines))
    if isinstance(error, InputError):
        entries = tuple(map(_of_problem, error.problems))
    if form == "sarif":
        return _errors_in_sarif(entries, series, folder)
    return as_json(json_object(ErrorDocument(Tool(VERSION), entries)))


def _of_problem(problem: Problem) -> ErrorEntry:
    return ErrorEntry(
        file=printable_path(problem.file),
        line=problem.line,
        column=None if problem.column is None else printable(problem.column),
        message=printable(problem.what, SENTENCE),
        remedy=printable(problem.remedy, SENTENCE),
    )


def _of_line(line: str) -> ErrorEntry:
    """Return an error of usage as an entry: its message, and what to do."""
    what, mark, remedy = printable(line, _LONGEST_LINE).rpartition("; ")
    return ErrorEntry(None, None, None, what if mark else remedy, remedy if mark else None)


def _errors_in_sarif(entries: Sequence[ErrorEntry], series: str, folder: str) -> str:
    """Return the problems as notifications of a run without results: the run searched for none."""
    notifications = [_notification(each, folder) for each in entries]
    invocation = {"executionSuccessful": False, "exitCode": 2, "toolExecutionNotifications": notifications}
    about = {"tool": tool(VERSION, {}), "automationDetails": automation(series, folder)}
    return log({**about, "invocations": [invocation]})


def _notification(entry: ErrorEntry, folder: str) -> dict[str, object]:
    column = "" if entry.column is None else f'column "{entry.column}": '
    said = f"{column}{entry.message}" if entry.remedy is None else f"{column}{entry.message}; {entry.remedy}"
    notification: dict[str, object] = {"level": "error", "message": message(said)}
    if entry.file is None or entry.file.startswith("/") or ":" in entry.file or ".." in entry.file:
        return notification if entry.file is None else {**notification, "message": message(f"{entry.file}: {said}")}
    return {**notification, "locations": [location(artifact(entry.file, folder), entry.line)]}
