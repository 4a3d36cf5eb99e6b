"""Joint inference: what remains possible when somebody reasons about everybody at once.

Threat model: the adversary knows, for each release, which group holds whom (`linked`), or everybody's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a *world* gives everybody known to be in a release one of its rows, no row to two, and everybody the same value
in all releases, or values that follow one another along transitions. A value is possible for a person in a release
exactly when some world has it; a version with one possible value is *certain*. What is neither in a world that was
found nor proved to be in none is counted as *open*.

Risk: the share of the worlds that have the value, each weighed by its transitions, where they were counted.

Cost: finding out whether a value is possible is NP-hard in general. See `deciding` for how it is done.

>>> Joint().ident
'joint'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.joint.deciding import Decision, decide
from attacks.joint.parts import possible_values
from attacks.joint.proofs import disclosures
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Asked, Outcome, Risks, per_person_reason


@dataclass(frozen=True)
class Joint:
    """Find out what is possible in any world."""

    ident: str = "joint"
    decides: frozenset[str] = frozenset({"max_risk"})
    per_attribute: bool = True

    def under(self, limits: Mapping[str, float], /) -> Joint:
        """Return the attack itself: no clause is an option of it."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the versions with one possible value, each with a proof where one can be told."""
        reason = per_person_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.ident, reason)
        decision, earlier = decide(evidence, budget)
        found = Values(decision)
        certain = np.flatnonzero(found.certain)
        versions = decision.network.versions
        measures: dict[str, object] = {
            "versions": int(versions.counted.sum()),
            "certain": len(certain),
            "eliminated": found.eliminated,
            "open": found.open,
        }
        if decision.worlds is not None:
            measures["worlds"] = decision.worlds
        measures["timeline"] = [*(int(Values(each).certain.sum()) for each in earlier), len(certain)]
        if not decision.feasible:
            what = "nothing fits all releases: some values change that may not, or keys are wrong"
            return Outcome(self.ident, "incomplete", what, {"versions": measures["versions"], "certain": 0})
        place = versions.person[certain], versions.release[certain], found.first[certain]
        claims = disclosures(evidence, decision, *place)
        if found.open:
            why = f"{budget.reason}; {found.open:,} values of versions are open"
            return Outcome(self.ident, "incomplete", why, measures, claims)
        model = None if np.isnan(decision.share).any() else WorldRisks(evidence, decision)
        return Outcome(self.ident, "complete", None, measures, claims, model)


class Values:
    """The possible values of every version.

    Attributes:
        certain: which versions that count have one possible value; shape (versions,).
        first: the first possible value of each; shape (versions,), int32.
        eliminated: (version, value) pairs that are impossible though the person's own groups leave them.
        open: pairs that are neither shown nor proved impossible.
    """

    def __init__(self, decision: Decision) -> None:
        network, versions = decision.network, decision.network.versions
        self.certain = np.zeros(len(versions.person), dtype=np.bool_)
        self.first: Codes = np.full(len(versions.person), -1, dtype=np.int32)
        self.eliminated = self.open = 0
        for release in range(len(network.hosts)):
            rows = np.flatnonzero(versions.release == release)
            counted = versions.counted[rows]
            own, left, shown = (
                possible_values(network, words, release) for words in (decision.own, decision.possible, decision.shown)
            )
            size = left.sum(axis=1)
            self.certain[rows] = counted & (size == 1)
            self.first[rows] = np.where(size > 0, left.argmax(axis=1), -1)
            self.eliminated += int(own[counted].sum() - left[counted].sum())
            self.open += int((left & ~shown)[counted].sum())


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
