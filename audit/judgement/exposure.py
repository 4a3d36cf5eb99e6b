"""How many people each attack exposes: by the highest risk of any of their values, and release by release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.adversary.view import View
from audit.model.measures import PEOPLE
from audit.model.outcome import Outcome, Risks
from audit.model.report import Exposure
from audit.model.scored import Result, tenth_of


def exposure(judged: Sequence[Result[View]]) -> tuple[Exposure, ...]:
    """Return what each attack on people's values exposes, in the order of the attacks.

    Waived claims count: to accept a risk does not make it smaller.
    """
    found = []
    for entry in judged:
        outcome, risks = entry.outcome, entry.outcome.risks
        if not outcome.ran or not entry.attack.per_attribute or outcome.alone is not None:
            continue
        by_risk = None
        if (
            risks is not None
            and not risks.missing
            and outcome.claims is not None
            and outcome.claims.versions is not None
        ):
            by_risk = _people_by_risk(risks)
        exposed = _after_release(outcome)
        if by_risk is not None or exposed is not None:
            found.append(Exposure(entry.attack.name, entry.sensitive, by_risk, exposed))
    return tuple(found)


def _after_release(outcome: Outcome) -> tuple[int, ...] | None:
    """Return how many people are found after each release; None where the attack counts something else."""
    timeline = outcome.measures.timeline
    if outcome.exposed is not None:
        return outcome.exposed
    people = outcome.measures.subjects_label is PEOPLE and outcome.measures.subjects is not None
    return tuple(timeline) if people and isinstance(timeline, list) else None


def _people_by_risk(risks: Risks) -> tuple[int, ...]:
    """Return how many people have a highest risk in each tenth, and of exactly 1."""
    highest = np.full(int(risks.person.max(initial=-1)) + 1, -1, dtype=np.int8)
    known = ~np.isnan(risks.risk)
    np.maximum.at(highest, risks.person[known], tenth_of(risks.risk[known]).astype(np.int8))
    return tuple(int(np.count_nonzero(highest == tenth)) for tenth in range(11))
