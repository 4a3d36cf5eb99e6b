"""The comparison of several series as a page: the table, and plots of what is found and what releases are good for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from audit.model.comparison import ComparedSeries, Comparison, ReleaseMeasures
from audit.model.errors import printable
from audit.model.report import AttackReport
from audit.runtime.phrases import Phrase, say
from reports import charts
from reports.comparison import notes, numbered, table
from reports.html import render_page
from reports.sentences import named, share_fallen

_NAME = 40
_PLOTTED = {
    "counterfeits": (Phrase("Counterfeits"), Phrase("counterfeits")),
    "average_group": (Phrase("Rows of a group"), Phrase("rows of a group")),
    "ncp": (Phrase("Normalized certainty penalty: how wide cells are"), Phrase("normalized certainty penalty")),
    "query_error": (Phrase("Error of queries, median"), Phrase("error of queries, median")),
}
"""What is drawn of each release: the title, and what the numbers are."""


def render(comparison: Comparison) -> str:
    """Return the page."""
    return render_page(
        "comparison.html.j2",
        inside=False,
        mark=say("Shareable: no person is named, and no quasi-identifier of anybody is shown."),
        sheet=say("series-audit {version}", version=comparison.tool_version),
        title=say("Release series compared"),
        names=[f"{place}: {printable(side.name, 150)}" for place, side in numbered(comparison.sides)],
        paths=[printable(side.path, 150) for side in comparison.sides],
        rows=table(comparison),
        remarks=list(notes(comparison)),
        pictures=list(_charts(comparison)),
        version=comparison.tool_version,
    )


def _charts(comparison: Comparison) -> Iterator[charts.Chart]:
    """Yield the plots: of attacks, and of the releases."""
    sides = {f"{place}: {printable(Path(side.path).name, _NAME)}": side for place, side in numbered(comparison.sides)}
    found = {name: dict(_attacked(side)) for name, side in sides.items()}
    attacks = list(dict.fromkeys(attack for by_attack in found.values() for attack in by_attack))
    if attacks:
        falling = [(name, [_percent(by.get(attack)) for attack in attacks]) for name, by in found.items()]
        yield charts.bars(
            say("What each attack finds"),
            attacks,
            falling,
            axes=(say("attack"), say("% of people, versions or records")),
        )
    longest = max((side.releases for side in sides.values()), key=len, default=())
    tags = [printable(release.tag, 24) for release in longest]
    for measure, (title, what) in _PLOTTED.items():
        lines = [(name, _of_releases(side.releases, measure)) for name, side in sides.items()]
        known = [(name, values) for name, values in lines if values]
        if any(value for _, values in known for value in values):
            yield charts.lines(str(title), tags, known, axes=(say("release"), str(what)))


def _attacked(side: ComparedSeries) -> Iterator[tuple[str, AttackReport]]:
    for attack in side.attacks:
        if attack.ran:
            yield named(attack), attack


def _percent(attack: AttackReport | None) -> float | None:
    return None if attack is None else 100 * share_fallen(attack)


def _of_releases(releases: tuple[ReleaseMeasures, ...], measure: str) -> list[float]:
    """Return a measure of each release; nothing where some release lacks it."""
    values = [getattr(release, measure) for release in releases]
    return [] if None in values else values
