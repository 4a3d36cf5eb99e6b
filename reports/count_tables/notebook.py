"""Notebook: a report on count tables in short, as Python and Jupyter show it."""

from __future__ import annotations

from html import escape

from audit.model.count_report import CountReport
from audit.model.errors import printable
from audit.runtime.phrases import say, say_count
from reports.count_tables.sentences import KINDS, headline, reasons, sentence

_FINDINGS_SHOWN = 5


def plain(report: CountReport) -> str:
    """Return the verdict, and a line for each kind of finding."""
    return "\n".join(
        [f"{printable(report.series.name, 200)}: {headline(report)[0]}", *map("  {}".format, reasons(report))]
    )


def html(report: CountReport) -> str:
    """Return the verdict and a static table of the first findings; everything is escaped."""
    shown = report.attack.findings[:_FINDINGS_SHOWN]
    more = report.attack.findings_total - len(shown)
    name, verdict = escape(printable(report.series.name, 200)), escape(headline(report)[0])
    rows = [(str(KINDS[each.kind]), sentence(each, report), each.id) for each in shown]
    head = "".join(f"<th>{escape(title)}</th>" for title in ("", say("finding"), say("id")))
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    parts = [
        f"<p>{name}<br><strong>{verdict}</strong></p>",
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else "",
        f"<p>{escape(say_count('{count} more finding', '{count} more findings', more))}</p>" if more else "",
    ]
    return f'<div class="series-audit">{"".join(parts)}</div>'
