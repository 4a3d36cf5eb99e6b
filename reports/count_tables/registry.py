"""All formats of reports on count tables, by their names on the command line."""

from __future__ import annotations

from typing import Protocol

from audit.model.count_report import CountReport
from audit.model.errors import UsageError, printable
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


def count_format(name: str) -> CountFormat:
    """Return the format of a name.

    Raises:
        UsageError: there is none.
    """
    if name not in COUNT_FORMATS:
        known = ", ".join(COUNT_FORMATS)
        raise UsageError(f"there is no format {printable(str(name))} of count tables; choose from {known}")
    return COUNT_FORMATS[name]
