"""Signals: keep Python's handler of Ctrl-C while a solver runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def preserve_sigint_handler() -> Iterator[None]:
    """Restore the handler of Ctrl-C afterwards; CP-SAT leaves one that kills the process."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
