"""Formats of an audit for people, and JSON, the complete format for programs."""

from __future__ import annotations

from typing import ClassVar

from audit.model.report import Report
from reports.audit_page import audit_page, terminal_page
from reports.frames import frames
from reports.page import Page
from reports.text import PAPER

_ROOM = 96


def _for_terminal(report: Report) -> Page:
    return terminal_page(report, means=PAPER.get().width >= _ROOM)


_FRAMES = {**frames(audit_page), "text": frames(_for_terminal)["text"]}


class _Framed:
    name: ClassVar[str]

    def render(self, report: Report) -> str:
        """Return the report in this format, with a final line break."""
        return _FRAMES[self.name](report)


class Text(_Framed):
    """Render a report for a terminal."""

    name = "text"


class Json(_Framed):
    """Render a report as one JSON object."""

    name = "json"


class Markdown(_Framed):
    """Render a report as GitHub's Markdown."""

    name = "markdown"


class Html(_Framed):
    """Render a report as a page."""

    name = "html"
