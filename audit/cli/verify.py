"""`audit verify SERIES FOLDER`: run the checkers of witnesses, which share no code with the rest."""

from __future__ import annotations

import argparse

from audit.cli.command import Commands, local


def add_parser(commands: Commands) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "verify",
        description="Check a witness, the evidence that `audit SERIES --witness FOLDER` wrote, against the series' "
        "files.",
        epilog="Exit codes: 0 everything stated is shown, 1 something is not, 2 the checkers do not support something "
        "(it is named). The checkers can be copied and run by themselves: see docs/reference/witness.md.",
    )
    parser.add_argument("series", metavar="SERIES", type=local, help="folder with a series.toml")
    parser.add_argument("folder", metavar="FOLDER", type=local, help="folder that --witness wrote")


def run(arguments: argparse.Namespace) -> int:
    """Check the witness, print what it shows, and return the exit code.

    Raises:
        UsageError: there is no witness in the folder.
    """
    from audit.model.errors import UsageError
    from audit.runtime.phrases import printable_path
    from audit.witness.writer import verified

    if not (arguments.folder / "statement.json").is_file():
        raise UsageError(
            f"{printable_path(arguments.folder)}: no statement.json here; `audit SERIES --witness FOLDER` writes one"
        )
    return verified(arguments.series, arguments.folder)
