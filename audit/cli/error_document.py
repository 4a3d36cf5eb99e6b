"""Errors of usage and input as a document on standard output, if JSON or SARIF was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from audit.cli.output import in_repository, put
from audit.cli.standard_streams import discard
from audit.model.errors import UsageError

_SHORTEST = "--fo"


def put_error(words: Sequence[str], error: BaseException, lines: Sequence[str]) -> None:
    """Print an error as a document if the words of the command line ask for JSON or SARIF.

    It goes to standard output even if `--output` names a file, because the error may be about that file.
    """
    asked = _format_asked(words)
    if asked not in {"json", "sarif"}:
        return
    from reports.input_errors import written

    series = next((word for word in words if os.path.exists(word)), "")  # noqa: PTH110 - no name makes this raise
    folder = in_repository(series) if series else ""
    try:
        with suppress(UsageError):  # standard output may be full or closed; the exit code still reports the error
            put(written(asked, error, lines, Path(series).name or "series", folder))
    except BrokenPipeError:
        discard(sys.stdout)


def _format_asked(words: Sequence[str]) -> str | None:
    """Return the last `--format` in words that may not have been parsed; argparse accepts shortened options."""
    asked = None
    for word, following in pairwise([*words, ""]):
        option, mark, value = word.partition("=")
        if option.startswith(_SHORTEST) and "--format".startswith(option):
            asked = value if mark else following
    return asked
