"""Where the command `audit` begins: what it needs is imported when an interrupt can already be told in one line."""

from __future__ import annotations

import gc
import os
import sys

from audit.cli import first_line


def main() -> int:
    """Run the command line and return its exit code."""
    gc.disable()  # until the command begins: what is made before are modules, none of which is ever garbage
    finished: list[int] = []
    try:
        first_line.show()
        import atexit

        atexit.register(_leave, finished)  # before all others, so that it is called after all others
        from audit.runtime.own_packages import hidden

        if trouble := hidden():
            first_line.erase()
            sys.stderr.write(f"audit: {trouble}\n")
            return 2
        from audit.cli.lean_dataclasses import compile_methods_when_called

        compile_methods_when_called()
        from audit.cli.main import main as run
    except KeyboardInterrupt:
        first_line.erase()
        sys.stderr.write("audit: interrupted\n")
        return 130
    finished.append(run(alone=True))
    return finished[0]


def _leave(finished: list[int]) -> None:
    """End the process with an exit code, without taking apart first what has been imported; that takes 50 ms."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):  # which Python itself tells, when it ends in its own way
        return
    if finished:
        os._exit(finished[0])
