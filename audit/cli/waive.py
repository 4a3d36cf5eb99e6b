"""`audit waive SERIES ID...`: accept findings until a date, with a reason, in the manifest."""

from __future__ import annotations

import argparse
import datetime
import re
from pathlib import Path
from typing import Any

from audit.cli.arguments import local
from audit.cli.output import say
from audit.model.errors import InputError, Problems, UsageError, printable

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")


def add_parser(commands: Any) -> None:  # noqa: ANN401 - argparse's class of subparsers is private
    """Register the command and its arguments."""
    parser = commands.add_parser(
        "waive",
        help="accept findings, or all that is found of a person, until a date",
        description="Write waivers into a series' manifest. An ID is that of a finding, as a report with --stable-ids "
        "shows it, with * for any characters. Anything else is a person: an identifier, or a pseudonym of that report.",
        epilog="Exit codes: 0 written, 2 wrong usage or input.",
    )
    parser.add_argument("series", metavar="SERIES", type=local, help="folder with a series.toml")
    parser.add_argument("ids", metavar="ID", nargs="+", help="what is accepted")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; it stands in the manifest")
    parser.add_argument("--until", required=True, metavar="DATE", type=_date, help="the last day, as 2030-01-31")


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
        UsageError: the date is past, or there is no key by which ids could be known again.
        InputError: the manifest cannot be read.
    """
    from audit.io.atomic_files import write_file
    from audit.io.manifest import NAME, PRIVATE, parse_manifest
    from audit.io.toml import read_text
    from audit.judgement.pseudonyms import private_key

    if arguments.until < datetime.date.today():
        raise UsageError(f"--until: {arguments.until} is past, so that nothing would be waived; give a later date")
    if not arguments.reason.strip():
        raise UsageError("--reason: it is empty; say why this is accepted")
    folder: Path = arguments.series.parent if arguments.series.name == NAME else arguments.series
    problems = Problems()
    text = read_text(folder, NAME, "name the folder of a series", problems)
    if text is not None:
        parse_manifest(folder, text, problems)
    problems.check()
    if text is None:
        raise InputError(problems.found)
    findings = [each for each in arguments.ids if "*" in each or _FINDING.fullmatch(each)]
    if findings and private_key(folder / PRIVATE, make=False) is None:
        what = f"no report on this series can have shown {printable(findings[0], 80)}"
        raise UsageError(
            f"{what}: there is no {PRIVATE}/finding.key; audit it with --stable-ids, and take ids from that"
        )
    written = _with_waivers(text, arguments.ids, set(findings), arguments.reason.strip(), arguments.until)
    parse_manifest(folder, written, problems)
    problems.check()
    try:
        write_file(folder / NAME, written)
    except OSError as error:
        raise UsageError(f"{NAME}: {error.strerror or 'it cannot be written'}; nothing was changed") from error
    count = len(arguments.ids)
    what, where = "waiver" if count == 1 else "waivers", printable(str(folder / NAME), 200)
    say(f"{count} {what} until {arguments.until} in {where}.\n")
    return 0


def _with_waivers(text: str, ids: list[str], findings: set[str], reason: str, until: datetime.date) -> str:
    """Return the manifest with one waiver more for each id."""
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    if "waiver" not in document:
        document.add("waiver", tomlkit.aot())
    for each in dict.fromkeys(ids):
        waiver = tomlkit.table()
        waiver.add("finding" if each in findings else "individual", each)
        waiver.add("reason", reason)
        waiver.add("expires", until)
        document["waiver"].append(waiver)
    return tomlkit.dumps(document)
