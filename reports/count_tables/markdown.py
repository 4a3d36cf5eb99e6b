"""Markdown: a report on count tables as a page for an issue, a wiki or an archive."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.count_report import CountReport
from reports.count_tables.page import count_page
from reports.markdown import drawn


@dataclass(frozen=True)
class CountMarkdown:
    """Render a report on count tables as GitHub's Markdown."""

    name: str = "markdown"

    def render(self, report: CountReport) -> str:
        """Return the report as Markdown with a final line break."""
        return drawn(count_page(report))
