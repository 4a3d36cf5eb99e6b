"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from attacks.registry import ATTACKS, AttackOptions, choose
from audit.cli.arguments import Parser, how_many, limit, positive_seconds, sides
from audit.cli.output import check_output, check_spared, put
from audit.cli.progress import progress
from audit.core.report import Report
from reports.registry import FORMATS, Format


def add_arguments(main: Parser, commands: Mapping[str, ModuleType]) -> None:
    """Add the default command's arguments to the parser."""
    others = ", ".join(commands)
    main.add_argument("series", metavar="SERIES", help=f"folder with a series.toml; or a command: {others}")
    main.add_argument(
        "--attack",
        action="append",
        choices=[attack.ident for attack in ATTACKS],
        metavar="NAME",
        help=f"run this attack only (may be repeated): {', '.join(attack.ident for attack in ATTACKS)}",
    )
    main.add_argument("--format", choices=[f.ident for f in FORMATS], default="text", help="default: text")
    main.add_argument("--output", metavar="FILE", type=Path, help="write the report to a file")
    main.add_argument(
        "--adversary",
        choices=["linked", "register", "pseudonym"],
        help="whom to assume; default: the worst case that the series allows",
    )
    main.add_argument(
        "--policy",
        action="append",
        type=limit,
        default=[],
        metavar="CLAUSE=LIMIT",
        help="what makes the audit fail: max_risk (default 1), min_e (2), k (2)",
    )
    main.add_argument(
        "--k",
        type=lambda text: limit(f"k={text}"),
        metavar="K",
        help="how many records have to fit what is known of one; short for --policy k=K",
    )
    main.add_argument(
        "--max-e",
        type=sides,
        metavar="E",
        help="equivalence: count and look for sides of up to so many people; default: 4",
    )
    main.add_argument(
        "--known", action="store_true", help="equivalence: tell too how far one value, once known, spreads"
    )
    main.add_argument("--findings", type=how_many, default=20, metavar="N|all", help="findings shown; default: 20")
    main.add_argument(
        "--time-limit",
        type=positive_seconds,
        default=300.0,
        metavar="S",
        help="seconds per attack; default: 300",
    )
    main.add_argument("--reveal", action="store_true", help="name people; such a report is not for publication")


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the report, and return the exit code."""
    from audit.reading.series import open_series
    from audit.running import Options, run_audit

    check_output(arguments.output)
    attacks = choose(arguments.attack or (), _options(arguments), lambda name: f"--{name.replace('_', '-')}")
    with progress() as watch:
        options = Options(
            adversary=arguments.adversary,
            limits=dict([*arguments.policy, *([arguments.k] if arguments.k else [])]),
            time_limit=arguments.time_limit,
            findings=arguments.findings,
            reveal=arguments.reveal,
            named=bool(arguments.attack),
            watch=watch,
        )
        series = open_series(arguments.series)
        check_spared(arguments.output, series)
        report = run_audit(series, attacks, options)
    write(report, arguments.format, arguments.output)
    return report.policy.exit_code


def _options(arguments: argparse.Namespace) -> AttackOptions:
    """Return the options of single attacks that were given."""
    options: AttackOptions = {}
    if arguments.max_e is not None:
        options["max_e"] = arguments.max_e
    if arguments.known:
        options["known"] = True
    return options


def write(report: Report, form: str, output: Path | None) -> None:
    """Print the report, or write it to a file.

    Raises:
        UsageError: it cannot be written.
    """
    put(_format(form, output).render(report), output)


def _format(ident: str, output: Path | None) -> Format:
    from reports.text import Text

    if ident == "text" and output is None and sys.stdout is not None and sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        return Text(color="NO_COLOR" not in os.environ, width=max(60, width))
    return {each.ident: each for each in FORMATS}[ident]
