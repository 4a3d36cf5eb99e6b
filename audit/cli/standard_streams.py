"""Standard output and error, which may be full or closed: messages and the log never stop a run."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from audit.model.errors import UsageError
from audit.runtime.candidate_search import ESTIMATES
from audit.runtime.log import ROOT
from audit.runtime.phrases import printable

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
