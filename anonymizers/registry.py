"""All anonymizers: those that keep a promise over the releases, then the baselines."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from audit.model.anonymizer import Anonymizer, Promise
from audit.model.errors import UsageError
from audit.model.options import Registry, made

METHODS: Registry[type[Anonymizer]] = Registry(
    "series_audit.anonymizers",
    "method",
    {
        "m-invariance": "anonymizers.m_invariance:MInvarianceAnonymizer",
        "m-distinct": "anonymizers.m_distinct.method:MDistinctAnonymizer",
        "m-distinct-star": "anonymizers.m_distinct.method:MDistinctStarAnonymizer",
        "e-equivalence": "anonymizers.e_equivalence.method:EEquivalenceAnonymizer",
        "monotonic-mondrian": "anonymizers.monotonic_mondrian:MonotonicMondrianAnonymizer",
        "mondrian": "anonymizers.mondrian:MondrianAnonymizer",
        "l-diversity": "anonymizers.l_diversity:LDiversityAnonymizer",
    },
)


def find(name: str, options: Mapping[str, object]) -> Anonymizer:
    """Return a method with its options.

    Raises:
        UsageError: there is no such method or option, or one is missing.
    """
    return made(METHODS.load(name), name, options)


def promised(anonymized: str | None) -> Promise | None:
    """Return the promise of a method with options as a manifest names them; None if it is not known here."""
    if anonymized is None:
        return None
    name, *words = anonymized.split()
    try:
        return find(name, {flag[2:].replace("-", "_"): int(n) for flag, n in pairwise(words) if n.isdecimal()}).promise
    except UsageError:  # a method of a package that is not installed, or parameters that this version does not know
        return None
