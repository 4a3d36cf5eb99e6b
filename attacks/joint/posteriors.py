"""Posteriors: how probable values are, where all worlds were counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.joint.deciding import Decision
from audit.core.budget import Budget
from audit.core.evidence import Evidence
from audit.core.outcome import Asked, Risks


@dataclass(frozen=True)
class WorldRisks:
    """Shares of worlds, where all of them were counted."""

    evidence: Evidence
    decision: Decision

    def risks(self, asked: Asked, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts; None where a part was not counted, or the time is up."""
        network, versions = self.decision.network, self.decision.network.versions
        people, releases, risks = [], [], []
        for release in range(len(network.hosts)):
            if budget.spent():
                return None
            rows = np.flatnonzero(versions.release == release)
            shares = self.shares(release)
            asked_of, wanted = asked.of_versions(release), np.full(int(versions.person.max()) + 1, -1, dtype=np.int64)
            if asked_of is not None:
                wanted[self.evidence.pools(release).person] = asked_of
            value = wanted[versions.person[rows]]
            # A value that was not yet published is impossible.
            shares = np.pad(shares, ((0, 0), (0, max(0, int(value.max(initial=-1)) + 1 - shares.shape[1]))))
            own = shares[np.arange(len(rows)), np.maximum(value, 0)]
            risk = np.where(value < 0, shares.max(axis=1, initial=0.0), np.where(own > 0, own, np.nan))
            counted = versions.counted[rows]
            people.append(versions.person[rows][counted])
            releases.append(np.full(int(counted.sum()), release, dtype=np.int32))
            risks.append(risk[counted])
        person = np.concatenate(people)
        ones = np.ones(len(person), dtype=np.int32)
        return Risks(person, np.concatenate(releases), ones, np.concatenate(risks))

    def shares(self, release: int) -> npt.NDArray[np.float64]:
        """Return the share of the worlds in which everybody in a release has a value; shape (versions, values).

        Within a class the people of a group may exchange their values, so that each is as probable as it is frequent.
        """
        network = self.decision.network
        versions, hosts = network.versions, network.hosts[release]
        track = versions.track[versions.release == release]
        share = self.decision.share[track]
        kinds = network.class_of[: hosts.values]
        if int(kinds.max(initial=0)) + 1 == len(kinds):
            return share[:, kinds]
        rows = hosts.contents.tabled(hosts.n_groups, hosts.values)[hosts.group].astype(np.float64)
        of_kind = np.zeros((len(rows), share.shape[1]))
        for value, kind in enumerate(kinds.tolist()):
            of_kind[:, kind] += rows[:, value]
        return share[:, kinds] * rows / np.maximum(of_kind[:, kinds], 1.0)
