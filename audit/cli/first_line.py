"""What stands on a terminal while the program is being imported, which takes longer than people look at nothing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_QUIET = {"-h", "--help", "--version"}
_shown = False


def show() -> None:
    """Say on a terminal that the command has been heard; nothing where the answer comes at once."""
    global _shown  # noqa: PLW0603 - there is one terminal
    words, error = sys.argv[1:], sys.stderr
    if not words or _QUIET & {*words} or "_ARGCOMPLETE" in os.environ or os.environ.get("TERM", "dumb") == "dumb":
        return
    if error is not None and error.isatty():
        with suppress(OSError):
            error.write("audit: starting …\r")
            error.flush()
            _shown = True


def erase() -> None:
    """Take away what `show` wrote."""
    global _shown  # noqa: PLW0603 - there is one terminal
    if _shown:
        with suppress(OSError):
            sys.stderr.write("\x1b[K")
            sys.stderr.flush()
        _shown = False
