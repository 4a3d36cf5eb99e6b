"""Formats of an audit for people, and JSON, the complete format for programs."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.report import Report
from reports import html, markdown
from reports.audit_page import audit_page, terminal_page
from reports.escaping import as_json
from reports.json_values import json_object
from reports.text import PAPER

_ROOM = 96


@dataclass(frozen=True)
class Text:
    """Render a report for a terminal."""

    name: str = "text"

    def render(self, report: Report) -> str:
        """Return the report as lines of text."""
        paper = PAPER.get()
        return paper.drawn(terminal_page(report, paper.series, means=paper.width >= _ROOM))


@dataclass(frozen=True)
class Json:
    """Render a report as one JSON object."""

    name: str = "json"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(json_object(report))


@dataclass(frozen=True)
class Markdown:
    """Render a report as GitHub's Markdown."""

    name: str = "markdown"

    def render(self, report: Report) -> str:
        """Return the report as Markdown with a final line break."""
        return markdown.drawn(audit_page(report))


@dataclass(frozen=True)
class Html:
    """Render a report as a page."""

    name: str = "html"

    def render(self, report: Report) -> str:
        """Return the report as one self-contained page."""
        return html.drawn(audit_page(report))
