"""The result of a repair, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from audit.model.moves import Move
from audit.model.release_impact import Repair
from audit.runtime.phrases import (
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
from reports.page import Block, Bullets, Page, PageSteps, PageVerdict, Section
from reports.sentences import CONTRADICTED, IS_CSV, best_so_far, reasons
from reports.summary_text import judging
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
    if repair.withholds_much:
        yield say(
            "This repair withholds more than one row in twenty: no repair by merging, moving or coarsening was found "
            "that withholds fewer."
        )
    if any(move.kind == "redraw" for move in repair.moves):
        yield say(
            "With new record ids, no user of the data can follow a record from earlier releases to this one; they "
            "are drawn only if no repair was found that keeps the ids and withholds at most one row in twenty."
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
    tag, holds = printable(repair.candidate), repair.after.policy.passed
    about = {"release": tag, "lost": figure(repair.lost, ".1%")}
    if not repair.moves and holds:
        return say("Release {release} keeps the policy as it is; nothing was changed.", release=tag)
    return _keeps(len(repair.moves), about) if holds else _adds_nothing(len(repair.moves), about)


def _adds_nothing(changes: int, about: Mapping[str, str]) -> str:
    """Return a sentence that a release adds nothing after the changes; `about` names the release and the loss."""
    if not changes:
        return say("Release {release} adds nothing that the policy forbids; nothing was changed.", **about)
    return say_count(
        "After {count} [change|changes], release {release} adds nothing that the policy forbids; {lost} of its "
        "information is lost:",
        changes,
        **about,
    )


def _keeps(changes: int, about: Mapping[str, str]) -> str:
    """Return a sentence that the policy holds after the changes; `about` names the release and the loss."""
    return say_count(
        "Release {release} keeps the policy after {count} [change|changes]; {lost} of its information is lost:",
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
    return _at_cost(change(move), move.cost)


def _at_cost(change: str, rows: float) -> str:
    return say("{change} (information lost, in rows: {rows})", change=change, rows=figure(rows, ".3g"))


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
