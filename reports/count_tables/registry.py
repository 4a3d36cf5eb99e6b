"""All formats of reports on count tables, by their names on the command line."""

from __future__ import annotations

from typing import Protocol

from audit.model.count_report import CountReport
from reports.count_tables.annotations import CountGitHub, CountJUnit, CountSarif
from reports.count_tables.html import CountHtml
from reports.count_tables.json import CountJson
from reports.count_tables.markdown import CountMarkdown
from reports.count_tables.text import CountText


class CountFormat(Protocol):
    """A way to write a report on count tables down."""

    def render(self, report: CountReport) -> str:
        """Return the report in this format, with a final line break."""


COUNT_FORMATS: dict[str, CountFormat] = {
    "text": CountText(),
    "json": CountJson(),
    "markdown": CountMarkdown(),
    "html": CountHtml(),
    "sarif": CountSarif(),
    "junit": CountJUnit(),
    "github": CountGitHub(),
}
