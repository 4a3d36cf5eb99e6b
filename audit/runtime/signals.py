"""Interrupting: solvers that take Ctrl-C for themselves, and do not give it back."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def preserve_sigint_handler() -> Iterator[None]:
    """Have Ctrl-C do afterwards what it did before; CP-SAT would leave it to end the process at once."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)
