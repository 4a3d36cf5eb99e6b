"""Scoring: an outcome's probabilities held against the truth, and the truth against the assumptions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from audit.core.budget import Budget
from audit.core.evidence import Evidence
from audit.core.outcome import Outcome, Risks
from audit.linking import UNKNOWN, truth_of


@dataclass(frozen=True)
class Scored:
    """An outcome with its risks.

    Attributes:
        outcome: what the attack found; `incomplete` when its risks could not be computed in time.
        risks: the risk of everybody's true value, or of the likeliest where the truth is not known.
        seconds: how long attack and scoring took.
    """

    outcome: Outcome
    risks: Risks | None
    seconds: float = 0.0

    @property
    def measures(self) -> dict[str, object]:
        """The attack's measures with `max_risk` and `mean_risk`, before the timeline."""
        measures = dict(self.outcome.measures)
        timeline = measures.pop("timeline", None)
        if self.outcome.status != "skipped" and "max_risk" not in measures:
            measures["max_risk"], measures["mean_risk"] = self.max_risk(), self._mean_risk()
        if timeline is not None:
            measures["timeline"] = timeline
        return measures

    def max_risk(self, without: frozenset[tuple[int, int]] = frozenset()) -> float | None:
        """Return the highest risk, leaving out some claims (person, release); None when none is known.

        An attack that was cut short has no risks, yet each of its claims is a certainty.
        """
        if self.risks is None:
            claims = self.outcome.claims
            left = 0 if claims is None else len(claims) - len(without)
            return 1.0 if left else None
        counts = ~np.isnan(self.risks.risk)
        if without:
            counts &= ~self._left_out(self.risks, without)
        return float(self.risks.risk[counts].max()) if counts.any() else None

    def _left_out(self, risks: Risks, without: frozenset[tuple[int, int]]) -> npt.NDArray[np.bool_]:
        """Return which entries of the risks have all their claims left out."""
        claims = self.outcome.claims
        people, claimed = np.unique(claims.person if claims is not None else [], return_counts=True)
        total = dict(zip(people.tolist(), claimed.tolist(), strict=True))
        waived: dict[int, int] = {}
        for person, _ in without:
            waived[person] = waived.get(person, 0) + 1
        gone = {person for person, times in waived.items() if times >= total.get(person, 0)}
        by_person = np.isin(risks.person, list(gone)) & (risks.release < 0)
        pairs = [(p, r) in without for p, r in zip(risks.person.tolist(), risks.release.tolist(), strict=True)]
        return by_person | np.array(pairs, dtype=np.bool_)

    def _mean_risk(self) -> float | None:
        if self.risks is None:
            return None
        counts = ~np.isnan(self.risks.risk)
        weight = self.risks.versions[counts] if self.outcome.attack != "intersection" else None
        return float(np.average(self.risks.risk[counts], weights=weight)) if counts.any() else None


def score(evidence: Evidence, outcome: Outcome, budget: Budget) -> Scored:
    """Return an outcome with the risks of the true values.

    What is claimed of people whose own values contradict the assumptions would be wrong: it is withheld, and they
    have no risk. They are counted by `changed_values`.
    """
    if outcome.status == "skipped":
        return Scored(outcome, None)
    changed = changed_values(evidence)
    if changed.any() and outcome.claims is not None:
        outcome = replace(outcome, claims=outcome.claims.some(np.flatnonzero(~changed[outcome.claims.person])))
    if outcome.model is None:
        return Scored(outcome, None)
    risks = outcome.model.risks(truth_of(evidence), budget)
    if risks is None:
        reason = f"{budget.reason} before the risks were computed"
        return Scored(replace(outcome, status="incomplete", reason=reason, model=None), None)
    if changed.any():
        risks = replace(risks, risk=np.where(changed[risks.person], np.nan, risks.risk))
    return Scored(outcome, risks)


def changed_values(evidence: Evidence) -> npt.NDArray[np.bool_]:
    """Return, by person code, whose own published values change as the assumptions say they never do."""
    truth = truth_of(evidence)
    if evidence.transitions is None:
        return truth.changed()
    last = np.full(0, UNKNOWN, dtype=np.int32)
    changed = np.zeros(0, dtype=np.bool_)
    for release in range(len(evidence.tags)):
        values = truth.of_versions(release)
        if values is None:
            continue
        pools = evidence.pools(release)
        more = pools.people - len(last)
        if more > 0:
            last = np.concatenate([last, np.full(more, UNKNOWN, dtype=np.int32)])
            changed = np.concatenate([changed, np.zeros(more, dtype=np.bool_)])
        before = last[pools.person]
        forbidden = evidence.transitions.weight[before, values] == 0
        changed[pools.person] |= forbidden & (before != UNKNOWN) & (values != UNKNOWN)
        last[pools.person] = values
    return changed
