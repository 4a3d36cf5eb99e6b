"""The clause `max_ever_risk`: nobody may be as likely as the limit to have had a grave value in some release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from audit.clauses.clause import Clause, JudgedAudit
from audit.model.outcome import AttributeDisclosures
from audit.model.report import Violation
from audit.model.scored import Judged, reaches
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind


class MaxEverRisk(Clause):
    """In force only where it is stated, with `grave`, the values that it is about."""

    name: ClassVar[str] = "max_ever_risk"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "Somebody is too likely to have had a grave value in some release."
    remedy: ClassVar[str] = "Publish fewer releases, or groups in which grave values are rare."
    example: ClassVar[str] = "write a number above 0 and at most 1, such as 0.5"

    def allows(self, limit: float) -> bool:
        """Tell whether a number is a probability above 0."""
        return 0 < limit <= 1

    def judges(self, findings: JudgedAudit) -> bool:
        """Tell whether anybody's histories were looked at."""
        return any(entry.scored.ever is not None for entry in findings.ran)

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why nobody's histories were looked at."""
        if not findings.grave:
            return Reason(say('it needs the grave values: write grave = ["…"] under [policy]'), ReasonKind.NEEDS)
        return say("only the attack update-graph can decide it, from people's histories, and it did not finish")

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the highest probability ever to have had a grave value: 1 where one is certain."""
        for entry in findings.ran:
            ever = entry.scored.ever
            highest = None if ever is None else ever.highest
            value = 1.0 if _certain(entry) else highest
            if value is not None and reaches(value, limit):
                yield Violation(entry.scored.outcome.attack, self.name, limit, value, entry.sensitive)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield grave values that no release has, for they may be misspelt."""
        known = [entry.scored.ever for entry in findings.ran if entry.scored.ever is not None]
        if known:
            nowhere = set.intersection(*(set(ever.unpublished) for ever in known))
            for value in sorted(nowhere):
                yield say('no release has the grave value "{value}"; write it as the releases do', value=value)
            if all(ever.highest is None for ever in known):
                yield say("nobody could be judged: every row is a counterfeit or its value is known beforehand")


def _certain(entry: Judged) -> bool:
    """Tell whether an attack claims a grave value of anybody."""
    claims, grave = entry.scored.outcome.claims, entry.scored.grave
    if not isinstance(claims, AttributeDisclosures) or not grave:
        return False
    return bool(np.isin(np.delete(claims.value, entry.waived), sorted(grave)).any())
