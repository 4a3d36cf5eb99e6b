"""`audit waive SERIES ID...`: accept findings until a date, with a reason, in the manifest."""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

from audit.cli.arguments import Commands, local
from audit.cli.output import put
from audit.model.errors import printable, printable_path


def add_parser(commands: Commands) -> None:
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "waive",
        help="accept findings, or all that is found of a person, until a date",
        description="Write waivers into a series' manifest. An ID is that of a finding, as a report with --stable-ids "
        "shows it, with * for any characters. Anything else is a person: an identifier, or a pseudonym of that report.",
        epilog="Exit codes: 0 written, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", type=local, help="folder with a series.toml")
    parser.add_argument("ids", metavar="ID", nargs="+", help="the finding or person to accept")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="the reason; it is written into the manifest")
    parser.add_argument(
        "--until", required=True, metavar="DATE", type=_date, help="the last day of the waiver, as 2030-01-31"
    )


def _date(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{printable(text, 40)} is no date; write year, month and day, as 2030-01-31"
        ) from None


def run(arguments: argparse.Namespace) -> int:
    """Write waivers, and return the exit code, 0.

    Raises:
        UsageError: the date is past, or there is no key by which ids could be known again, nor a folder for one.
        InputError: the manifest cannot be read.
    """
    from attacks.registry import choose
    from audit.count_tables.series_kind import is_table_series
    from audit.io.manifest import NAME
    from audit.pipeline.waived_findings import waive_findings

    folder: Path = arguments.series.parent if arguments.series.name == NAME else arguments.series
    if is_table_series(folder):
        from audit.cli import count_tables

        count = count_tables.waive(arguments, folder)
    else:
        count = waive_findings(folder, choose((), {}), arguments.ids, arguments.reason, arguments.until)
    what, where = "waiver" if count == 1 else "waivers", printable_path(folder / NAME)
    put(f"{count} {what} until {arguments.until} in {where}.\n")
    return 0
