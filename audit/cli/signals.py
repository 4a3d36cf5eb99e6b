"""Interrupts: stop a run at a point where no lock is held."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 0.01
_WHOLE = ("<frozen importlib", shutil.__file__, tempfile.__file__)
"""The code that an interrupt does not stop halfway: imports, and what makes and removes temporary folders."""


@contextmanager
def after_imports() -> Iterator[None]:
    """Delay interrupts, SIGTERM and SIGHUP included, until no import is under way and no temporary folder half removed.

    An interrupted import can keep Python's import lock, for which other threads would wait for ever, and can leave half
    a module. SIGTERM and SIGHUP, of a terminal that is closed, are handled so that temporary files are removed. If
    other code ignores or handles interrupts, nothing changes.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    endings = [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]  # Windows has no SIGHUP
    numbers = {signal.SIGINT, *(each for each in endings if signal.getsignal(each) is signal.SIG_DFL)}
    before = {number: signal.signal(number, _interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the run, now or when the code that must not stop halfway has ended."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_WHOLE):
            # Signal the process, because a thread cannot always be signalled.
            later = threading.Timer(_AGAIN, os.kill, [os.getpid(), number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
