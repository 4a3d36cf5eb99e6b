"""HTML: a report on count tables as one file to read, print, sign and keep; it needs no network and no script."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.count_report import CountReport
from reports.count_tables.page import count_page
from reports.html import drawn


@dataclass(frozen=True)
class CountHtml:
    """Render a report on count tables as a page."""

    name: str = "html"

    def render(self, report: CountReport) -> str:
        """Return the report as one self-contained page."""
        return drawn(count_page(report))
