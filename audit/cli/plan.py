"""`audit plan MICRODATA`: methods and parameters side by side, with a recommendation."""

from __future__ import annotations

import argparse

from audit.cli.arguments import Commands, Names, add_settings, how_many, local
from audit.cli.output import check_output, put
from audit.cli.progress import counting
from reports.publication_plan import FORMATS


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    from anonymizers.registry import METHODS

    parser = commands.add_parser(
        "plan",
        help="what each method would make of your microdata, with a recommendation",
        description="Publish microdata with each method and some parameters into a temporary folder, audit and measure "
        "what comes out, and say which to take. Only the printed table is kept.",
    )
    parser.add_argument("microdata", type=local, metavar="MICRODATA", help="folder with a microdata.toml")
    parser.add_argument(
        "--method", action="append", choices=Names(METHODS.names), metavar="NAME", help="try this one (may be repeated)"
    )
    parser.add_argument("--queries", type=how_many, default=1000, metavar="N", help="COUNT queries; default: 1000")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random queries and groups; default: 0"
    )
    add_settings(parser, "time_limit", default=20.0)
    parser.add_argument("--format", choices=list(FORMATS), default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", type=local, help="write to a file")


def run(arguments: argparse.Namespace) -> int:
    """Try the methods, print the table, and return 0; a plan is no verdict.

    Raises:
        InputError: the microdata cannot be read.
    """
    from anonymizers.registry import METHODS
    from attacks.registry import all_attacks
    from audit.io.microdata import open_microdata
    from audit.metrics.utility import Queries
    from audit.pipeline.audit_run import AuditOptions
    from audit.pipeline.publication_plan import candidates, plan_publication

    check_output(arguments.output)
    microdata = open_microdata(arguments.microdata)
    options = AuditOptions(time_limit=arguments.time_limit, findings=0)
    queries = Queries(arguments.queries or 1, seed=arguments.seed)
    kinds = [METHODS.load(name) for name in arguments.method or METHODS.names]
    with counting("trying methods") as watch:
        plan = plan_publication(microdata, candidates(kinds), all_attacks(), options, queries, watch)
    put(FORMATS[arguments.format](plan), arguments.output)
    return 0
