"""Where the command `audit` begins: what it needs is imported when an interrupt can already be told in one line."""

from __future__ import annotations

import sys

from audit.cli import first_line


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        first_line.show()
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
    return run(alone=True)
