"""What all commands share: their arguments and their output.

A wrong argument is an error on one line. Standard output and error may be full or closed, and messages never stop a
run; files appear whole or not at all.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import pairwise
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TextIO, get_args

from attacks.registry import ATTACKS, find
from audit.io.atomic_files import write_file
from audit.io.paths import as_path, is_url, same_file, without_secrets
from audit.model.errors import UsageError, flag
from audit.model.options import Option, options_by_name, options_of
from audit.pipeline.settings import SETTINGS, Settings, WholeCountAudit
from audit.runtime.candidate_search import ON_ESTIMATE
from audit.runtime.distributed.engines import ENGINES
from audit.runtime.phrases import NAMED, PLACES, Phrase, did_you_mean, printable, printable_path, say
from reports.registry import FORMATS
from reports.text import PAPER, Paper

if TYPE_CHECKING:
    from audit.api.answers import Answer
    from audit.api.count_tables import LoadedTables
    from audit.api.series import LoadedSeries
    from reports.page import Page


ON_TABLES = "differencing"
"""The attack on count tables; all others are on rows about people."""
_COMMAND = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


def check_output(output: Path | None) -> None:
    """Check, before a long run, that the report can be written.

    Raises:
        UsageError: the folder does not exist, or the path is not that of a file.
    """
    if output is None:
        return
    try:
        fits = output.absolute().parent.is_dir() and not S_ISDIR(output.stat().st_mode)
    except OSError as error:
        fits = isinstance(error, FileNotFoundError)
    if not fits:
        raise UsageError(f"{_named(output)}: no report can be written there; name a file in an existing folder")


def check_spared(output: Path | None, inputs: Iterable[Path]) -> None:
    """Refuse to overwrite a file that is read.

    Raises:
        UsageError: the output is one of the inputs.
    """
    if output is not None and output.exists() and any(same_file(output, path) for path in inputs):
        what = "this file is one of the inputs, which are never written over"
        raise UsageError(f"{_named(output)}: {what}; name another file with --output")


def opened(arguments: argparse.Namespace, *outputs: Path | None) -> LoadedSeries | LoadedTables:
    """Open the series that a command names, after checking that its outputs can be written.

    Raises:
        UsageError: an output cannot be written, or is one of the files that are read.
        InputError: the manifest is faulty.
    """
    from audit.api.series import opened as opened_series

    for output in outputs:
        check_output(output)
    where = as_path(arguments.series)  # one path object: a manifest at a URL is then fetched once
    # The workers of a cluster may run in another folder.
    series = opened_series(where.absolute() if getattr(arguments, "engine", "") == "dask" else where)
    if series.kind == "microdata" and ON_TABLES in (getattr(arguments, "attack", None) or ()):
        raise UsageError(f'{ON_TABLES} is about count tables: it needs kind = "tables" in series.toml; leave it out')
    inputs = [*series.opened.files(), *map(as_path, getattr(arguments, "candidate", ()))]
    for output in outputs:
        check_spared(output, inputs)
    return series


def options_of_verdict(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the adversary and the limits that a command line names."""
    if adversary := getattr(arguments, "adversary", None):
        yield from ("--adversary", adversary)
    k = getattr(arguments, "k", None)
    for name, most in [*(getattr(arguments, "policy", None) or ()), *([k] if isinstance(k, tuple) else [])]:
        yield from ("--policy", f"{name}={most:.12g}")


@contextmanager
def commands_name(arguments: argparse.Namespace) -> Iterator[None]:
    """Let commands that are printed name the language and the paths of this command line, quoted for a shell.

    What programs read is the same wherever the series is, and shows no path of this machine.
    """
    series, candidate = getattr(arguments, "series", None), getattr(arguments, "candidate", ())
    named = {"SERIES": [series] if isinstance(series, str) else (), "CANDIDATE": candidate}
    if isinstance(folder := getattr(arguments, "microdata", None), Path):
        named["MICRODATA"] = [str(folder if folder.stem.strip(".") else folder.resolve())]
    named["OPTIONS"] = [*options_of_verdict(arguments)]
    quoted = {word: " ".join(shlex.quote(without_secrets(each)) for each in paths) for word, paths in named.items()}
    language = NAMED.set(getattr(arguments, "language", None))
    for_programs = getattr(arguments, "format", "") in ("json", "junit", "sarif")
    places = PLACES.set({word: paths for word, paths in quoted.items() if paths and not for_programs})
    try:
        yield
    finally:
        NAMED.reset(language)
        PLACES.reset(places)


