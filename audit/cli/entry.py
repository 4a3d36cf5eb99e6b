"""Entry point of `audit`: the program is imported after interrupts are handled."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    # On shared processors, threads that wait for each other after each small product take ten times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from audit.runtime.memory import too_little
        from audit.runtime.outside_code import hidden

        if trouble := hidden() or too_little():
            sys.stderr.write(f"audit: {trouble}\n")
            return 2
        from audit.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("audit: interrupted\n")
        return 130
    except MemoryError:
        sys.stderr.write("audit: out of memory; use a machine with more memory\n")
        return 2
    return run()
