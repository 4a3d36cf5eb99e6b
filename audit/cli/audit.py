"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.cli import command
from audit.pipeline.settings import OF_WHOLE
from reports.registry import DOCUMENTS

if TYPE_CHECKING:
    from audit.api.answers import AttackResult, AuditResult


def add_arguments(main: command.Parser, words: Sequence[str]) -> None:
    """Add the default command's arguments to the parser; `words` are those of the command line."""
    shown = "folder or URL with a series.toml; or one of the commands below"
    main.add_argument("series", metavar="SERIES", help=shown)
    command.add_options(main)
    command.add_reports(main)
    main.add_argument(
        "--document",
        choices=command.Names(DOCUMENTS.names),
        metavar="NAME",
        help=f"write a document about the audit instead of a report: {', '.join(DOCUMENTS.names)}",
    )
    command.add_settings(main, "baseline", "risks", "witness", "proofs")
    command.add_attack_options(main, words)


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the report, and return the exit code."""
    from audit.api.answers import AuditResult, kept
    from audit.api.settings import run as audited

    series = command.opened(arguments, arguments.output, arguments.risks, *(file for _, file in arguments.report))
    with command.asked(arguments, OF_WHOLE) as given:
        how = command.settings_for(series, arguments, given)
        if series.kind == "tables":
            result: AuditResult | AttackResult = series.audit(**how)
        else:
            done = audited(series.opened, arguments.attack or (), how, keeps_finished=True)
            result = AuditResult(*kept(*done))
    return command.write_reports(result, arguments, arguments.output, arguments.document)
