"""Interrupts: stopping a run where that leaves nothing locked."""

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
    """Let an interrupt wait until no import is under way; to be terminated is one, so that no temporary file is left.

    An import that is torn off can keep Python's lock on imports, for which the run's other threads would wait for ever,
    and leave half a module behind. Where interrupts are ignored or handled by other code, nothing changes.
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
    """Stop what runs, at once or a moment later."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            # To the process: the thread itself may not listen.
            later = threading.Timer(_AGAIN, os.kill, [os.getpid(), number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
