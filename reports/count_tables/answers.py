"""Answers about an unpublished release of count tables, about one cell, and about several series side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit.findings.count import amount, bound_lines, cell_name
from audit.findings.count_answers import CandidateReport, CellExplanation, ComparedTables, ExplainedCount, HiddenCell
from audit.model.count_report import TablesFacts
from audit.model.errors import printable, printable_path
from audit.model.report import Report, ReportWarning
from audit.runtime.phrases import Reason, ReasonKind, joined, kind_of, say, say_count
from reports.audit_page import added_inputs, showing_counts, signed_page
from reports.count_tables import sentences as counts
from reports.count_tables.sentences import measured, state
from reports.frames import frames
from reports.next_commands import repairing
from reports.page import Bullets, Page, PageSteps, PageTable, Paragraph, Section
from reports.sentences import DECLARE, IS_CSV, best_so_far, facts, reasons, settings
from reports.summary_text import assumptions
from reports.verdict import headline


def candidate_page(candidate: CandidateReport) -> Page:
    """Return the sheet with the verdict and what to hide or how to round, then the new findings."""
    report = candidate.after
    if candidate.new_total:
        new = [_counted(candidate), *(line for each in candidate.new for line in each.in_full(by_version=True))]
        if more := candidate.new_total - len(candidate.new):
            new.append(say("{count} more: --findings all", count=more))
    elif candidate.undecided:
        new = [say("Nothing was found, but some counts are undecided.")]
    elif report.policy.undecided:
        new = [say("Nothing was found, as far as the verdict is decided.")]
    else:
        new = [say("Nothing that the policy forbids and that did not follow from the releases before it.")]
    page = signed_page(
        report,
        [Paragraph(facts(report)), Paragraph(_about(candidate))],
        [Bullets([*reasons(report), *_before(candidate)])],
        [Bullets(list(_todo(candidate)))],
        before=candidate.without,
        adds_nothing=candidate.adds_nothing,
    )
    annex = [Section(say("What is new"), [PageSteps(new)])]
    hide = candidate.hide or ()
    hidden = [each for each in hide if _is_hidden(each, candidate)]
    shown = [each for each in hide if each not in hidden]
    for title, cells in (say("Further cells to hide"), shown), (say("Hidden cells to change"), hidden):
        if cells:
            annex.append(Section(title, [PageSteps(list(_cells(cells, report.tables)))]))
    if candidate.changes:
        changes = PageSteps(list(_cells(candidate.changes, report.tables)))
        annex.append(Section(say("Cells whose changes are to be hidden"), [changes]))
    if candidate.show:
        annex.append(Section(say("Cells to show"), [PageSteps(list(_cells(candidate.show, report.tables)))]))
    annex.append(
        Section(say("Assumptions"), [Bullets(list(assumptions(report))), Paragraph(settings(report), soft=True)])
    )
    shows_counts = candidate.new or candidate.hide or candidate.changes or candidate.show
    return replace(showing_counts(page) if shows_counts else page, annex=annex)


def _about(candidate: CandidateReport) -> str:
    return say("Release {release} is the candidate, not yet published.", release=printable(candidate.release))


def _before(candidate: CandidateReport) -> Iterator[str]:
    """Yield the verdict without the candidate, if anything is published, and why the verdict is none about it."""
    if candidate.without.inputs:
        yield say("Without it: {verdict}", verdict=headline(candidate.without)[0])
    total, before = (each.attacks[0].findings_total for each in (candidate.after, candidate.without))
    if candidate.adds_nothing and total > before:
        yield say_count(
            "All of what is found follows from the releases before it, and the candidate adds nothing: {count} "
            "[finding is|findings are] counted only with it, because no release before it has [its cell|their cells].",
            total - before,
        )
    elif candidate.adds_nothing:
        yield say("All of what is found follows from the releases before it, and the candidate adds nothing.")


def _counted(candidate: CandidateReport) -> str:
    return say_count(
        "Findings: {before} without the candidate, {total} with it; {count} of these [is|are] new, or more precise.",
        candidate.new_total,
        before=candidate.without.attacks[0].findings_total,
        total=candidate.after.attacks[0].findings_total,
    )


def with_news(candidate: CandidateReport) -> Report:
    """Return the report with the candidate; its findings are those that the candidate adds.

    Sentences about the candidate become warnings, for formats without a place for them.
    """
    (attack,) = candidate.after.attacks
    attack = replace(attack, findings=candidate.new, findings_total=candidate.new_total)
    lines = [_about(candidate), *_before(candidate), _counted(candidate), *_todo(candidate)]
    warnings = tuple(ReportWarning("candidate", line.rstrip(".")) for line in lines)
    return replace(candidate.after, attacks=(attack,), warnings=warnings)


def _todo(candidate: CandidateReport) -> Iterator[str]:
    yield from _written(candidate)
    open_ = {kind_of(each.reason) for each in candidate.after.policy.undecided}
    unsettled = open_ & {ReasonKind.TIME_LIMIT, ReasonKind.TOO_HARD, ReasonKind.INTERRUPTED}
    if ReasonKind.NEEDS in open_ or (open_ - unsettled and not candidate.new_total and not candidate.undecided):
        yield str(DECLARE)
    if open_ and candidate.new_total:
        yield say("What follows is right only as far as the verdict is decided.")
    if not candidate.new_total and (open_ or candidate.undecided):
        pass  # whether it can be published is not decided yet
    elif candidate.adds_nothing:  # as the decision below says
        yield say("It adds nothing that the policy forbids and that did not follow from the releases before it.")
        if candidate.written:
            yield say(
                "What breaks the policy follows from these; with --baseline, a candidate passes that adds nothing."
            )
        else:
            yield say(
                "What breaks the policy follows from these; {command} passes a candidate that adds nothing.",
                command=_repairing(candidate),
            )
    elif not candidate.new_total:
        yield say("As far as its new counts are concerned, it may go out.")
    else:
        yield from _showing(candidate)
        if candidate.hide is None:
            yield _no_cells(candidate)
        else:
            yield from _hiding(candidate)
    yield from _further_steps(candidate)
    if candidate.undecided or unsettled:
        yield say("Some counts are undecided; give more time with --time-limit SECONDS.")


def _further_steps(candidate: CandidateReport) -> Iterator[str]:
    """Yield what to do beside hiding cells."""
    if candidate.rounding is not None:
        base = candidate.rounding.to
        yield say("Or round its numbers to the nearest {base}: then nothing new can be derived either.", base=str(base))
    if candidate.unsaid:
        yield say(
            'Write absent = "unknown" under [table] in series.toml, as is supposed here: without it, empty cells of '
            "rounded tables may be 0."
        )
    if candidate.ends_year:
        yield say(
            "With this release, the year is complete. If a table of the whole year follows, it can disclose what the "
            "parts of the year hide: put this release into a copy of the series, and judge the year there by "
            "`audit next` before either goes out."
        )


def _hiding(candidate: CandidateReport) -> Iterator[str]:
    """Yield what to hide so that nothing new can be derived, and how."""
    if further := _further(candidate):
        yield say_count("Hide {count} further [cell|cells]; then nothing new can be derived.", further)
    yield from _marked(candidate)
    cells = len(candidate.hide or ())
    if candidate.show:
        yield say("{command} changes the table so.", command=_repairing(candidate))
    else:
        yield say_count("{command} hides [it|them].", cells, command=_repairing(candidate))
    if candidate.bare:
        yield say(
            "It writes a CSV file, without titles, notes and further sheets. To keep the workbook, write what is "
            "listed below into its cells, empty the rates beside them, and judge it again."
        )
    if not candidate.hide:
        return
    if candidate.stopped is not None:
        yield best_so_far(candidate.stopped)
    elif candidate.least:
        yield say(
            "With what is to stand in them, no cheaper cells suffice: inner cells cost less to hide than totals, small "
            "counts than large."
        )
    else:
        yield say("Cheaper cells may exist: there are too many combinations to try all.")
    yield from _signs(candidate)


def _showing(candidate: CandidateReport) -> Iterator[str]:
    """Yield how many signs hide nothing."""
    if candidate.show:
        yield say_count(
            "In {count} [cell, the sign hides|cells, the signs hide] nothing: the [count follows|counts follow] from "
            "what is published before. Show [it|them].",
            len(candidate.show),
        )


def _is_hidden(cell: HiddenCell, candidate: CandidateReport) -> bool:
    """Return whether a cell shows a marker."""
    return candidate.after.tables is not None and cell.shown.strip() in candidate.after.tables.rules.markers


def _further(candidate: CandidateReport) -> int:
    """Return how many of the cells to hide are shown now."""
    return sum(not _is_hidden(each, candidate) for each in candidate.hide or ())


def _marked(candidate: CandidateReport) -> Iterator[str]:
    """Yield how many cells with a marker are to be left empty, too, or without the numbers beside them."""
    hidden = [each for each in candidate.hide or () if _is_hidden(each, candidate)]
    if beside := sum(each.sign == each.shown for each in hidden):
        yield say_count(
            "In {count} [cell that is|cells that are] hidden already, leave out the numbers beside [it|them], such as "
            "[its rate or its change|their rates or changes].",
            beside,
        )
    if markers := sum(each.sign != each.shown for each in hidden):
        yield say_count(
            "In {count} [cell that is|cells that are] hidden already, leave out the marker, too: it says how large the "
            "count can be.",
            markers,
        )
    if candidate.after.tables is not None and candidate.after.tables.rules.rates is not None and candidate.hide:
        yield say("Leave out the rates beside hidden cells, too.")


def _signs(candidate: CandidateReport) -> Iterator[str]:
    """Yield what stands in place of the counts."""
    signs = [each.sign for each in candidate.hide or () if each.sign]
    if signs:
        yield say_count(
            "{markers} stands in {count} [cell|cells]: it does not say how large the [count is|counts are].",
            len(signs),
            markers=", ".join(map(printable, dict.fromkeys(signs))),
        )
    empty = len(candidate.hide or ()) - len(signs)
    if empty and candidate.any_sign:
        yield say_count(
            "{count} [cell is|cells are] left empty: the markers in series.toml, or notes on them, are wrong for [its "
            "count|some of their counts], or say too much of [it|them]. A sign of your own may stand there: name it in "
            'markers under [table], such as "•" = [0, inf], any count; {command} then writes it.',
            empty,
            command=say("the same command") if candidate.written else _repairing(candidate),
        )
    elif empty:
        yield say_count(
            "{count} [cell is|cells are] left empty, and no sign may stand there: [its count is not small, but "
            "follows|some of their counts are not small, but follow] from other numbers.",
            empty,
        )


def _repairing(candidate: CandidateReport) -> str:
    """Return the command that repairs the candidate; what the releases before it disclose cannot be undone."""
    files = [each.path for each in added_inputs(candidate.without, candidate.after)]
    return repairing(files, " --baseline" if candidate.without.policy.violations else "")


def _no_cells(candidate: CandidateReport) -> str:
    """Return a sentence: no cells to hide were found, and whether it is proved that there are none."""
    if candidate.changes:
        return say_count(
            "{count} [change says|changes say] what an earlier release hides: put the sign in [its|their] place, and "
            "judge the candidate again.",
            len(candidate.changes),
        )
    if (stopped := candidate.stopped) is not None:
        return say("No cells to hide were found: {reason}. This does not prove that there are none.", reason=stopped)
    return say("No cells were found that prevent every new finding when they are hidden; publish fewer tables.")


def _written(candidate: CandidateReport) -> Iterator[str]:
    """Yield what was written, if anything."""
    files = ", ".join(map(printable_path, candidate.written))
    if candidate.written and (further := _further(candidate)):
        yield say_count("Wrote {files} with {count} further [cell|cells] hidden.", further, files=files)
    elif candidate.written and (candidate.hide or candidate.show):
        yield say("Wrote {files}.", files=files)
    elif candidate.written:
        yield say("Wrote {files} as it was.", files=files)
    if candidate.written and candidate.show:
        yield say_count(
            "In {count} [cell, the count is|cells, the counts are] shown now: [it follows|they follow] from what is "
            "published before.",
            len(candidate.show),
        )
    if candidate.written and candidate.hide:
        yield from _marked(candidate)
        yield from _signs(candidate)
        if candidate.stopped is not None:
            yield best_so_far(candidate.stopped)
    if candidate.emptied:
        names = joined([f'"{printable(name)}"' for name in candidate.emptied])
        yield say("Beside hidden counts, the cells of these columns are empty now: {names}.", names=names)
    if candidate.bare and candidate.written:
        yield str(IS_CSV)


def _cells(hidden: Sequence[HiddenCell], tables: TablesFacts | None) -> Iterator[str]:
    """Yield the cells to hide, with what they show, the marker for it and their files."""
    for each in hidden:
        where, sign = "" if tables is None else cell_name(each.cell, tables), f" → {each.sign}" if each.sign else ""
        yield f"{where} ({printable(each.shown + sign)}; {printable_path(each.file)}:{each.line})"


def not_published(outcome: Report | Reason) -> list[str]:
    """Return sentences: nothing was published, and why; none if it was, because the audit passed."""
    if isinstance(outcome, Reason):
        return [
            say(
                "Nothing was published: {reason} before enough cells to hide were found. Give more time with "
                "--time-limit SECONDS, or publish fewer dimensions, labels or tables.",
                reason=outcome,
            )
        ]
    if not outcome.exit_code:
        return []
    found = [finding.sentence(by_version=True) for finding in outcome.findings] or reasons(outcome)
    start = say("Nothing was published: even with further cells hidden, these counts can be derived, or may be:")
    return [start, *(f"{line.rstrip('.')}." for line in found)]


CANDIDATE = frames(candidate_page)


def cell_page(explanation: CellExplanation) -> Page:
    """Return what is known about a cell in each release."""
    where = say("What can be derived about: {where}", where=cell_name(explanation.cell, explanation.tables))
    sections = [("", [counts.facts(explanation.tables), where])]
    sections += [(_title(each), [*_count(each, explanation)]) for each in explanation.counts]
    parts = [Section(head, [PageSteps(lines)]) for head, lines in sections]
    return showing_counts(Page(printable(explanation.series, 200), inside=True, head=[], sections=parts))


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


CELL = frames(cell_page)


def table(compared: ComparedTables) -> tuple[list[str], list[list[str]]]:
    """Return the heads of the table, and a row for each series."""
    measures = [dict(measured(each.report)) for each in compared.series]
    names = dict.fromkeys(name for each in measures for name in each)
    rows = [
        [one.path, state(one.report), *(each.get(name, "") for name in names)]
        for one, each in zip(compared.series, measures, strict=True)
    ]
    return [say("series"), say("verdict"), *names], rows


def compared_page(compared: ComparedTables) -> Page:
    """Return a table with a column for each series."""
    head, rows = table(compared)
    paths = [printable(each.path, 60) for each in compared.series]
    figures = [[name, *cells] for name, *cells in zip(head, *rows, strict=True)]
    return Page(
        say("Release series compared"),
        inside=False,
        head=[],
        sections=[Section("", [PageTable(["", *paths], figures[1:])])],
    )


COMPARED = frames(compared_page)
