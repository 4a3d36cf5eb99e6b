"""Code of other packages: run it for a limited time, and turn whatever it does wrong into one error."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
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
