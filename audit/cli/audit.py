"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from attacks.registry import ATTACKS, AttackOptions, choose
from audit.cli.arguments import Parser, counted, from_one, how_many, limit, local, positive_seconds, sides
from audit.cli.output import check_output, check_spared, put
from audit.cli.progress import progress
from audit.core.report import Report
from audit.engines import ENGINES
from reports.registry import FORMATS, Format

if TYPE_CHECKING:
    from audit.core.engine import Engine
    from audit.running import Options, Watch
    from reports.text import Text


def add_arguments(main: Parser, commands: Mapping[str, ModuleType]) -> None:
    """Add the default command's arguments to the parser."""
    others = ", ".join(commands)
    main.add_argument("series", metavar="SERIES", help=f"folder or URL with a series.toml; or a command: {others}")
    add_options(main, [f.ident for f in FORMATS])
    main.add_argument(
        "--max-e",
        type=sides,
        metavar="E",
        help="equivalence: count and look for sides of up to so many people; default: 4",
    )
    main.add_argument(
        "--seed",
        type=counted(0),
        metavar="N",
        help="joint: what is drawn at random where probabilities can only be estimated; default: 0",
    )
    main.add_argument(
        "--known", action="store_true", help="equivalence: tell too how far one value, once known, spreads"
    )


def add_options(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add how to attack, to judge and to report: what every command that gives a verdict takes."""
    parser.add_argument(
        "--attack",
        action="append",
        choices=[attack.ident for attack in ATTACKS],
        metavar="NAME",
        help=f"run this attack only (may be repeated): {', '.join(attack.ident for attack in ATTACKS)}",
    )
    parser.add_argument("--format", choices=formats, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", type=local, help="write the report to a file")
    parser.add_argument(
        "--adversary",
        choices=["linked", "register", "pseudonym"],
        help="whom to assume; default: the worst case that the series allows",
    )
    parser.add_argument(
        "--policy",
        action="append",
        type=limit,
        default=[],
        metavar="CLAUSE=LIMIT",
        help="what makes the audit fail: max_risk (default 1), min_e (2), k (2)",
    )
    parser.add_argument(
        "--k",
        type=lambda text: limit(f"k={text}"),
        metavar="K",
        help="how many records have to fit what is known of one; short for --policy k=K",
    )
    parser.add_argument("--findings", type=how_many, default=20, metavar="N|all", help="findings shown; default: 20")
    parser.add_argument(
        "--time-limit",
        type=positive_seconds,
        default=300.0,
        metavar="S",
        help="seconds per attack; default: 300",
    )
    parser.add_argument(
        "--jobs", type=from_one, metavar="N", help="how many tasks are done at once; default: one for each core"
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where the work is done: threads of this process (default), or a cluster of dask.distributed",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of the cluster; without it one is started on this machine for the run"
    )
    parser.add_argument("--reveal", action="store_true", help="name people; such a report is not for publication")


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the report, and return the exit code."""
    from audit.core.kernels import keep_memory
    from audit.engines import engine
    from audit.reading.places import is_remote, place
    from audit.reading.series import open_series
    from audit.running import run_audit

    check_output(arguments.output)
    attacks = choose(arguments.attack or (), _options(arguments), lambda name: f"--{name.replace('_', '-')}")
    with progress() as watch:
        keep_memory()
        # A cluster's workers may have started in another folder.
        where = place(arguments.series)
        series = open_series(where.absolute() if arguments.engine == "dask" and not is_remote(where) else where)
        check_spared(arguments.output, series)
        with engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
            report = run_audit(series, attacks, options(arguments, watch, chosen))
    write(report, arguments.format, arguments.output)
    return report.policy.exit_code


def options(arguments: argparse.Namespace, watch: Watch, engine: Engine) -> Options:
    """Return how to audit, as the arguments of `add_options` say."""
    from audit.running import Options

    return Options(
        adversary=arguments.adversary,
        engine=engine,
        apart=arguments.engine == "dask",
        limits=dict([*arguments.policy, *([arguments.k] if arguments.k else [])]),
        time_limit=arguments.time_limit,
        findings=arguments.findings,
        reveal=arguments.reveal,
        named=bool(arguments.attack),
        watch=watch,
    )


def _options(arguments: argparse.Namespace) -> AttackOptions:
    """Return the options of single attacks that were given."""
    given: AttackOptions = {}
    if arguments.max_e is not None:
        given["max_e"] = arguments.max_e
    if arguments.known:
        given["known"] = True
    if arguments.seed is not None:
        given["seed"] = arguments.seed
    return given


def write(report: Report, form: str, output: Path | None) -> None:
    """Print the report, or write it to a file.

    Raises:
        UsageError: it cannot be written.
    """
    put(_format(form, output).render(report), output)


def _format(ident: str, output: Path | None) -> Format:
    return text_for(output) if ident == "text" else {each.ident: each for each in FORMATS}[ident]


def text_for(output: Path | None) -> Text:
    """Return text as wide and as colourful as what it is written to."""
    from reports.text import Text

    if output is None and sys.stdout is not None and sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        return Text(color="NO_COLOR" not in os.environ, width=max(60, width))
    return Text()
