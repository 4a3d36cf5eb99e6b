"""People whose own values contradict the assumptions are left out of attacks on single people; what holds all the same.

What such an attack says of a person rests on the person's own groups and on the assumptions. Where a key says that
the assumptions are wrong of a person, nothing that rests on them is claimed or counted; but a release whose groups
leave the person one value gives it away whatever else changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from audit.findings.disclosure import CertificateStep, Disclosure, Disclosures
from audit.model.arrays import Codes, Columns, Flags, Places
from audit.model.evidence import CandidatePools, Evidence


def less(pools: CandidatePools, kept: Places) -> CandidatePools:
    """Return pools with the people at some places alone; the rows of their groups stay."""
    return replace(
        pools,
        person=pools.person[kept],
        pool=pools.pool[kept],
        counted=None if pools.counted is None else pools.counted[kept],
        fixed=None if pools.fixed is None else pools.fixed[kept],
    )


def alone(evidence: Evidence, people: Flags) -> Columns:
    """Return person, release and value of the versions of some people whose groups leave them one value by themselves.

    `people` says which, by person code. Versions that are known beforehand do not count.
    """
    found: list[tuple[Codes, Codes, Codes]] = []
    for release, pools in enumerate(evidence.stream()):
        bag, value, rows = pools.entries()
        published = slice(None) if rows is None else rows > 0
        pair = np.unique(bag[published].astype(np.int64) * pools.values + value[published])
        of, what = pair // pools.values, pair % pools.values
        distinct = np.bincount(of, minlength=pools.n_pools)
        only = np.zeros(pools.n_pools, dtype=np.int32)
        only[of] = what
        mine = people[pools.person] & (distinct[pools.pool] == 1)
        if pools.counted is not None:
            mine &= pools.counted
        at = np.flatnonzero(mine)
        found.append((pools.person[at], np.full(len(at), release, dtype=np.int32), only[pools.pool[at]]))
    person, when, value = (
        np.concatenate([np.zeros(0, dtype=np.int32), *column]) for column in zip(*found, strict=True)
    )
    return person, when, value


def with_alone(evidence: Evidence, claims: Disclosures, columns: Columns) -> Disclosures:
    """Return claims, and after them what groups of one value give away by themselves."""
    person, release, value = columns
    count = len(claims)

    def build(places: Places) -> Sequence[Disclosure[int] | None]:
        own = places >= count
        base = iter(claims.certify(places[~own]))
        more = iter(_built(evidence, tuple(column[places[own] - count] for column in columns)))
        return [next(more) if each else next(base) for each in own.tolist()]

    return Disclosures(
        np.concatenate([claims.person, person]),
        np.concatenate([claims.release, release]),
        np.concatenate([claims.value, value]),
        build,
        claims.nothing,
        claims.exhaustive,
    )


def _built(evidence: Evidence, columns: tuple[Codes, ...]) -> Iterator[Disclosure[int]]:
    for person, release, value in zip(*(column.tolist() for column in columns), strict=True):
        [groups] = evidence.source.groups(release, np.array([person], dtype=np.int32))
        step = CertificateStep(release, groups, (value,))
        yield Disclosure(person, release, value, 1.0, (step,), alone=True)
