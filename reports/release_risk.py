"""Each release by itself, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from audit.model.errors import printable
from audit.model.report import ColumnShare, ReleasePanel, Report
from audit.model.words import number
from reports.sentences import listing

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
_COLUMNS_SHOWN = 5
_WORTH_TELLING = 0.01


class Panel(NamedTuple):
    """A table and what is to be said below it; a line break in a head parts what two columns share from their own."""

    head: list[str]
    rows: list[list[str]]
    notes: list[str]

    @property
    def whole_heads(self) -> list[str]:
        """The heads, each by itself, in one line."""
        found: list[str] = []
        for head in self.head:
            shared, _, own = head.partition("\n")
            found.append(f"{shared} {own}".strip() if shared else f"{found[-1].split()[0]} {own}")
        return found


def panel(report: Report, *, releases: int | None = None, means: bool = True) -> Panel:
    """Return the last so many releases, each by itself; `means` tells whether there is room for mean risks.

    The attribute stands beside where there are several; the journalist's risk where there is one.
    """
    tags = set(report.series.releases[-(releases or len(report.series.releases)) :])
    shown = [each for each in report.panel if each.release in tags]
    several = any(each.sensitive is not None for each in shown)
    risks = [name for name in _HEADS if means or not name.endswith("_mean")]
    if all(each.journalist_max is None for each in shown):
        risks = [name for name in risks if not name.startswith("journalist")]
    head = [
        "release",
        *(["sensitive"] if several else []),
        "k",
        "l",
        "entropy\nl",
        "t",
        *(_HEADS[name] for name in risks),
    ]
    rows = [
        [
            printable(each.release),
            *([printable(each.sensitive or "")] if several else []),
            *_measures(each),
            *(_risk(getattr(each, name)) for name in risks),
        ]
        for each in shown
    ]
    reasons = dict.fromkeys(each.no_journalist for each in shown if each.no_journalist is not None)
    notes = [*_exact(shown), *_singling(shown), *(f"No journalist's risk: {reason}." for reason in reasons)]
    return Panel(head, rows, notes)


def _exact(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield that pairs publish exact quasi-identifiers, and how many people stand alone with theirs."""
    pairs = list({each.release: each for each in shown if each.exact}.values())
    if pairs:
        worst = max(pairs, key=lambda each: each.alone / each.rows)
        which = listing([each.release for each in pairs])
        yield (
            f"Exact quasi-identifiers are published in {which}: {worst.alone:,} of {worst.rows:,} rows of release "
            f"{printable(worst.release)} share theirs with no other row, so that whoever knows them finds the row."
        )


def _singling(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield which columns make rows stand alone or in small groups, each where it is worst."""
    worst: dict[str, tuple[ColumnShare, ReleasePanel]] = {}
    for each in shown:
        for share in each.singling:
            before = worst.get(share.column)
            if before is None or _told(share) > _told(before[0]):
                worst[share.column] = share, each
    for share, each in sorted(worst.values(), key=lambda pair: _told(pair[0]), reverse=True)[:_COLUMNS_SHOWN]:
        if max(_told(share)) >= _WORTH_TELLING:
            yield (
                f"{printable(share.column)}: without it {share.alone:.0%} of the rows of release "
                f"{printable(each.release)} would be alone no more, and {share.small:.0%} not in a group of fewer than "
                f"five; by itself it makes {share.by_itself:.0%} unique."
            )


def _told(share: ColumnShare) -> tuple[float, float, float]:
    return share.alone, share.small, share.by_itself


def print_panel(console: Console, report: Report, *, releases: int, roomy: bool) -> list[str]:
    """Print the last so many releases, each by itself, and return what is to be said below."""
    from rich.table import Table

    shown = panel(report, releases=releases, means=roomy)
    if not shown.rows:
        return []
    words = 1 + ("sensitive" in shown.head[1:2])
    table = Table(box=None, pad_edge=False, padding=(0, 3 - words, 0, 0))
    for place, head in enumerate(shown.head):
        table.add_column(head, justify="left" if place < words else "right", header_style="bold")
    for row in shown.rows:
        table.add_row(*row)
    last = f", the last {releases} of {len(report.series.releases)}" if len(report.series.releases) > releases else ""
    console.print(f"Each release by itself{last}", style="bold")
    console.print(table)
    return shown.notes


def _measures(each: ReleasePanel) -> list[str]:
    return [f"{each.k:,}", f"{each.distinct_l:,}", f"{each.entropy_l:,.2f}", number(each.t)]


def _risk(value: float | None) -> str:
    return "" if value is None else number(value)
