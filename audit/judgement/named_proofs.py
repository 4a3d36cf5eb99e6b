"""Proofs that have been checked, with names instead of codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from audit.model.evidence import Evidence
from audit.model.named_findings import CaseStep, PointsOfRows, ProofSteps, Spending
from audit.verification import proof as checked


@dataclass(frozen=True)
class ProofNamer:
    """Names what proofs speak of; `call` returns what a person is called."""

    evidence: Evidence
    call: Callable[[int], str]

    def proof(self, followed: checked.Followed) -> ProofSteps:
        """Return a proof as it is told."""
        tags, values = self.evidence.tags, self.evidence.values
        spent = (
            Spending(self.call(each.person), each.least, tuple(sorted((values[v], cost) for v, cost in each.by_value)))
            for each in followed.spent
        )
        return ProofSteps(
            tuple(
                PointsOfRows(tags[each.release], each.group, values[each.value], each.points, rows)
                for each, rows in followed.points
            ),
            followed.total,
            # By what they are called: the order of the codes is that of the files, and would tell of pseudonyms.
            tuple(sorted(spent, key=lambda each: each.individual)),
            tuple(self._case(each) for each in followed.cases),
            None if followed.nobody is None else self.call(followed.nobody),
        )

    def _case(self, followed: checked.FollowedCase) -> CaseStep:
        said = followed.case
        return CaseStep(
            self.call(said.person),
            self.evidence.tags[said.release],
            self.evidence.values[said.value],
            self.proof(followed.followed),
        )
