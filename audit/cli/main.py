"""The command `audit`: words to calls, errors to one line, results to exit codes.

Exit codes: 0 the policy holds, 1 it is violated, 2 wrong usage or input, 3 undecided, 4 a bug, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version

from audit.cli import anonymize, check, compare, demo, explain, init, simulate
from audit.cli import audit as default
from audit.cli import next as foresee
from audit.cli.arguments import Parser
from audit.cli.completion import ASKED, complete
from audit.cli.interrupts import after_imports
from audit.core.errors import AuditError, InputError, Interrupted, printable

COMMANDS = {
    "check": check,
    "next": foresee,
    "explain": explain,
    "anonymize": anonymize,
    "compare": compare,
    "simulate": simulate,
    "init": init,
    "demo": demo,
}
_BROKEN_PIPE = 141
_LONGEST_LINE = 1500


def parser() -> Parser:
    """Return the parser of all commands but the default one."""
    main = Parser(
        prog="audit",
        description="Audit a series of anonymized releases: what do they give away together?",
        epilog="`audit SERIES` is the default command; `audit COMMAND --help` tells more about the others.",
    )
    main.add_argument("--version", action="version", version=f"series-audit {version('series-audit')}")
    default.add_arguments(main, commands=COMMANDS)
    return main


def command_parser(name: str) -> Parser:
    """Return the parser of one of the named commands."""
    main = Parser(prog="audit")
    COMMANDS[name].add_parser(main.add_subparsers(dest="command", required=True))
    return main


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    if ASKED in os.environ:
        complete(parser, command_parser, COMMANDS)
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        with after_imports():
            return _dispatch(words)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error becomes one line and an exit code
        lines, code = _told(error)
        with suppress(OSError, AttributeError):  # standard error may be full or closed; the exit code still tells
            sys.stderr.writelines(f"audit: {printable(line, _LONGEST_LINE)}\n" for line in lines)
        return code


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        return int(COMMANDS[words[0]].run(command_parser(words[0]).parse_args(words)))
    return default.run(parser().parse_args(words))


def _told(error: BaseException) -> tuple[list[str], int]:
    """Return what to say of an error, line by line, and the exit code."""
    if isinstance(error, Interrupted | KeyboardInterrupt):
        return ["interrupted"], 130
    if isinstance(error, InputError):
        return str(error).split("\n"), 2
    if isinstance(error, AuditError):
        return [str(error)], 2
    if isinstance(error, MemoryError):
        return ["the memory does not suffice; audit fewer releases at once"], 2
    return [f"a bug ({type(error).__name__}); the trace is in {_keep_trace(error)}"], 4


def _keep_trace(bug: BaseException) -> str:
    """Write where a bug happened, without the messages (which could quote private cells), and return the file."""
    try:
        descriptor, name = tempfile.mkstemp(prefix="audit-trace-", suffix=".txt")
    except OSError:
        return "no file, for none could be written"
    with os.fdopen(descriptor, "w") as file:
        file.write(f"series-audit {version('series-audit')}, Python {sys.version}\n{type(bug).__name__}\n")
        for frame in traceback.extract_tb(bug.__traceback__):
            file.write(f"  {frame.filename}:{frame.lineno} {frame.name}\n")
    return name


if __name__ == "__main__":
    sys.exit(main())
