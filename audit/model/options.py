"""Options: the fields of attacks, anonymizers and principles; and registries, which import these by their names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from audit.model.errors import OptionError, UsageError, flag
from audit.runtime.phrases import printable, say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


T = TypeVar("T")

LARGEST = 999_999_999
"""The largest whole number of an option by default."""
_KINDS = {kind.__name__: kind for kind in (bool, int, float, str)}


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        name: the name of the field; on the command line with dashes.
        kind: `bool`, `int`, `float` or `str`.
        default: its default; `dataclasses.MISSING` if it is required.
        help: its effect, in a few words.
        least, most: the limits of a number.
        anywhere: whether it may be given even if the chosen method has no such option, like a seed.
    """

    name: str
    kind: type
    default: Any
    help: str = ""
    least: float = 0
    most: float = LARGEST
    anywhere: bool = False

    @property
    def flag(self) -> str:
        """The option as written on the command line."""
        return flag(self.name)

    @property
    def required(self) -> bool:
        """Whether the option is required."""
        return self.default is MISSING

    @property
    def wanted(self) -> str:
        """The kind of value that is required, in words."""
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return "a text"
        number = "a whole number" if self.kind is int else "a number"
        return f"{number} from {self.least:g}" + ("" if self.most == LARGEST else f" to {_plain(self.most)}")

    def parse(self, text: str) -> Any:  # noqa: ANN401 - the type is the field's
        """Return the value of a word on the command line.

        Raises:
            ValueError: it is not a valid value; the message says what is needed.
        """
        if self.kind is str:
            return text
        try:
            return self.checked(int(text) if self.kind is int and text.isascii() and text.isdigit() else float(text))
        except (ValueError, UsageError):
            raise ValueError(f"{self.wanted} is needed") from None

    def checked(self, value: object) -> Any:  # noqa: ANN401 - the type is the field's
        """Return a value given in Python as the field's own type.

        Raises:
            UsageError: it has another type, or is outside the limits.
        """
        if self.kind is bool or self.kind is str:
            if isinstance(value, self.kind):
                return value
        elif is_number(value, Integral if self.kind is int else Real):
            number = self.kind(value)
            if self.least <= number <= self.most:
                return number
        raise UsageError(f"{self.name} has to be {self.wanted}")


def option(
    default: Any = MISSING,  # noqa: ANN401 - the type is the field's
    *,
    help: str,
    least: float = 0,
    most: float = LARGEST,
    anywhere: bool = False,
) -> Any:  # noqa: ANN401 - stands for the field's value
    """Return a dataclass field with its help text for the command line and the manual."""
    metadata = {"help": help, "least": least, "most": most, "anywhere": anywhere}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def options_of(kind: type) -> tuple[Option, ...]:
    """Return the options of a frozen dataclass: its fields, except those that the policy sets.

    A field with another type than `bool`, `int`, `float` or `str` can only be set in Python.

    >>> from dataclasses import make_dataclass
    >>> [each.flag for each in options_of(make_dataclass("Sweep", [("max_depth", int), ("seen", set)]))]
    ['--max-depth']
    """
    decides: frozenset[str] = getattr(kind, "decides", frozenset())
    found = []
    for each in fields(kind) if is_dataclass(kind) else ():
        known = _KINDS.get(each.type if isinstance(each.type, str) else each.type.__name__)
        if each.init and each.name not in decides and known is not None:
            found.append(Option(each.name, known, each.default, **each.metadata))
    return tuple(found)


def options_by_name(kinds: Mapping[str, type]) -> dict[str, tuple[Option, list[str]]]:
    """Return all options of some plug-ins by their names, and which of them have each."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for name, kind in kinds.items():
        for each in options_of(kind):
            found.setdefault(each.name, (each, []))[1].append(name)
    return found


def given(options: Iterable[Option], values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of options, checked; values with other names are left out.

    Raises:
        UsageError: a value is not valid for its option.
    """
    return {each.name: each.checked(values[each.name]) for each in options if each.name in values}


def made(kind: type[T], name: str, options: Mapping[str, object], *, least: float = 0) -> T:
    """Return a plug-in with its options, numbers from `least` on at least.

    Raises:
        UsageError: an option is unknown, missing or not valid.
    """
    known = [replace(each, least=max(least, each.least)) for each in options_of(kind)]
    refuse_unknown(options, known, name)
    if missing := [each for each in known if each.required and each.name not in options]:
        raise OptionError(lambda written: f"{name} needs {written(missing[0].name)}; give it {missing[0].wanted}")
    return kind(**given(known, options))


def refuse_unknown(names: Iterable[str], known: Iterable[Option], of: str) -> None:
    """Refuse names that are not options of a plug-in.

    Raises:
        UsageError: a name is not an option.
    """
    there = dict.fromkeys(each.name for each in known)
    unknown = set(names) - there.keys()
    if unknown and not there:
        raise OptionError(
            lambda written: say(
                "{name} has no options; leave {flag} out", name=of, flag=printable(written(min(unknown)))
            )
        )
    if unknown:
        raise OptionError(
            lambda written: say(
                "{name} has no {flag}; there are {flags}",
                name=of,
                flag=printable(written(min(unknown))),
                flags=", ".join(map(written, there)),
            )
        )


def is_number(value: object, kind: type) -> bool:
    """Return whether a value is a number of a kind; booleans are not."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:g}"


class PluginImportError(UsageError):
    """A plug-in of another package cannot be imported."""


class Registry(Generic[T]):
    """Plug-ins of one kind by name: this program's in their listed order, then those of other packages by name.

    Attributes:
        group: the group of entry points of other packages.
        kind: what a plug-in is called in messages, such as `attack`.
        own: the plug-ins of this program, as `package.module:Name`.
    """

    def __init__(self, group: str, kind: str, own: Mapping[str, str]) -> None:
        self.group, self.kind, self.own = group, kind, dict(own)

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        """The plug-ins of other packages; none of them can replace one of this program."""
        from importlib.metadata import entry_points

        found = sorted(entry_points(group=self.group), key=lambda point: point.name)
        return {point.name: point for point in found if point.name not in self.own}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all plug-ins."""
        return (*self.own, *self._others)

    def load(self, name: str) -> T:
        """Return the plug-in with a name, or the object at `package.module:Name`.

        Raises:
            UsageError: the name is unknown.
            PluginImportError: it belongs to another package and cannot be imported.
        """
        point = self._others.get(name)
        target = self.own.get(name) or (name if point is None else point.value)
        if ":" not in target:
            raise UsageError.say(
                "there is no {kind} {name}; choose from {names}, or name one of yours as package.module:Name",
                kind=self.kind,
                name=printable(name),
                names=", ".join(self.names),
            )
        try:
            return cast("T", point.load() if point is not None else _imported(target))
        except (Exception, SystemExit) as error:
            if name in self.own:
                raise
            whose = f" of the package {printable(point.dist.name)}" if point is not None and point.dist else ""
            # Other errors are named only: their messages may quote cells.
            why = (
                printable(str(error), 200) if isinstance(error, ImportError | AttributeError) else type(error).__name__
            )
            raise PluginImportError(
                f"the {self.kind} {printable(name)}{whose} cannot be imported ({why}); install what it needs, "
                "or correct its name"
            ) from error

    def __iter__(self) -> Iterator[T]:
        """Import all plug-ins, and yield them one after the other."""
        return map(self.load, self.names)


def _imported(target: str) -> object:
    """Return the object at `package.module:Name`; the module may also be in the working directory."""
    module, _, path = target.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
    found: object = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found