def write(answer: Answer, form: str, output: Path | None, series: str = "SERIES", document: str | None = None) -> int:
    """Write an answer in a format, and return the exit code; `series` is its path as given.

    Raises:
        UsageError: it cannot be written, or the answer has no such format.
    """
    before = PAPER.set(replace(_paper(output), folder=in_repository(series) if form == "sarif" else ""))
    try:
        text = answer.render(form, document=document)
    finally:
        PAPER.reset(before)
    put(text, output)
    return answer.exit_code


def write_reports(
    answer: Answer, arguments: argparse.Namespace, output: Path | None, document: str | None = None
) -> int:
    """Write an answer in every format that a command line names, and return the exit code, as `write` does."""
    for form, file in arguments.report:
        write(answer, form, file, arguments.series)
    return write(answer, arguments.format, output, arguments.series, document)


def _paper(output: Path | None) -> Paper:
    """Return the width and colours that a text may use: those of the terminal, or none for a file."""
    if output is not None or sys.stdout is None or not sys.stdout.isatty():
        return Paper()
    width = os.get_terminal_size(sys.stdout.fileno()).columns
    return Paper(color="NO_COLOR" not in os.environ, width=max(60, width))


def put_page(page: Page, output: Path | None) -> None:
    """Print a page, or write it to a file, as `put` does."""
    put(_paper(output).drawn(page), output)


def put(text: str | bytes, output: Path | None = None) -> None:
    """Print a text, or write it to a file that appears whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if output is not None:
            write_file(output, text)
        elif isinstance(text, str):
            _print(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or "it cannot be written"
        raise UsageError(f"{_named(output)}: {why}; write to another file") from error


def in_repository(series: str) -> str:
    """Return a series' folder relative to its repository; empty at the root, or if there is no repository."""
    if is_url(series):
        return ""
    folder = Path(os.path.abspath(series))  # noqa: PTH100 - links stay: a repository knows the folder by this path
    folder = folder.parent if os.path.isfile(folder) else folder  # noqa: PTH113 - no name makes this raise
    root = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), folder)
    return "" if root == folder else folder.relative_to(root).as_posix()


def without_commands(text: str) -> str:
    r"""Return a text in which GitHub Actions finds no commands, not even after leading blanks.

    A report in the format `github` consists of commands, and is not changed.

    >>> without_commands("Verdict\n ::add-mask::x\n"), without_commands("::error title=k::violated\n")
    ('Verdict\n : :add-mask::x\n', '::error title=k::violated\n')
    """
    if all(line.startswith("::") for line in text.splitlines()):
        return text
    return _COMMAND.sub(r"\1: :", text)


def _named(output: Path | None) -> str:
    return "standard output" if output is None else printable_path(output)


