"""`audit explain SERIES --individual ID`: what can be learnt of one person, release by release, step by step."""

from __future__ import annotations

import argparse

from audit.cli.arguments import Commands, Names, add_settings, local
from audit.cli.output import check_output, check_spared, format_of, put
from audit.cli.progress import progress
from audit.model.adversary import ADVERSARIES
from audit.model.errors import UsageError
from reports.registry import FORMATS


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "explain",
        help="what can be learnt of one person, release by release, step by step",
        description="Show what can be learnt about one person. It names people: keep its output internal.",
        epilog="Exit codes: 0 explained, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument("--individual", metavar="ID", help="the person's identifier")
    parser.add_argument(
        "--cell",
        action="append",
        metavar="DIMENSION=LABEL",
        help="of a series of count tables: a label of the cell, once for each dimension that is not at its total",
    )
    add_settings(parser, "adversary", choices=[name for name, each in ADVERSARIES.items() if each.knows_people])
    add_settings(parser, "time_limit")
    parser.add_argument("--format", choices=Names(FORMATS.names), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", type=local, help="write it to a file")
    parser.add_argument("--attack", action="append", metavar="NAME", help="by this attack only (may be repeated)")


def run(arguments: argparse.Namespace) -> int:
    """Run the attacks, tell what they say of one person, and return the exit code, 0.

    Raises:
        UsageError: there is no such person, or the adversary knows nothing about people.
        InputError: the series cannot be read.
    """
    from audit.count_tables.series_kind import is_table_series

    if is_table_series(arguments.series):
        from audit.cli import count_tables

        return count_tables.run_explain(arguments)
    if arguments.cell:
        raise UsageError("--cell is about count tables; name a person with --individual ID")
    if arguments.individual is None:
        raise UsageError("the following arguments are required: --individual; see `audit explain --help`")
    from attacks.registry import choose
    from audit.io.series import open_series
    from audit.pipeline.audit_run import AuditOptions
    from audit.pipeline.explanation import explain_person
    from reports.explanation import render

    check_output(arguments.output)
    series = open_series(arguments.series)
    check_spared(arguments.output, series)
    with progress() as watch:
        options = AuditOptions(
            adversary=arguments.adversary,
            time_limit=arguments.time_limit,
            explicit=bool(arguments.attack),
            progress=watch,
        )
        told, report = explain_person(series, choose(arguments.attack or (), {}), arguments.individual, options)
    put(render(told, report, format_of(arguments.format, arguments.output, arguments.series)), arguments.output)
    return 4 if report.failed else 0
