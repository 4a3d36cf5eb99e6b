"""The clause `min_e`: no equivalence may have fewer people on a side (equivalence paper, Definition 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from audit.clauses.clause import LARGEST_LIMIT, Clause, JudgedAudit, attack_reason
from audit.findings.disclosure import certain_alike
from audit.findings.equivalence import Equivalences
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.measures import BoundedMeasures
from audit.model.report import Violation
from audit.model.scored import Result
from audit.runtime.phrases import Phrase, say

_IN_WORLDS = 2


class MinE(Clause):
    """Decided by bounds: an attack need not come to an end to know that no equivalence is so small."""

    name: ClassVar[str] = "min_e"
    default: ClassVar[float | None] = 2
    fails: ClassVar[str] = "There is an equivalence of fewer people than the policy allows."
    remedy: ClassVar[str] = "Publish whole buckets."
    example: ClassVar[str] = "write a whole number from 1, such as 2"

    def allows(self, limit: float) -> bool:
        """Return whether a number counts people."""
        return isinstance(limit, int) and 1 <= limit <= LARGEST_LIMIT

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the least number of people on a side of an equivalence, where it is too small."""
        judged = {entry.sensitive for entry in self._deciding(findings)}
        for entry in findings.ran:
            claims = entry.claims
            least = None if claims is None else claims.smallest_e(entry.waived)
            if least is not None and least < limit:
                yield Violation(entry.outcome.attack, self.name, limit, least, entry.sensitive)
            elif limit > 1 and entry.sensitive in judged and certain_alike(claims, entry.waived):
                yield Violation(entry.outcome.attack, self.name, limit, 1, entry.sensitive)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield which attacks may have missed an equivalence that is too small."""
        violating = {(each.attack, each.sensitive) for each in self.violations(findings, limit)}
        for entry in self._deciding(findings):
            if (entry.outcome.attack, entry.sensitive) not in violating:
                decided = _no_lesser_e(entry, limit)
                yield from self._doubts_of(entry, decided=decided, unless=say("smaller equivalences may exist"))
                if limit > 1 and entry.evidence.categories:
                    yield attack_reason(
                        entry.outcome.attack,
                        say(
                            "whether people have equal categories is not judged; write min_e = 1, or leave similar out"
                        ),
                    )
                if decided and limit > 1 and _asked_of_worlds(findings) and not in_all_worlds(entry.claims):
                    yield attack_reason(entry.outcome.attack, str(NOT_ALL_PAIRS))

    def qualified(self, findings: JudgedAudit, limit: float) -> str | None:
        """Return that no more than linear reasoning shows it, where worlds were not asked, or say nothing of it."""
        if 1 < limit <= _IN_WORLDS and _asked_of_worlds(findings):
            return None
        return say("by linear reasoning") if limit > 1 else None


NOT_ALL_PAIRS = Phrase(
    "it is not known of every two people whether some assignment gives them different values, so that two may still "
    "have the same value for certain; raise --time-limit"
)


def _asked_of_worlds(findings: JudgedAudit) -> bool:
    """Return whether an attack was asked for that says what is possible in any world."""
    return any(getattr(entry.attack, "asks_worlds", False) for entry in findings.ran)


def in_all_worlds(claims: Claims | None) -> bool:
    """Return whether it is known that no two people are equal in all worlds but those that are claimed, or certain."""
    return isinstance(claims, Equivalences) and claims.distinguished is not None and claims.distinguished()


def _no_lesser_e(entry: Result[Evidence], limit: float) -> bool:
    """Return whether it is proved that every equivalence below the limit, if there is one, is among the claims."""
    outcome = entry.outcome
    if not isinstance(outcome.claims, Equivalences):
        return False
    if not isinstance(outcome.measures, BoundedMeasures):
        return False
    bounds = outcome.measures.min_e
    return bounds.none or max(bounds.lower or 0, outcome.claims.spanned + 1) >= limit
