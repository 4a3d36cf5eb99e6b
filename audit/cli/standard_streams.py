"""Standard output and error, which may be full or closed: messages and the log never keep a run from going on."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from audit.model.errors import UsageError, printable
from audit.runtime.log import ROOT

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
    """Throw away what a stream still holds: Python would write it once more as it ends, and end with 120 in vain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def shows_progress() -> bool:
    """Return whether bars may be drawn: on a terminal, where no lines of the log would come between."""
    return sys.stderr is not None and sys.stderr.isatty() and not os.environ.get(LOG)


class _LogLines(logging.Handler):
    """Writes what is logged to whatever is standard error at that moment."""

    def emit(self, record: logging.LogRecord) -> None:
        write_lines(f"{self.format(record)}\n")


@contextmanager
def log_shown() -> Iterator[None]:
    """Write the log to standard error where AUDIT_LOG asks for it.

    Raises:
        UsageError: it asks for what there is not.
    """
    asked = os.environ.get(LOG, "")
    # A command that runs another one, as the demo does, shows the log already.
    if not asked or any(isinstance(each, _LogLines) for each in ROOT.handlers):
        yield
        return
    if asked not in _LEVELS:
        raise UsageError(f"{LOG}={printable(asked)}: the log is info or debug; set it to one of them, or not at all")
    handler, before = _LogLines(), ROOT.level
    handler.setFormatter(logging.Formatter(_FORM))
    ROOT.addHandler(handler)
    ROOT.setLevel(_LEVELS[asked])
    try:
        yield
    finally:
        ROOT.removeHandler(handler)
        ROOT.setLevel(before)
