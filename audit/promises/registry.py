"""All principles, in the order of the manual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from audit.core.errors import UsageError
from audit.promises.e_equivalence import EEquivalence
from audit.promises.k_anonymity import KAnonymity
from audit.promises.l_diversity import LDiversity
from audit.promises.m_distinct import MDistinct, MDistinctStar
from audit.promises.m_invariance import MInvariance, MUnique
from audit.promises.monotonic import Monotonic
from audit.promises.principle import Principle

PRINCIPLES: tuple[type[Principle], ...] = (
    KAnonymity,
    LDiversity,
    MUnique,
    MInvariance,
    MDistinct,
    MDistinctStar,
    Monotonic,
    EEquivalence,
)


def parameters(principle: type[Principle]) -> tuple[str, ...]:
    """Return the names of a principle's parameters."""
    return tuple(field.name for field in fields(principle))


def find(ident: str, given: Mapping[str, int]) -> Principle:
    """Return the principle of a name with its parameters, such as those of an anonymizer's `Promise`.

    Raises:
        UsageError: there is none, a parameter is missing or below 1, or one is given that it does not have.
    """
    principles = {principle.ident: principle for principle in PRINCIPLES}
    if ident not in principles:
        raise UsageError(f"there is no principle {ident}; choose from {', '.join(principles)}")
    principle = principles[ident]
    names = parameters(principle)
    for name in names:
        if given.get(name, 0) < 1:
            raise UsageError(f"{ident} needs --{name}; give it a whole number from 1")
    for name in given:
        if name not in names:
            raise UsageError(f"{ident} has no --{name}; leave it out")
    return principle(**given)
