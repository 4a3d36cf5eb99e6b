"""Arguments: a parser that reports an error on one line, and types of arguments."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, get_args

from audit.cli.output import ON_TABLES, shows_progress
from audit.io.paths import is_url, without_secrets
from audit.model.errors import UsageError, flag
from audit.model.options import Option
from audit.pipeline.settings import SETTINGS, Settings, WholeCountAudit
from audit.runtime.phrases import Phrase, did_you_mean, printable, printable_path, say

if TYPE_CHECKING:
    from audit.api.count_tables import LoadedTables
    from audit.api.series import LoadedSeries

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


_OF_PEOPLE = ("adversary", "recommend", "risks", "proofs", "individual", "only", "reach")
