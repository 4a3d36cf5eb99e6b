"""What is known of one cell of count tables, release by release, with the sums."""

from __future__ import annotations

from collections.abc import Iterator

from audit.findings.count import amount, bound_lines, cell_name
from audit.findings.count_answers import CellExplanation, ExplainedCount
from audit.model.errors import printable
from audit.runtime.phrases import say
from reports.count_tables import sentences as counts
from reports.count_tables.candidate import inside_page
from reports.frames import frames
from reports.page import Page


def page(explanation: CellExplanation) -> Page:
    """Return what is known of a cell in each release."""
    where = say("What can be derived about: {where}", where=cell_name(explanation.cell, explanation.tables))
    sections = [("", [counts.facts(explanation.tables), where])]
    sections += [(_title(each), [*_count(each, explanation)]) for each in explanation.counts]
    return inside_page(explanation.series, sections)


def _title(count: ExplainedCount) -> str:
    when = say("Release {release}", release=count.release)
    if count.since is not None:
        when = say("Increase from {since} to {release}", since=count.since, release=count.release)
    return printable(when if count.measure is None else f"{when}, {count.measure}", 200)


def _count(count: ExplainedCount, explanation: CellExplanation) -> Iterator[str]:
    if count.shown:
        yield say("published as {texts}", texts=", ".join(printable(text) for text in dict.fromkeys(count.shown)))
    elif count.since is None:
        yield say("not published")
    known = amount(count.lower, count.upper)
    if count.upper in (None, count.lower) or count.exact:
        yield known
    else:
        yield say("{count}; perhaps fewer values are possible", count=known)
    for bound in count.certificate:
        yield from (f"  {line}" for line in bound_lines(bound, explanation.tables))


FORMATS = frames(page, lambda explanation: explanation)
