"""Likely values: the risks of an attack that reach the policy's limit below certainty, as claims."""

from __future__ import annotations

import numpy as np

from audit.adversary.view import View
from audit.findings.likely_value import LikelyValues
from audit.model.arrays import Codes
from audit.model.outcome import Risks
from audit.model.scored import Result, reaches_all


def likely_values(entry: Result[View], limit: float) -> LikelyValues | None:
    """Return the risks of a result that reach a limit and are not waived; None where none below certainty decides.

    Certain values are findings of their own.
    """
    seen, risks = entry.evidence, entry.scored.risks
    if limit >= 1.0 or risks is None or not (entry.whole and entry.scored.counted):
        return None
    left = reaches_all(risks.risk, limit) & (risks.risk < 1.0)
    left[entry.waived_risks] = False
    places = np.flatnonzero(left)
    return LikelyValues(
        risks.person[places],
        risks.release[places].astype(np.int32),
        risks.risk[places],
        places,
        lambda chosen: true_values(seen, risks)[places[chosen]],
    )


def true_values(evidence: View, risks: Risks) -> Codes:
    """Return the value that each risk is of: the true one, -1 where it is not known; shape (entries,), int32."""
    values, key = np.full(len(risks.person), -1, dtype=np.int32), evidence.key
    for release in np.unique(risks.release).tolist():
        known = key.of_people() if release < 0 else key.of_versions(release)
        if known is not None:
            mine = np.flatnonzero(risks.release == release)
            person = np.arange(len(known)) if release < 0 else evidence.pools(release).person
            of_person = np.full(int(max(person.max(initial=-1), risks.person[mine].max())) + 1, -1, dtype=np.int32)
            of_person[person] = known
            values[mine] = of_person[risks.person[mine]]
    return values
