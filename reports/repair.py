"""Repairs: the changes of a candidate as a page, and cells of tables to hide or to show, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from audit.findings.count import cell_name
from audit.model.count_tables import TablesFacts
from audit.model.release_impact import COUNTS_OPEN, CellRepair, HiddenCell, Move, ReleaseImpact, Repair, alone
from audit.model.report import Report
from audit.runtime.phrases import (
    Reason,
    ReasonKind,
    figure,
    joined,
    kind_of,
    printable,
    printable_path,
    say,
    say_count,
    typed,
)
from reports.audit_page import added_inputs
from reports.count_sentences import limit
from reports.page import Block, Bullets, Page, PageSteps, PageVerdict, Paragraph, Section
from reports.sentences import CONTRADICTED, DECLARE, IS_CSV, best_so_far, reasons, settings
from reports.summary_text import assumptions, copying, judging, repairing
from reports.verdict import headline, more_if_unchanged

_SHOWN = 12
_MAY_HELP = (ReasonKind.TIME_LIMIT, ReasonKind.TOO_HARD, ReasonKind.INTERRUPTED)
"""The kinds of reasons against which another search, or other cells, may help."""


def page(repair: Repair) -> Page:
    """Return the repair for reading."""
    tag = printable(repair.candidate)
    if repair.refused is None:
        holds = not repair.after.policy.violations
        first = " ".join(_first(repair)) or None
        verdict = PageVerdict(_outcome(repair), "green" if holds else "yellow", first)
        summary: list[Block] = [Bullets([sentence(move) for move in repair.moves])]
        sections = [Section("", [Bullets(list(_after(repair)), soft=True)])]
    else:
        why = say("NO REPAIR of release {release}: {reason}.", release=tag, reason=repair.refused)
        verdict, summary = PageVerdict(why, "red"), []
        found = [
            *_next_step(repair),
            say("The series with the candidate as it is: {verdict}", verdict=headline(repair.after)[0]),
            *(f"  {line}" for line in reasons(repair.after)),
            say("The series without it: {verdict}", verdict=headline(repair.before)[0]),
            *(f"  {line}" for line in reasons(repair.before)),
            *_before(repair),
        ]
        sections = [Section("", [PageSteps(found)])]
    name = printable(repair.after.series.name, 200)
    return Page(name, repair.after.revealed, [], sections, verdict=verdict, summary=summary)


def _next_step(repair: Repair) -> Iterator[str]:
    """Yield what to do if a repair may exist though none was found."""
    kind, limit = kind_of(repair.refused), repair.after.time_limit
    if kind is ReasonKind.CONTRADICTION:
        yield str(CONTRADICTED)
    if repair.proved or not repair.after.policy.violations or kind not in (None, *_MAY_HELP):
        return
    if kind is ReasonKind.TIME_LIMIT and limit is not None:
        yield say("Let it search longer: {option}.", option=f"--time-limit {10 * limit:g}")
    if repair.restricted:
        yield say("Allow all kinds of changes: without --only, and with a key for the candidate.")
    yield say(
        "Make the release anew from microdata with wider cells: `{plan}` proposes widths.",
        plan=typed("audit plan MICRODATA"),
    )


def _before(repair: Repair) -> Iterator[str]:
    """Yield the findings without the candidate, and what to do about them."""
    found = [(each, finding) for each in repair.before.attacks for finding in each.findings]
    for each, finding in found[:_SHOWN]:
        yield f"  {each.attack}: {finding.sentence(by_version=each.attack != 'intersection')}"
    if more := sum(each.findings_total for each in repair.before.attacks) - len(found[:_SHOWN]):
        text = say_count("{count} more [finding|findings]: audit the series", more)
        yield f"  {text}"


def _first(repair: Repair) -> Iterator[str]:
    """Yield what has to be known of a repair before its changes."""
    redrawn = any(move.kind == "redraw" for move in repair.moves)
    if repair.restricted and (repair.withholds_much or redrawn):
        yield say("Only some kinds of changes were tried: without --only, there may be a repair that loses less.")
    elif repair.withholds_much:
        yield say(
            "This repair withholds more than one row in twenty: no repair by merging, moving or coarsening was found "
            "that withholds fewer."
        )
    if redrawn:
        yield say("With new record ids, no user of the data can follow a record from earlier releases to this one.")
    if redrawn and not repair.restricted:
        yield say(
            "They are drawn only if no repair was found that keeps the ids and withholds at most one row in twenty."
        )
    if repair.breaks_promise is not None:
        yield say(
            "This repair breaks {promise}, which series.toml declares: if it is published, `audit anonymize` cannot "
            "continue the series. To keep the promise, do not publish this file: make the release anew by `audit "
            "anonymize`, which draws other groups.",
            promise=repair.breaks_promise,
        )


def _after(repair: Repair) -> Iterator[str]:
    """Yield what a repair means, and the paths of its files."""
    if repair.stopped is not None:
        yield best_so_far(repair.stopped)
    if repair.undecided is not None:
        yield say("Less may do: {reason}.", reason=repair.undecided)
    verdict = headline(repair.after)[0]
    violated = repair.after.policy.violations
    yield say("The series with it: {verdict}", verdict=verdict) if violated else verdict
    yield from more_if_unchanged(repair.before, repair.after)
    files = ", ".join(printable_path(path) for path in repair.files)
    yield say("Written, and audited as written: {files}", files=files)
    yield judging(repair.files)
    if repair.bare:
        yield str(IS_CSV)
    if repair.sums:
        yield say_count(
            "{count} [row|rows] that ignore_rows leaves out [is|are] not in it: add up the [total|totals] again.",
            repair.sums,
        )
    if repair.numbered:
        names = joined([f'"{printable(name)}"' for name in repair.numbered])
        yield say("The rows are numbered anew, without gaps where rows are withheld: {columns}.", columns=names)
    yield say("Do not publish whose row is whose: neither the folder private/ nor a column with the key.")
    if repair.key is not None:
        yield say(
            'Take the column "{column}" out of the copy that you publish. The file in the series keeps it, or '
            "private/{release}.key.csv has it instead (columns row, counted from 0, and individual); `renamed` stays.",
            column=printable(repair.key),
            release=printable(repair.candidate),
        )
    if repair.register is not None:
        what = (
            say(
                "In {file}, people whose rows are withheld are not in this release: when the release is published, "
                "this file takes the place of the series' register.",
                file=printable_path(repair.register),
            )
            if any(move.kind == "withhold" for move in repair.moves)
            else say(
                "When the release is published, {file} takes the place of the series' register.",
                file=printable_path(repair.register),
            )
        )
        yield what


def _outcome(repair: Repair) -> str:
    """Return what holds now, and after how many changes.

    If the policy still does not hold, it is by the published releases: the candidate adds nothing to that.
    """
    changes, holds = len(repair.moves), repair.after.policy.passed
    about = {"release": printable(repair.candidate), "lost": figure(repair.lost, ".1%")}
    if not changes and holds:
        return say("Release {release} keeps the policy as it is; nothing was changed.", **about)
    if not changes:
        return say("Release {release} adds nothing that the policy forbids; nothing was changed.", **about)
    if holds:
        return say_count(
            "Release {release} keeps the policy after {count} [change|changes]; {lost} of its information is lost:",
            changes,
            **about,
        )
    return say_count(
        "After {count} [change|changes], release {release} adds nothing that the policy forbids; {lost} of its "
        "information is lost:",
        changes,
        **about,
    )


def _all_of(moves: Sequence[Move], form: Callable[[Move], str]) -> list[str]:
    """Return changes in words, only the first ones if there are many, and the number of others."""
    more = len(moves) - _SHOWN
    rest = [say_count("and {count} more [change|changes]", more)] if more > 0 else []
    return [*map(form, moves[:_SHOWN]), *rest]


def short(repair: Repair) -> str:
    """Return the changes of a repair in one sentence, with their total loss."""
    changes = ", ".join(_all_of(repair.moves, change))
    return say("{changes}: {lost} of the information", changes=changes, lost=figure(repair.lost, ".1%"))


def sentence(move: Move) -> str:
    """Return one change and its loss in words.

    >>> sentence(Move("merge", ("12", "48"), (), 2.5))
    'merge groups 12 and 48 (information lost, in rows: 2.5)'
    """
    about = {"change": change(move), "rows": figure(move.cost, ".3g")}
    return say("{change} (information lost, in rows: {rows})", **about)


def change(move: Move) -> str:
    """Return one change in words.

    >>> change(Move("withhold", (), (1320,), 1.0))
    'withhold line 1,320'
    """
    lines = say_count("[line|lines] {lines}", len(move.lines), lines=_listed([figure(n) for n in move.lines]))
    names = _listed(move.groups)
    if move.kind == "merge":
        return say("merge groups {groups}", groups=names)
    if move.kind == "move":
        group, to = printable(move.groups[0]), printable(move.groups[1])
        return say("move {lines} from group {group} to group {to}", lines=lines, group=group, to=to)
    if move.cells:
        cells = joined([*map(printable, move.cells)], most=_SHOWN)
        return say("coarsen {column} in all rows: {cells}", column=printable(move.column or ""), cells=cells)
    if move.kind == "coarsen":
        return say("coarsen {column} of group {group}", column=printable(move.column or ""), group=names)
    if move.kind == "redraw":
        return say(
            'give each row a new id in "{column}", and write spelled = ["{column}"] under [columns]',
            column=printable(move.column or ""),
        )
    return say("withhold {lines}", lines=lines)


def _listed(texts: Sequence[str]) -> str:
    return joined([printable(each) for each in texts], most=_SHOWN) if texts else ""


_UNAVOIDABLE, _LISTED = 3, 500  # sentences, and cells of a list


def of_cells(impact: ReleaseImpact) -> Iterator[str]:
    """Yield why the verdict is none about the candidate, if it adds nothing to what breaks the policy."""
    total, before = (each.attacks[0].findings_total for each in (impact.after, impact.without))
    if before > total and not impact.after.attacks[0].incomplete:
        yield say(
            "Without it, {before} were found. Not all of them are asked about with it: a combination of labels that it "
            "publishes counts as it is published, and other combinations are asked about in its place.",
            before=before,
        )
    if impact.adds_nothing and total > before:
        yield say_count(
            "All of what is found follows from the releases before it, and the candidate adds nothing: {count} "
            "[finding is|findings are] counted only with it, because no release before it has [its cell|their cells].",
            total - before,
        )
    elif impact.adds_nothing:
        yield say("All of what is found follows from the releases before it, and the candidate adds nothing.")


def cell_sections(cells: CellRepair, report: Report) -> Iterator[Section]:
    """Yield the cells to hide, to change and to show, and what the verdict assumes."""
    hidden = [each for each in cells.hide or () if _is_hidden(each, report)]
    shown = [each for each in cells.hide or () if each not in hidden]
    for title, some in (
        (say("Cells hidden") if cells.written else say("Further cells to hide"), shown),
        (say("Hidden cells to change"), hidden),
        (say("Cells whose changes are to be hidden"), cells.changes),
        (say("Cells to show"), cells.show),
        (say("Hidden before") if cells.written else say("Hidden in the candidate"), cells.hidden),
    ):
        more = [say_count("and {count} more [cell|cells]", len(some) - _LISTED)] if len(some) > _LISTED else []
        yield Section(title, [PageSteps([*_cells(some[:_LISTED], report.tables), *more])] if some else [])
    forbidden = say("Policy: {limits}.", limits=limit(report.policy.limits))
    assumed = Bullets([*assumptions(report), forbidden])
    yield Section(say("Assumptions"), [assumed, Paragraph(settings(report), soft=True)])


def cells_todo(impact: ReleaseImpact, cells: CellRepair) -> Iterator[str]:
    """Yield what to hide or how to round, and what was written."""
    yield from _written(impact, cells)
    open_ = {kind_of(each.reason) for each in impact.after.policy.undecided}
    unsettled = open_ & {ReasonKind.TIME_LIMIT, ReasonKind.TOO_HARD, ReasonKind.INTERRUPTED}
    if ReasonKind.NEEDS in open_ or (open_ - unsettled and not impact.new_total and not cells.undecided):
        yield str(DECLARE)
    if open_ and impact.new_total:
        yield say("What follows is right only as far as the verdict is decided.")
    if not impact.new_total and (open_ or cells.undecided):
        pass  # whether it can be published is not decided yet
    elif impact.adds_nothing:  # as the decision below says
        yield say("It adds nothing that the policy forbids and that did not follow from the releases before it.")
    elif not impact.new_total:
        yield say("As far as its new counts are concerned, it may go out.")
    else:
        yield from _showing(cells)
        if cells.hide is None:
            yield _no_cells(cells)
            yield from cells.unavoidable[:_UNAVOIDABLE]
        else:
            yield from _hiding(impact, cells)
    yield from _further_steps(cells)
    if cells.undecided or unsettled:
        yield str(COUNTS_OPEN)


def _further_steps(cells: CellRepair) -> Iterator[str]:
    """Yield what to do beside hiding cells."""
    if cells.rounding is not None:
        base = cells.rounding.to
        yield say("Or round its numbers to the nearest {base}: then nothing new can be derived either.", base=str(base))
    if cells.rates:
        names = joined([f'"{printable(name)}"' for name in cells.rates])
        yield say("Or leave out the rates in {columns}: then nothing new can be derived either.", columns=names)
    if cells.unsaid:
        yield say(
            'Write absent = "unknown" under [table] in series.toml, as is supposed here: without it, empty cells of '
            "rounded tables may be 0."
        )
    if cells.ends_year:
        yield say(
            "With this release, the year is complete. If a table of the whole year follows, it can disclose what the "
            "parts of the year hide: put this release into a copy of the series, and judge the year there by "
            "`audit next` before either goes out."
        )


def _hiding(impact: ReleaseImpact, cells: CellRepair) -> Iterator[str]:
    """Yield what to hide so that nothing new can be derived, and how."""
    candidate = impact.candidate
    if candidate.column is not None:
        for file in candidate.files:
            yield copying(candidate.release, candidate.column, alone(candidate.release, file))
    if further := _further(impact, cells):
        yield say_count("Hide {count} further [cell|cells]; then nothing new can be derived.", further)
    yield from _marked(impact, cells)
    if cells.show:
        yield say("{command} changes the table so.", command=_repairing(impact))
    else:
        yield say_count("{command} hides [it|them].", len(cells.hide or ()), command=_repairing(impact))
    if cells.bare:
        yield say(
            "It writes a CSV file, without titles, notes and further sheets. To keep the workbook, write what is "
            "listed below into its cells, and judge it again."
        )
    if not cells.hide:
        return
    if cells.stopped is not None:
        yield best_so_far(cells.stopped)
    elif cells.least:
        yield say(
            "With what is to stand in them, no cheaper cells suffice: inner cells cost less to hide than totals, small "
            "counts than large."
        )
    else:
        yield say("Cheaper cells may exist: there are too many combinations to try all.")
    yield from _signs(impact, cells)


def _showing(cells: CellRepair) -> Iterator[str]:
    """Yield how many signs hide nothing."""
    if cells.show:
        yield say_count(
            "In {count} [cell, the sign hides|cells, the signs hide] nothing: the [count follows|counts follow] from "
            "what is published before. Show [it|them].",
            len(cells.show),
        )


def _is_hidden(cell: HiddenCell, report: Report) -> bool:
    """Return whether a cell shows a marker."""
    return report.tables is not None and cell.shown.strip() in report.tables.rules.markers


def _further(impact: ReleaseImpact, cells: CellRepair) -> int:
    """Return how many of the cells to hide are shown now."""
    return sum(not _is_hidden(each, impact.after) for each in cells.hide or ())


def _marked(impact: ReleaseImpact, cells: CellRepair) -> Iterator[str]:
    """Yield how many cells with a marker are to be left empty, too, or without the numbers beside them."""
    hidden = [each for each in cells.hide or () if _is_hidden(each, impact.after)]
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
    if cells.rated and not cells.written:  # what is written has none
        yield say("Leave out the rates beside hidden cells, too.")


def _signs(impact: ReleaseImpact, cells: CellRepair) -> Iterator[str]:
    """Yield what stands in place of the counts."""
    signs = [each.sign for each in cells.hide or () if each.sign]
    if signs:
        yield say_count(
            "{markers} stands in {count} [cell|cells]: it does not say how large the [count is|counts are].",
            len(signs),
            markers=", ".join(map(printable, dict.fromkeys(signs))),
        )
    empty = len(cells.hide or ()) - len(signs)
    if empty and cells.own_sign:
        yield say_count(
            "{count} [cell is|cells are] left empty: the markers in series.toml, or notes on them, are wrong for [its "
            "count|some of their counts], or say too much of [it|them]. A sign of your own may stand there: name it in "
            'markers under [table], such as "{sign}" = [0, inf], any count; {command} then writes it.',
            empty,
            sign=cells.own_sign,
            command=say("the same command") if cells.written else _repairing(impact),
        )
    elif empty:
        yield say_count(
            "{count} [cell is|cells are] left empty, and no sign may stand there: [its count is not small, but "
            "follows|some of their counts are not small, but follow] from other numbers.",
            empty,
        )


def _repairing(impact: ReleaseImpact) -> str:
    """Return the command that repairs the candidate; what the releases before it disclose cannot be undone."""
    files = [each.path for each in added_inputs(impact.without, impact.after)]
    if impact.candidate.column is not None:  # a repair changes files of one release
        files = [alone(impact.candidate.release, each) for each in impact.candidate.files]
    return repairing(files)


def _no_cells(cells: CellRepair) -> str:
    """Return a sentence: no cells to hide were found, and whether it is proved that there are none."""
    if cells.changes:
        return say_count(
            "{count} [change says|changes say] what an earlier release hides: put the sign in [its|their] place, and "
            "judge the candidate again.",
            len(cells.changes),
        )
    if cells.own_sign:
        return say(
            'No cells to hide were found: an empty cell is a 0 (absent = "zero"), and no marker in series.toml stands '
            'for any count. Name one in markers under [table], such as "{sign}" = [0, inf], and judge the candidate '
            "again.",
            sign=cells.own_sign,
        )
    if (stopped := cells.stopped) is not None:
        return say("No cells to hide were found: {reason}. This does not prove that there are none.", reason=stopped)
    return say("No cells were found that prevent every new finding when they are hidden; publish fewer tables.")


def _written(impact: ReleaseImpact, cells: CellRepair) -> Iterator[str]:
    """Yield what was written, if anything."""
    files = ", ".join(map(printable_path, cells.written))
    if cells.written and (further := _further(impact, cells)):
        yield say_count("Wrote {files} with {count} further [cell|cells] hidden.", further, files=files)
    elif cells.written and (cells.hide or cells.show):
        yield say("Wrote {files}.", files=files)
    elif cells.written:
        yield say("Wrote {files} as it was.", files=files)
    if cells.written and cells.show:
        yield say_count(
            "In {count} [cell, the count is|cells, the counts are] shown now: [it follows|they follow] from what is "
            "published before.",
            len(cells.show),
        )
    if cells.written and cells.hide:
        yield from _marked(impact, cells)
        yield from _signs(impact, cells)
        if cells.stopped is not None:
            yield best_so_far(cells.stopped)
    if cells.written:
        yield judging(cells.written)
    if cells.emptied:
        names = joined([f'"{printable(name)}"' for name in cells.emptied])
        yield say("Beside hidden counts, the cells of these columns are empty now: {names}.", names=names)
    if cells.bare and cells.written:
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
