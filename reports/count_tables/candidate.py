"""What a release of count tables that is not yet out would add, and what is known of one cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from audit.findings.count import CountReport, cell_name
from audit.findings.count_answers import CandidateReport, HiddenCell
from audit.model.count_report import TablesFacts
from audit.model.errors import printable, printable_path
from audit.runtime.phrases import say, say_count
from audit.runtime.version import VERSION
from reports.frames import frames
from reports.json_values import json_object, json_value
from reports.page import Page, PageSteps
from reports.page import Section as PageSection
from reports.sentences import facts, reasons
from reports.verdict import headline

Section = tuple[str, list[str]]


def document(candidate: CandidateReport) -> Mapping[str, object]:
    """Return what is written in JSON: that of `audit` for the series with the candidate, and what changes."""
    entries = json_object(candidate.after)
    entries["candidate"] = {"release": candidate.release}
    entries["before"] = {
        "passed": candidate.before.policy.passed,
        "measures": json_value(candidate.before.measures),
    }
    entries["new"] = json_value(candidate.new)
    entries["new_total"] = candidate.new_total
    entries["hide"] = json_value(candidate.hide)
    entries |= {"least": candidate.least} if candidate.hide else {}
    entries |= {"written": [*candidate.written]} if candidate.written else {}
    entries["rounding"] = json_value(candidate.rounding)
    return entries


def page(candidate: CandidateReport) -> Page:
    """Return the verdict with the candidate, what is new, and what to hide or how to round."""
    report = candidate.after
    release = printable(candidate.release)
    verdict = [say("With release {release}: {verdict}", release=release, verdict=headline(report)[0])]
    verdict.append(say("Without it: {verdict}", verdict=headline(candidate.before)[0]))
    new = [say("Nothing: everything that follows with it could be derived before.")]
    if candidate.undecided:
        new = [say("Nothing was found, but some counts were not settled.")]
    if candidate.new_total:
        new = [
            say_count(
                "{count} count could not be derived before.",
                "{count} counts could not be derived before.",
                candidate.new_total,
            )
        ]
        for finding in candidate.new:
            new += finding.in_full(by_version=True)
    sections = [
        ("", [facts(report)]),
        (say("Verdict"), verdict),
        (say("What is new"), new),
        (say("What to do"), list(_todo(candidate))),
    ]
    return inside_page(report.series.name, sections)


def _todo(candidate: CandidateReport) -> Iterator[str]:
    if candidate.written:
        yield from _written(candidate)
    if not candidate.new_total and candidate.undecided:
        pass  # nobody knows yet whether it may go out
    elif not candidate.new_total and candidate.after.policy.undecided:
        yield say("Declare in series.toml what is not decided, and audit again.")
    elif not candidate.new_total:
        yield say("As far as its new counts are concerned, it may go out.")
    elif candidate.hide is None:
        yield say("No set of cells was found that leaves nothing new when it is hidden; publish fewer tables.")
    else:
        yield say_count(
            "Hide {count} further cell, and any rate beside it; then nothing new can be derived:",
            "Hide {count} further cells, and any rates beside them; then nothing new can be derived:",
            len(candidate.hide),
        )
        yield from _cells(candidate.hide, candidate.after.tables)
        if candidate.least:
            yield say("No cheaper cells do: inner cells come before margins, then those of the smaller counts.")
        else:
            yield say("There may be cheaper cells: there were too many to try.")
        yield say("Empty what is to be hidden: a marker that stands for small counts would be untrue of larger ones.")
    if candidate.rounding is not None:
        base = candidate.rounding.to
        yield say("Or round its numbers to the nearest {base}: then nothing new can be derived either.", base=str(base))
    if candidate.undecided:
        yield say("Some counts were not settled; give more time with --time-limit SECONDS.")


def _written(candidate: CandidateReport) -> Iterator[str]:
    """Yield what was written, and which cells are empty there."""
    files = ", ".join(map(printable_path, candidate.written))
    hidden = candidate.hide or ()
    if not hidden:
        yield say("Wrote {files} as it was.", files=files)
        return
    yield say_count(
        "Wrote {files} with {count} further cell left empty, and any rate beside it:",
        "Wrote {files} with {count} further cells left empty, and any rates beside them:",
        len(hidden),
        files=files,
    )
    yield from _cells(hidden, candidate.after.tables)


def _cells(hidden: Sequence[HiddenCell], tables: TablesFacts | None) -> Iterator[str]:
    """Yield cells to hide, with what they show and where they stand."""
    for each in hidden:
        where = "" if tables is None else cell_name(each.cell, tables)
        yield f"  {where} ({printable(each.shown)}; {printable_path(each.file)}:{each.line})"


def not_published(report: CountReport) -> list[str]:
    """Return that nothing was published, and what stands in the way."""
    found = [finding.sentence() for finding in report.findings] or reasons(report)
    start = say("Nothing was published: whatever else is hidden, this follows or is not settled:")
    return [start, *(f"{line}." for line in found)]


def inside_page(title: str, sections: list[Section]) -> Page:
    """Return a page that shows counts which the tables hide, of parts that are lines under a title each."""
    name = printable(title, 200)
    parts = [PageSection(head, [PageSteps(lines)]) for head, lines in sections]
    mark = say("INTERNAL: findings show counts that the tables hide. To share numbers alone, use --findings 0.")
    return Page(
        name,
        name,
        inside=True,
        mark=mark,
        sheet=say("series-audit {version}", version=VERSION),
        head=[],
        sections=parts,
    )


FORMATS = frames(page, document)
