"""The command `audit`: turns words into calls, errors into one line, and results into exit codes.

If JSON or SARIF was asked for, an error of usage or input (2) is also such a document on standard output.

Exit codes: 0 the policy holds, 1 it is violated, 2 wrong usage or input, 3 undecided, 4 a bug, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType, ModuleType

from audit.cli import audit as default
from audit.cli.command import Parser, commands_name, discard, in_repository, put, settle_format, write_lines
from audit.io.paths import is_url
from audit.model.errors import AuditError, InputError, OptionError, UsageError
from audit.runtime import kernels
from audit.runtime.outside_code import outsider
from audit.runtime.phrases import Phrase, did_you_mean, printable, say
from audit.runtime.version import VERSION
from reports.languages.catalogues import LANGUAGES, in_language, of_locale

FIRST_STEPS = Phrase(
    """\
audit: what do published releases give away together? The first three steps:

  1. Put the published tables into a folder, one file for each release: CSV, Excel, Parquet, Stata, SPSS, SAS.
  2. audit init FOLDER      looks at them, asks what it cannot tell, and writes FOLDER/series.toml
  3. audit FOLDER           gives the verdict

To see one first: audit demo. For all commands and options: audit --help
"""
)


COMMANDS = {
    "check": "does a series keep the promise that it claims?",
    "next": "judge a release before it is published, beside the series so far",
    "repair": "find the smallest change of a candidate that keeps the policy",
    "explain": "show what can be learnt about one person, or one count",
    "plan": "try methods and parameters on microdata, and recommend one",
    "anonymize": "publish the snapshots that are not yet published",
    "compare": "compare what several series disclose and how useful they are",
    "simulate": "write microdata of synthetic people with updates",
    "init": "write a series.toml from the files of a folder",
    "demo": "make, anonymize and audit example series in under a minute",
    "findings": "list findings to sort, filter and accept, also as CSV or xlsx",
    "waive": "accept findings in the manifest, with a reason and a date",
    "history": "show what earlier reports of a series said",
    "verify": "check a witness, the evidence that proves a verdict",
}
"""The named commands and what each does; each is a module of this package, imported when it is used."""
_BROKEN_PIPE = 141
_LONGEST_LINE = 1500
_SHORTEST_FORMAT = "--fo"


def parser(words: Sequence[str] = ()) -> Parser:
    """Return the parser of the default command; `words` may name attacks that are in no registry."""
    main = Parser(
        prog="audit",
        description="Audit a series of anonymized releases: what do they disclose together?",
        epilog="\n".join(
            [
                "commands:",
                *(f"  {name:<12}{does}" for name, does in COMMANDS.items()),
                "",
                "`audit COMMAND --help` describes a command, `audit --attack NAME --help` the options",
                "of an attack.",
            ]
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main.add_argument("--version", action="version", version=f"series-audit {VERSION}")
    default.add_arguments(main, words)
    _add_language(main)
    return main


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language",
        choices=list(LANGUAGES),
        help="language of reports and questions; default: that of the locale, otherwise en",
    )


def command_parser(name: str, words: Sequence[str] = ()) -> Parser:
    """Return the parser of one of the named commands."""
    main = Parser(prog="audit")
    commands = main.add_subparsers(dest="command", required=True)
    if name in {"next", "repair"}:
        _command(name).add_parser(commands, words)
    else:
        _command(name).add_parser(commands)
    _add_language(commands.choices[name])
    return main


def _command(name: str) -> ModuleType:
    return import_module(f"audit.cli.{name}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    with in_language(_language_of(words)):
        return _run(words)


def _language_of(words: Sequence[str]) -> str:
    """Return the language that words name, which may be wrong otherwise; if they name none, that of the locale."""
    found = of_locale()
    for word, following in pairwise([*words, ""]):
        option, mark, value = word.partition("=")
        named = value if mark else following
        if option.startswith("--la") and "--language".startswith(option) and named in LANGUAGES:
            found = named
    return found


def _run(words: list[str]) -> int:
    """Run the command line in the language in use, and return its exit code."""
    try:
        kernels.on_compiling = _say_that_kernels_are_compiled
        with after_imports():
            return _dispatch(words)
    except BrokenPipeError:
        discard(sys.stdout)
        return _BROKEN_PIPE
    except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001 - each becomes a line and an exit code
        lines, code = _reported(error)
        write_lines("".join(f"audit: {printable(line, _LONGEST_LINE)}\n" for line in lines))
        if code == 2:
            _put_document(words, error, lines)
        return code


def _say_that_kernels_are_compiled() -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):
            sys.stderr.write("audit: compiling for this machine, once; this takes some seconds\n")


def _dispatch(words: list[str]) -> int:
    if not words:
        sys.stderr.write(str(FIRST_STEPS))
        return 2
    named = words[0] in COMMANDS
    if not named:
        _check_spelling(words[0])
    parsing = command_parser(words[0], words) if named else parser(words)
    try:
        arguments = parsing.parse_args(words, argparse.Namespace(invoke=main))  # how the demo runs other commands
    except SystemExit as leaving:  # argparse exits after help, the version or wrong words; nothing else does
        return leaving.code if isinstance(leaving.code, int) else 2
    with commands_name(arguments):
        settle_format(arguments)
        return int((_command(words[0]) if named else default).run(arguments))


def _check_spelling(word: str) -> None:
    """Refuse a word that is almost a command, but neither a command nor a file.

    Raises:
        UsageError: the word is such a misspelling.
    """
    meant = did_you_mean(word, COMMANDS)
    if meant and not word.startswith("-") and not is_url(word) and not os.path.lexists(word):
        raise UsageError.say("there is no command or folder {word}{meant}", word=printable(word), meant=meant)


def _reported(error: BaseException) -> tuple[list[str], int]:
    """Return the lines that report an error, and the exit code."""
    from audit.io.dialect import is_lack_of_memory

    if isinstance(error, KeyboardInterrupt):
        return [str(error) or say("interrupted")], 130
    if isinstance(error, InputError):
        return str(error).split("\n"), 2
    if isinstance(error, AuditError):
        return [error.typed if isinstance(error, OptionError) else str(error)], 2
    if is_lack_of_memory(error):
        return [say("out of memory; audit fewer releases at once, or use a machine with more memory")], 2
    package = outsider(error)
    whose = "" if package is None else f" of the package {printable(package)}; correct it, or leave it out"
    missing = f", {printable(error.name)}" if isinstance(error, ModuleNotFoundError) and error.name else ""
    return [f"a bug{whose} ({type(error).__name__}{missing}); the trace is in {_keep_trace(error)}"], 4


def _keep_trace(bug: BaseException) -> str:
    """Write the trace of a bug, without messages, which could quote private cells, and return the file."""
    try:
        descriptor, name = tempfile.mkstemp(prefix="audit-trace-", suffix=".txt")
    except OSError:
        return "no file, because none could be written"
    with os.fdopen(descriptor, "w") as file:
        file.write(f"series-audit {VERSION}, Python {sys.version}\n{type(bug).__name__}\n")
        for frame in traceback.extract_tb(bug.__traceback__):
            file.write(f"  {frame.filename}:{frame.lineno} {frame.name}\n")
    return name


def _put_document(words: Sequence[str], error: BaseException, lines: Sequence[str]) -> None:
    """Print an error as a document on standard output if the words of the command line ask for JSON or SARIF.

    It goes to standard output even if `--output` names a file, because the error may be about that file.
    """
    asked = _format_asked(words)
    if asked not in {"json", "sarif"}:
        return
    from reports.program_formats import written

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
        if option.startswith(_SHORTEST_FORMAT) and "--format".startswith(option):
            asked = value if mark else following
    return asked


_AGAIN = 0.01
_WHOLE = ("<frozen importlib", shutil.__file__, tempfile.__file__)
"""The code that an interrupt does not stop halfway: imports, and what makes and removes temporary folders."""


@contextmanager
def after_imports() -> Iterator[None]:
    """Delay interrupts, SIGTERM and SIGHUP included, until no import is under way and no temporary folder half removed.

    An interrupted import can keep Python's import lock, for which other threads would wait for ever, and can leave half
    a module. SIGTERM and SIGHUP, of a terminal that is closed, are handled so that temporary files are removed. If
    other code ignores or handles interrupts, nothing changes.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    endings = [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]  # Windows has no SIGHUP
    numbers = {signal.SIGINT, *(each for each in endings if signal.getsignal(each) is signal.SIG_DFL)}
    before = {number: signal.signal(number, _interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt the run, now or when the code that must not stop halfway has ended."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_WHOLE):
            # Signal the process, because a thread cannot always be signalled.
            later = threading.Timer(_AGAIN, os.kill, [os.getpid(), number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
