"""Scoring: an outcome's probabilities held against the truth, and the truth against the assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from audit.core.budget import Budget
from audit.core.evidence import Evidence
from audit.core.outcome import Disclosures, Equivalences, Outcome, Places, Risks
from audit.linking.constants import UNKNOWN
from audit.linking.truth import truth_of

_TENTHS = 10
_ROUNDING = 1e-9
_HALF, _REST = 1 << 26, 1 << 34
_AT_A_TIME = 1 << 17
Weighed: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.integer]]


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
        """The attack's measures, those of values with their risks before the timeline."""
        measures = dict(self.outcome.measures)
        timeline = measures.pop("timeline", None)
        if isinstance(self.outcome.claims, Disclosures):
            measures["max_risk"], measures["mean_risk"] = self.max_risk(), self._mean_risk()
            measures["risk_counts"] = None if self.risks is None else self._risk_counts(self.risks)
        if timeline is not None:
            measures["timeline"] = timeline
        return measures

    def max_risk(self, waived: Places | None = None) -> float | None:
        """Return the highest risk of a value, leaving out the claims at some places; None when none is known.

        An attack that was cut short has no risks, yet each of its claims is a certainty.
        """
        claims = self.outcome.claims
        gone = np.zeros(0, dtype=np.intp) if waived is None else waived
        if isinstance(claims, Equivalences):
            return 1.0 if (np.delete(claims.e, gone) == 0).any() else None
        if not isinstance(claims, Disclosures):
            return None
        if self.risks is None:
            return 1.0 if len(claims) > len(gone) else None
        counts = ~np.isnan(self.risks.risk)
        if len(gone):
            counts &= ~_left_out(self.risks, claims, gone)
        return float(self.risks.risk[counts].max()) if counts.any() else None

    def _mean_risk(self) -> float | None:
        return None if self.risks is None else mean(self._weighed(self.risks))

    def _risk_counts(self, risks: Risks) -> list[int]:
        """Return how many versions, or people, have a risk below 0.1, from 0.1 to below 0.2, …, and exactly 1."""
        total = np.zeros(_TENTHS + 1, dtype=np.int64)
        for risk, weights in self._weighed(risks):
            # What rounding has left a little below a tenth belongs to it; only what is certain is 1.
            most = np.where(risk == 1, _TENTHS, _TENTHS - 1)
            tenth = np.minimum(np.floor(risk * _TENTHS + _ROUNDING), most).astype(np.intp)
            total += np.bincount(tenth, weights=weights, minlength=_TENTHS + 1).astype(np.int64)
        return total.tolist()

    def _weighed(self, risks: Risks) -> Iterator[Weighed]:
        """Yield the risks that there are, some at a time, and how many versions each stands for.

        Each stands for one person where people are counted. So many at a time fit into a processor's cache.
        """
        people = self.outcome.attack == "intersection"
        for first in range(0, len(risks.risk), _AT_A_TIME):
            some = slice(first, first + _AT_A_TIME)
            risk, counts = risks.risk[some], ~np.isnan(risks.risk[some])
            weights = np.broadcast_to(np.uint16(1), len(risk)) if people else risks.versions[some]
            yield risk[counts], weights[counts]


def mean(parts: Iterable[Weighed]) -> float | None:
    """Return the mean of probabilities, each with its weight; None where there are none.

    It does not depend on their order, as sums of floating-point numbers do: they are added up as whole numbers of
    2^-60, in two halves.

    >>> mean([(np.array([1.0, 0.25, 0.1]), np.array([1, 2, 1], dtype=np.int32))])
    0.4
    """
    total = count = 0
    for risk, weights in parts:
        high = np.rint(risk * _HALF)
        low = np.rint((risk - high / _HALF) * (_HALF * _REST))
        total += int((high.astype(np.int64) * weights).sum()) * _REST + int((low.astype(np.int64) * weights).sum())
        count += int(weights.sum(dtype=np.int64))
    return float(Fraction(total, count * _HALF * _REST)) if count else None


def _left_out(risks: Risks, claims: Disclosures, waived: Places) -> npt.NDArray[np.bool_]:
    """Return which entries of the risks have all their claims waived."""
    people, claimed = np.unique(claims.person, return_counts=True)
    gone, times = np.unique(claims.person[waived], return_counts=True)
    wholly = gone[times == claimed[np.searchsorted(people, gone)]]
    versions = (claims.person[waived].astype(np.int64) << 32) + claims.release[waived]
    of_versions = np.isin((risks.person.astype(np.int64) << 32) + risks.release, versions)
    return of_versions | ((risks.release < 0) & np.isin(risks.person, wholly))


def score(evidence: Evidence, outcome: Outcome, budget: Budget) -> Scored:
    """Return an outcome with the risks of the true values.

    What is claimed of people whose own values contradict the assumptions would be wrong: it is withheld, and they
    have no risk. They are counted by `changed_values`.
    """
    claims = outcome.claims
    if not isinstance(claims, Disclosures | Equivalences):
        return Scored(outcome, None)
    changed = changed_values(evidence)
    if claims.nothing is not None and changed.any():
        return Scored(_unfounded(outcome, claims.nothing), None)
    if isinstance(claims, Equivalences):
        return Scored(outcome, None)
    if changed.any():
        outcome = replace(outcome, claims=claims.some(np.flatnonzero(~changed[claims.person])))
    if outcome.model is None:
        return Scored(_estimated(evidence, outcome, budget), None)
    risks = outcome.model.risks(truth_of(evidence), budget)
    if risks is None:
        reason = f"{budget.reason} before the risks were computed"
        return Scored(replace(outcome, status="incomplete", reason=reason, model=None), None)
    if changed.any():
        risks = replace(risks, risk=np.where(changed[risks.person], np.nan, risks.risk))
    return Scored(outcome, risks)


def _estimated(evidence: Evidence, outcome: Outcome, budget: Budget) -> Outcome:
    """Return an outcome with the risks that can only be estimated; they decide nothing."""
    told = None if outcome.estimate is None else outcome.estimate.estimated(truth_of(evidence), budget)
    return outcome if told is None else replace(outcome, measures={**outcome.measures, "estimated": told})


def _unfounded(outcome: Outcome, nothing: Mapping[str, object]) -> Outcome:
    """Return the outcome of reasoning about everybody at once where the values of some people do change.

    A wrong premise about one person reaches everybody: nothing at all follows.
    """
    reason = "some people's published values change, so that nothing follows from all groups together"
    return replace(outcome, status="incomplete", reason=reason, measures=dict(nothing), claims=None, people={})


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
