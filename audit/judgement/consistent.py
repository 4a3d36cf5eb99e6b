"""People whose own values contradict the assumptions are left out of attacks on single people; what holds all the same.

What such an attack says of a person rests on the person's own groups and on the assumptions. Where a key says that
the assumptions are wrong of a person, nothing that rests on them is claimed or counted; but a release whose groups
leave the person one value gives it away whatever else changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from audit.adversary.view import Key
from audit.findings.disclosure import CertificateStep, Disclosure, Disclosures
from audit.model.arrays import Codes, Columns, Flags, Places
from audit.model.evidence import CandidateGroups, CandidatePools, Evidence, Members, PoolSource


class ConsistentSource:
    """A source of evidence less some people; the rows of their groups stay."""

    def __init__(self, source: PoolSource, left_out: Flags) -> None:
        self._source = source
        self._left_out = left_out

    def pools(self, release: int, people: Codes | None = None) -> CandidatePools:
        """Return the pools of a release less the people left out."""
        return self._less(self._source.pools(release, people))

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people."""
        return self._source.groups(release, people)

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""
        return self._source.group_names(release, groups)

    def members(self, release: int) -> Members:
        """Attacks on all people at once have no use for part of them."""
        raise AssertionError("people are left out one at a time")

    def hosts(self, release: int) -> CandidateGroups:
        """Attacks on all people at once have no use for part of them."""
        raise AssertionError("people are left out one at a time")

    def _less(self, pools: CandidatePools) -> CandidatePools:
        kept = self.kept(pools)
        return replace(
            pools,
            person=pools.person[kept],
            pool=pools.pool[kept],
            counted=None if pools.counted is None else pools.counted[kept],
            fixed=None if pools.fixed is None else pools.fixed[kept],
        )

    def kept(self, pools: CandidatePools) -> npt.NDArray[np.intp]:
        """Return the rows of the people who stay."""
        return np.flatnonzero(~self._left_out[pools.person])


class ConsistentTruth:
    """The truth about the people of a consistent source."""

    def __init__(self, key: Key, evidence: Evidence, source: ConsistentSource) -> None:
        self._key = key
        self._evidence = evidence
        self._source = source

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people who stay in a release's pools; None without a key."""
        values = self._key.of_versions(release)
        return None if values is None else values[self._source.kept(self._evidence.pools(release))]

    def of_people(self) -> Codes | None:
        """Return each person's true value by person code."""
        return self._key.of_people()


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
