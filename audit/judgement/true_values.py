"""True values: which values the risks of an attack are of."""

from __future__ import annotations

import numpy as np

from audit.adversary.view import View
from audit.model.arrays import Codes
from audit.model.outcome import Risks


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
