"""Posteriors: how probable values are, exactly where all worlds were counted, else estimated."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attacks.joint.deciding import Decision
from attacks.joint.domains import unpacked
from attacks.joint.sampling import CHAINS, Sampled
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Asked, Risks

# Of the time that is left, this share may be used for sampling.
_PART = 0.2
# More people than this are too many for chains to get about among them.
_MOST_TRACKS = 10_000
# 97.5 % quantile of Student's distribution with 3 degrees of freedom, for means of four.
_QUANTILE = 3.182
Shares = npt.NDArray[np.float64]


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

    def _rounded(self, track: Codes) -> Shares:
        """Return the shares of the worlds so that what is possible is not nothing, and only what is certain is 1."""
        possible = unpacked(self.decision.possible[track], self.decision.share.shape[1])
        several = possible.sum(axis=1, keepdims=True) > 1
        share = self.decision.share[track]
        held = np.clip(share, np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))
        return np.where(several & possible, held, share)

    def shares(self, release: int) -> npt.NDArray[np.float64]:
        """Return the share of the worlds in which everybody in a release has a value; shape (versions, values).

        Within a class the people of a group may exchange their values, so that each is as probable as it is frequent.
        """
        network = self.decision.network
        versions, hosts = network.versions, network.hosts[release]
        track = versions.track[versions.release == release]
        share = self._rounded(track)
        kinds = network.class_of[: hosts.values]
        if int(kinds.max(initial=0)) + 1 == len(kinds):
            return share[:, kinds]
        rows = hosts.contents.tabled(hosts.n_groups, hosts.values)[hosts.group].astype(np.float64)
        of_kind = np.zeros((len(rows), share.shape[1]))
        for value, kind in enumerate(kinds.tolist()):
            of_kind[:, kind] += rows[:, value]
        return share[:, kinds] * rows / np.maximum(of_kind[:, kinds], 1.0)


@dataclass(frozen=True)
class EstimatedRisks:
    """Estimates of the shares of worlds, where not all of them were counted."""

    evidence: Evidence
    decision: Decision
    seed: int = 0

    def estimated(self, asked: Asked, budget: Budget) -> dict[str, object] | None:
        """Return the highest and the mean risk, each with a 95 % interval.

        None where there are too many people, the time is up, or the values asked for are impossible for everybody.
        """
        sampled = Sampled(self.evidence, self.decision)
        sample = sampled.run(budget.part(_PART), self.seed) if 0 < len(sampled.tracks) <= _MOST_TRACKS else None
        if sample is None:
            return None
        batches = [WorldRisks(self.evidence, replace(sampled.decision, share=share)) for share in sample.shares()]
        told = [each.risks(asked, budget) for each in batches]
        risks = [each.risk for each in told if each is not None]
        if len(risks) < len(told) or np.isnan(risks[-1]).all():
            return None
        versions = self.decision.network.versions
        track = versions.track[versions.counted]
        wanted = np.isnan(sampled.decision.share[track]).any(axis=1)
        stuck = sample.stuck[track]
        r_hat = np.zeros(self.decision.network.tracks)
        r_hat[sampled.tracks] = sample.r_hat
        return {
            "versions": int((wanted & ~stuck).sum()),
            "stuck": int(stuck.sum()),
            **_summary(np.stack(risks[:-1]), risks[-1], stuck),
            "r_hat": round(float(r_hat[track[wanted & ~stuck]].max(initial=1.0)), 4),
            "chains": CHAINS,
            "sweeps": sample.sweeps * len(risks[:-1]),
        }


def _summary(batches: Shares, pooled: Shares, stuck: npt.NDArray[np.bool_]) -> dict[str, object]:
    """Return the highest and the mean risk with their intervals.

    Which version has the highest risk is looked up in the first half of the chains, and how high it is in the others:
    the highest of many estimates is too high. The risk of the likeliest value, where the truth is not known, is the
    highest of several as well: by how much the batches exceed what they say together, it may be too high.

    Args:
        batches: the risks of versions by each batch; NaN where the value asked for is impossible.
        pooled: by all of them.
        stuck: whose risk may be anything.
    """
    counts = ~np.isnan(pooled)
    batches, pooled, stuck = batches[:, counts], pooled[counts], stuck[counts]
    excess = np.maximum(batches.mean(axis=0) - pooled, 0)
    half = len(batches) // 2
    chains = batches.reshape(CHAINS, -1, batches.shape[1]).mean(axis=1)
    high = np.where(stuck, 1.0, np.minimum(1, pooled + _margin(chains)))
    worst = int(np.where(stuck, -1, batches[:half].mean(axis=0)).argmax())
    value = float(batches[half:, worst].mean())
    low = value - float(_margin(batches[half:, worst])) - float(excess[worst])
    exact = (batches == pooled).all(axis=0) & ~stuck
    known = float(pooled[exact].max(initial=0.0))
    mean, spread = float(pooled.mean()), float(_margin(chains[:, ~stuck].sum(axis=1) / len(pooled)))
    return {
        "max_risk": _interval(max(value, known), 0.0 if stuck[worst] else max(low, known), float(high.max())),
        "mean_risk": _interval(
            mean,
            mean - float(pooled[stuck].sum() + excess[~stuck].sum()) / len(pooled) - spread,
            mean + float((1 - pooled[stuck]).sum()) / len(pooled) + spread,
        ),
    }


def _margin(batches: Shares) -> Shares:
    """Return half the width of the interval of a mean of four."""
    margin: Shares = np.asarray(_QUANTILE * batches.std(axis=0, ddof=1) / np.sqrt(len(batches)))
    return margin


def _interval(value: float, low: float, high: float) -> dict[str, float]:
    low, high = max(0.0, low), min(1.0, high)
    return {"value": min(max(value, low), high), "low": low, "high": high}
