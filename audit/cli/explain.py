"""`audit explain SERIES --individual ID`: what can be learnt of one person, release by release, step by step."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from audit.cli.arguments import positive_seconds
from audit.cli.output import say
from audit.cli.progress import progress
from audit.core.errors import UsageError


def add_parser(commands: Any) -> None:  # noqa: ANN401 - argparse's class of subparsers is private
    """Register the command and its arguments."""
    from reports.explanation import FORMATS

    parser = commands.add_parser(
        "explain",
        help="what can be learnt of one person, release by release, step by step",
        description="Tell what can be learnt of one person. It names people: keep what it prints inside.",
        epilog="Exit codes: 0 explained, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument("--individual", required=True, metavar="ID", help="the person's identifier")
    parser.add_argument(
        "--adversary",
        choices=["linked", "register"],
        help="whom to assume; default: the worst case that the series allows",
    )
    parser.add_argument(
        "--time-limit", type=positive_seconds, default=300.0, metavar="S", help="seconds per attack; default: 300"
    )
    parser.add_argument("--format", choices=list(FORMATS), default="text", help="default: text")


def run(arguments: argparse.Namespace) -> int:
    """Run the attacks, tell what they say of one person, and return the exit code, 0.

    Raises:
        UsageError: there is no such person, or the adversary knows nothing about people.
        InputError: the series cannot be read.
    """
    from attacks.registry import ATTACKS
    from audit.linking.gathering import choose
    from audit.reading import manifest
    from audit.reading.series import open_series
    from audit.running import Options, run_audit
    from audit.verdict.explaining import About, Seen, explanation
    from reports.explanation import FORMATS

    series = open_series(arguments.series)
    if choose(series, arguments.adversary) == "pseudonym":
        keys = "[columns] individual, or a key file for each release; or [adversary] register"
        raise UsageError(f"{manifest.NAME}: nobody is known to be in this series; add {keys}")
    # What is waived is accepted, and still can be learnt.
    series.manifest = replace(series.manifest, waivers=())
    seen: list[Seen] = []
    attacks = [About(attack, arguments.individual, seen) for attack in ATTACKS if attack.per_attribute]
    with progress() as watch:
        options = Options(
            adversary=arguments.adversary,
            time_limit=arguments.time_limit,
            findings=None,
            reveal=True,
            watch=watch,
        )
        report = run_audit(series, attacks, options)
        told = explanation(report, seen, arguments.individual, arguments.time_limit)
    say(FORMATS[arguments.format](told))
    return 0
