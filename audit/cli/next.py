"""`audit next SERIES CANDIDATE`: would publishing this release break anything that holds now?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from attacks.registry import choose
from audit.cli.arguments import Commands, Names, options_given
from audit.cli.audit import add_attack_options, add_options, options, spelled
from audit.cli.output import check_output, check_spared, format_of, put, text_for
from audit.cli.progress import progress
from audit.model.errors import UsageError
from reports.registry import FORMATS


def add_parser(commands: Commands, words: Sequence[str] = ()) -> None:
    """Register the command and its arguments; some words name attacks that are in no registry."""
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
    add_options(parser, Names(FORMATS.names))
    add_attack_options(parser, words)


def run(arguments: argparse.Namespace) -> int:
    """Judge a candidate, write what it changes, and return the exit code.

    Raises:
        UsageError: the candidate is none, or no attack applies.
        InputError: the series or the candidate cannot be read.
    """
    from audit.count_tables.series_kind import is_table_series

    if is_table_series(arguments.series):
        from audit.cli import count_tables

        return count_tables.run_next(arguments)
    from audit.io.candidate import with_candidate
    from audit.io.paths import as_path
    from audit.io.series import open_series
    from audit.pipeline.release_impact import compare_candidate
    from audit.repair.newest_release import with_repair
    from audit.runtime.distributed.engines import engine
    from reports.impact import FORMATS as WRITTEN
    from reports.impact import page, with_news

    check_output(arguments.output)
    if len(arguments.candidate) > 2:
        raise UsageError("more than two files are given; name one table, or the rows and the values of a pair")
    before, after = with_candidate(open_series(arguments.series), [as_path(name) for name in arguments.candidate])
    check_spared(arguments.output, after)
    with progress() as watch, engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
        how = options(arguments, watch, chosen)
        attacks = choose(arguments.attack or (), options_given(arguments), spelled)
        impact = compare_candidate(before, after, attacks, how)
        impact = with_repair(impact, before, after, attacks, how)
    if arguments.format == "text":
        told = text_for(arguments.output).drawn(page(impact))
    elif arguments.format == "json":
        told = WRITTEN["json"](impact)
    else:
        told = format_of(arguments.format, arguments.output, arguments.series).render(with_news(impact))
    put(told, arguments.output)
    return impact.after.exit_code
