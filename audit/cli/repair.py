"""`audit repair SERIES CANDIDATE --output DIR`: the least changed candidate that keeps the policy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attacks.registry import choose
from audit.cli.arguments import Commands, options_given
from audit.cli.audit import add_attack_options, add_options, options, spelled
from audit.cli.output import put
from audit.cli.progress import progress
from audit.model.errors import UsageError, printable_path
from audit.model.moves import MOVES


def add_parser(commands: Commands, words: Sequence[str] = ()) -> None:
    """Register the command and its arguments; some words name attacks that are in no registry."""
    parser = commands.add_parser(
        "repair",
        help="change a candidate as little as possible, so that the series with it keeps the policy",
        description="Merge groups of a release that is not yet published, or withhold rows of it, until the series "
        "with it keeps the policy. What is written was audited as a whole, with every attack that applies. The "
        "series is not changed.",
        epilog="Exit codes: 0 repaired, 1 there is no repair, 2 wrong usage or input, "
        "3 none was found, 130 interrupted.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument(
        "candidate",
        nargs="+",
        metavar="CANDIDATE",
        help="the release's file, or its rows and its values; the key is a column, or TAG.key.csv beside it",
    )
    folder = {"metavar": "DIR", "help": "a new or empty folder for the candidate", "required": True}
    add_options(parser, ["text", "json"], folder)
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
        help="the series already breaks the policy: make sure that the candidate adds nothing to that",
    )
    add_attack_options(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Repair a candidate, say what was changed, and return the exit code.

    Raises:
        UsageError: the candidate is none, the folder has files in it, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    from audit.count_tables.series_kind import is_table_series

    if is_table_series(arguments.series):
        from audit.cli import count_tables

        return count_tables.run_repair(arguments)
    from audit.io.candidate import with_candidate
    from audit.io.paths import as_path
    from audit.io.series import open_series
    from audit.repair.search import RepairSearch
    from audit.runtime.distributed.engines import engine
    from reports.repair import FORMATS

    output: Path = arguments.output
    _check_folder(output)
    if len(arguments.candidate) > 2:
        raise UsageError("more than two files are given; name one table, or the rows and the values of a pair")
    before, after = with_candidate(open_series(arguments.series), [as_path(name) for name in arguments.candidate])
    with progress() as watch, engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
        how = options(arguments, watch, chosen)
        if arguments.reach is not None:
            if not 0 < arguments.reach <= 1:
                raise UsageError("--reach takes a risk above 0, 1 at most")
            how = replace(how, limits={**how.limits, "max_risk": arguments.reach})
        attacks = choose(arguments.attack or (), options_given(arguments), spelled)
        search = RepairSearch(before, after, attacks, how, moves=arguments.only or MOVES, baseline=arguments.baseline)
        repair = search.repair(output)
    put(FORMATS[arguments.format](repair))
    return repair.exit_code


def _check_folder(folder: Path) -> None:
    """Refuse a folder with files in it, or one that cannot be made.

    Raises:
        UsageError: it is one.
    """
    shown = printable_path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{shown}: there is something already; name a new or empty folder")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{shown}: there is no folder to make it in; name a folder in one that exists")
