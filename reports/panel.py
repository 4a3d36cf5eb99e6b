"""Each release by itself, as a table for a terminal or a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit.core.errors import printable
from audit.core.report import ReleasePanel, Report
from reports.wording import number

if TYPE_CHECKING:
    from rich.console import Console

_HEADS = {
    "prosecutor_max": "prosecutor\nhighest",
    "prosecutor_mean": "\nmean",
    "journalist_max": "journalist\nhighest",
    "journalist_mean": "\nmean",
    "marketer": "marketer",
    "uniqueness": "alone",
}


def print_panel(console: Console, report: Report, *, releases: int, roomy: bool) -> list[str]:
    """Print the last so many releases, each by itself, and return what is to be said below.

    The attribute stands beside where there are several; the journalist's risk where there is one. Means are left out
    where there is little room.
    """
    from rich.table import Table

    tags = set(report.series.releases[-releases:])
    shown = [each for each in report.panel if each.release in tags]
    if not shown:
        return []
    several = any(each.sensitive is not None for each in shown)
    risks = [name for name in _HEADS if roomy or not name.endswith("_mean")]
    if all(each.journalist_max is None for each in shown):
        risks = [name for name in risks if not name.startswith("journalist")]
    table = Table(box=None, pad_edge=False, padding=(0, 1 if several else 2, 0, 0))
    table.add_column("release", header_style="bold")
    if several:
        table.add_column("sensitive", header_style="bold")
    for head in ("k", "l", "entropy\nl", "t", *(_HEADS[name] for name in risks)):
        table.add_column(head, justify="right", header_style="bold")
    for each in shown:
        names = [printable(each.release), *([printable(each.sensitive or "")] if several else [])]
        table.add_row(*names, *_measures(each), *(_risk(getattr(each, name)) for name in risks))
    last = f", the last {releases} of {len(report.series.releases)}" if len(report.series.releases) > releases else ""
    console.print(f"Each release by itself{last}", style="bold")
    console.print(table)
    reasons = dict.fromkeys(each.no_journalist for each in shown if each.no_journalist is not None)
    return [f"No journalist's risk: {reason}." for reason in reasons]


def _measures(each: ReleasePanel) -> list[str]:
    return [f"{each.k:,}", f"{each.distinct_l:,}", f"{each.entropy_l:,.2f}", number(each.t)]


def _risk(value: float | None) -> str:
    return "" if value is None else number(value)