def _print(rendered: str) -> None:
    """Write to standard output, which may be full or closed."""
    if sys.stdout is None:
        raise OSError(None, "it is closed")
    if os.environ.get("GITHUB_ACTIONS"):
        rendered = without_commands(rendered)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(rendered.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError:
        discard(sys.stdout)
        raise


def write_lines(text: str) -> None:
    """Write to standard error, which may be full or closed."""
    with suppress(AttributeError, ValueError):
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            discard(sys.stderr)


def discard(stream: TextIO) -> None:
    """Discard what a stream still holds; otherwise Python would write it again at exit, fail, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def shows_progress() -> bool:
    """Return whether progress bars may be drawn: on a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def estimate_shown() -> Iterator[None]:
    """Write to standard error how long a search may take, where no bar shows it."""
    if shows_progress():
        yield
        return
    before = ON_ESTIMATE.set(lambda line: write_lines(f"audit: {line}\n"))
    try:
        yield
    finally:
        ON_ESTIMATE.reset(before)


REQUIRED = Phrase("the following arguments are required: {names}")
_OF_ARGPARSE = {
    re.compile(pattern): sentence
    for pattern, sentence in {
        "the following arguments are required: (?P<names>.+)": REQUIRED,
        "unrecognized arguments: (?P<names>.+)": Phrase("unrecognized arguments: {names}"),
        r"argument (?P<name>.+?): invalid choice: (?P<value>.+) \(choose from (?P<names>.+)\)": Phrase(
            "argument {name}: invalid choice: {value} (choose from {names})"
        ),
        "argument (?P<name>.+?): expected one argument": Phrase("argument {name}: expected one argument"),
        "argument (?P<name>.+?): expected at least one argument": Phrase(
            "argument {name}: expected at least one argument"
        ),
        "argument (?P<name>.+?): expected (?P<many>[0-9]+) arguments": Phrase(
            "argument {name}: expected {many} arguments"
        ),
        "argument (?P<name>.+?): not allowed with argument (?P<other>.+)": Phrase(
            "argument {name}: not allowed with argument {other}"
        ),
        r"argument (?P<name>.+?): invalid \w+ value: (?P<value>.+)": Phrase("argument {name}: invalid value: {value}"),
        "argument (?P<name>.+?): ignored explicit argument (?P<value>.+)": Phrase(
            "argument {name}: ignored explicit argument {value}"
        ),
        "ambiguous option: (?P<name>.+) could match (?P<names>.+)": Phrase(
            "ambiguous option: {name} could match {names}"
        ),
        "argument (?P<name>.+?): (?P<what>.+)": Phrase("argument {name}: {what}"),
    }.items()
}
"""The messages of argparse, and the sentences that replace them; others remain as they are."""


def _translated(message: str) -> str:
    """Return a message of argparse in the language in use.

    >>> _translated("argument --k: invalid choice: 'x' (choose from 'a', 'b')")
    "argument --k: invalid choice: 'x' (choose from 'a', 'b')"
    """
    for pattern, sentence in _OF_ARGPARSE.items():
        if found := pattern.fullmatch(message):
            return sentence.filled(**found.groupdict())
    return message


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        """Raise an error whose text is one line.

        Raises:
            UsageError: always.
        """
        message = re.sub(r"""[^\s'"]+://[^'"]*""", lambda url: without_secrets(url[0]), message)
        unknown = re.search(r"unrecognized arguments: (--[^\s=]+)", message)
        meant = did_you_mean(unknown[1], self.options) if unknown else ""
        see = say("; see `{command}`", command=f"{self.prog} --help")
        raise UsageError(f"{printable(_translated(message), 300)}{meant or see}")

    @property
    def options(self) -> set[str]:
        """The full names of the options."""
        return {"--help", *re.findall(r"(?<![\w-])--[a-z][\w-]*", self.format_usage())}


class Commands(Protocol):
    """Creates the parsers of the named commands."""

    def add_parser(self, name: str, **how: Any) -> Parser:  # noqa: ANN401 - as argparse declares them
        """Create the parser of a command."""


def positive_seconds(text: str) -> float:
    """Return a positive number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(say("a number of seconds above 0 is needed"))
    return seconds


def local(text: str) -> Path:
    """Return a path on this machine."""
    if is_url(text):
        raise argparse.ArgumentTypeError(
            say("this is a URL, and only series are read from one; name a file or folder here")
        )
    return Path(text)


def how_many(text: str) -> int | None:
    """Return a whole number from 0, or None for `all`."""
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError(say("a whole number or `all` is needed"))


GREATEST_SEED = 10**19 - 1


def counted(least: int, most: int = 999_999_999) -> Callable[[str], int]:
    """Return a type of argument: a whole number within limits."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(
            say("a whole number from {least} to {most} is needed", least=str(least), most=str(most))
        )

    return read


def add_settings(parser: argparse.ArgumentParser, *names: str, **how: Any) -> None:  # noqa: ANN401 - as argparse has it
    """Add settings of an audit as options; `how` replaces parts of their declarations."""
    for name in names:
        kind, setting = SETTINGS[name]
        reading: dict[str, Any] = {"help": setting.help, "default": setting.default, "metavar": setting.metavar}
        if kind is bool:
            reading = {"help": setting.help, "action": "store_true"}
        elif name in _READERS:
            reading["type"] = _READERS[name]
        else:
            reading["choices"] = get_args(get_args(kind)[0])
        if name == "policy":
            reading |= {"action": "append", "default": []}
        reading |= how
        if reading.get("default"):
            reading["help"] += "; default: %(default)g"
        parser.add_argument(flag(name), **reading)


