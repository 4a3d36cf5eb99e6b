"""All anonymizers: those that keep a promise over the releases, then the baselines, which are there to be broken."""

from __future__ import annotations

from dataclasses import fields

from anonymizers.e_equivalence import EEquivalence
from anonymizers.l_diversity import LDiversity
from anonymizers.m_distinct.method import MDistinct, MDistinctStar
from anonymizers.m_invariance import MInvariance
from anonymizers.mondrian import Mondrian
from anonymizers.monotonic_mondrian import MonotonicMondrian

Method = (
    type[MInvariance]
    | type[MDistinct]
    | type[MDistinctStar]
    | type[EEquivalence]
    | type[MonotonicMondrian]
    | type[Mondrian]
    | type[LDiversity]
)
METHODS: tuple[Method, ...] = (
    MInvariance,
    MDistinct,
    MDistinctStar,
    EEquivalence,
    MonotonicMondrian,
    Mondrian,
    LDiversity,
)


def find(ident: str) -> Method:
    """Return the method of a name.

    Raises:
        KeyError: there is none.
    """
    return {method.ident: method for method in METHODS}[ident]


def options_of(method: Method) -> tuple[str, ...]:
    """Return the names of a method's options."""
    return tuple(each.name for each in fields(method) if each.name != "ident")
