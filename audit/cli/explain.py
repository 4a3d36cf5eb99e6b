"""`audit explain SERIES --individual ID`: what can be learnt about one person, release by release, step by step."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from audit.cli.command import REQUIRED, Commands, Names, add_output, add_settings, asked, opened, settings_for, write
from audit.model.adversary import ADVERSARIES
from audit.model.errors import UsageError
from audit.runtime.phrases import printable, say
from reports.registry import FORMATS

if TYPE_CHECKING:
    from audit.api.answers import Answer


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "explain",
        description="Show what can be learnt about one person. The output names people: keep it internal.",
        epilog="Exit codes: 0 explained, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", help="folder or URL with a series.toml")
    parser.add_argument("--individual", metavar="ID", help="the person's identifier")
    parser.add_argument("--record", metavar="ID", help="in place of a person: a published record id ([columns] record)")
    parser.add_argument(
        "--cell",
        action="append",
        metavar="DIMENSION=LABEL",
        help="for count tables: a label of the cell, once for each dimension, such as --cell sex=f; else the total",
    )
    add_settings(parser, "adversary", choices=[name for name, each in ADVERSARIES.items() if each.knows_people])
    add_settings(parser, "time_limit")
    add_output(parser, Names(FORMATS.names))
    parser.add_argument("--attack", action="append", metavar="NAME", help="run this attack only (may be repeated)")


def run(arguments: argparse.Namespace) -> int:
    """Run the attacks, print what they find about one person or cell, and return the exit code, 0.

    Raises:
        UsageError: there is no such person or cell, or the adversary knows nothing about people.
        InputError: the series cannot be read.
    """
    series = opened(arguments, arguments.output)
    with asked(arguments) as given:
        if series.kind == "tables":
            if not arguments.cell:
                raise UsageError.say("count tables contain no people; name a cell, such as --cell area=N --cell sex=f")
            cell = dict(map(_label, arguments.cell))
            answer: Answer = series.explain(cell, **settings_for(series, arguments, given))
        elif arguments.cell:
            raise UsageError.say("--cell is for count tables; name a person with --individual ID")
        elif arguments.individual is None and arguments.record is None:
            raise UsageError(
                REQUIRED.filled(names="--individual") + say("; see `{command}`", command="audit explain --help")
            )
        elif None not in (arguments.individual, arguments.record):
            raise UsageError.say("name a person with --individual ID, or a record with --record ID, not both")
        elif arguments.record is not None and arguments.adversary is not None:
            raise UsageError.say("--record is about who knows nothing but record ids: leave --adversary out")
        else:
            answer = series.explain(
                arguments.individual if arguments.record is None else arguments.record,
                is_record=arguments.record is not None,
                attack=arguments.attack,
                adversary=arguments.adversary,
                time_limit=arguments.time_limit,
                progress=given["progress"],
            )
    return write(answer, arguments.format, arguments.output, arguments.series)


def _label(text: str) -> tuple[str, str]:
    name, equals, label = text.partition("=")
    if not equals:
        raise UsageError(f"--cell {printable(text)}: write dimension=label, such as --cell sex=f")
    return name.strip(), label.strip()
