"""`audit next SERIES CANDIDATE`: would publishing this release break anything that holds now?"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from attacks.registry import choose
from audit.cli.audit import add_options, options, text_for
from audit.cli.output import check_output, check_spared, put
from audit.cli.progress import progress
from audit.core.errors import UsageError


def add_parser(commands: Any) -> None:  # noqa: ANN401 - argparse's class of subparsers is private
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "next",
        help="verdict on a release not yet published, beside the series so far",
        description="Judge a release before it is published: the verdict of the series with it, what it changes, which "
        "rows of it are the cause, and which rows to withhold. Nothing is written into the series.",
        epilog="Exit codes are those of `audit SERIES`, for the series with the candidate.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument(
        "candidate",
        nargs="+",
        metavar="CANDIDATE",
        help="the release's file or URL, or its rows and its values; the key is a column, or TAG.key.csv beside it",
    )
    add_options(parser, ["text", "json"])


def run(arguments: argparse.Namespace) -> int:
    """Judge a candidate, write what it changes, and return the exit code.

    Raises:
        UsageError: the candidate is none, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    from audit.engines import engine
    from audit.foreseeing import foresee
    from audit.reading.candidate import with_candidate
    from audit.reading.places import place
    from audit.reading.series import open_series
    from reports.next import as_json, text

    check_output(arguments.output)
    if len(arguments.candidate) > 2:
        raise UsageError("more than two files are given; name one table, or the rows and the values of a pair")
    before, after = with_candidate(open_series(arguments.series), [place(name) for name in arguments.candidate])
    check_spared(arguments.output, after)
    with progress() as watch, engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
        # Rows are withheld to see what that undoes: in this process, where they are.
        how = replace(options(arguments, watch, chosen), apart=False)
        foresight = foresee(before, after, choose(arguments.attack or (), {}), how)
    told = as_json(foresight) if arguments.format == "json" else text(foresight, text_for(arguments.output))
    put(told, arguments.output)
    return foresight.after.policy.exit_code
