"""Candidate-set intersection: what one person's groups have in common.

Threat model: the adversary knows, for each release, which group holds the person (`linked`), or the person's exact
quasi-identifiers and presence (`register`), and that the sensitive value never changes.

Claim: a person's *candidates* are the values that every one of the person's pools holds. Someone with one
candidate left is *vulnerable*: the value is certain. Sound, because the person's value stands in each of the
person's pools. Exact for an adversary who looks at one person at a time; somebody who reasons about everybody at
once may rule out more (see the attack `joint`).

Risk of value v: prod_j c_j(v) / sum_u prod_j c_j(u), with c_j(v) the rows of value v in the pool of release j.

Cost: linear in rows; one release in memory at a time. Source: m-invariance paper, Definitions 15 and 16, Lemmas 1, 2.

>>> attack = Intersection()
>>> attack.ident, sorted(attack.decides)
('intersection', ['max_risk'])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attacks.certificates import disclosures
from attacks.folding import fold_all
from attacks.posterior import CandidateRisks
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Disclosures, Outcome, counts_table, per_person_reason


@dataclass(frozen=True)
class Intersection:
    """Intersect each person's candidate sets over the releases."""

    ident: str = "intersection"
    decides: frozenset[str] = frozenset({"max_risk"})
    per_attribute: bool = True

    def under(self, limits: Mapping[str, float], /) -> Intersection:
        """Return the attack itself: no clause is an option of it."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return everybody's candidates, with a finding for each person with one candidate left."""
        reason = per_person_reason(evidence)
        if reason is None and evidence.transitions is not None:
            reason = "it needs values that never change, and the series has transitions"
        if reason is not None:
            return Outcome.skipped(self.ident, reason)
        state, done = fold_all(evidence, budget)
        counts, certain = np.zeros(1, dtype=np.int64), [np.zeros(0, dtype=np.int32)]
        for people, sizes in state.seen():
            certain.append(people[sizes == 1])
            more = np.bincount(sizes, minlength=len(counts))
            more[: len(counts)] += counts
            counts = more
        vulnerable = np.concatenate(certain)
        complete = done == len(evidence.tags)
        measures: dict[str, object] = {
            "individuals": int(counts.sum()),
            "vulnerable": len(vulnerable),
            "candidate_sizes": counts_table(counts),
            "timeline": state.vulnerable,
        }
        certain_at = state.certain_at[vulnerable].astype(np.int32)
        return Outcome(
            self.ident,
            "complete" if complete else "incomplete",
            None if complete else f"{budget.reason} after {done} of {len(evidence.tags)} releases",
            measures,
            self.claims(evidence, vulnerable, certain_at, state.only(vulnerable)),
            CandidateRisks(evidence, state) if complete else None,
        )

    def claims(self, evidence: Evidence, person: Codes, release: Codes, value: Codes) -> Disclosures:
        """Return what is claimed of some people."""
        return disclosures(evidence, person, release, value)
