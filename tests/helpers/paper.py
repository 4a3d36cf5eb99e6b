"""Render reports as text of a given width, and parts of pages as HTML."""

import re

from audit.model.report import Report
from audit.runtime.phrases import PLACES
from reports import html
from reports.charts import Chart
from reports.formats import Text
from reports.page import Block, Figures, Page, Section
from reports.text import PAPER, Paper


def on_paper(report: Report, width: int, series: str = "SERIES") -> str:
    """Return a report as text for a terminal of a given width."""
    before, places = PAPER.set(Paper(width=width)), PLACES.set({"SERIES": series})
    try:
        return Text().render(report)
    finally:
        PAPER.reset(before)
        PLACES.reset(places)


def drawn(*blocks: Block) -> str:
    """Blocks as a page in HTML."""
    return html.drawn(Page("t", inside=False, mark="m", sheet="s", head=[], sections=[Section("one", blocks)]))


def picture(chart: Chart) -> str:
    """Return a chart as a page draws it."""
    [svg] = re.findall(r"<svg.*?</svg>", drawn(Figures([chart])), re.DOTALL)
    return svg
