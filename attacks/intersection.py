"""Candidate-set intersection: the common values of one person's groups.

Threat model: the adversary knows, for each release, which group holds the person (`linked`), or the person's exact
quasi-identifiers and presence (`register`), and that the sensitive value never changes.

If values are combinations of several attributes, a person is vulnerable if all candidates share one value of one
attribute.

Claim: a person's *candidates* are the values that all of the person's pools hold. A person with one candidate left is
*vulnerable*: the value is certain. Sound, because each of the person's pools contains the person's value. Exact for an
adversary who looks at one person at a time; one who considers all people together may rule out more (see the attack
`joint`).

Risk of value v: prod_j c_j(v) / sum_u prod_j c_j(u), with c_j(v) the rows of value v in the pool of release j.

Cost: linear in rows; the series is in memory as a whole. Source: m-invariance paper, Definition 15, Lemmas 1, 2.

>>> attack = IntersectionAttack()
>>> attack.name, sorted(attack.decides)
('intersection', ['max_risk'])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from attacks.certificates import disclosures
from attacks.value_sets import CandidateRisks, MeasuresWithProducts, fold_all
from audit.model.evidence import Evidence, constant_reason, per_person_reason
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.outcome import Outcome, PolicyOptions, counts_table
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase


@dataclass(frozen=True, eq=False, kw_only=True)
class IntersectionMeasures(MeasuresWithProducts):
    """How many values remain possible for people.

    Attributes:
        individuals: the number of people who count.
        vulnerable: the number of people with one candidate.
        candidate_sizes: the number of people with each number of candidates; "0" for people who contradict the
            assumptions.
    """

    individuals: int
    vulnerable: int
    candidate_sizes: dict[str, int]

    counted: ClassVar[tuple[str, str] | None] = ("individuals", "vulnerable")
    timeline_label: ClassVar[Phrase | str] = Phrase("certain")


@dataclass(frozen=True)
class IntersectionAttack(PolicyOptions):
    """Intersect each person's candidate sets over the releases."""

    name: ClassVar[str] = "intersection"
    per_person: ClassVar[Literal[True]] = True
    measures: ClassVar[type[IntersectionMeasures]] = IntersectionMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk"})
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "disclosure": FindingRule("A person's groups have one value in common.", WITHHOLD)
    }

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return all people's candidates, with a finding for each person with one candidate."""
        reason = per_person_reason(evidence) or constant_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        state, done = fold_all(evidence, budget)
        counts = np.bincount(state.sizes()[state.versions > 0], minlength=1)
        measures = IntersectionMeasures(
            individuals=int(counts.sum()),
            vulnerable=int(np.count_nonzero(state.certain)),
            candidate_sizes=counts_table(counts),
            timeline=state.vulnerable,
        )
        claims, reason = disclosures(evidence, *state.claims()), budget.reason_after(done, len(evidence.tags))
        outcome = Outcome.judged(self.name, reason, measures, claims, CandidateRisks(evidence, state))
        return replace(outcome, left=None if evidence.adversary.knows_presence else partial(state.left, evidence))
