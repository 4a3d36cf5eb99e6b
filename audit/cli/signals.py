"""Interrupts: stop a run at a point where no lock is held."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN = 0.01


@contextmanager
def after_imports() -> Iterator[None]:
    """Delay interrupts, SIGTERM included, until no import is under way.

    An interrupted import can keep Python's import lock, for which other threads would wait for ever, and can leave half
    a module. SIGTERM is handled so that temporary files are removed. If other code ignores or handles interrupts,
    nothing changes.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    numbers = [signal.SIGINT, *([signal.SIGTERM] if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL else [])]
    before = {number: signal.signal(number, _interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the run, now or when the current import has ended."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            # Signal the process, because a thread cannot always be signalled.
            later = threading.Timer(_AGAIN, os.kill, [os.getpid(), number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
