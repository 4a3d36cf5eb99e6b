"""`audit repair SERIES CANDIDATE --output DIR`: the least changed candidate that keeps the policy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from audit.cli import command
from audit.model.release_impact import MOVES
from reports.formats import FORMS


def add_parser(commands: command.Commands, words: Sequence[str] = ()) -> None:
    """Register the command and its arguments; `words` may name attacks that are in no registry."""
    parser = commands.add_parser(
        "repair",
        description="Merge groups of a release that is not yet published, or withhold some of its rows, until the "
        "series with it keeps the policy, or adds nothing that the policy forbids if the series breaks it without it. "
        "The result is audited with every attack that applies before it is written. The series is not changed.",
        epilog="Exit codes: 0 repaired, 1 there is no repair, 2 wrong usage or input, "
        "3 none was found, but there may be one, 130 interrupted.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument(
        "candidate",
        nargs="+",
        metavar="CANDIDATE",
        help="file of the release (two for an Anatomy pair, rows first); its key is a column, or TAG.key.csv beside it",
    )
    command.add_options(parser)
    parser.add_argument("--format", choices=FORMS, default="text", help="default: text")
    command.add_further_reports(parser, FORMS)
    folder = "a new or empty folder for the candidate"
    parser.add_argument("--output", type=command.local, metavar="DIR", required=True, help=folder)
    parser.add_argument(
        "--only",
        action="append",
        choices=MOVES,
        metavar="MOVE",
        help=f"make only changes of this kind (may be repeated): {', '.join(MOVES)}",
    )
    parser.add_argument(
        "--reach", type=float, metavar="RISK", help="keep every risk below this limit, even if the policy allows more"
    )
    command.add_attack_options(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Repair a candidate, print what was changed, and return the exit code.

    Raises:
        UsageError: the candidate is not a new release of the series, the folder is not empty, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    series = command.opened(arguments, *(file for _, file in arguments.report))
    with command.asked(arguments) as given, command.estimate_shown():
        if arguments.reach is not None:
            given["policy"] |= {"max_risk": arguments.reach}
        how = command.settings_for(series, arguments, given, only=arguments.only, attack=arguments.attack)
        found = series.repair(arguments.candidate, arguments.output, **how)
    return command.write_reports(found, arguments, None)
