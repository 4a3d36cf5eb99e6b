"""`audit SERIES`, the default command: run the attacks that apply, or those named, and give a verdict."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from attacks.registry import ATTACKS, find
from audit.cli.arguments import Parser, how_many, limit, positive_seconds
from audit.core.errors import UsageError, printable
from audit.core.report import Report
from reports.registry import FORMATS, Format

if TYPE_CHECKING:
    from audit.reading.series import Series
    from audit.running import Watch


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
    attacks = [find(name) for name in dict.fromkeys(arguments.attack)] if arguments.attack else list(ATTACKS)
    with progress() as watch:
        options = Options(
            adversary=arguments.adversary,
            limits=dict(arguments.policy),
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
    return exit_code(report)


def exit_code(report: Report) -> int:
    """Return 0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
    if report.policy.violations:
        return 1
    return 0 if report.policy.passed else 3


def check_output(output: Path | None) -> None:
    """Find out before a long run whether the report can be written.

    Raises:
        UsageError: there is no such folder, or it is no place for a file.
    """
    try:
        fits = output is None or (output.absolute().parent.is_dir() and not output.is_dir())
    except OSError:
        fits = False
    if not fits:
        raise UsageError(f"{_named(output)}: no report can be written there; name a file in a folder that exists")


def check_spared(output: Path | None, series: Series) -> None:
    """Refuse to write the report over a file of the series.

    Raises:
        UsageError: the report's file is one of them.
    """
    if output is None or not output.exists():
        return
    for path in series.files():
        if path.exists() and output.samefile(path):
            raise UsageError(f"{_named(output)}: this is a file of the series itself; name another file for the report")


def write(report: Report, form: str, output: Path | None) -> None:
    """Print the report, or write it to a file that appears whole or not at all.

    Raises:
        UsageError: the file cannot be written.
    """
    rendered = _format(form, output).render(report)
    try:
        if output is None:
            _print(rendered)
        else:
            replace_file(output, rendered)
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise UsageError(f"{_named(output)}: {why}; name another file with --output") from error


def _named(output: Path | None) -> str:
    return "standard output" if output is None else printable(str(output), 200)


def _print(rendered: str) -> None:
    """Write to standard output, which may be full or closed."""
    if sys.stdout is None:
        raise OSError(None, "it is closed")
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(rendered.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        # What is left in the buffer would be tried again, in vain, when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def replace_file(path: Path, content: str) -> None:
    """Write a file through a temporary one beside it; devices and pipes are written directly."""
    if path.exists() and not path.is_file():
        path.write_text(content, encoding="utf-8", errors="replace")
        return
    descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _format(ident: str, output: Path | None) -> Format:
    from reports.text import Text

    if ident == "text" and output is None and sys.stdout is not None and sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        return Text(color="NO_COLOR" not in os.environ, width=max(60, width))
    return {each.ident: each for each in FORMATS}[ident]


@contextmanager
def progress() -> Iterator[Watch]:
    """Show how far each attack has come on a terminal; be silent elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bars:

        def watch(attack: str) -> Callable[[int, int], None]:
            task = bars.add_task(attack, total=None)

            def tell(done: int, total: int) -> None:
                bars.update(task, completed=done, total=total)

            return tell

        yield watch
