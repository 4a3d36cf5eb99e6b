"""`audit repair SERIES CANDIDATE --output DIR`: the least changed candidate that keeps the policy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from audit.cli.arguments import Commands, asked, local, settings_for
from audit.cli.audit import add_attack_options, add_options
from audit.cli.output import opened, write
from audit.cli.standard_streams import estimate_shown
from audit.model.moves import MOVES


def add_parser(commands: Commands, words: Sequence[str] = ()) -> None:
    """Register the command and its arguments; `words` may name attacks that are in no registry."""
    parser = commands.add_parser(
        "repair",
        description="Merge groups of a release that is not yet published, or withhold some of its rows, until the "
        "series with it keeps the policy. The result is audited with every attack that applies before it is written. "
        "The series is not changed.",
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
    add_options(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="default: text")
    folder = "a new or empty folder for the candidate"
    parser.add_argument("--output", type=local, metavar="DIR", required=True, help=folder)
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
    parser.add_argument(
        "--baseline",
        action="store_true",
        help="for a series that already breaks the policy: make sure that the candidate adds nothing to that",
    )
    add_attack_options(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Repair a candidate, print what was changed, and return the exit code.

    Raises:
        UsageError: the candidate is not a new release of the series, the folder is not empty, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    series = opened(arguments)
    with asked(arguments) as given, estimate_shown():
        if arguments.reach is not None:
            given["policy"] |= {"max_risk": arguments.reach}
        of_people = {name: getattr(arguments, name) for name in ("only", "baseline", "attack")}
        how = settings_for(series, arguments, given, **of_people) | {"baseline": arguments.baseline}
        found = series.repair(arguments.candidate, arguments.output, **how)
    return write(found, arguments.format, None, arguments.series)
