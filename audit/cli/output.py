"""Output: standard output that may be full or closed, and files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from audit.core.errors import UsageError, printable
from audit.reading.places import same_file

if TYPE_CHECKING:
    from audit.reading.series import Series

# Characters of a name that its temporary file has as well; all of them might be too many.
_NAME = 40


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
        if same_file(output, path):
            raise UsageError(f"{_named(output)}: this is a file of the series itself; name another file for the report")


def say(text: str) -> None:
    """Print a text.

    Raises:
        UsageError: standard output cannot be written.
    """
    put(text, None)


def put(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file that appears whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if output is None:
            _print(text)
        else:
            replace_file(output, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise UsageError(f"{_named(output)}: {why}; write to another file") from error


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
    """Write a file through a temporary one beside it, which gets the mode of the file that was there.

    Links are followed; devices and pipes are written directly.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(content, encoding="utf-8", errors="replace")
        return
    descriptor, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name[:_NAME]}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(content)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
