"""Formats of an audit for people, and JSON, the complete format for programs."""

from __future__ import annotations

from audit.model.report import Report
from reports import html, markdown
from reports.audit_page import audit_page, terminal_page
from reports.escaping import as_json
from reports.json_values import json_object
from reports.text import PAPER

_ROOM = 96


class Text:
    """Render a report for a terminal."""

    name = "text"

    def render(self, report: Report) -> str:
        """Return the report as lines of text."""
        paper = PAPER.get()
        return paper.drawn(terminal_page(report, means=paper.width >= _ROOM))


class Json:
    """Render a report as one JSON object."""

    name = "json"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(json_object(report))


class Markdown:
    """Render a report as GitHub's Markdown."""

    name = "markdown"

    def render(self, report: Report) -> str:
        """Return the report as Markdown with a final line break."""
        return markdown.drawn(audit_page(report))


class Html:
    """Render a report as a page."""

    name = "html"

    def render(self, report: Report) -> str:
        """Return the report as one self-contained page."""
        return html.drawn(audit_page(report))
