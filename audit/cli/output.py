"""Output: standard output and error, which may be full or closed, and files that appear whole or not at all.

Messages and the log never stop a run.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, TextIO

from audit.io.atomic_files import write_file
from audit.io.paths import as_path, is_url, same_file, without_secrets
from audit.model.errors import UsageError
from audit.runtime.candidate_search import ESTIMATES
from audit.runtime.log import ROOT
from audit.runtime.phrases import NAMED, PLACES, printable, printable_path
from reports.text import PAPER, Paper

if TYPE_CHECKING:
    from audit.api.answers import Answer
    from audit.api.count_tables import LoadedTables
    from audit.api.series import LoadedSeries
    from reports.page import Page


ON_TABLES = "differencing"
"""The attack on count tables; all others are on rows about people."""
_COMMAND = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


def check_output(output: Path | None) -> None:
    """Check, before a long run, that the report can be written.

    Raises:
        UsageError: the folder does not exist, or the path is not that of a file.
    """
    if output is None:
        return
    try:
        fits = output.absolute().parent.is_dir() and not S_ISDIR(output.stat().st_mode)
    except OSError as error:
        fits = isinstance(error, FileNotFoundError)
    if not fits:
        raise UsageError(f"{_named(output)}: no report can be written there; name a file in an existing folder")


def check_spared(output: Path | None, inputs: Iterable[Path]) -> None:
    """Refuse to overwrite a file that is read.

    Raises:
        UsageError: the output is one of the inputs.
    """
    if output is not None and output.exists() and any(same_file(output, path) for path in inputs):
        what = "this file is one of the inputs, which are never written over"
        raise UsageError(f"{_named(output)}: {what}; name another file with --output")


def opened(arguments: argparse.Namespace, *outputs: Path | None) -> LoadedSeries | LoadedTables:
    """Open the series that a command names, after checking that its outputs can be written.

    Raises:
        UsageError: an output cannot be written, or is one of the files that are read.
        InputError: the manifest is faulty.
    """
    from audit.api.series import opened as opened_series

    for output in outputs:
        check_output(output)
    where = as_path(arguments.series)  # one path object: a manifest at a URL is then fetched once
    # The workers of a cluster may run in another folder.
    series = opened_series(where.absolute() if getattr(arguments, "engine", "") == "dask" else where)
    if series.kind == "microdata" and ON_TABLES in (getattr(arguments, "attack", None) or ()):
        raise UsageError(f'{ON_TABLES} is about count tables: it needs kind = "tables" in series.toml; leave it out')
    inputs = [*series.opened.files(), *map(as_path, getattr(arguments, "candidate", ()))]
    for output in outputs:
        check_spared(output, inputs)
    return series


def options_of_verdict(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the adversary and the limits that a command line names."""
    if adversary := getattr(arguments, "adversary", None):
        yield from ("--adversary", adversary)
    k = getattr(arguments, "k", None)
    for name, most in [*(getattr(arguments, "policy", None) or ()), *([k] if isinstance(k, tuple) else [])]:
        yield from ("--policy", f"{name}={most:.12g}")


@contextmanager
def commands_name(arguments: argparse.Namespace) -> Iterator[None]:
    """Let commands that are printed name the language and the paths of this command line, quoted for a shell.

    What programs read is the same wherever the series is, and shows no path of this machine.
    """
    series, candidate = getattr(arguments, "series", None), getattr(arguments, "candidate", ())
    named = {"SERIES": [series] if isinstance(series, str) else (), "CANDIDATE": candidate}
    if isinstance(folder := getattr(arguments, "microdata", None), Path):
        named["MICRODATA"] = [str(folder if folder.stem.strip(".") else folder.resolve())]
    named["OPTIONS"] = [*options_of_verdict(arguments)]
    quoted = {word: " ".join(shlex.quote(without_secrets(each)) for each in paths) for word, paths in named.items()}
    language = NAMED.set(getattr(arguments, "language", None))
    for_programs = getattr(arguments, "format", "") in ("json", "junit", "sarif")
    places = PLACES.set({word: paths for word, paths in quoted.items() if paths and not for_programs})
    try:
        yield
    finally:
        NAMED.reset(language)
        PLACES.reset(places)


def write(answer: Answer, form: str, output: Path | None, series: str = "SERIES", document: str | None = None) -> int:
    """Write an answer in a format, and return the exit code; `series` is its path as given.

    Raises:
        UsageError: it cannot be written, or the answer has no such format.
    """
    before = PAPER.set(replace(_paper(output), folder=in_repository(series) if form == "sarif" else ""))
    try:
        text = answer.render(form, document=document)
    finally:
        PAPER.reset(before)
    put(text, output)
    return answer.exit_code


