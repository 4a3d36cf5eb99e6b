"""Posteriors: the probabilities of values where the worlds of a part were counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.knowledge import Knowledge
from attacks.joint.values import listed_values
from audit.model.arrays import Floats, Integers, Numbers
from audit.model.evidence import Evidence
from audit.model.outcome import RiskQuery, Risks
from audit.runtime.budget import Budget


@dataclass(frozen=True)
class WorldRisks:
    """Risks as shares of worlds, each weighted by its transitions."""

    evidence: Evidence
    decision: Knowledge

    @cached_property
    def counts_worlds(self) -> bool:
        """Whether shares of worlds are exact.

        They are if the adversary knows groups, if no person is in two releases, or if no release has places for people
        outside the register. Otherwise the unknown people of two releases may be the same, which is not counted.
        """
        versions = self.decision.network.versions
        pairs = np.unique(np.stack([versions.person, versions.release]), axis=1)[0]
        if self.evidence.adversary.knows_groups or len(np.unique(pairs)) == len(pairs):
            return True
        return not any(
            int(seen.group_capacity.sum()) > len(seen.person)
            for seen in map(self.evidence.source.hosts, range(len(self.decision.network.contents)))
        )

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts and whose part was counted; None if time runs out.

        Args:
            asked: the requested value of each version, or the likeliest.
            budget: the time limit.
        """
        versions = self.decision.network.versions
        people, releases, risks, uncounted = [], [], [], []
        for release in range(len(self.decision.network.contents)):
            if budget.exhausted():
                return None
            begin, end = np.searchsorted(versions.release, [release, release + 1])
            person, counted = versions.person[begin:end], versions.counted[begin:end]
            asked_of, wanted = (
                asked.of_versions(release),
                np.full(int(versions.person.max(initial=-1)) + 1, -1, dtype=np.int64),
            )
            if asked_of is not None:
                wanted[self.evidence.pools(release).person] = asked_of
            version, value, share = self.shares(release)
            known = counted.copy()
            known[version[np.isnan(share)]] = False
            of_known = known[version]
            risk = self._risk(wanted[person], (version[of_known], value[of_known], share[of_known]))
            people.append(person[known])
            uncounted.append(person[counted & ~known])
            releases.append(np.full(int(known.sum()), release, dtype=np.int32))
            risks.append(risk[known])
        person, missing = np.concatenate(people), len(np.unique(np.concatenate(uncounted)))
        ones = np.ones(len(person), dtype=np.int32)
        return Risks(person, np.concatenate(releases), ones, np.concatenate(risks), missing)

    def _risk(self, target: Integers, shares: tuple[Numbers, Numbers, Floats]) -> Floats:
        """Return the probability of the requested value, or of the likeliest one (-1); NaN if it is impossible.

        For combined attributes it is the highest probability among the attributes' own values.
        """
        version, value, share = shares
        matches = target[version] == value
        possible = np.zeros(len(target), dtype=np.bool_)
        possible[version[matches & (share > 0)]] = True
        parts = value[:, np.newaxis] if self.evidence.combined is None else self.evidence.combined.parts()[value]
        asked = target[:, np.newaxis] if self.evidence.combined is None else self.evidence.combined.parts()[target]
        risk = np.zeros(len(target))
        for at in range(parts.shape[1]):
            part = parts[:, at].astype(np.int64)
            number = int(part.max(initial=0)) + 1
            keys, place = _distinct(version * number + part)
            total = np.bincount(place, weights=share, minlength=len(keys))
            total = np.clip(total, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))  # only what is certain is 1
            owner, which = keys // number, keys % number
            total[np.bincount(owner, minlength=len(target))[owner] == 1] = 1.0
            asked_for = (target[owner] < 0) | (which == asked[owner, at])
            np.maximum.at(risk, owner[asked_for], total[asked_for])
        found: Floats = np.where((target < 0) | possible, risk, np.nan)
        return found

    def shares(self, release: int) -> tuple[Numbers, Numbers, Floats]:
        """Return triples of a version, a possible value, and the share of worlds that have it, for one release.

        Versions are counted from the first of the release; triples are sorted. The people of a group may exchange
        values of a class, so that the share of a value is proportional to its rows. A share of 0 or 1 by rounding is
        replaced by the next float inside: only a single possible value has share 1. NaN if the part was not counted.
        """
        network = self.decision.network
        version, column, value, rows = listed_values(network, self.decision.alive, release)
        values = len(network.kind_of)
        share = self.decision.share[column] * rows / np.bincount(column, weights=rows, minlength=1)[column]
        distinct, where = _distinct(version * values + value)
        total = np.bincount(where, weights=share, minlength=len(distinct))
        version, value = distinct // values, distinct % values
        several = np.bincount(version, minlength=int(version.max(initial=-1)) + 1)[version] > 1
        rounded = np.clip(total, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))
        return version, value, np.where(several | np.isnan(total), rounded, 1.0)


def _distinct(keys: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct numbers, ascending, and the place of each number among them; fast if they are distinct."""
    if (keys[1:] > keys[:-1]).all():
        return keys, np.arange(len(keys))
    return np.unique(keys, return_inverse=True)
