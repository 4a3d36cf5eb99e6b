"""Markdown: a report on count tables as a page for an issue, a wiki or an archive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.model.count_report import CountPicture, CountReport
from audit.model.errors import printable
from reports.count_tables.sentences import (
    adversary,
    advice,
    cell_name,
    facts,
    headline,
    measured,
    reasons,
    sentence,
    steps,
    waiver_lines,
)
from reports.escaping import markdown as escaped


@dataclass(frozen=True)
class CountMarkdown:
    """Render a report on count tables as GitHub's Markdown."""

    name: str = "markdown"

    def render(self, report: CountReport) -> str:
        """Return the report as Markdown with a final line break."""
        return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: CountReport) -> Iterator[str]:
    yield from (f"# {escaped(printable(report.series.name, 200)) or 'Count tables'}", "")
    yield from (escaped(facts(report) + "."), escaped(adversary(report)), "")
    yield from ("## Verdict", "", f"**{escaped(headline(report)[0])}**", "")
    yield from _list(reasons(report))
    yield from ("## What was asked", "")
    yield from _table(["", "count"], [list(row) for row in measured(report)])
    attack = report.attack
    if attack.findings_total:
        shown, total = len(attack.findings), attack.findings_total
        yield from (f"## Findings ({shown:,} of {total:,})", "")
        for finding in attack.findings:
            yield f"* {finding.kind}: {escaped(sentence(finding, report))} `{finding.id}`"
            yield from (f"  * {escaped(step)}" for step in steps(finding, report))
        yield ""
    for picture in report.pictures:
        yield from _picture(picture, report)
    yield from _list(waiver_lines(report))
    yield from ("## What to do next", "")
    yield from _list(advice(report))
    yield from ("## Inputs", "")
    yield from _table(["file", "rows", "SHA-256"], [[i.path, f"{i.rows:,}", i.sha256] for i in report.inputs])
    yield f"Made by series-audit {report.tool_version}."


def _picture(picture: CountPicture, report: CountReport) -> Iterator[str]:
    where = cell_name(picture.fixed, report.series.totals)
    yield from (f"### {escaped(f'Release {picture.release}, {where}')}", "")
    rows = []
    for label, cells in zip(picture.row_labels, picture.cells, strict=True):
        told = []
        for cell in cells:
            text = "" if cell is None else cell.shown
            if cell is not None and cell.told is not None:
                text = f"{text} → {cell.told}".strip()
            told.append(text + (" ∑" if cell is not None and cell.in_sum else ""))
        rows.append([label, *told])
    yield from _table([f"{picture.rows} \\ {picture.columns or ''}", *picture.column_labels], rows)
    yield from ("→ what can be told; ∑ used by the sum that shows it.", "")


def _list(lines: Iterator[str]) -> Iterator[str]:
    body = [f"* {escaped(line)}" for line in lines]
    if body:
        yield from (*body, "")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(escaped(printable(cell, 100)) for cell in head)} |"
    yield f"|---|{'---:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(escaped(printable(cell, 200)) for cell in row)} |"
    yield ""
