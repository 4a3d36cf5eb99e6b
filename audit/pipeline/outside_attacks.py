"""Attacks of other packages: if one fails in any way, the audit continues and reports the failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from audit.model.errors import AuditError, printable
from audit.model.outcome import Attack, FailedAttack, Outcome
from audit.runtime.outside_code import OutsideCodeError, run_outside
from audit.runtime.own_packages import is_own
from audit.runtime.phrases import say


def with_policy(attack: Attack, limits: Mapping[str, float], seconds: float | None) -> Attack:
    """Return an attack as the policy's limits want it; one that fails where this takes another package's down."""
    if is_own(attack):
        return attack.with_policy(limits)
    try:
        return run_outside(partial(attack.with_policy, limits), seconds)
    except OutsideCodeError as error:
        return FailedAttack(attack.name, _reason(attack, str(error)))


def run_guarded(attack: Attack, run: Callable[[], Outcome], limit: float | None) -> Outcome:
    """Return the result of an attack; of another package's a failed one if it raises, leaves or overruns.

    `limit` is in seconds.

    Raises:
        AuditError: what the attack read of the series is not as it should be.
    """
    if is_own(attack):
        return run()
    try:
        return run_outside(run, limit)
    except OutsideCodeError as error:
        if isinstance(error.__cause__, AuditError):
            raise error.__cause__ from None
        return Outcome.failed(attack.name, _reason(attack, str(error)))


def ask_all(attack: Attack, outcome: Outcome) -> None:
    """Ask all that reports ask of measures, so that what fails fails here."""
    measures = outcome.measures
    dict(measures)
    measures.found_in_words(at_least=outcome.status == "incomplete")
    tuple(measures.notes(attack.name))


def _reason(attack: Attack, what: str) -> str:
    return say("{package}: {what}; correct it, or leave it out", package=_package(attack), what=what)


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