def set_defaults_of(parser: argparse.ArgumentParser, made: Callable[..., object]) -> None:
    """Give options the defaults of the parameters with their names."""
    given = signature(made).parameters.items()
    parser.set_defaults(**{name: each.default for name, each in given if each.default is not each.empty})


_OPTION = "option_"


class Names(list[str]):
    """Names to choose from: those in a registry, and any `package.module:Name`."""

    def __contains__(self, name: object) -> bool:
        """Return whether a name is in the registry or has the form `package.module:Name`."""
        return super().__contains__(name) or (isinstance(name, str) and ":" in name)


def add_option(parser: argparse.ArgumentParser, option: Option, help_text: str) -> None:
    """Add a field of an attack, an anonymizer or a principle as an option; it has no default.

    If the command itself has an option of this name, the field can be set only from Python.
    """

    def read(text: str) -> object:
        try:
            return option.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    shown, word = help_text.replace("%", "%%"), option.flag
    if option.kind is bool:
        word = f"--no-{word[2:]}" if option.default is True else word
        how: dict[str, Any] = {"action": "store_false" if option.default is True else "store_true"}
    else:
        shown += "" if option.required else f"; default: {option.default}"
        short = option.name.upper() if len(option.name) == 1 else "N" if option.kind is int else "VALUE"
        how = {"type": read, "metavar": short}
    with suppress(argparse.ArgumentError):
        parser.add_argument(word, dest=f"{_OPTION}{option.name}", default=argparse.SUPPRESS, help=shown, **how)


def options_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options from `add_option` that were given."""
    return {name.removeprefix(_OPTION): value for name, value in vars(arguments).items() if name.startswith(_OPTION)}


def limit(text: str) -> tuple[str, float]:
    """Return a clause of the policy and its limit, from `clause=limit`; no number is none of any clause."""
    name, _, number = text.partition("=")
    try:
        return name, int(number) if number.strip().isdigit() else float(number)
    except ValueError:
        return name, float("nan")


_FORMATS = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".md": "markdown",
    ".sarif": "sarif",
    ".csv": "csv",
    ".xlsx": "xlsx",
}
_READERS = {
    "time_limit": positive_seconds,
    "findings": how_many,
    "policy": limit,
    **dict.fromkeys(("baseline", "witness", "risks"), local),
}


def add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add `--format` and `--output`."""
    endings = [ending for ending, form in _FORMATS.items() if form in formats]
    by_name = f"default: what --output ends with, such as {endings[0]}, otherwise text"
    parser.add_argument("--format", choices=formats, help=by_name)
    parser.add_argument("--output", type=local, metavar="FILE", help="write to a file; default: standard output")
    parser.set_defaults(formats=formats)


def settle_format(arguments: argparse.Namespace) -> None:
    """Set the format if none is given: by the suffix of the output file, otherwise text.

    Raises:
        UsageError: the suffix is that of a format which the command does not write.
    """
    if getattr(arguments, "format", "") is None:
        form = _FORMATS.get(arguments.output.suffix.casefold(), "text") if arguments.output else "text"
        if form not in arguments.formats:
            forms = ", ".join(arguments.formats)
            what = say("{file}: this command does not write such files", file=printable_path(arguments.output))
            raise UsageError.say("{what}; choose one of these with --format: {forms}", what=what, forms=forms)
        arguments.format = form


