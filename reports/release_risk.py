"""Release risk: each release by itself, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.findings.wording import listing
from audit.model.report import ColumnShare, ReleasePanel, Report
from audit.runtime.phrases import Phrase, figure, printable, risk_text, say, say_count
from reports.page import Block, Bullets, PageTable
from reports.sentences import breaking_releases

_HEADS = {
    "prosecutor_max": Phrase("prosecutor highest"),
    "prosecutor_mean": Phrase("prosecutor mean"),
    "journalist_max": Phrase("journalist highest"),
    "journalist_mean": Phrase("journalist mean"),
    "marketer": Phrase("marketer"),
    "uniqueness": Phrase("unique"),
}
_COLUMNS_SHOWN = 6


def panel(report: Report, *, last: int | None = None, means: bool = True) -> Iterator[Block]:
    """Yield a table of the last releases, each by itself, and the notes below it.

    The attribute is shown if there are several, the journalist's risk if it is known, and mean risks if `means`.
    """
    tags = report.series.releases[-(last or len(report.series.releases)) :]
    shown = [each for each in report.panel if each.release in tags]
    if not shown:
        return
    several = any(each.sensitive is not None for each in shown)
    words = 2 if several else 1
    known = any(each.journalist_max is not None for each in shown)
    risks = [
        name
        for name in _HEADS
        if (means or not name.endswith("_mean")) and (known or not name.startswith("journalist"))
    ]
    head = [say("release"), say("sensitive"), "k", "l", say("entropy l"), "t", *(str(_HEADS[name]) for name in risks)]
    rows = [
        [
            printable(each.release),
            printable(each.sensitive or ""),
            figure(each.k),
            figure(each.distinct_l),
            figure(each.entropy_l, ",.2f"),
            risk_text(each.t),
            *("" if getattr(each, name) is None else risk_text(getattr(each, name)) for name in risks),
        ]
        for each in shown
    ]
    reasons = dict.fromkeys(each.no_journalist for each in shown if each.no_journalist is not None)
    broken = breaking_releases(report)
    marks = frozenset((place, words) for place, each in enumerate(shown) if each.release in broken)
    if not several:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    yield PageTable(head, rows, words=words, marked=marks)
    yield Bullets(
        [
            *([say("✗ breaks a limit of the policy.")] if marks else []),
            *_exact(shown),
            *_fewer_people(shown),
            *_suppressed(shown),
            *(say("No journalist's risk: {reason}.", reason=reason) for reason in reasons),
        ],
        soft=True,
    )


def _exact(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield a sentence that pairs publish exact quasi-identifiers, with the number of unique people."""
    pairs = list({each.release: each for each in shown if each.exact}.values())
    if pairs:
        worst = max(pairs, key=lambda each: each.alone / each.rows)
        which = listing([each.release for each in pairs])
        yield say(
            "Exact quasi-identifiers are published in {releases}: {alone} of {rows} rows of release {worst} share "
            "theirs with no other row, so that anyone who knows them can find the row.",
            releases=which,
            alone=worst.alone,
            rows=worst.rows,
            worst=printable(worst.release),
        )


def _fewer_people(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield the classes with fewer people than rows, because counterfeits are rows too."""
    held = [(each.k_people, each) for each in shown if each.k_people is not None and each.k_people < each.k]
    if held:
        people, worst = min(held, key=lambda pair: pair[0])
        yield say_count(
            "k = {k} counts rows. Without counterfeits, and with each person counted once, the smallest class of "
            "release {release} has {count} [person|people]. A k that the policy states counts people.",
            people,
            release=printable(worst.release),
            k=worst.k,
        )


def _suppressed(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield the number of rows that show only their value."""
    for each in {each.release: each for each in shown if each.suppressed}.values():
        yield say_count(
            "{count} [row|rows] of release {release} [is suppressed: it has|are suppressed: they have] * in every "
            "quasi-identifier, may be anyone's, and [counts|count] in no class.",
            each.suppressed,
            release=printable(each.release),
        )


def blamed_columns(report: Report) -> Iterator[PageTable]:
    """Yield the columns that make rows unique or their groups small, each with the release where this is worst."""
    worst: dict[str, tuple[ColumnShare, ReleasePanel]] = {}
    for each in report.panel:
        for share in each.singling:
            before = worst.get(share.column)
            if before is None or _shares(share) > _shares(before[0]):
                worst[share.column] = share, each
    ordered = sorted(worst.values(), key=lambda pair: _shares(pair[0]), reverse=True)[:_COLUMNS_SHOWN]
    rows = [
        [printable(share.column), printable(each.release), *(_of_rows(one, each.rows) for one in _shares(share))]
        for share, each in ordered
        if any(_shares(share))
    ]
    if rows:
        head = [
            say("column"),
            say("worst in release"),
            say("rows that would not be unique without it"),
            say("rows that it puts into groups of fewer than five"),
            say("rows that it alone makes unique"),
        ]
        yield PageTable(head, rows, words=2)


def _of_rows(share: float, rows: int) -> str:
    return f"{figure(round(share * rows))} ({figure(share, '.1%')})" if share else "0"


def _shares(share: ColumnShare) -> tuple[float, float, float]:
    return share.alone, share.small, share.by_itself
