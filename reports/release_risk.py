"""Each release by itself, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from audit.findings.wording import listing
from audit.model.errors import printable
from audit.model.report import ColumnShare, ReleasePanel, Report
from audit.runtime.phrases import Phrase, figure, risk_text, say, say_count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_HEADS = {
    "prosecutor_max": Phrase("prosecutor\nhighest"),
    "prosecutor_mean": Phrase("\nmean"),
    "journalist_max": Phrase("journalist\nhighest"),
    "journalist_mean": Phrase("\nmean"),
    "marketer": Phrase("marketer"),
    "uniqueness": Phrase("alone"),
}
_COLUMNS_SHOWN = 5
_WORTH_TELLING = 0.01
_USUAL, _ROOMY = 80, 96
_NAME = 8


class Panel(NamedTuple):
    """A table and what is to be said below it; a line break in a head parts what two columns share from their own.

    `words` is how many columns are words; `marks` are the cells that break a limit of the policy.
    """

    head: list[str]
    rows: list[list[str]]
    notes: list[str]
    words: int = 1
    marks: frozenset[tuple[int, int]] = frozenset()

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
        say("release"),
        *([say("sensitive")] if several else []),
        "k",
        "l",
        say("entropy\nl"),
        "t",
        *(str(_HEADS[name]) for name in risks),
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
    broken = {(each.release, each.measure) for each in report.policy.violations if each.attack is None}
    words = 2 if several else 1
    marks = frozenset((place, words) for place, each in enumerate(shown) if (each.release, "k") in broken)
    notes = [
        *_exact(shown),
        *_fewer_people(shown),
        *_suppressed(shown),
        *(say("No journalist's risk: {reason}.", reason=reason) for reason in reasons),
    ]
    return Panel(head, rows, notes, words, marks)


def _exact(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield that pairs publish exact quasi-identifiers, and how many people stand alone with theirs."""
    pairs = list({each.release: each for each in shown if each.exact}.values())
    if pairs:
        worst = max(pairs, key=lambda each: each.alone / each.rows)
        which = listing([each.release for each in pairs])
        yield say(
            "Exact quasi-identifiers are published in {releases}: {alone} of {rows} rows of release {worst} "
            "share theirs with no other row, so that anyone who knows them can find the row.",
            releases=which,
            alone=worst.alone,
            rows=worst.rows,
            worst=printable(worst.release),
        )


def _fewer_people(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield where a class has fewer people than rows, as counterfeits are rows too."""
    held = [(each.k_people, each) for each in shown if each.k_people is not None and each.k_people < each.k]
    if held:
        people, worst = min(held, key=lambda pair: pair[0])
        yield say_count(
            "Counterfeits left out, the class of release {release} with the fewest people has {count} person; k = {k} "
            "counts rows. A k that is stated (--k, or under [policy]) counts people.",
            "Counterfeits left out, the class of release {release} with the fewest people has {count} people; k = {k} "
            "counts rows. A k that is stated (--k, or under [policy]) counts people.",
            people,
            release=printable(worst.release),
            k=worst.k,
        )


def _suppressed(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield how many rows say nothing but their value."""
    for each in {each.release: each for each in shown if each.suppressed}.values():
        yield say_count(
            "{count} row of release {release} is suppressed: it says * in every quasi-identifier, may be anyone's, and "
            "counts in no class's size.",
            "{count} rows of release {release} are suppressed: they say * in every quasi-identifier, may be anyone's, "
            "and count in no class's size.",
            each.suppressed,
            release=printable(each.release),
        )


def blamed_columns(report: Report) -> list[tuple[ColumnShare, str]]:
    """Return the columns that make rows stand alone or in small groups, each with the release where it is worst."""
    worst: dict[str, tuple[ColumnShare, str]] = {}
    for each in report.panel:
        for share in each.singling:
            before = worst.get(share.column)
            if before is None or _told(share) > _told(before[0]):
                worst[share.column] = share, each.release
    ordered = sorted(worst.values(), key=lambda pair: _told(pair[0]), reverse=True)[:_COLUMNS_SHOWN]
    return [pair for pair in ordered if max(_told(pair[0])) >= _WORTH_TELLING]


def blame(report: Report) -> Iterator[str]:
    """Yield which columns make rows stand alone or in small groups, in a sentence each."""
    for share, release in blamed_columns(report):
        yield say(
            "{column}: without this column, {alone} of the rows of release {release} would no longer be "
            "unique, and {small} would no longer be in a group of fewer than five; this column alone makes "
            "{by_itself} unique.",
            column=printable(share.column),
            release=printable(release),
            alone=figure(share.alone, ".0%"),
            small=figure(share.small, ".0%"),
            by_itself=figure(share.by_itself, ".0%"),
        )


def _told(share: ColumnShare) -> tuple[float, float, float]:
    return share.alone, share.small, share.by_itself


def print_panel(console: Console, report: Report, *, releases: int) -> list[str]:
    """Print the last so many releases, each by itself, and return what is to be said below."""
    from rich.table import Table

    shown = panel(report, releases=releases, means=console.width >= _USUAL)
    if not shown.rows:
        return []
    table = Table(box=None, pad_edge=False, padding=(0, _room(console.width, shown.words), 0, 0))
    for place, head in enumerate(shown.head):
        words = place < shown.words
        least = min(_NAME, *(len(row[place]) for row in shown.rows)) if words else None
        table.add_column(head, justify="left" if words else "right", header_style="bold", min_width=least)
    for line, row in enumerate(shown.rows):
        table.add_row(*(_cell(text, broken=(line, at) in shown.marks) for at, text in enumerate(row)))
    title, count = say("Each release by itself"), len(report.series.releases)
    if count > releases:
        title = say("Each release by itself, the last {some} of {count}", some=str(releases), count=str(count))
    console.print(title, style="bold")
    console.print(table)
    broken = [say("✗ breaks a limit of the policy.")] if shown.marks else []
    return [*broken, *shown.notes, *blame(report)]


def _room(width: int, words: int) -> int:
    """Return how many blanks stand between columns: as few as it takes for none of them to be cut."""
    return 1 if width < _ROOMY else 3 - words


def _cell(text: str, *, broken: bool) -> Text:
    from rich.text import Text

    return Text(f"✗ {text}", style="bold red") if broken else Text(text)


def _measures(each: ReleasePanel) -> list[str]:
    return [figure(each.k), figure(each.distinct_l), figure(each.entropy_l, ",.2f"), risk_text(each.t)]


def _risk(value: float | None) -> str:
    return "" if value is None else risk_text(value)
