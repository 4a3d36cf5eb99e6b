"""Markdown: the report as a page for an issue, a wiki or an archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from audit.model.errors import printable
from audit.model.report import AttackReport, Report
from audit.model.words import number
from reports.escaping import markdown as escaped
from reports.finding_text import REPEATED, sentence, steps, timelines, told
from reports.release_risk import panel
from reports.sentences import (
    CONTRADICTED,
    absent,
    adversary,
    advice,
    contradicted,
    counted,
    facts,
    fallen,
    fingerprint,
    headline,
    named,
    notes,
    people,
    seconds,
    secrecy,
    settings,
    undecided,
    violated,
    waivers,
    warnings,
)


@dataclass(frozen=True)
class Markdown:
    """Render a report as GitHub's Markdown; every line with somebody else's words is escaped as a whole."""

    name: str = "markdown"

    def render(self, report: Report) -> str:
        """Return the report as Markdown with a final line break."""
        parts = (
            _head(report),
            _verdict(report),
            _section("The files", _list(warnings(report))),
            _ladder(report),
            _timeline(report),
            _panel(report),
            _section("People found", _list(people(report))),
            *(_findings(attack) for attack in told(report)),
            _open(report),
            _section("Waivers", _list(waivers(report))),
            _section("What to do next", _list(advice(report))),
            _provenance(report),
        )
        return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _head(report: Report) -> Iterator[str]:
    yield f"# {escaped(printable(report.series.name, 200)) or 'A series'}"
    yield ""
    if report.revealed:
        yield "**INTERNAL: names people.** Keep this report inside."
    else:
        yield "**Shareable:** people have pseudonyms, and their quasi-identifiers are left out."
    yield ""
    yield escaped(facts(report) + ".")
    yield escaped(adversary(report))
    yield ""


def _verdict(report: Report) -> Iterator[str]:
    yield "## Verdict"
    yield ""
    if report.contradictions:
        yield f"**{escaped(contradicted(report))}** {escaped(CONTRADICTED)}"
        yield ""
    yield f"**{escaped(headline(report)[0])}**"
    yield ""
    yield from _list(violated(report))


def _ladder(report: Report) -> Iterator[str]:
    rungs = {(rung.attack, rung.sensitive): rung for rung in report.ladder}
    rows = []
    for attack in report.attacks:
        if attack.status == "skipped":
            rows.append([named(attack), attack.status, absent(attack), *[""] * 5])
            continue
        rung, m = rungs.get((attack.attack, attack.sensitive)), attack.risks
        people = ["", ""] if rung is None else [f"{rung.beyond:,}", f"{rung.so_far:,}"]
        risks = [number(m[risk]) if risk in m else "" for risk in ("max_risk", "mean_risk")]
        rows.append([named(attack), attack.status, fallen(attack), *people, *risks, seconds(attack)])
    head = ["attack", "status", "what falls", "new people", "so far", "highest risk", "mean risk", "time"]
    yield from _section("Attacks", _table(head, rows, words=3))
    repeated = [REPEATED] if len(told(report)) < len(report.attacks) else []
    yield from _list([*notes(report), *repeated])


def _timeline(report: Report) -> Iterator[str]:
    shown = [(attack, line) for attack, line in timelines(report) if any(line)]
    if not shown:
        return
    head = ["after release", *(f"{counted(attack)} by {named(attack)}" for attack, _ in shown)]
    rows = [
        [printable(tag), *(f"{line[place]:,}" if place < len(line) else "?" for _, line in shown)]
        for place, tag in enumerate(report.series.releases)
    ]
    yield from _section("Timeline", _table(head, rows, words=1))


def _panel(report: Report) -> Iterator[str]:
    shown = panel(report)
    if shown.rows:
        yield from _section("Each release by itself", _table(shown.whole_heads, shown.rows, words=1))
        yield from _list(shown.notes)


def _findings(attack: AttackReport) -> Iterator[str]:
    if not attack.findings_total:
        return
    shown, total = len(attack.findings), attack.findings_total
    some = f"{shown:,} of {total:,}" if shown < total else f"{total:,}"
    yield f"## {escaped(f'Findings of {named(attack)}')} ({some})"
    yield ""
    for finding in attack.findings:
        yield f"* {escaped(sentence(finding, by_version=attack.measures.by_version))} `{finding.id}`"
        for step in steps(finding):
            deeper = "  " * ((len(step) - len(step.lstrip())) // 2) if attack.attack == "joint" else ""
            yield f"  {deeper}* {escaped(step)}"
    if shown < total:
        yield f"* {total - shown:,} more: `--findings all`"
    yield ""


def _open(report: Report) -> Iterator[str]:
    """Yield what this audit does not tell."""
    lines = [*undecided(report)]
    lines += [f"{named(a)} is {a.status}: {printable(a.reason, 400)}" for a in report.attacks if a.reason]
    yield from _section("What was not decided", _list(lines) if lines else ["Nothing.", ""])


def _provenance(report: Report) -> Iterator[str]:
    rows = [[printable(each.path, 200), f"{each.rows:,}", fingerprint(each)] for each in report.inputs]
    yield from _section("Inputs", _table(["file", "rows", "SHA-256"], rows, words=3))
    lines = [settings(report), *secrecy(report), f"Made by series-audit {report.tool_version}."]
    yield from _section("Settings", _list(lines))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines under their title, or nothing when there are none."""
    body = list(lines)
    if body:
        yield from (f"## {title}", "", *body)


def _list(lines: Iterable[str]) -> Iterator[str]:
    body = [f"* {escaped(line)}" for line in lines]
    if body:
        yield from (*body, "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int) -> Iterator[str]:
    """Yield a table whose first columns are `words`, the others numbers."""
    yield _row(head)
    yield f"|{'---|' * words}{'---:|' * (len(head) - words)}"
    yield from (_row(row) for row in rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"
