"""Output: standard output that may be full or closed, and files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from audit.cli.standard_streams import discard
from audit.io.atomic_files import write_file
from audit.io.paths import is_url, same_file, without_secrets
from audit.model.errors import UsageError, printable_path
from reports.registry import FORMATS, Format

if TYPE_CHECKING:
    from reports.formats import Text


_COMMAND = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


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


class InputFiles(Protocol):
    """What a command reads: a series or microdata."""

    def files(self) -> Iterable[Path]:
        """Return all of its files."""


def check_spared(output: Path | None, *inputs: InputFiles) -> None:
    """Refuse to write over a file that is read.

    Raises:
        UsageError: the output is one of them.
    """
    if output is None or not output.exists():
        return
    if any(same_file(output, path) for each in inputs for path in each.files()):
        what = "this file is one of the inputs, which are never written over"
        raise UsageError(f"{_named(output)}: {what}; name another file with --output")


def put(text: str, output: Path | None = None) -> None:
    """Print a text, or write it to a file that appears whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if output is None:
            _print(text)
        else:
            write_file(output, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise UsageError(f"{_named(output)}: {why}; write to another file") from error


def text_for(output: Path | None, series: str = "SERIES") -> Text:
    """Return text as wide and as colourful as what it is written to; `series` is what the next command is told with."""
    from reports.formats import Text

    shown = shlex.quote(without_secrets(series))
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        return Text(color="NO_COLOR" not in os.environ, width=max(60, width), series=shown)
    return Text(series=shown)


def in_repository(series: str) -> str:
    """Return a series' folder relative to the repository that it is in; empty at its root, and where it is in none."""
    if is_url(series):
        return ""
    folder = Path(os.path.abspath(series))  # noqa: PTH100 - links stay: a repository knows the folder by this path
    folder = folder.parent if os.path.isfile(folder) else folder  # noqa: PTH113 - no name makes this raise
    root = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), folder)
    return "" if root == folder else folder.relative_to(root).as_posix()


def without_commands(text: str) -> str:
    r"""Return a text that a log of GitHub Actions shows and does not obey, blanks before a command included.

    A report in the format `github` consists of commands alone, and is left as it is.

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


def format_of(ident: str, output: Path | None, series: str) -> Format:
    """Return the format of a name, text as wide as what it is written to; `series` is how the series was called."""
    if ident == "sarif":
        from reports.sarif import Sarif

        return Sarif(folder=in_repository(series))
    return text_for(output, series) if ident == "text" else FORMATS.load(ident)()
