"""Joint inference: what remains possible when somebody reasons about everybody at once.

Threat model: the adversary knows, for each release, which group holds whom (`linked`), or everybody's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a *world* gives everybody known to be in a release one of its rows, no row to two, and everybody the same value
in all releases, or values that follow one another along transitions. A value is possible for a person in a release
exactly when some world has it; a version with one possible value is *certain*. What is neither in a world that was
found nor proved to be in none is counted as *open*.

Risk: the share of the worlds that have the value, each weighed by its transitions, where they were counted; elsewhere
it can be estimated (`posteriors`, `sampling`).

Cost: finding out whether a value is possible is NP-hard in general. See `deciding` for how it is done.

>>> Joint().ident
'joint'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attacks.joint.deciding import Decision, decide
from attacks.joint.knowing import Knowledge
from attacks.joint.parts import possible_values
from attacks.joint.posteriors import EstimatedRisks, WorldRisks
from attacks.joint.proofs import disclosures
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Outcome, per_person_reason


@dataclass(frozen=True)
class Joint:
    """Find out what is possible in any world.

    Attributes:
        seed: what is drawn where probabilities are estimated; at least 0.
    """

    seed: int = 0
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
        if decision.presumed:
            measures["presumed"] = decision.presumed
        before = [int(Values(each).certain.sum()) for each in earlier] or [0] * (len(evidence.tags) - 1)
        measures["timeline"] = [*before, len(certain)]
        nothing = {**measures, "certain": 0, "eliminated": 0, "open": found.pairs, "timeline": [0] * len(evidence.tags)}
        for claim in ("worlds", "presumed"):
            nothing.pop(claim, None)
        if not decision.feasible:
            what = "nothing fits all releases: some values change that may not, or keys are wrong"
            return Outcome(self.ident, "incomplete", what, nothing)
        place = versions.person[certain], versions.release[certain], found.first[certain]
        claims = disclosures(evidence, decision, *place)
        claims = replace(claims, nothing=nothing, exhaustive=found.exhaustive)
        knowing = Knowledge(decision)
        if found.open or not all(each.settled for each in earlier):
            why = budget.reason if budget.spent() else "parts of the series are too large or too hard to be settled"
            what = f"{found.open:,} values of versions are open" if found.open else "the timeline is from below"
            return Outcome(self.ident, "incomplete", f"{why}; {what}", measures, claims, knowing=knowing)
        if np.isnan(decision.share).any():
            estimate = EstimatedRisks(evidence, decision, self.seed)
            return Outcome(self.ident, "complete", None, measures, claims, knowing=knowing, estimate=estimate)
        return Outcome(self.ident, "complete", None, measures, claims, WorldRisks(evidence, decision), knowing=knowing)


class Values:
    """The possible values of every version.

    Attributes:
        certain: which versions that count have one possible value; shape (versions,).
        first: the first possible value of each; shape (versions,), int32.
        pairs: (version, value) pairs that people's own groups leave.
        eliminated: those of them that are impossible.
        open: those that are neither shown nor proved impossible.
        exhaustive: whether each version that counts is certain, or has two values that are shown to be possible.
    """

    def __init__(self, decision: Decision) -> None:
        network, versions = decision.network, decision.network.versions
        self.certain = np.zeros(len(versions.person), dtype=np.bool_)
        self.first: Codes = np.full(len(versions.person), -1, dtype=np.int32)
        self.pairs = self.eliminated = self.open = 0
        self.exhaustive = True
        for release in range(len(network.hosts)):
            rows = np.flatnonzero(versions.release == release)
            counted = versions.counted[rows]
            own, left, shown = (
                possible_values(network, words, release) for words in (decision.own, decision.possible, decision.shown)
            )
            size = left.sum(axis=1)
            self.certain[rows] = counted & (size == 1)
            self.first[rows] = np.where(size > 0, left.argmax(axis=1), -1)
            self.pairs += int(own[counted].sum())
            self.exhaustive &= bool((self.certain[rows] | ((left & shown).sum(axis=1) > 1))[counted].all())
            self.eliminated += int(own[counted].sum() - left[counted].sum())
            self.open += int((left & ~shown)[counted].sum())
