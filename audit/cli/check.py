"""`audit check SERIES --principle NAME`: does a series keep the promise it claims?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from audit.cli.arguments import Names, add_option, options_given
from audit.cli.output import say
from audit.model.errors import printable
from audit.model.options import Option, options_of
from audit.model.words import plural

if TYPE_CHECKING:
    from audit.io.series import Series
    from audit.principles.checker import Verdict
    from audit.principles.principle import PrincipleViolation


def add_parser(commands: Any) -> None:  # noqa: ANN401 - argparse's class of subparsers is private
    """Register the command and its arguments; the parameters are those of the principles."""
    from audit.principles.registry import PRINCIPLES

    parser = commands.add_parser(
        "check",
        help="does a series keep the promise it claims?",
        description="Hold a series against a privacy principle, by the principle's definition.",
        epilog="Exit codes: 0 the promise holds, 1 it is broken, 2 wrong usage or input, 3 nobody can tell.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    names = PRINCIPLES.names
    parser.add_argument("--principle", required=True, choices=Names(names), metavar="NAME", help=", ".join(names))
    having: dict[str, tuple[Option, list[str]]] = {}
    for name in names:
        for option in options_of(PRINCIPLES.load(name)):
            having.setdefault(option.name, (replace(option, least=1), []))[1].append(name)
    for option, principles in having.values():
        add_option(parser, option, f"needed by {', '.join(principles)}")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="default: text")
    parser.add_argument("--reveal", action="store_true", help="name people; such a report is not for publication")


def run(arguments: argparse.Namespace) -> int:
    """Check the series, say what is broken, and return the exit code: 3 where nobody can tell.

    Raises:
        UsageError: a parameter is missing or too many, the series lacks what the principle needs, or standard output
            cannot be written.
        InputError: the series cannot be read.
    """
    from audit.cli.undecided_principles import decided
    from audit.io.series import open_series
    from audit.principles.checker import checked
    from audit.principles.registry import find

    principle = find(arguments.principle, options_given(arguments))
    series = open_series(arguments.series)
    verdict = decided(checked(principle, series), principle, series)
    render = as_json if arguments.format == "json" else as_text
    say(render(series, verdict, reveal=arguments.reveal))
    if verdict.undecided is not None:
        return 3
    return 0 if verdict.holds else 1


def as_text(series: Series, verdict: Verdict, *, reveal: bool) -> str:
    """Return what was found, for reading."""
    lines = [printable(series.manifest.name, 200)]
    lines += [f"{plural(len(series.tags), 'release')}, {plural(verdict.rows, 'row')}", ""]
    if verdict.holds:
        return "\n".join([*lines, f"The promise holds: {verdict.promise}.", ""])
    if verdict.undecided is not None:
        told = f"UNDECIDED: nobody can tell whether the series keeps {verdict.promise}."
        return "\n".join([*lines, told, f"  {verdict.undecided}", ""])
    lines += [f"BROKEN: the series does not keep {verdict.promise}."]
    lines += [f"  {clause}: {total:,}" for clause, total in verdict.broken.items()]
    some = f"the first {len(verdict.first)} of {verdict.offences:,}"
    lines += ["", f"Offences ({some if len(verdict.first) < verdict.offences else verdict.offences})"]
    lines += [f"  {line}" for offence in verdict.first for line in _told(series, offence, reveal=reveal)]
    if not reveal and any(offence.individuals for offence in verdict.first):
        lines += ["", "See who they are with --reveal; keep that report inside."]
    return "\n".join([*lines, ""])


def _told(series: Series, offence: PrincipleViolation, *, reveal: bool) -> Iterator[str]:
    """Yield an offence, and what breaks the promise there."""
    line = _line(series, offence, reveal=reveal)
    parquet = series.manifest.releases[series.tags.index(offence.release)].rows.name.endswith(".parquet")
    place = "" if line is None else f", {'row' if parquet else 'line'} {line:,}"
    who = f": {' and '.join(map(printable, offence.individuals))}" if reveal and offence.individuals else ""
    yield f"{offence.place}{place}{who}"
    yield f"  {offence.what}"


def _line(series: Series, offence: PrincipleViolation, *, reveal: bool) -> int | None:
    """Return the line of an offence; somebody's own line only where people are named."""
    from audit.principles.checker import line_of

    if offence.row is None or (offence.individuals and not reveal):
        return None
    return line_of(series.manifest.releases[series.tags.index(offence.release)], offence.row)


def as_json(series: Series, verdict: Verdict, *, reveal: bool) -> str:
    """Return what was found as one JSON object with a final line break."""
    document = {
        "schema_version": 1,
        "series": series.manifest.name,
        "releases": list(series.tags),
        "principle": verdict.promise.principle,
        "parameters": dict(verdict.promise.parameters),
        "holds": verdict.holds if verdict.undecided is None else None,
        "undecided": verdict.undecided,
        "broken": dict(verdict.broken),
        "revealed": reveal,
        "offences": [
            {
                "release": offence.release,
                "groups": list(offence.groups),
                "line": _line(series, offence, reveal=reveal),
                "what": offence.what,
                "individuals": list(offence.individuals) if reveal else [],
            }
            for offence in verdict.first
        ],
        "offences_total": verdict.offences,
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
