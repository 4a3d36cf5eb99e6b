"""Where the command `audit` begins: what it needs is imported when an interrupt can already end in one line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from audit.runtime.own_packages import hidden

        if trouble := hidden():
            sys.stderr.write(f"audit: {trouble}\n")
            return 2
        from audit.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("audit: interrupted\n")
        return 130
    return run(alone=True)
