"""Notebook: a report in short, as Python and Jupyter show it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from audit.model.errors import printable
from audit.model.finding import Finding
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import risk_text, say, say_count
from reports.finding_text import shown_attacks
from reports.sentences import absent, fallen, reasons, seconds, status_in_words
from reports.verdict import headline

_FINDINGS_SHOWN = 5


def plain(report: Report) -> str:
    """Return the verdict, and a line for each attack."""
    lines = [f"{printable(report.series.name, 200)}: {headline(report)[0]}"]
    lines += [
        f"  {_title(each)}: {_falls(each)} ({status_in_words(each.status)}, {seconds(each)})" for each in report.attacks
    ]
    return "\n".join(lines)


def html(report: Report) -> str:
    """Return the verdict and static tables of the attacks and of the first findings; everything is escaped."""
    attacks = [
        (
            _title(a),
            status_in_words(a.status),
            _falls(a),
            risk_text(a.risks.max_risk) if "max_risk" in a.risks else "",
            seconds(a),
        )
        for a in report.attacks
    ]
    found = [finding for attack in shown_attacks(report) for finding in attack.findings]
    shown = [_row(finding) for finding in found[:_FINDINGS_SHOWN]]
    more = sum(attack.findings_total for attack in shown_attacks(report)) - len(shown)
    parts = [
        f"<p>{_text(report.series.name, 200)}<br><strong>{_text(headline(report)[0], 400)}</strong></p>",
        _list(reasons(report)),
        _table([say("attack"), say("status"), say("finds"), say("highest risk"), say("time")], attacks),
        _table([say("finding"), say("release"), say("risk"), say("id")], shown) if shown else "",
        f"<p>{say_count('{count} more finding', '{count} more findings', more)}</p>" if more else "",
    ]
    return f'<div class="series-audit">{"".join(parts)}</div>'


def _title(attack: AttackReport) -> str:
    return attack.attack if attack.sensitive is None else f"{attack.attack} ({printable(attack.sensitive)})"


def _falls(attack: AttackReport) -> str:
    return fallen(attack) if attack.ran else absent(attack)


def _row(finding: Finding[str]) -> tuple[str, str, str, str]:
    """Return what a finding says, since which release, its risk and its id."""
    said, release, risk = finding.short()
    return said, release, "" if risk is None else risk_text(risk), finding.id


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_text(line, 500)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{head}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell, 400)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str, limit: int) -> str:
    return escape(printable(text, limit))
