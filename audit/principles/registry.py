"""Registry of all principles, in the order of the manual."""

from __future__ import annotations

from collections.abc import Mapping

from audit.model.options import Registry, made
from audit.principles.principle import Principle

PRINCIPLES: Registry[type[Principle]] = Registry(
    "series_audit.principles",
    "principle",
    {
        "k-anonymity": "audit.principles.cells:KAnonymity",
        "l-diversity": "audit.principles.values:LDiversity",
        "m-unique": "audit.principles.values:MUnique",
        "m-invariance": "audit.principles.values:MInvariance",
        "m-distinct": "audit.principles.values:MDistinct",
        "m-distinct-star": "audit.principles.values:MDistinctStar",
        "monotonic": "audit.principles.cells:Monotonic",
        "e-equivalence": "audit.principles.e_equivalence:EEquivalence",
    },
)


def find(ident: str, given: Mapping[str, int]) -> Principle:
    """Return the principle of a name with its parameters, such as those of an anonymizer's `Promise`.

    Raises:
        UsageError: the name or a parameter is unknown, or a parameter is missing or below 1.
    """
    return made(PRINCIPLES.load(ident), ident, given, least=1)
