"""Notebook: a report in short, as Python and Jupyter show it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from audit.model.errors import printable
from audit.model.report import (
    AttackReport,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    NamedNarrowed,
    Report,
)
from audit.model.words import number, plural
from reports.finding_text import told
from reports.sentences import absent, fallen, headline, multiset, reasons, seconds

_FINDINGS_SHOWN = 5
_ATTACK_HEADS = ("attack", "status", "what falls", "highest risk", "time")
_FINDING_HEADS = ("finding", "release", "risk", "id")


def plain(report: Report) -> str:
    """Return the verdict, and a line for each attack."""
    lines = [f"{printable(report.series.name, 200)}: {headline(report)[0]}"]
    lines += [f"  {_title(each)}: {_falls(each)} ({each.status}, {seconds(each)})" for each in report.attacks]
    return "\n".join(lines)


def html(report: Report) -> str:
    """Return the verdict and static tables of the attacks and of the first findings; everything is escaped."""
    attacks = [
        (_title(a), a.status, _falls(a), number(a.risks.max_risk) if "max_risk" in a.risks else "", seconds(a))
        for a in report.attacks
    ]
    found = [finding for attack in told(report) for finding in attack.findings]
    shown = [_row(finding) for finding in found[:_FINDINGS_SHOWN]]
    total = sum(attack.findings_total for attack in told(report))
    parts = [
        f"<p>{_text(report.series.name, 200)}<br><strong>{_text(headline(report)[0], 400)}</strong></p>",
        _list(reasons(report)),
        _table(_ATTACK_HEADS, attacks),
        _table(_FINDING_HEADS, shown) if shown else "",
        f"<p>{plural(total - len(shown), 'more finding')}</p>" if total > len(shown) else "",
    ]
    return f'<div class="series-audit">{"".join(parts)}</div>'


def _title(attack: AttackReport) -> str:
    return attack.attack if attack.sensitive is None else f"{attack.attack} ({printable(attack.sensitive)})"


def _falls(attack: AttackReport) -> str:
    return absent(attack) if attack.status == "skipped" else fallen(attack)


def _row(finding: NamedFinding) -> tuple[str, str, str, str]:
    """Return what a finding says, since which release, its risk and its id."""
    if isinstance(finding, NamedEquivalence):
        has = "has" if finding.e == 1 else "have"
        return f"{multiset(finding.left)} {has} the same as {multiset(finding.right)}", "", "", finding.id
    if isinstance(finding, NamedLinkage):
        said = f"somebody new in release {printable(finding.first)}: {plural(finding.rows, 'row')} left"
    elif isinstance(finding, NamedGroup):
        said = f"group {printable(finding.group)} ({plural(finding.rows, 'row')}) has {printable(finding.value)}"
    elif isinstance(finding, NamedNarrowed):
        said = f"{printable(finding.record)}: {finding.class_size:,} left in its class"
    else:
        said = f"{printable(finding.individual)} has {printable(finding.value or 'some value')}"
    return said, finding.release, number(finding.risk), finding.id


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_text(line, 500)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{head}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell, 400)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str, limit: int) -> str:
    return escape(printable(text, limit))
