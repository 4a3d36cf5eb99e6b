"""All formats, by their names on the command line."""

from __future__ import annotations

from typing import Protocol

from audit.core.report import Report
from reports.html import Html
from reports.json import Json
from reports.markdown import Markdown
from reports.sarif import Sarif
from reports.text import Text


class Format(Protocol):
    """A way to write a report down."""

    @property
    def ident(self) -> str:
        """The format's name on the command line."""

    def render(self, report: Report) -> str:
        """Return the report in this format, with a final line break."""


FORMATS: tuple[Format, ...] = (Text(), Json(), Markdown(), Html(), Sarif())
