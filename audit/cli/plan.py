"""`audit plan MICRODATA`: methods and parameters side by side, with a recommendation."""

from __future__ import annotations

import argparse

from audit.cli import command
from reports.formats import FORMS


def add_parser(commands: command.Commands) -> None:
    """Register the command and its arguments."""
    from anonymizers.registry import METHODS
    from audit.api.series import LoadedMicrodata

    parser = commands.add_parser(
        "plan",
        description="Publish microdata with each method and several parameters into a temporary folder, audit and "
        "measure the results, and recommend one. Only the printed table is kept.",
    )
    parser.add_argument("microdata", type=command.local, metavar="MICRODATA", help="folder with a microdata.toml")
    parser.add_argument(
        "--method",
        action="append",
        choices=command.Names(METHODS.names),
        metavar="NAME",
        help="try this method only (may be repeated)",
    )
    parser.add_argument(
        "--queries", type=command.how_many, metavar="N", help="random COUNT queries; default: %(default)s"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="seed of the random queries and groups; default: %(default)s"
    )
    command.add_settings(parser, "time_limit")
    command.add_output(parser, FORMS)
    command.set_defaults_of(parser, LoadedMicrodata.plan)


def run(arguments: argparse.Namespace) -> int:
    """Try the methods, print the table, and return 0; a plan is no verdict.

    Raises:
        InputError: the microdata cannot be read.
    """
    from audit.api.series import load_microdata

    command.check_output(arguments.output)
    plan = load_microdata(arguments.microdata).plan(
        methods=arguments.method or (),
        queries=arguments.queries or 1,
        seed=arguments.seed,
        time_limit=arguments.time_limit,
        progress=command.shows_progress(),
    )
    return command.write(plan, arguments.format, arguments.output)
