"""Attacks of other packages: whatever one of them does, the audit goes on, and says that the attack failed."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextvars import copy_context
from threading import Thread

from audit.model.errors import AuditError, printable
from audit.model.outcome import Attack, Outcome
from audit.runtime.phrases import figure, say

_GRACE_SHARE, _GRACE_SECONDS = 1.1, 2.0
"""How far an attack may run over its time limit before nobody waits for it any more."""


def run_guarded(attack: Attack, run: Callable[[], Outcome], limit: float | None) -> Outcome:
    """Return the result of another package's attack; a failed one if it raises, leaves or overruns.

    It runs in a thread of its own, which is left behind when it overruns its limit (in seconds): Python cannot stop it.

    Raises:
        AuditError: what the attack read of the series is not as it should be.
    """
    found: list[Outcome] = []
    wrong: list[AuditError] = []

    def work() -> None:
        try:
            found.append(run())
        except AuditError as error:
            wrong.append(error)
        except BaseException as error:  # noqa: BLE001 - sys.exit too is no verdict
            found.append(_failed(attack, _where(error)))

    context = copy_context()  # the language of the audit is in it
    thread = Thread(target=lambda: context.run(work), name=attack.name, daemon=True)
    thread.start()
    thread.join(None if limit is None else limit * _GRACE_SHARE + _GRACE_SECONDS)
    if wrong:
        raise wrong[0]
    if found or limit is None:
        return found[0]
    return _failed(attack, say("it did not stop at the time limit of {limit} s", limit=figure(limit, "g")))


def check_claims(attack: Attack, outcome: Outcome, check: Callable[[], None]) -> Outcome:
    """Return a result of another package's attack; a failed one if its claims cannot be checked or do not hold."""
    try:
        check()
    except Exception as error:  # noqa: BLE001 - what is claimed may be anything
        return _failed(attack, _where(error))
    return outcome


def _where(error: BaseException) -> str:
    """Return what went wrong and where, without the error's message, which could quote private cells."""
    frames = traceback.extract_tb(error.__traceback__)
    line = f", {printable(frames[-1].filename.rpartition('/')[2])}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{line}"


def _failed(attack: Attack, what: str) -> Outcome:
    reason = say("{package}: {what}; correct it, or leave it out", package=_package(attack), what=what)
    return Outcome.failed(attack.name, reason)


def _package(attack: Attack) -> str:
    """Return the distribution that an attack comes from, else its module."""
    from importlib.metadata import packages_distributions

    module = type(attack).__module__
    names = packages_distributions().get(module.partition(".")[0], ())
    return (
        say("the package {name}", name=printable(names[0]))
        if names
        else say("the module {name}", name=printable(module))
    )
