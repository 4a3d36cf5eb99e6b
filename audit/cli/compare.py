"""`audit compare SERIES SERIES ...`: what series disclose and how useful they are, side by side."""

from __future__ import annotations

import argparse
from typing import Any

from audit.cli import command
from audit.model.errors import within
from reports.formats import FORMS

_MOST_QUERIES = 1_000_000


def add_parser(commands: command.Commands) -> None:
    """Register the command and its arguments."""
    from audit.api.series import compare

    parser = commands.add_parser(
        "compare",
        description="Compare what several series disclose and, with --microdata, how useful they still are. A "
        "comparison is not a verdict: the exit code is 0 whatever is found.",
    )
    parser.add_argument("series", nargs="+", metavar="SERIES", help="folders or URLs of the series")
    parser.add_argument(
        "--microdata",
        type=command.local,
        metavar="DIR",
        help="folder of the microdata from which the series were made, to measure their utility",
    )
    parser.add_argument(
        "--queries",
        type=command.counted(1, _MOST_QUERIES),
        metavar="N",
        help="COUNT queries for each release; default: %(default)s",
    )
    parser.add_argument(
        "--theta", type=_theta, metavar="T", help="expected selectivity of a query; default: %(default)s"
    )
    parser.add_argument(
        "--workload",
        choices=["m-invariance", "m-distinct"],
        help="whose queries: of ranges |A|·T^(1/d) and error |act-est|/act (m-invariance paper, default), or of "
        "ranges |A|·T and error |act-est|/est (m-Distinct paper)",
    )
    parser.add_argument(
        "--seed",
        type=command.counted(0, command.GREATEST_SEED),
        metavar="N",
        help="seed of the random queries; default: %(default)s",
    )
    command.add_settings(parser, "time_limit")
    command.add_output(parser, [*FORMS, "csv"])
    command.set_defaults_of(parser, compare)


def run(arguments: argparse.Namespace) -> int:
    """Audit and measure each series, and print the comparison.

    Raises:
        InputError: a file cannot be read, or does not fit the microdata.
        UsageError: a series was not made from the microdata.
    """
    from audit.api.series import compare, load_microdata, opened
    from audit.io.paths import as_path, without_secrets

    command.check_output(arguments.output)
    microdata = None
    if arguments.microdata is not None:
        with within(str(arguments.microdata)):
            microdata = load_microdata(arguments.microdata)
        command.check_spared(arguments.output, microdata.opened.files())
    series: list[Any] = []
    for path in arguments.series:
        with within(without_secrets(path)):
            series.append(opened(as_path(path)))
        command.check_spared(arguments.output, series[-1].opened.files())
    names = ("queries", "theta", "workload", "seed", "time_limit")
    how = {name: getattr(arguments, name) for name in names}
    compared = compare(*series, microdata=microdata, progress=command.shows_progress(), **how)
    return command.write(compared, arguments.format, arguments.output)


def _theta(text: str) -> float:
    try:
        theta = float(text)
    except ValueError:
        theta = 0.0
    if not 0 < theta <= 1:
        raise argparse.ArgumentTypeError("a number above 0 and at most 1 is needed")
    return theta