def write_reports(
    answer: Answer, arguments: argparse.Namespace, output: Path | None, document: str | None = None
) -> int:
    """Write an answer in every format that a command line names, and return the exit code, as `write` does."""
    for form, file in arguments.report:
        write(answer, form, file, arguments.series)
    return write(answer, arguments.format, output, arguments.series, document)


def _paper(output: Path | None) -> Paper:
    """Return the width and colours that a text may use: those of the terminal, or none for a file."""
    if output is not None or sys.stdout is None or not sys.stdout.isatty():
        return Paper()
    width = os.get_terminal_size(sys.stdout.fileno()).columns
    return Paper(color="NO_COLOR" not in os.environ, width=max(60, width))


def put_page(page: Page, output: Path | None) -> None:
    """Print a page, or write it to a file, as `put` does."""
    put(_paper(output).drawn(page), output)


def put(text: str | bytes, output: Path | None = None) -> None:
    """Print a text, or write it to a file that appears whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if output is not None:
            write_file(output, text)
        elif isinstance(text, str):
            _print(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise UsageError(f"{_named(output)}: {why}; write to another file") from error


def in_repository(series: str) -> str:
    """Return a series' folder relative to its repository; empty at the root, or if there is no repository."""
    if is_url(series):
        return ""
    folder = Path(os.path.abspath(series))  # noqa: PTH100 - links stay: a repository knows the folder by this path
    folder = folder.parent if os.path.isfile(folder) else folder  # noqa: PTH113 - no name makes this raise
    root = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), folder)
    return "" if root == folder else folder.relative_to(root).as_posix()


def without_commands(text: str) -> str:
    r"""Return a text in which GitHub Actions finds no commands, not even after leading blanks.

    A report in the format `github` consists of commands, and is not changed.

    >>> without_commands("Verdict\n ::add-mask::x\n"), without_commands("::error title=k::violated\n")
    ('Verdict\n : :add-mask::x\n', '::error title=k::violated\n')
    """
    if all(line.startswith("::") for line in text.splitlines()):
        return text
    return _COMMAND.sub(r"\1: :", text)


def _named(output: Path | None) -> str:
    return "standard output" if output is None else printable_path(output)


def _print(rendered: str) -> None:
    """Write to standard output, which may be full or closed."""
    if sys.stdout is None:
        raise OSError(None, "it is closed")
    if os.environ.get("GITHUB_ACTIONS"):
        rendered = without_commands(rendered)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(rendered.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        discard(sys.stdout)
        raise


LOG = "AUDIT_LOG"
"""The environment variable that asks for the log."""
_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG}
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def write_lines(text: str) -> None:
    """Write to standard error, which may be full or closed."""
    with suppress(AttributeError, ValueError):
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Discard what a stream still holds; otherwise Python would write it again at exit, fail, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def shows_progress() -> bool:
    """Return whether progress bars may be drawn: on a terminal, while no log is written."""
    return sys.stderr is not None and sys.stderr.isatty() and not os.environ.get(LOG)


class _LogLines(logging.Handler):
    """Writes the log to the current standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        write_lines(f"{self.format(record)}\n")


@contextmanager
def log_shown() -> Iterator[None]:
    """Write the log to standard error if AUDIT_LOG asks for it.

    Raises:
        UsageError: AUDIT_LOG is neither empty, `info` nor `debug`.
    """
    asked = os.environ.get(LOG, "")
    # The outer command already shows the log, as when the demo runs another command.
    if not asked or any(isinstance(each, _LogLines) for each in ROOT.handlers):
        yield
        return
    if asked not in _LEVELS:
        raise UsageError(f"{LOG}={printable(asked)}: the log is info or debug; set it to one of them, or not at all")
    with _lines_of(ROOT, _LEVELS[asked], _FORM):
        yield


@contextmanager
def estimate_shown() -> Iterator[None]:
    """Write to standard error how long a search may take, where neither a bar nor the log shows it."""
    if shows_progress() or os.environ.get(LOG):
        yield
        return
    with _lines_of(ESTIMATES, logging.INFO, "audit: %(message)s"):
        yield


@contextmanager
def _lines_of(logger: logging.Logger, level: int, form: str) -> Iterator[None]:
    handler, before = _LogLines(), logger.level
    handler.setFormatter(logging.Formatter(form))
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
