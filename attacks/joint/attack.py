"""Joint inference: which values remain possible when all people are considered together.

Threat model: the adversary knows, for each release, which people each group holds (`linked`), or all people's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a *world* assigns to every person who is known to be in a release a row of it, and no row to two people. Each
person has the same value in all releases, or values that follow one another along transitions. A value is possible for
a person in a release exactly when some world has it. A version (a person in a release) with one possible value is
*certain*. A value is *open* if no world with it was found, and no proof that there is none.

Risk: the share of the worlds that have the value, each weighted by its transition probabilities, if all worlds were
counted.

Cost: deciding whether a value is possible is NP-hard in general. `settling` describes the steps.

>>> JointAttack().name
'joint'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from attacks.joint.answers import Answers
from attacks.joint.deciding import AIMS, Decided, decide
from attacks.joint.measures import JointMeasures
from attacks.joint.network_builder import OutOfTimeError, TooManyChoicesError
from attacks.joint.posteriors import WorldRisks
from attacks.joint.proofs import disclosures
from audit.model.evidence import Evidence
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.measures import ABSENT
from audit.model.options import option
from audit.model.outcome import Outcome, per_person_reason, together_reason
from audit.runtime.budget import Budget
from audit.runtime.phrases import say, say_count
from audit.runtime.reasons import Reason, ReasonKind, combined

# The share of the time limit for deciding; the rest is for proofs of the findings.
_FOR_DECIDING = 0.85


@dataclass(frozen=True)
class JointAttack:
    """Decide for every person and value whether some world has it.

    Attributes:
        seed: the seed of the search for worlds; another seed may decide more or fewer of the hard values.
        aims: for how many values of each person to find worlds, one aim after another; 0 means all.
        max_risk: the policy's limit; below 1, worlds of small parts are counted even if other parts are too large.
    """

    seed: int = option(0, help="seed of the random search for worlds", anywhere=True)
    aims: tuple[int, ...] = AIMS
    max_risk: float = 1.0
    name: ClassVar[str] = "joint"
    measures: ClassVar[type[JointMeasures]] = JointMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "max_ever_risk", "closeness"})
    per_attribute: ClassVar[bool] = True
    asks_worlds: ClassVar[bool] = True
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "disclosure": FindingRule("In all assignments of rows to people that fit, this is the value.", WITHHOLD)
    }

    def with_policy(self, limits: Mapping[str, float], /) -> JointAttack:
        """Return the attack with the policy's limit; below 1, it computes the risks of as many people as possible."""
        return replace(self, max_risk=limits.get("max_risk", 1.0))

    def only_deciding(self, limits: Mapping[str, float], /) -> JointAttack:
        """Return the attack that looks for only two possible values of each person, if that decides the policy.

        Limits on risks below 1, on risks in any release, and on e require all possible values.
        """
        every = limits.get("max_risk", 1.0) < 1 or limits.get("min_e", 1) > 1 or "max_ever_risk" in limits
        return self if every else replace(self, aims=AIMS[:1])

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the versions with one possible value as claims; skipped if the attack does not fit the evidence."""
        reason = per_person_reason(evidence) or together_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        deciding = budget.fraction(_FOR_DECIDING)
        try:
            # Worlds for two values do not suffice if these are close numbers or of one category.
            aims = AIMS if evidence.numbers or evidence.categories else self.aims
            decided = decide(evidence, deciding, self.seed, aims, each_part=self.max_risk < 1)
        except TooManyChoicesError:
            what = say("each person may be in too many rows to analyse all people together")
            return Outcome(self.name, "incomplete", what, _nothing_known(evidence))
        except OutOfTimeError:
            return Outcome(self.name, "incomplete", budget.reason, _nothing_known(evidence))
        return self._outcome(evidence, decided, budget, late=deciding.exhausted())

    def _outcome(self, evidence: Evidence, decided: Decided, budget: Budget, *, late: bool) -> Outcome:
        """Return the outcome of what was decided about all versions; `late` if time was up before the proofs."""
        decision, found, counts = decided.last, decided.final, decided.counts(len(evidence.tags))
        versions = decision.network.versions
        measures = JointMeasures(
            versions=int(versions.counted.sum()),
            certain=len(found.certain),
            eliminated=found.eliminated,
            open=found.open,
            worlds=ABSENT if decision.number is None else decision.number,
            timeline=[certain for certain, _ in counts],
        )
        nothing = _nothing(evidence, measures.versions, found.pairs)
        if not decision.feasible:
            what = say(
                "no assignment of rows to people fits all releases: values change that must not change, or keys are "
                "wrong"
            )
            return Outcome(self.name, "incomplete", what, nothing)
        place = versions.person[found.claim], versions.release[found.claim], found.value
        claims, unproved = disclosures(evidence, decision, place, budget)
        measures = replace(measures, certain_unproved=unproved)
        claims = replace(claims, nothing=nothing, exhaustive=bool(found.decided.all()))
        reason = None
        if found.open or not decided.whole:
            hard = Reason(say("parts of the series are too large or too hard to decide"), ReasonKind.TOO_HARD)
            left = (
                say_count("{count} value of a version is open", "{count} values of versions are open", found.open)
                if found.open
                else say("the timeline's numbers are lower bounds")
            )
            reason = combined([budget.reason if late else hard, left])
        counted = reason is None and not np.isnan(decision.share[decision.alive]).any()
        return Outcome(
            self.name,
            "complete" if reason is None else "incomplete",
            reason,
            measures,
            claims,
            WorldRisks(evidence, decision) if counted or self.max_risk < 1 else None,
            knowing=Answers(decision, evidence),
            exposed=tuple(people for _, people in counts),
        )


def _nothing_known(evidence: Evidence) -> JointMeasures:
    """Return the measures of a series that is too large to attack: every value is open."""
    versions = values = 0
    for seen in evidence.stream():
        values = max(values, seen.values)
        versions += len(seen.person) if seen.counted is None else int(seen.counted.sum())
    return _nothing(evidence, versions, versions * values)


def _nothing(evidence: Evidence, versions: int, pairs: int) -> JointMeasures:
    """Return the measures if nothing is known about the versions."""
    return JointMeasures(versions=versions, certain=0, eliminated=0, open=pairs, timeline=[0] * len(evidence.tags))
