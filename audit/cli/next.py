"""`audit next SERIES CANDIDATE`: would publishing this release break anything that holds now?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from audit.cli import command


def add_parser(commands: command.Commands, words: Sequence[str] = ()) -> None:
    """Register the command and its arguments; `words` may name attacks that are in no registry."""
    parser = commands.add_parser(
        "next",
        description="Judge a release before it is published: the verdict on the series with it, what it changes, "
        "which of its rows are the cause, and what would repair it. Nothing is written into the series.",
        epilog="Exit codes are those of `audit SERIES`, for the series with the candidate. For a document about it "
        "(--document), audit a copy of the series that has it.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument(
        "candidate",
        nargs="+",
        metavar="CANDIDATE",
        help="file or URL of the release (of a pair, both files; of count tables, all files, or their folder); its key "
        "is a column, or TAG.key.csv beside it",
    )
    command.add_options(parser)
    command.add_settings(parser, "baseline")
    command.add_reports(parser)
    command.add_attack_options(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Judge a candidate, write what it changes, and return the exit code.

    Raises:
        UsageError: the candidate is not a new release of the series, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    series = command.opened(arguments, arguments.output, *(file for _, file in arguments.report))
    with command.asked(arguments, ["baseline"]) as given:
        found = series.next(
            arguments.candidate, **command.settings_for(series, arguments, given, attack=arguments.attack)
        )
    return command.write_reports(found, arguments, arguments.output)
