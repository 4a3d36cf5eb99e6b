"""`audit compare SERIES SERIES ...`: what series give away and what they are good for, side by side."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from attacks.registry import all_attacks
from audit.cli.arguments import Commands, add_settings, counted, local
from audit.cli.output import check_output, check_spared, put
from audit.cli.progress import progress
from reports.comparison import FORMATS

if TYPE_CHECKING:
    from audit.io.series import Series

_MOST_QUERIES, _GREATEST_SEED = 1_000_000, 10**18 - 1


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "compare",
        help="privacy and utility of several series side by side",
        description="Show side by side what several series give away and, given the microdata that they were made "
        "from, what they are still good for. A comparison is no verdict: it exits with 0 whatever it finds.",
    )
    parser.add_argument("series", nargs="+", metavar="SERIES", help="folders or URLs of the series")
    parser.add_argument(
        "--microdata",
        type=local,
        metavar="DIR",
        help="folder of the microdata, the true data against which utility is measured",
    )
    parser.add_argument(
        "--queries",
        type=counted(1, _MOST_QUERIES),
        default=10_000,
        metavar="N",
        help="number of queries number of queries per release; default: 10000",
    )
    parser.add_argument(
        "--theta", type=_theta, default=0.1, metavar="T", help="expected selectivity of a query; default: 0.1"
    )
    parser.add_argument(
        "--workload",
        choices=["m-invariance", "m-distinct"],
        default="m-invariance",
        help="whose queries: of ranges |A|·T^(1/d) and error |act-est|/act (m-invariance paper, default), or of "
        "ranges |A|·T and error |act-est|/est (m-Distinct paper)",
    )
    parser.add_argument(
        "--seed", type=counted(0, _GREATEST_SEED), default=0, metavar="N", help="seed of the random queries; default: 0"
    )
    add_settings(parser, "time_limit")
    parser.add_argument("--output", type=local, metavar="FILE", help="write to a file; default: standard output")
    parser.add_argument("--format", choices=list(FORMATS), default="text", help="default: text")


def run(arguments: argparse.Namespace) -> int:
    """Audit and measure each series, and print the comparison.

    Raises:
        InputError: a file cannot be read, or does not fit the microdata.
        UsageError: a series is none of the microdata.
    """
    from audit.count_tables.series_kind import is_table_series

    if any(is_table_series(path) for path in arguments.series):
        from audit.cli import count_tables

        return count_tables.run_compare(arguments)
    from audit.io.microdata import open_microdata
    from audit.io.paths import without_secrets
    from audit.io.series import open_series
    from audit.metrics.utility import Queries, check_fits, within
    from audit.pipeline.audit_run import AuditOptions
    from audit.pipeline.comparison import compare_series

    check_output(arguments.output)
    microdata = None
    if arguments.microdata is not None:
        with within(str(arguments.microdata)):
            microdata = open_microdata(arguments.microdata)
        check_spared(arguments.output, microdata)
    named: list[tuple[str, Series]] = []
    for path in arguments.series:
        shown = without_secrets(path)
        with within(shown):
            named.append((shown, open_series(path)))
        check_spared(arguments.output, named[-1][1])
        if microdata is not None:
            check_fits(*named[-1], microdata)
    queries = Queries(arguments.queries, arguments.theta, arguments.workload, arguments.seed)
    with progress() as watch:
        options = AuditOptions(time_limit=arguments.time_limit, findings=0, progress=watch)
        comparison = compare_series(named, all_attacks(), options, microdata, queries)
    put(FORMATS[arguments.format](comparison), arguments.output)
    return 0


def _theta(text: str) -> float:
    try:
        theta = float(text)
    except ValueError:
        theta = 0.0
    if not 0 < theta <= 1:
        raise argparse.ArgumentTypeError("a number above 0 and at most 1 is needed")
    return theta
