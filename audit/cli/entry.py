"""Where the command `audit` begins: what it needs is imported when an interrupt can already be told in one line."""

from __future__ import annotations

import gc
import sys

from audit.cli import first_line


def main() -> int:
    """Run the command line and return its exit code."""
    gc.disable()  # until the command begins: what is made before are modules, none of which is ever garbage
    try:
        first_line.show()
        from audit.runtime.own_packages import hidden

        if trouble := hidden():
            first_line.erase()
            sys.stderr.write(f"audit: {trouble}\n")
            return 2
        from audit.cli.main import main as run
    except KeyboardInterrupt:
        first_line.erase()
        sys.stderr.write("audit: interrupted\n")
        return 130
    return run(alone=True)
