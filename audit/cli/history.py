"""`audit history SERIES`: the reports of a series, one after the other."""

from __future__ import annotations

import argparse

from audit.cli.command import Commands, add_output, check_output, local, put
from reports.formats import FORMS, frames

_FOLDER = "reports"


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "history",
        description="Show what earlier reports of a series said: the JSON reports in its folder reports/, or in "
        "another one. Nothing is audited, and the exit code is 0 whatever the reports say.",
    )
    parser.add_argument("series", metavar="SERIES", type=local, help="folder of the series")
    parser.add_argument("--reports", metavar="DIR", type=local, help="folder of the reports; default: SERIES/reports")
    add_output(parser, FORMS)


def run(arguments: argparse.Namespace) -> int:
    """Show the history of a series, and return the exit code, 0.

    Raises:
        UsageError: there are no reports, or one cannot be read.
    """
    from audit.judgement.baseline import read_history
    from reports.history import document, page

    check_output(arguments.output)
    history = read_history(arguments.reports or arguments.series / _FOLDER)
    put(frames(page, document)[arguments.format](history), arguments.output)
    return 0
