"""The history of a series as a page or as JSON: the verdict, the risk and the file of each report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from audit.model.command_results import AuditHistory, PastReport
from audit.model.report import Report
from audit.runtime.phrases import Phrase, day, figure, printable, risk_text, say, say_count
from reports import charts
from reports.page import Block, Facts, Figures, Links, Page, PageTable, PageVerdict, Section

_SHOWN = {
    "holds": Phrase("SAFE"),
    "violated": Phrase("NOT SAFE"),
    "undecided": Phrase("UNDECIDED"),
    "interrupted": Phrase("INTERRUPTED"),
}
_COLOURS = {"holds": "green", "violated": "red", "undecided": "yellow", "interrupted": "yellow"}


def document(history: AuditHistory) -> Mapping[str, object]:
    """Return the JSON of a history."""
    return {
        "schema_version": Report.schema_version,
        "reports": [
            {
                **{key: value for key, value in asdict(each).items() if key != "ids"},
                "new_findings": history.new_findings(place),
            }
            for place, each in enumerate(history.reports)
        ],
    }


def page(history: AuditHistory) -> Page:
    """Return the page of a history."""
    last = history.reports[-1]
    name = printable(last.series, 200)
    head, rows = _table(history)
    sections = [
        Section(say("Reports"), [PageTable(head, rows, words=3)]),
        Section(say("Risk over time"), list(_pictures(history))),
        Section(say("Files"), [Links(list(_files(history)))]),
    ]
    facts = Facts([(say("Reports"), str(len(history.reports))), (say("Last report"), _when(last))])
    title, mark = say("History of {series}", series=name), say("This page may be passed on: it names no person.")
    return Page(name, False, [facts], sections, title, mark, verdict=_verdict(history))


def _table(history: AuditHistory) -> tuple[list[str], list[list[str]]]:
    head = [say("date"), say("last release"), say("verdict")]
    head += [say("highest risk"), say("people certain"), say("findings"), say("new")]
    rows = []
    for place, each in enumerate(history.reports):
        new = history.new_findings(place)
        rows.append(
            [
                _when(each),
                printable(each.releases[-1], 24) if each.releases else "",
                str(_SHOWN[each.verdict]),
                "" if each.highest_risk is None else risk_text(each.highest_risk),
                "" if each.certain is None else figure(each.certain),
                figure(each.findings),
                "" if not place else "?" if new is None else figure(new),
            ]
        )
    if all(each.highest_risk is None and each.certain is None for each in history.reports):  # of count tables
        head, rows = [*head[:3], *head[5:]], [[*row[:3], *row[5:]] for row in rows]
    return head, rows


def _when(report: PastReport) -> str:
    return say("no date") if report.made is None else day(report.made)


def _verdict(history: AuditHistory) -> PageVerdict:
    last = history.reports[-1]
    same = next((n for n, each in enumerate(reversed(history.reports)) if each.verdict != last.verdict), None)
    count = len(history.reports) if same is None else same
    sentence = say_count("{verdict}, in the last [report|{count} reports].", count, verdict=_SHOWN[last.verdict])
    return PageVerdict(sentence, _COLOURS[last.verdict])


def _pictures(history: AuditHistory) -> Iterator[Block]:
    ticks = [_when(each) for each in history.reports]
    attacks = list(dict.fromkeys(name for each in history.reports for name in each.risks))
    drawn = []
    if attacks:
        lines = [(name, [each.risks.get(name) for each in history.reports]) for name in attacks]
        title = say("Highest risk, by attack")
        drawn.append(charts.lines(title, ticks, lines, axes=(say("report"), say("risk"))))
    if any(each.certain is not None for each in history.reports):
        counts = [None if each.certain is None else float(each.certain) for each in history.reports]
        title = say("People whose value is certain")
        drawn.append(charts.lines(title, ticks, [(say("people"), counts)], axes=(say("report"), say("people"))))
    if shown := [each for each in drawn if not each.flat]:
        yield Figures(shown)


def _files(history: AuditHistory) -> Iterator[tuple[str, str]]:
    for each in history.reports:
        for file in (each.page, each.file):
            if file is not None:
                yield _when(each), file
