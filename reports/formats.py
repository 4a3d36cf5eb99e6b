"""Formats: a page of blocks and its data in every format that a command offers, and those of an audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeVar

from audit.model.report import Report
from reports import html, markdown
from reports.json_values import as_json, json_object
from reports.page import Page
from reports.text import PAPER

T = TypeVar("T")
FORMS = ("text", "json", "markdown", "html")
"""The names of these formats."""
_ROOM = 96


def frames(
    page: Callable[[T], Page], document: Callable[[T], object] = lambda answer: answer
) -> Mapping[str, Callable[[T], str]]:
    """Return the formats of an answer by name: its page as text, Markdown or HTML, its document as JSON."""
    return {
        "text": lambda answer: PAPER.get().drawn(page(answer)),
        "json": lambda answer: as_json(json_object(document(answer))),
        "markdown": lambda answer: markdown.drawn(page(answer)),
        "html": lambda answer: html.drawn(page(answer)),
    }


class _Framed:
    name: ClassVar[str]

    def render(self, report: Report) -> str:
        """Return the report in this format, with a final line break."""
        return frames(self._page)[self.name](report)

    def _page(self, report: Report) -> Page:
        from reports.audit_page import audit_page

        return audit_page(report)


class Text(_Framed):
    """Render a report for a terminal."""

    name = "text"

    def _page(self, report: Report) -> Page:
        from reports.audit_page import terminal_page

        return terminal_page(report, means=PAPER.get().width >= _ROOM)


class Json(_Framed):
    """Render a report as one JSON object."""

    name = "json"


class Markdown(_Framed):
    """Render a report as GitHub's Markdown."""

    name = "markdown"


class Html(_Framed):
    """Render a report as a page."""

    name = "html"
