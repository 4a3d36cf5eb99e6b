"""Where the command `audit` begins: what it needs is imported when an interrupt can already end in one line."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    # Threads that wait for each other after each small product take ten times as long where processors are shared.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from audit.runtime.memory import too_little
        from audit.runtime.own_packages import hidden

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
    return run(alone=True)
