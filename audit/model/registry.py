"""Registry of plug-ins by name: those of this program, and those of other packages.

Another package registers a plug-in by an entry point:

    [project.entry-points."series_audit.attacks"]
    my-attack = "my_package.attack:MyAttack"

Nothing is imported before it is requested.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from audit.model.errors import UsageError
from audit.runtime.phrases import printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


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
