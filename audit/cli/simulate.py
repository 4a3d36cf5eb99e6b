"""`audit simulate --output MICRODATA`: write microdata of people who come, leave and change."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from anonymizers.count_tables import COUNT_METHODS
from audit.cli.command import Commands, Parser, counted, local, put, set_defaults_of, shows_progress
from audit.runtime.phrases import figure, printable, printable_path, say, say_count, typed
from audit.simulating.request import QUASI_IDENTIFIERS, SENSITIVE, FileType, SimulationRequest

if TYPE_CHECKING:
    from audit.simulating.simulation import Simulated

_MOST_SNAPSHOTS = 10_000
_MOST_M = 10
_MOST_TABLES = 200


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "simulate",
        description="Write microdata, one exact table per snapshot, of synthetic people or of people from a table. "
        "Without options: the setting of the m-invariance and equivalence papers.",
    )
    parser.add_argument("--output", type=local, required=True, metavar="MICRODATA", help="folder to write; must be new")
    parser.add_argument(
        "--tables",
        choices=COUNT_METHODS,
        metavar="METHOD",
        help=f"write a series of count tables instead, protected one by one: {', '.join(COUNT_METHODS)}; "
        "--snapshots releases of --areas areas, whose people only come",
    )
    parser.add_argument("--areas", type=counted(1), default=19, metavar="N", help="with --tables; default: 19")
    snapshots = parser.add_argument_group("who is there")
    snapshots.add_argument(
        "--rows", type=counted(1), metavar="N", help="rows of the first snapshot; default: %(default)s"
    )
    for name, what in (("insertions", "come"), ("deletions", "leave")):
        text = f"people who {what} at each step; default: a tenth of --rows"
        snapshots.add_argument(f"--{name}", type=counted(0), metavar="N", help=text)
    snapshots.add_argument(
        "--snapshots", type=counted(1, _MOST_SNAPSHOTS), metavar="N", help="how many; default: %(default)s"
    )
    snapshots.add_argument(
        "--returning",
        type=share,
        metavar="SHARE",
        help="share of those who left that comes back at each step, as part of the insertions; default: %(default)s",
    )
    snapshots.add_argument(
        "--slope",
        type=counted(0),
        metavar="S",
        help="skewed insertions: from one sensitive value to the next most frequent, S rows more (0: all equal)",
    )
    _add_changes(parser)
    _add_people(parser)
    parser.add_argument("--seed", type=counted(0), metavar="N", help="same seed, same bytes; default: %(default)s")
    parser.add_argument("--file-type", choices=get_args(FileType), help="default: %(default)s")
    set_defaults_of(parser, SimulationRequest)


def _add_changes(parser: Parser) -> None:
    changes = parser.add_argument_group("what changes")
    changes.add_argument(
        "--diameter",
        type=counted(1),
        metavar="D",
        help="each sensitive value may become one of D values, itself and its neighbours: with 1, nothing changes; "
        "default: %(default)s",
    )
    changes.add_argument(
        "--changes", type=counted(0), metavar="N", help="people whose value changes at each step; default: a tenth"
    )
    changes.add_argument(
        "--closed", action="store_true", help="a value that may follow in several steps may follow in one"
    )
    changes.add_argument(
        "--moving", action="store_true", help="Age grows, Education never falls, Marital status moves with time"
    )


def _add_people(parser: Parser) -> None:
    people = parser.add_argument_group("who they are")
    people.add_argument("--population", type=local, metavar="TABLE", help="draw people from a .csv[.gz] or .parquet")
    people.add_argument(
        "--quasi-identifiers",
        metavar="A,B,…",
        help=f"columns of the table; without a table, the columns to generate; default: {QUASI_IDENTIFIERS}",
    )
    people.add_argument("--sensitive", metavar="S", help=f"likewise; default: {SENSITIVE}")
    people.add_argument("--individual", metavar="ID", help="column of identifiers of the table")


def _tables(arguments: argparse.Namespace) -> int:
    """Write a series of count tables, and print what to try next."""
    from audit.simulating.count_tables import TablePlan, series_files
    from audit.simulating.simulation import new_folder

    method = COUNT_METHODS[arguments.tables]
    plan = TablePlan(releases=min(arguments.snapshots, _MOST_TABLES), areas=arguments.areas, seed=arguments.seed)
    with new_folder(arguments.output) as folder:
        for name, text in series_files(plan, method.publish, method.rules):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    output = printable(shlex.quote(str(arguments.output)), 400)
    wrote = say_count(
        "Wrote {count} [release|releases] of counts, [protected|each protected] by {method}.",
        plan.releases,
        method=method.name,
    )
    put(f"{wrote} {say('Next: {command}', command=typed(f'audit {output}'))}\n")
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Write the microdata, and print what was written and what to try next.

    Raises:
        UsageError: the options do not fit each other, or the folder cannot be written.
        InputError: the table cannot be read, or holds too few people.
    """
    from audit.pipeline.progress import counting
    from audit.simulating.simulation import simulate

    if arguments.tables is not None:
        return _tables(arguments)
    request = SimulationRequest(**{each.name: getattr(arguments, each.name) for each in fields(SimulationRequest)})
    with counting("writing snapshots", shown=shows_progress()) as watch:
        done = simulate(arguments.output, request, watch)
    put(summary(arguments.output, done))
    return 0


def summary(output: Path, done: Simulated) -> str:
    """Return one line that says what was written, and the next command to try."""
    plan, updates, written = done.plan, done.updates, done.written
    rows = figure(min(written.rows))
    if min(written.rows) < max(written.rows):
        rows = say("{low} to {high}", low=min(written.rows), high=max(written.rows))
    # Rows cannot be cut into m-diverse groups where a value has more than 1/m of them.
    at_most = min(_MOST_M, int(1 / written.most))
    if at_most < 2:
        method = "mondrian --k 10"
    elif updates.sets is not None:
        close = "" if updates.sets.closed else " --close"
        method = f"m-distinct --m {max(2, at_most // 2)}{close}"  # at the very limit few groups can be formed
    else:
        method = f"m-invariance --m {at_most}"
    shown, quoted = printable_path(output), printable(shlex.quote(str(output)), 400)
    wrote = say_count(
        "Wrote {folder}: {people} people in {count} [snapshot|snapshots] of {rows} rows.",
        plan.snapshots,
        folder=shown,
        people=sum(plan.cohorts),
        rows=rows,
    )
    following = typed(f"audit anonymize {quoted} --method {method} --output SERIES")
    return f"{wrote} {say('Next: {command}', command=following)}\n"


# -- types of arguments -------------------------------------------------------------------------------------------


def share(text: str) -> Fraction:
    """Return a share from 0 to 1, exactly as it is written."""
    try:
        found = Fraction(text) if text.isascii() and len(text) < 20 and "e" not in text.lower() else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(say("a number from 0 to 1 is needed"))
    return found
