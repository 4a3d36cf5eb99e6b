"""Posteriors: the probabilities of values, if all worlds were counted."""

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
    """Shares of worlds, each weighted by its transitions."""

    evidence: Evidence
    decision: Knowledge

    @cached_property
    def counts_worlds(self) -> bool:
        """Whether shares are exact: nothing ties strangers of two releases while people are in both."""
        versions = self.decision.network.versions
        pairs = np.unique(np.stack([versions.person, versions.release]), axis=1)[0]
        if self.evidence.adversary.knows_groups or len(np.unique(pairs)) == len(pairs):
            return True
        return not any(
            int(seen.group_capacity.sum()) > len(seen.person)
            for seen in map(self.evidence.source.hosts, range(len(self.decision.network.contents)))
        )

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts and whose part was counted; None if time runs out."""
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
            some = known[version]
            risk = self._risk(wanted[person], (version[some], value[some], share[some]))
            people.append(person[known])
            uncounted.append(person[counted & ~known])
            releases.append(np.full(int(known.sum()), release, dtype=np.int32))
            risks.append(risk[known])
        person, missing = np.concatenate(people), len(np.unique(np.concatenate(uncounted)))
        ones = np.ones(len(person), dtype=np.int32)
        return Risks(person, np.concatenate(releases), ones, np.concatenate(risks), missing)

    def _risk(self, target: Integers, shares: tuple[Numbers, Numbers, Floats]) -> Floats:
        """Return the probability of the requested value, or of the likeliest (-1); NaN if it is impossible.

        Of combinations: the value of that attribute of which it is most probable.
        """
        version, value, share = shares
        mine = target[version] == value
        possible = np.zeros(len(target), dtype=np.bool_)
        possible[version[mine & (share > 0)]] = True
        parts = value[:, np.newaxis] if self.evidence.combined is None else self.evidence.combined.parts()[value]
        asked = target[:, np.newaxis] if self.evidence.combined is None else self.evidence.combined.parts()[target]
        risk = np.zeros(len(target))
        for at in range(parts.shape[1]):
            part = parts[:, at].astype(np.int64)
            number = int(part.max(initial=0)) + 1
            keys, place = _distinct(version * number + part)
            total = np.bincount(place, weights=share, minlength=len(keys))
            total = np.clip(total, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))  # only what is certain is 1
            who, which = keys // number, keys % number
            total[np.bincount(who, minlength=len(target))[who] == 1] = 1.0
            asked_for = (target[who] < 0) | (which == asked[who, at])
            np.maximum.at(risk, who[asked_for], total[asked_for])
        found: Floats = np.where((target < 0) | possible, risk, np.nan)
        return found

    def shares(self, release: int) -> tuple[Numbers, Numbers, Floats]:
        """Return the possible values of the versions of a release, and the share of the worlds that have each.

        Within a class the people of a group may exchange their values, so that each is as probable as it is frequent.
        What is possible is never nothing, and only what is certain is 1.
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
    """Return distinct numbers, ascending, and the place of each number among them; mostly they are so already."""
    if (keys[1:] > keys[:-1]).all():
        return keys, np.arange(len(keys))
    return np.unique(keys, return_inverse=True)
