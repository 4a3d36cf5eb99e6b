"""Certificates of disclosures: the groups and the values that they leave possible, release by release."""

from __future__ import annotations

import numpy as np

from audit.findings.disclosure import CertificateStep, Disclosure, Disclosures
from audit.model.arrays import Codes, Places
from audit.model.evidence import CandidatePools, Evidence, ValueCounts


def sightings(evidence: Evidence, people: Codes, last: int | None = None) -> dict[int, list[CertificateStep[int]]]:
    """Return, by person code, the groups and possible values of some people in each release up to `last`."""
    found: dict[int, list[CertificateStep[int]]] = {int(person): [] for person in people}
    wanted = np.unique(people)
    for release in range(len(evidence.tags) if last is None else last + 1):
        pools = evidence.pools(release)
        rows = np.flatnonzero(np.isin(pools.person, wanted))
        content = contents(pools, pools.pool[rows])
        groups = evidence.source.groups(release, pools.person[rows])
        for row, names in zip(rows.tolist(), groups, strict=True):
            values = content[int(pools.pool[row])]
            if pools.fixed is not None and pools.fixed[row] >= 0:
                values = (int(pools.fixed[row]),)
            found[int(pools.person[row])].append(CertificateStep(release, names, values))
    return found


def contents(pools: CandidatePools, wanted: Codes) -> dict[int, tuple[int, ...]]:
    """Return the distinct values of some pools, in order of codes."""
    found: dict[int, list[int]] = {int(pool): [] for pool in wanted}
    if not isinstance(pools.contents, ValueCounts):
        return {pool: tuple(np.flatnonzero(pools.contents[pool]).tolist()) for pool in found}
    bag, value, _ = pools.contents
    places = np.flatnonzero(np.isin(bag, np.unique(wanted)))
    key = np.unique(bag[places].astype(np.int64) * pools.values + value[places])
    for pool, value in zip((key // pools.values).tolist(), (key % pools.values).tolist(), strict=True):
        found[pool].append(value)
    return {pool: tuple(values) for pool, values in found.items()}


def disclosures(evidence: Evidence, person: Codes, release: Codes, value: Codes, *, paths: bool = False) -> Disclosures:
    """Return the claims about people whose candidates share one value.

    A finding's certificate ends at the release at which the value became certain, unless it has the person's `paths`.
    """

    def build(places: Places) -> list[Disclosure[int]]:
        seen = sightings(evidence, person[places], None if paths else int(release[places].max(initial=-1)))
        found = []
        for place in places.tolist():
            who, at = int(person[place]), int(release[place])
            steps = tuple(step for step in seen[who] if paths or step.release <= at)
            found.append(Disclosure(who, at, int(value[place]), 1.0, steps))
        return found

    return Disclosures(person, release, value, build, paths=paths)
