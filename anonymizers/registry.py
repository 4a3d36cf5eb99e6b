"""All anonymizers: those that keep a promise over the releases, then the baselines."""

from __future__ import annotations

from audit.model.anonymizer import Anonymizer
from audit.model.options import Option, options_of
from audit.model.registry import Registry

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


def options_by_name() -> dict[str, tuple[Option, list[str]]]:
    """Return all options of all methods, and which methods have each."""
    found: dict[str, tuple[Option, list[str]]] = {}
    for name in METHODS.names:
        for each in options_of(METHODS.load(name)):
            found.setdefault(each.name, (each, []))[1].append(name)
    return found
