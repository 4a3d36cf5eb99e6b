"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from attacks.registry import ATTACKS, find
from audit.cli.command import (
    ON_TABLES,
    Names,
    Parser,
    add_option,
    add_output,
    add_settings,
    asked,
    counted,
    limit,
    local,
    opened,
    settings_for,
    write_reports,
)
from audit.model.options import options_by_name, options_of
from audit.pipeline.settings import OF_WHOLE
from audit.runtime.distributed.engines import ENGINES
from audit.runtime.phrases import printable
from reports.registry import DOCUMENTS, FORMATS

if TYPE_CHECKING:
    from audit.api.answers import AttackResult, AuditResult

_HELP = frozenset({"-h", "--help"})


def add_arguments(main: Parser, words: Sequence[str]) -> None:
    """Add the default command's arguments to the parser; `words` are those of the command line."""
    shown = "folder or URL with a series.toml; or one of the commands below"
    main.add_argument("series", metavar="SERIES", help=shown)
    add_options(main)
    add_reports(main)
    main.add_argument(
        "--document",
        choices=Names(DOCUMENTS.names),
        metavar="NAME",
        help=f"write a document about the audit instead of a report: {', '.join(DOCUMENTS.names)}",
    )
    add_settings(main, "baseline", "risks", "witness", "proofs")
    add_attack_options(main, words)


def add_reports(parser: Parser) -> None:
    """Add the options that say in which formats the report is written, and where."""
    add_output(parser, Names(FORMATS.names))
    add_further_reports(parser, Names(FORMATS.names))


def add_further_reports(parser: Parser, formats: Sequence[str]) -> None:
    """Add the option that writes the report to files in further formats."""
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        type=partial(report_file, formats),
        metavar="FORMAT=FILE",
        help="write the report to a file in this format as well (may be repeated)",
    )


def report_file(formats: Sequence[str], text: str) -> tuple[str, Path]:
    """Return a format, one of some, and a file on this machine, from `format=file`."""
    name, mark, file = text.partition("=")
    if not mark or not file or name not in formats:
        known = ", ".join(formats)
        raise argparse.ArgumentTypeError(f"{printable(text)}: write FORMAT=FILE, the format being one of {known}")
    return name, local(file)


def add_attack_options(parser: Parser, words: Sequence[str]) -> None:
    """Add the options of all attacks, and of those that the words name as `package.module:Name`.

    If the words ask for help, or contain no further option, add only those of the attacks that they name: otherwise
    every attack would be imported.
    """
    named = [other for word, other in pairwise([*words, ""]) if word == "--attack"]
    named += [word.removeprefix("--attack=") for word in words if word.startswith("--attack=")]
    named = list(dict.fromkeys(name for name in named if name in ATTACKS.names or ":" in name))
    if _HELP.isdisjoint(words) and not (named and _are_options(parser, named, words)):
        named = [*ATTACKS.names, *(name for name in named if name not in ATTACKS.names)]
    for each, names in options_by_name({attack.name: type(attack) for attack in map(find, named)}).values():
        add_option(parser, each, f"{', '.join(names)}: {each.help or 'see its documentation'}")


def _are_options(parser: Parser, attacks: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether each word that looks like an option is the full name of one, of the parser or of the attacks."""
    own = {each.flag for attack in attacks for each in options_of(type(find(attack)))}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= parser.options | own


def add_options(parser: Parser) -> None:
    """Add the options of attacks and of the policy, which every command with a verdict takes."""
    parser.add_argument(
        "--attack",
        action="append",
        choices=Names([*ATTACKS.names, ON_TABLES]),
        metavar="NAME",
        help=f"run this attack only (may be repeated): {', '.join(ATTACKS.names)}; for count tables: {ON_TABLES}; your "
        "own: package.module:Name; --attack NAME --help lists its options",
    )
    add_settings(parser, "adversary", "policy")
    parser.add_argument(
        "--k",
        type=lambda text: limit(f"k={text}"),
        metavar="K",
        help="smallest allowed number of rows that look alike, or of records with the same description from all "
        "releases; the same as --policy k=K",
    )
    add_settings(parser, "findings", "time_limit")
    parser.add_argument(
        "--jobs", type=counted(1), metavar="N", help="how many tasks run at the same time; default: one for each core"
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where the work is done: threads of this process (default), or a cluster of dask.distributed",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of the cluster; without it, one is started on this machine for the run",
    )
    add_settings(parser, "reveal", "stable_ids")


def run(arguments: argparse.Namespace) -> int:
    """Audit a series, write the report, and return the exit code."""
    from audit.api.answers import AuditResult, kept
    from audit.api.settings import run as audited

    series = opened(arguments, arguments.output, arguments.risks, *(file for _, file in arguments.report))
    with asked(arguments, OF_WHOLE) as given:
        how = settings_for(series, arguments, given)
        if series.kind == "tables":
            result: AuditResult | AttackResult = series.audit(**how)
        else:
            done = audited(series.opened, arguments.attack or (), how, keeps_finished=True)
            result = AuditResult(*kept(*done))
    return write_reports(result, arguments, arguments.output, arguments.document)
