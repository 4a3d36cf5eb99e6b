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
    """Return an attack configured by the policy; if another package's attack raises, return one that fails."""
    if is_own(attack):
        return attack.with_policy(limits)
    try:
        return run_outside(partial(attack.with_policy, limits), seconds)
    except OutsideCodeError as error:
        return FailedAttack(attack.name, _reason(attack, str(error)))


def run_guarded(attack: Attack, run: Callable[[], Outcome], limit: float | None) -> Outcome:
    """Run an attack; if one of another package raises, exits or overruns its limit, return a failed outcome.

    `limit` is in seconds.

    Raises:
        AuditError: the attack found the series faulty.
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
    """Call every method of the measures that reports use, so that a failure shows here."""
    measures = outcome.measures
    dict(measures)
    measures.found_in_words(at_least=outcome.status == "incomplete")
    tuple(measures.notes(attack.name))


def _reason(attack: Attack, what: str) -> str:
    return say("{package}: {what}; correct it, or leave it out", package=_package(attack), what=what)


def _package(attack: Attack) -> str:
    """Return the name of an attack's distribution, or else of its module."""
    from importlib.metadata import packages_distributions

    module = type(attack).__module__
    names = packages_distributions().get(module.partition(".")[0], ())
    return (
        say("the package {name}", name=printable(names[0]))
        if names
        else say("the module {name}", name=printable(module))
    )
