"""`audit findings SERIES`: what is found, as a list to filter, sort and work through."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.cli import command
from audit.judgement.pseudonyms import names_in_report
from audit.model.errors import UsageError
from audit.runtime.phrases import joined, printable, quoted, say

if TYPE_CHECKING:
    from reports.finding_list import ListedFinding

_ORDERS = ("gravity", "column", "release", "size")
_FILTERS = {
    "column": "about this sensitive column; in count tables about this dimension, or a label such as Area=North",
    "value": "about this value",
    "release": "about this release",
    "person": "about this person, named as in `audit explain`, or about people who look alike",
}


def add_parser(commands: command.Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "findings",
        description="List every finding of a series. To accept findings, fill in the columns reason and until of a "
        "list in CSV or xlsx, and run `audit waive SERIES --list FILE`.",
        epilog="Exit codes: 0 listed, 2 wrong usage or input, or no finding is about what is named.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder with a series.toml")
    for name, what in _FILTERS.items():
        parser.add_argument(f"--{name}", metavar="NAME", help=f"list only findings {what}")
    parser.add_argument("--sort", choices=_ORDERS, default="gravity", help="what comes first; default: gravity")
    command.add_settings(parser, "adversary", "policy", "time_limit", "reveal")
    command.add_output(parser, ["text", "csv", "xlsx"])


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the list, and return the exit code, 0.

    Raises:
        UsageError: there is no folder for the key of stable ids, a workbook would go to standard output, or a filter
            fits no finding.
        InputError: the series cannot be read.
    """
    from reports import finding_list
    from reports.sentences import ended_early, named

    if arguments.format == "xlsx" and arguments.output is None:
        raise UsageError("--format xlsx: a workbook cannot be printed; name a file with --output FILE.xlsx")
    series = command.opened(arguments, arguments.output)
    lasting = {} if arguments.format == "text" else {"stable_ids": True}  # `audit waive` needs stable ids
    with command.asked(arguments) as given:
        how = command.settings_for(series, arguments, given, **lasting) | {"findings": None}
        report = series.audit(**how).report
    releases = report.series.releases
    if series.kind == "tables":
        columns: Sequence[str] = series.dimensions
        lines = finding_list.listed(report)
    else:
        columns, grave = series.opened.columns.sensitive, series.opened.manifest.grave
        lines = finding_list.listed(report, columns[0] if len(columns) == 1 else "", grave)
    cut = [ended_early(named(each), each) for each in report.attacks if each.incomplete]
    command.write_lines("".join(f"audit: {each}\n" for each in cut))  # the list may lack findings
    asked_for, there = {name: getattr(arguments, name) for name in _FILTERS}, {"column": columns, "release": releases}
    if arguments.person and series.kind == "microdata":
        kind = report.adversary.kind
        about = names_in_report(series.opened, arguments.person, kind, reveal=report.revealed)
        if about:
            alike = tuple(f"{name} (" for name in about) if kind == "possible" else ()
            lines = [each for each in lines if each.person in about or each.person.startswith(alike)]
            asked_for["person"] = None
    for name, text in asked_for.items():
        hidden = name == "person" and not (report.revealed or report.ids_are_stable)
        _check_filter(lines, name, text, there.get(name, ()), hidden=hidden)
    lines = [each for each in lines if all(_is_about(each, *wanted) for wanted in asked_for.items())]
    lines = finding_list.in_order(lines, arguments.sort, releases)
    if arguments.format == "text":
        command.put_page(finding_list.page(lines, inside=report.revealed), arguments.output)
    else:
        write = finding_list.as_csv if arguments.format == "csv" else finding_list.as_workbook
        command.put(write(lines), arguments.output)
    return 0


def _is_about(line: ListedFinding, name: str, asked_for: str | None) -> bool:
    """Return whether a finding is about what a filter names; it may have several columns, as cells, and releases."""
    text = getattr(line, name)
    if asked_for in (None, text) or name not in ("column", "release"):
        return asked_for in (None, text)
    return f", {asked_for}, " in f", {text}, " or f", {asked_for}=" in f", {text}"


def _check_filter(
    lines: Sequence[ListedFinding], name: str, asked_for: str | None, there: Sequence[str], *, hidden: bool
) -> None:
    """Refuse a filter that fits no finding, unless it names a column or a release that is there.

    `hidden` means that the list has pseudonyms of its own, which no other name of a person fits.

    Raises:
        UsageError: it fits no finding.
    """
    known = there or sorted({getattr(line, name) for line in lines} - {""})
    if (
        asked_for is not None
        and known
        and asked_for not in there
        and not any(_is_about(line, name, asked_for) for line in lines)
    ):
        choices = joined([quoted(printable(each)) for each in known])
        what = say("--{filter}: no finding is about {asked_for}", filter=name, asked_for=quoted(printable(asked_for)))
        if hidden:
            remedy = say("people have pseudonyms here; add --reveal to ask about a person by the identifier in the key")
            raise UsageError(f"{what}; {remedy}")
        raise UsageError.say("{what}; choose from {choices}", what=what, choices=choices)
