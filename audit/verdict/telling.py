"""Telling: a proof that has been checked, with names instead of codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from audit.core.evidence import Evidence
from audit.core.report import CaseStep, ExclusionStep, Possible, ProofSteps
from audit.verdict import exclusions


@dataclass(frozen=True)
class Teller:
    """Tells proofs in the words of some evidence; `call` returns what a person is called."""

    evidence: Evidence
    call: Callable[[int], str]

    def proof(self, followed: exclusions.Followed) -> ProofSteps:
        """Return a proof as it is told."""
        return ProofSteps(
            self._possible(followed.start),
            tuple(self._exclusion(each) for each in followed.exclusions),
            tuple(self._case(each) for each in followed.cases),
            None if followed.nobody is None else self.call(followed.nobody),
        )

    def _exclusion(self, followed: exclusions.FollowedExclusion) -> ExclusionStep:
        said = followed.exclusion
        return ExclusionStep(
            self.evidence.tags[said.release],
            tuple((group, self.evidence.values[value]) for group, value in said.rows),
            followed.count,
            # By what they are called: the order of the codes is that of the files, and would tell of pseudonyms.
            tuple(sorted(map(self.call, said.holders))),
            self._possible(followed.leaves),
        )

    def _case(self, followed: exclusions.FollowedCase) -> CaseStep:
        said = followed.case
        return CaseStep(
            self.call(said.person),
            self.evidence.tags[said.release],
            self.evidence.values[said.value],
            self.proof(followed.followed),
        )

    def _possible(self, what: tuple[exclusions.Possible, ...]) -> tuple[Possible, ...]:
        tags, values = self.evidence.tags, self.evidence.values
        order = sorted(what, key=lambda each: (self.call(each.person), each.release or 0))
        return tuple(
            Possible(
                self.call(each.person),
                None if each.release is None else tags[each.release],
                tuple(sorted(values[value] for value in each.values)),
            )
            for each in order
        )