@contextmanager
def asked(arguments: argparse.Namespace, further: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the settings of an audit from the arguments, and `further` ones, as the Python API takes them."""
    from audit.runtime.distributed.engines import engine

    names = {*Settings.__annotations__, *further}
    given = {name: value for name, value in vars(arguments).items() if name in names}
    policy = [*given.get("policy", ()), *([arguments.k] if getattr(arguments, "k", None) else [])]
    given |= {"policy": dict(policy), "progress": shows_progress(), **options_given(arguments)}
    if "engine" not in given:
        yield given
        return
    with engine(arguments.engine, arguments.jobs, arguments.scheduler) as chosen:
        yield given | {"engine": chosen}


def settings_for(
    series: LoadedSeries | LoadedTables, arguments: argparse.Namespace, given: Mapping[str, Any], **of_people: object
) -> dict[str, Any]:
    """Return the settings of an audit; `of_people` are settings for series about people.

    Raises:
        UsageError: a setting for series about people is given for count tables.
    """
    if series.kind == "microdata":
        return {**of_people, **given}
    others = [f"--attack {name}" for name in getattr(arguments, "attack", None) or () if name != ON_TABLES]
    others += [flag(name) for name in options_given(arguments)]
    others += [flag(name) for name in _OF_PEOPLE if getattr(arguments, name, None)]
    if others:
        raise UsageError.say("{option} is about people, and count tables contain none; leave it out", option=others[0])
    return {name: given[name] for name in WholeCountAudit.__annotations__ if name in given}


_OF_PEOPLE = ("adversary", "risks", "proofs", "individual", "only", "reach")


_HELP = frozenset({"-h", "--help"})


def add_reports(parser: Parser) -> None:
    """Add the options that say in which formats the report is written, and where."""
    add_output(parser, Names(FORMATS.names))
    add_further_reports(parser, Names(FORMATS.names))


def add_further_reports(parser: Parser, formats: Sequence[str]) -> None:
    """Add the option that writes the report to files in further formats."""
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        type=partial(report_file, formats),
        metavar="FORMAT=FILE",
        help="write the report to a file in this format as well (may be repeated)",
    )


def report_file(formats: Sequence[str], text: str) -> tuple[str, Path]:
    """Return a format, one of some, and a file on this machine, from `format=file`."""
    name, mark, file = text.partition("=")
    if not mark or not file or name not in formats:
        known = ", ".join(formats)
        raise argparse.ArgumentTypeError(f"{printable(text)}: write FORMAT=FILE, the format being one of {known}")
    return name, local(file)


def add_attack_options(parser: Parser, words: Sequence[str]) -> None:
    """Add the options of all attacks, and of those that the words name as `package.module:Name`.

    If the words ask for help, or contain no further option, add only those of the attacks that they name: otherwise
    every attack would be imported.
    """
    named = [other for word, other in pairwise([*words, ""]) if word == "--attack"]
    named += [word.removeprefix("--attack=") for word in words if word.startswith("--attack=")]
    named = list(dict.fromkeys(name for name in named if name in ATTACKS.names or ":" in name))
    if _HELP.isdisjoint(words) and not (named and _are_options(parser, named, words)):
        named = [*ATTACKS.names, *(name for name in named if name not in ATTACKS.names)]
    for each, names in options_by_name({attack.name: type(attack) for attack in map(find, named)}).values():
        add_option(parser, each, f"{', '.join(names)}: {each.help or 'see its documentation'}")


def _are_options(parser: Parser, attacks: Iterable[str], words: Iterable[str]) -> bool:
    """Return whether each word that looks like an option is the full name of one, of the parser or of the attacks."""
    own = {each.flag for attack in attacks for each in options_of(type(find(attack)))}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= parser.options | own


def add_options(parser: Parser) -> None:
    """Add the options of attacks and of the policy, which every command with a verdict takes."""
    parser.add_argument(
        "--attack",
        action="append",
        choices=Names([*ATTACKS.names, ON_TABLES]),
        metavar="NAME",
        help=f"run this attack only (may be repeated): {', '.join(ATTACKS.names)}; for count tables: {ON_TABLES}; your "
        "own: package.module:Name; --attack NAME --help lists its options",
    )
    add_settings(parser, "adversary", "policy")
    parser.add_argument(
        "--k",
        type=lambda text: limit(f"k={text}"),
        metavar="K",
        help="smallest allowed number of rows that look alike, or of records with the same description from all "
        "releases; the same as --policy k=K",
    )
    add_settings(parser, "findings", "time_limit")
    parser.add_argument(
        "--jobs", type=counted(1), metavar="N", help="how many tasks run at the same time; default: one for each core"
    )
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="where the work is done: threads of this process (default), or a cluster of dask.distributed",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="address of the cluster; without it, one is started on this machine for the run",
    )
    add_settings(parser, "reveal", "stable_ids")
