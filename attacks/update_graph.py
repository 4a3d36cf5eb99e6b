"""Update-graph pruning: the possible histories of one person if values change along known transitions.

Threat model: the adversary knows, for each release, which group holds the person (`linked`), or the person's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a value is *feasible* in a version (the person in one release) if it is on a path through the person's pools
along possible transitions between consecutive versions; gaps in presence are skipped. A version with one feasible value
is *disclosed*. Sound, because the person's own history is such a path. Exact for an adversary who looks at one person
at a time. A person without a path shows that the transitions are wrong, and is counted as infeasible, never hidden.

Risk: the weight of the paths through a value divided by the weight of all paths. The weight of a node is the value's
share of its pool; that of an edge is its probability or, if none is given, one divided by the number of values that may
follow. Without transitions every number is that of `intersection`.

Cost: without transitions linear in rows, with them times values^2 at most. Source: m-Distinct paper, Section III.

>>> UpdateGraphAttack().name
'update-graph'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from attacks.candidate_risks import CandidateRisks, MeasuresWithProducts
from attacks.certificates import disclosures
from attacks.paths import FeasibleValues, PathRisks
from attacks.value_sets import fold_all, sizes_of
from audit.model.arrays import Columns, flagged
from audit.model.evidence import Evidence
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.measures import VERSIONS
from audit.model.outcome import Outcome, PolicyOptions, per_person_reason
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase

_NONE = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False, kw_only=True)
class UpdateGraphMeasures(MeasuresWithProducts):
    """How many versions of people are disclosed.

    Attributes:
        individuals: the number of people who count.
        versions: the number of their versions (a person in a release).
        disclosed: the number of versions with one feasible value.
        infeasible: the number of versions with none, which shows that the transitions are wrong.
    """

    individuals: int
    versions: int
    disclosed: int
    infeasible: int

    counted: ClassVar[tuple[str, str] | None] = ("versions", "disclosed")
    subjects_label: ClassVar[Noun | str] = VERSIONS
    by_version: ClassVar[bool] = True
    timeline_label: ClassVar[Phrase | str] = Phrase("certain")


@dataclass(frozen=True)
class UpdateGraphAttack(PolicyOptions):
    """Prune each person's graph of values and updates to the feasible paths."""

    name: ClassVar[str] = "update-graph"
    per_person: ClassVar[Literal[True]] = True
    measures: ClassVar[type[UpdateGraphMeasures]] = UpdateGraphMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "max_ever_risk"})
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "disclosure": FindingRule("One value of a person is on a possible path through the person's groups.", WITHHOLD)
    }

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the feasible values of every version, with a finding for each that has one."""
        reason = per_person_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        if evidence.transitions is None:
            return self._constant(evidence, budget)
        found = FeasibleValues(evidence, budget)
        found.run()
        seen, versions, infeasible, done = np.zeros(found.people, dtype=np.bool_), 0, 0, len(found.disclosed)
        for version in found.versions[:done]:
            seen[version.person[version.counted]] = True
            versions += int(np.count_nonzero(version.counted))
            infeasible += int(np.count_nonzero((sizes_of(version.sets) == 0) & version.counted))
        measures = UpdateGraphMeasures(
            individuals=int(np.count_nonzero(seen)),
            versions=versions,
            disclosed=found.disclosed[-1] if done else 0,
            infeasible=infeasible,
            timeline=found.disclosed,
        )
        claims = disclosures(evidence, *found.claims(), paths=True)
        reason = budget.reason_after(done, len(evidence.tags))
        outcome = Outcome.judged(self.name, reason, measures, claims, PathRisks(evidence, found))
        left = None if evidence.adversary.knows_presence else found.left
        return replace(outcome, exposed=tuple(found.exposed), left=left)

    def _constant(self, evidence: Evidence, budget: Budget) -> Outcome:
        """Return the outcome if values never change: a value is feasible if all pools of the person hold it."""
        state, done = fold_all(evidence, budget)
        measures = UpdateGraphMeasures(
            individuals=int(np.count_nonzero(state.versions)),
            versions=int(state.versions.sum(dtype=np.int64)),
            disclosed=state.disclosed[-1] if done else 0,
            infeasible=int(state.versions[state.sizes() == 0].sum(dtype=np.int64)),
            timeline=state.disclosed,
        )
        claims = disclosures(evidence, *_versions_of(evidence, done, state.claims()), paths=True)
        reason = budget.reason_after(done, len(evidence.tags))
        outcome = Outcome.judged(self.name, reason, measures, claims, CandidateRisks(evidence, state))
        left = None if evidence.adversary.knows_presence else partial(state.left, evidence)
        return replace(outcome, exposed=tuple(state.vulnerable), left=left)


def _versions_of(evidence: Evidence, releases: int, claims: Columns) -> Columns:
    """Return claims about people as claims about each of their versions in the first `releases` releases."""
    person, _, code = claims
    found: list[Columns] = [(_NONE, _NONE, _NONE)]
    for release, pools in enumerate(map(evidence.pools, range(releases))):
        present = flagged(pools.person, pools.people)
        rows = np.flatnonzero(present[np.minimum(person, pools.people - 1)] & (person < pools.people))
        found.append((person[rows], np.full(len(rows), release, dtype=np.int32), code[rows]))
    person, when, value = map(np.concatenate, zip(*found, strict=True))
    return person, when, value
