"""Outside code: run code of other packages for a limited time, and turn whatever it does wrong into one error.

A folder or file that hides one of the packages installed beside `audit` is found before anything of it is imported.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from contextvars import copy_context
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from traceback import walk_tb
from typing import ClassVar, Protocol, TypeVar

from audit.runtime.phrases import figure, say

_GRACE_SHARE, _GRACE_SECONDS = 1.1, 2.0
"""How far code may run over its time limit until it is no longer waited for."""

T = TypeVar("T")


class OutsideCodeError(Exception):
    """What went wrong in code of another package; the text says it without its message, which could quote cells."""


def run_outside(code: Callable[[], T], limit: float | None, taken: float = 0.0) -> T:
    """Return what code of another package returns; it has `limit` seconds, of which some are taken.

    It runs in a thread of its own, which is left behind when it overruns its limit: Python cannot stop it.

    Raises:
        OutsideCodeError: it raises, exits the program, or overruns; the cause is what it raised.
    """
    found: list[T] = []
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            found.append(code())
        except BaseException as error:  # noqa: BLE001 - sys.exit too is no verdict
            wrong.append(error)

    context = copy_context()  # the language of the audit is in it
    thread = Thread(target=lambda: context.run(work), daemon=True)
    thread.start()
    thread.join(None if limit is None else limit * _GRACE_SHARE + _GRACE_SECONDS - taken)
    if found:
        return found[0]
    if wrong:
        raise OutsideCodeError(_where(wrong[0])) from wrong[0]
    raise OutsideCodeError(say("it did not stop at the time limit of {limit} s", limit=figure(limit or 0.0, "g")))


def _where(error: BaseException) -> str:
    """Return the kind of an error and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    file = "" if not frames else frames[-1].filename.rpartition("/")[2]
    line = f", {file}:{frames[-1].lineno}" if file.isprintable() and file else ""
    return f"{type(error).__name__}{line}"


class AskedClause(Protocol):
    """A clause of the policy."""

    name: ClassVar[str]


class ClauseWatch:
    """Asks clauses; one of another package that fails, or takes longer than an attack may, is not asked again.

    Attributes:
        limit: seconds that each clause of another package may take in all; None means no limit.
        failed: why, by the name of the clause.
    """

    def __init__(self, limit: float | None = None) -> None:
        """Begin with no clause asked."""
        self.failed: dict[str, str] = {}
        self.limit = limit
        self._taken: dict[str, float] = {}

    def ask(self, clause: AskedClause, question: Callable[[], T], otherwise: T) -> T:
        """Return the answer of a clause to a question; `otherwise` where it fails, or failed before."""
        package, name = type(clause).__module__.partition(".")[0], clause.name
        if package == __name__.partition(".")[0]:
            return question()
        if name in self.failed:
            return otherwise
        start, taken = time.monotonic(), self._taken.get(name, 0.0)
        try:
            return run_outside(question, self.limit, taken)
        except OutsideCodeError as error:
            self.failed[name] = say(
                "the clause {name} of the package {package} failed ({error}); correct it, or uninstall it",
                name=name,
                package=package,
                error=str(error),
            )
            return otherwise
        finally:
            self._taken[name] = taken + time.monotonic() - start


SIBLINGS = ("attacks", "anonymizers", "reports")


def is_own(attack: object) -> bool:
    """Return whether an attack is one of this program's, or such a one in a wrapper of this program."""
    package = type(attack).__module__.partition(".")[0]
    return is_own(getattr(attack, "attack", None)) if package == "audit" else package == "attacks"


def outsider(error: BaseException) -> str | None:
    """Return the package in whose code an error arose, if it is another one that brings something by an entry point."""
    from importlib.metadata import entry_points

    own = {__name__.partition(".")[0], *SIBLINGS}
    groups = [group for group in entry_points().groups if group.startswith("series_audit.")]
    others = {point.module.partition(".")[0] for group in groups for point in entry_points(group=group)}
    frames = (str(frame.f_globals.get("__name__")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__))
    last = [name for name in frames if name in own | others][-1:]
    return last[0] if last and last[0] not in own else None


def hidden() -> str | None:
    """Return a line about a folder or file that Python would import instead of our package; None if there is none."""
    home = Path(__file__).resolve().parents[2]
    for name in SIBLINGS:
        try:
            spec = find_spec(name)
        except ValueError:  # a module of that name was made by hand
            spec = None
        places = (
            [] if spec is None else [*(spec.submodule_search_locations or ()), *([spec.origin] if spec.origin else ())]
        )
        if not any(Path(place).resolve().is_relative_to(home / name) for place in places):
            where = places[0] if places else name
            return (
                f"{where} hides the package `{name}` of series-audit; rename it, or take its folder out of PYTHONPATH"
            )
    return None


def check() -> None:
    """Check that no folder or file hides one of our packages.

    Raises:
        ImportError: one does; the text says which.
    """
    if trouble := hidden():
        raise ImportError(trouble)
