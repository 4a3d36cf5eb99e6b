"""The report of a check, as a page for reading and as JSON for programs."""

from __future__ import annotations

from audit.findings.wording import RELEASES, ROWS
from audit.model.command_results import CheckReport, Offence
from audit.runtime.phrases import figure, joined, printable, say
from reports.page import Block, Bullets, Entry, Page, PageVerdict, Paragraph, Section
from reports.sentences import REVEAL


def page(report: CheckReport) -> Page:
    """Return the result of a check as a page."""
    name = printable(report.series, 200)
    verdict, summary = PageVerdict(say("The promise holds: {promise}.", promise=report.promise), "green"), []
    if report.undecided is not None:
        sentence = say("UNDECIDED: it cannot be decided whether the series keeps {promise}.", promise=report.promise)
        verdict, summary = PageVerdict(sentence, "yellow"), [report.undecided]
    elif not report.holds:
        verdict = PageVerdict(say("BROKEN: the series does not keep {promise}.", promise=report.promise), "red")
        summary = [say("{name}: {text}", name=clause, text=figure(total)) for clause, total in report.broken.items()]
    shown, total = len(report.offences), report.offences_total
    title = say("Violations ({count})", count=str(shown))
    if shown < total:
        title = say("Violations (the first {shown} of {total})", shown=str(shown), total=total)
    blocks: list[Block] = [Entry(_where(each), [Paragraph(each.what)]) for each in report.offences]
    if any(offence.hidden for offence in report.offences):
        blocks.append(Paragraph(str(REVEAL)))
    size = Paragraph(f"{RELEASES.counted(len(report.releases))}, {ROWS.counted(report.rows)}")
    sections, below = [Section(title, blocks)] if blocks else [], [Bullets(summary, soft=True)]
    return Page(name, report.revealed, [size], sections, verdict=verdict, summary=below)


def _where(offence: Offence) -> str:
    """Return the place of an offence, and the people who show it."""
    where = offence.place
    if offence.line is not None:
        line = say("row {row}", row=offence.line) if offence.in_rows else say("line {line}", line=offence.line)
        where = f"{where}, {line}"
    if not offence.individuals:
        return where
    return f"{where}: {joined([printable(name) for name in offence.individuals])}"
