"""Results: a table with a line for each figure, and a page with the most important figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reports import charts, html
from reports.page import Block, Figures, Page, PageTable, Paragraph, Section
from series_bench import VERSION
from series_bench.cases import Case, TaskKind
from series_bench.files import write_csv

Scores = Mapping[str, float | str]
_MOST_LINES = 6
"""More lines than this cannot be distinguished."""


@dataclass(frozen=True)
class Result:
    """The scores of a method on one case."""

    method: str
    case: Case
    scores: Scores


@dataclass(frozen=True)
class _Part:
    """One task on the page: what it is, the measures of its tables, and the one that is drawn."""

    title: str
    told: str
    measures: Sequence[str]
    drawn: str


_PARTS: Mapping[TaskKind, _Part] = {
    "publish": _Part(
        "Publish people",
        "Found are people whose value some attack is certain of. Errors are shares: 0 is best.",
        (
            "linked: people found",
            "linked: people who share a value for certain",
            "register: people found",
            "counts: median relative error",
            "marginals: share misplaced",
            "trends: error over change",
            "counterfeits",
            "withheld",
        ),
        "linked: people found",
    ),
    "protect": _Part(
        "Protect tables of counts",
        "Small counts that follow from the tables, of those that are asked about; errors in people.",
        (
            "recovered",
            "small",
            "narrowed",
            "open",
            "questions",
            "counts: mean error",
            "trends: error over change",
            "hidden",
        ),
        "counts: mean error",
    ),
    "attack": _Part(
        "Attack",
        "Recall at precision 1: the share of questions answered before the first wrong answer, the surest first. A "
        "calibration error of 0 says that what is told with a probability is true as often.",
        (
            "recall at precision 1",
            "likeliest is true",
            "certain but wrong",
            "Brier score",
            "calibration error",
            "distance from all worlds",
            "found of what is certain",
        ),
        "recall at precision 1",
    ),
}


def write_results(results: Sequence[Result], path: Path) -> None:
    """Write a line for each figure."""
    rows = [
        [VERSION, each.case.kind, each.case.name, each.case.seed, each.method, measure, value]
        for each in results
        for measure, value in each.scores.items()
    ]
    write_csv(path, ["version", "task", "case", "seed", "method", "measure", "value"], rows)


def as_page(results: Sequence[Result]) -> str:
    """Return the page: for each task a picture, and a table for each case, means of the seeds."""
    title, mark = f"series-bench {VERSION}", "Simulated people and counts: nobody is named."
    sections = list(_sections(results))
    return html.drawn(Page(title, inside=False, mark=mark, sheet="series-bench", head=[], sections=sections))


def _sections(results: Sequence[Result]) -> Iterator[Section]:
    for kind, part in _PARTS.items():
        some = [each for each in results if each.case.kind == kind]
        if some:
            yield Section(part.title, list(_blocks(part, some)))


def _blocks(part: _Part, results: Sequence[Result]) -> Iterator[Block]:
    yield Paragraph(part.told)
    names = list(dict.fromkeys(each.case.name for each in results))
    methods = list(dict.fromkeys(each.method for each in results))
    figures = {method: [_mean(results, method, name, part.drawn) for name in names] for method in methods}
    told = [method for method in methods if any(value is not None for value in figures[method])]
    heights = [[value or 0.0 for value in figures[method]] for method in told]
    if len(told) <= _MOST_LINES:
        drawn = list(zip(map(_short, told), heights, strict=True))
        yield Figures([charts.lines(part.drawn.capitalize(), names, drawn, axes=("case", part.drawn))])
    else:
        drawn = list(zip(names, map(list, zip(*heights, strict=True)), strict=True))
        yield Figures(
            [charts.lines(part.drawn.capitalize(), list(map(_short, told)), drawn, axes=("method", part.drawn))]
        )
    for name in names:
        head = ["method", *part.measures, "seconds"]
        rows = [
            [_short(method), *(_cell(results, method, name, measure) for measure in head[1:])] for method in methods
        ]
        shown = [place for place in range(len(head)) if place == 0 or any(row[place] for row in rows)]
        kept = [[row[place] for place in shown] for row in rows if any(row[1:-1])]
        yield PageTable([head[place] for place in shown], kept, caption=name)
        refused = [
            _short(method) for method in methods if any("refused" in each.scores for each in _of(results, method, name))
        ]
        if refused:
            yield Paragraph(f"Not for {name}: {', '.join(refused)}.", soft=True)


def _of(results: Sequence[Result], method: str, name: str) -> list[Result]:
    return [each for each in results if each.method == method and each.case.name == name]


def _mean(results: Sequence[Result], method: str, name: str, measure: str) -> float | None:
    found = [value for each in _of(results, method, name) if isinstance(value := each.scores.get(measure), int | float)]
    return statistics.fmean(found) if found and "refused" not in _of(results, method, name)[0].scores else None


def _cell(results: Sequence[Result], method: str, name: str, measure: str) -> str:
    value = _mean(results, method, name, measure)
    return "" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"


def _short(method: str) -> str:
    return method.partition("/")[2] or method
