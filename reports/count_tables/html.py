"""HTML: a report on count tables as one file to read, print, sign and keep; it needs no network and no script."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.count_report import CountReport
from audit.model.errors import printable
from reports.count_tables.sentences import (
    adversary,
    advice,
    cell_name,
    checked,
    facts,
    headline,
    measured,
    reasons,
    sentence,
    steps,
    waiver_lines,
)
from reports.html import page


@dataclass(frozen=True)
class CountHtml:
    """Render a report on count tables as a page."""

    name: str = "html"

    def render(self, report: CountReport) -> str:
        """Return the report as one self-contained page."""
        verdict, colour = headline(report)
        return page(
            "count_report.html.j2",
            internal=False,
            title=f"Audit of {printable(report.series.name, 200)}",
            report=report,
            said=[facts(report), adversary(report)],
            verdict=verdict,
            colour=colour,
            sign={"red": "✗", "yellow": "?", "green": "✓"}[colour],
            grounds=list(reasons(report)),
            measured=measured(report),
            findings=[(each, sentence(each, report), list(steps(each, report))) for each in report.attack.findings],
            pictures={each.finding: each for each in report.pictures},
            where={each.finding: cell_name(each.fixed, report.series.totals) for each in report.pictures},
            checked=checked(report),
            waived=list(waiver_lines(report)),
            todo=list(advice(report)),
        )
