"""`audit check SERIES --principle NAME`: does a series keep the promise it claims?"""

from __future__ import annotations

import argparse
from dataclasses import replace

from audit.cli.command import Commands, Names, add_option, add_settings, opened, options_given, write
from audit.model.errors import UsageError
from audit.model.options import options_by_name
from reports.formats import FORMS


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments; the parameters are those of the principles."""
    from audit.principles.registry import PRINCIPLES

    parser = commands.add_parser(
        "check",
        description="Check a series against a privacy principle, by the principle's definition.",
        epilog="Exit codes: 0 the promise holds, 1 it is broken, 2 wrong usage or input, 3 undecided.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    names = PRINCIPLES.names
    parser.add_argument("--principle", required=True, choices=Names(names), metavar="NAME", help=", ".join(names))
    for option, principles in options_by_name({name: PRINCIPLES.load(name) for name in names}).values():
        add_option(parser, replace(option, least=1), f"needed by {', '.join(principles)}")
    parser.add_argument("--format", choices=FORMS, default="text", help="default: text")
    add_settings(parser, "reveal")


def run(arguments: argparse.Namespace) -> int:
    """Check the series, print where it breaks the promise, and return the exit code (3 if undecided).

    Raises:
        UsageError: a parameter is missing or unknown, the series lacks what the principle needs, or standard output
            cannot be written.
        InputError: the series cannot be read.
    """
    series = opened(arguments)
    if series.kind == "tables":
        raise UsageError(f"{arguments.series}: these are count tables, and principles are about people; name a series")
    answer = series.check(arguments.principle, reveal=arguments.reveal, **options_given(arguments))
    return write(answer, arguments.format, None, arguments.series)
