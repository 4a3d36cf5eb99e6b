"""Update-graph pruning: which histories of one person are possible when values change along known transitions.

Threat model: the adversary knows, for each release, which group holds the person (`linked`), or the person's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a value is *feasible* in a version (the person in one release) when it lies on a path through the person's
pools along transitions that are possible, between consecutive versions; gaps in presence are skipped over. A version
with one feasible value is *disclosed*. Sound, because the person's own history is such a path. Exact for an adversary
who looks at one person at a time. A person without a path shows that the transitions are wrong, and is counted as
infeasible, never hidden.

Risk: the weight of the paths through a value over the weight of all paths; a node weighs the value's share of its
pool, an edge its probability, else one over the number of values listed for where it starts. Without transitions
every number is that of `intersection`.

Cost: without transitions linear in rows, with them times values^2 at most. Source: m-Distinct paper, Section III.

>>> UpdateGraph().ident
'update-graph'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.candidates import Candidates
from attacks.certificates import sightings
from attacks.folding import fold_all
from attacks.paths import Paths
from attacks.posterior import CandidateRisks
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence, Transitions
from audit.core.outcome import (
    Asked,
    Columns,
    Disclosure,
    Disclosures,
    Outcome,
    Places,
    Risks,
    Step,
    per_person_reason,
)
from audit.core.versions import VersionDisclosures


@dataclass(frozen=True)
class UpdateGraph:
    """Prune each person's graph of values and updates to what lies on a feasible path."""

    ident: str = "update-graph"
    decides: frozenset[str] = frozenset({"max_risk"})
    per_attribute: bool = True

    def under(self, limits: Mapping[str, float], /) -> UpdateGraph:
        """Return the attack itself: no clause is an option of it."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the feasible values of every version, with a finding for each that has one."""
        reason = per_person_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.ident, reason)
        if evidence.transitions is None:
            return self._constant(evidence, budget)
        paths = Paths(evidence, budget)
        paths.run()
        counted = [v.counted for v in paths.versions]
        people = np.unique(np.concatenate([v.person[c] for v, c in zip(paths.versions, counted, strict=True)]))
        certain = [np.flatnonzero((v.size == 1) & v.counted) for v in paths.versions]
        measures: dict[str, object] = {
            "individuals": len(people),
            "versions": sum(int(c.sum()) for c in counted),
            "disclosed": sum(len(rows) for rows in certain),
            "infeasible": sum(int(((v.size == 0) & v.counted).sum()) for v in paths.versions),
            "timeline": paths.disclosed.tolist(),
        }
        person = np.concatenate([v.person[rows] for v, rows in zip(paths.versions, certain, strict=True)])
        value = np.concatenate([v.value[rows] for v, rows in zip(paths.versions, certain, strict=True)])
        release = np.repeat(np.arange(len(certain), dtype=np.int32), [len(rows) for rows in certain])
        reason = None if paths.finished else budget.reason
        return self._outcome(measures, reason, self.claims(evidence, person, release, value), PathRisks(evidence))

    def _constant(self, evidence: Evidence, budget: Budget) -> Outcome:
        """Return the same for values that never change: feasible is what all pools of the person hold."""
        state, done = fold_all(evidence, budget)
        seen = state.versions > 0
        sizes = state.sizes()
        measures: dict[str, object] = {
            "individuals": int(seen.sum()),
            "versions": int(state.versions.sum(dtype=np.int64)),
            "disclosed": int(state.versions[seen & (sizes == 1)].sum(dtype=np.int64)),
            "infeasible": int(state.versions[seen & (sizes == 0)].sum(dtype=np.int64)),
            "timeline": state.disclosed,
        }
        complete = done == len(evidence.tags)
        reason = None if complete else f"{budget.reason} after {done} of {len(evidence.tags)} releases"
        claims = _constant_versions(evidence, state, seen & (sizes == 1))
        return self._outcome(measures, reason, claims, CandidateRisks(evidence, state))

    def _outcome(
        self,
        measures: dict[str, object],
        reason: str | None,
        claims: Disclosures,
        model: CandidateRisks | PathRisks,
    ) -> Outcome:
        if reason is not None:
            return Outcome(self.ident, "incomplete", reason, measures, claims)
        return Outcome(self.ident, "complete", None, measures, claims, model)

    def claims(self, evidence: Evidence, person: Codes, release: Codes, value: Codes) -> Disclosures:
        """Return what is claimed of versions."""

        def build(places: Places) -> list[Disclosure]:
            return _found(evidence, (person[places], release[places], value[places]))

        return Disclosures(person, release, value, build)


def _constant_versions(evidence: Evidence, state: Candidates, certain: npt.NDArray[np.bool_]) -> Disclosures:
    """Return what is claimed of all versions of the people whose value is certain."""
    known = np.flatnonzero(certain).astype(np.int32)
    value = np.zeros(len(certain), dtype=np.min_scalar_type(len(evidence.values)))
    value[known] = state.only(known)

    def present(release: int) -> Codes:
        person = evidence.pools(release).person
        return person[certain[person]]

    count = int(state.versions[certain].sum(dtype=np.int64))
    return VersionDisclosures(known, value, count, present, lambda columns: _found(evidence, columns))


@dataclass(frozen=True)
class PathRisks:
    """Posterior probabilities when values change along transitions."""

    evidence: Evidence

    def risks(self, asked: Asked, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts; NaN where there is no path, or none through the value."""
        paths = Paths(self.evidence, budget)
        paths.load()
        if not paths.weigh([asked.of_versions(release) for release in range(len(self.evidence.tags))]):
            return None
        rows = [np.flatnonzero(v.counted) for v in paths.versions]
        person = np.concatenate([v.person[r] for v, r in zip(paths.versions, rows, strict=True)])
        risk = np.concatenate([v.risk[r] for v, r in zip(paths.versions, rows, strict=True)])
        release = np.repeat(np.arange(len(rows), dtype=np.int32), [len(r) for r in rows])
        return Risks(person, release, np.ones(len(person), dtype=np.int32), risk)


def _found(evidence: Evidence, columns: Columns) -> list[Disclosure]:
    """Return findings about versions; each has its person's whole graph before and after pruning."""
    seen = sightings(evidence, columns[0])
    steps = {}
    for who, versions in seen.items():
        feasible = prune([v.candidates for v in versions], evidence.transitions)
        steps[who] = tuple(
            Step(v.release, v.groups, v.candidates, kept) for v, kept in zip(versions, feasible, strict=True)
        )
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Disclosure(person, release, value, 1.0, steps[person]) for person, release, value in rows]


def prune(candidates: list[tuple[int, ...]], transitions: Transitions | None) -> list[tuple[int, ...]]:
    """Return the values of each version of one person that lie on a feasible path.

    >>> prune([(1, 2), (2, 3)], None)
    [(2,), (2,)]
    """
    kept = [set(values) for values in candidates]

    def follows(a: int, b: int) -> bool:
        return a == b if transitions is None else (a, b) in transitions.exact

    for here in range(1, len(kept)):
        kept[here] = {b for b in kept[here] if any(follows(a, b) for a in kept[here - 1])}
    for here in range(len(kept) - 2, -1, -1):
        kept[here] = {a for a in kept[here] if any(follows(a, b) for b in kept[here + 1])}
    return [tuple(sorted(values)) for values in kept]
